/* NAME-VERSION-variants.json (PEP 825): which properties the labels of a version's wheels stand for, and how wheels that fit are ordered. What a target
 * supports is not known here: it is asked. */
#ifndef PY_VARIANTS_H
#define PY_VARIANTS_H
#include "base/err.h"
#include "base/mem.h"

struct py_variant_feature {
    const char *space, *name;    /* "nvidia", "sm_arch" */
    const char *const *values;   /* one of them must be supported; at least one */
    uint32_t n;
};
struct py_variant { const char *label; const struct py_variant_feature *features; uint32_t n; }; /* n 0: the null variant, or one that needs nothing */
struct py_variants {
    const char *const *spaces;   /* by falling priority; all that are used are in it */
    uint32_t nspaces;
    const struct py_variant *v;
    uint32_t n;
    /* Drafts before PEP 825 let a package order features and values too: those named come first, values empty for an order of features. */
    const struct py_variant_feature *order;
    uint32_t norder;
};
/* Strict: schema version 0 (drafts) or 1, names of the letters that the PEP allows, every namespace with its priority, "null" without properties. */
int py_variants_parse(struct gf_arena *a, gf_slice text, const char *label, struct py_variants *ret, struct gf_err *err);
const struct py_variant *py_variants_find(const struct py_variants *all, gf_slice label); /* NULL: none of that label */

/* What a target supports. */
struct py_variant_target {
    /* Place of the best value of f among those that the target supports, 0 is the best; -1: none of them is supported. */
    int (*value)(const void *arg, const struct py_variant_feature *f);
    int (*feature)(const void *arg, const char *space, const char *name); /* place of the feature among those of its namespace */
    const void *arg;
};
struct py_variant_key { uint32_t space, feature, value; };
struct py_variant_rank { const char *label; struct py_variant_key *keys; uint32_t n; }; /* keys: best first */
/* True and the rank when every feature has a value that the target supports. */
bool py_variant_rank(struct gf_arena *a, const struct py_variants *all, const struct py_variant *v, const struct py_variant_target *t, struct py_variant_rank *ret);
int py_variant_rank_cmp(const struct py_variant_rank *a, const struct py_variant_rank *b); /* the preferred one first */

#endif
