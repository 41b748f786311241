#include "python/platform.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct gf_arena arena;

static const struct py_platform DEBIAN12 = {
    .major = 3, .minor = 11, .micro = 2, .os = PY_OS_LINUX, .libc = PY_LIBC_GLIBC, .libc_major = 2, .libc_minor = 36, .machine = "x86_64", .release = "6.1.0-57-amd64",
};

static const struct py_marker *parse(const char *text, enum py_marker_dialect d)
{
    const struct py_marker *m = NULL;
    struct gf_err err = GF_ERR_INIT;
    if (py_marker_parse(&arena, gf_slice_of(text), d, &m, &err)) fail_msg("%s", err.text);
    return m;
}

static enum py_tri eval(const char *text, const char *extra)
{
    struct py_env env = py_platform_env(&DEBIAN12);
    return py_marker_eval(parse(text, PY_MARKER_PEP508), &env, gf_slice_of(extra));
}

static void expect(const char *text, enum py_tri want)
{
    enum py_tri got = eval(text, NULL);
    if (got != want) fail_msg("%s gives %d", text, got);
}

static void versions_compare_as_versions(void **state)
{
    (void)state;
    expect("python_version >= '3.9'", PY_YES);
    expect("python_version < '3.9'", PY_NO);
    expect("'3.9' < python_version", PY_YES);
    expect("python_full_version >= '3.11.3'", PY_NO);
    expect("python_version == '3.*'", PY_YES);
    expect("python_version ~= '3.10'", PY_YES);
    expect("python_version in '3.10 3.11'", PY_YES);
    expect("python_version not in '2.7, 3.1'", PY_YES);
    expect("implementation_version > '3'", PY_YES);
}

static void a_kernel_release_is_no_version(void **state)
{
    (void)state;
    expect("platform_release >= '4.4'", PY_NO);
    expect("platform_release < '10'", PY_NO);
    expect("'amd64' in platform_release", PY_YES);
}

static void strings_compare_as_strings(void **state)
{
    (void)state;
    expect("sys_platform == 'linux' and os.name == 'posix' and platform_system == 'Linux'", PY_YES);
    expect("platform_python_implementation == 'CPython' and python_implementation != 'PyPy'", PY_YES);
    expect("platform_machine == 'x86_64' or platform_machine == 'aarch64'", PY_YES);
    expect("'linux' in sys_platform", PY_YES);
    expect("sys_platform > 'a'", PY_NO);
}

static void what_is_not_known_stays_unknown_unless_the_rest_decides(void **state)
{
    (void)state;
    expect("platform_version == '1'", PY_UNKNOWN);
    expect("platform_version == '1' and sys_platform == 'win32'", PY_NO);
    expect("platform_version == '1' or sys_platform == 'linux'", PY_YES);
    expect("platform_version == '1' and sys_platform == 'linux'", PY_UNKNOWN);
    expect("os_name ~= 'posix'", PY_UNKNOWN);
}

static void and_binds_tighter_than_or(void **state)
{
    (void)state;
    expect("os_name == 'posix' or os_name == 'a' and os_name == 'b'", PY_YES);
    expect("(os_name == 'posix' or os_name == 'a') and os_name == 'b'", PY_NO);
}

static void extras_compare_normalized(void **state)
{
    (void)state;
    assert_int_equal(eval("extra == 'And_CUDA'", "and-cuda"), PY_YES);
    assert_int_equal(eval("extra == 'and-cuda'", NULL), PY_NO);
    assert_int_equal(eval("extra != 'and-cuda'", NULL), PY_YES);
    struct py_env env = py_platform_env(&DEBIAN12);
    const gf_slice two[] = { GF_S("a"), GF_S("b") };
    assert_int_equal(py_marker_eval_set(parse("extra == 'a' and extra == 'b'", PY_MARKER_PEP508), &env, two, 2), PY_YES);
    struct py_selection sel = { two, 1, two + 1, 1 };
    assert_int_equal(py_marker_eval_selection(parse("'A' in extras and 'b' in dependency_groups", PY_MARKER_PEP508), &env, &sel), PY_YES);
    assert_int_equal(py_marker_eval_selection(parse("'b' in extras", PY_MARKER_PEP508), &env, &sel), PY_NO);
}

static void text_is_canonical(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        { "os.name=='posix'", "os_name == \"posix\"" },
        { "((os_name == 'a'))", "os_name == \"a\"" },
        { "(os_name == 'a' or os_name=='b')and extra=='X.Y'", "(os_name == \"a\" or os_name == \"b\") and extra == \"x-y\"" },
        { "os_name == 'a\\x41\\101\\u00e9\\U0001F600\\t'", "os_name == \"aAA\xC3\xA9\xF0\x9F\x98\x80\t\"" },
        { "python_implementation not  in 'a\"b'", "platform_python_implementation not in 'a\"b'" },
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        assert_string_equal(py_marker_text(&arena, parse(pairs[i][0], PY_MARKER_PEP508)), pairs[i][1]);
}

static void refuses(const char *text, const char *part)
{
    struct gf_err err = GF_ERR_INIT;
    const struct py_marker *m = NULL;
    assert_int_equal(py_marker_parse(&arena, gf_slice_of(text), PY_MARKER_PEP508, &m, &err), -1);
    if (!strstr(err.text, part)) fail_msg("'%s' should say '%s'", err.text, part);
}

static void refusals_name_the_place(void **state)
{
    (void)state;
    refuses("python_versio >= '3'", "expected a marker variable or a quoted string at column 1");
    refuses("os_name = 'a'", "expected an operator");
    refuses("os_name == 'a", "closing quote");
    refuses("os_name == 'a' xor os_name == 'b'", "expected 'and', 'or' or the end at column 16, found 'xor os_name == 'b''");
    refuses("(os_name == 'a'", "closing ')' at its end");
    refuses("", "at its end");
    char deep[301];
    memset(deep, '(', 300);
    deep[300] = '\0';
    refuses(deep, "fewer nested parentheses");
}

static bool fact(const void *arg, gf_slice name, gf_slice *ret)
{
    (void)arg;
    static const char *const facts[][2] = { { "os", "linux" }, { "cuda", "12.4" }, { "driver", "535.309.01" }, { "kernel", "6.1.0-57-amd64" }, { "cpu", "avx2 sse4" } };
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (gf_slice_is(name, facts[i][0])) {
            *ret = gf_slice_of(facts[i][1]);
            return true;
        }
    return false;
}

/* PEP 825: of the wheel that a requirement belongs to. */
static void a_wheel_variant_is_seen_by_its_requirements(void **state)
{
    (void)state;
    static const char *const properties[] = { "foo::bar::baz", "nvidia::sm_arch::120_real" };
    struct py_marker_variant v = { "foobar", properties, 2 };
    static const struct { const char *text; enum py_tri variant, plain; } rows[] = {
        { "variant_label == 'foobar'", PY_YES, PY_NO }, { "variant_label != 'null'", PY_YES, PY_YES }, { "variant_label == ''", PY_NO, PY_YES }, { "'oba' in variant_label", PY_YES, PY_NO },
        { "'foo' in variant_namespaces", PY_YES, PY_NO }, { "'fo' in variant_namespaces", PY_NO, PY_NO }, { "'foo' not in variant_namespaces", PY_NO, PY_YES },
        { "'foo :: bar' in variant_features", PY_YES, PY_NO }, { "'foo' in variant_features", PY_NO, PY_NO }, { "'foo::bar::baz' in variant_features", PY_NO, PY_NO },
        { "'foo :: bar :: baz' in variant_properties", PY_YES, PY_NO }, { "'foo::bar::baz' in variant_properties", PY_YES, PY_NO }, { "'foo::bar' in variant_properties", PY_NO, PY_NO },
        { "' nvidia::sm_arch :: 120_real' in variant_properties", PY_YES, PY_NO }, { "'nvidia::sm_arch::110_real' in variant_properties", PY_NO, PY_NO },
        { "variant_namespaces == 'foo'", PY_UNKNOWN, PY_UNKNOWN }, { "'' in variant_namespaces", PY_NO, PY_NO }, { "'a::b::c::d' in variant_properties", PY_NO, PY_NO },
    };
    struct py_env env = { .lookup = fact };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct py_marker *m = parse(rows[i].text, PY_MARKER_PEP508);
        assert_true(py_marker_asks_variant(m));
        env.variant = &v;
        if (py_marker_eval(m, &env, GF_NONE) != rows[i].variant) fail_msg("%s of a variant", rows[i].text);
        env.variant = NULL;
        if (py_marker_eval(m, &env, GF_NONE) != rows[i].plain) fail_msg("%s of an ordinary wheel", rows[i].text);
    }
    assert_false(py_marker_asks_variant(parse("python_version > '3' and extra == 'variant_label'", PY_MARKER_PEP508)));
    assert_true(py_marker_asks_variant(parse("python_version > '3' and (os_name == 'x' or 'a' in variant_features)", PY_MARKER_PEP508)));
}

static void facts_have_their_own_dialect(void **state)
{
    (void)state;
    struct py_env env = { .lookup = fact, .arg = NULL };
    static const struct { const char *text; enum py_tri want; } rows[] = {
        { "os=linux", PY_YES }, { "os == linux and cuda>=12.4", PY_YES }, { "cuda<12.10", PY_YES }, { "cuda == 12.*", PY_YES }, { "driver>=525.60.13", PY_YES },
        { "driver >= 535.309.2", PY_NO }, { "kernel>=4.4", PY_YES }, { "kernel < 6.1", PY_NO }, { "'avx2' in cpu and 'avx' not in cpu", PY_YES },
        { "gpu_arch >= 8.0", PY_UNKNOWN }, { "gpu_arch >= 8.0 or os=linux", PY_YES }, { "os in 'windows linux'", PY_YES }, { "os > 3", PY_UNKNOWN },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (py_marker_eval(parse(rows[i].text, PY_MARKER_FACTS), &env, GF_NONE) != rows[i].want) fail_msg("%s", rows[i].text);
    assert_true(py_marker_mentions(parse("os=linux and (cuda>=12 or x=1)", PY_MARKER_FACTS), GF_S("cuda")));
    assert_false(py_marker_mentions(parse("os=linux", PY_MARKER_FACTS), GF_S("linux")));
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
        cmocka_unit_test(versions_compare_as_versions),
        cmocka_unit_test(a_kernel_release_is_no_version),
        cmocka_unit_test(a_wheel_variant_is_seen_by_its_requirements),
        cmocka_unit_test(strings_compare_as_strings),
        cmocka_unit_test(what_is_not_known_stays_unknown_unless_the_rest_decides),
        cmocka_unit_test(and_binds_tighter_than_or),
        cmocka_unit_test(extras_compare_normalized),
        cmocka_unit_test(text_is_canonical),
        cmocka_unit_test(refusals_name_the_place),
        cmocka_unit_test(facts_have_their_own_dialect),
    };
    return cmocka_run_group_tests(tests, NULL, release);
}
