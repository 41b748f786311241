#include "base/json.h"
#include "model/lock.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static const char *const torch_needs[] = { "numpy==2.3.5" };
static const char *const asked[] = { "(request)" };
static struct mdl_lock_python python_rows[] = {
    { .name = "torch", .version = "2.10.0", .file = "torch-2.10.0-3-cp311-cp311-manylinux_2_28_x86_64.whl", .kind = "wheel", .source = "default",
      .path = "ab/torch-2.10.0-3-cp311-cp311-manylinux_2_28_x86_64.whl", .sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
      .size = 915735221, .requires = { torch_needs, 1 }, .required_by = { asked, 1 } },
    { .name = "numpy", .version = "2.3.5", .file = "numpy-2.3.5-cp311-cp311-manylinux_2_27_x86_64.whl", .kind = "wheel", .source = "default",
      .path = "numpy.whl", .size = -1 },
};
static struct mdl_lock_source source_rows[] = { { "default", "simple", "https://index.example/simple/", "used", "2026-12-01T00:00:00Z", NULL } };
static struct mdl_lock_item stack_rows[] = { { .name = "torch", .version = "2.10.0", .variant = "cu128" }, { .name = "driver", .origin = "target" } };
static struct mdl_lock_assume assume_rows[] = { { .about = "driver", .needs = ">=525.60.13", .rule = "cuda-minor", .source = "nvidia-cuda-release-notes" } };
static const struct mdl_reason_arg args[] = { { "driver", "535.309.01" }, { "text", "a \"quoted\"\nline" } };
static struct mdl_reason reason_rows[] = { { .id = "cuda-needs-driver", .text = "CUDA 13 needs driver >= 580.65.06.", .args = args, .nargs = 2, .sources = { asked, 1 } } };
static struct mdl_passed_over passed_rows[] = { { .name = "torch", .version = "2.11.0", .reason = { .id = "cuda-needs-driver", .text = "…", .args = args, .nargs = 1 } } };

static struct mdl_lock *sample(void)
{
    struct mdl_lock *l = mdl_lock_new();
    l->tool_version = "0.1.0";
    l->matrix_version = "2026.12.1";
    l->matrix_sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    l->targets = gf_arena_array(&l->mem, 1, sizeof *l->targets);
    l->targets[l->ntargets++] = mdl_profile_new();
    l->targets[0]->arch = "x86_64";
    l->targets[0]->python_known = MDL_PRESENT;
    l->targets[0]->python_version = "3.11.2";
    l->request_json = "{\"requirements\":[\"torch\"]}";
    l->sources = source_rows, l->nsources = 1;
    l->stack = stack_rows, l->nstack = 2;
    l->assumes = assume_rows, l->nassumes = 1;
    l->python = python_rows, l->npython = 2;
    l->reasons = reason_rows, l->nreasons = 1;
    l->passed_over = passed_rows, l->npassed_over = 1;
    return l;
}

static char *written(const struct mdl_lock *l)
{
    struct gf_buf out;
    gf_buf_init(&out, GF_CAP_LOCK);
    assert_int_equal(mdl_lock_write(l, &out, NULL), 0);
    return gf_buf_steal(&out);
}

static char *replaced(const char *text, const char *old, const char *with)
{
    const char *at = strstr(text, old);
    assert_non_null(at);
    return gf_xasprintf("%.*s%s%s", (int)(at - text), text, with, at + strlen(old));
}

/* The text with a seal that is right for what it says now. */
static char *sealed(const char *text)
{
    struct gf_json_doc *doc = NULL;
    assert_int_equal(gf_json_parse(gf_slice_of(text), "x", &doc, NULL), 0);
    char seal[GF_SHA256_HEX];
    mdl_lock_seal(gf_json_root(doc), seal);
    char *out = gf_xstrdup(text), *at = strstr(out, "\"seal\": \"");
    memcpy(at + 9, seal, 64);
    gf_json_free(doc);
    return out;
}

static void refuses(const char *text, enum gf_code code, const char *part)
{
    struct gf_err err = GF_ERR_INIT;
    struct mdl_lock *l = NULL;
    assert_int_equal(mdl_lock_parse(gf_slice_of(text), "x.lock", &l, &err), -1);
    assert_null(l);
    if (err.code != code || !strstr(err.text, part)) fail_msg("%s '%s' should be %s and say '%s'", gf_code_name(err.code), err.text, gf_code_name(code), part);
}

static void what_was_written_reads_back_the_same(void **state)
{
    (void)state;
    struct mdl_lock *l = sample(), *again = NULL;
    GF_FREE char *text = written(l);
    struct gf_err err = GF_ERR_INIT;
    if (mdl_lock_parse(gf_slice_of(text), "x.lock", &again, &err)) fail_msg("%s", err.text);
    assert_int_equal(again->npython, 2);
    assert_string_equal(again->python[0].requires.v[0], "numpy==2.3.5");
    assert_int_equal(again->python[1].size, -1);
    assert_null(again->python[1].sha256);
    assert_null(again->stack[1].version);
    assert_string_equal(again->reasons[0].args[1].value, "a \"quoted\"\nline");
    assert_string_equal(again->targets[0]->python_version, "3.11.2");
    GF_FREE char *twice = written(again);
    assert_string_equal(text, twice);
    mdl_lock_free(l);
    mdl_lock_free(again);
}

static void keys_stand_in_the_order_of_the_design(void **state)
{
    (void)state;
    struct mdl_lock *l = sample();
    GF_FREE char *text = written(l);
    static const char *const keys[] = { "schema", "tool", "matrix", "targets", "request", "sources", "stack", "assumes", "python",
                                        "os", "files", "reasons", "passed_over", "warnings", "seal" };
    const char *at = text;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        GF_FREE char *key = gf_xasprintf("\n  \"%s\": ", keys[i]);
        at = strstr(at, key);
        if (!at) fail_msg("\"%s\" is missing or out of order", keys[i]);
    }
    mdl_lock_free(l);
}

static void a_change_by_hand_breaks_the_seal(void **state)
{
    (void)state;
    struct mdl_lock *l = sample();
    GF_FREE char *text = written(l);
    GF_FREE char *other = replaced(text, "\"2.10.0\"", "\"2.11.0\"");
    refuses(other, GF_E_INTEGRITY, "run 'gpuferry plan' again");
    GF_FREE char *bare = replaced(text, "\"seal\"", "\"sael\"");
    refuses(bare, GF_E_INTEGRITY, "has no seal");
    GF_FREE char *spaced = replaced(text, "\"python\": [", "\"python\":   [");
    struct mdl_lock *same = NULL; /* blanks are not content */
    assert_int_equal(mdl_lock_parse(gf_slice_of(spaced), "x.lock", &same, NULL), 0);
    mdl_lock_free(same);
    mdl_lock_free(l);
}

static void strange_values_are_named_with_their_place(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        { "\"gpuferry.lock/1\"", "\"gpuferry.lock/9\"", "this program reads \"gpuferry.lock/1\"" },
        { "\"kind\": \"wheel\"", "\"kind\": \"egg\"", "'x.lock' at /python/0/kind: \"egg\" is neither" },
        { "\"kind\": \"wheel\"", "\"kind\": 7", "'x.lock' at /python/0/kind: a string was expected, a number is there" },
        { "\"torch-2.10.0-3-cp311", "\"../torch-2.10.0-3-cp311", "at /python/0/file: \"../torch" },
        { "\"torch-2.10.0-3-cp311", "\"a b'$(x)", "is not a safe file name" },
        { "\"name\": \"numpy\"", "\"name\": \"num py\"", "at /python/1/name" },
        { "\"name\": \"numpy\"", "\"name\": \"--numpy\"", "at /python/1/name" },
        { "\"size\": null", "\"size\": -5", "at /python/1/size" },
        { "\"size\": null", "\"size\": 1.5", "at /python/1/size" },
        { "\"size\": null", "\"size\": \"7\"", "at /python/1/size" },
        { "\"sha256\": null", "\"sha256\": \"abc\"", "not a sha256 of 64" },
        { "\"extras\": []", "\"extras\": [1]", "at /python/0/extras: element 0" },
        { "\"extras\": []", "\"extras\": \"a\"", "an array of strings was expected, a string is there" },
        { "\"rule\": ", "\"rulez\": ", "'x.lock' at /assumes/0/rulez: this key is not part of" },
        { "\"warnings\": []", "\"more\": 1, \"warnings\": []", "at /more" },
        { "\"os\": []", "\"os\": {}", "at /os: an array was expected, an object is there" },
        { "\"requirements\"", "\"requirements\": 1, \"x\"", NULL },
        { "\"numpy-2.3.5-cp311-cp311-manylinux_2_27_x86_64.whl\"", "\"torch-2.10.0-3-cp311-cp311-manylinux_2_28_x86_64.whl\"", "stands in the lock twice" },
    };
    struct mdl_lock *l = sample();
    GF_FREE char *text = written(l);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        GF_FREE char *changed = replaced(text, cases[i][0], cases[i][1]);
        GF_FREE char *whole = sealed(changed);
        struct mdl_lock *ok = NULL;
        if (cases[i][2]) refuses(whole, GF_E_PARSE, cases[i][2]);
        else assert_int_equal(mdl_lock_parse(gf_slice_of(whole), "x.lock", &ok, NULL), 0);
        mdl_lock_free(ok);
    }
    refuses("[]", GF_E_PARSE, "is not a lock");
    refuses("{", GF_E_PARSE, "not JSON");
    mdl_lock_free(l);
}

static const char *const builds_with[] = { "numpy==2.3.5", "setuptools==84.0" }, *const ext[] = { "ext" };
static struct mdl_lock_python archive_rows[] = {
    { .name = "ext", .version = "1.0", .file = "ext-1.0.tar.gz", .kind = "sdist", .source = "default", .path = "ext.tar.gz", .size = 7, .build = { builds_with, 2 } },
    { .name = "numpy", .version = "2.3.5", .file = "numpy-2.3.5-py3-none-any.whl", .kind = "wheel", .source = "default", .path = "numpy.whl", .size = -1 },
};
static struct mdl_lock_python build_rows[] = {
    { .name = "setuptools", .version = "84.0", .file = "setuptools-84.0-py3-none-any.whl", .kind = "wheel", .source = "default", .path = "s.whl", .size = 9, .required_by = { ext, 1 } },
};

static void archives_name_what_builds_them(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        { "\"setuptools==84.0\"", "\"setuptools==85.0\"", "at /python/0/build: \"setuptools==85.0\" is neither in /python nor in /build" },
        { "\"setuptools-84.0-py3-none-any.whl\"", "\"numpy-2.3.5-py3-none-any.whl\"", "at /build/0/file: \"numpy-2.3.5-py3-none-any.whl\" stands in the lock twice" },
        { "\"setuptools-84.0-py3-none-any.whl\"", "\"../x.whl\"", "at /build/0/file" },
    };
    struct mdl_lock *l = sample(), *again = NULL;
    l->python = archive_rows;
    l->build = build_rows, l->nbuild = 1;
    GF_FREE char *text = written(l);
    struct gf_err err = GF_ERR_INIT;
    if (mdl_lock_parse(gf_slice_of(text), "x.lock", &again, &err)) fail_msg("%s", err.text);
    assert_int_equal(again->nbuild, 1);
    assert_string_equal(again->python[0].build.v[1], "setuptools==84.0");
    assert_int_equal(again->python[1].build.n, 0);
    GF_FREE char *twice = written(again);
    assert_string_equal(text, twice);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        GF_FREE char *changed = replaced(text, cases[i][0], cases[i][1]);
        GF_FREE char *whole = sealed(changed);
        refuses(whole, GF_E_PARSE, cases[i][2]);
    }
    mdl_lock_free(l);
    mdl_lock_free(again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_reads_back_the_same),
        cmocka_unit_test(keys_stand_in_the_order_of_the_design),
        cmocka_unit_test(a_change_by_hand_breaks_the_seal),
        cmocka_unit_test(archives_name_what_builds_them),
        cmocka_unit_test(strange_values_are_named_with_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
