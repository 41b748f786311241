/* matrix show NAME: what the data holds on a name. */
#include "cli/matrix.h"

#define ROW(t, ...) out_table_row(t, (const char *const[]){ __VA_ARGS__ })

const char *cmd_targets_text(struct cmd_answer *a, const struct mtx_carries *c)
{
    if (!c) return NULL;
    if (!c->nlibraries) return "none (CPU)";
    GF_BUF_SCOPE struct gf_buf b;
    gf_buf_init(&b, GF_CAP_ERROR);
    const struct mtx_library *l = &c->libraries[0];
    for (size_t i = 0; i < l->ncubin; i++) {
        gf_buf_addf(&b, "%s%s", i ? " " : "", l->cubin[i].target);
        if (l->cubin[i].count > 1) gf_buf_addf(&b, "(%u)", l->cubin[i].count);
    }
    for (size_t i = 0; i < l->nptx; i++) gf_buf_addf(&b, "%s%s+PTX", b.n ? " " : "", l->ptx[i].target);
    return gf_arena_str(&a->mem, gf_buf_slice(&b));
}

static void gpu_row(struct cmd_answer *a, struct out_table *t, const struct mtx_gpu *g)
{
    unsigned major, minor;
    const char *generation = g->cc && mtx_cc_parse(gf_slice_of(g->cc), &major, &minor) ? mtx_cc_generation(a->m, major, minor) : NULL;
    ROW(t, g->pci, g->name, g->chip, g->cc ? g->cc : g->gfx, generation, g->klass, g->memory_mib ? gf_arena_printf(&a->mem, "%lld", (long long)g->memory_mib) : NULL, cmd_evidence_name(g->evidence),
        cmd_answer_source(a, g->source));
}

static const char *const gpu_columns[] = { "pci", "name", "chip", "capability", "generation", "class", "memory_mib", "evidence", "source" };

static int no_gpu(struct cmd_answer *a, const char *name, struct gf_err *err)
{
    const struct mtx_gpu *near[5];
    size_t n = mtx_gpu_nearest(a->m, gf_slice_of(name), near, 5);
    GF_BUF_SCOPE struct gf_buf b;
    gf_buf_init(&b, GF_CAP_ERROR);
    for (size_t i = 0; i < n; i++) gf_buf_addf(&b, "%s%s", i ? ", " : "; nearest: ", near[i]->name);
    return gf_fail(err, GF_E_NO, "no GPU '%s' is in the data%s", name, gf_buf_str(&b));
}

static int show_gpu(struct cmd_answer *a, const char *detail, struct gf_err *err)
{
    enum { CAP = 256 };
    const struct mtx_gpu *g[CAP];
    struct out_table *t = CMD_TABLE(a, "gpus", detail ? detail : "GPUs", gpu_columns);
    if (!detail) {
        for (size_t i = 0; i < mtx_gpu_count(a->m); i++)
            if (mtx_gpu_at(a->m, i)->name) gpu_row(a, t, mtx_gpu_at(a->m, i));
        return 0;
    }
    unsigned major, minor;
    const struct mtx_gpu *one = mtx_gpu_by_pci(a->m, gf_slice_of(detail));
    size_t n = one ? 1 : mtx_gpu_by_name(a->m, gf_slice_of(detail), g, CAP);
    if (one) g[0] = one;
    if (!n && mtx_cc_parse(gf_slice_of(detail), &major, &minor))
        for (size_t i = 0; i < mtx_gpu_count(a->m) && n < CAP; i++) {
            unsigned x, y;
            const struct mtx_gpu *c = mtx_gpu_at(a->m, i);
            if (c->cc && mtx_cc_parse(gf_slice_of(c->cc), &x, &y) && x == major && y == minor && c->name) g[n++] = c;
        }
    if (!n) return no_gpu(a, detail, err);
    for (size_t i = 0; i < n; i++) gpu_row(a, t, g[i]);
    return 0;
}

static void branch_row(struct cmd_answer *a, struct out_table *t, const struct mtx_branch *b)
{
    ROW(t, b->branch, b->os, b->first, b->latest, b->label, b->eol, b->cuda, b->min_cc, b->max_cc, b->flavours, cmd_answer_source(a, b->source));
}

static int show_driver(struct cmd_answer *a, const char *detail, struct gf_err *err)
{
    static const char *const columns[] = { "branch", "os", "first", "latest", "label", "end_of_life", "cuda", "from_capability", "to_capability", "modules", "source" };
    struct out_table *t = CMD_TABLE(a, "branches", "driver branches", columns);
    static const char *const systems[] = { "linux", "windows" };
    for (size_t s = 0; s < 2; s++) {
        const struct mtx_branch *const *v, *one = detail ? mtx_branch_of(a->m, systems[s], gf_slice_of(detail)) : NULL;
        size_t n = mtx_branches(a->m, systems[s], &v);
        for (size_t i = 0; i < n; i++)
            if (!detail || v[i] == one) branch_row(a, t, v[i]);
    }
    return t->cells.n ? 0 : gf_fail(err, GF_E_NO, "no driver branch of '%s' is in the data; 'gpuferry matrix show driver' lists them", detail);
}

static void add_floors(struct cmd_answer *a)
{
    static const char *const columns[] = { "cuda", "linux", "windows", "minor_versions", "source" }, *const asked[] = { "13", "12", "11", "10.2", "10.1", "10.0", "9.2", "9.1", "9.0", "8.0" };
    struct out_table *t = CMD_TABLE(a, "floors", "lowest driver", columns);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        const struct mtx_cuda_floor *f = mtx_cuda_floor(a->m, gf_slice_of(asked[i]));
        if (f) ROW(t, f->major, f->linux_driver, f->windows_driver, f->strict ? "each its own" : "compatible", cmd_answer_source(a, f->source));
    }
}

static int show_cuda(struct cmd_answer *a, const char *detail, struct gf_err *err)
{
    static const char *const columns[] = { "cuda", "driver_in_it", "branch", "ptx_isa", "gcc_at_most", "targets", "source" };
    const struct mtx_toolkit *v, *one = detail ? mtx_toolkit(a->m, gf_slice_of(detail)) : NULL;
    if (detail && !one) return gf_fail(err, GF_E_NO, "no CUDA '%s' is in the data; 'gpuferry matrix show cuda' lists them", detail);
    struct out_table *t = CMD_TABLE(a, "toolkits", "CUDA toolkits", columns);
    size_t n = mtx_toolkits(a->m, &v);
    for (size_t i = 0; i < n; i++) {
        if (one && &v[i] != one) continue;
        GF_BUF_SCOPE struct gf_buf b;
        gf_buf_init(&b, GF_CAP_ERROR);
        for (size_t k = 0; k < v[i].nsm; k++) gf_buf_addf(&b, "%s%s", k ? " " : "", v[i].sm[k]);
        ROW(t, v[i].cuda, v[i].driver, v[i].branch, v[i].ptx_isa, v[i].gcc_max, b.n ? gf_arena_str(&a->mem, gf_buf_slice(&b)) : NULL, cmd_answer_source(a, v[i].source));
    }
    add_floors(a);
    return 0;
}

static void add_about(struct cmd_answer *a, const struct mtx_about *b)
{
    static const char *const columns[] = { "name", "is", "text", "see", "source" };
    ROW(CMD_TABLE(a, "about_it", b->title, columns), b->name, b->kind, b->text, b->see, cmd_answer_source(a, b->source));
}

static void add_releases(struct cmd_answer *a, const char *name)
{
    static const char *const columns[] = { "version", "with", "date", "evidence", "source" };
    struct out_table *t = CMD_TABLE(a, "releases", "releases", columns);
    const struct mtx_release *v;
    size_t n = mtx_releases(a->m, &v);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(v[i].name, name)) continue;
        GF_BUF_SCOPE struct gf_buf b;
        gf_buf_init(&b, GF_CAP_OUTPUT);
        for (size_t k = 0; k < v[i].nwith; k++) gf_buf_addf(&b, "%s%s %s", k ? "; " : "", v[i].with[k].key, v[i].with[k].value);
        ROW(t, v[i].version, gf_arena_str(&a->mem, gf_buf_slice(&b)), v[i].date, cmd_evidence_name(v[i].evidence), cmd_answer_source(a, v[i].source));
    }
}

static void add_builds(struct cmd_answer *a, const char *name)
{
    static const char *const columns[] = { "version", "variant", "index", "platform", "cuda", "cudnn", "gpu_code", "evidence", "source" };
    struct out_table *t = CMD_TABLE(a, "builds", "builds (GPU code of the main library)", columns);
    const struct mtx_build *const *v;
    size_t n = mtx_builds(a->m, name, &v);
    for (size_t i = 0; i < n; i++)
        ROW(t, v[i]->version, v[i]->variant, v[i]->index, v[i]->platform, v[i]->cuda, v[i]->cudnn, cmd_targets_text(a, v[i]->carries), cmd_evidence_name(v[i]->evidence),
            cmd_answer_source(a, v[i]->source));
}

static const char *terms_text(struct cmd_answer *a, const struct mtx_rule *r)
{
    GF_BUF_SCOPE struct gf_buf b;
    gf_buf_init(&b, GF_CAP_OUTPUT);
    for (size_t i = 0; i < r->nterms; i++) gf_buf_addf(&b, "%s%s%s%s", i ? ", " : "", r->terms[i].name, *r->terms[i].text ? " " : "", strcmp(r->terms[i].text, "*") ? r->terms[i].text : "");
    return gf_arena_str(&a->mem, gf_slice_trim(gf_buf_slice(&b)));
}

static void rule_row(struct cmd_answer *a, struct out_table *t, const struct mtx_rule *r)
{
    static const char *const kinds[] = { "provides", "requires", "adds", "constrains", "excludes", "replaces", "needs at run time" };
    const char *versions = py_specset_text(&a->mem, &r->versions), *when = r->when ? py_marker_text(&a->mem, r->when) : NULL;
    ROW(t, r->id, r->package, *versions ? versions : "any", r->variant, kinds[r->kind], terms_text(a, r), when, r->why, cmd_evidence_name(r->evidence), cmd_answer_source(a, r->source));
}

static void add_rules(struct cmd_answer *a, const char *name)
{
    static const char *const columns[] = { "rule", "package", "versions", "variant", "says", "what", "when", "why", "evidence", "source" };
    const struct mtx_rule *const *v;
    struct out_table *t = CMD_TABLE(a, "rules", "rules", columns);
    size_t n = mtx_rules_for(a->m, name, &v);
    for (size_t i = 0; i < n; i++) rule_row(a, t, v[i]);
    t = CMD_TABLE(a, "rules_of_others", "rules of others that speak of it", columns);
    n = mtx_rules_about(a->m, name, &v);
    for (size_t i = 0; i < n; i++)
        if (strcmp(v[i]->package, name)) rule_row(a, t, v[i]);
}

static void add_facts(struct cmd_answer *a, const char *name)
{
    static const char *const columns[] = { "topic", "versions", "evidence", "source", "text" };
    struct out_table *t = CMD_TABLE(a, "facts", "facts", columns);
    const struct mtx_fact *v;
    size_t n = mtx_facts(a->m, &v);
    for (size_t i = 0; i < n; i++)
        if (strcmp(v[i].name, name) == 0) ROW(t, v[i].topic, v[i].versions, cmd_evidence_name(v[i].evidence), cmd_answer_source(a, v[i].source), v[i].text);
}

static void add_routes(struct cmd_answer *a, const char *name)
{
    static const char *const columns[] = { "index", "url", "source" };
    struct out_table *t = CMD_TABLE(a, "indexes", "vendor's indexes", columns);
    const struct mtx_route *v;
    size_t n = mtx_routes(a->m, &v);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < v[i].npackages; k++)
            if (strcmp(v[i].packages[k], name) == 0) ROW(t, v[i].id, v[i].url, cmd_answer_source(a, v[i].source));
}

static void add_providers(struct cmd_answer *a, const char *name)
{
    static const char *const columns[] = { "package" };
    const char *const *v;
    size_t n = mtx_providers(a->m, name, &v);
    struct out_table *t = CMD_TABLE(a, "providers", "provided by", columns);
    for (size_t i = 0; i < n; i++) ROW(t, v[i]);
}

static bool anything(const struct cmd_answer *a)
{
    for (size_t i = 0; i < a->tables.n; i++)
        if (a->tables.v[i]->cells.n) return true;
    return false;
}

static int no_name(struct cmd_answer *a, const char *name, struct gf_err *err)
{
    GF_BUF_SCOPE struct gf_buf b;
    gf_buf_init(&b, GF_CAP_ERROR);
    const struct mtx_about *v;
    size_t n = mtx_abouts(a->m, &v);
    for (size_t i = 0; i < n; i++) gf_buf_addf(&b, " %s", v[i].name);
    return gf_fail(err, GF_E_NO, "nothing is known of '%s'; the data knows: gpu driver cuda distro%s", name, gf_buf_str(&b));
}

static int show_distro(struct cmd_answer *a)
{
    static const char *const columns[] = { "id", "version", "name", "glibc", "kernel", "gcc", "python", "libstdcxx", "source" };
    struct out_table *t = CMD_TABLE(a, "distros", "operating systems", columns);
    const struct mtx_distro *v;
    size_t n = mtx_distros(a->m, &v);
    for (size_t i = 0; i < n; i++) ROW(t, v[i].id, v[i].version, v[i].name, v[i].glibc, v[i].kernel, v[i].gcc, v[i].python, v[i].libstdcxx, cmd_answer_source(a, v[i].source));
    return 0;
}

int cmd_matrix_show(struct cmd_answer *a, const char *name, const char *detail, struct gf_err *err)
{
    if (strcmp(name, "gpu") == 0) return show_gpu(a, detail, err);
    if (strcmp(name, "driver") == 0) return show_driver(a, detail, err);
    if (strcmp(name, "cuda") == 0) return show_cuda(a, detail, err);
    if (strcmp(name, "distro") == 0) return show_distro(a);
    const struct mtx_about *b = mtx_about_of(a->m, name);
    if (b) add_about(a, b), name = b->name;
    add_releases(a, name);
    add_builds(a, name);
    add_rules(a, name);
    add_providers(a, name);
    add_routes(a, name);
    add_facts(a, name);
    return anything(a) ? 0 : no_name(a, name, err);
}
