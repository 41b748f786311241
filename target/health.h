/* Is this machine in order, looked at step by step from the bus to a number that a GPU computed. Facts only: what a step means is the caller's. */
#ifndef TGT_HEALTH_H
#define TGT_HEALTH_H
#include "target/target.h"

enum tgt_state { TGT_GOOD, TGT_DOUBTFUL, TGT_BAD, TGT_NOT_HERE }; /* not here: nothing to look at, or not allowed to */
struct tgt_step {
    const char *name;  /* "bus", "driver", "nvidia-smi", "device nodes", "CUDA", "framework", "computes", "memory", "load", "hardware" */
    enum tgt_state state;
    const char *text;  /* one line */
    const char *fix;   /* NULL */
};
struct tgt_health {
    struct gf_arena mem;
    struct tgt_step *steps;
    size_t n, cap;
};
/* root: "" or a prefix for tests; then nothing is run and no library is opened. p: what tgt_detect found there. */
void tgt_health_look(struct mtx *m, const char *root, const struct mdl_profile *p, struct tgt_health *ret);
void tgt_health_release(struct tgt_health *h);
const char *tgt_state_name(enum tgt_state s);

/* Within target/: adds one step. */
void tgt_step_add(struct tgt_health *h, const char *name, enum tgt_state state, const char *fix, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Starts CUDA in a child process, computes on every GPU and compares; adds the steps CUDA and computes. */
void tgt_health_compute(struct tgt_health *h);

#endif
