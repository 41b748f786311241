#include "python/version.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct gf_arena arena;

static struct py_version version(const char *text)
{
    struct py_version v;
    if (!py_version_parse(&arena, gf_slice_of(text), &v)) fail_msg("'%s' should be a version", text);
    return v;
}

static void spellings_become_canonical(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        { "1.0", "1.0" }, { " v1.0 ", "1.0" }, { "01.002", "1.2" }, { "1!2.0", "1!2.0" }, { "0!1", "1" }, { "1.0ALPHA", "1.0a0" },
        { "1.0-c.3", "1.0rc3" }, { "1.0_preview_3", "1.0rc3" }, { "1.0-1", "1.0.post1" }, { "1.0r4", "1.0.post4" }, { "1.0.rev", "1.0.post0" },
        { "1.0dev", "1.0.dev0" }, { "1.0a.dev1", "1.0a0.dev1" }, { "1.0a-", "1.0a0" }, { "1.0+Ubuntu-001_X", "1.0+ubuntu.1.x" },
        { "2.10.0+cu128", "2.10.0+cu128" }, { "1.0a1.post2.dev3+x", "1.0a1.post2.dev3+x" },
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) assert_string_equal(version(pairs[i][0]).text, pairs[i][1]);
}

static void what_is_no_version_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = { "", " ", "x", "1.", "1..0", "1.0+", "1.0+a+b", "1.0+a..b", "1.0 1", "1!", "!1", "1.0-", "1.0.x", "1.0+\xC3\xA4",
                                       "99999999999999999999", "1.0.post99999999999999999999" };
    struct py_version v;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (py_version_parse(&arena, gf_slice_of(bad[i]), &v)) fail_msg("'%s' should be refused", bad[i]);
}

static void order_is_that_of_pep440(void **state)
{
    (void)state;
    static const char *const ordered[] = { "1.dev0", "1.0.dev456", "1.0a1", "1.0a2.dev456", "1.0a2", "1.0b1.dev1", "1.0b2", "1.0b2.post345.dev456", "1.0b2.post345",
                                           "1.0rc1", "1.0", "1.0+abc", "1.0+abc.7", "1.0+5", "1.0+5.0", "1.0.post456.dev34", "1.0.post456", "1.1.dev1", "1.10", "1!0.1" };
    size_t n = sizeof ordered / sizeof *ordered;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            struct py_version a = version(ordered[i]), b = version(ordered[j]);
            int c = py_version_cmp(&a, &b), want = (i > j) - (i < j);
            if ((c > 0) - (c < 0) != want) fail_msg("%s against %s gives %d", ordered[i], ordered[j], c);
        }
    struct py_version a = version("1.0.0"), b = version("1");
    assert_int_equal(py_version_cmp(&a, &b), 0);
}

static void local_parts_can_be_told_apart(void **state)
{
    (void)state;
    struct py_version a = version("2.10.0+cu128"), b = version("2.10.0");
    assert_int_equal(py_version_cmp_public(&a, &b), 0);
    assert_true(py_version_cmp(&a, &b) > 0);
    assert_string_equal(py_version_public(&arena, &a), "2.10.0");
    assert_true(gf_slice_is(py_version_local(&a), "cu128"));
    assert_null(py_version_local(&b).p);
}

static struct py_specset set(const char *text, bool lenient)
{
    struct py_specset s;
    if (!py_specset_parse(&arena, gf_slice_of(text), lenient, &s)) fail_msg("'%s' should be a specifier set", text);
    return s;
}

static void expect(const char *spec, const char *v, bool want)
{
    struct py_specset s = set(spec, false);
    struct py_version parsed = version(v);
    if (py_specset_contains(&s, &parsed) != want) fail_msg("%s %s %s", spec, want ? "should hold" : "should not hold", v);
}

static void local_versions_and_operators(void **state)
{
    (void)state;
    expect("==2.10.0", "2.10.0+cu128", true);
    expect("<=2.10.0", "2.10.0+cu128", true);
    expect(">2.10.0", "2.10.0+cu128", false);
    expect("!=2.10.0", "2.10.0+cu128", false);
    expect("===2.10.0", "2.10.0+cu128", false);
    expect("===2.10.0", "2.10.0", true);
    expect("==2.10.0+cu128", "2.10.0", false);
    expect("==2.10.0+cu128", "2.10.0+cu128", true);
    expect(">=2.10.0", "2.10.0+cu128", true);
}

static void pre_and_post_releases_and_operators(void **state)
{
    (void)state;
    expect("<2.11", "2.11rc1", false);
    expect("<2.11", "2.11rc1.post1", false);
    expect("<2.11rc2", "2.11rc1", true);
    expect("<2.11.post1", "2.11", true);
    expect("<2.11.post1", "2.11.post1.dev1", false);
    expect(">1.7", "1.7.0.post1", false);
    expect(">1.7", "1.7.1", true);
    expect(">1.7.post2", "1.7.post3", true);
    expect(">1.7rc1", "1.7", true);
    expect(">1.7rc1", "1.7rc1.post1", false);
    expect("~=2.2", "2.2.post3", true);
    expect("~=2.2.post3", "2.2", false);
    expect("~=2.2.post3", "2.9", true);
    expect("~=1.4.5a4", "1.4.9", true);
    expect("~=1.4.5a4", "1.5.0", false);
    expect("==1.4.*", "1.4rc1", true);
    expect("!=1.4.*", "1.4.7+x", false);
    expect("==1!1.*", "1.0", false);
}

static void odd_specifiers_strict_and_lenient(void **state)
{
    (void)state;
    static const char *const bad[] = { ">=1.0.*", "~=1", ">=1.0+x", "==1.0a1.*", "=1.0", "1.0", ">=", "==1.0 .*", ">=1 <2", "(>=1)", "===" };
    struct py_specset s;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (py_specset_parse(&arena, gf_slice_of(bad[i]), false, &s)) fail_msg("'%s' should be refused", bad[i]);
    static const char *const mended[][2] = { { "(>=1.0)", ">=1.0" }, { ">=1.0.*", ">=1.0" }, { ">=1.0<2", "<2,>=1.0" }, { ">=1.0 <2", "<2,>=1.0" }, { ">= 1.0, ", ">=1.0" },
                                             { "!=~5.0", "!=5.0.*" }, { "==1.0*", "==1.0.*" }, { "'>=2.7'", ">=2.7" }, { "*", "" }, { "<1!2,>=1!1", "<1!2,>=1!1" },
                                             { "", "" }, { "==1.*", "==1.*" }, { "!=3.0.*,!=3.1.*", "!=3.0.*,!=3.1.*" } };
    for (size_t i = 0; i < sizeof mended / sizeof *mended; i++) {
        s = set(mended[i][0], true);
        assert_string_equal(py_specset_text(&arena, &s), mended[i][1]);
    }
}

static void policies_read_from_specifiers(void **state)
{
    (void)state;
    static const struct { const char *text; bool pre, exact; } rows[] = {
        { ">=2.0.dev0", true, false }, { "==2.0rc1", true, true }, { "!=2.0rc1", false, false }, { ">=1", false, false }, { "==1.*", false, false },
        { "===1.0", false, true },     { "===1.0b1", true, true }, { "<2,==1.5", false, true },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct py_specset s = set(rows[i].text, false);
        assert_int_equal(py_specset_asks_pre(&s), rows[i].pre);
        assert_int_equal(py_specset_is_exact(&s), rows[i].exact);
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
        cmocka_unit_test(spellings_become_canonical),
        cmocka_unit_test(what_is_no_version_is_refused),
        cmocka_unit_test(order_is_that_of_pep440),
        cmocka_unit_test(local_parts_can_be_told_apart),
        cmocka_unit_test(local_versions_and_operators),
        cmocka_unit_test(pre_and_post_releases_and_operators),
        cmocka_unit_test(odd_specifiers_strict_and_lenient),
        cmocka_unit_test(policies_read_from_specifiers),
    };
    return cmocka_run_group_tests(tests, NULL, release);
}
