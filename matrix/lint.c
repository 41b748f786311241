/* The audit: every table read strictly, then what is missing or contradicts. */
#include "matrix/table.h"

static const struct { const char *name; enum mtx_table t; } tables[] = {
    { "GPUs", MTX_T_GPUS },         { "drivers", MTX_T_DRIVER },   { "devices by driver series", MTX_T_FIRST }, { "CUDA", MTX_T_CUDA },
    { "packages", MTX_T_PACKAGES }, { "indexes", MTX_T_ROUTES },   { "operating systems", MTX_T_DISTROS },
};

static void count_rows(struct mtx *m, struct gf_buf *out)
{
    gf_buf_addf(out, "data %s, sha256 %s\n\n%-26s%10s%12s%10s%6s%8s\n", m->version, mtx_sha256(m), "table", "reported", "documented", "measured", "run", "rows");
    size_t all[4] = { 0 };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const size_t *e = m->evidence[tables[i].t];
        gf_buf_addf(out, "%-26s%10zu%12zu%10zu%6zu%8zu\n", tables[i].name, e[0], e[1], e[2], e[3], e[0] + e[1] + e[2] + e[3]);
        for (unsigned k = 0; k < 4; k++) all[k] += e[k];
    }
    gf_buf_addf(out, "%-26s%10zu%12zu%10zu%6zu%8zu\n%zu sources\n", "all", all[0], all[1], all[2], all[3], all[0] + all[1] + all[2] + all[3], m->sources.n);
}

void mtx_lint_json(struct mtx *m, size_t errors, const char *report, struct gf_jw *w)
{
    static const char *const names[] = { "reported", "documented", "measured", "run" };
    gf_jw_obj(w);
    gf_jw_kstr(w, "matrix", m->version);
    gf_jw_kstr(w, "sha256", mtx_sha256(m));
    gf_jw_kint(w, "errors", (int64_t)errors);
    gf_jw_key(w, "tables");
    gf_jw_obj(w);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        gf_jw_key(w, tables[i].name);
        gf_jw_obj(w);
        for (unsigned k = 0; k < 4; k++) gf_jw_kint(w, names[k], (int64_t)m->evidence[tables[i].t][k]);
        gf_jw_end_obj(w);
    }
    gf_jw_end_obj(w);
    gf_jw_kint(w, "sources", (int64_t)m->sources.n);
    gf_jw_kstr(w, "report", report);
    gf_jw_end_obj(w);
}

static void error(struct gf_buf *out, size_t *n, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void error(struct gf_buf *out, size_t *n, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    gf_buf_adds(out, "error: ");
    gf_buf_vaddf(out, fmt, ap);
    gf_buf_addc(out, '\n');
    va_end(ap);
    ++*n;
}

/* GPUs whose capability no row explains, toolkits without a floor, rules about components that nothing declares. */
static void contradictions(struct mtx *m, struct gf_buf *out, size_t *errors)
{
    for (size_t i = 0; i < m->gpus.n; i++) {
        const struct mtx_gpu *g = &m->gpus.v[i];
        unsigned major, minor;
        if (g->cc && mtx_cc_parse(gf_slice_of(g->cc), &major, &minor) && !mtx_cc_known(m, major, minor))
            error(out, errors, "%s has capability %s, which nvidia/driver.json does not know", g->pci ? g->pci : g->name, g->cc);
    }
    for (size_t i = 0; i < m->toolkits.n; i++)
        if (!mtx_cuda_floor(m, gf_slice_of(m->toolkits.v[i].cuda))) error(out, errors, "CUDA %s has no row of its lowest driver", m->toolkits.v[i].cuda);
    for (size_t i = 0; i < m->builds.n; i++) {
        const struct mtx_build *b = m->builds.v[i];
        if (b->cuda && !mtx_cuda_floor(m, gf_slice_of(b->cuda))) error(out, errors, "%s %s is built with CUDA %s, whose lowest driver is not in the data", b->package, b->version, b->cuda);
    }
}

/* The targets that count of a build's main library, as text; PTX is left out: whether a list names it differs between vendors' pages and files. */
static void main_targets(const struct mtx_build *b, struct gf_buf *out)
{
    const struct mtx_library *l = b->carries->nlibraries ? &b->carries->libraries[0] : NULL;
    unsigned max = 0;
    for (size_t i = 0; l && i < l->ncubin; i++) max = l->cubin[i].count > max ? l->cubin[i].count : max;
    for (size_t i = 0; l && i < l->ncubin; i++)
        if (l->cubin[i].count * 4 >= max) gf_buf_addf(out, "%s ", l->cubin[i].target);
}

/* One version and variant for one platform from two indexes: the same build, so the same code. */
static void disagreeing_builds(struct mtx *m, struct gf_buf *out, size_t *errors)
{
    GF_BUF_SCOPE struct gf_buf x, y;
    gf_buf_init(&x, GF_CAP_ERROR);
    gf_buf_init(&y, GF_CAP_ERROR);
    for (size_t p = 0; p < m->packages.n; p++)
        for (size_t i = 0; i < m->packages.v[p]->builds.n; i++)
            for (size_t k = i + 1; k < m->packages.v[p]->builds.n; k++) {
                const struct mtx_build *a = m->packages.v[p]->builds.v[i], *b = m->packages.v[p]->builds.v[k];
                if (!a->carries || !b->carries || !a->variant || !b->variant || !a->platform || !b->platform) continue;
                if (strcmp(a->version, b->version) || strcmp(a->variant, b->variant) || strcmp(a->platform, b->platform)) continue;
                gf_buf_clear(&x);
                gf_buf_clear(&y);
                main_targets(a, &x);
                main_targets(b, &y);
                if (!gf_slice_eq(gf_buf_slice(&x), gf_buf_slice(&y)))
                    error(out, errors, "%s %s %s for %s holds %s(%s), and %s(%s): one of the rows is wrong", a->package, a->version, a->variant, a->platform, gf_buf_str(&x), a->source,
                          gf_buf_str(&y), b->source);
            }
}

/* A row of a file that other folders read: its source must be known. */
static void audit_row(struct mtx *m, const struct mtx_file *f, struct gf_js *js, size_t row, struct gf_buf *out, size_t *errors)
{
    gf_slice key, source = GF_NONE;
    if (gf_js_peek(js) != GF_JSON_OBJECT) {
        gf_js_skip(js);
        return;
    }
    gf_js_obj(js);
    while (gf_js_key(js, &key)) {
        if (gf_slice_is(key, "source")) source = gf_js_str(js);
        else gf_js_skip(js);
    }
    GF_FREE char *id = source.p ? gf_xstrndup(source) : NULL;
    if (!id || !mtx_source(m, id)) error(out, errors, "%.*s: row %zu: %s", GF_FMT(f->path), row, id ? "its source is not in sources.json" : "it names no source");
}

static size_t audit_others(struct mtx *m, struct gf_buf *out, size_t *errors)
{
    size_t rows = 0;
    for (size_t i = 0; i < m->files.n; i++) {
        const struct mtx_file *f = &m->files.v[i];
        if (f->loaded || !gf_slice_ends(f->path, GF_S(".json"))) continue;
        GF_FREE char *label = gf_xstrndup(f->path);
        struct gf_js js;
        struct gf_err err = GF_ERR_INIT;
        gf_slice table;
        gf_js_init(&js, f->text, label, &m->mem);
        if (gf_js_peek(&js) == GF_JSON_OBJECT) gf_js_obj(&js);
        while (gf_js_key(&js, &table)) {
            if (gf_js_peek(&js) != GF_JSON_ARRAY) gf_js_skip(&js);
            else if (gf_js_arr(&js))
                for (size_t row = 0; gf_js_item(&js); row++, rows++) audit_row(m, f, &js, row, out, errors);
        }
        if (gf_js_end(&js, &err)) error(out, errors, "%s", err.text);
    }
    return rows;
}

static void gaps(struct mtx *m, struct gf_buf *out)
{
    size_t unknown = 0, noname = 0, nomemory = 0, noclass = 0;
    for (size_t i = 0; i < m->builds.n; i++) unknown += !m->builds.v[i]->carries;
    for (size_t i = 0; i < m->gpus.n; i++) noname += !m->gpus.v[i].name, nomemory += !m->gpus.v[i].memory_mib, noclass += !m->gpus.v[i].klass;
    gf_buf_addf(out, "\ngaps: %zu of %zu builds whose GPU code is not known; of %zu GPUs %zu have no product name, %zu no memory, %zu no class\n", unknown, m->builds.n, m->gpus.n, noname,
                nomemory, noclass);
    for (size_t i = 0; i < m->packages.n; i++) {
        const struct mtx_package *p = m->packages.v[i];
        if (p->gpu_code && !p->builds.n) gf_buf_addf(out, "gap: %.*s holds GPU code, no build of it is in the data\n", GF_FMT(gf_names_get(&m->names, (uint32_t)i)));
    }
    for (size_t i = 0; i < m->toolkits.n; i++)
        if (!m->toolkits.v[i].branch) gf_buf_addf(out, "gap: the driver branch of CUDA %s is not known\n", m->toolkits.v[i].cuda);
}

int mtx_lint(struct mtx *m, struct gf_buf *report, size_t *ret_errors, struct gf_err *err)
{
    size_t errors = 0;
    if (mtx_check(m, err)) return -1;
    count_rows(m, report);
    gf_buf_addf(report, "%zu rows in files that other parts of the program read\n", audit_others(m, report, &errors));
    contradictions(m, report, &errors);
    disagreeing_builds(m, report, &errors);
    gaps(m, report);
    *ret_errors = errors;
    return 0;
}
