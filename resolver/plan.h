/* The front door: a problem and a supply in, a lock or a refusal out. */
#ifndef RSV_PLAN_H
#define RSV_PLAN_H
#include "resolver/problem.h"

struct rsv_change {           /* something that would make it work, shown by a solve */
    const char *what;         /* "with driver 580.95.05 or newer" */
    const char *gives;        /* "torch 2.15.0" */
    const char *option;       /* how to ask for it: "--python 3.12" */
};
struct rsv_refused {
    struct gf_arena mem;
    struct mdl_reason *facts; /* irreducible: take one away and a plan exists */
    size_t nfacts;
    struct rsv_change *changes; /* cheapest first */
    size_t nchanges;
    struct mdl_strings not_considered; /* "torch: pytorch-cu126,pytorch-cu128": sources of a package that could not be reached */
    bool minimal;             /* false: the reduction was cut short (a source failed meanwhile) */
};
struct rsv_result {
    struct mdl_lock *lock;      /* a plan; else NULL */
    struct rsv_refused *refused; /* else this */
    uint32_t decisions, conflicts, skipped_files;
    uint32_t untold_variants;   /* versions whose wheel variants could not be judged */
    uint64_t download;          /* bytes of the plan, of what has a known size */
    uint32_t packages;          /* without the installer */
};
struct rsv_plan_options {
    bool installer;             /* add the newest pip that fits, for the bundle */
    bool passed_over;           /* find out why newer versions of the requests were not taken */
    bool changes;               /* after a refusal look for what would work */
    const char *request_json;   /* for the lock: the request as given, a compact JSON object */
    void (*progress)(void *arg, size_t known, size_t read); /* NULL */
    void *progress_arg;
};
/* 0 with a lock or a refusal in *ret; -1: a source failed, a fact is missing, an interrupt. */
int rsv_plan(const struct rsv_problem *p, struct rsv_supply supply, const struct rsv_plan_options *o, struct rsv_result *ret, struct gf_err *err);
void rsv_result_release(struct rsv_result *r);
/* The refusal in sentences, and the changes. */
void rsv_refused_text(const struct rsv_refused *r, struct gf_buf *out);
void rsv_refused_json(const struct rsv_refused *r, struct gf_jw *w);

#endif
