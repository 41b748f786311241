/* A judgement: gpuferry.verdict/1. Broken if any link is; else unknown if a deciding fact is missing; else works. */
#ifndef MDL_VERDICT_H
#define MDL_VERDICT_H
#include "model/lock.h"

enum mdl_outcome { MDL_WORKS, MDL_BROKEN, MDL_UNDECIDED };
enum mdl_level { MDL_ERROR, MDL_WARNING, MDL_NOTE };
enum mdl_kind { MDL_INCOMPATIBLE, MDL_MISCONFIGURED, MDL_UNAVAILABLE, MDL_BROKEN_HOST, MDL_SLOW, MDL_FALSE_ALARM, MDL_INFO };

struct mdl_finding {
    enum mdl_level level;
    enum mdl_kind kind;
    const char *rule;    /* "R-ARCH" */
    const char *about;   /* "torch 2.5.0+cu121 on RTX 5090" */
    const char *cause;   /* one or two sentences */
    struct mdl_strings facts, sources;
    const char *confidence; /* high | medium | low */
    const char *fix_text;   /* NULL without one */
    struct mdl_strings fix_commands;
    bool fix_proven;        /* a solve showed that it works */
    struct mdl_strings next; /* what to look at to be surer */
};
struct mdl_verdict {
    struct gf_arena mem;
    enum mdl_outcome outcome;
    struct mdl_finding *findings;
    size_t nfindings, cap;
    const char *about;              /* what was judged; NULL */
    bool undecided;                 /* a deciding fact is among the missing ones */
    struct mdl_strings missing_facts;
};
struct mdl_verdict *mdl_verdict_new(void);
void mdl_verdict_free(struct mdl_verdict *v);
struct mdl_finding *mdl_verdict_add(struct mdl_verdict *v, struct mdl_finding f); /* strings must live in v->mem or longer */
void mdl_verdict_miss(struct mdl_verdict *v, const char *fact); /* named once; copied */
void mdl_verdict_settle(struct mdl_verdict *v); /* outcome from findings and missing facts; errors first */
void mdl_verdict_write(const struct mdl_verdict *v, struct gf_jw *w);
const char *mdl_level_name(enum mdl_level level);
const char *mdl_kind_name(enum mdl_kind kind);
const char *mdl_outcome_name(enum mdl_outcome outcome);
int mdl_verdict_exit(const struct mdl_verdict *v); /* 0, 1, 3 */

#endif
