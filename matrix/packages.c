/* What hangs on packages and components: families, builds, rules, releases, facts. Read from frameworks/, packages/, systems/ and the files of the
 * vendors that name packages. */
#include "matrix/table.h"

struct mtx_package *mtx_package_add(struct mtx *m, const char *name)
{
    bool fresh;
    uint32_t id = gf_names_add(&m->names, gf_slice_of(name), &fresh);
    if (fresh) gf_vec_push(&m->packages, GF_NEW(&m->mem, struct mtx_package));
    return m->packages.v[id];
}

static int read_family(struct mtx *m, const struct mtx_at *at, struct gf_js *row, struct gf_err *err)
{
    struct extra { const char *name, *source; struct mtx_strs packages; enum mtx_evidence evidence; };
    static const struct mtx_key keys[] = {
        MTX_KEY(struct extra, name, MTX_STR, true), MTX_KEY(struct extra, packages, MTX_STRS, true),
        MTX_KEY(struct extra, source, MTX_STR, true), MTX_KEY(struct extra, evidence, MTX_EVIDENCE, true),
    };
    struct extra x = { 0 };
    if (MTX_READ(m, at, row, keys, &x, err) || mtx_unique(m, at, err, "%s", x.name)) return -1;
    for (size_t i = 0; i < x.packages.n; i++) {
        struct mtx_package *p = mtx_package_add(m, x.packages.v[i]);
        if (p->family) return mtx_bad(at, "packages", err, "'%s' is in the family '%s' already", x.packages.v[i], p->family);
        p->family = x.name;
    }
    m->evidence[MTX_T_PACKAGES][x.evidence]++;
    return 0;
}

static int read_gpu_code(struct mtx *m, const struct mtx_at *at, struct gf_js *row, struct gf_err *err)
{
    struct extra { const char *package, *source; enum mtx_evidence evidence; };
    static const struct mtx_key keys[] = {
        MTX_KEY(struct extra, package, MTX_STR, true), MTX_KEY(struct extra, source, MTX_STR, true), MTX_KEY(struct extra, evidence, MTX_EVIDENCE, true),
    };
    struct extra x = { 0 };
    if (MTX_READ(m, at, row, keys, &x, err) || mtx_unique(m, at, err, "%s", x.package)) return -1;
    mtx_package_add(m, x.package)->gpu_code = true;
    m->evidence[MTX_T_PACKAGES][x.evidence]++;
    return 0;
}

static int read_component(struct mtx *m, const struct mtx_at *at, struct gf_js *row, struct gf_err *err)
{
    struct extra { const char *name, *source; struct mtx_strs providers; enum mtx_evidence evidence; };
    static const struct mtx_key keys[] = {
        MTX_KEY(struct extra, name, MTX_STR, true), MTX_KEY(struct extra, providers, MTX_STRS, false),
        MTX_KEY(struct extra, source, MTX_STR, true), MTX_KEY(struct extra, evidence, MTX_EVIDENCE, true),
    };
    struct extra x = { 0 };
    if (MTX_READ(m, at, row, keys, &x, err) || mtx_unique(m, at, err, "%s", x.name)) return -1;
    struct mtx_package *p = mtx_package_add(m, x.name);
    p->component = true;
    for (size_t i = 0; i < x.providers.n; i++) mtx_provider_add(p, i, x.providers.v[i]); /* before those that only a rule names */
    m->evidence[MTX_T_PACKAGES][x.evidence]++;
    return 0;
}

static int read_about(struct mtx *m, const struct mtx_at *at, struct gf_js *row, struct gf_err *err)
{
    struct extra { struct mtx_about a; struct mtx_strs aliases; };
    static const struct mtx_key keys[] = {
        { "name", MTX_STR, true, offsetof(struct extra, a.name) },       { "title", MTX_STR, true, offsetof(struct extra, a.title) },
        { "kind", MTX_STR, false, offsetof(struct extra, a.kind) },      { "see", MTX_STR, false, offsetof(struct extra, a.see) },
        { "text", MTX_STR, false, offsetof(struct extra, a.text) },      { "aliases", MTX_STRS, false, offsetof(struct extra, aliases) },
        { "source", MTX_STR, true, offsetof(struct extra, a.source) },   { "evidence", MTX_EVIDENCE, true, offsetof(struct extra, a.evidence) },
    };
    struct extra x = { 0 };
    if (MTX_READ(m, at, row, keys, &x, err) || mtx_unique(m, at, err, "%s", x.a.name)) return -1;
    x.a.aliases = x.aliases.v, x.a.naliases = x.aliases.n;
    m->evidence[MTX_T_PACKAGES][x.a.evidence]++;
    gf_vec_push(&m->abouts, x.a);
    return 0;
}

static int read_release(struct mtx *m, const struct mtx_at *at, struct gf_js *row, struct gf_err *err)
{
    struct extra { struct mtx_release r; gf_slice with; };
    static const struct mtx_key keys[] = {
        { "name", MTX_STR, true, offsetof(struct extra, r.name) },     { "version", MTX_STR, true, offsetof(struct extra, r.version) },
        { "date", MTX_STR, false, offsetof(struct extra, r.date) },    { "with", MTX_JSON, false, offsetof(struct extra, with) },
        { "source", MTX_STR, true, offsetof(struct extra, r.source) }, { "evidence", MTX_EVIDENCE, true, offsetof(struct extra, r.evidence) },
    };
    struct extra x = { 0 };
    if (MTX_READ(m, at, row, keys, &x, err)) return -1;
    struct mtx_pair *with = NULL;
    if (x.with.n && mtx_read_pairs(m, at, "with", x.with, &with, &x.r.nwith, err)) return -1;
    if (x.r.nwith && !with[0].key) return mtx_bad(at, "with", err, "expected { name: text }, found an array");
    x.r.with = with;
    m->evidence[MTX_T_PACKAGES][x.r.evidence]++;
    gf_vec_push(&m->releases, x.r);
    return 0;
}

static int read_fact(struct mtx *m, const struct mtx_at *at, struct gf_js *row, struct gf_err *err)
{
    static const struct mtx_key keys[] = {
        MTX_KEY(struct mtx_fact, name, MTX_STR, true), MTX_KEY(struct mtx_fact, topic, MTX_STR, false), MTX_KEY(struct mtx_fact, text, MTX_STR, true),
        MTX_KEY(struct mtx_fact, versions, MTX_STR, false), MTX_KEY(struct mtx_fact, source, MTX_STR, true), MTX_KEY(struct mtx_fact, evidence, MTX_EVIDENCE, true),
    };
    struct mtx_fact f = { 0 };
    if (MTX_READ(m, at, row, keys, &f, err)) return -1;
    m->evidence[MTX_T_PACKAGES][f.evidence]++;
    gf_vec_push(&m->facts, f);
    return 0;
}

static int read_package_file(struct mtx *m, struct mtx_file *f, struct gf_err *err)
{
    static const struct mtx_section sections[] = {
        { "families", read_family },  { "gpu_code", read_gpu_code }, { "components", read_component }, { "builds", mtx_read_build }, { "rules", mtx_read_rule },
        { "about", read_about },      { "releases", read_release },  { "facts", read_fact },
    };
    return f->loaded ? 0 : mtx_read_file(m, f, sections, sizeof sections / sizeof *sections, err);
}

int mtx_load_packages(struct mtx *m, struct gf_err *err)
{
    mtx_index(m);
    for (size_t i = 0; i < m->files.n; i++)
        if (m->files.v[i].speaks && read_package_file(m, &m->files.v[i], err)) return -1;
    return 0;
}

struct mtx_package *mtx_package_get(struct mtx *m, const char *name, bool about)
{
    if (!about && *m->asked && strcmp(name, m->asked) == 0) return m->answer;
    mtx_index(m);
    gf_slice s = gf_slice_of(name);
    uint64_t hash = mtx_bloom_hash(s);
    for (size_t i = 0; s.n && i < m->files.n; i++) {
        struct mtx_file *f = &m->files.v[i];
        if (!f->speaks || f->loaded || !mtx_bloom_has(about ? f->names : f->rows, hash)) continue;
        struct gf_err err = GF_ERR_INIT;
        if (read_package_file(m, f, &err) && !m->failed) m->failed = true, m->err = err;
        f->loaded = true;
    }
    uint32_t id = s.n ? gf_names_find(&m->names, s) : GF_NO_ID;
    struct mtx_package *p = id == GF_NO_ID ? NULL : m->packages.v[id];
    if (!about && s.n < sizeof m->asked) {
        memcpy(m->asked, name, s.n + 1);
        m->answer = p;
    }
    return p;
}

const char *mtx_family_of(struct mtx *m, const char *package)
{
    const struct mtx_package *p = mtx_package_get(m, package, false);
    return p ? p->family : NULL;
}

bool mtx_holds_gpu_code(struct mtx *m, const char *package)
{
    const struct mtx_package *p = mtx_package_get(m, package, false);
    return p && p->gpu_code;
}

bool mtx_is_component(struct mtx *m, const char *name)
{
    const struct mtx_package *p = mtx_package_get(m, name, false);
    return p && p->component;
}

void mtx_provider_add(struct mtx_package *p, uint64_t order, const char *name)
{
    size_t i = 0;
    while (i < p->providers.n && strcmp(p->providers.v[i].name, name)) i++;
    if (i < p->providers.n) {
        if (p->providers.v[i].order > order) p->providers.v[i].order = order;
        return;
    }
    gf_vec_push(&p->providers, (struct mtx_provider){ order, name });
}

static int by_order(const void *a, const void *b)
{
    const struct mtx_provider *x = a, *y = b;
    return (x->order > y->order) - (x->order < y->order);
}

size_t mtx_providers(struct mtx *m, const char *component, const char *const **ret)
{
    struct mtx_package *p = mtx_package_get(m, component, false);
    *ret = NULL;
    if (!p || !p->providers.n) return 0;
    if (!p->provider_names) {
        qsort(p->providers.v, p->providers.n, sizeof *p->providers.v, by_order);
        p->provider_names = GF_NEW_ARRAY(&m->mem, const char *, p->providers.n);
        for (size_t i = 0; i < p->providers.n; i++) p->provider_names[i] = p->providers.v[i].name;
    }
    *ret = p->provider_names;
    return p->providers.n;
}

const struct mtx_about *mtx_about_of(struct mtx *m, const char *name)
{
    mtx_need(m, MTX_T_PACKAGES);
    for (size_t i = 0; i < m->abouts.n; i++) {
        const struct mtx_about *a = &m->abouts.v[i];
        if (strcmp(a->name, name) == 0) return a;
        for (size_t k = 0; k < a->naliases; k++)
            if (strcmp(a->aliases[k], name) == 0) return a;
    }
    return NULL;
}

size_t mtx_abouts(struct mtx *m, const struct mtx_about **ret) { return mtx_need(m, MTX_T_PACKAGES), *ret = m->abouts.v, m->abouts.n; }
size_t mtx_releases(struct mtx *m, const struct mtx_release **ret) { return mtx_need(m, MTX_T_PACKAGES), *ret = m->releases.v, m->releases.n; }
size_t mtx_facts(struct mtx *m, const struct mtx_fact **ret) { return mtx_need(m, MTX_T_PACKAGES), *ret = m->facts.v, m->facts.n; }
