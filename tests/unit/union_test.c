/* One lock for several targets: what it holds, that each target's part comes out as it went in, and that hostile ones are refused. */
#include "base/json.h"
#include "model/lock.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#define SHA(c) c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c
#define LIST(...)                                                                                                                           \
    __extension__({                                                                                                                         \
        static const char *const list[] = { __VA_ARGS__ };                                                                                  \
        (struct mdl_strings){ list, sizeof list / sizeof list[0] };                                                                         \
    })

static struct mdl_lock_python requests_row(struct mdl_strings needs)
{
    return (struct mdl_lock_python){ .name = "requests", .version = "2.34.2", .file = "requests-2.34.2-py3-none-any.whl", .kind = "wheel", .source = "default", .path = "r.whl",
                                     .sha256 = SHA("a"), .size = 10, .requires = needs, .required_by = LIST("(request)") };
}

static struct mdl_lock_python idna_row(struct mdl_strings by)
{
    return (struct mdl_lock_python){ .name = "idna", .version = "3.20", .file = "idna-3.20-py3-none-any.whl", .kind = "wheel", .source = "default", .path = "i.whl",
                                     .sha256 = SHA("b"), .size = 20, .required_by = by };
}

static struct mdl_lock_python numpy_row(const char *version, const char *file, const char *sha)
{
    return (struct mdl_lock_python){ .name = "numpy", .version = version, .file = file, .kind = "wheel", .source = "default", .path = file, .sha256 = sha, .size = 30,
                                     .required_by = LIST("(request)") };
}

static void *put(struct mdl_lock *l, size_t n, size_t size, const void *rows)
{
    char *at = gf_arena_array(&l->mem, n + 1, size);
    if (n) memcpy(at, rows, n * size);
    return at;
}
#define PUT(l, array, ...)                                                                                                                  \
    ((l)->n##array = sizeof((__typeof__(*(l)->array)[]){ __VA_ARGS__ }) / sizeof(*(l)->array),                                                    \
     (l)->array = put(l, (l)->n##array, sizeof(*(l)->array), (__typeof__(*(l)->array)[]){ __VA_ARGS__ }))

static struct mdl_lock *part(const char *label, const char *arch, const char *python)
{
    struct mdl_lock *l = mdl_lock_new();
    l->tool_version = "0.1.0";
    l->matrix_version = "2026.12.1";
    l->matrix_sha256 = SHA("c");
    l->request_json = "{\"requirements\":[\"requests\",\"numpy\"]}";
    l->targets = gf_arena_array(&l->mem, 1, sizeof *l->targets);
    l->targets[l->ntargets++] = mdl_profile_new();
    l->targets[0]->label = label;
    l->targets[0]->arch = arch;
    l->targets[0]->python_known = MDL_PRESENT;
    l->targets[0]->python_version = python;
    PUT(l, sources, { "default", "simple", "https://index.example/simple/", "used", NULL, NULL }, { "vendor", "simple", "https://v.example/", "not-asked", NULL, NULL });
    return l;
}

/* The old box: an older numpy, requests with one need more, rows of its own in every list. */
static struct mdl_lock *old_box(const char *label)
{
    struct mdl_lock *l = part(label, "x86_64", "3.9.2");
    PUT(l, stack, { .name = "requests", .version = "2.34.2" }, { .name = "numpy", .version = "2.0.2" }, { .name = "driver", .version = "535", .origin = "target" });
    PUT(l, assumes, { .about = "driver", .needs = ">=525" }, { .about = "glibc", .needs = ">=2.17" });
    PUT(l, python, idna_row(LIST("requests")), numpy_row("2.0.2", "numpy-2.0.2-cp39-cp39-manylinux2014_x86_64.whl", SHA("d")),
        requests_row(LIST("idna==3.20", "zipp==1")),
        { .name = "zipp", .version = "1", .file = "zipp-1-py3-none-any.whl", .kind = "wheel", .source = "default", .path = "z.whl", .size = -1, .required_by = LIST("requests") });
    PUT(l, reasons, { .id = "gpu-code", .text = "runs on the old card" }, { .id = "both", .text = "for both" });
    PUT(l, passed_over, { .name = "numpy", .version = "2.5", .reason = { .id = "python", .text = "needs Python >=3.12" } },
        { .name = "numpy", .version = "2.4", .reason = { .id = "python", .text = "needs Python >=3.11" } });
    l->warnings = LIST("a slow start", "for both");
    return l;
}

static struct mdl_lock *new_box(const char *label)
{
    struct mdl_lock *l = part(label, "aarch64", "3.12.1");
    PUT(l, stack, { .name = "requests", .version = "2.34.2" }, { .name = "numpy", .version = "2.5" });
    PUT(l, assumes, { .about = "glibc", .needs = ">=2.27" });
    PUT(l, python, idna_row(LIST("(request)", "requests")), numpy_row("2.5", "numpy-2.5-cp312-cp312-manylinux_2_27_aarch64.whl", SHA("e")),
        requests_row(LIST("idna==3.20")));
    PUT(l, reasons, { .id = "both", .text = "for both" });
    PUT(l, passed_over, { .name = "numpy", .version = "2.6", .reason = { .id = "yanked", .text = "was taken back" } },
        { .name = "numpy", .version = "2.5", .reason = { .id = "python", .text = "needs Python >=3.12" } });
    l->warnings = LIST("for both");
    l->sources[1].state = "unreachable";
    l->sources[1].could_change = "other builds";
    return l;
}

static struct mdl_lock *joined(struct mdl_lock *const *parts, size_t n)
{
    struct gf_err err = GF_ERR_INIT;
    struct mdl_lock *u = NULL;
    if (mdl_lock_union(parts, n, &u, &err)) fail_msg("%s", err.text);
    return u;
}

static char *written(const struct mdl_lock *l)
{
    struct gf_buf out;
    struct gf_err err = GF_ERR_INIT;
    gf_buf_init(&out, GF_CAP_LOCK);
    if (mdl_lock_write(l, &out, &err)) fail_msg("%s", err.text);
    return gf_buf_steal(&out);
}

static struct mdl_lock *parsed(const char *text)
{
    struct gf_err err = GF_ERR_INIT;
    struct mdl_lock *l = NULL;
    if (mdl_lock_parse(gf_slice_of(text), "u.lock", &l, &err)) fail_msg("%s", err.text);
    return l;
}

static void free_all(struct mdl_lock **parts, size_t n)
{
    while (n--) mdl_lock_free(parts[n]);
}

/* ---- */

static void each_part_comes_out_as_it_went_in(void **state)
{
    (void)state;
    struct mdl_lock *parts[] = { old_box("old"), new_box("new"), new_box("newer") };
    parts[2]->sources[1].state = "not-asked"; /* the sources are those of the whole run */
    struct mdl_lock *u = joined(parts, 3);
    GF_FREE char *text = written(u);
    struct mdl_lock *again = parsed(text);
    GF_FREE char *twice = written(again);
    assert_string_equal(text, twice);
    for (size_t i = 0; i < 3; i++) {
        struct mdl_lock *v = NULL;
        struct gf_err err = GF_ERR_INIT;
        parts[i]->sources = u->sources;
        GF_FREE char *own = written(parts[i]);
        if (mdl_lock_view(again, parts[i]->targets[0]->label, &v, &err)) fail_msg("%s", err.text);
        GF_FREE char *seen = written(v);
        assert_string_equal(own, seen);
        mdl_lock_free(v);
    }
    mdl_lock_free(again);
    mdl_lock_free(u);
    free_all(parts, 3);
}

static const struct mdl_lock_python *row_of(const struct mdl_lock *l, const char *file)
{
    for (size_t i = 0; i < l->npython; i++)
        if (strcmp(l->python[i].file, file) == 0) return &l->python[i];
    fail_msg("no row '%s'", file);
    return NULL;
}

static void what_is_the_same_stands_once_and_the_rest_says_for_whom(void **state)
{
    (void)state;
    struct mdl_lock *parts[] = { old_box("old"), new_box("new") };
    struct mdl_lock *u = joined(parts, 2);
    assert_int_equal(u->npython, 5); /* idna, numpy twice, requests, zipp */
    const struct mdl_lock_python *r = row_of(u, "requests-2.34.2-py3-none-any.whl");
    assert_int_equal(r->targets.n, 0);
    assert_int_equal(r->requires.n, 1);
    assert_int_equal(r->nalso, 1);
    assert_string_equal(r->also[0].targets.v[0], "old");
    assert_string_equal(r->also[0].requires.v[0], "zipp==1");
    const struct mdl_lock_python *zipp = row_of(u, "zipp-1-py3-none-any.whl");
    assert_int_equal(zipp->targets.n, 1);
    assert_string_equal(zipp->targets.v[0], "old");
    assert_int_equal(u->nsources, 2);
    assert_string_equal(u->sources[1].state, "unreachable");
    assert_string_equal(u->sources[1].could_change, "other builds");
    assert_int_equal(u->nstack, 4);
    assert_string_equal(u->stack[0].name, "requests");
    assert_int_equal(u->stack[0].targets.n, 0);
    assert_int_equal(u->warnings.n, 1);
    assert_int_equal(u->nwarnings_for, 1);
    assert_string_equal(u->warnings_for[0].targets.v[0], "old");
    assert_int_equal(u->npassed_over, 3);
    assert_true(mdl_is_for(&u->stack[0].targets, "old"));
    mdl_lock_free(u);
    free_all(parts, 2);
}

static char *without_targets(const char *text)
{
    const char *from = strstr(text, "\"targets\": ["), *to = strstr(text, "\"request\": {");
    char *seal = strstr(text, "\"seal\": ");
    assert_non_null(from);
    assert_non_null(to);
    return gf_xasprintf("%.*s%.*s", (int)(from - text), text, (int)(seal - to), to);
}

static void the_order_of_the_parts_orders_the_targets_and_nothing_else(void **state)
{
    (void)state;
    struct mdl_lock *parts[] = { old_box("old"), new_box("new"), old_box("a"), new_box("z") };
    static const int orders[][4] = { { 0, 1, 2, 3 }, { 3, 2, 1, 0 }, { 2, 0, 3, 1 } };
    GF_FREE char *first = NULL;
    for (size_t i = 0; i < 3; i++) {
        struct mdl_lock *in[4];
        for (size_t k = 0; k < 4; k++) in[k] = parts[orders[i][k]];
        struct mdl_lock *u = joined(in, 4);
        for (size_t k = 0; k < 4; k++) assert_string_equal(u->targets[k]->label, in[k]->targets[0]->label);
        GF_FREE char *text = written(u);
        char *rest = without_targets(text);
        if (first) assert_string_equal(first, rest);
        if (first) free(rest);
        else first = rest;
        mdl_lock_free(u);
    }
    free_all(parts, 4);
}

static void machines_go_by_the_name_of_their_target(void **state)
{
    (void)state;
    struct mdl_lock *parts[] = { old_box("node1"), new_box("node2") };
    PUT(parts[0], machines, { "node1", LIST("node1", "node3", "node5") });
    struct mdl_lock *u = joined(parts, 2), *v = NULL;
    GF_FREE char *text = written(u);
    struct mdl_lock *again = parsed(text);
    assert_string_equal(mdl_lock_target_of(again, "node5"), "node1");
    assert_string_equal(mdl_lock_target_of(again, "node2"), "node2");
    assert_null(mdl_lock_target_of(again, "node4"));
    struct gf_err err = GF_ERR_INIT;
    assert_int_equal(mdl_lock_view(again, "node3", &v, &err), 0);
    assert_string_equal(v->targets[0]->label, "node1");
    assert_int_equal(v->nmachines, 1);
    mdl_lock_free(v);
    assert_int_equal(mdl_lock_view(again, "node4", &v, &err), -1);
    assert_non_null(strstr(err.text, "for no target 'node4'"));
    mdl_lock_free(again);
    mdl_lock_free(u);
    free_all(parts, 2);
}

static void cannot_join(struct mdl_lock *a, struct mdl_lock *b, const char *words)
{
    struct mdl_lock *parts[] = { a, b }, *u = NULL;
    struct gf_err err = GF_ERR_INIT;
    assert_int_equal(mdl_lock_union(parts, 2, &u, &err), -1);
    assert_int_equal(err.code, GF_E_USAGE);
    if (!strstr(err.text, words)) fail_msg("'%s' should say '%s'", err.text, words);
    free_all(parts, 2);
}

static void what_cannot_stand_in_one_document_is_refused(void **state)
{
    (void)state;
    cannot_join(old_box("a"), new_box("a"), "two targets have the label 'a'");
    cannot_join(old_box("a"), new_box("b/c"), "'b/c' cannot be the label");
    cannot_join(old_box("a"), new_box("'"), "cannot be the label");
    cannot_join(old_box("a"), new_box(NULL), "part 2");
    struct mdl_lock *other = new_box("b");
    other->python[2].sha256 = SHA("f");
    cannot_join(old_box("a"), other, "'requests-2.34.2-py3-none-any.whl' is another file for b than for a");
    other = new_box("b");
    other->request_json = "{}";
    cannot_join(old_box("a"), other, "another request");
    other = new_box("b");
    other->sources[0].base = "https://other.example/";
    cannot_join(old_box("a"), other, "the source 'default' is");
}

static void a_digest_that_one_part_knows_counts_for_all(void **state)
{
    (void)state;
    struct mdl_lock *parts[] = { old_box("a"), new_box("b") };
    parts[0]->python[0].sha256 = NULL;
    parts[0]->python[0].size = -1;
    struct mdl_lock *u = joined(parts, 2);
    assert_string_equal(row_of(u, "idna-3.20-py3-none-any.whl")->sha256, SHA("b"));
    assert_int_equal(row_of(u, "idna-3.20-py3-none-any.whl")->size, 20);
    mdl_lock_free(u);
    free_all(parts, 2);
}

/* The text with one place changed and a seal that is right for it. */
static char *forged(const char *text, const char *old, const char *with)
{
    const char *at = strstr(text, old);
    if (!at) fail_msg("'%s' is not there", old);
    char *out = gf_xasprintf("%.*s%s%s", (int)(at - text), text, with, at + strlen(old));
    struct gf_json_doc *doc = NULL;
    assert_int_equal(gf_json_parse(gf_slice_of(out), "x", &doc, NULL), 0);
    char seal[GF_SHA256_HEX];
    mdl_lock_seal(gf_json_root(doc), seal);
    memcpy(strstr(out, "\"seal\": \"") + 9, seal, 64);
    gf_json_free(doc);
    return out;
}

static void hostile_ones_are_refused_with_their_place(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        { "\"label\": \"old\"", "\"label\": \"o/d\"", "/targets/0/label: \"o/d\" is no label" },
        { "\"label\": \"old\"", "\"label\": \"../old\"", "is no label" },
        { "\"label\": \"old\"", "\"label\": \".old\"", "is no label" },
        { "\"label\": \"old\"", "\"label\": \"o'd\"", "is no label" },
        { "\"label\": \"old\"", "\"label\": \"o\\\"d\"", "is no label" },
        { "\"label\": \"old\"", "\"label\": \"\"", "is no label" },
        { "\"label\": \"old\"", "\"label\": \"new\"", "stands in the lock twice" },
        { "\"label\": \"old\",", "", "/targets/0/label: a lock for several targets tells each by a label" },
        { "\"target\": \"old\"", "\"target\": \"who\"", "/machines/0/target: the lock has no target \"who\"" },
        { "\"old2\"", "\"new\"", "/machines/0/names: \"new\" stands for two machines" },
        { "\"old2\"", "\"old\"", "stands for two machines" },
        { "\"old2\"", "\"$(x)\"", "is no name of a machine" },
        { "\"for\": [\n        \"old\"\n      ]", "\"for\": [\"nobody\"]", "/stack/2/for: the lock has no target \"nobody\"" },
        { "\"for\": [\n        \"old\"\n      ]", "\"for\": [\"old\", \"new\"]", "/stack/2/for: \"new\" stands behind \"old\"" },
        { "\"for\": [\n        \"old\"\n      ]", "\"for\": [\"old\", \"old\"]", "/stack/2/for: \"old\" stands behind \"old\"" },
        { "\"for\": [\n            \"old\"\n          ]", "\"for\": []", "/python/3/also/0/for: it says for no target what it adds" },
        { "\"for\": [\n            \"old\"\n          ]", "\"for\": [\"nobody\"]", "/python/3/also/0/for: the lock has no target" },
        { "\"for\": [\n            \"old\"\n          ]", "\"for\": 7", "/python/3/also/0/for: an array of strings was expected" },
        { "\"also\": [", "\"also\": [7, ", "/python/0/also/0: an object was expected" },
        { "\"also\": [", "\"also\": 1, \"x\": [", "/python/0/x: this key is not part of" },
        { "\"text\": \"a slow start\"", "\"text\": 7", "/warnings_for/0/text: a string was expected" },
        { "\"zipp-1-py3-none-any.whl\"", "\"idna-3.20-py3-none-any.whl\"", "stands in the lock twice" },
    };
    struct mdl_lock *parts[] = { old_box("old"), new_box("new") };
    PUT(parts[0], machines, { "old", LIST("old", "old2") });
    struct mdl_lock *u = joined(parts, 2);
    GF_FREE char *text = written(u);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        GF_FREE char *changed = forged(text, cases[i][0], cases[i][1]);
        struct mdl_lock *l = NULL;
        struct gf_err err = GF_ERR_INIT;
        if (mdl_lock_parse(gf_slice_of(changed), "u.lock", &l, &err) != -1 || err.code != GF_E_PARSE || !strstr(err.text, cases[i][2]))
            fail_msg("%s: '%s' should say '%s'", cases[i][1], err.text, cases[i][2]);
    }
    mdl_lock_free(u);
    free_all(parts, 2);
}

static void a_lock_for_one_target_has_none_of_the_keys_for_several(void **state)
{
    (void)state;
    struct mdl_lock *one = old_box("one");
    struct mdl_lock *u = joined(&one, 1);
    GF_FREE char *own = written(one);
    GF_FREE char *text = written(u);
    assert_string_equal(own, text);
    assert_null(strstr(text, "\"also\""));
    assert_null(strstr(text, "warnings_for"));
    assert_null(strstr(text, "machines"));
    GF_FREE char *nobody = forged(text, "\"for\": []", "\"for\": [\"two\"]");
    struct mdl_lock *l = NULL;
    assert_int_equal(mdl_lock_parse(gf_slice_of(nobody), "u.lock", &l, NULL), -1);
    mdl_lock_free(u);
    mdl_lock_free(one);
}

static void a_frame_writes_what_the_whole_writes(void **state)
{
    (void)state;
    struct mdl_lock *a = old_box("a"), *b = old_box("b");
    b->targets[0]->kernel = "6.1";
    struct mdl_lock_frame frame;
    struct gf_err err = GF_ERR_INIT;
    if (mdl_lock_frame_init(&frame, a, &err)) fail_msg("%s", err.text);
    struct mdl_lock *both[] = { a, b };
    for (size_t i = 0; i < 2; i++) {
        GF_BUF_SCOPE struct gf_buf out;
        gf_buf_init(&out, GF_CAP_LOCK);
        if (mdl_lock_frame_write(&frame, both[i]->targets[0], &out, &err)) fail_msg("%s", err.text);
        GF_FREE char *whole = written(both[i]);
        assert_string_equal(gf_buf_str(&out), whole);
    }
    mdl_lock_frame_release(&frame);
    mdl_lock_free(a);
    mdl_lock_free(b);
}

static struct mdl_lock_python setuptools_row(struct mdl_strings by)
{
    return (struct mdl_lock_python){ .name = "setuptools", .version = "84.0", .file = "setuptools-84.0-py3-none-any.whl", .kind = "wheel", .source = "default", .path = "s.whl",
                                     .sha256 = SHA("f"), .size = 50, .required_by = by };
}

static struct mdl_lock_python archive_row(struct mdl_strings build)
{
    return (struct mdl_lock_python){ .name = "ext", .version = "1.0", .file = "ext-1.0.tar.gz", .kind = "sdist", .source = "default", .path = "ext.tar.gz", .sha256 = SHA("9"),
                                     .size = 7, .required_by = LIST("(request)"), .build = build };
}

/* setuptools builds for the first target, is installed on the second, and of the third an older one builds. */
static void what_builds_for_one_may_be_installed_on_another(void **state)
{
    (void)state;
    struct mdl_lock *parts[] = { old_box("a"), new_box("b"), new_box("c") };
    PUT(parts[0], python, archive_row(LIST("setuptools==84.0")));
    PUT(parts[0], build, setuptools_row(LIST("ext")));
    PUT(parts[1], python, archive_row(LIST("setuptools==84.0")), setuptools_row(LIST("(request)")));
    PUT(parts[2], python, archive_row(LIST("setuptools==60.0")));
    PUT(parts[2], build,
        { .name = "setuptools", .version = "60.0", .file = "setuptools-60.0-py3-none-any.whl", .kind = "wheel", .source = "default", .path = "o.whl", .size = -1, .required_by = LIST("ext") });
    struct mdl_lock *u = joined(parts, 3);
    GF_FREE char *text = written(u);
    struct mdl_lock *again = parsed(text);
    assert_int_equal(again->nbuild, 2);
    for (size_t i = 0; i < 3; i++) {
        struct mdl_lock *view = NULL;
        struct gf_err err = GF_ERR_INIT;
        assert_int_equal(mdl_lock_view(again, parts[i]->targets[0]->label, &view, &err), 0);
        assert_int_equal(view->npython, parts[i]->npython);
        assert_int_equal(view->nbuild, parts[i]->nbuild);
        assert_string_equal(view->python[0].build.v[0], parts[i]->python[0].build.v[0]);
        if (view->nbuild) assert_string_equal(view->build[0].file, parts[i]->build[0].file);
        mdl_lock_free(view);
    }
    mdl_lock_free(again);
    mdl_lock_free(u);
    free_all(parts, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_part_comes_out_as_it_went_in),
        cmocka_unit_test(what_is_the_same_stands_once_and_the_rest_says_for_whom),
        cmocka_unit_test(the_order_of_the_parts_orders_the_targets_and_nothing_else),
        cmocka_unit_test(machines_go_by_the_name_of_their_target),
        cmocka_unit_test(what_cannot_stand_in_one_document_is_refused),
        cmocka_unit_test(a_digest_that_one_part_knows_counts_for_all),
        cmocka_unit_test(hostile_ones_are_refused_with_their_place),
        cmocka_unit_test(a_lock_for_one_target_has_none_of_the_keys_for_several),
        cmocka_unit_test(what_builds_for_one_may_be_installed_on_another),
        cmocka_unit_test(a_frame_writes_what_the_whole_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
