/* Orders wheel variants for a comparison with the reference implementation.
   usage: variants_tool VARIANTS-JSON SUPPORTED [VARIANTS-JSON SUPPORTED]…   SUPPORTED has a line "space::feature::value" for each property, best first
   of its feature; features of a namespace by their first line. Prints for each pair the labels that fit, the preferred one first. */
#include "base/file.h"
#include "base/vec.h"
#include "python/variants.h"
#include <stdio.h>
#include <stdlib.h>

struct supported { GF_VEC(gf_slice) lines; };

/* The first line that is start, or begins with it and "::"; -1. */
static int place(const struct supported *s, gf_slice start)
{
    for (size_t i = 0; i < s->lines.n; i++) {
        gf_slice rest = s->lines.v[i];
        if (gf_try_lit(&rest, start) && (!rest.n || gf_slice_starts(rest, GF_S("::")))) return (int)i;
    }
    return -1;
}

static int value(const void *arg, const struct py_variant_feature *f)
{
    int best = -1;
    for (uint32_t i = 0; i < f->n; i++) {
        GF_FREE char *text = gf_xasprintf("%s::%s::%s", f->space, f->name, f->values[i]);
        int one = place(arg, gf_slice_of(text));
        if (one >= 0 && (best < 0 || one < best)) best = one;
    }
    return best;
}

static int feature(const void *arg, const char *space, const char *name)
{
    GF_FREE char *text = gf_xasprintf("%s::%s", space, name);
    return place(arg, gf_slice_of(text));
}

static int compare(const void *a, const void *b) { return py_variant_rank_cmp(a, b); }

static void order(const char *json, const char *supported)
{
    GF_ARENA_SCOPE struct gf_arena a = GF_ARENA_INIT;
    GF_BUF_SCOPE struct gf_buf text, list;
    struct gf_err err = GF_ERR_INIT;
    struct supported s = { 0 };
    struct py_variants all;
    if (gf_file_read(json, GF_CAP_VARIANTS, &text, &err) || gf_file_read(supported, GF_CAP_VARIANTS, &list, &err) || py_variants_parse(&a, gf_buf_slice(&text), json, &all, &err)) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    gf_slice rest = gf_buf_slice(&list), line;
    while (gf_slice_line(&rest, &line)) gf_vec_push(&s.lines, line);
    struct py_variant_target t = { value, feature, &s };
    struct py_variant_rank *ranks = GF_NEW_ARRAY(&a, struct py_variant_rank, all.n + 1);
    size_t n = 0;
    for (uint32_t i = 0; i < all.n; i++) n += py_variant_rank(&a, &all, &all.v[i], &t, &ranks[n]);
    qsort(ranks, n, sizeof *ranks, compare);
    for (size_t i = 0; i < n; i++) printf("%s%s", i ? " " : "", ranks[i].label);
    printf("\n");
    gf_vec_free(&s.lines);
}

int main(int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; i += 2) order(argv[i], argv[i + 1]);
    return 0;
}
