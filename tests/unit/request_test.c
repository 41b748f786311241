/* From options to a target. */
#include "target/target.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct mtx *matrix;

static int open_matrix(void **state)
{
    (void)state;
    return mtx_open(NULL, &matrix, NULL);
}

static int close_matrix(void **state)
{
    (void)state;
    mtx_free(matrix);
    return 0;
}

static struct tgt_target make(struct tgt_request r, struct mdl_profile *base)
{
    struct gf_err err = GF_ERR_INIT;
    struct tgt_target t;
    if (tgt_from_request(matrix, &r, base, &t, &err)) fail_msg("%s", err.text);
    return t;
}

static struct tgt_request with_gpu(const char *const *gpu)
{
    return (struct tgt_request){ .gpus = gpu, .ngpus = 1 };
}

static void refuses(struct tgt_request r, const char *part)
{
    struct gf_err err = GF_ERR_INIT;
    struct tgt_target t;
    assert_int_equal(tgt_from_request(matrix, &r, NULL, &t, &err), -1);
    assert_int_equal(err.code, GF_E_USAGE);
    if (!strstr(err.text, part)) fail_msg("'%s' should say '%s'", err.text, part);
}

static bool has(struct mdl_strings list, const char *part)
{
    for (size_t i = 0; i < list.n; i++)
        if (strstr(list.v[i], part)) return true;
    return false;
}

static void facts_become_a_target(void **state)
{
    (void)state;
    const char *gpus[] = { "RTX 3090" };
    struct tgt_target t = make((struct tgt_request){ .gpus = gpus, .ngpus = 1, .driver = "535.309.01", .os = "debian-12", .python = "3.11" }, NULL);
    assert_string_equal(t.profile->gpus[0].cc, "8.6");
    assert_string_equal(t.profile->gpus[0].vendor, "nvidia");
    assert_string_equal(t.profile->libc_version, "2.36");
    assert_string_equal(t.profile->python_version, "3.11.0");
    assert_string_equal(t.profile->arch, "x86_64");
    assert_string_equal(t.profile->driver_cuda, "12.2");
    assert_int_equal(t.driver, TGT_DRIVER_KEEP);
    assert_true(has(t.assumed, "glibc 2.36 (debian 12, data/os/distros.json)"));
    assert_true(has(t.assumed, "x86_64"));
    assert_int_equal(t.unknown.n, 0);
    GF_BUF_SCOPE struct gf_buf line;
    gf_buf_init(&line, 4096);
    tgt_describe(&t, &line);
    assert_true(gf_slice_starts(gf_buf_slice(&line), GF_S("target: x86_64, debian 12, glibc 2.36, Python 3.11.0, GeForce RTX 3090 (8.6), driver 535.309.01; assumed: ")));
    tgt_target_release(&t);
}

static void driver_modes(void **state)
{
    (void)state;
    const char *gpu[] = { "sm_86" };
    struct tgt_request r = with_gpu(gpu);
    struct tgt_target t = make(r, NULL);
    assert_int_equal(t.driver, TGT_DRIVER_ANY);
    tgt_target_release(&t);
    r.driver = "any";
    t = make(r, NULL);
    assert_int_equal(t.driver, TGT_DRIVER_ANY);
    tgt_target_release(&t);
    r.driver = "none";
    t = make(r, NULL);
    assert_int_equal(t.driver, TGT_DRIVER_NONE);
    assert_int_equal(t.profile->driver_known, MDL_ABSENT);
    tgt_target_release(&t);
    r.driver = "keep";
    refuses(r, "--driver keep: the facts of the target name no driver");
    r.driver = "new";
    refuses(r, "--driver 'new' is not a driver version");

    struct mdl_profile *p = mdl_profile_new();
    p->driver_version = "550.54.14";
    r = (struct tgt_request){ .driver = "keep" };
    t = make(r, p);
    assert_int_equal(t.driver, TGT_DRIVER_KEEP);
    assert_string_equal(t.profile->driver_version, "550.54.14");
    tgt_target_release(&t);
}

/* A profile that knows only what nvidia-smi prints in its corner: the oldest such driver is what can be counted on. */
static void driver_by_its_cuda(void **state)
{
    (void)state;
    struct mdl_profile *p = mdl_profile_new();
    p->driver_cuda = "12.2";
    struct tgt_target t = make((struct tgt_request){ .python = "3.12" }, p);
    assert_int_equal(t.driver, TGT_DRIVER_KEEP);
    assert_true(gf_slice_starts(gf_slice_of(t.profile->driver_version), GF_S("535.")));
    assert_true(has(t.assumed, "shows CUDA 12.2"));
    tgt_target_release(&t);
}

static void names_of_gpus(void **state)
{
    (void)state;
    const char *several[] = { "GT 730" }, *wrong[] = { "RTX 3091" }, *v100[] = { "V100" }, *pci[] = { "10de:2204" }, *cc[] = { "9.9" }, *gfx[] = { "gfx90a" };
    refuses(with_gpu(several), "differ in compute capability");
    refuses(with_gpu(several), "10de:1287");
    refuses(with_gpu(wrong), "there is no GPU 'RTX 3091' in the catalogue; the nearest names: ");
    refuses(with_gpu(wrong), "RTX 3090");
    refuses(with_gpu(cc), "no GPU of that compute capability");
    struct tgt_target t = make(with_gpu(v100), NULL);
    assert_string_equal(t.profile->gpus[0].cc, "7.0");
    assert_true(has(t.notes, "'V100' names"));
    tgt_target_release(&t);
    t = make(with_gpu(pci), NULL);
    assert_string_equal(t.profile->gpus[0].cc, "8.6");
    assert_int_equal(t.notes.n, 0);
    tgt_target_release(&t);
    t = make(with_gpu(gfx), NULL);
    assert_string_equal(t.profile->gpus[0].vendor, "amd");
    tgt_target_release(&t);
}

static void texts_that_are_wrong(void **state)
{
    (void)state;
    refuses((struct tgt_request){ .os = "debian-99" }, "there is no operating system 'debian-99' in the data (data/os/distros.json); known: ");
    refuses((struct tgt_request){ .os = "debian" }, "does not say ID-VERSION");
    refuses((struct tgt_request){ .python = "three" }, "--python 'three' is not a version of Python");
    refuses((struct tgt_request){ .python = "2.7" }, "Python 3 only");
    refuses((struct tgt_request){ .arch = "sparc" }, "--arch 'sparc' is not known");
    refuses((struct tgt_request){ .glibc = "new" }, "--glibc 'new' is not a version");
    refuses((struct tgt_request){ .accelerator = "fpga" }, "--accelerator 'fpga' is not known");
    refuses((struct tgt_request){ .kernel = "linux" }, "--kernel 'linux' is not a kernel release");
}

static void options_go_over_the_profile(void **state)
{
    (void)state;
    struct gf_err err = GF_ERR_INIT;
    struct mdl_profile *p = NULL;
    assert_int_equal(mdl_profile_parse(GF_S("{\"os\":{\"id\":\"ubuntu\",\"version\":\"22.04\",\"kernel\":\"5.15.0\"},\"libc\":{\"name\":\"glibc\",\"version\":\"2.35\"},"
                                            "\"python\":{\"version\":\"3.10.12\"},\"driver\":{\"version\":\"535.1\",\"cuda\":\"12.2\"}}"), "p.json", &p, &err), 0);
    struct tgt_target t = make((struct tgt_request){ .os = "debian-12", .python = "3.10", .driver = "580.95.05" }, p);
    assert_string_equal(t.profile->libc_version, "2.36");
    assert_string_equal(t.profile->python_version, "3.10.12"); /* X.Y says no more than the profile */
    assert_string_equal(t.profile->driver_version, "580.95.05");
    assert_string_equal(t.profile->driver_cuda, "13.0");
    assert_true(has(t.notes, "the profile says 535.1"));
    tgt_target_release(&t);
}

static void an_os_of_its_own(void **state)
{
    (void)state;
    struct tgt_target t = make((struct tgt_request){ .os = "houselinux-7", .glibc = "2.31", .python = "3.12", .accelerator = "cpu" }, NULL);
    assert_string_equal(t.profile->libc_name, "glibc");
    assert_string_equal(t.profile->accelerator, "cpu");
    assert_int_equal(t.unknown.n, 0);
    tgt_target_release(&t);
    t = make((struct tgt_request){ .os = "windows-11", .python = "3.12" }, NULL);
    assert_string_equal(t.profile->os_id, "windows");
    assert_true(has(t.unknown, "GPU"));
    assert_false(has(t.unknown, "glibc"));
    tgt_target_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_become_a_target), cmocka_unit_test(driver_modes),         cmocka_unit_test(driver_by_its_cuda),          cmocka_unit_test(names_of_gpus),
        cmocka_unit_test(an_os_of_its_own),      cmocka_unit_test(texts_that_are_wrong), cmocka_unit_test(options_go_over_the_profile),
    };
    return cmocka_run_group_tests_name("request", tests, open_matrix, close_matrix);
}
