/* The supply far away: what was asked for is there after the next wait, never before. All cases come out as they do without waiting, whatever comes
 * first, and who goes back through versions does not wait for each. */
#include "base/file.h"
#include "base/map.h"
#include "base/vec.h"
#include "resolver/scenario.h"
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

struct distant {
    struct rsv_supply near;
    struct gf_names wanted;           /* "page NAME", "file NAME SOURCE" */
    GF_VEC(bool) here;
    bool one_by_one;                  /* the last asked for comes first */
    unsigned waits, files;
};

static uint32_t want(struct distant *d, const char *what, const char *name, unsigned source)
{
    bool fresh;
    GF_FREE char *key = gf_xasprintf("%s %s %u", what, name, source);
    uint32_t id = gf_names_add(&d->wanted, gf_slice_of(key), &fresh);
    if (fresh) gf_vec_push(&d->here, false);
    if (fresh && *what == 'f') d->files++;
    return id;
}

static void want_project(void *arg, const char *name) { want(arg, "page", name, 0); }

static enum src_state project(void *arg, const char *name, const struct src_project **ret, struct gf_err *err)
{
    struct distant *d = arg;
    return d->here.v[want(d, "page", name, 0)] ? d->near.project(d->near.arg, name, ret, err) : SRC_WAITING;
}

static void want_metadata(void *arg, const struct src_file *f) { want(arg, "file", f->filename, f->source); }

static enum src_state metadata(void *arg, const struct src_file *f, const struct py_metadata **ret, struct gf_err *err)
{
    struct distant *d = arg;
    return d->here.v[want(d, "file", f->filename, f->source)] ? d->near.metadata(d->near.arg, f, ret, err) : SRC_WAITING;
}

static void want_variants(void *arg, const struct src_file *f) { want(arg, "list", f->url, f->source); }

static enum src_state variants(void *arg, const struct src_file *f, const struct py_variants **ret, struct gf_err *err)
{
    struct distant *d = arg;
    return d->here.v[want(d, "list", f->url, f->source)] ? d->near.variants(d->near.arg, f, ret, err) : SRC_WAITING;
}

static int wait_any(void *arg, struct gf_err *err)
{
    struct distant *d = arg;
    bool came = false;
    for (size_t i = d->here.n; i-- > 0 && !(d->one_by_one && came);)
        if (!d->here.v[i]) d->here.v[i] = came = true;
    d->waits++;
    return came ? 0 : gf_fail(err, GF_E_NOT_FOUND, "it waits for nothing");
}

static const struct src_index *index_at(void *arg, size_t i) { return ((struct distant *)arg)->near.index(((struct distant *)arg)->near.arg, i); }
static enum src_use use_of(void *arg, size_t i, const char **ret) { return ((struct distant *)arg)->near.use(((struct distant *)arg)->near.arg, i, ret); }

/* The outcome of the case, and what it took. */
static void run(gf_slice text, const char *label, struct distant *d, struct gf_buf *out)
{
    struct gf_err err = GF_ERR_INIT;
    struct rsv_scenario s;
    if (rsv_scenario_read(text, label, &s, &err)) fail_msg("%s", err.text);
    gf_names_init(&d->wanted);
    d->near = s.supply;
    s.supply = (struct rsv_supply){ d, want_project, project, want_metadata, metadata, want_variants, variants, wait_any, index_at, use_of };
    rsv_scenario_run(&s, out);
    if (s.expected.n && !gf_slice_eq(gf_buf_slice(out), s.expected))
        fail_msg("%s%s:\n--- expected\n%.*s--- got\n%s", label, d->one_by_one ? ", one answer at a time" : "", GF_FMT(s.expected), gf_buf_str(out));
    gf_names_release(&d->wanted);
    gf_vec_free(&d->here);
    rsv_scenario_release(&s);
}

static void cases_come_out_the_same(bool one_by_one)
{
    glob_t files;
    assert_int_equal(glob("tests/cases/*.case", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        struct gf_err err = GF_ERR_INIT;
        GF_BUF_SCOPE struct gf_buf text, out;
        gf_buf_init(&text, GF_CAP_LOCK);
        gf_buf_init(&out, GF_CAP_LOCK);
        if (gf_file_read(files.gl_pathv[i], GF_CAP_LOCK, &text, &err)) fail_msg("%s", err.text);
        run(gf_buf_slice(&text), files.gl_pathv[i], &(struct distant){ .one_by_one = one_by_one }, &out);
    }
    globfree(&files);
}

static void cases_come_out_the_same_far_away(void **state)
{
    (void)state;
    cases_come_out_the_same(false);
}

static void cases_come_out_the_same_one_answer_at_a_time(void **state)
{
    (void)state;
    cases_come_out_the_same(true);
}

/* "app" 1 to n, of which only the first goes with what else is wanted. */
static void write_walk(unsigned n, struct gf_buf *text)
{
    gf_buf_adds(text, "target driver=none accelerator=any\nwant app | low<2\n");
    for (unsigned i = 1; i <= n; i++) gf_buf_addf(text, "pkg app %u requires low>=%u\n", i, i);
    for (unsigned i = 1; i <= n; i++) gf_buf_addf(text, "pkg low %u\n", i);
}

static void walk(unsigned n, struct distant *d)
{
    GF_BUF_SCOPE struct gf_buf text, out;
    gf_buf_init(&text, GF_CAP_LOCK);
    gf_buf_init(&out, GF_CAP_LOCK);
    write_walk(n, &text);
    run(gf_buf_slice(&text), "walk", d, &out);
    assert_string_equal(gf_buf_str(&out), "expect plan\n  app 1\n  low 1\n");
}

static void many_versions_are_not_waited_for_one_by_one(void **state)
{
    (void)state;
    struct distant d = { .waits = 0 };
    walk(25, &d);
    assert_in_range(d.waits, 1, 9); /* pages, then 1, 1, 2, 3 … of the versions */
    assert_int_equal(d.files, 26);
}

static void what_is_taken_at_once_costs_no_other(void **state)
{
    (void)state;
    struct distant d = { .waits = 0 }, e = { .waits = 0 };
    walk(1, &d);
    assert_int_equal(d.files, 2);
    walk(2, &e);
    assert_int_equal(e.files, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_come_out_the_same_far_away),
        cmocka_unit_test(cases_come_out_the_same_one_answer_at_a_time),
        cmocka_unit_test(many_versions_are_not_waited_for_one_by_one),
        cmocka_unit_test(what_is_taken_at_once_costs_no_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
