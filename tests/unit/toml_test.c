#include "python/toml.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct gf_arena arena;

static void values_are_read(void **state)
{
    (void)state;
    const struct py_toml *doc = NULL;
    struct gf_err err = GF_ERR_INIT;
    gf_slice text = GF_S("title = \"T\\u00e9\"\n[project]\ndependencies = [\n  'a', # one\n  \"b\",\n]\nn = 0x1F\nf = -1.5e3\nok = true\nwhen = 2026-12-01 02:03:04z\n[[package]]\nname = 'x'\n[[package]]\nname = 'y'\n");
    if (py_toml_parse(&arena, text, "t.toml", &doc, &err)) fail_msg("%s", err.text);
    assert_string_equal(py_toml_cstr(py_toml_get(doc, "title")), "T\xC3\xA9");
    const struct py_toml *project = py_toml_get(doc, "project"), *deps = py_toml_get(project, "dependencies");
    assert_int_equal(py_toml_count(deps), 2);
    assert_string_equal(py_toml_cstr(py_toml_next(py_toml_first(deps))), "b");
    assert_int_equal(py_toml_line(py_toml_first(deps)), 4);
    int64_t n;
    double f;
    bool ok;
    assert_true(py_toml_int(py_toml_get(project, "n"), &n) && n == 31);
    assert_true(py_toml_float(py_toml_get(project, "f"), &f) && f < -1499.9 && f > -1500.1);
    assert_true(py_toml_bool(py_toml_get(project, "ok"), &ok) && ok);
    assert_true(gf_slice_is(py_toml_text(py_toml_get(project, "when")), "2026-12-01T02:03:04Z"));
    assert_int_equal(py_toml_type(py_toml_get(doc, "package")), PY_TOML_ARRAY);
    assert_null(py_toml_get(doc, "absent"));
    assert_null(py_toml_cstr(py_toml_get(project, "n")));
    assert_string_equal(py_toml_type_name(deps), "an array");
}

static void refuses(const char *text, const char *part)
{
    const struct py_toml *doc = NULL;
    struct gf_err err = GF_ERR_INIT;
    assert_int_equal(py_toml_parse(&arena, gf_slice_of(text), "t.toml", &doc, &err), -1);
    assert_null(doc);
    if (!strstr(err.text, part)) fail_msg("'%s' should say '%s'", err.text, part);
}

static void refusals_name_line_and_column(void **state)
{
    (void)state;
    refuses("a = 1\nb 2\n", "t.toml:2:3: expected '=' behind the key, found '2'");
    refuses("a = 1\na = 2\n", "t.toml:2:1: expected a key that is not defined yet, found 'a = 2'");
    refuses("[a]\n[a]\n", "t.toml:2:1: expected a table that is not defined yet");
    refuses("a = \"x\n\"", "t.toml:1:7: expected the closing quote on the same line");
    refuses("a = 01", "t.toml:1:5: expected a value");
    refuses("a = 2026-02-29", "t.toml:1:5: expected a value");
    refuses("a = {b = 1,}", "t.toml:1:12: expected a key");
    refuses("a = 1\n\n\xFF", "t.toml:3:1: expected UTF-8");
    refuses("a = 9223372036854775808", "expected a value");
    GF_FREE char *deep = gf_xcalloc(1, 1000);
    memset(deep, '[', 999);
    deep[0] = 'a';
    deep[1] = '=';
    refuses(deep, "nested less deeply");
}

static void strings_are_written_so_that_they_read_back(void **state)
{
    (void)state;
    GF_BUF_SCOPE struct gf_buf out;
    gf_buf_init(&out, 1000);
    gf_buf_adds(&out, "s = ");
    py_toml_put_string(&out, gf_slice_n("a\"\\\n\t\x01\x7f\0é", 10));
    assert_string_equal(gf_buf_str(&out), "s = \"a\\\"\\\\\\n\\t\\u0001\\u007F\\u0000é\"");
    const struct py_toml *doc = NULL;
    assert_int_equal(py_toml_parse(&arena, gf_buf_slice(&out), "t", &doc, NULL), 0);
    assert_true(gf_slice_eq(py_toml_text(py_toml_get(doc, "s")), gf_slice_n("a\"\\\n\t\x01\x7f\0é", 10)));
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
        cmocka_unit_test(values_are_read),
        cmocka_unit_test(refusals_name_line_and_column),
        cmocka_unit_test(strings_are_written_so_that_they_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, release);
}
