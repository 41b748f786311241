/* The matrix: lookups of the data in the program, and the meaning of its facts. */
#include "base/digest.h"
#include "matrix/matrix.h"
#include "matrix/table.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct mtx *m;
static struct gf_arena mem = GF_ARENA_INIT;

static int open_matrix(void **state)
{
    (void)state;
    struct gf_err err = GF_ERR_INIT;
    return mtx_open(NULL, &m, &err);
}

static int close_matrix(void **state)
{
    (void)state;
    mtx_free(m);
    gf_arena_release(&mem);
    return 0;
}

static void checks_itself(void **state)
{
    (void)state;
    struct mtx *x;
    struct gf_err err = GF_ERR_INIT;
    assert_int_equal(mtx_open(NULL, &x, &err), 0);
    GF_BUF_SCOPE struct gf_buf report;
    gf_buf_init(&report, 1 << 20);
    size_t errors = 99;
    int rc = mtx_lint(x, &report, &errors, &err);
    if (rc || errors) print_message("%s\n%s\n", err.text, gf_buf_str(&report));
    assert_int_equal(rc, 0);
    assert_int_equal(errors, 0);
    mtx_free(x);
}

/* The one capability that all products of a name have, or "none", or "several". */
static const char *cc_of(const char *name)
{
    const struct mtx_gpu *g[64];
    size_t n = mtx_gpu_by_name(m, gf_slice_of(name), g, 64);
    if (!n) return "none";
    for (size_t i = 1; i < n; i++)
        if (!g[i]->cc || !g[0]->cc || strcmp(g[i]->cc, g[0]->cc)) return "several";
    return g[0]->cc ? g[0]->cc : "not NVIDIA";
}

static void names_of_gpus(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "RTX 3090", "8.6" }, { "NVIDIA GeForce RTX 3090", "8.6" }, { "RTX3090", "8.6" }, { "rtx 3090 ti", "8.6" }, { "GTX 1080", "6.1" }, { "GTX 1080 Ti", "6.1" },
        { "GTX 1080Ti", "6.1" }, { "V100", "7.0" }, { "Tesla V100-SXM2-16GB", "7.0" }, { "A100-SXM4-80GB", "8.0" }, { "NVIDIA A100-SXM4-80GB", "8.0" }, { "A100", "8.0" }, { "NVIDIA A100 80GB PCIe", "8.0" },
        { "Tesla K80", "3.7" }, { "K80", "3.7" }, { "H100 PCIe", "9.0" }, { "NVIDIA H100 80GB HBM3", "9.0" }, { "RTX 4060 Laptop", "8.9" },
        { "NVIDIA GeForce RTX 4060 Laptop GPU", "8.9" }, { "RTX PRO 6000", "12.0" }, { "RTX 5090", "12.0" }, { "Tesla T4", "7.5" }, { "T4", "7.5" }, { "L40S", "8.9" },
        { "A10G", "8.6" }, { "RTX A6000", "8.6" }, { "RTX 6000 Ada", "8.9" }, { "NVIDIA RTX 6000 Ada Generation", "8.9" }, { "Quadro RTX 4000", "7.5" }, { "GTX 750 Ti", "several" },
        { "GT 730", "several" }, { "GT 1030", "several" }, { "Jetson AGX Orin", "8.7" }, { "RTX 3090 24GB", "8.6" }, { "B200", "10.0" }, { "H200", "9.0" },
        { "RTX 9999", "none" }, { "GeForce", "none" }, { "RTX", "none" }, { "", "none" }, { "24GB", "none" }, { "H20", "9.0" }, { "Quadro RTX 8000", "7.5" }, { "NVIDIA A16", "8.6" }, { "A2", "8.6" }, { "Tesla C2070", "2.0" }, { "RTX 2080 Ti", "7.5" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *cc = cc_of(cases[i][0]);
        if (strcmp(cc, cases[i][1])) print_message("'%s' means %s, expected %s\n", cases[i][0], cc, cases[i][1]);
        assert_string_equal(cc, cases[i][1]);
    }
}

static void other_vendors(void **state)
{
    (void)state;
    static const char *const rows[][3] = { { "RX 7900 XTX", "amd", "gfx1100" }, { "AMD Instinct MI300X", "amd", "gfx942" }, { "MI250X", "amd", "gfx90a" }, { "Radeon RX 6800 XT", "amd", "gfx1030" } };
    const struct mtx_gpu *g[8];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(mtx_gpu_by_name(m, gf_slice_of(rows[i][0]), g, 8) > 0);
        assert_string_equal(g[0]->vendor, rows[i][1]);
        assert_string_equal(g[0]->gfx, rows[i][2]);
    }
    assert_int_equal(mtx_gpu_by_name(m, GF_S("Ascend 910B"), g, 8), 1);
    assert_string_equal(g[0]->vendor, "huawei");
    assert_true(mtx_gpu_by_name(m, GF_S("MTT S4000"), g, 8) > 0);
    assert_string_equal(g[0]->vendor, "moore-threads");
    assert_null(g[0]->cc);
}

static void exact_names_exclude_others(void **state)
{
    (void)state;
    const struct mtx_gpu *g[64];
    size_t n = mtx_gpu_by_name(m, GF_S("RTX 3090"), g, 64);
    for (size_t i = 0; i < n; i++) assert_null(strstr(g[i]->name, "Ti"));
    n = mtx_gpu_by_name(m, GF_S("RTX 4060"), g, 64);
    assert_true(n > 0);
    for (size_t i = 0; i < n; i++) assert_null(strstr(g[i]->name, "Mobile"));
}

static void nearest_names(void **state)
{
    (void)state;
    const struct mtx_gpu *g[5];
    assert_true(mtx_gpu_nearest(m, GF_S("RTX 3091"), g, 5) > 0);
    assert_non_null(strstr(g[0]->name, "RTX 30"));
    assert_int_equal(mtx_gpu_nearest(m, GF_S("completely different words here"), g, 5), 0);
}

static void ids_of_devices(void **state)
{
    (void)state;
    static const char *const ways[] = { "10de:2204", "10DE:2204", "2204", "0x220410de", "0x2204", "10de2204" };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const struct mtx_gpu *g = mtx_gpu_by_pci(m, gf_slice_of(ways[i]));
        assert_non_null(g);
        assert_string_equal(g->name, "GeForce RTX 3090");
    }
    assert_null(mtx_gpu_by_pci(m, GF_S("10de:ffff")));
    assert_null(mtx_gpu_by_pci(m, GF_S("RTX 3090")));
    assert_null(mtx_gpu_by_pci(m, GF_S("")));
}

static void capabilities_as_text(void **state)
{
    (void)state;
    static const struct { const char *text; unsigned major, minor; } good[] = { { "8.6", 8, 6 }, { "sm_86", 8, 6 }, { "86", 8, 6 }, { "sm_120", 12, 0 }, { "12.0", 12, 0 } };
    static const char *const bad[] = { "", "8", "sm_", "sm_90a", "8.6.1", "x", "1234", "8.12" };
    unsigned a, b;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(mtx_cc_parse(gf_slice_of(good[i].text), &a, &b));
        assert_int_equal(a, good[i].major);
        assert_int_equal(b, good[i].minor);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(mtx_cc_parse(gf_slice_of(bad[i]), &a, &b));
}

static void drivers(void **state)
{
    (void)state;
    static const char *const cuda[][3] = { { "linux", "535.309.01", "12.2" }, { "linux", "550.54.14", "12.4" }, { "linux", "470.256.02", "11.4" }, { "linux", "580.95.05", "13.0" },
                                           { "windows", "537.13", "12.2" }, { "windows", "581.42", "13.0" } };
    for (size_t i = 0; i < sizeof cuda / sizeof *cuda; i++) assert_string_equal(mtx_driver_cuda(m, cuda[i][0], gf_slice_of(cuda[i][1])), cuda[i][2]);
    assert_null(mtx_driver_cuda(m, "linux", GF_S("999.1")));
    static const struct { const char *driver; unsigned major, minor; enum py_tri want; } serves[] = {
        { "580.95.05", 6, 1, PY_YES }, { "590.48.01", 6, 1, PY_NO }, { "470.256.02", 3, 7, PY_YES }, { "535.309.01", 3, 7, PY_NO }, { "390.157", 2, 0, PY_YES },
        { "570.124.06", 12, 0, PY_YES }, { "550.54.14", 12, 0, PY_NO }, { "580.95.05", 9, 9, PY_UNKNOWN }, { "banana", 8, 6, PY_UNKNOWN }, { "900.1", 8, 6, PY_UNKNOWN },
    };
    for (size_t i = 0; i < sizeof serves / sizeof *serves; i++)
        assert_int_equal(mtx_driver_serves_gpu(m, "linux", gf_slice_of(serves[i].driver), serves[i].major, serves[i].minor).value, serves[i].want);
    assert_int_equal(mtx_driver_serves_gpu(m, "windows", GF_S("582.78"), 6, 1).value, PY_YES);
    assert_int_equal(mtx_flavour_serves_gpu(m, GF_S("proprietary"), GF_S("580.95.05"), 12, 0).value, PY_NO);
    assert_int_equal(mtx_flavour_serves_gpu(m, GF_S("open"), GF_S("580.95.05"), 7, 0).value, PY_NO);
    assert_int_equal(mtx_flavour_serves_gpu(m, GF_S("open"), GF_S("580.95.05"), 8, 6).value, PY_YES);
    assert_int_equal(mtx_driver_runs_kernel(m, GF_S("580.95.05"), GF_S("3.10.0-1160.el7.x86_64")).value, PY_NO);
    assert_int_equal(mtx_driver_runs_kernel(m, GF_S("550.163.01"), GF_S("3.10.0-1160.el7.x86_64")).value, PY_YES);
}

static void devices_in_a_series(void **state)
{
    (void)state;
    assert_int_equal(mtx_driver_knows_device(m, GF_S("570.86.15"), GF_S("10de:2b85")).value, PY_NO); /* RTX 5090: 570.86.16 */
    assert_int_equal(mtx_driver_knows_device(m, GF_S("570.124.06"), GF_S("10de:2b85")).value, PY_YES);
    assert_int_equal(mtx_driver_knows_device(m, GF_S("535.54.03"), GF_S("2b85")).value, PY_NO);
    assert_int_equal(mtx_driver_knows_device(m, GF_S("525.60.13"), GF_S("10de:2331")).value, PY_YES); /* only products of the id have rows */
    assert_int_equal(mtx_driver_knows_device(m, GF_S("515.105.01"), GF_S("10de:2331")).value, PY_NO);
    assert_int_equal(mtx_driver_knows_device(m, GF_S("580.65.06"), GF_S("")).value, PY_UNKNOWN);
    assert_int_equal(mtx_driver_knows_device(m, GF_S("470.256.02"), GF_S("10de:2204")).value, PY_UNKNOWN);
}

static void cuda_floors(void **state)
{
    (void)state;
    static const struct { const char *driver, *cuda; enum py_tri runs, ptx; } rows[] = {
        { "535.309.01", "12.8", PY_YES, PY_NO }, { "535.309.01", "13.0", PY_NO, PY_NO }, { "580.95.05", "13.2", PY_YES, PY_NO }, { "580.95.05", "12.8", PY_YES, PY_YES },
        { "450.80.02", "11.8", PY_YES, PY_NO }, { "440.33", "10.2", PY_YES, PY_YES }, { "418.39", "10.2", PY_NO, PY_NO }, { "525.60.12", "12.0", PY_NO, PY_YES },
        { "580.95.05", "14.0", PY_UNKNOWN, PY_NO }, { "999.1", "12.8", PY_YES, PY_UNKNOWN },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(mtx_driver_runs_cuda(m, "linux", gf_slice_of(rows[i].driver), gf_slice_of(rows[i].cuda)).value, rows[i].runs);
        assert_int_equal(mtx_driver_runs_ptx(m, "linux", gf_slice_of(rows[i].driver), gf_slice_of(rows[i].cuda)).value, rows[i].ptx);
    }
    assert_int_equal(mtx_driver_runs_cuda(m, "windows", GF_S("526.1"), GF_S("12.8")).value, PY_NO);
    assert_string_equal(mtx_toolkit(m, GF_S("12.8.90"))->cuda, "12.8");
    assert_null(mtx_toolkit(m, GF_S("12.7")));
}

static const struct mtx_build *default_torch(const char *version)
{
    struct py_version v;
    assert_true(py_version_parse(&mem, gf_slice_of(version), &v));
    return mtx_build_of(m, "torch", &v, "default", "linux_x86_64", NULL);
}

/* Builds newer than the data are not known to run. */
static const char *newest_torch(const char *driver, const char *const *ccs, size_t n)
{
    static const char *const versions[] = { "2.16.0", "2.15.0", "2.14.1", "2.13.0", "2.12.1", "2.11.0", "2.10.0", "2.9.1", "2.8.0", "2.7.1", "2.6.0", "2.5.1",
                                            "2.4.1", "2.3.1", "2.2.2", "2.1.2", "2.0.1", "1.13.1", "1.12.1", "1.11.0", "1.10.2", "1.9.1", "1.8.1" };
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        const struct mtx_build *b = default_torch(versions[i]);
        if (!b || mtx_driver_runs_cuda(m, "linux", gf_slice_of(driver), gf_slice_of(b->cuda)).value != PY_YES) continue;
        bool all = true;
        for (size_t k = 0; k < n; k++) {
            unsigned major, minor;
            assert_true(mtx_cc_parse(gf_slice_of(ccs[k]), &major, &minor));
            all = all && mtx_covers(m, b->carries, major, minor, gf_slice_of(mtx_driver_cuda(m, "linux", gf_slice_of(driver)))).runs == PY_YES;
        }
        if (all) return versions[i];
    }
    return "none";
}

static void torch_of_the_default_index(void **state)
{
    (void)state;
    static const struct { const char *driver, *cc[2]; size_t n; const char *want; } rows[] = {
        { "535.309.01", { "8.6" }, 1, "2.10.0" }, { "580.95.05", { "8.6" }, 1, "2.15.0" }, { "580.95.05", { "6.1" }, 1, "2.7.1" },  { "580.95.05", { "7.0" }, 1, "2.10.0" },
        { "570.124.06", { "12.0" }, 1, "2.10.0" }, { "580.95.05", { "8.6", "6.1" }, 2, "2.7.1" }, { "470.256.02", { "3.7" }, 1, "2.0.1" }, { "580.95.05", { "3.7" }, 1, "2.0.1" },
        { "580.95.05", { "8.9" }, 1, "2.15.0" }, { "580.95.05", { "10.3" }, 1, "2.15.0" }, { "580.95.05", { "8.7" }, 1, "none" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *v = newest_torch(rows[i].driver, rows[i].cc, rows[i].n);
        if (strcmp(v, rows[i].want)) print_message("%s, driver %s: torch %s, expected %s\n", rows[i].cc[0], rows[i].driver, v, rows[i].want);
        assert_string_equal(v, rows[i].want);
    }
}

static void helpers_may_cover_less(void **state)
{
    (void)state;
    struct mtx_coverage c = mtx_covers(m, default_torch("2.15.0")->carries, 7, 5, GF_NONE);
    assert_int_equal(c.runs, PY_YES);
    assert_int_equal(c.how, MTX_PARTLY);
    assert_non_null(strstr(c.why, "linalg"));
    c = mtx_covers(m, default_torch("2.15.0")->carries, 12, 1, GF_NONE);
    assert_int_equal(c.how, MTX_CUBIN);
}

static struct mtx_coverage of_list(const char *const *list, size_t n, const char *cuda, unsigned major, unsigned minor, const char *driver_cuda)
{
    return mtx_covers(m, mtx_carries_of_list(&mem, list, n, gf_slice_of(cuda)), major, minor, gf_slice_of(driver_cuda));
}

static void code_on_gpus(void **state)
{
    (void)state;
    static const struct { const char *list[3]; size_t n; unsigned major, minor; const char *driver_cuda; enum py_tri runs; enum mtx_how how; } rows[] = {
        { { "sm_80" }, 1, 8, 6, NULL, PY_YES, MTX_CUBIN },           { { "sm_86" }, 1, 8, 0, NULL, PY_NO, MTX_NO_CODE },
        { { "sm_86" }, 1, 8, 7, NULL, PY_NO, MTX_NO_CODE },          { { "sm_87" }, 1, 8, 9, NULL, PY_NO, MTX_NO_CODE },
        { { "sm_87" }, 1, 8, 7, NULL, PY_YES, MTX_CUBIN },           { { "sm_90a" }, 1, 9, 0, NULL, PY_YES, MTX_CUBIN },
        { { "sm_120a" }, 1, 12, 1, NULL, PY_NO, MTX_NO_CODE },       { { "sm_120f" }, 1, 12, 1, NULL, PY_YES, MTX_CUBIN },
        { { "sm_100f" }, 1, 10, 3, NULL, PY_YES, MTX_CUBIN },        { { "sm_90" }, 1, 12, 0, NULL, PY_NO, MTX_NO_CODE },
        { { "sm_80", "compute_80" }, 2, 12, 0, "13.0", PY_YES, MTX_PTX }, { { "sm_80", "compute_80" }, 2, 12, 0, "12.2", PY_NO, MTX_PTX },
        { { "sm_80", "compute_80" }, 2, 12, 0, NULL, PY_UNKNOWN, MTX_PTX }, { { "compute_90a" }, 1, 12, 0, "13.0", PY_NO, MTX_NO_CODE },
        { { "sm_101" }, 1, 11, 0, NULL, PY_YES, MTX_CUBIN },         { { "sm_100" }, 1, 11, 0, NULL, PY_NO, MTX_NO_CODE },
        { { "sm_53" }, 1, 5, 3, NULL, PY_YES, MTX_CUBIN },           { { "sm_52" }, 1, 5, 3, NULL, PY_NO, MTX_NO_CODE },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mtx_coverage c = of_list(rows[i].list, rows[i].n, "12.8", rows[i].major, rows[i].minor, rows[i].driver_cuda);
        if (c.runs != rows[i].runs || c.how != rows[i].how) print_message("row %zu: %s on %u.%u\n", i, rows[i].list[0], rows[i].major, rows[i].minor);
        assert_int_equal(c.runs, rows[i].runs);
        assert_int_equal(c.how, rows[i].how);
    }
    assert_int_equal(mtx_covers(m, NULL, 8, 6, GF_NONE).runs, PY_UNKNOWN);
}

static void builds_by_file(void **state)
{
    (void)state;
    struct py_version v;
    assert_true(py_version_parse(&mem, GF_S("2.14.1+cu126"), &v));
    const struct mtx_build *b = mtx_build_of(m, "torch", &v, "pytorch-cu126", "linux_x86_64", NULL);
    assert_non_null(b);
    assert_string_equal(b->variant, "cu126");
    assert_int_equal(mtx_covers(m, b->carries, 6, 1, GF_NONE).runs, PY_YES);
    assert_string_equal(mtx_variant_of(m, "torch", &v, "pytorch-cu126", "linux_x86_64"), "cu126");
    assert_true(py_version_parse(&mem, GF_S("2.10.0+cpu"), &v));
    assert_int_equal(mtx_covers(m, mtx_build_of(m, "torch", &v, "pytorch", "linux_x86_64", NULL)->carries, 8, 6, GF_NONE).runs, PY_NO);
    assert_true(py_version_parse(&mem, GF_S("2.10.0"), &v));
    assert_string_equal(mtx_variant_of(m, "torch", &v, "default", "linux_x86_64"), "cu128");
    assert_string_equal(mtx_variant_of(m, "torch", &v, "default", "windows"), "cpu");
    assert_string_equal(mtx_variant_of(m, "torch", &v, NULL, "linux_x86_64"), "cu128");
    const struct mtx_build *const *all;
    size_t n = mtx_builds(m, "torch", &all);
    for (size_t i = 1; i < n; i++) { /* newest first */
        struct py_version x, y;
        assert_true(py_version_parse(&mem, gf_slice_of(all[i - 1]->version), &x) && py_version_parse(&mem, gf_slice_of(all[i]->version), &y));
        assert_true(py_version_cmp(&x, &y) >= 0);
    }
    /* a file's digest wins over what its name says */
    const char *digest = default_torch("2.14.1")->sha256[0];
    assert_string_equal(mtx_build_of(m, "torch", &v, NULL, "windows", digest)->variant, "cu130");
    assert_true(py_version_parse(&mem, GF_S("2.14.1"), &v));
    assert_string_equal(mtx_build_of(m, "torch", &v, NULL, "windows", digest)->version, "2.14.1");
    assert_true(py_version_parse(&mem, GF_S("2.99.0"), &v));
    assert_null(mtx_build_of(m, "torch", &v, "default", "linux_x86_64", NULL));
    assert_true(py_version_parse(&mem, GF_S("2.99.0+cu140"), &v));
    assert_string_equal(mtx_variant_of(m, "torch", &v, "pytorch-cu140", "linux_x86_64"), "cu140");
    assert_string_equal(mtx_variant_cuda(&mem, GF_S("cu128")), "12.8");
    assert_string_equal(mtx_variant_cuda(&mem, GF_S("cu92")), "9.2");
    assert_null(mtx_variant_cuda(&mem, GF_S("cpu")));
    assert_true(mtx_holds_gpu_code(m, "torch"));
    assert_false(mtx_holds_gpu_code(m, "numpy"));
}

static void rules(void **state)
{
    (void)state;
    const struct mtx_rule *const *r;
    size_t n = mtx_rules_for(m, "nvidia-cuda-runtime-cu12", &r);
    assert_int_equal(n, 1);
    assert_int_equal(r[0]->kind, MTX_PROVIDES);
    assert_string_equal(r[0]->terms[0].name, "cuda12");
    struct py_version v;
    assert_true(py_version_parse(&mem, GF_S("12.8.90"), &v));
    assert_string_equal(mtx_provided_version(&mem, r[0]->terms[0].text, &v), "12.8");
    assert_string_equal(mtx_provided_version(&mem, "{version}", &v), "12.8.90");
    n = mtx_rules_for(m, "cuda12", &r);
    assert_true(n >= 2);
    assert_string_equal(r[0]->id, "R-DRV-MAJOR");
    assert_string_equal(r[0]->terms[0].name, "driver");
    assert_true(py_version_parse(&mem, GF_S("525.60.12"), &v));
    assert_false(py_specset_contains(&r[0]->terms[0].specs, &v));
    assert_true(mtx_is_component(m, "cuda12"));
    assert_true(mtx_is_component(m, "driver"));
    assert_true(mtx_is_component(m, "libcurand.so.10"));
    assert_false(mtx_is_component(m, "torch"));
    const char *const *p;
    assert_int_equal(mtx_providers(m, "cuda13", &p), 1);
    assert_string_equal(p[0], "nvidia-cuda-runtime");
    bool numpy = false;
    n = mtx_rules_about(m, "numpy", &r);
    for (size_t i = 0; i < n; i++) numpy |= strcmp(r[i]->package, "torch") == 0 && r[i]->kind == MTX_CONSTRAINS;
    assert_true(numpy);
    assert_string_equal(mtx_family_of(m, "torchvision"), "torch");
    const struct mtx_route *routes;
    n = mtx_routes(m, &routes);
    bool found = false;
    for (size_t i = 0; i < n; i++)
        if (strcmp(routes[i].id, "pytorch-cu126") == 0) found = strcmp(routes[i].url, "https://download.pytorch.org/whl/cu126/") == 0 && strcmp(routes[i].index, "pytorch") == 0;
    assert_true(found);
}

static void operating_systems(void **state)
{
    (void)state;
    static const char *const rows[][3] = { { "debian", "12", "2.36" }, { "centos", "7", "2.17" }, { "ubuntu", "22.04", "2.35" }, { "debian", "12.5", "2.36" }, { "rhel", "9.4", "2.34" },
                                           { "sles", "15.6", "2.38" } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct mtx_distro *d = mtx_distro(m, gf_slice_of(rows[i][0]), gf_slice_of(rows[i][1]));
        assert_non_null(d);
        assert_string_equal(d->glibc, rows[i][2]);
    }
    assert_null(mtx_distro(m, GF_S("debian"), GF_S("99")));
    assert_null(mtx_distro(m, GF_S("plan9"), GF_S("4")));
}

static void the_programs_own_digest_is_that_of_its_data(void **state)
{
    (void)state;
    struct mtx *fresh = NULL;
    struct gf_err err = GF_ERR_INIT;
    char hex[GF_SHA256_HEX];
    assert_int_equal(mtx_open(NULL, &fresh, &err), 0);
    gf_sha256_hex(mtx_embedded(), hex);
    assert_string_equal(mtx_sha256(fresh), hex);
    mtx_free(fresh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_programs_own_digest_is_that_of_its_data),
        cmocka_unit_test(checks_itself),     cmocka_unit_test(names_of_gpus),       cmocka_unit_test(other_vendors), cmocka_unit_test(exact_names_exclude_others), cmocka_unit_test(nearest_names),
        cmocka_unit_test(ids_of_devices),    cmocka_unit_test(capabilities_as_text), cmocka_unit_test(drivers),                   cmocka_unit_test(devices_in_a_series),
        cmocka_unit_test(cuda_floors),       cmocka_unit_test(torch_of_the_default_index), cmocka_unit_test(helpers_may_cover_less), cmocka_unit_test(code_on_gpus),
        cmocka_unit_test(builds_by_file),    cmocka_unit_test(rules),               cmocka_unit_test(operating_systems),
    };
    return cmocka_run_group_tests_name("matrix", tests, open_matrix, close_matrix);
}
