/* GPU code against compute capability, one GPU and one build at a time: R-ARCH, R-ARCH-ANY, R-EXT-ARCH, R-PTX. */
#include "judge/link.h"

enum certainty { MEASURED, BY_VARIANT, BY_TOOLKIT };

struct served {
    enum py_tri runs;
    enum mtx_how how;
    const char *why, *source, *ptx_needs_cuda;
    enum certainty certainty;
};

static struct served from_coverage(struct mtx_coverage c)
{
    return (struct served){ c.runs, c.how, c.why, c.source, c.ptx_needs_cuda, MEASURED };
}

/* The release is not known or has no row: every build of that variant, as far as they agree. */
static struct served by_variant(struct jdg *j, const struct jdg_pkg *pkg, const struct jdg_gpu *gpu)
{
    struct served all = { .runs = PY_UNKNOWN };
    const struct mtx_build *const *rows;
    size_t n = mtx_builds(j->m, pkg->name, &rows), seen = 0;
    for (size_t i = 0; i < n; i++) {
        if (!rows[i]->carries || !rows[i]->variant || strcmp(rows[i]->variant, pkg->variant) != 0) continue;
        struct served one = from_coverage(mtx_covers(j->m, rows[i]->carries, gpu->major, gpu->minor, gf_slice_of(j->driver_cuda)));
        if (seen++ && one.runs != all.runs) return (struct served){ .runs = PY_UNKNOWN };
        all = one;
    }
    all.certainty = BY_VARIANT;
    return all;
}

/* A toolkit makes no machine code for a GPU it does not know. NO, or unknown. */
static struct served by_toolkit(struct jdg *j, const struct jdg_pkg *pkg, const struct jdg_gpu *gpu)
{
    struct served s = { .runs = PY_UNKNOWN, .certainty = BY_TOOLKIT };
    const struct mtx_toolkit *t = pkg->cuda && strchr(pkg->cuda, '.') ? mtx_toolkit(j->m, gf_slice_of(pkg->cuda)) : NULL;
    if (!t || !t->nsm) return s;
    const char **list = GF_NEW_ARRAY(j->a, const char *, t->nsm);
    for (size_t i = 0; i < t->nsm; i++) list[i] = jdg_text(j, "sm_%s", t->sm[i]);
    struct mtx_coverage c = mtx_covers(j->m, mtx_carries_of_list(j->a, list, t->nsm, GF_NONE), gpu->major, gpu->minor, GF_NONE);
    if (c.how != MTX_NO_CODE) return s;
    s.runs = PY_NO;
    s.why = jdg_text(j, "CUDA %s, which made it, has no target that serves sm_%u%u", t->cuda, gpu->major, gpu->minor);
    s.source = t->source;
    return s;
}

static struct served served(struct jdg *j, const struct jdg_pkg *pkg, const struct jdg_gpu *gpu)
{
    if (pkg->carries) return from_coverage(mtx_covers(j->m, pkg->carries, gpu->major, gpu->minor, gf_slice_of(j->driver_cuda)));
    struct served s = { .runs = PY_UNKNOWN };
    if (pkg->variant_stated) s = by_variant(j, pkg, gpu);
    return s.runs == PY_UNKNOWN ? by_toolkit(j, pkg, gpu) : s;
}

static bool is_framework(const char *name)
{
    static const char *const names[] = { "torch", "tensorflow", "paddlepaddle-gpu", "jax", "jaxlib", "onnxruntime-gpu", "mxnet", "cupy" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

/* Frameworks of which nothing runs on a GPU that their own code does not serve. */
static bool decides(const char *name) { return strcmp(name, "torch") == 0 || strcmp(name, "tensorflow") == 0 || strcmp(name, "paddlepaddle-gpu") == 0; }

static bool has_gpu_code(struct jdg *j, const struct jdg_pkg *pkg)
{
    if (pkg->variant && (strcmp(pkg->variant, "cpu") == 0 || strncmp(pkg->variant, "rocm", 4) == 0)) return false;
    return pkg->carries || (mtx_holds_gpu_code(j->m, pkg->name) && !pkg->vendor_build);
}

/* The newest row of the same package (and release, when there is one) that serves every GPU, for the fix. */
static const struct mtx_build *other_build(struct jdg *j, const struct jdg_pkg *pkg, bool same_release)
{
    const struct mtx_build *const *rows;
    size_t n = mtx_builds(j->m, pkg->name, &rows);
    for (size_t i = 0; i < n; i++) {
        struct py_version v;
        if (!rows[i]->carries || !rows[i]->variant || (rows[i]->platform && strncmp(rows[i]->platform, j->os, strlen(j->os)) != 0)) continue;
        if (rows[i]->platform && j->p->arch && strcmp(j->os, "linux") == 0 && !strstr(rows[i]->platform, j->p->arch)) continue;
        if (same_release && (!pkg->has_version || !py_version_parse(j->a, gf_slice_of(rows[i]->version), &v) || py_version_cmp_public(&v, &pkg->version) != 0))
            continue;
        bool all = true;
        for (size_t g = 0; g < j->gpus.n && all; g++) {
            if (!j->gpus.v[g].has_cc) continue;
            struct mtx_coverage c = mtx_covers(j->m, rows[i]->carries, j->gpus.v[g].major, j->gpus.v[g].minor, gf_slice_of(j->driver_cuda));
            all = c.runs == PY_YES && c.how == MTX_CUBIN;
        }
        if (all && rows[i]->cuda && j->driver && mtx_driver_runs_cuda(j->m, j->driver_os, gf_slice_of(j->driver), gf_slice_of(rows[i]->cuda)).value == PY_NO)
            all = false;
        if (all) return rows[i];
    }
    return NULL;
}

static void offer_build(struct jdg *j, const struct jdg_pkg *pkg, struct mdl_finding *f)
{
    const struct mtx_build *b = other_build(j, pkg, true);
    if (!b) b = other_build(j, pkg, false);
    if (!b) {
        f->fix_text = jdg_text(j, "no build of %s in the data serves these GPUs: build it from source, or use another GPU", pkg->name);
        return;
    }
    f->fix_text = jdg_text(j, "%s %s, build %s, serves them", pkg->name, b->version, b->variant);
    bool local = b->index && strcmp(b->index, "default") != 0;
    const struct mtx_route *routes;
    size_t n = mtx_routes(j->m, &routes);
    const char *url = NULL;
    for (size_t i = 0; i < n && !url; i++)
        if (routes[i].variant && routes[i].family && strcmp(routes[i].variant, b->variant) == 0) {
            const char *family = mtx_family_of(j->m, pkg->name);
            if (strcmp(routes[i].family, pkg->name) == 0 || (family && strcmp(routes[i].family, family) == 0)) url = routes[i].url;
        }
    if (local && url) jdg_command(j, f, "pip install %s==%s --index-url %s", pkg->name, b->version, url);
    else jdg_command(j, f, "pip install %s==%s", pkg->name, b->version);
    jdg_source(j, f, b->source);
}

static void report_no_code(struct jdg *j, const struct jdg_pkg *pkg, const struct jdg_gpu *gpu, struct served s, bool others_served)
{
    bool extension = !is_framework(pkg->name) && (jdg_pkg(j, "torch") || jdg_pkg(j, "tensorflow"));
    const char *rule = extension ? "R-EXT-ARCH" : others_served ? "R-ARCH-ANY" : "R-ARCH";
    struct mdl_finding *f = jdg_find(j, MDL_ERROR, MDL_INCOMPATIBLE, rule, jdg_text(j, "%s on %s", pkg->label, gpu->label),
                                     "%s has no code that runs on %s%s%s%s", pkg->label, gpu->label, s.why ? ": " : "", s.why ? s.why : "",
                                     others_served ? "; the other GPUs are served, but a call fails as soon as this one is visible" : "");
    if (s.certainty != MEASURED) f->confidence = "medium";
    jdg_fact(j, f, "compute capability %u.%u", gpu->major, gpu->minor);
    if (pkg->p->narch) jdg_fact(j, f, "arch list: %s … %s", pkg->p->arch_list[0], pkg->p->arch_list[pkg->p->narch - 1]);
    if (pkg->variant) jdg_fact(j, f, "build %s", pkg->variant);
    jdg_source(j, f, s.source);
    if (others_served) {
        f->fix_text = "hide the card that is not served";
        jdg_command(j, f, "export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=<numbers of the other cards>");
    } else offer_build(j, pkg, f);
}

static void report_ptx(struct jdg *j, const struct jdg_pkg *pkg, const struct jdg_gpu *gpu, struct served s)
{
    const char *about = jdg_text(j, "%s on %s", pkg->label, gpu->label);
    if (s.runs == PY_NO) {
        struct mdl_finding *f = jdg_find(j, MDL_ERROR, MDL_INCOMPATIBLE, "R-PTX", about,
                                         "%s has only PTX for %s, and the driver's CUDA %s is older than the toolkit that made it%s%s", pkg->label, gpu->label,
                                         j->driver_cuda ? j->driver_cuda : "", s.ptx_needs_cuda ? ", " : "", s.ptx_needs_cuda ? s.ptx_needs_cuda : "");
        f->fix_text = jdg_text(j, "a driver for CUDA %s or newer, or a build with machine code for this GPU", s.ptx_needs_cuda ? s.ptx_needs_cuda : "as new as the toolkit");
        jdg_source(j, f, s.source);
    } else if (s.runs == PY_YES) {
        struct mdl_finding *f = jdg_find(j, MDL_WARNING, MDL_SLOW, "R-PTX", about,
                                         "%s has no machine code for %s: its PTX is compiled at the first start, which takes minutes to half an hour", pkg->label, gpu->label);
        jdg_source(j, f, s.source);
    } else mdl_verdict_miss(j->v, "driver version (its CUDA must be as new as the toolkit that made the PTX)");
}

/* The CUDA that a release was made with, where its file does not tell: by the table of releases ("10.1" of "10.1, 10.2"). */
static const char *cuda_of(struct jdg *j, const struct jdg_pkg *pkg)
{
    const struct mtx_release *rows;
    size_t n = pkg->cuda || !pkg->has_version ? 0 : mtx_releases(j->m, &rows);
    for (size_t i = 0; i < n; i++) {
        struct py_version v;
        gf_slice name = gf_slice_of(rows[i].name), own = gf_slice_of(pkg->name);
        bool same = gf_slice_eq(name, own) || (gf_slice_starts(own, name) && gf_slice_is(gf_slice_from(own, name.n), "-gpu"));
        if (!same || !py_version_parse(j->a, gf_slice_of(rows[i].version), &v) || v.nrelease < 2 || pkg->version.nrelease < 2) continue;
        if (v.release[0] != pkg->version.release[0] || v.release[1] != pkg->version.release[1]) continue;
        for (size_t k = 0; k < rows[i].nwith; k++)
            if (strcmp(rows[i].with[k].key, "cuda") == 0) return rows[i].with[k].value;
    }
    return pkg->cuda;
}

/* Nobody knows what the file holds, but its toolkit knew no such GPU: no machine code can be in it. */
static void report_older_toolkit(struct jdg *j, const struct jdg_pkg *pkg, const struct jdg_gpu *gpu)
{
    const char *cuda = cuda_of(j, pkg);
    const struct mtx_toolkit *t = cuda ? mtx_toolkit(j->m, gf_slice_of(cuda)) : NULL;
    for (size_t i = 0; t && i < t->nsm; i++) {
        gf_slice sm = gf_slice_of(t->sm[i]);
        uint64_t n = gf_take_u64(&sm);
        if (sm.p && n / 10 == gpu->major && n % 10 <= gpu->minor) return;
    }
    if (!t) return;
    struct mdl_finding *f = jdg_find(j, MDL_WARNING, MDL_SLOW, "R-ARCH", jdg_text(j, "%s on %s", pkg->label, gpu->label),
                                     "%s was made with CUDA %s, which knows no sm_%u%u: it has no machine code for %s. At best the driver compiles its PTX at the first start, which takes many "
                                     "minutes, and the cuBLAS and cuDNN of that CUDA know the GPU no better", pkg->label, t->cuda, gpu->major, gpu->minor, gpu->label);
    f->confidence = "medium";
    f->fix_text = jdg_text(j, "a release of %s made with a CUDA that knows sm_%u%u", pkg->name, gpu->major, gpu->minor);
    jdg_source(j, f, t->source);
}

static void judge_package(struct jdg *j, const struct jdg_pkg *pkg)
{
    struct served *all = GF_NEW_ARRAY(j->a, struct served, j->gpus.n);
    size_t yes = 0, no = 0;
    for (size_t g = 0; g < j->gpus.n; g++) {
        if (!j->gpus.v[g].has_cc) continue;
        all[g] = served(j, pkg, &j->gpus.v[g]);
        yes += all[g].runs == PY_YES;
        no += all[g].runs == PY_NO;
    }
    for (size_t g = 0; g < j->gpus.n; g++) {
        const struct jdg_gpu *gpu = &j->gpus.v[g];
        bool repeated = false;
        for (size_t k = 0; k < g && !repeated; k++) repeated = strcmp(j->gpus.v[k].label, gpu->label) == 0;
        if (!gpu->has_cc || repeated) continue;
        if (all[g].how == MTX_PTX) report_ptx(j, pkg, gpu, all[g]);
        else if (all[g].runs == PY_NO) report_no_code(j, pkg, gpu, all[g], yes > 0);
        else if (all[g].how == MTX_PARTLY)
            jdg_find(j, MDL_NOTE, MDL_INFO, "R-ARCH", jdg_text(j, "%s on %s", pkg->label, gpu->label), "%s serves %s, one of its helper libraries does not%s%s",
                     pkg->label, gpu->label, all[g].why ? ": " : "", all[g].why ? all[g].why : "");
        else if (all[g].runs == PY_UNKNOWN) {
            mdl_verdict_miss(j->v, jdg_text(j, "GPU code of %s (its arch list)", pkg->label));
            report_older_toolkit(j, pkg, gpu);
            if (decides(pkg->name) && !no) j->v->undecided = true;
        }
    }
}

/* nvcc without -arch: CUDA 9 and 10 make sm_30, 11 and 12 sm_52, 13 sm_75. */
static void judge_nvcc_default(struct jdg *j)
{
    unsigned major = j->p->nvcc ? jdg_cuda_major(j->p->nvcc) : 0;
    unsigned lowest = major >= 13 ? 75 : major >= 11 ? 52 : major >= 9 ? 30 : 0;
    if (!lowest || j->pkgs.n || !jdg_has_error(j, "no-kernel-image")) return;
    for (size_t g = 0; g < j->gpus.n; g++) {
        const struct jdg_gpu *gpu = &j->gpus.v[g];
        if (!gpu->has_cc || gpu->major * 10 + gpu->minor >= lowest) continue;
        struct mdl_finding *f = jdg_find(j, MDL_ERROR, MDL_INCOMPATIBLE, "R-NVCC-DEFAULT-ARCH", jdg_text(j, "nvcc %s for %s", j->p->nvcc, gpu->label),
                                         "nvcc %s without -arch makes code for sm_%u and newer; %s is older", j->p->nvcc, lowest, gpu->label);
        f->fix_text = jdg_text(j, "name the GPU when compiling: -arch=sm_%u%u (a toolkit that still has it: CUDA 11 for sm_3x, 12 for sm_5x to sm_7x)", gpu->major, gpu->minor);
        jdg_command(j, f, "nvcc -arch=sm_%u%u …", gpu->major, gpu->minor);
        return;
    }
}

void jdg_link_gpu_code(struct jdg *j)
{
    for (size_t i = 0; i < j->pkgs.n; i++) {
        const struct jdg_pkg *pkg = &j->pkgs.v[i];
        if (!has_gpu_code(j, pkg)) continue;
        if (is_framework(pkg->name) && !pkg->has_version && !pkg->variant && !pkg->carries) jdg_undecided(j, jdg_text(j, "version and build of %s", pkg->label));
        if (!j->gpus.n && j->p->gpus_known != MDL_ABSENT) mdl_verdict_miss(j->v, "GPU");
        judge_package(j, pkg);
    }
    judge_nvcc_default(j);
}
