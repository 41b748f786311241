#include "python/pylock.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct gf_arena arena;

#define WHEEL(name) "[[packages.wheels]]\nname = '" name "'\nurl = 'https://h/x'\nsize = 5\nupload-time = 2025-01-25T11:30:10.1Z\nhashes = {sha256 = '00'}\n"
static const char TEXT[] = "lock-version = '1.0'\nenvironments = [\"sys_platform == 'linux'\", \"sys_platform == 'win32'\"]\nrequires-python = '>=3.11'\nextras = ['gpu']\ndependency-groups = ['dev', 'Test']\ndefault-groups = ['dev']\n"
                           "created-by = 'someone \"x\"'\n[[packages]]\nname = 'numpy'\nversion = '2.2.3'\nrequires-python = '>=3.10'\ndependencies = [{name = 'x'}]\n"
                           WHEEL("numpy-2.2.3-cp312-cp312-win_amd64.whl") WHEEL("numpy-2.2.3-cp312-cp312-manylinux_2_17_x86_64.manylinux2014_x86_64.whl")
                           WHEEL("numpy-2.2.3-cp312-cp312-manylinux_2_28_x86_64.whl")
                           "[[packages]]\nname = 'torch'\nmarker = \"'gpu' in extras\"\narchive = {path = 'w/torch-2.10.0-cp312-cp312-linux_x86_64.whl', hashes = {sha256 = '00'}}\n"
                           "[[packages]]\nname = 'tool'\nmarker = \"'dev' in dependency_groups\"\nsdist = {url = 'https://h/tool-1.0.tar.gz?x#y', hashes = {sha256 = '00'}}\n";

static struct py_pylock parse(const char *text)
{
    struct py_pylock l;
    struct gf_err err = GF_ERR_INIT;
    if (py_pylock_parse(&arena, gf_slice_of(text), "pylock.toml", &l, &err)) fail_msg("%s", err.text);
    return l;
}

static const struct py_platform LINUX = { .major = 3, .minor = 12, .libc = PY_LIBC_GLIBC, .libc_major = 2, .libc_minor = 36, .machine = "x86_64" };

static void picks(const struct py_pylock *l, const struct py_platform *p, const struct py_selection *sel, const char *const *want)
{
    struct py_pylock_pick *v;
    size_t n;
    struct gf_err err = GF_ERR_INIT;
    if (py_pylock_select(&arena, l, p, sel, &v, &n, &err)) fail_msg("%s", err.text);
    for (size_t i = 0; i < n; i++) assert_string_equal(v[i].file->name, want[i]);
    assert_null(want[n]);
}

static void a_target_gets_its_files(void **state)
{
    (void)state;
    struct py_pylock l = parse(TEXT);
    const gf_slice gpu = GF_S("gpu"), test = GF_S("test");
    picks(&l, &LINUX, &(struct py_selection){ 0 }, (const char *const[]){ "numpy-2.2.3-cp312-cp312-manylinux_2_28_x86_64.whl", "tool-1.0.tar.gz", NULL });
    picks(&l, &LINUX, &(struct py_selection){ &gpu, 1, &test, 1 }, (const char *const[]){ "numpy-2.2.3-cp312-cp312-manylinux_2_28_x86_64.whl", "torch-2.10.0-cp312-cp312-linux_x86_64.whl", NULL });
    struct py_platform old = LINUX;
    old.libc_minor = 17;
    picks(&l, &old, &(struct py_selection){ 0 }, (const char *const[]){ "numpy-2.2.3-cp312-cp312-manylinux_2_17_x86_64.manylinux2014_x86_64.whl", "tool-1.0.tar.gz", NULL });
}

static void not_for(const struct py_pylock *l, const struct py_platform *p, const struct py_selection *sel, const char *part)
{
    struct py_pylock_pick *v;
    size_t n;
    struct gf_err err = GF_ERR_INIT;
    assert_int_equal(py_pylock_select(&arena, l, p, sel, &v, &n, &err), -1);
    if (!strstr(err.text, part)) fail_msg("'%s' should say '%s'", err.text, part);
}

static void a_target_that_does_not_fit_is_told_why(void **state)
{
    (void)state;
    struct py_pylock l = parse(TEXT);
    struct py_selection none = { 0 };
    const gf_slice x = GF_S("x");
    struct py_platform p = LINUX;
    p.minor = 10;
    not_for(&l, &p, &none, "the lock requires Python >=3.11, the target has 3.10.0");
    p = LINUX;
    p.minor = 13;
    not_for(&l, &p, &none, "none of the 3 wheels of numpy in the lock fits the target");
    p = LINUX;
    p.os = PY_OS_MACOS;
    not_for(&l, &p, &none, "none of the environments");
    not_for(&l, &LINUX, &(struct py_selection){ &x, 1, NULL, 0 }, "does not declare the extra 'x'");
    not_for(&l, &LINUX, &(struct py_selection){ NULL, 0, &x, 1 }, "does not declare the dependency group 'x'");
    GF_FREE char *twice = gf_xasprintf("%s[[packages]]\nname = 'numpy'\n%s", TEXT, WHEEL("numpy-1-py3-none-any.whl"));
    l = parse(twice);
    not_for(&l, &LINUX, &none, "two entries of the lock for 'numpy'");
    l = parse("lock-version = '1.0'\ncreated-by = 'x'\n[[packages]]\nname = 'a'\nmarker = \"platform_release == '1'\"\n" WHEEL("a-1-py3-none-any.whl"));
    not_for(&l, &LINUX, &none, "facts that are not known: platform_release == \"1\"");
}

static void what_is_written_reads_back(void **state)
{
    (void)state;
    struct py_pylock l = parse(TEXT);
    GF_BUF_SCOPE struct gf_buf once, twice;
    gf_buf_init(&once, 1 << 20);
    gf_buf_init(&twice, 1 << 20);
    py_pylock_write(&l, &once);
    struct py_pylock again = parse(gf_buf_str(&once));
    py_pylock_write(&again, &twice);
    assert_string_equal(gf_buf_str(&once), gf_buf_str(&twice));
    assert_int_equal(again.packages[0].nwheels, 3);
    assert_int_equal(again.packages[0].files[2].size, 5);
    struct py_pylock_file file = { .name = "a-1-py3-none-any.whl", .path = "python/a-1-py3-none-any.whl", .size = 7, .hashes = (const char *const[]){ "sha256:0a" }, .nhashes = 1 };
    struct py_pylock_package package = { .name = "a", .version = "1", .files = &file, .nwheels = 1, .dependencies = (const char *const[]){ "b" }, .ndependencies = 1 };
    struct py_pylock own = { .created_by = "gpuferry", .packages = &package, .npackages = 1 };
    gf_buf_clear(&once);
    py_pylock_write(&own, &once);
    assert_string_equal(gf_buf_str(&once), "lock-version = \"1.0\"\ncreated-by = \"gpuferry\"\n\n[[packages]]\nname = \"a\"\nversion = \"1\"\ndependencies = [{name = \"b\"}]\n\n[[packages.wheels]]\n"
                                           "name = \"a-1-py3-none-any.whl\"\npath = \"python/a-1-py3-none-any.whl\"\nsize = 7\nhashes = {\"sha256\" = \"0a\"}\n");
}

static void refused(const char *body, const char *part)
{
    struct py_pylock l;
    struct gf_err err = GF_ERR_INIT;
    GF_FREE char *text = gf_xasprintf("lock-version = '1.0'\ncreated-by = 'x'\n%s", body);
    assert_int_equal(py_pylock_parse(&arena, gf_slice_of(text), "pylock.toml", &l, &err), -1);
    if (!strstr(err.text, part)) fail_msg("'%s' should say '%s'", err.text, part);
}

static void what_is_no_lock_is_refused_with_its_line(void **state)
{
    (void)state;
    refused("", "pylock.toml: 'packages' is missing");
    refused("packages = 3\n", "pylock.toml:3: packages is an integer, expected an array of tables");
    refused("[[packages]]\nname = 'A'\n", "A: expected a normalized name");
    refused("[[packages]]\nname = 'a'\n", "a: expected either wheels or an sdist, or exactly one of");
    refused("[[packages]]\nname = 'a'\n[[packages.wheels]]\nurl = 'u'\n", "hashes: expected a table");
    refused("[[packages]]\nname = 'a'\n" WHEEL("b-1-py3-none-any.whl"), "'b-1-py3-none-any.whl' is no name of a wheel of a");
    refused("[[packages]]\nname = 'a'\nversion = '2'\n" WHEEL("a-1-py3-none-any.whl"), "is not of version 2");
    refused("packages = []\nrequires-python = 'x'\n", "requires-python: expected version specifiers");
    refused("packages = []\nenvironments = ['x']\n", "pylock.toml:4: marker 'x'");
    struct py_pylock l;
    struct gf_err err = GF_ERR_INIT;
    assert_int_equal(py_pylock_parse(&arena, GF_S("lock-version = '2.0'\n"), "p", &l, &err), -1);
    assert_string_equal(err.text, "p: lock-version is 2.0, only 1.x is understood");
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
        cmocka_unit_test(a_target_gets_its_files),
        cmocka_unit_test(a_target_that_does_not_fit_is_told_why),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(what_is_no_lock_is_refused_with_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, release);
}
