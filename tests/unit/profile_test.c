#include "model/profile.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct mdl_profile *parse(const char *text)
{
    struct gf_err err = GF_ERR_INIT;
    struct mdl_profile *p = NULL;
    if (mdl_profile_parse(gf_slice_of(text), "x.json", &p, &err)) fail_msg("%s", err.text);
    return p;
}

static void refuses(const char *text, const char *message)
{
    struct gf_err err = GF_ERR_INIT;
    struct mdl_profile *p = NULL;
    assert_int_equal(mdl_profile_parse(gf_slice_of(text), "x.json", &p, &err), -1);
    assert_null(p);
    assert_int_equal(err.code, GF_E_PARSE);
    assert_string_equal(err.text, message);
}

static void reading_is_strict(void **state)
{
    (void)state;
    refuses("{\"gpu\":[]}", "x.json: /gpu is not a key of a profile; the first key here is \"schema\"");
    refuses("{\"gpus\":[{\"cc\":8.6}]}", "x.json: /gpus/0/cc is a number, expected a string");
    refuses("{\"gpus\":[{},{\"memory_mib\":-1}]}", "x.json: /gpus/1/memory_mib is a number, expected a whole number that is not negative");
    refuses("{\"os\":{\"wsl\":\"yes\"}}", "x.json: /os/wsl is a string, expected true or false");
    refuses("{\"os\":[]}", "x.json: /os is an array, expected an object");
    refuses("{\"packages\":[{\"version\":\"1\"}]}", "x.json: /packages/0 has no \"name\"");
    refuses("{\"schema\":\"gpuferry.lock/1\"}", "x.json: /schema is a string, expected \"gpuferry.profile/1\"");
    refuses("{\"errors\":[1]}", "x.json: /errors is an array, expected an array of strings only");
    refuses("[]", "x.json: the document is an array, expected an object");
}

static void writes_what_it_read(const char *text)
{
    struct mdl_profile *p = parse(text);
    GF_BUF_SCOPE struct gf_buf out;
    gf_buf_init(&out, GF_CAP_PROFILE);
    struct gf_jw w;
    gf_jw_init(&w, &out, true);
    mdl_profile_write(p, &w);
    assert_string_equal(gf_buf_str(&out), text);
    mdl_profile_free(p);
}

static void round_trip(void **state)
{
    (void)state;
    writes_what_it_read("{\"schema\":\"gpuferry.profile/1\"}");
    writes_what_it_read("{\"schema\":\"gpuferry.profile/1\",\"label\":\"node 7\",\"arch\":\"x86_64\",\"libc\":{\"name\":\"glibc\",\"version\":\"2.36\"},"
                        "\"libstdcxx\":\"GLIBCXX_3.4.30\",\"os\":{\"id\":\"debian\",\"version\":\"12\",\"kernel\":\"6.1.0-57-amd64\",\"wsl\":false,\"container\":true},"
                        "\"cpu\":{\"flags\":[\"avx2\"],\"level\":3},\"page_size\":4096,\"gpus\":[{\"vendor\":\"nvidia\",\"name\":\"NVIDIA GeForce RTX 3090\","
                        "\"pci\":\"10de:2204\",\"cc\":\"8.6\",\"memory_mib\":24576},{\"vendor\":\"amd\",\"gfx\":\"gfx90a\"}],\"driver\":{\"version\":\"535.309.01\","
                        "\"cuda\":\"12.2\",\"flavour\":\"open\",\"origin\":\"apt\"},\"python\":{\"version\":\"3.11.2\",\"implementation\":\"cpython\",\"abi\":\"cp311\"},"
                        "\"interpreters\":[{\"version\":\"3.11.2\",\"path\":\"/usr/bin/python3\",\"pip\":true}],\"packages\":[{\"name\":\"torch\",\"version\":\"2.5.0+cu121\","
                        "\"arch_list\":[\"sm_80\",\"compute_90\"],\"cxx11abi\":false}],\"toolkit\":{\"nvcc\":\"12.4\"},\"gcc\":\"12.2\",\"headers\":[\"6.1.0-57-amd64\"],"
                        "\"secure_boot\":false,\"disks\":[{\"mount\":\"/\",\"free_mib\":1024}],\"errors\":[\"boom\"],\"origin\":{\"arch\":\"uname\"}}");
}

static void absent_is_not_unknown(void **state)
{
    (void)state;
    struct mdl_profile *p = parse("{\"gpus\":null,\"driver\":null,\"gcc\":null,\"packages\":[],\"nouveau\":null}");
    assert_int_equal(p->gpus_known, MDL_ABSENT);
    assert_int_equal(p->driver_known, MDL_ABSENT);
    assert_int_equal(p->gcc_known, MDL_ABSENT);
    assert_int_equal(p->packages_known, MDL_PRESENT);
    assert_int_equal(p->nouveau, PY_NO);
    assert_int_equal(p->python_known, MDL_UNKNOWN);
    assert_int_equal(p->wsl, PY_UNKNOWN);
    mdl_profile_free(p);
    writes_what_it_read("{\"schema\":\"gpuferry.profile/1\",\"gpus\":null,\"driver\":null,\"packages\":[],\"toolkit\":{\"nvcc\":null}}");
}

static void spellings_become_one(void **state)
{
    (void)state;
    struct mdl_profile *p = parse("{\"arch\":\"AMD64\",\"os\":{\"id\":\"Debian\"},\"gpus\":[{\"pci\":\"10DE:2204\"}],\"packages\":[{\"name\":\"Flash_Attn\"}]}");
    assert_string_equal(p->arch, "x86_64");
    assert_string_equal(p->os_id, "debian");
    assert_string_equal(p->gpus[0].pci, "10de:2204");
    assert_string_equal(p->packages[0].name, "flash-attn");
    mdl_profile_free(p);
}

static void contradictions_are_kept_apart(void **state)
{
    (void)state;
    struct mdl_profile *p = mdl_profile_new();
    assert_true(mdl_profile_put(p, "toolkit.nvcc", GF_S("12.4"), "nvcc"));
    assert_true(mdl_profile_put(p, "toolkit.nvcc", GF_S("12.4.131"), "collect_env"));
    assert_string_equal(p->nvcc, "12.4.131");
    assert_true(mdl_profile_put(p, "driver.version", GF_S("535.1"), "nvidia-smi"));
    assert_false(mdl_profile_put(p, "driver.version", GF_S("550.2"), "dmesg"));
    assert_false(mdl_profile_put(p, "driver.version", GF_S("550.2"), "dmesg"));
    assert_string_equal(p->driver_version, "535.1");
    assert_int_equal(p->driver_known, MDL_PRESENT);
    assert_int_equal(p->nconflicts, 1);
    assert_string_equal(p->conflicts[0], "driver.version is 535.1 (nvidia-smi) and 550.2 (dmesg)");
    assert_string_equal(mdl_profile_origin(p, "driver.version"), "nvidia-smi");
    assert_false(mdl_profile_put(p, "no.such.key", GF_S("1"), "x"));
    mdl_profile_put_tri(p, "os.wsl", true, "uname");
    mdl_profile_put_tri(p, "os.wsl", false, "os-release");
    mdl_profile_put_absent(p, "driver", "lsmod");
    assert_int_equal(p->nconflicts, 3);
    mdl_profile_free(p);
}

/* Whichever comes first: instances by profile say more than their memory, and that more than "enabled". */
static void mig_says_the_most(void **state)
{
    (void)state;
    static const char *const said[] = { "enabled", "40192MiB,9728MiB", "3g.40gb,1g.10gb" };
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++) {
            struct mdl_profile *p = mdl_profile_new();
            struct mdl_gpu one = { .vendor = "nvidia", .mig = said[i] }, two = { .vendor = "nvidia", .mig = said[k] };
            mdl_profile_merge_gpus(p, &one, 1, "nvidia-smi");
            mdl_profile_merge_gpus(p, &two, 1, "nvidia-smi -L");
            assert_int_equal(p->ngpus, 1);
            assert_string_equal(p->gpus[0].mig, said[i > k ? i : k]);
            mdl_profile_free(p);
        }
}

static void gpu_lists_join(void **state)
{
    (void)state;
    struct mdl_profile *p = mdl_profile_new();
    struct mdl_gpu table[] = { { .name = "Tesla V100-SXM2...", .memory_mib = 16160 }, { .name = "Tesla V100-SXM2...", .memory_mib = 16160 } };
    struct mdl_gpu list[] = { { .name = "Tesla V100-SXM2-16GB", .cc = "7.0" } }, other[] = { { .name = "NVIDIA A100-SXM4-40GB" } };
    mdl_profile_merge_gpus(p, list, 1, "nvidia-smi -L");
    mdl_profile_merge_gpus(p, table, 2, "nvidia-smi");
    assert_int_equal(p->ngpus, 2);
    assert_string_equal(p->gpus[0].name, "Tesla V100-SXM2-16GB");
    assert_string_equal(p->gpus[0].cc, "7.0");
    assert_int_equal(p->gpus[0].memory_mib, 16160);
    assert_int_equal(p->nconflicts, 0);
    mdl_profile_merge_gpus(p, other, 1, "collect_env");
    assert_int_equal(p->ngpus, 2);
    assert_string_equal(p->conflicts[0], "gpus are Tesla V100-SXM2-16GB + Tesla V100-SXM2... (nvidia-smi) and NVIDIA A100-SXM4-40GB (collect_env)");
    mdl_profile_free(p);
}

static void merging_profiles(void **state)
{
    (void)state;
    struct mdl_profile *a = parse("{\"arch\":\"x86_64\",\"driver\":{\"version\":\"535.1\"},\"packages\":[{\"name\":\"torch\",\"version\":\"2.5.0\"}],\"origin\":{\"arch\":\"uname\"}}");
    struct mdl_profile *b = parse("{\"label\":\"b\",\"arch\":\"aarch64\",\"gcc\":null,\"cpu\":{\"flags\":[\"sse\"],\"level\":2},\"packages\":[{\"name\":\"torch\",\"version\":\"2.5.0+cu121\"}]}");
    mdl_profile_merge(a, b);
    mdl_profile_free(b);
    assert_string_equal(a->packages[0].version, "2.5.0+cu121");
    assert_int_equal(a->npackages, 1);
    assert_int_equal(a->gcc_known, MDL_ABSENT);
    assert_int_equal(a->cpu_level, 2);
    assert_string_equal(a->cpu_flags[0], "sse");
    assert_string_equal(a->conflicts[0], "arch is x86_64 (uname) and aarch64 (b)");
    mdl_profile_free(a);
}

static void platform_of(void **state)
{
    (void)state;
    struct py_platform to;
    const char *missing = NULL;
    struct mdl_profile *p = parse("{\"libc\":{\"name\":\"glibc\",\"version\":\"2.36\"},\"os\":{\"id\":\"debian\",\"kernel\":\"6.1.0\"}}");
    assert_false(mdl_profile_platform(p, &to, &missing));
    assert_string_equal(missing, "python");
    p->python_version = "3.13.0rc2";
    p->python_abi = "cp313t";
    assert_false(mdl_profile_platform(p, &to, &missing));
    assert_string_equal(missing, "arch");
    p->arch = "x86_64";
    assert_true(mdl_profile_platform(p, &to, &missing));
    assert_int_equal(to.minor, 13);
    assert_true(to.free_threaded);
    assert_int_equal(to.libc, PY_LIBC_GLIBC);
    assert_int_equal(to.libc_minor, 36);
    assert_string_equal(to.release, "6.1.0");
    p->os_id = "windows";
    assert_true(mdl_profile_platform(p, &to, &missing));
    assert_string_equal(to.machine, "AMD64");
    mdl_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading_is_strict),     cmocka_unit_test(round_trip),     cmocka_unit_test(absent_is_not_unknown),
        cmocka_unit_test(spellings_become_one),  cmocka_unit_test(gpu_lists_join), cmocka_unit_test(mig_says_the_most), cmocka_unit_test(contradictions_are_kept_apart),
        cmocka_unit_test(merging_profiles),      cmocka_unit_test(platform_of),
    };
    return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
