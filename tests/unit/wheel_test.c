#include "python/platform.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct gf_arena arena;

static struct py_wheel wheel(const char *name)
{
    struct py_wheel w;
    if (!py_wheel_parse(&arena, gf_slice_of(name), &w)) fail_msg("'%s' should be a wheel", name);
    return w;
}

static void names_are_normalized(void **state)
{
    (void)state;
    assert_string_equal(py_name_normalize(&arena, GF_S("Nvidia_CUDA.-runtime")), "nvidia-cuda-runtime");
    assert_true(py_name_valid(GF_S("A.b_c-1")));
    assert_false(py_name_valid(GF_S("-a")));
    assert_false(py_name_valid(GF_S("a b")));
    assert_true(py_name_is_normalized(GF_S("a-b1")));
    assert_false(py_name_is_normalized(GF_S("a--b")));
}

static void wheel_names_give_their_parts(void **state)
{
    (void)state;
    struct py_wheel w = wheel("torch-2.10.0-3-cp311-cp311-manylinux_2_28_x86_64.whl");
    assert_string_equal(w.name, "torch");
    assert_string_equal(w.version.text, "2.10.0");
    assert_true(w.has_build && w.build_n == 3);
    assert_string_equal(w.build_rest, "");
    assert_string_equal(w.platform_tag, "manylinux_2_28_x86_64");
    w = wheel("Foo_Bar.x-1.0+cu128-1local-py2.py3-none-any.whl");
    assert_string_equal(w.name, "foo-bar-x");
    assert_string_equal(w.version.text, "1.0+cu128");
    assert_string_equal(w.build_rest, "local");
    assert_string_equal(w.py_tag, "py2.py3");
    struct py_wheel plain = wheel("a-1-py3-none-any.whl"), two = wheel("a-1-2-py3-none-any.whl"), ten = wheel("a-1-10-py3-none-any.whl");
    assert_true(py_wheel_build_cmp(&plain, &two) < 0 && py_wheel_build_cmp(&two, &ten) < 0);
}

static void what_is_no_wheel_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = { "a-1.0.tar.gz", "a-1.0-py3-none.whl", "a-1.0-x1-py3-none-any.whl", "a__b-1.0-py3-none-any.whl", "a-x-py3-none-any.whl", "-1-py3-none-any.whl",
                                       "a-1-1-2-py3-none-any.whl", "a-1-py3..py2-none-any.whl", "a-1-py3--any.whl", "a-1-3py-none-any.whl", "a!-1-py3-none-any.whl", "" };
    struct py_wheel w;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (py_wheel_parse(&arena, gf_slice_of(bad[i]), &w)) fail_msg("'%s' should be refused", bad[i]);
}

/* PEP 825: a label behind the platform, with and without a build tag; ordinary names have none. */
static void variants_have_a_label(void **state)
{
    (void)state;
    static const struct { const char *name, *label, *plain; } rows[] = {
        { "numpy-2.3.2-cp313-cp313t-musllinux_1_2_x86_64-x86_64_v3.whl", "x86_64_v3", "numpy-2.3.2-cp313-cp313t-musllinux_1_2_x86_64.whl" },
        { "numpy-2.3.2-1-cp313-cp313t-musllinux_1_2_x86_64-x86_64_v3.whl", "x86_64_v3", "numpy-2.3.2-1-cp313-cp313t-musllinux_1_2_x86_64.whl" },
        { "torch-2.9.0-cp312-cp312-manylinux_2_28_x86_64-null.whl", "null", "torch-2.9.0-cp312-cp312-manylinux_2_28_x86_64.whl" },
        { "torch-2.9.0-cp312-cp312-manylinux_2_28_x86_64-3.8_a.whl", "3.8_a", "torch-2.9.0-cp312-cp312-manylinux_2_28_x86_64.whl" },
        { "torch-2.9.0-3-cp312-cp312-linux_x86_64.whl", NULL, "torch-2.9.0-3-cp312-cp312-linux_x86_64.whl" },
        { "torch-2.9.0-cp312-cp312-linux_x86_64.whl", NULL, "torch-2.9.0-cp312-cp312-linux_x86_64.whl" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct py_wheel w;
        const char *label = "?";
        assert_true(py_wheel_parse_variant(&arena, gf_slice_of(rows[i].name), &w, &label));
        if (rows[i].label) assert_string_equal(label, rows[i].label);
        else assert_null(label);
        assert_true(py_wheel_parse(&arena, gf_slice_of(rows[i].name), &w) == !rows[i].label);
        assert_string_equal(py_wheel_plain_name(&arena, gf_slice_of(rows[i].name)), rows[i].plain);
    }
    static const char *const bad[] = { "a-1-py3-none-any-Null.whl", "a-1-py3-none-any-.whl", "a-1-py3-none-any-a-b.whl", "a-1-1-py3-none-any-a-b.whl", "a-1-py3-none-any-a+b.whl", "a-1-1-2-py3-none-any.whl",
                                       "a-1-py3-none-any-\xc3\xa9.whl" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct py_wheel w;
        const char *label;
        if (py_wheel_parse_variant(&arena, gf_slice_of(bad[i]), &w, &label)) fail_msg("'%s' should be refused", bad[i]);
        assert_string_equal(py_wheel_plain_name(&arena, gf_slice_of(bad[i])), bad[i]);
    }
}

static void source_archives_tell_their_version(void **state)
{
    (void)state;
    struct py_version v;
    assert_true(py_sdist_parse(&arena, GF_S("flash_attn-2.8.3.tar.gz"), GF_S("flash-attn"), &v));
    assert_string_equal(v.text, "2.8.3");
    assert_true(py_sdist_parse(&arena, GF_S("a-b-1.0-1.zip"), GF_S("a-b"), &v));
    assert_string_equal(v.text, "1.0.post1");
    assert_false(py_sdist_parse(&arena, GF_S("a-b-1.0.zip"), GF_S("a"), &v));
    assert_false(py_sdist_parse(&arena, GF_S("a-1.0.exe"), GF_S("a"), &v));
}

static struct py_tags *tags(const char *python, enum py_os os, enum py_libc libc, unsigned major, unsigned minor, const char *machine)
{
    struct py_platform p = { .os = os, .libc = libc, .libc_major = major, .libc_minor = minor, .machine = machine };
    assert_true(py_platform_set_python(&p, gf_slice_of(python)));
    return py_tags_new(&p);
}

static int rank(const struct py_tags *t, const char *tag)
{
    GF_FREE char *name = gf_xasprintf("a-1-%s.whl", tag);
    struct py_wheel w = wheel(name);
    return py_tags_rank(t, &w);
}

static void glibc_target(void **state)
{
    (void)state;
    struct py_tags *t = tags("3.12", PY_OS_LINUX, PY_LIBC_GLIBC, 2, 36, "x86_64");
    assert_string_equal(py_tags_get(t, 0), "cp312-cp312-linux_x86_64");
    assert_string_equal(py_tags_get(t, 1), "cp312-cp312-manylinux_2_36_x86_64");
    assert_string_equal(py_tags_get(t, py_tags_count(t) - 1), "py30-none-any");
    assert_null(py_tags_get(t, py_tags_count(t)));
    for (size_t i = 0; i < py_tags_count(t); i++) assert_int_equal(rank(t, py_tags_get(t, i)), i);
    static const char *const fit[] = { "cp312-cp312-manylinux_2_17_x86_64.manylinux2014_x86_64", "cp39-abi3-manylinux1_x86_64", "cp32-abi3-linux_x86_64", "py2.py3-none-any", "py3-none-manylinux2010_x86_64" };
    for (size_t i = 0; i < sizeof fit / sizeof *fit; i++) assert_true(rank(t, fit[i]) >= 0);
    assert_true(rank(t, "cp312-cp312-manylinux_2_28_x86_64") < rank(t, "cp312-cp312-manylinux_2_17_x86_64"));
    assert_true(rank(t, "cp312-abi3-manylinux_2_17_x86_64") > rank(t, "cp312-cp312-manylinux1_x86_64"));
    py_tags_free(t);
}

static void misfits_have_names(void **state)
{
    (void)state;
    struct py_tags *t = tags("3.12", PY_OS_LINUX, PY_LIBC_GLIBC, 2, 17, "x86_64");
    static const struct { const char *tag; enum py_misfit want; } rows[] = {
        { "cp312-cp312-manylinux_2_28_x86_64", PY_MISFIT_LIBC }, { "cp312-cp312-musllinux_1_1_x86_64", PY_MISFIT_LIBC }, { "cp312-cp312-manylinux_2_17_aarch64", PY_MISFIT_ARCH },
        { "cp312-cp312-win_amd64", PY_MISFIT_PLATFORM }, { "cp313-cp313-manylinux_2_28_x86_64", PY_MISFIT_PYTHON }, { "cp39-cp39-manylinux_2_17_x86_64", PY_MISFIT_PYTHON },
        { "cp312-cp312t-manylinux_2_17_x86_64", PY_MISFIT_ABI }, { "py2-none-any", PY_MISFIT_PYTHON }, { "cp312-cp312-manylinux_2_17_x86_64", PY_FITS }, { "py3-none-any", PY_FITS },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        GF_FREE char *name = gf_xasprintf("a-1-%s.whl", rows[i].tag);
        struct py_wheel w = wheel(name);
        if (py_wheel_misfit(t, &w) != rows[i].want) fail_msg("%s gives %d", rows[i].tag, py_wheel_misfit(t, &w));
    }
    py_tags_free(t);
}

static void other_targets(void **state)
{
    (void)state;
    struct py_tags *t = tags("3.13t", PY_OS_LINUX, PY_LIBC_GLIBC, 2, 36, "aarch64");
    assert_string_equal(py_tags_get(t, 0), "cp313-cp313t-linux_aarch64");
    assert_int_equal(rank(t, "cp39-abi3-manylinux_2_17_aarch64"), -1);
    assert_int_equal(rank(t, "cp313-cp313-manylinux_2_17_aarch64"), -1);
    assert_int_equal(rank(t, "cp313-cp313t-manylinux_2_12_aarch64"), -1);
    assert_true(rank(t, "cp313-cp313t-manylinux_2_17_aarch64") > 0);
    py_tags_free(t);
    t = tags("3.12", PY_OS_LINUX, PY_LIBC_MUSL, 1, 2, "x86_64");
    assert_true(rank(t, "cp312-cp312-musllinux_1_1_x86_64") > 0);
    assert_int_equal(rank(t, "cp312-cp312-manylinux_2_17_x86_64"), -1);
    py_tags_free(t);
    t = tags("3.12", PY_OS_WINDOWS, PY_LIBC_UNKNOWN, 0, 0, "AMD64");
    assert_int_equal(rank(t, "cp312-cp312-win_amd64"), 0);
    py_tags_free(t);
    t = tags("3.12", PY_OS_MACOS, PY_LIBC_UNKNOWN, 14, 0, "arm64");
    assert_int_equal(rank(t, "cp312-cp312-macosx_14_0_arm64"), 0);
    assert_true(rank(t, "cp312-cp312-macosx_10_9_universal2") > 0);
    assert_int_equal(rank(t, "cp312-cp312-macosx_10_9_x86_64"), -1);
    py_tags_free(t);
    t = tags("3.12", PY_OS_LINUX, PY_LIBC_UNKNOWN, 0, 0, "x86_64");
    assert_int_equal(rank(t, "cp312-cp312-manylinux_2_17_x86_64"), -1);
    assert_int_equal(rank(t, "cp312-cp312-linux_x86_64"), 0);
    py_tags_free(t);
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
        cmocka_unit_test(names_are_normalized),
        cmocka_unit_test(wheel_names_give_their_parts),
        cmocka_unit_test(what_is_no_wheel_is_refused), cmocka_unit_test(variants_have_a_label),
        cmocka_unit_test(source_archives_tell_their_version),
        cmocka_unit_test(glibc_target),
        cmocka_unit_test(misfits_have_names),
        cmocka_unit_test(other_targets),
    };
    return cmocka_run_group_tests(tests, NULL, release);
}
