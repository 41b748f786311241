/* Where files come from, and what operating systems are. */
#include "matrix/table.h"

static int read_route(struct mtx *m, const struct mtx_at *at, struct gf_js *row, struct gf_err *err)
{
    struct extra { struct mtx_route r; struct mtx_strs variants, packages; enum mtx_evidence evidence; };
    static const struct mtx_key keys[] = {
        { "index", MTX_STR, true, offsetof(struct extra, r.index) },     { "url", MTX_STR, true, offsetof(struct extra, r.url) },
        { "variants", MTX_STRS, true, offsetof(struct extra, variants) }, { "family", MTX_STR, true, offsetof(struct extra, r.family) },
        { "packages", MTX_STRS, true, offsetof(struct extra, packages) }, { "source", MTX_STR, true, offsetof(struct extra, r.source) },
        { "evidence", MTX_EVIDENCE, true, offsetof(struct extra, evidence) },
    };
    struct extra x = { 0 };
    if (MTX_READ(m, at, row, keys, &x, err)) return -1;
    const char *hole = strstr(x.r.url, "{variant}");
    if (!hole) return mtx_bad(at, "url", err, "expected {variant} in it");
    x.r.packages = x.packages.v, x.r.npackages = x.packages.n;
    const char *url = x.r.url;
    for (size_t i = 0; i < x.variants.n; i++) {
        struct mtx_route r = x.r;
        r.variant = x.variants.v[i];
        r.id = gf_arena_printf(&m->mem, "%s-%s", x.r.index, r.variant);
        r.url = gf_arena_printf(&m->mem, "%.*s%s%s", (int)(hole - url), url, r.variant, hole + sizeof "{variant}" - 1);
        if (mtx_unique(m, at, err, "%s", r.id)) return -1;
        m->evidence[MTX_T_ROUTES][x.evidence]++;
        gf_vec_push(&m->routes, r);
    }
    return 0;
}

int mtx_load_routes(struct mtx *m, struct gf_err *err)
{
    static const struct mtx_section sections[] = { { "indexes", read_route } };
    struct mtx_file *f = mtx_files_find(&m->files, GF_S("sources/indexes.json"));
    return f ? mtx_read_file(m, f, sections, 1, err) : 0;
}

size_t mtx_routes(struct mtx *m, const struct mtx_route **ret) { return mtx_need(m, MTX_T_ROUTES), *ret = m->routes.v, m->routes.n; }

static int read_distro(struct mtx *m, const struct mtx_at *at, struct gf_js *row, struct gf_err *err)
{
    struct extra { struct mtx_distro d; enum mtx_evidence evidence; };
    static const struct mtx_key keys[] = {
        { "id", MTX_STR, true, offsetof(struct extra, d.id) },             { "version", MTX_STR, true, offsetof(struct extra, d.version) },
        { "name", MTX_STR, true, offsetof(struct extra, d.name) },         { "glibc", MTX_STR, false, offsetof(struct extra, d.glibc) },
        { "kernel", MTX_STR, false, offsetof(struct extra, d.kernel) },    { "gcc", MTX_STR, false, offsetof(struct extra, d.gcc) },
        { "python", MTX_STR, false, offsetof(struct extra, d.python) },    { "libstdcxx", MTX_STR, false, offsetof(struct extra, d.libstdcxx) },
        { "source", MTX_STR, true, offsetof(struct extra, d.source) },     { "evidence", MTX_EVIDENCE, true, offsetof(struct extra, evidence) },
    };
    struct extra x = { 0 };
    if (MTX_READ(m, at, row, keys, &x, err) || mtx_unique(m, at, err, "%s %s", x.d.id, x.d.version)) return -1;
    m->evidence[MTX_T_DISTROS][x.evidence]++;
    gf_vec_push(&m->distros, x.d);
    return 0;
}

int mtx_load_distros(struct mtx *m, struct gf_err *err)
{
    static const struct mtx_section sections[] = { { "distros", read_distro } };
    struct mtx_file *f = mtx_files_find(&m->files, GF_S("os/distros.json"));
    return f ? mtx_read_file(m, f, sections, 1, err) : 0;
}

/* How many dotted parts the row's version shares with the one asked for; -1: another version. */
static int closeness(gf_slice row, gf_slice asked)
{
    if (gf_slice_ieq(row, asked)) return 100;
    gf_slice r, a;
    int n = 0;
    while (gf_slice_field(&row, '.', &r)) {
        if (!gf_slice_field(&asked, '.', &a)) return n;
        if (!gf_slice_ieq(r, a)) return -1;
        n++;
    }
    return n;
}

const struct mtx_distro *mtx_distro(struct mtx *m, gf_slice id, gf_slice version)
{
    mtx_need(m, MTX_T_DISTROS);
    const struct mtx_distro *best = NULL;
    int close = 0;
    for (size_t i = 0; i < m->distros.n; i++) {
        const struct mtx_distro *d = &m->distros.v[i];
        int c = gf_slice_ieq(gf_slice_of(d->id), id) ? closeness(gf_slice_of(d->version), version) : -1;
        if (c > close) best = d, close = c;
    }
    return best;
}

size_t mtx_distros(struct mtx *m, const struct mtx_distro **ret) { return mtx_need(m, MTX_T_DISTROS), *ret = m->distros.v, m->distros.n; }
