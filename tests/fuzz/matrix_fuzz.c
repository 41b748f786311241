/* First byte: which part. A data file of some table inside a set that is else empty, a whole pack, or a GPU's name against the built-in data. */
#include "matrix/matrix.h"
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void open_pack(gf_slice pack)
{
    struct mtx *m = NULL;
    struct gf_err err = GF_ERR_INIT;
    if (mtx_open_pack(pack, "fuzzed", &m, &err)) {
        if (m || err.code == GF_OK) abort(); /* refused without a reason */
        return;
    }
    GF_BUF_SCOPE struct gf_buf report;
    gf_buf_init(&report, 1 << 20);
    size_t errors;
    if (mtx_lint(m, &report, &errors, &err)) abort(); /* what opens can be read again */
    const struct mtx_build *const *builds;
    const struct mtx_rule *const *rules;
    mtx_builds(m, "torch", &builds);
    mtx_rules_for(m, "torch", &rules);
    mtx_gpu_by_name(m, GF_S("RTX 3090"), (const struct mtx_gpu *[4]){ NULL }, 4);
    mtx_driver_serves_gpu(m, "linux", GF_S("535.1"), 8, 6);
    mtx_driver_runs_cuda(m, "linux", GF_S("535.1"), GF_S("12.8"));
    mtx_free(m);
}

static void open_file(unsigned which, gf_slice text)
{
    static const char *const files[] = { "nvidia/gpus.json", "nvidia/driver.json", "nvidia/devices.json", "nvidia/cuda.json", "nvidia/runtime.json", "os/distros.json", "sources/indexes.json", "frameworks/torch.json" };
    static const char sources[] = "{\"sources\":[{\"id\":\"s\",\"title\":\"t\",\"where\":\"w\",\"date\":\"d\"}]}";
    const char *file = files[which % 8];
    GF_BUF_SCOPE struct gf_buf pack;
    gf_buf_init(&pack, 1 << 22);
    gf_buf_addf(&pack, "gpuferry-data 1\n5 VERSION\n%zu %s\n%zu sources.json\n\n1.2.3", text.n, file, sizeof sources - 1);
    gf_buf_addsl(&pack, text);
    gf_buf_adds(&pack, sources);
    open_pack(gf_buf_slice(&pack));
}

static void match_name(gf_slice text)
{
    static struct mtx *m;
    struct gf_err err = GF_ERR_INIT;
    if (!m && mtx_open(NULL, &m, &err)) abort();
    const struct mtx_gpu *g[8];
    size_t n = mtx_gpu_by_name(m, text, g, 8);
    for (size_t i = 0; i < n; i++)
        if (!g[i]->name) abort(); /* an id without a product name matched */
    mtx_gpu_nearest(m, text, g, 8);
    mtx_gpu_by_pci(m, text);
    struct gf_arena a = GF_ARENA_INIT;
    unsigned major, minor;
    if (mtx_cc_parse(text, &major, &minor) && (major < 1 || major > 99 || minor > 9)) abort();
    mtx_variant_cuda(&a, text);
    mtx_driver_cuda(m, "windows", text);
    mtx_driver_knows_device(m, text, text);
    mtx_distro(m, text, text);
    gf_arena_release(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    gf_slice text = gf_slice_n((const char *)data + 1, size - 1);
    if (data[0] == 'P') open_pack(text);
    else if (data[0] == 'N') match_name(text);
    else open_file(data[0], text);
    return 0;
}
