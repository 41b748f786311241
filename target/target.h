/* What the machine planned for is: from options, from a profile, from this machine, from pasted text. */
#ifndef TGT_TARGET_H
#define TGT_TARGET_H
#include "matrix/matrix.h"
#include "model/lock.h"

struct tgt_request {              /* as given on the command line; NULL: not given */
    const char *const *profiles;  /* --target FILE|-, read by the caller into base below */
    const char *const *gpus;      /* NAME, sm_86, 8.6, PCI id */
    size_t ngpus;
    const char *os, *arch, *python, *glibc, *kernel, *driver, *accelerator;
};
enum tgt_driver {                 /* what the plan may do with the driver */
    TGT_DRIVER_KEEP,              /* profile->driver_version is there and stays */
    TGT_DRIVER_ANY,               /* the plan may choose: branch that serves all, longest supported */
    TGT_DRIVER_NONE               /* none there, none will be installed */
};
struct tgt_target {
    struct mdl_profile *profile;  /* owned */
    enum tgt_driver driver;
    struct mdl_strings assumed, unknown, notes; /* in the profile's arena; "glibc 2.36 (debian 12, data/os/distros.json)" */
};
/* base: a profile to start from (taken over), or NULL. As soon as one fact is given nothing comes from this machine; with none at all, base NULL: tgt_detect.
 * GF_E_USAGE for an unknown GPU (with the nearest names), for a name whose products differ in capability (with the PCI ids), for
 * an unknown OS, Python, driver text. */
int tgt_from_request(struct mtx *m, const struct tgt_request *r, struct mdl_profile *base, struct tgt_target *ret, struct gf_err *err);
/* For a plan, where nothing says which glibc a Linux target has: 2.28, what most wheels are made for. It is among the assumed facts, and the lock asks
 * install.sh to check what the files need. */
void tgt_assume_glibc(struct tgt_target *t);
void tgt_target_release(struct tgt_target *t);
/* One line: target, what was assumed and from where, what is unknown. */
void tgt_describe(const struct tgt_target *t, struct gf_buf *out);
/* This machine's facts from /proc, /sys and NVML when it can be opened. root: "" or a prefix for tests. */
int tgt_detect(struct mtx *m, const char *root, struct mdl_profile **ret, struct gf_err *err);
/* Collector output or anything pasted (nvidia-smi, collect_env, pip freeze …): facts merged into p with their origin. Never fails on strange text;
 * returns the number of facts it took. name: where the text came from. */
size_t tgt_read_paste(struct mtx *m, gf_slice text, const char *name, struct mdl_profile *p);
/* What the catalogue adds to GPUs known by PCI id or name: vendor, capability, name. Never a guess: products that differ leave it open. */
void tgt_fill_gpus(struct mtx *m, struct mdl_profile *p);
/* A file or stdin that is a profile document or a paste. */
int tgt_load(struct mtx *m, const char *path, struct mdl_profile **ret, struct gf_err *err);
int tgt_load_text(struct mtx *m, gf_slice text, const char *path, struct mdl_profile **ret, struct gf_err *err); /* the same, read already */

#endif
