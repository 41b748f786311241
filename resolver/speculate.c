/* Asks ahead: for every distribution in sight the candidate that would be taken, its metadata, and the pages that this names, round by round as answers
 * come. Decides nothing: a wrong guess costs one request. */
#include "resolver/build.h"

/* The request's extras hold it; "": without any. */
static bool asked_with(const struct py_req *r, const char *extra)
{
    for (uint32_t i = 0; *extra && i < r->nextras; i++)
        if (strcmp(r->extras[i], extra) == 0) return true;
    return !*extra;
}

/* A vendor has indexes by the dozen, one for each CUDA: they are asked when it is sure. A host that is not there would be looked for a hundred times. */
static bool is_routed(const struct rsv_universe *u, const char *name)
{
    const struct src_index *index;
    for (size_t i = 0; (index = u->supply.index(u->supply.arg, i)); i++)
        for (size_t k = 0; index->vendor && k < index->nroutes; k++)
            if (strcmp(index->routes[k], name) == 0) return true;
    return false;
}

static void ask_for(struct rsv_universe *u, const char *name)
{
    if (is_routed(u, name)) return;
    rsv_pkg id = rsv_distribution(u, name);
    u->supply.want_project(u->supply.arg, u->pkg.v[id].name);
}

void rsv_ask_ahead(struct rsv_universe *u)
{
    struct py_env facts = rsv_facts_env(u);
    for (size_t i = 0; i < u->p->nrequests; i++) {
        const struct py_req *r = &u->p->requests[i];
        const struct mtx_rule *const *rules = NULL;
        size_t n = mtx_rules_for(u->p->matrix, r->name, &rules);
        for (size_t k = 0; k < n; k++) {
            if (rules[k]->kind != MTX_OFTEN || (rules[k]->when && py_marker_eval(rules[k]->when, &facts, GF_NONE) != PY_YES)) continue;
            const struct mtx_pair *often = NULL;
            size_t names = mtx_often(u->p->matrix, rules[k], &often);
            for (size_t t = 0; t < names; t++)
                if (asked_with(r, often[t].value)) ask_for(u, often[t].key);
        }
    }
}

enum { MOST_BACK = 9 }; /* stops of one package that count */

static void hint(struct rsv_universe *u, const struct py_req *r)
{
    rsv_pkg id = rsv_distribution(u, r->name);
    struct rsv_package *p = &u->pkg.v[id];
    if (!p->hint) p->hint = &r->specs;
    if (!p->loaded) u->supply.want_project(u->supply.arg, p->name);
}

static void look_through(struct rsv_universe *u, const struct py_metadata *m, const struct py_env *env, const char *extra)
{
    for (uint32_t i = 0; i < m->nrequires; i++) {
        const struct py_req *r = &m->requires[i];
        if (r->marker && py_marker_eval(r->marker, env, gf_slice_of(extra)) == PY_NO) continue;
        if (extra && (!r->marker || !py_marker_mentions(r->marker, GF_S("extra")))) continue;
        hint(u, r);
        for (uint32_t k = 0; k < r->nextras; k++) rsv_package(u, RSV_EXTRA, r->name, r->extras[k]);
    }
}

static rsv_set allowed_of(struct rsv_universe *u, rsv_pkg id)
{
    rsv_set allowed = rsv_set_full(), wanted;
    if (rsv_wanted(u->solver, id, &wanted)) return wanted;
    if (u->pkg.v[id].hint) allowed = rsv_set_of_specs(u, id, u->pkg.v[id].hint, u->pkg.v[id].hint->n ? py_specset_text(&u->mem, u->pkg.v[id].hint) : NULL);
    return allowed;
}

static uint32_t guess(struct rsv_universe *u, rsv_pkg id) { return rsv_pick_of(u, id, allowed_of(u, id)); }

/* Who went back from one candidate to the next goes on back, mostly: the metadata of the next ones comes with this one's, of one more at each stop. Archives are
 * fetched whole and not asked for so. */
static void look_back(struct rsv_universe *u, rsv_pkg id, uint32_t at)
{
    struct rsv_package *p = &u->pkg.v[id];
    if (p->awaited == at) return;
    p->awaited = at;
    uint32_t left = p->stops < MOST_BACK ? p->stops : MOST_BACK, i = 0;
    p->stops++;
    if (left < 2) return;
    rsv_set allowed = allowed_of(u, id);
    while (i < p->n && p->order[i] != at) i++;
    for (left--, i++; left && i < p->n; i++) {
        const struct rsv_candidate *c = &p->c[p->order[i]];
        if (c->refused != RSV_NONE || c->sdist || c->replaces_by || !rsv_set_has(allowed, p->order[i])) continue;
        u->supply.want_metadata(u->supply.arg, c->file);
        left--;
    }
}

static bool advance(struct rsv_universe *u, rsv_pkg id)
{
    struct gf_err ignored = GF_ERR_INIT;
    if (u->pkg.v[id].kind != RSV_DIST || rsv_load_list(u, id, &ignored) != RSV_READY) return false;
    uint32_t at = rsv_decided(u->solver, id) != RSV_NONE ? rsv_decided(u->solver, id) : guess(u, id);
    if (at == RSV_NONE || at == u->pkg.v[id].guessed || u->pkg.v[id].c[at].replaces_by) return false;
    const struct src_file *file = u->pkg.v[id].c[at].file;
    const struct py_metadata *meta = NULL;
    u->supply.want_metadata(u->supply.arg, file);
    if (u->supply.metadata(u->supply.arg, file, &meta, &ignored) != SRC_READY) {
        look_back(u, id, at);
        return false;
    }
    u->pkg.v[id].guessed = at;
    struct py_env env = rsv_env_of(u, &u->pkg.v[id].c[at]);
    look_through(u, meta, &env, NULL);
    rsv_want_build(u, meta);
    for (rsv_pkg e = 0; e < u->pkg.n; e++)
        if (u->pkg.v[e].kind == RSV_EXTRA && u->pkg.v[e].base == id) look_through(u, meta, &env, u->pkg.v[e].extra);
    return true;
}

void rsv_speculate(struct rsv_universe *u)
{
    for (bool more = true; more;) {
        more = false;
        for (rsv_pkg id = 1; id < u->pkg.n; id++) more |= advance(u, id);
    }
}
