#include "python/variants.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdlib.h>

static struct gf_arena arena;

#define HEAD "{\"$schema\": \"https://variants-schema.wheelnext.dev/peps/825/v0.1.1.json\", \"default-priorities\": {\"namespace\": [\"x86_64\", \"aarch64\", \"blas_lapack\"]}, \"variants\": {"

static struct py_variants parse(const char *text)
{
    struct py_variants p;
    struct gf_err err = GF_ERR_INIT;
    if (py_variants_parse(&arena, gf_slice_of(text), "n-1-variants.json", &p, &err)) fail_msg("%s", err.text);
    return p;
}

static void a_label_stands_for_properties(void **state)
{
    (void)state;
    struct py_variants p = parse(HEAD "\"null\": {}, \"x86_64_v3_openblas\": {\"blas_lapack\": {\"library\": [\"openblas\"]}, \"x86_64\": {\"level\": [\"v3\"], \"avx512_bf16\": [\"on\"]}}}}");
    assert_int_equal(p.nspaces, 3);
    assert_string_equal(p.spaces[2], "blas_lapack");
    const struct py_variant *v = py_variants_find(&p, GF_S("x86_64_v3_openblas"));
    assert_non_null(v);
    assert_int_equal(v->n, 3);
    assert_string_equal(v->features[0].space, "blas_lapack");
    assert_string_equal(v->features[0].values[0], "openblas");
    assert_int_equal(py_variants_find(&p, GF_S("null"))->n, 0);
    assert_null(py_variants_find(&p, GF_S("x86_64_v4_mkl")));
}

static void what_is_not_in_the_format_is_refused(void **state)
{
    (void)state;
    static const struct { const char *text, *says; } rows[] = {
        { "[]", "expected an object" },
        { "{\"default-priorities\": {\"namespace\": [\"a\"]}, \"variants\": {}}", "$schema" },
        { "{\"$schema\": \"https://x.example/v2.0.0.json\", \"default-priorities\": {\"namespace\": [\"a\"]}, \"variants\": {}}", "expected version 0 or 1" },
        { "{\"$schema\": \"v1\", \"default-priorities\": {\"namespace\": [\"a\"]}, \"variants\": {}}", "expected version 0 or 1" },
        { "{\"$schema\": \"v1.0.0.json\", \"variants\": {}}", "/default-priorities/namespace: expected a list" },
        { "{\"$schema\": \"v1.0.0.json\", \"default-priorities\": {\"namespace\": []}, \"variants\": {}}", "a list that is not empty" },
        { "{\"$schema\": \"v1.0.0.json\", \"default-priorities\": {\"namespace\": [\"a\", \"a\"]}, \"variants\": {}}", "each entry once" },
        { "{\"$schema\": \"v1.0.0.json\", \"default-priorities\": {\"namespace\": [\"A\"]}, \"variants\": {}}", "names of a-z" },
        { "{\"$schema\": \"v1.0.0.json\", \"default-priorities\": {\"namespace\": [\"a\"]}}", "/variants: expected an object" },
        { HEAD "\"null\": {\"x86_64\": {\"level\": [\"v1\"]}}}}", "/variants/null: expected no properties" },
        { HEAD "\"A\": {}}}", "labels of a-z" },
        { HEAD "\"a\": {\"nvidia\": {\"sm_arch\": [\"80_real\"]}}}}", "/variants/a: expected namespaces of default-priorities" },
        { HEAD "\"a\": {\"x86_64\": {\"level\": []}}}}", "/variants/a: expected a list" },
        { HEAD "\"a\": {\"x86_64\": {\"level\": \"v3\"}}}}", "/variants/a: expected a list" },
        { HEAD "\"a\": {\"x86_64\": {\"level\": [\"v 3\"]}}}}", "values of a-z" },
        { HEAD "\"a\": {\"x86_64\": {\"level\": [3]}}}}", "values of a-z" },
        { HEAD "\"a\": {}, \"a\": {}}}", "a" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct py_variants p;
        struct gf_err err = GF_ERR_INIT;
        if (!py_variants_parse(&arena, gf_slice_of(rows[i].text), "n-1-variants.json", &p, &err)) fail_msg("%s should be refused", rows[i].text);
        if (!strstr(err.text, rows[i].says) || !strstr(err.text, "n-1-variants.json")) fail_msg("%s: '%s' does not say '%s'", rows[i].text, err.text, rows[i].says);
    }
}

/* A target that supports what its list holds, in that order: "space::feature::value". */
static int place(const void *arg, const char *start)
{
    size_t n = strlen(start);
    int i = 0;
    for (const char *const *v = arg; *v; v++, i++)
        if (strncmp(*v, start, n) == 0 && (!(*v)[n] || (*v)[n] == ':')) return i;
    return -1;
}
static int value(const void *arg, const struct py_variant_feature *f)
{
    int best = -1;
    for (uint32_t i = 0; i < f->n; i++) {
        int p = place(arg, gf_arena_printf(&arena, "%s::%s::%s", f->space, f->name, f->values[i]));
        if (p >= 0 && (best < 0 || p < best)) best = p;
    }
    return best;
}
static int feature(const void *arg, const char *space, const char *name) { return place(arg, gf_arena_printf(&arena, "%s::%s", space, name)); }

static int by_rank(const void *a, const void *b) { return py_variant_rank_cmp(a, b); }

/* The labels that fit, the preferred one first, each with a blank behind it. */
static const char *order(const char *text, const char *const *supported)
{
    struct py_variants p = parse(text);
    struct py_variant_target t = { value, feature, supported };
    struct py_variant_rank ranks[20];
    size_t n = 0;
    for (uint32_t i = 0; i < p.n; i++) n += py_variant_rank(&arena, &p, &p.v[i], &t, &ranks[n]);
    qsort(ranks, n, sizeof *ranks, by_rank);
    const char *all = "";
    for (size_t i = 0; i < n; i++) all = gf_arena_printf(&arena, "%s%s ", all, ranks[i].label);
    return all;
}

static void wheels_are_ordered_as_the_pep_says(void **state)
{
    (void)state;
    static const char *const v3[] = { "x86_64::level::v3", "x86_64::level::v2", "x86_64::level::v1", "blas_lapack::library::mkl", "blas_lapack::library::openblas", NULL };
    const char *text = HEAD "\"v2\": {\"x86_64\": {\"level\": [\"v2\"]}}, \"v4\": {\"x86_64\": {\"level\": [\"v4\"]}}, \"null\": {}, \"v3_o\": {\"x86_64\": {\"level\": [\"v3\"]}, \"blas_lapack\": {\"library\": [\"openblas\"]}},"
                           "\"v3\": {\"x86_64\": {\"level\": [\"v3\"]}}, \"mkl\": {\"blas_lapack\": {\"library\": [\"mkl\"]}}, \"v3_m\": {\"x86_64\": {\"level\": [\"v1\", \"v3\"]}, \"blas_lapack\": {\"library\": [\"mkl\", \"openblas\"]}},"
                           "\"b\": {\"x86_64\": {\"level\": [\"v2\"]}}}}";
    assert_string_equal(order(text, v3), "v3_m v3_o v3 b v2 mkl null ");
    static const char *const none[] = { NULL };
    assert_string_equal(order(text, none), "null ");
    static const char *const other[] = { "blas_lapack::library::openblas", NULL };
    assert_string_equal(order(text, other), "null ");
}

/* Drafts let a package order features and values: those named come first, in that order. */
static void a_package_may_order_features_and_values(void **state)
{
    (void)state;
    static const char *const all[] = { "a::x::1", "a::x::2", "a::y::1", "a::y::2", NULL };
    assert_string_equal(order("{\"$schema\": \"https://v.example/v0.0.3.json\", \"default-priorities\": {\"namespace\": [\"a\"], \"feature\": {\"a\": [\"y\"]}, \"property\": {\"a\": {\"x\": [\"3\", \"2\"]}}}, \"variants\": {"
                              "\"x1\": {\"a\": {\"x\": [\"1\"]}}, \"x2\": {\"a\": {\"x\": [\"2\"]}}, \"x12\": {\"a\": {\"x\": [\"1\", \"2\"]}}, \"x3\": {\"a\": {\"x\": [\"3\"]}}, \"y2\": {\"a\": {\"y\": [\"2\"]}}}}", all),
                        "y2 x12 x2 x1 ");
}

static int setup(void **state)
{
    (void)state;
    gf_arena_init(&arena);
    return 0;
}
static int teardown(void **state)
{
    (void)state;
    gf_arena_release(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_label_stands_for_properties), cmocka_unit_test(what_is_not_in_the_format_is_refused),
                                        cmocka_unit_test(wheels_are_ordered_as_the_pep_says), cmocka_unit_test(a_package_may_order_features_and_values) };
    return cmocka_run_group_tests(tests, setup, teardown);
}
