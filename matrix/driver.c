/* Drivers: branches, which capability each serves, which device each knows, which CUDA each runs. */
#include "matrix/table.h"

enum { LINUX, WINDOWS };
static unsigned os_index(const char *os) { return os && strcmp(os, "windows") == 0 ? WINDOWS : LINUX; }

unsigned mtx_driver_branch_number(gf_slice version)
{
    uint64_t n = gf_take_u64(&version);
    return gf_slice_ok(version) && n < 100000 ? (unsigned)n : 0;
}

static int read_branch(struct mtx *m, const struct mtx_at *at, struct gf_js *row, struct gf_err *err)
{
    struct extra { struct mtx_branch b; enum mtx_evidence evidence; };
    static const struct mtx_key keys[] = {
        { "branch", MTX_STR, true, offsetof(struct extra, b.branch) },   { "os", MTX_STR, true, offsetof(struct extra, b.os) },
        { "first", MTX_STR, false, offsetof(struct extra, b.first) },    { "latest", MTX_STR, false, offsetof(struct extra, b.latest) },
        { "label", MTX_STR, false, offsetof(struct extra, b.label) },    { "lts", MTX_BOOL, false, offsetof(struct extra, b.lts) },
        { "released", MTX_STR, false, offsetof(struct extra, b.released) }, { "eol", MTX_STR, false, offsetof(struct extra, b.eol) },
        { "cuda", MTX_STR, false, offsetof(struct extra, b.cuda) },      { "source", MTX_STR, true, offsetof(struct extra, b.source) },
        { "evidence", MTX_EVIDENCE, true, offsetof(struct extra, evidence) },
    };
    struct extra *x = GF_NEW(&m->mem, struct extra);
    if (MTX_READ(m, at, row, keys, x, err) || mtx_unique(m, at, err, "%s %s", x->b.os, x->b.branch)) return -1;
    if (strcmp(x->b.os, "linux") && strcmp(x->b.os, "windows")) return mtx_bad(at, "os", err, "expected linux or windows, found '%s'", x->b.os);
    m->evidence[MTX_T_DRIVER][x->evidence]++;
    gf_vec_push(&m->branches[os_index(x->b.os)], &x->b);
    return 0;
}

static int read_capability(struct mtx *m, const struct mtx_at *at, struct gf_js *row, struct gf_err *err)
{
    static const struct mtx_key keys[] = {
        MTX_KEY(struct mtx_capability, cc, MTX_STR, true),          MTX_KEY(struct mtx_capability, generation, MTX_STR, true),
        MTX_KEY(struct mtx_capability, first, MTX_STR, false),      MTX_KEY(struct mtx_capability, last, MTX_STR, false),
        MTX_KEY(struct mtx_capability, modules, MTX_STR, false),    MTX_KEY(struct mtx_capability, source, MTX_STR, true),
        MTX_KEY(struct mtx_capability, evidence, MTX_EVIDENCE, true),
    };
    struct mtx_capability c = { 0 };
    if (MTX_READ(m, at, row, keys, &c, err) || mtx_unique(m, at, err, "%s", c.cc)) return -1;
    if (!mtx_cc_parse(gf_slice_of(c.cc), &c.major, &c.minor)) return mtx_bad(at, "cc", err, "expected a capability like 8.6, found '%s'", c.cc);
    m->evidence[MTX_T_DRIVER][c.evidence]++;
    gf_vec_push(&m->capabilities, c);
    return 0;
}

static int read_kernel(struct mtx *m, const struct mtx_at *at, struct gf_js *row, struct gf_err *err)
{
    struct extra { struct mtx_kernel_floor k; const char *drivers, *kernel; enum mtx_evidence evidence; };
    static const struct mtx_key keys[] = {
        { "drivers", MTX_STR, true, offsetof(struct extra, drivers) },   { "kernel", MTX_STR, true, offsetof(struct extra, kernel) },
        { "source", MTX_STR, true, offsetof(struct extra, k.source) },   { "evidence", MTX_EVIDENCE, true, offsetof(struct extra, evidence) },
    };
    struct extra x = { 0 };
    if (MTX_READ(m, at, row, keys, &x, err)) return -1;
    if (!py_specset_parse(&m->mem, gf_slice_of(x.drivers), false, &x.k.drivers)) return mtx_bad(at, "drivers", err, "'%s' is not a range like >=555.42.02", x.drivers);
    if (!py_specset_parse(&m->mem, gf_slice_of(x.kernel), false, &x.k.kernel)) return mtx_bad(at, "kernel", err, "'%s' is not a range like >=4.15", x.kernel);
    x.k.text = x.kernel;
    m->evidence[MTX_T_DRIVER][x.evidence]++;
    gf_vec_push(&m->kernels, x.k);
    return 0;
}

/* The least and the greatest capability that a branch serves. */
static void derive(struct mtx *m, struct mtx_branch *b)
{
    unsigned n = mtx_driver_branch_number(gf_slice_of(b->branch));
    bool open = false, closed = false;
    for (size_t i = 0; i < m->capabilities.n; i++) {
        const struct mtx_capability *c = &m->capabilities.v[i];
        if ((c->first && n < mtx_driver_branch_number(gf_slice_of(c->first))) || (c->last && n > mtx_driver_branch_number(gf_slice_of(c->last)))) continue;
        if (mtx_cc_is_tegra(c->major, c->minor)) continue;
        if (!b->min_cc || mtx_cmp(c->cc, b->min_cc) < 0) b->min_cc = c->cc;
        if (!b->max_cc || mtx_cmp(c->cc, b->max_cc) > 0) b->max_cc = c->cc;
        open |= n >= 515 && c->modules && strstr(c->modules, "open");
        closed |= !c->modules || strstr(c->modules, "proprietary");
    }
    b->flavours = open && closed ? "open,proprietary" : open ? "open" : "proprietary";
}

static int newest_first(const void *a, const void *b)
{
    return mtx_cmp((*(const struct mtx_branch *const *)b)->branch, (*(const struct mtx_branch *const *)a)->branch);
}

int mtx_load_driver(struct mtx *m, struct gf_err *err)
{
    static const struct mtx_section sections[] = { { "branches", read_branch }, { "capabilities", read_capability }, { "kernels", read_kernel } };
    struct mtx_file *f = mtx_files_find(&m->files, GF_S("nvidia/driver.json"));
    if (f && mtx_read_file(m, f, sections, 3, err)) return -1;
    for (unsigned os = LINUX; os <= WINDOWS; os++) {
        for (size_t i = 0; i < m->branches[os].n; i++) derive(m, (struct mtx_branch *)(uintptr_t)m->branches[os].v[i]);
        if (m->branches[os].n) qsort(m->branches[os].v, m->branches[os].n, sizeof *m->branches[os].v, newest_first);
    }
    return 0;
}

size_t mtx_branches(struct mtx *m, const char *os, const struct mtx_branch *const **ret)
{
    mtx_need(m, MTX_T_DRIVER);
    *ret = m->branches[os_index(os)].v;
    return m->branches[os_index(os)].n;
}

const struct mtx_branch *mtx_branch_of(struct mtx *m, const char *os, gf_slice driver_version)
{
    const struct mtx_branch *const *v;
    size_t n = mtx_branches(m, os, &v);
    unsigned number = mtx_driver_branch_number(driver_version);
    for (size_t i = 0; number && i < n; i++) {
        unsigned b = mtx_driver_branch_number(gf_slice_of(v[i]->branch));
        /* Windows counts on within a branch: 581 and 582 are R580 */
        if (b == number || (os_index(os) == WINDOWS && b < number && number < b + 10)) return v[i];
        if (b < number) return NULL;
    }
    return NULL;
}

const char *mtx_driver_cuda(struct mtx *m, const char *os, gf_slice driver_version)
{
    const struct mtx_branch *b = mtx_branch_of(m, os, driver_version);
    return b ? b->cuda : NULL;
}

static const struct mtx_capability *capability(struct mtx *m, unsigned major, unsigned minor)
{
    mtx_need(m, MTX_T_DRIVER);
    for (size_t i = 0; i < m->capabilities.n; i++)
        if (m->capabilities.v[i].major == major && m->capabilities.v[i].minor == minor) return &m->capabilities.v[i];
    return NULL;
}

const char *mtx_cc_generation(struct mtx *m, unsigned major, unsigned minor)
{
    const struct mtx_capability *c = capability(m, major, minor);
    return c ? c->generation : NULL;
}

bool mtx_cc_known(struct mtx *m, unsigned major, unsigned minor) { return capability(m, major, minor) != NULL; }

static const char *text(struct mtx *m, const char *fmt, ...)
{
    GF_BUF_SCOPE struct gf_buf b;
    gf_buf_init(&b, GF_CAP_ERROR);
    va_list ap;
    va_start(ap, fmt);
    gf_buf_vaddf(&b, fmt, ap);
    va_end(ap);
    return gf_arena_str(&m->mem, gf_buf_slice(&b));
}

/* The branch of a version as a number; for Windows the branch it counts to. */
static unsigned branch_number(struct mtx *m, const char *os, gf_slice version)
{
    const struct mtx_branch *b = os_index(os) == WINDOWS ? mtx_branch_of(m, os, version) : NULL;
    return mtx_driver_branch_number(b ? gf_slice_of(b->branch) : version);
}

struct mtx_answer mtx_driver_serves_gpu(struct mtx *m, const char *os, gf_slice driver_version, unsigned major, unsigned minor)
{
    const struct mtx_capability *c = capability(m, major, minor);
    unsigned n = branch_number(m, os, driver_version);
    if (!n) return (struct mtx_answer){ PY_UNKNOWN, "the driver version cannot be read", NULL, "R-DRV-GPU" };
    if (!c) return (struct mtx_answer){ PY_UNKNOWN, text(m, "compute capability %u.%u is not in the data", major, minor), NULL, "R-DRV-GPU" };
    if (mtx_cc_is_tegra(major, minor)) return (struct mtx_answer){ PY_UNKNOWN, text(m, "%s GPUs on a Jetson use the driver of its JetPack", c->generation), c->source, "R-TEGRA" };
    if (c->first && n < mtx_driver_branch_number(gf_slice_of(c->first)))
        return (struct mtx_answer){ PY_NO, text(m, "%s (compute capability %s) needs driver branch %s or newer, this is %u", c->generation, c->cc, c->first, n), c->source, "R-DRV-GPU" };
    if (c->last && n > mtx_driver_branch_number(gf_slice_of(c->last)))
        return (struct mtx_answer){ PY_NO, text(m, "driver branch %s is the last that serves %s (compute capability %s), this is %u", c->last, c->generation, c->cc, n), c->source, "R-DRV-GPU" };
    const struct mtx_branch *const *v;
    if (!mtx_branches(m, os, &v) || (!c->last && n >= mtx_driver_branch_number(gf_slice_of(v[0]->branch)) + 10))
        return (struct mtx_answer){ PY_UNKNOWN, text(m, "driver branch %u is newer than the data", n), c->source, "R-DRV-GPU" };
    return (struct mtx_answer){ PY_YES, text(m, "driver branch %u serves %s", n, c->generation), c->source, "R-DRV-GPU" };
}

struct mtx_answer mtx_flavour_serves_gpu(struct mtx *m, gf_slice flavour, gf_slice driver_version, unsigned major, unsigned minor)
{
    const struct mtx_capability *c = capability(m, major, minor);
    if (!c || !c->modules || !flavour.n) return (struct mtx_answer){ PY_UNKNOWN, "which kernel modules serve this GPU is not in the data", NULL, "R-OPEN-KMOD" };
    unsigned n = mtx_driver_branch_number(driver_version);
    if (gf_slice_is(flavour, "open") && n && n < 515)
        return (struct mtx_answer){ PY_NO, text(m, "driver branch %u has no open kernel modules, they begin with 515", n), c->source, "R-OPEN-KMOD" };
    if (gf_slice_has(gf_slice_of(c->modules), flavour))
        return (struct mtx_answer){ PY_YES, text(m, "%s runs with the %.*s kernel modules", c->generation, GF_FMT(flavour)), c->source, "R-OPEN-KMOD" };
    return (struct mtx_answer){ PY_NO, text(m, "%s (compute capability %s) needs the %s kernel modules, these are the %.*s ones", c->generation, c->cc, c->modules, GF_FMT(flavour)),
                                c->source, "R-OPEN-KMOD" };
}

struct mtx_answer mtx_driver_runs_kernel(struct mtx *m, gf_slice driver_version, gf_slice kernel)
{
    mtx_need(m, MTX_T_DRIVER);
    GF_ARENA_SCOPE struct gf_arena a = GF_ARENA_INIT;
    size_t end = 0;
    while (end < kernel.n && (gf_is_digit((unsigned char)kernel.p[end]) || kernel.p[end] == '.')) end++;
    struct py_version d, k;
    if (!py_version_parse(&a, driver_version, &d) || !py_version_parse(&a, gf_slice_sub(kernel, 0, end), &k)) return (struct mtx_answer){ PY_UNKNOWN, NULL, NULL, "R-DRV-KERNEL" };
    for (size_t i = 0; i < m->kernels.n; i++) {
        const struct mtx_kernel_floor *f = &m->kernels.v[i];
        if (!py_specset_contains(&f->drivers, &d)) continue;
        if (py_specset_contains(&f->kernel, &k)) return (struct mtx_answer){ PY_YES, NULL, f->source, "R-DRV-KERNEL" };
        return (struct mtx_answer){ PY_NO, text(m, "driver %.*s needs Linux %s, this is %.*s", GF_FMT(driver_version), f->text, GF_FMT(kernel)), f->source, "R-DRV-KERNEL" };
    }
    return (struct mtx_answer){ PY_UNKNOWN, NULL, NULL, "R-DRV-KERNEL" };
}
