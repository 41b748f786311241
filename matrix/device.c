/* Which driver series lists a device, from which version on (Turing and newer, from R515 on). */
#include "matrix/table.h"

static int read_series(struct mtx *m, const struct mtx_at *at, struct gf_js *row, struct gf_err *err)
{
    static const struct mtx_key keys[] = {
        MTX_KEY(struct mtx_series, branch, MTX_STR, true), MTX_KEY(struct mtx_series, first, MTX_STR, true),
        MTX_KEY(struct mtx_series, beta, MTX_STR, false),  MTX_KEY(struct mtx_series, source, MTX_STR, true),
        MTX_KEY(struct mtx_series, evidence, MTX_EVIDENCE, true),
    };
    struct mtx_series s = { 0 };
    if (MTX_READ(m, at, row, keys, &s, err) || mtx_unique(m, at, err, "%s", s.branch)) return -1;
    m->evidence[MTX_T_FIRST][s.evidence]++;
    gf_vec_push(&m->series, s);
    return 0;
}

static int read_first(struct mtx *m, const struct mtx_at *at, struct gf_js *row, struct gf_err *err)
{
    struct extra { struct mtx_first f; gf_slice first; };
    static const struct mtx_key keys[] = {
        MTX_KEY(struct mtx_first, pci, MTX_STR, true),    MTX_KEY(struct mtx_first, from, MTX_STR, false),
        MTX_KEY(struct mtx_first, branches, MTX_STRS, false), { "first", MTX_JSON, false, offsetof(struct extra, first) },
        MTX_KEY(struct mtx_first, source, MTX_STR, true), MTX_KEY(struct mtx_first, evidence, MTX_EVIDENCE, true),
    };
    struct extra x = { 0 };
    if (MTX_READ(m, at, row, keys, &x, err) || mtx_unique(m, at, err, "%s", x.f.pci)) return -1;
    struct mtx_first f = x.f;
    if (x.first.n && mtx_read_pairs(m, at, "first", x.first, &f.first, &f.nfirst, err)) return -1;
    if (!f.from && !f.branches.n) return mtx_bad(at, NULL, err, "expected 'from' or 'branches'");
    m->evidence[MTX_T_FIRST][f.evidence]++;
    gf_vec_push(&m->firsts, f);
    return 0;
}

int mtx_load_first(struct mtx *m, struct gf_err *err)
{
    static const struct mtx_section sections[] = { { "series", read_series }, { "devices", read_first } };
    struct mtx_file *f = mtx_files_find(&m->files, GF_S("nvidia/devices.json"));
    return f ? mtx_read_file(m, f, sections, 2, err) : 0;
}

static bool lists(const struct mtx_first *f, unsigned branch)
{
    for (size_t i = 0; i < f->branches.n; i++)
        if (mtx_driver_branch_number(gf_slice_of(f->branches.v[i])) == branch) return true;
    return f->from && branch >= mtx_driver_branch_number(gf_slice_of(f->from));
}

static bool is_beta(const struct mtx_series *s, gf_slice version)
{
    gf_slice beta = gf_slice_of(s->beta);
    return beta.n && gf_slice_starts(version, gf_slice_sub(beta, 0, beta.n - 1));
}

/* "2204" is the row's id, or the row is one of the products that share the id ("2331:10de:1626"). */
static bool same_device(const char *row, gf_slice pci)
{
    return gf_slice_ieq(gf_slice_sub(gf_slice_of(row), 0, pci.n), pci) && (row[pci.n] == 0 || row[pci.n] == ':');
}

static struct mtx_answer by_row(struct mtx *m, const struct mtx_first *f, const struct mtx_series *s, gf_slice driver_version, gf_slice pci)
{
    struct mtx_answer a = { PY_YES, NULL, f->source, "R-DRV-DEVICE" };
    const char *first = NULL;
    for (size_t i = 0; i < f->nfirst; i++)
        if (f->first[i].key && strcmp(f->first[i].key, s->branch) == 0) first = f->first[i].value;
    if (!lists(f, mtx_driver_branch_number(driver_version)))
        a.value = PY_NO, a.why = gf_arena_printf(&m->mem, "no driver of the %s series lists the device %.*s", s->branch, GF_FMT(pci));
    else if (first && gf_dotted_cmp(driver_version, gf_slice_of(first)) < 0)
        a.value = PY_NO, a.why = gf_arena_printf(&m->mem, "the %s series lists the device %.*s from %s on, this is %.*s", s->branch, GF_FMT(pci), first, GF_FMT(driver_version));
    return a;
}

struct mtx_answer mtx_driver_knows_device(struct mtx *m, gf_slice driver_version, gf_slice pci)
{
    mtx_need(m, MTX_T_FIRST);
    struct mtx_answer a = { PY_UNKNOWN, NULL, NULL, "R-DRV-DEVICE" };
    unsigned n = mtx_driver_branch_number(driver_version);
    const struct mtx_series *s = NULL;
    if (gf_slice_starts(pci, GF_S("10de:"))) pci = gf_slice_from(pci, 5);
    for (size_t i = 0; i < m->series.n; i++)
        if (mtx_driver_branch_number(gf_slice_of(m->series.v[i].branch)) == n) s = &m->series.v[i];
    if (!s || pci.n < 4 || is_beta(s, driver_version)) return a;
    for (size_t i = 0; i < m->firsts.n && a.value != PY_YES; i++)
        if (same_device(m->firsts.v[i].pci, pci)) a = by_row(m, &m->firsts.v[i], s, driver_version, pci);
    return a;
}
