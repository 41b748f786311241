/* Components (cuda12, cudnn9, sonames …) from their providers, and the driver. */
#include "resolver/universe.h"

enum rsv_kind rsv_kind_of_term(struct rsv_universe *u, const char *name)
{
    if (strcmp(name, "driver") == 0) return RSV_DRIVER;
    if (mtx_is_component(u->p->matrix, name) || strstr(name, ".so")) return RSV_COMPONENT;
    return RSV_DIST;
}

/* The rule by which this candidate provides the component, and the version it gives it. */
static const struct mtx_rule *provides(struct rsv_universe *u, const char *component, const struct rsv_package *p, const struct rsv_candidate *c, const char **ret_version)
{
    const struct mtx_rule *const *rules = NULL;
    size_t n = mtx_rules_for(u->p->matrix, p->name, &rules);
    for (size_t i = 0; i < n; i++) {
        if (rules[i]->kind != MTX_PROVIDES || rules[i]->private_ || !rsv_rule_applies(u, rules[i], c)) continue;
        for (size_t k = 0; k < rules[i]->nterms; k++) {
            if (strcmp(rules[i]->terms[k].name, component) != 0) continue;
            *ret_version = mtx_provided_version(&u->mem, rules[i]->terms[k].text, &c->version);
            return rules[i];
        }
    }
    return NULL;
}

static enum rsv_state load_providers(struct rsv_universe *u, const char *const *names, size_t n, struct gf_err *err)
{
    enum rsv_state all = RSV_READY;
    for (size_t i = 0; i < n; i++) u->supply.want_project(u->supply.arg, names[i]);
    for (size_t i = 0; i < n; i++) {
        enum rsv_state one = rsv_load_list(u, rsv_distribution(u, names[i]), err);
        if (one == RSV_ERROR) return one;
        if (one == RSV_WAITING) all = one;
    }
    return all;
}

typedef GF_VEC(struct rsv_candidate) candidate_list;

static void gather(struct rsv_universe *u, const char *component, rsv_pkg provider, uint16_t place, candidate_list *out)
{
    for (uint32_t i = 0; i < u->pkg.v[provider].n; i++) {
        const struct rsv_candidate *from = &u->pkg.v[provider].c[i];
        const char *version = NULL;
        struct rsv_candidate c = { .refused = RSV_NONE, .provider = provider, .provider_at = i, .source = place, .pre = from->pre };
        if (from->refused != RSV_NONE || !provides(u, component, &u->pkg.v[provider], from, &version)) continue;
        if (!version || !py_version_parse(&u->mem, gf_slice_of(version), &c.version)) continue;
        c.sdist = from->sdist;
        gf_vec_push(out, c);
    }
}

static int by_version(const void *pa, const void *pb)
{
    const struct rsv_candidate *a = pa, *b = pb;
    int c = py_version_cmp(&a->version, &b->version);
    if (c) return c;
    if (a->source != b->source) return a->source > b->source ? -1 : 1; /* the more usual provider later: preferred */
    return a->provider_at < b->provider_at ? -1 : a->provider_at > b->provider_at;
}

static bool beyond_driver(const struct rsv_universe *u, const struct rsv_package *p, const struct rsv_candidate *c)
{
    return u->driver_cuda && strncmp(p->name, "cuda", 4) == 0 && gf_is_digit((unsigned char)p->name[4]) &&
           gf_dotted_cmp(gf_slice_of(c->version.text), gf_slice_of(u->driver_cuda)) > 0;
}

/* Newest first; of CUDA, what the driver itself knows before what it runs by minor-version compatibility, of this the nearest first. */
static void order_component(struct rsv_universe *u, struct rsv_package *p)
{
    uint32_t at = 0;
    p->order = GF_NEW_ARRAY(&u->mem, uint32_t, p->n);
    for (int round = 0; round < 4; round++)
        for (uint32_t k = 0; k < p->n; k++) {
            uint32_t i = round & 1 ? k : p->n - 1 - k;
            int due = (p->c[i].pre || p->c[i].sdist ? 2 : 0) + (beyond_driver(u, p, &p->c[i]) ? 1 : 0);
            if (due == round) p->order[at++] = i;
        }
}

/* Whoever installs a provider has the component in that version. */
void rsv_tie_providers(struct rsv_universe *u, rsv_pkg pkg)
{
    for (uint32_t i = 0; i < u->pkg.v[pkg].n; i++) {
        const struct rsv_candidate *c = &u->pkg.v[pkg].c[i];
        uint32_t reason = rsv_reason_add(u, (struct rsv_reason){ .kind = RSV_R_PROVIDES, .pkg = c->provider, .dep = pkg });
        rsv_add_edge(u->solver, c->provider, rsv_set_one(&u->mem, c->provider_at), pkg, rsv_set_one(&u->mem, i), reason);
    }
}

enum rsv_state rsv_load_component(struct rsv_universe *u, rsv_pkg pkg, struct gf_err *err)
{
    const char *const *providers = NULL;
    const char *name = u->pkg.v[pkg].name;
    size_t n = mtx_providers(u->p->matrix, name, &providers);
    enum rsv_state state = load_providers(u, providers, n, err);
    if (state != RSV_READY) return state;
    candidate_list list = { 0 };
    for (size_t i = 0; i < n; i++) gather(u, name, rsv_distribution(u, providers[i]), (uint16_t)i, &list);
    if (list.n) qsort(list.v, list.n, sizeof *list.v, by_version);
    struct rsv_package *p = &u->pkg.v[pkg];
    p->n = (uint32_t)list.n;
    p->c = list.n ? gf_arena_memdup(&u->mem, list.v, list.n * sizeof *list.v) : NULL;
    gf_vec_free(&list);
    order_component(u, p);
    return RSV_READY;
}

/* --- the driver ---------------------------------------------------------------------------------------------------- */

static const char *card_label(struct rsv_universe *u, const struct mdl_gpu *g)
{
    return g->name ? gf_arena_printf(&u->mem, "%s (%s)", g->name, g->cc) : gf_arena_printf(&u->mem, "compute capability %s", g->cc);
}

static void judge_driver(struct rsv_universe *u, rsv_pkg pkg, struct rsv_candidate *c)
{
    const struct mdl_profile *f = u->p->profile;
    for (size_t i = 0; i < f->ngpus && c->refused == RSV_NONE; i++) {
        unsigned major, minor;
        if (!f->gpus[i].cc || !mtx_cc_parse(gf_slice_of(f->gpus[i].cc), &major, &minor)) continue;
        struct mtx_answer a = mtx_driver_serves_gpu(u->p->matrix, u->driver_os, gf_slice_of(c->version.text), major, minor);
        if (a.value == PY_YES && u->p->driver == RSV_DRIVER_KEEP && f->driver_flavour)
            a = mtx_flavour_serves_gpu(u->p->matrix, gf_slice_of(f->driver_flavour), gf_slice_of(c->version.text), major, minor);
        if (a.value == PY_YES && u->p->driver == RSV_DRIVER_ANY && f->gpus[i].pci)
            a = mtx_driver_knows_device(u->p->matrix, gf_slice_of(c->version.text), gf_slice_of(f->gpus[i].pci));
        if (a.value != PY_NO || rsv_is_freed(u, "fact:gpu")) continue;
        c->refused = rsv_reason_add(u, (struct rsv_reason){ .kind = RSV_R_DRIVER_GPU, .pkg = pkg, .dep = RSV_NONE, .text = card_label(u, &f->gpus[i]), .why = a.why,
                                                            .source = a.source, .unit = "fact:gpu" });
    }
}

struct driver_row { struct rsv_candidate c; const char *eol; };

static int driver_by_version(const void *pa, const void *pb)
{
    const struct driver_row *a = pa, *b = pb;
    return py_version_cmp(&a->c.version, &b->c.version);
}

/* Longest supported first, then newest. */
static int longer_supported(const void *pa, const void *pb, void *arg)
{
    const struct driver_row *rows = arg, *a = &rows[*(const uint32_t *)pa], *b = &rows[*(const uint32_t *)pb];
    int c = strcmp(b->eol ? b->eol : "", a->eol ? a->eol : "");
    return c ? c : py_version_cmp(&b->c.version, &a->c.version);
}

/* driver_version as given, or every branch's latest. Freed: every branch, whatever the target has. */
static size_t driver_rows(struct rsv_universe *u, struct driver_row *rows, size_t cap)
{
    size_t n = 0;
    bool freed = rsv_is_freed(u, "fact:driver");
    if (u->p->driver == RSV_DRIVER_NONE && !freed) return 0;
    if (u->p->driver == RSV_DRIVER_KEEP && !freed) {
        rows[0] = (struct driver_row){ .c = { .refused = RSV_NONE, .provider = RSV_NONE, .shown = u->p->profile->driver_version } };
        return u->p->profile->driver_version && py_version_parse(&u->mem, gf_slice_of(u->p->profile->driver_version), &rows[0].c.version);
    }
    const struct mtx_branch *const *branches = NULL;
    size_t nb = mtx_branches(u->p->matrix, u->driver_os, &branches);
    for (size_t i = 0; i < nb && n < cap; i++) {
        rows[n] = (struct driver_row){ .c = { .refused = RSV_NONE, .provider = RSV_NONE, .note = branches[i]->label, .shown = branches[i]->latest }, .eol = branches[i]->eol };
        if (branches[i]->latest && py_version_parse(&u->mem, gf_slice_of(branches[i]->latest), &rows[n].c.version)) n++;
    }
    qsort(rows, n, sizeof *rows, driver_by_version);
    return n;
}

void rsv_load_driver(struct rsv_universe *u, rsv_pkg pkg)
{
    struct driver_row rows[256];
    size_t n = driver_rows(u, rows, sizeof rows / sizeof rows[0]);
    struct rsv_package *p = &u->pkg.v[pkg];
    p->n = (uint32_t)n;
    p->c = GF_NEW_ARRAY(&u->mem, struct rsv_candidate, n + 1);
    p->order = GF_NEW_ARRAY(&u->mem, uint32_t, n + 1);
    for (size_t i = 0; i < n; i++) {
        p->c[i] = rows[i].c;
        p->order[i] = (uint32_t)i;
        judge_driver(u, pkg, &p->c[i]);
    }
    qsort_r(p->order, n, sizeof *p->order, longer_supported, rows);
}

rsv_set rsv_driver_with_cuda(struct rsv_universe *u, rsv_pkg driver, const char *cuda)
{
    struct rsv_set_builder w = { 0 };
    const struct rsv_package *p = &u->pkg.v[driver];
    for (uint32_t i = 0; i < p->n; i++)
        if (mtx_driver_runs_ptx(u->p->matrix, u->driver_os, gf_slice_of(p->c[i].version.text), gf_slice_of(cuda)).value != PY_NO) rsv_set_add(&w, i);
    return rsv_set_build(&u->mem, &w);
}

rsv_set rsv_driver_between(struct rsv_universe *u, rsv_pkg driver, const char *low, const char *high)
{
    struct rsv_set_builder w = { 0 };
    const struct rsv_package *p = &u->pkg.v[driver];
    for (uint32_t i = 0; i < p->n; i++) {
        const char *cuda = mtx_driver_cuda(u->p->matrix, u->driver_os, gf_slice_of(p->c[i].version.text));
        bool fits = cuda && (!low || gf_dotted_cmp(gf_slice_of(cuda), gf_slice_of(low)) >= 0) && (!high || gf_dotted_cmp(gf_slice_of(cuda), gf_slice_of(high)) < 0);
        if (fits) rsv_set_add(&w, i);
    }
    return rsv_set_build(&u->mem, &w);
}
