/* The driver against the CUDA of the builds, against the GPUs, and its kernel modules: R-DRV-STRICT, R-DRV-MAJOR, R-DRV-GPU, R-OPEN-KMOD. */
#include "judge/link.h"

/* A driver whose number is not known is as new as the CUDA that it shows: judged by majors, and exactly up to 10.2. */
static enum py_tri runs_by_cuda(const char *driver_cuda, const char *build_cuda)
{
    unsigned have = jdg_cuda_major(driver_cuda), want = jdg_cuda_major(build_cuda);
    if (want <= 10) {
        if (!strchr(build_cuda, '.')) return have >= want ? PY_UNKNOWN : PY_NO;
        return gf_dotted_cmp(gf_slice_of(driver_cuda), gf_slice_of(build_cuda)) >= 0 ? PY_YES : PY_NO;
    }
    return have >= want ? PY_YES : PY_NO;
}

static struct mtx_answer runs_cuda(struct jdg *j, const char *cuda)
{
    struct mtx_answer a = { .value = PY_UNKNOWN };
    bool whole = j->driver && strchr(j->driver, '.'); /* "525" alone may be older than 525.60.13 */
    if (whole && !j->tegra) a = mtx_driver_runs_cuda(j->m, j->driver_os, gf_slice_of(j->driver), gf_slice_of(cuda));
    if (a.value == PY_UNKNOWN && j->driver_cuda) a = (struct mtx_answer){ .value = runs_by_cuda(j->driver_cuda, cuda) };
    return a;
}

static const char *floor_driver(struct jdg *j, const struct mtx_cuda_floor *floor)
{
    if (!floor) return NULL;
    return strcmp(j->driver_os, "windows") == 0 ? floor->windows_driver : floor->linux_driver;
}

static void report_old_driver(struct jdg *j, const struct jdg_pkg *pkg, struct mtx_answer a)
{
    unsigned major = jdg_cuda_major(pkg->cuda);
    const char *rule = major <= 10 ? "R-DRV-STRICT" : "R-DRV-MAJOR";
    const struct mtx_cuda_floor *floor = mtx_cuda_floor(j->m, gf_slice_of(pkg->cuda));
    const char *need = floor_driver(j, floor);
    struct mdl_finding *f = jdg_find(j, MDL_ERROR, MDL_INCOMPATIBLE, rule, jdg_text(j, "%s with driver %s", pkg->label, j->driver ? j->driver : "of unknown number"),
                                     "%s is made for CUDA %s, which needs driver %s or newer; there is driver %s%s%s%s", pkg->label, pkg->cuda,
                                     need ? need : "of that CUDA", j->driver ? j->driver : "?", j->driver_cuda ? " (CUDA " : "", j->driver_cuda ? j->driver_cuda : "",
                                     j->driver_cuda ? ")" : "");
    if (j->driver) jdg_fact(j, f, "driver %s", j->driver);
    if (j->driver_cuda) jdg_fact(j, f, "driver's CUDA %s", j->driver_cuda);
    if (pkg->variant) jdg_fact(j, f, "build %s", pkg->variant);
    jdg_source(j, f, a.source);
    if (floor) jdg_source(j, f, floor->source);
    f->fix_text = jdg_text(j, "driver %s or newer, or a build of %s for CUDA %u", need ? need : "of that CUDA", pkg->name,
                           j->driver_cuda ? jdg_cuda_major(j->driver_cuda) : major - 1);
}

static void judge_cuda(struct jdg *j)
{
    const char *said = NULL;
    for (size_t i = 0; i < j->pkgs.n; i++) {
        const struct jdg_pkg *pkg = &j->pkgs.v[i];
        if (!pkg->cuda || (said && strcmp(said, pkg->cuda) == 0)) continue;
        if (!j->driver && !j->driver_cuda) {
            mdl_verdict_miss(j->v, "driver");
            continue;
        }
        struct mtx_answer a = runs_cuda(j, pkg->cuda);
        if (a.value == PY_NO) {
            report_old_driver(j, pkg, a);
            said = pkg->cuda;
        } else if (a.value == PY_UNKNOWN) mdl_verdict_miss(j->v, jdg_text(j, "whether driver %s runs CUDA %s", j->driver ? j->driver : j->driver_cuda, pkg->cuda));
    }
}

static void judge_branch(struct jdg *j, const struct jdg_gpu *gpu)
{
    struct mtx_answer a = mtx_driver_serves_gpu(j->m, j->driver_os, gf_slice_of(j->driver), gpu->major, gpu->minor);
    const char *about = jdg_text(j, "driver %s and %s", j->driver, gpu->label);
    if (a.value == PY_NO) {
        struct mdl_finding *f = jdg_find(j, MDL_ERROR, MDL_INCOMPATIBLE, "R-DRV-GPU", about, "driver %s does not drive %s%s%s", j->driver, gpu->label, a.why ? ": " : "",
                                         a.why ? a.why : "");
        jdg_source(j, f, a.source);
        const struct mtx_branch *const *rows;
        size_t n = mtx_branches(j->m, j->driver_os, &rows);
        for (size_t i = 0; i < n; i++)
            if (rows[i]->latest && mtx_driver_serves_gpu(j->m, j->driver_os, gf_slice_of(rows[i]->latest), gpu->major, gpu->minor).value == PY_YES) {
                f->fix_text = jdg_text(j, "a driver of branch %s (newest that serves it: %s)", rows[i]->branch, rows[i]->latest);
                break;
            }
    } else if (gpu->g->pci && mtx_driver_knows_device(j->m, gf_slice_of(j->driver), gf_slice_of(gpu->g->pci)).value == PY_NO) {
        a = mtx_driver_knows_device(j->m, gf_slice_of(j->driver), gf_slice_of(gpu->g->pci));
        struct mdl_finding *f = jdg_find(j, MDL_WARNING, MDL_INCOMPATIBLE, "R-DRV-GPU", about, "driver %s may not know %s%s%s", j->driver, gpu->label, a.why ? ": " : "",
                                         a.why ? a.why : "");
        f->confidence = "medium";
        jdg_source(j, f, a.source);
    }
}

static void judge_flavour(struct jdg *j, const struct jdg_gpu *gpu)
{
    if (!j->flavour) return;
    struct mtx_answer a = mtx_flavour_serves_gpu(j->m, gf_slice_of(j->flavour), gf_slice_of(j->driver), gpu->major, gpu->minor);
    if (a.value != PY_NO) return;
    bool open = strcmp(j->flavour, "open") == 0;
    struct mdl_finding *f = jdg_find(j, MDL_ERROR, MDL_INCOMPATIBLE, "R-OPEN-KMOD", jdg_text(j, "%s kernel modules and %s", j->flavour, gpu->label),
                                     "the %s kernel modules do not drive %s%s%s", j->flavour, gpu->label, a.why ? ": " : "", a.why ? a.why : "");
    jdg_source(j, f, a.source);
    f->fix_text = open ? "install the proprietary kernel modules of the same driver (branch 580 or older)" : "install the open kernel modules of the same driver";
}

/* The message says that PTX was refused; a toolkit newer than the driver's CUDA says whose. */
static void judge_ptx(struct jdg *j)
{
    if (!jdg_has_error(j, "ptx-toolchain") || !j->driver_cuda) return;
    const char *newer = NULL, *what = NULL;
    if (j->p->nvcc && gf_dotted_cmp(gf_slice_of(j->p->nvcc), gf_slice_of(j->driver_cuda)) > 0) newer = j->p->nvcc, what = "the toolkit";
    for (size_t i = 0; i < j->pkgs.n && !newer; i++)
        if (j->pkgs.v[i].cuda && strchr(j->pkgs.v[i].cuda, '.') && gf_dotted_cmp(gf_slice_of(j->pkgs.v[i].cuda), gf_slice_of(j->driver_cuda)) > 0)
            newer = j->pkgs.v[i].cuda, what = j->pkgs.v[i].label;
    /* 12.2.140 of the same 12.2 is not newer */
    if (!newer || gf_slice_starts(gf_slice_of(newer), gf_slice_of(jdg_text(j, "%s.", j->driver_cuda)))) return;
    struct mdl_finding *f = jdg_find(j, MDL_ERROR, MDL_INCOMPATIBLE, "R-PTX", jdg_text(j, "CUDA %s with driver CUDA %s", newer, j->driver_cuda),
                                     "%s is of CUDA %s, the driver of CUDA %s: it refuses PTX of a newer toolkit, within one major too", what, newer, j->driver_cuda);
    f->fix_text = jdg_text(j, "a driver for CUDA %s or newer, or a build with machine code for this GPU", newer);
}

void jdg_link_driver(struct jdg *j)
{
    judge_cuda(j);
    judge_ptx(j);
    for (size_t i = 0; i < j->gpus.n; i++) {
        const struct jdg_gpu *gpu = &j->gpus.v[i];
        bool repeated = false;
        for (size_t k = 0; k < i && !repeated; k++) repeated = strcmp(j->gpus.v[k].label, gpu->label) == 0;
        if (!gpu->has_cc || repeated || mtx_cc_is_tegra(gpu->major, gpu->minor)) continue;
        if (j->driver) judge_branch(j, gpu);
        judge_flavour(j, gpu);
    }
}
