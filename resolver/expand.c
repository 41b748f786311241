/* What follows from choosing a candidate: its metadata, the matrix's rules, its variant, the policies it leans on. */
#include "resolver/variants.h"

struct need {                /* one edge to come */
    rsv_pkg dep;
    struct py_specset specs;
    const char *text;        /* of the specifiers: keys the set */
    const struct rsv_set *exact; /* instead of specifiers */
    struct rsv_reason reason;
};
struct needs {
    GF_VEC(struct need) v;
};

static void name_package(struct rsv_universe *u, rsv_pkg pkg)
{
    if (!u->pkg.v[pkg].age) u->pkg.v[pkg].age = ++u->ages;
}

static const struct py_req *override_of(const struct rsv_universe *u, const char *name)
{
    for (size_t i = 0; i < u->p->noverrides; i++)
        if (strcmp(u->p->overrides[i].name, name) == 0) return &u->p->overrides[i];
    return NULL;
}

/* A requirement is a need of the distribution and of each of its extras. */
static void need_requirement(struct rsv_universe *u, struct needs *out, const struct py_req *r, struct rsv_reason reason)
{
    const struct py_req *instead = override_of(u, r->name);
    const struct py_specset *specs = instead ? &instead->specs : &r->specs;
    struct need n = { .specs = *specs, .text = specs->n ? py_specset_text(&u->mem, specs) : NULL, .reason = reason };
    n.dep = n.reason.dep = rsv_distribution(u, r->name);
    gf_vec_push(&out->v, n);
    for (uint32_t i = 0; i < r->nextras; i++) {
        n.dep = n.reason.dep = rsv_package(u, RSV_EXTRA, r->name, r->extras[i]);
        gf_vec_push(&out->v, n);
    }
}

static void need_exact(struct rsv_universe *u, struct needs *out, rsv_pkg dep, rsv_set set, struct rsv_reason reason)
{
    reason.dep = dep;
    gf_vec_push(&out->v, (struct need){ .dep = dep, .exact = gf_arena_memdup(&u->mem, &set, sizeof set), .reason = reason });
}

/* All lists that the needs name, asked for together. */
static enum rsv_state load_all(struct rsv_universe *u, const struct needs *needs, struct gf_err *err)
{
    enum rsv_state all = RSV_READY;
    for (size_t i = 0; i < needs->v.n; i++) {
        const struct rsv_package *p = &u->pkg.v[u->pkg.v[needs->v.v[i].dep].base];
        if (p->kind == RSV_DIST && !p->loaded) u->supply.want_project(u->supply.arg, p->name);
    }
    for (size_t i = 0; i < needs->v.n; i++) {
        name_package(u, u->pkg.v[needs->v.v[i].dep].base);
        name_package(u, needs->v.v[i].dep);
        enum rsv_state one = all == RSV_READY ? rsv_load(u, needs->v.v[i].dep, err) : rsv_load_list(u, u->pkg.v[needs->v.v[i].dep].base, err);
        if (one == RSV_ERROR) return one;
        if (one == RSV_WAITING) all = one;
    }
    return all;
}

static void add_edges(struct rsv_universe *u, struct rsv_solver *s, const struct needs *needs, rsv_pkg pkg, uint32_t candidate)
{
    rsv_set self = rsv_set_one(&u->mem, candidate);
    for (size_t i = 0; i < needs->v.n; i++) {
        const struct need *n = &needs->v.v[i];
        if (rsv_is_freed(u, n->reason.unit)) continue;
        rsv_set set = n->exact ? *n->exact : rsv_set_of_specs(u, n->dep, &n->specs, n->text);
        struct rsv_reason r = n->reason;
        r.pkg = pkg;
        r.dep = n->dep;
        rsv_add_edge(s, pkg, self, n->dep, set, rsv_reason_add(u, r));
    }
}

static enum rsv_state finish(struct rsv_universe *u, struct rsv_solver *s, struct needs *needs, rsv_pkg pkg, uint32_t candidate, struct gf_err *err)
{
    enum rsv_state state = load_all(u, needs, err);
    if (state == RSV_READY) add_edges(u, s, needs, pkg, candidate);
    gf_vec_free(&needs->v);
    return state;
}

/* --- the root -------------------------------------------------------------------------------------------------------- */

static void add_constraints(struct rsv_universe *u)
{
    for (size_t i = 0; i < u->p->nconstraints; i++) {
        const struct py_req *c = &u->p->constraints[i];
        if (c->marker && py_marker_eval(c->marker, &u->env, GF_NONE) == PY_NO) continue;
        const char *unit = gf_arena_printf(&u->mem, "constraint:%zu", i);
        if (rsv_is_freed(u, unit)) continue;
        rsv_pkg pkg = rsv_distribution(u, c->name);
        struct rsv_reason r = { .kind = RSV_R_CONSTRAINT, .pkg = pkg, .dep = RSV_NONE, .text = c->text, .unit = unit };
        rsv_add_when_present(u, pkg, (struct rsv_pending){ .pkg = RSV_NONE, .specs = c->specs, .reason = rsv_reason_add(u, r) });
    }
}

static enum rsv_state expand_root(struct rsv_universe *u, struct rsv_solver *s, struct gf_err *err)
{
    struct needs needs = { 0 };
    for (size_t i = 0; i < u->p->nrequests; i++) {
        const struct py_req *r = &u->p->requests[i];
        if (r->marker && py_marker_eval(r->marker, &u->env, GF_NONE) == PY_NO) continue;
        struct rsv_reason reason = { .kind = RSV_R_REQUEST, .text = r->text, .unit = gf_arena_printf(&u->mem, "request:%zu", i) };
        need_requirement(u, &needs, r, reason);
    }
    static const char *const policies[] = { "python", "unknown", "sdist" };
    for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++)
        need_exact(u, &needs, rsv_package(u, RSV_POLICY, policies[i], NULL), rsv_set_full(), (struct rsv_reason){ .kind = RSV_R_POLICY });
    enum rsv_state state = finish(u, s, &needs, 0, 0, err);
    if (state == RSV_READY) add_constraints(u);
    return state;
}

/* --- rules of the matrix -------------------------------------------------------------------------------------------- */

/* A component matters when something hangs on it or asks for it. */
static bool matters(struct rsv_universe *u, const char *component)
{
    const struct mtx_rule *const *rules = NULL;
    return mtx_rules_for(u->p->matrix, component, &rules) > 0 || rsv_find_package(u, RSV_COMPONENT, component, NULL) != RSV_NONE;
}

static void need_term(struct rsv_universe *u, struct needs *out, const struct mtx_rule *r, const struct mtx_term *t)
{
    enum rsv_kind kind = rsv_kind_of_term(u, t->name);
    struct need n = { .specs = t->specs, .text = t->specs.n ? t->text : NULL };
    n.dep = rsv_package(u, kind, kind == RSV_DRIVER ? "driver" : t->name, NULL);
    n.reason = (struct rsv_reason){ .kind = RSV_R_RULE, .text = gf_arena_printf(&u->mem, "%s%s%s", t->name, t->text && *t->text ? " " : "", t->text ? t->text : ""), .why = r->why, .rule = r,
                                    .source = r->source, .unit = gf_arena_printf(&u->mem, "rule:%s", r->id) };
    gf_vec_push(&out->v, n);
}

static void need_rule(struct rsv_universe *u, struct needs *out, const struct mtx_rule *r)
{
    for (size_t k = 0; k < r->nterms; k++) {
        const struct mtx_term *t = &r->terms[k];
        if (r->kind == MTX_PROVIDES) {
            if (r->private_ || !u->p->gpu_rules || !matters(u, t->name)) continue;
            rsv_pkg dep = rsv_package(u, RSV_COMPONENT, t->name, NULL);
            need_exact(u, out, dep, rsv_set_full(), (struct rsv_reason){ .kind = RSV_R_PROVIDES, .rule = r, .source = r->source });
        } else if (r->kind == MTX_REQUIRES) {
            if (rsv_is_fact(t->name)) continue; /* judged when the list was loaded */
            if (!u->p->gpu_rules && rsv_kind_of_term(u, t->name) != RSV_DIST) continue;
            need_term(u, out, r, t);
        } else if (r->kind == MTX_ADDS && u->p->gpu_rules) need_term(u, out, r, t);
    }
}

/* Rules that speak of others only when those are there. */
static void add_present_rules(struct rsv_universe *u, rsv_pkg pkg, uint32_t candidate)
{
    const struct mtx_rule *const *rules = NULL;
    size_t n = u->p->gpu_rules ? mtx_rules_for(u->p->matrix, u->pkg.v[pkg].name, &rules) : 0;
    for (size_t i = 0; i < n; i++) {
        const struct mtx_rule *r = rules[i];
        if (r->kind != MTX_CONSTRAINS && r->kind != MTX_EXCLUDES && r->kind != MTX_REPLACES) continue;
        if (!rsv_rule_applies(u, r, &u->pkg.v[pkg].c[candidate])) continue;
        const char *unit = gf_arena_printf(&u->mem, "rule:%s", r->id);
        if (rsv_is_freed(u, unit)) continue;
        for (size_t k = 0; k < r->nterms; k++) {
            rsv_pkg other = rsv_distribution(u, r->terms[k].name);
            if (other == pkg) continue;
            struct rsv_reason why = { .kind = RSV_R_RULE, .pkg = pkg, .dep = other, .why = r->why, .rule = r, .source = r->source, .unit = unit,
                                      .text = gf_arena_printf(&u->mem, "%s%s", r->terms[k].name, r->terms[k].text ? r->terms[k].text : "") };
            rsv_add_when_present(u, other, (struct rsv_pending){ .pkg = pkg, .set = rsv_set_one(&u->mem, candidate), .specs = r->terms[k].specs,
                                                                 .inside = r->kind != MTX_CONSTRAINS, .reason = rsv_reason_add(u, why) });
        }
    }
}

static void need_rules(struct rsv_universe *u, struct needs *out, const char *name, const struct rsv_candidate *c)
{
    const struct mtx_rule *const *rules = NULL;
    size_t n = mtx_rules_for(u->p->matrix, name, &rules);
    for (size_t i = 0; i < n; i++)
        if (rsv_rule_applies(u, rules[i], c)) need_rule(u, out, rules[i]);
}

/* --- candidates -------------------------------------------------------------------------------------------------------- */

static void need_policies(struct rsv_universe *u, struct needs *out, const char *name, const struct rsv_candidate *c)
{
    if (c->unknown_code)
        need_exact(u, out, rsv_package(u, RSV_POLICY, "unknown", NULL), rsv_set_one(&u->mem, 0),
                   (struct rsv_reason){ .kind = RSV_R_GPU_UNKNOWN, .unit = "policy:unknown" });
    if (c->sdist)
        need_exact(u, out, rsv_package(u, RSV_POLICY, "sdist", NULL), rsv_set_one(&u->mem, 0), (struct rsv_reason){ .kind = RSV_R_SDIST, .unit = "policy:sdist" });
    bool told = c->choice && c->choice->build;
    bool runs_on_gpu = u->p->gpu_rules && u->p->profile->ngpus && !c->sdist && (told || mtx_holds_gpu_code(u->p->matrix, name));
    if (runs_on_gpu) /* whatever it was built with, a driver that serves the cards must be there */
        need_exact(u, out, rsv_package(u, RSV_DRIVER, "driver", NULL), rsv_set_full(), (struct rsv_reason){ .kind = RSV_R_RULE, .text = "a driver", .unit = "fact:driver" });
    if (c->newer_python)
        need_exact(u, out, rsv_package(u, RSV_POLICY, "python", NULL), rsv_set_one(&u->mem, 0),
                   (struct rsv_reason){ .kind = RSV_R_PYTHON, .text = c->file->requires_python, .unit = "fact:python" });
    const char *family = mtx_family_of(u->p->matrix, name);
    if (family && c->variant) {
        uint32_t v = gf_names_add(&u->variants, gf_slice_of(c->variant), NULL);
        need_exact(u, out, rsv_package(u, RSV_VARIANT, family, NULL), rsv_set_one(&u->mem, v), (struct rsv_reason){ .kind = RSV_R_VARIANT, .text = c->variant });
    }
}

static enum rsv_state need_ptx_driver(struct rsv_universe *u, struct needs *out, const struct rsv_candidate *c, struct gf_err *err)
{
    if (!c->ptx_cuda || u->p->driver != RSV_DRIVER_ANY) return RSV_READY;
    rsv_pkg driver = rsv_package(u, RSV_DRIVER, "driver", NULL);
    enum rsv_state state = rsv_load_list(u, driver, err);
    if (state == RSV_READY)
        need_exact(u, out, driver, rsv_driver_with_cuda(u, driver, c->ptx_cuda), (struct rsv_reason){ .kind = RSV_R_PTX, .text = c->ptx_cuda, .unit = "fact:driver" });
    return state;
}

/* A wheel variant states between which CUDAs the driver's own must be. */
static enum rsv_state need_variant_driver(struct rsv_universe *u, struct needs *out, const struct rsv_candidate *c, struct gf_err *err)
{
    const struct rsv_choice *x = c->choice;
    if (!x || (!x->low && !x->high) || u->p->driver != RSV_DRIVER_ANY) return RSV_READY;
    rsv_pkg driver = rsv_package(u, RSV_DRIVER, "driver", NULL);
    enum rsv_state state = rsv_load_list(u, driver, err);
    if (state == RSV_READY)
        need_exact(u, out, driver, rsv_driver_between(u, driver, x->low, x->high),
                   (struct rsv_reason){ .kind = RSV_R_RULE, .unit = "fact:driver", .text = gf_arena_printf(&u->mem, "a driver that knows CUDA %s%s%s%s", x->low ? x->low : "",
                                                                                                          x->low && x->high ? " and is " : "", x->high ? "below " : "", x->high ? x->high : "") });
    return state;
}

static void unreadable(struct rsv_universe *u, struct rsv_solver *s, rsv_pkg pkg, uint32_t candidate, const struct gf_err *why)
{
    struct rsv_reason r = { .kind = RSV_R_METADATA_BAD, .pkg = pkg, .dep = RSV_NONE, .text = gf_arena_strz(&u->mem, why->text) };
    struct rsv_term t = { pkg, true, rsv_set_one(&u->mem, candidate) };
    rsv_add_external(s, &t, 1, rsv_reason_add(u, r));
}

/* RSV_READY with *ret NULL: the metadata cannot be read and the candidate was ruled out. */
static enum rsv_state metadata_of(struct rsv_universe *u, struct rsv_solver *s, rsv_pkg pkg, uint32_t candidate, const struct py_metadata **ret, struct gf_err *err)
{
    rsv_pkg base = u->pkg.v[pkg].base;
    const struct src_file *file = u->pkg.v[base].c[candidate].file;
    u->supply.want_metadata(u->supply.arg, file);
    struct gf_err why = GF_ERR_INIT;
    switch (u->supply.metadata(u->supply.arg, file, ret, &why)) {
    case SRC_NOT_ASKED:
    case SRC_WAITING: return RSV_WAITING;
    case SRC_READY: return RSV_READY;
    case SRC_ABSENT:
    case SRC_FAILED: break;
    }
    if (why.code == GF_E_NETWORK || why.code == GF_E_INTEGRITY || why.code == GF_E_INTERRUPTED || why.code == GF_E_IO) {
        *err = why;
        gf_wrap(err, "metadata of %s", file->filename);
        return RSV_ERROR;
    }
    *ret = NULL;
    unreadable(u, s, pkg, candidate, &why);
    return RSV_READY;
}

/* Is r in force: without an extra, or by that extra alone. */
static bool in_force(const struct py_env *env, const struct py_req *r, const char *extra)
{
    if (!r->marker) return !extra;
    if (extra && !py_marker_mentions(r->marker, GF_S("extra"))) return false;
    return py_marker_eval(r->marker, env, gf_slice_of(extra)) != PY_NO;
}

static void need_metadata(struct rsv_universe *u, struct needs *out, const struct py_metadata *m, const struct rsv_candidate *c, const char *extra)
{
    struct py_env env = rsv_env_of(u, c);
    for (uint32_t i = 0; i < m->nrequires; i++)
        if (in_force(&env, &m->requires[i], extra)) need_requirement(u, out, &m->requires[i], (struct rsv_reason){ .kind = RSV_R_METADATA, .text = m->requires[i].text });
}

static bool url_asked_for(const struct rsv_universe *u, const struct py_req *r)
{
    for (size_t i = 0; i < u->p->nrequests; i++)
        if (u->p->requests[i].url && strcmp(u->p->requests[i].name, r->name) == 0 && strcmp(u->p->requests[i].url, r->url) == 0) return true;
    return override_of(u, r->name) != NULL;
}

/* A package that would bring another from a URL of its own choice is not taken: the index was asked, not that place. */
static bool wants_url(struct rsv_universe *u, struct rsv_solver *s, rsv_pkg pkg, uint32_t at, const struct py_metadata *m, const char *extra)
{
    struct py_env env = rsv_env_of(u, &u->pkg.v[u->pkg.v[pkg].base].c[at]);
    for (uint32_t i = 0; i < m->nrequires; i++) {
        const struct py_req *r = &m->requires[i];
        if (!r->url || !in_force(&env, r, extra) || url_asked_for(u, r)) continue;
        struct rsv_term t = { pkg, true, rsv_set_one(&u->mem, at) };
        rsv_add_external(s, &t, 1, rsv_reason_add(u, (struct rsv_reason){ .kind = RSV_R_URL, .pkg = pkg, .dep = RSV_NONE, .text = gf_arena_strz(&u->mem, r->text) }));
        return true;
    }
    return false;
}

/* pip refuses to install a package whose metadata it cannot read, whichever requirement it is. */
static bool pip_cannot_read(struct rsv_universe *u, struct rsv_solver *s, rsv_pkg pkg, uint32_t at, const struct py_metadata *m)
{
    for (uint32_t i = 0; u->p->plain_pip && i < m->nrequires; i++) {
        if (!py_marker_asks_variant(m->requires[i].marker)) continue;
        struct gf_err why = GF_ERR_INIT;
        gf_fail(&why, GF_E_PARSE, "its requirement '%s' uses a marker of wheel variants, which pip cannot read, so that a bundle of it could not be installed; --no-installer plans it for "
                "an installer that can", m->requires[i].text);
        unreadable(u, s, pkg, at, &why);
        return true;
    }
    return false;
}

static enum rsv_state expand_distribution(struct rsv_universe *u, struct rsv_solver *s, rsv_pkg pkg, uint32_t at, struct gf_err *err)
{
    const struct rsv_candidate *c = &u->pkg.v[pkg].c[at];
    const struct py_metadata *meta = NULL;
    struct needs needs = { 0 };
    enum rsv_state state = metadata_of(u, s, pkg, at, &meta, err);
    if (state != RSV_READY || !meta || wants_url(u, s, pkg, at, meta, NULL) || pip_cannot_read(u, s, pkg, at, meta)) return state;
    need_metadata(u, &needs, meta, c, NULL);
    need_rules(u, &needs, u->pkg.v[pkg].name, c);
    need_policies(u, &needs, u->pkg.v[pkg].name, c);
    state = need_ptx_driver(u, &needs, c, err);
    if (state == RSV_READY) state = need_variant_driver(u, &needs, c, err);
    if (state == RSV_ERROR) {
        gf_vec_free(&needs.v);
        return state;
    }
    state = finish(u, s, &needs, pkg, at, err);
    if (state == RSV_READY) add_present_rules(u, pkg, at);
    return state;
}

static bool asked_for(const struct rsv_universe *u, rsv_pkg extra)
{
    const struct rsv_package *p = &u->pkg.v[extra], *base = &u->pkg.v[p->base];
    if (!base->direct) return false;
    for (size_t i = 0; i < u->p->nrequests; i++)
        for (uint32_t k = 0; strcmp(u->p->requests[i].name, base->name) == 0 && k < u->p->requests[i].nextras; k++)
            if (strcmp(u->p->requests[i].extras[k], p->extra) == 0) return true;
    return false;
}

bool rsv_has_extra(const struct py_metadata *m, const char *extra)
{
    for (uint32_t i = 0; i < m->nextras; i++)
        if (strcmp(m->extras[i], extra) == 0) return true;
    return false;
}

/* Whoever asks for an extra does not mean an older version that has none: it would come without what was asked for. */
static bool lacks_extra(struct rsv_universe *u, struct rsv_solver *s, rsv_pkg pkg, uint32_t at, const struct py_metadata *m)
{
    struct rsv_package *p = &u->pkg.v[pkg];
    if (rsv_has_extra(m, p->extra)) p->provided = true;
    else if (p->provided && asked_for(u, pkg)) {
        struct rsv_term t = { pkg, true, rsv_set_one(&u->mem, at) };
        rsv_add_external(s, &t, 1, rsv_reason_add(u, (struct rsv_reason){ .kind = RSV_R_NO_EXTRA, .pkg = pkg, .dep = RSV_NONE, .text = p->extra }));
        return true;
    }
    return false;
}

static enum rsv_state expand_extra(struct rsv_universe *u, struct rsv_solver *s, rsv_pkg pkg, uint32_t at, struct gf_err *err)
{
    rsv_pkg base = u->pkg.v[pkg].base;
    struct needs needs = { 0 };
    need_exact(u, &needs, base, rsv_set_one(&u->mem, at), (struct rsv_reason){ .kind = RSV_R_SAME_EXTRA });
    if (!u->pkg.v[base].c[at].replaces_by) {
        const struct py_metadata *meta = NULL;
        enum rsv_state state = metadata_of(u, s, pkg, at, &meta, err);
        if (state != RSV_READY || !meta || lacks_extra(u, s, pkg, at, meta) || wants_url(u, s, pkg, at, meta, u->pkg.v[pkg].extra)) {
            gf_vec_free(&needs.v);
            return state;
        }
        need_metadata(u, &needs, meta, &u->pkg.v[base].c[at], u->pkg.v[pkg].extra);
    }
    return finish(u, s, &needs, pkg, at, err);
}

static enum rsv_state expand_component(struct rsv_universe *u, struct rsv_solver *s, rsv_pkg pkg, uint32_t at, struct gf_err *err)
{
    const struct rsv_candidate *c = &u->pkg.v[pkg].c[at];
    struct needs needs = { 0 };
    need_exact(u, &needs, c->provider, rsv_set_one(&u->mem, c->provider_at), (struct rsv_reason){ .kind = RSV_R_PROVIDES });
    need_rules(u, &needs, u->pkg.v[pkg].name, c);
    return finish(u, s, &needs, pkg, at, err);
}

static enum rsv_state expand_replaced(struct rsv_universe *u, struct rsv_solver *s, rsv_pkg pkg, uint32_t at, struct gf_err *err)
{
    struct needs needs = { 0 };
    need_exact(u, &needs, u->pkg.v[pkg].c[at].provider, rsv_set_full(), (struct rsv_reason){ .kind = RSV_R_PROVIDES });
    return finish(u, s, &needs, pkg, at, err);
}

enum rsv_state rsv_expand(void *arg, struct rsv_solver *s, rsv_pkg pkg, uint32_t candidate, struct gf_err *err)
{
    struct rsv_universe *u = arg;
    switch (u->pkg.v[pkg].kind) {
    case RSV_ROOT: return expand_root(u, s, err);
    case RSV_DIST: return u->pkg.v[pkg].c[candidate].replaces_by ? expand_replaced(u, s, pkg, candidate, err) : expand_distribution(u, s, pkg, candidate, err);
    case RSV_EXTRA: return expand_extra(u, s, pkg, candidate, err);
    case RSV_COMPONENT: return expand_component(u, s, pkg, candidate, err);
    case RSV_DRIVER:
    case RSV_VARIANT:
    case RSV_POLICY: break;
    }
    return RSV_READY;
}
