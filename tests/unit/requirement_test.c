#include "python/requirement.h"
#include "base/buf.h"
#include "base/limits.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct gf_arena arena;

static struct py_req req(const char *text, bool lenient)
{
    struct py_req r;
    struct gf_err err = GF_ERR_INIT;
    if (py_req_parse(&arena, gf_slice_of(text), lenient, &r, &err)) fail_msg("%s", err.text);
    return r;
}

static void requirements_print_canonically(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        { "Torch", "torch" },
        { "cuda-toolkit[cublas, Cudart]==13.2.2; platform_system == 'Linux'", "cuda-toolkit[cublas,cudart]==13.2.2; platform_system == \"Linux\"" },
        { "a ( >=1 , <2 )", "a<2,>=1" },
        { "a[]", "a" },
        { "a@https://h/x-1.whl#sha256=00 ; extra=='x'", "a @ https://h/x-1.whl#sha256=00 ; extra == \"x\"" },
        { "a>=1;python_version<'3'", "a>=1; python_version < \"3\"" },
        { "a===x.y!z", "a===x.y!z" },
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct py_req r = req(pairs[i][0], false);
        assert_string_equal(py_req_text(&arena, &r), pairs[i][1]);
    }
}

static void old_metadata_is_mended(void **state)
{
    (void)state;
    static const char *const pairs[][2] = { { "foo (>=1.0.*)", "foo>=1.0" }, { "foo>=1.0<2", "foo<2,>=1.0" }, { "foo (>=1.0,)", "foo>=1.0" }, { "foo >= '1.0'", "foo>=1.0" }, { "foo (*)", "foo" } };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct py_req r = req(pairs[i][0], true);
        assert_string_equal(py_req_text(&arena, &r), pairs[i][1]);
    }
}

static void refuses(const char *text, const char *part)
{
    struct py_req r;
    struct gf_err err = GF_ERR_INIT;
    if (!py_req_parse(&arena, gf_slice_of(text), false, &r, &err)) fail_msg("'%s' should be refused", text);
    if (!strstr(err.text, part)) fail_msg("'%s' should say '%s'", err.text, part);
}

static void refusals_name_the_place(void **state)
{
    (void)state;
    refuses("", "is empty");
    refuses("==1", "expected a package name at column 1");
    refuses("a[b", "expected ',' or ']' behind an extra at its end");
    refuses("a[b c]", "expected ',' or ']' behind an extra at column 5");
    refuses("a[,b]", "expected the name of an extra or ']' at column 3");
    refuses("a (>=1", "closing ')'");
    refuses("a >1.0.*", "expected version specifiers like >=1.0,<2");
    refuses("a @", "expected a URL");
    refuses("a; os_nam == 'x'", "requirement 'a; os_nam == 'x'': marker");
    refuses("a b", "found 'b'");
}

static void metadata_is_read_to_the_first_blank_line(void **state)
{
    (void)state;
    const char *text = "Metadata-Version: 2.1\r\nName: Foo.Bar\r\nVersion: 1.0\r\nSummary: a\r\n  long one\r\nLicense: MIT\r\nRequires-Dist: torch (>=2.0)\r\n"
                       "Requires-Dist: numpy<2; extra == 'np'\r\nProvides-Extra: NP_x\r\nRequires-Python: >=3.9\r\nDynamic: requires-dist\r\n\r\nRequires-Dist: not-this\r\n";
    struct py_metadata m;
    assert_int_equal(py_metadata_parse(&arena, gf_slice_of(text), "METADATA", NULL, &m, NULL), 0);
    assert_string_equal(m.name, "Foo.Bar");
    assert_string_equal(m.version, "1.0");
    assert_string_equal(m.license, "MIT");
    assert_string_equal(m.requires_python, ">=3.9");
    assert_int_equal(m.nrequires, 2);
    assert_string_equal(m.requires[0].name, "torch");
    assert_non_null(m.requires[1].marker);
    assert_int_equal(m.nextras, 1);
    assert_string_equal(m.extras[0], "np-x");
    assert_true(m.dynamic_requires);
}

static void count(void *arg, int level, const char *text)
{
    (void)level;
    assert_non_null(strstr(text, "%%%"));
    ++*(int *)arg;
}

static void bad_requirements_are_an_error_or_named_and_skipped(void **state)
{
    (void)state;
    gf_slice text = GF_S("Name: a\nVersion: 1\nRequires-Dist: %%%\nRequires-Dist: b\n");
    struct py_metadata m;
    struct gf_err err = GF_ERR_INIT;
    assert_int_equal(py_metadata_parse(&arena, text, "x.whl", NULL, &m, &err), -1);
    assert_string_equal(err.text, "x.whl: requirement '%%%': expected a package name at column 1, found '%%%'");
    int seen = 0;
    struct gf_log log = { count, &seen };
    assert_int_equal(py_metadata_parse(&arena, text, "x.whl", &log, &m, NULL), 0);
    assert_int_equal(seen, 1);
    assert_int_equal(m.skipped, 1);
    assert_int_equal(m.nrequires, 1);
    assert_int_equal(py_metadata_parse(&arena, GF_S("<html>\n"), "x.whl", NULL, &m, &err), -1);
    assert_string_equal(err.text, "x.whl: no Name: field, so this is no package metadata");
    static const char *const heads[] = { "Requires-Dist", "Build-Requires" };
    for (size_t i = 0; i < 2; i++) { /* nothing real names so many, and each would be asked for */
        struct gf_buf many;
        gf_buf_init(&many, GF_CAP_METADATA);
        gf_buf_adds(&many, "Name: x\nVersion: 1\n");
        for (unsigned n = 0; n < GF_CAP_REQUIREMENTS; n++) gf_buf_addf(&many, "%s: p%u\n", heads[i], n);
        assert_int_equal(py_metadata_parse(&arena, gf_buf_slice(&many), "x.whl", NULL, &m, &err), 0);
        gf_buf_addf(&many, "%s: more\n", heads[i]);
        assert_int_equal(py_metadata_parse(&arena, gf_buf_slice(&many), "x.whl", &log, &m, &err), -1);
        assert_int_equal(err.code, GF_E_LIMIT);
        gf_buf_release(&many);
    }
}

static int release(void **state)
{
    (void)state;
    gf_arena_release(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requirements_print_canonically),
        cmocka_unit_test(old_metadata_is_mended),
        cmocka_unit_test(refusals_name_the_place),
        cmocka_unit_test(metadata_is_read_to_the_first_blank_line),
        cmocka_unit_test(bad_requirements_are_an_error_or_named_and_skipped),
    };
    return cmocka_run_group_tests(tests, NULL, release);
}
