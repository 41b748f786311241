#include "resolver/build.h"
#include <stdio.h>

/* "kind:name" or "kind:name[extra]" in the arena. */
static char *key_of(struct gf_arena *a, enum rsv_kind kind, const char *name, const char *extra)
{
    return gf_arena_printf(a, "%u:%s%s%s%s", (unsigned)kind, name, extra ? "[" : "", extra ? extra : "", extra ? "]" : "");
}

rsv_pkg rsv_find_package(const struct rsv_universe *u, enum rsv_kind kind, const char *name, const char *extra)
{
    GF_ARENA_SCOPE struct gf_arena a = GF_ARENA_INIT;
    return gf_names_find(&u->names, gf_slice_of(key_of(&a, kind, name, extra)));
}

rsv_pkg rsv_package(struct rsv_universe *u, enum rsv_kind kind, const char *name, const char *extra)
{
    bool fresh;
    uint32_t id = gf_names_add(&u->names, gf_slice_of(key_of(&u->mem, kind, name, extra)), &fresh);
    if (!fresh) return id;
    rsv_pkg base = kind == RSV_EXTRA ? rsv_package(u, RSV_DIST, name, NULL) : id;
    struct rsv_package p = { .kind = kind, .name = gf_arena_strz(&u->mem, name), .extra = gf_arena_strz(&u->mem, extra), .base = base, .request = RSV_NONE, .guessed = RSV_NONE, .awaited = RSV_NONE };
    while (u->pkg.n <= id) gf_vec_push(&u->pkg, (struct rsv_package){ .request = RSV_NONE });
    u->pkg.v[id] = p;
    return id;
}

rsv_pkg rsv_distribution(struct rsv_universe *u, const char *name) { return rsv_package(u, RSV_DIST, name, NULL); }

bool rsv_is_freed(const struct rsv_universe *u, const char *unit)
{
    for (size_t i = 0; unit && i < u->p->nfreed; i++)
        if (strcmp(u->p->freed[i], unit) == 0) return true;
    return false;
}

static bool same_text(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

uint32_t rsv_reason_add(struct rsv_universe *u, struct rsv_reason r)
{
    for (size_t i = u->reasons.n, tried = 0; i-- > 0 && tried < 400; tried++) {
        const struct rsv_reason *o = &u->reasons.v[i];
        if (o->kind == r.kind && o->pkg == r.pkg && o->dep == r.dep && o->rule == r.rule && same_text(o->text, r.text) && same_text(o->why, r.why)) return (uint32_t)i;
    }
    gf_vec_push(&u->reasons, r);
    return (uint32_t)u->reasons.n - 1;
}

rsv_set rsv_set_of_specs(struct rsv_universe *u, rsv_pkg pkg, const struct py_specset *specs, const char *text)
{
    struct rsv_package *p = &u->pkg.v[u->pkg.v[pkg].base];
    if (!specs || specs->n == 0) return rsv_set_full();
    for (size_t i = 0; text && i < p->sets.n; i++)
        if (strcmp(p->sets.v[i].text, text) == 0) return p->sets.v[i].set;
    struct rsv_set_builder w = { 0 };
    for (uint32_t i = 0; i < p->n; i++)
        if (p->c[i].replaces_by || py_specset_contains(specs, &p->c[i].version)) rsv_set_add(&w, i);
    rsv_set set = rsv_set_build(&u->mem, &w);
    if (text) gf_vec_push(&p->sets, (struct rsv_known_set){ gf_arena_strz(&u->mem, text), set });
    return set;
}

/* --- loading --------------------------------------------------------------------------------------------------- */

static enum rsv_state load_distribution(struct rsv_universe *u, rsv_pkg pkg, struct gf_err *err)
{
    const char *name = u->pkg.v[pkg].name;
    const struct src_project *project = NULL;
    u->supply.want_project(u->supply.arg, name);
    switch (u->supply.project(u->supply.arg, name, &project, err)) {
    case SRC_NOT_ASKED:
    case SRC_WAITING: return RSV_WAITING;
    case SRC_FAILED: return RSV_ERROR;
    case SRC_ABSENT: u->pkg.v[pkg].missing = true; break;
    case SRC_READY:
        return rsv_load_distribution(u, pkg, project, err);
    }
    return RSV_READY;
}

enum rsv_state rsv_load_list(struct rsv_universe *u, rsv_pkg pkg, struct gf_err *err)
{
    if (u->pkg.v[pkg].loaded) return RSV_READY;
    enum rsv_state state = RSV_READY;
    switch (u->pkg.v[pkg].kind) {
    case RSV_DIST: state = load_distribution(u, pkg, err); break;
    case RSV_COMPONENT: state = rsv_load_component(u, pkg, err); break;
    case RSV_DRIVER: rsv_load_driver(u, pkg); break;
    case RSV_ROOT:
    case RSV_EXTRA:
    case RSV_VARIANT:
    case RSV_POLICY: break;
    }
    if (state == RSV_READY) u->pkg.v[pkg].loaded = true;
    return state;
}

/* The candidates of the list that stand for themselves. */
static rsv_set real_candidates(struct rsv_universe *u, rsv_pkg pkg)
{
    struct rsv_set_builder w = { 0 };
    for (uint32_t i = 0; i < u->pkg.v[pkg].n; i++)
        if (!u->pkg.v[pkg].c[i].replaces_by) rsv_set_add(&w, i);
    return rsv_set_build(&u->mem, &w);
}

static void add_present(struct rsv_universe *u, rsv_pkg other, struct rsv_pending w)
{
    rsv_set set = rsv_set_of_specs(u, other, &w.specs, NULL);
    if (!w.inside) set = rsv_set_complement(&u->mem, set);
    set = rsv_set_intersect(&u->mem, set, real_candidates(u, other));
    if (rsv_set_is_empty(set)) return;
    struct rsv_term t[2] = { { other, true, set }, { w.pkg, true, w.set } };
    rsv_add_external(u->solver, t, w.pkg == RSV_NONE ? 1 : 2, w.reason);
}

void rsv_add_when_present(struct rsv_universe *u, rsv_pkg other, struct rsv_pending w)
{
    if (u->pkg.v[other].published) add_present(u, other, w);
    else gf_vec_push(&u->pkg.v[other].pending, w);
}

static enum rsv_state load_base(struct rsv_universe *u, rsv_pkg pkg, struct gf_err *err)
{
    if (u->pkg.v[pkg].published) return RSV_READY;
    enum rsv_state state = rsv_load_list(u, pkg, err);
    if (state != RSV_READY) return state;
    u->pkg.v[pkg].published = true;
    rsv_publish_refusals(u, pkg);
    if (u->pkg.v[pkg].kind == RSV_COMPONENT) rsv_tie_providers(u, pkg);
    for (size_t i = 0; i < u->pkg.v[pkg].pending.n; i++) add_present(u, pkg, u->pkg.v[pkg].pending.v[i]);
    u->pkg.v[pkg].pending.n = 0;
    return RSV_READY;
}

enum rsv_state rsv_load(struct rsv_universe *u, rsv_pkg pkg, struct gf_err *err)
{
    enum rsv_state state = load_base(u, u->pkg.v[pkg].base, err);
    if (state != RSV_READY || u->pkg.v[pkg].published) return state;
    u->pkg.v[pkg].published = true; /* an extra: what its distribution cannot be, it cannot be for the same reason */
    rsv_publish_refusals(u, pkg);
    return state;
}

/* --- the solver's questions ---------------------------------------------------------------------------------- */

static uint32_t lowest(rsv_set s) { return s.n ? s.b[0] : RSV_NONE; }

/* Among the allowed of an extra, what its distribution has or would take. */
static uint32_t pick_extra(struct rsv_universe *u, rsv_pkg base, rsv_set allowed)
{
    uint32_t decided = rsv_decided(u->solver, base);
    if (decided != RSV_NONE && rsv_set_has(allowed, decided)) return decided;
    rsv_set wanted;
    if (rsv_wanted(u->solver, base, &wanted)) {
        rsv_set both = rsv_set_intersect(&u->mem, allowed, wanted);
        uint32_t best = rsv_pick_of(u, base, both);
        if (best != RSV_NONE) return best;
    }
    return rsv_pick_of(u, base, allowed);
}

uint32_t rsv_pick_of(struct rsv_universe *u, rsv_pkg pkg, rsv_set allowed)
{
    const struct rsv_package *p = &u->pkg.v[pkg];
    for (uint32_t i = 0; i < p->n; i++)
        if (p->c[p->order[i]].refused == RSV_NONE && rsv_set_has(allowed, p->order[i])) return p->order[i];
    return RSV_NONE;
}

static uint32_t pick_policy(const struct rsv_universe *u, const struct rsv_package *p, rsv_set allowed)
{
    enum rsv_policy policy = strcmp(p->name, "unknown") == 0 ? u->p->unknown : strcmp(p->name, "sdist") == 0 ? u->p->sdist : RSV_AVOID;
    bool yes = policy != RSV_REFUSE && rsv_set_has(allowed, 0), no = rsv_set_has(allowed, 1);
    if (policy == RSV_ALLOW && yes) return 0;
    return no ? 1 : yes ? 0 : RSV_NONE;
}

static uint32_t pick(void *arg, rsv_pkg pkg, rsv_set allowed)
{
    struct rsv_universe *u = arg;
    if (pkg == 0) return rsv_set_has(allowed, 0) ? 0 : RSV_NONE;
    struct rsv_package *p = &u->pkg.v[pkg];
    switch (p->kind) {
    case RSV_ROOT: return RSV_NONE;
    case RSV_POLICY: return pick_policy(u, p, allowed);
    case RSV_VARIANT: return lowest(allowed) < u->variants.n ? lowest(allowed) : RSV_NONE;
    case RSV_EXTRA: return u->pkg.v[p->base].published ? pick_extra(u, p->base, allowed) : RSV_WAIT;
    case RSV_DIST:
    case RSV_COMPONENT:
    case RSV_DRIVER: break;
    }
    return p->published ? rsv_pick_of(u, pkg, allowed) : RSV_WAIT;
}

static uint64_t priority(void *arg, rsv_pkg pkg, rsv_set allowed, uint32_t conflicts)
{
    const struct rsv_universe *u = arg;
    const struct rsv_package *p = &u->pkg.v[pkg], *base = &u->pkg.v[p->base];
    uint64_t by_age = UINT32_MAX - p->age;
    if (p->kind == RSV_ROOT) return UINT64_MAX;
    if (p->kind == RSV_POLICY) return 7ull << 60;
    if (p->kind == RSV_DRIVER) return 0;
    if (p->kind == RSV_VARIANT) return 1;
    if (base->loaded && rsv_set_count(allowed, base->n) == 1) return 6ull << 60 | by_age;
    if (base->direct) return 5ull << 60 | (uint64_t)(UINT32_MAX - base->request);
    if (conflicts >= 30) return 4ull << 60 | (uint64_t)(conflicts < 1u << 20 ? conflicts / 30 : 1u << 16) << 32 | by_age;
    if (p->kind == RSV_COMPONENT) return 2ull << 60 | by_age;
    return 3ull << 60 | by_age;
}

/* --- life ---------------------------------------------------------------------------------------------------------- */

static void set_platform_names(struct rsv_universe *u)
{
    const struct mdl_profile *f = u->p->profile;
    u->os = u->platform.os == PY_OS_WINDOWS ? "windows" : u->platform.os == PY_OS_MACOS ? "macos" : "linux";
    u->driver_os = f->wsl == PY_YES ? "windows" : u->os;
    u->build_platform = gf_arena_printf(&u->mem, "%s_%s", u->os, f->arch);
    if (strcmp(u->os, "windows") == 0) u->build_platform = "windows";
    if (f->driver_version && u->p->driver == RSV_DRIVER_KEEP)
        u->driver_cuda = f->driver_cuda ? f->driver_cuda : mtx_driver_cuda(u->p->matrix, u->driver_os, gf_slice_of(f->driver_version));
}

static void note_requests(struct rsv_universe *u)
{
    for (size_t i = 0; i < u->p->nrequests; i++) {
        const struct py_req *r = &u->p->requests[i];
        if (r->marker && py_marker_eval(r->marker, &u->env, GF_NONE) == PY_NO) continue; /* not asked for here */
        rsv_pkg id = rsv_distribution(u, r->name);
        struct rsv_package *p = &u->pkg.v[id];
        if (!p->direct) p->request = (uint32_t)i;
        p->direct = true;
        p->wants_pre |= py_specset_asks_pre(&r->specs);
        p->pins_yanked |= py_specset_is_exact(&r->specs);
        u->supply.want_project(u->supply.arg, r->name);
    }
    for (size_t i = 0; i < u->p->nconstraints; i++) {
        const struct py_req *c = &u->p->constraints[i];
        if (c->marker && py_marker_eval(c->marker, &u->env, GF_NONE) == PY_NO) continue;
        rsv_pkg id = rsv_distribution(u, u->p->constraints[i].name); /* may move the list */
        struct rsv_package *p = &u->pkg.v[id];
        p->wants_pre |= py_specset_asks_pre(&u->p->constraints[i].specs);
        p->pins_yanked |= py_specset_is_exact(&u->p->constraints[i].specs);
    }
}

int rsv_universe_init(struct rsv_universe *u, const struct rsv_problem *p, struct rsv_supply supply, struct gf_err *err)
{
    *u = (struct rsv_universe){ .mem = GF_ARENA_INIT, .p = p, .supply = supply };
    gf_names_init(&u->names);
    gf_names_init(&u->variants);
    gf_names_init(&u->python_specs);
    gf_names_init(&u->tag_texts);
    const char *missing = NULL;
    if (!mdl_profile_platform(p->profile, &u->platform, &missing))
        return gf_fail(err, GF_E_UNKNOWN, "the target's %s is not known and decides which files fit: say it (--%s) or give a profile that has it", missing, missing);
    char text[64];
    snprintf(text, sizeof text, "%u.%u.%u", u->platform.major, u->platform.minor, u->platform.micro);
    py_version_parse(&u->mem, gf_slice_of(text), &u->python);
    u->env = py_platform_env(&u->platform);
    u->tags = py_tags_new(&u->platform);
    set_platform_names(u);
    rsv_package(u, RSV_ROOT, "root", NULL);
    rsv_universe_restart(u);
    return 0;
}

void rsv_universe_restart(struct rsv_universe *u)
{
    rsv_solver_free(u->solver);
    for (size_t i = 0; i < u->pkg.n; i++) {
        struct rsv_package *p = &u->pkg.v[i];
        p->published = p->direct = p->provided = false;
        p->age = 0;
        p->pending.n = 0;
    }
    u->ages = 0;
    struct rsv_world world = { u, pick, priority, rsv_expand };
    u->solver = rsv_solver_new(&world);
    note_requests(u);
}

void rsv_universe_release(struct rsv_universe *u)
{
    rsv_solver_free(u->solver);
    for (size_t i = 0; i < u->pkg.n; i++) {
        gf_vec_free(&u->pkg.v[i].pending);
        gf_vec_free(&u->pkg.v[i].sets);
    }
    gf_vec_free(&u->pkg);
    gf_vec_free(&u->reasons);
    gf_vec_free(&u->python_fits);
    gf_names_release(&u->names);
    gf_names_release(&u->variants);
    gf_names_release(&u->python_specs);
    gf_names_release(&u->tag_texts);
    gf_vec_free(&u->tag_answers);
    rsv_forget_builds(u);
    gf_vec_free(&u->builds);
    gf_vec_free(&u->build_files);
    py_tags_free(u->tags);
    gf_arena_release(&u->mem);
}
