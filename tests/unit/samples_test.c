/* Real pastes of tests/samples, each against the facts that a person reads in it. */
#include "base/file.h"
#include "target/target.h"
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

static struct mtx *matrix;

static int open_matrix(void **state)
{
    (void)state;
    struct gf_err err = GF_ERR_INIT;
    return mtx_open(NULL, &matrix, &err);
}

static int close_matrix(void **state)
{
    (void)state;
    mtx_free(matrix);
    return 0;
}

static void write_facts(struct mdl_profile *p, struct gf_buf *out)
{
    struct gf_jw w;
    p->norigins = 0;
    gf_jw_init(&w, out, false);
    mdl_profile_write(p, &w);
}

/* What the catalogue of other vendors adds is not in the paste: it grows on its own. */
static void drop_catalogue(struct mdl_profile *p, const struct mdl_profile *expected)
{
    for (size_t i = 0; i < p->ngpus && i < expected->ngpus; i++) {
        if (!p->gpus[i].vendor || strcmp(p->gpus[i].vendor, "nvidia") == 0) continue;
        if (!expected->gpus[i].gfx) p->gpus[i].gfx = NULL;
        if (!expected->gpus[i].name) p->gpus[i].name = NULL;
    }
}

static bool compare(const char *base)
{
    char path[400];
    struct gf_err err = GF_ERR_INIT;
    struct mdl_profile *p = NULL, *expected = NULL;
    GF_BUF_SCOPE struct gf_buf text, got, want;
    gf_buf_init(&text, GF_CAP_PROFILE);
    gf_buf_init(&got, GF_CAP_PROFILE);
    gf_buf_init(&want, GF_CAP_PROFILE);
    snprintf(path, sizeof path, "tests/samples/%s.json", base);
    if (gf_file_read(path, GF_CAP_PROFILE, &text, &err) || mdl_profile_parse(gf_buf_slice(&text), path, &expected, &err)) fail_msg("%s", err.text);
    snprintf(path, sizeof path, "tests/samples/%s.txt", base);
    if (tgt_load(matrix, path, &p, &err)) fail_msg("%s", err.text);
    drop_catalogue(p, expected);
    write_facts(p, &got);
    write_facts(expected, &want);
    bool same = gf_slice_eq(gf_buf_slice(&got), gf_buf_slice(&want));
    if (!same) print_error("%s: expected\n%s\ngot\n%s\n", path, gf_buf_str(&want), gf_buf_str(&got));
    mdl_profile_free(p);
    mdl_profile_free(expected);
    return same;
}

static void all_samples(void **state)
{
    (void)state;
    DIR *d = opendir("tests/samples");
    struct dirent *e;
    size_t n = 0, wrong = 0;
    assert_non_null(d);
    while ((e = readdir(d))) {
        gf_slice name = gf_slice_of(e->d_name);
        if (!gf_slice_ends(name, GF_S(".txt"))) continue;
        char base[256];
        snprintf(base, sizeof base, "%.*s", (int)(name.n - 4), name.p);
        if (!compare(base)) wrong++;
        n++;
    }
    closedir(d);
    assert_true(n >= 37);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(all_samples) };
    return cmocka_run_group_tests_name("samples", tests, open_matrix, close_matrix);
}
