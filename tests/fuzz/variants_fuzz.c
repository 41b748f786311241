/* variants.json: what is read has a rank that is the same as itself, in whatever order a target supports values. */
#include "python/variants.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int value(const void *arg, const struct py_variant_feature *f)
{
    (void)arg;
    return f->values[0][0] == 'x' ? -1 : (int)f->n;
}

static int feature(const void *arg, const char *space, const char *name)
{
    (void)arg;
    return (int)strlen(space) + (int)strlen(name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gf_arena a = GF_ARENA_INIT;
    struct gf_err err = GF_ERR_INIT;
    struct py_variants p;
    struct py_variant_target t = { value, feature, NULL };
    if (!py_variants_parse(&a, gf_slice_n((const char *)data, size), "v", &p, &err)) {
        struct py_variant_rank r, first = { 0 };
        for (uint32_t i = 0; i < p.n; i++) {
            if (py_variants_find(&p, gf_slice_of(p.v[i].label)) != &p.v[i]) abort();
            if (!py_variant_rank(&a, &p, &p.v[i], &t, &r)) continue;
            if (py_variant_rank_cmp(&r, &r) != 0) abort();
            if (first.label && (py_variant_rank_cmp(&first, &r) < 0) != (py_variant_rank_cmp(&r, &first) > 0)) abort();
            first = r;
        }
    }
    gf_arena_release(&a);
    return 0;
}
