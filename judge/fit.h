/* Will a transformer fit on a card: an estimate from published formulas, with its parts, each with a low and a high bound. Bytes are of one card. */
#ifndef JDG_FIT_H
#define JDG_FIT_H
#include "base/json.h"

enum jdg_method { JDG_INFERENCE, JDG_FULL, JDG_LORA, JDG_QLORA };
enum jdg_optimizer { JDG_ADAMW, JDG_ADAMW8, JDG_SGD_MOMENTUM, JDG_SGD, JDG_ADAFACTOR };
enum jdg_offload { JDG_OFFLOAD_NONE, JDG_OFFLOAD_OPTIMIZER, JDG_OFFLOAD_PARAMETERS };

struct jdg_model {
    double parameters;
    double layers, hidden, intermediate, heads, kv_heads, vocab; /* 0 unknown: concluded from the parameters */
    bool shape_assumed;
};
struct jdg_fit {
    struct jdg_model model;
    enum jdg_method method;
    double bits;            /* of a weight as it lies on the card */
    double kv_bits;         /* of one number in the KV cache */
    bool full_precision;    /* fp32 training: no 16-bit copies */
    enum jdg_optimizer optimizer;
    enum jdg_offload offload;
    double batch, sequence; /* batch on one card */
    double rank;            /* LoRA */
    bool checkpointing, flash;
    unsigned cards, zero;   /* zero: ZeRO stage 0 to 3; inference with several cards splits every tensor */
};
struct jdg_fit_part { const char *name, *how, *source; double low, high; };
#define JDG_FIT_PARTS 8
struct jdg_estimate {
    struct jdg_fit_part parts[JDG_FIT_PARTS];
    size_t n;
    double low, high, trainable;
};

void jdg_fit_estimate(struct jdg_fit *f, struct jdg_estimate *ret); /* fills the unknown numbers of f->model */
/* "7B", "1.5B", "350M", "6738415616". */
bool jdg_fit_number(gf_slice text, double *ret);
/* Rows of data/fit; false when the name is not there. The texts are the two files. */
int jdg_fit_format(gf_slice formats, gf_slice name, double *ret_bits, struct gf_err *err);
int jdg_fit_model(gf_slice models, gf_slice name, struct jdg_model *ret, struct gf_err *err);

#endif
