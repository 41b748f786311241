/* CUDA toolkits, run-time floors, and whether a driver serves a CUDA. */
#include "matrix/table.h"

static int read_floor(struct mtx *m, const struct mtx_at *at, struct gf_js *row, struct gf_err *err)
{
    struct extra { struct mtx_cuda_floor f; enum mtx_evidence evidence; };
    static const struct mtx_key keys[] = {
        { "cuda", MTX_STR, true, offsetof(struct extra, f.major) },              { "linux", MTX_STR, true, offsetof(struct extra, f.linux_driver) },
        { "windows", MTX_STR, false, offsetof(struct extra, f.windows_driver) }, { "strict", MTX_BOOL, false, offsetof(struct extra, f.strict) },
        { "source", MTX_STR, true, offsetof(struct extra, f.source) },           { "evidence", MTX_EVIDENCE, true, offsetof(struct extra, evidence) },
    };
    struct extra x = { 0 };
    if (MTX_READ(m, at, row, keys, &x, err) || mtx_unique(m, at, err, "%s", x.f.major)) return -1;
    m->evidence[MTX_T_CUDA][x.evidence]++;
    gf_vec_push(&m->floors, x.f);
    return 0;
}

static int read_toolkit(struct mtx *m, const struct mtx_at *at, struct gf_js *row, struct gf_err *err)
{
    struct extra { struct mtx_toolkit t; struct mtx_strs sm; enum mtx_evidence evidence; };
    static const struct mtx_key keys[] = {
        { "cuda", MTX_STR, true, offsetof(struct extra, t.cuda) },         { "driver", MTX_STR, false, offsetof(struct extra, t.driver) },
        { "windows_driver", MTX_STR, false, offsetof(struct extra, t.windows_driver) },
        { "branch", MTX_STR, false, offsetof(struct extra, t.branch) },    { "sm", MTX_STRS, false, offsetof(struct extra, sm) },
        { "gcc_max", MTX_STR, false, offsetof(struct extra, t.gcc_max) },  { "ptx_isa", MTX_STR, false, offsetof(struct extra, t.ptx_isa) },
        { "source", MTX_STR, true, offsetof(struct extra, t.source) },     { "evidence", MTX_EVIDENCE, true, offsetof(struct extra, evidence) },
    };
    struct extra x = { 0 };
    if (MTX_READ(m, at, row, keys, &x, err) || mtx_unique(m, at, err, "%s", x.t.cuda)) return -1;
    struct mtx_target t;
    for (size_t i = 0; i < x.sm.n; i++)
        if (!mtx_target_parse(gf_slice_of(x.sm.v[i]), &t)) return mtx_bad(at, "sm", err, "expected targets like 75, 90a, 100f, found '%s'", x.sm.v[i]);
    x.t.sm = x.sm.v, x.t.nsm = x.sm.n;
    m->evidence[MTX_T_CUDA][x.evidence]++;
    gf_vec_push(&m->toolkits, x.t);
    return 0;
}

static int newest_first(const void *a, const void *b) { return mtx_cmp(((const struct mtx_toolkit *)b)->cuda, ((const struct mtx_toolkit *)a)->cuda); }

int mtx_load_cuda(struct mtx *m, struct gf_err *err)
{
    static const struct mtx_section sections[] = { { "floors", read_floor }, { "toolkits", read_toolkit } };
    struct mtx_file *f = mtx_files_find(&m->files, GF_S("nvidia/cuda.json"));
    if (f && mtx_read_file(m, f, sections, 2, err)) return -1;
    if (m->toolkits.n) qsort(m->toolkits.v, m->toolkits.n, sizeof *m->toolkits.v, newest_first);
    return 0;
}

/* "12.8.90" → "12.8" */
static gf_slice major_minor(gf_slice v)
{
    size_t n = 0, dots = 0;
    while (n < v.n && (gf_is_digit((unsigned char)v.p[n]) || (v.p[n] == '.' && ++dots < 2))) n++;
    return gf_slice_sub(v, 0, n);
}

const struct mtx_cuda_floor *mtx_cuda_floor(struct mtx *m, gf_slice cuda_version)
{
    mtx_need(m, MTX_T_CUDA);
    gf_slice mm = major_minor(cuda_version), major = mm;
    gf_slice_cut(&mm, '.', &major);
    mm = major_minor(cuda_version);
    for (size_t i = 0; mm.n && i < m->floors.n; i++) {
        const struct mtx_cuda_floor *f = &m->floors.v[i];
        if (gf_slice_is(f->strict ? mm : major, f->major)) return f;
    }
    return NULL;
}

const struct mtx_toolkit *mtx_toolkit(struct mtx *m, gf_slice cuda_version)
{
    mtx_need(m, MTX_T_CUDA);
    gf_slice mm = major_minor(cuda_version);
    for (size_t i = 0; i < m->toolkits.n; i++)
        if (gf_slice_is(mm, m->toolkits.v[i].cuda)) return &m->toolkits.v[i];
    return NULL;
}

size_t mtx_toolkits(struct mtx *m, const struct mtx_toolkit **ret)
{
    mtx_need(m, MTX_T_CUDA);
    *ret = m->toolkits.v;
    return m->toolkits.n;
}

struct mtx_answer mtx_driver_runs_cuda(struct mtx *m, const char *os, gf_slice driver_version, gf_slice cuda_version)
{
    const struct mtx_cuda_floor *f = mtx_cuda_floor(m, cuda_version);
    struct mtx_answer a = { PY_UNKNOWN, NULL, f ? f->source : NULL, f && f->strict ? "R-DRV-STRICT" : "R-DRV-MAJOR" };
    const char *floor = !f ? NULL : os && strcmp(os, "windows") == 0 ? f->windows_driver : f->linux_driver;
    if (!floor) a.why = gf_arena_printf(&m->mem, "the lowest driver for CUDA %.*s is not in the data", GF_FMT(cuda_version));
    else if (!mtx_driver_branch_number(driver_version)) a.why = "the driver version cannot be read";
    else {
        a.value = gf_dotted_cmp(driver_version, gf_slice_of(floor)) >= 0 ? PY_YES : PY_NO;
        a.why = gf_arena_printf(&m->mem, "CUDA %s needs driver %s or newer, this is %.*s", f->major, floor, GF_FMT(driver_version));
    }
    return a;
}

struct mtx_answer mtx_driver_runs_ptx(struct mtx *m, const char *os, gf_slice driver_version, gf_slice cuda_version)
{
    const struct mtx_branch *b = mtx_branch_of(m, os, driver_version);
    struct mtx_answer a = { PY_UNKNOWN, NULL, b ? b->source : NULL, "R-PTX" };
    if (!b || !b->cuda || !major_minor(cuda_version).n) {
        a.why = gf_arena_printf(&m->mem, "which CUDA driver %.*s supports is not in the data", GF_FMT(driver_version));
        return a;
    }
    a.value = gf_dotted_cmp(gf_slice_of(b->cuda), major_minor(cuda_version)) >= 0 ? PY_YES : PY_NO;
    a.why = gf_arena_printf(&m->mem, "PTX made by CUDA %.*s is compiled by a driver of that CUDA or newer, %.*s is of CUDA %s", GF_FMT(cuda_version), GF_FMT(driver_version), b->cuda);
    return a;
}
