#include "resolver/plan.h"
#include "resolver/build.h"
#include "resolver/explain.h"
#include "resolver/write.h"

static void want_project(void *arg, const char *name) { src_want_project(arg, name); }
static enum src_state project(void *arg, const char *name, const struct src_project **ret, struct gf_err *err) { return src_project(arg, name, ret, err); }
static void want_metadata(void *arg, const struct src_file *f) { src_want_metadata(arg, f); }
static enum src_state metadata(void *arg, const struct src_file *f, const struct py_metadata **ret, struct gf_err *err) { return src_metadata(arg, f, ret, err); }
static void want_variants(void *arg, const struct src_file *f) { src_want_variants(arg, f); }
static enum src_state variants(void *arg, const struct src_file *f, const struct py_variants **ret, struct gf_err *err) { return src_variants(arg, f, ret, err); }
static int wait_any(void *arg, struct gf_err *err) { return src_wait(arg, err); }
static const struct src_index *index_at(void *arg, size_t i) { return i < src_set_count(arg) ? src_set_index(arg, i) : NULL; }
static enum src_use use_of(void *arg, size_t i, const char **ret_why) { return src_set_use(arg, i, ret_why); }

struct rsv_supply rsv_supply_of_sources(struct src_set *s)
{
    return (struct rsv_supply){ s, want_project, project, want_metadata, metadata, want_variants, variants, wait_any, index_at, use_of };
}

static void tell_progress(const struct rsv_universe *u, const struct rsv_plan_options *o)
{
    if (!o || !o->progress) return;
    size_t known = 0, loaded = 0;
    for (size_t i = 0; i < u->pkg.n; i++) {
        known += u->pkg.v[i].kind == RSV_DIST;
        loaded += u->pkg.v[i].kind == RSV_DIST && u->pkg.v[i].loaded && u->pkg.v[i].guessed != RSV_NONE;
    }
    o->progress(o->progress_arg, known, loaded);
}

static enum rsv_outcome solve(struct rsv_universe *u, const struct rsv_plan_options *o, struct gf_err *err)
{
    for (bool asked = !o;; asked = true) { /* ahead only in the first solve, and only when it has to wait */
        enum rsv_outcome outcome = rsv_step(u->solver, err);
        if (outcome != RSV_NEEDS) return outcome;
        if (!asked) rsv_ask_ahead(u);
        rsv_speculate(u);
        tell_progress(u, o);
        if (u->supply.wait(u->supply.arg, err)) return RSV_FAILED;
    }
}

enum rsv_outcome rsv_run(struct rsv_universe *u, const struct rsv_plan_options *o, struct gf_err *err)
{
    for (bool refused;; rsv_universe_restart(u)) { /* ends: each turn refuses a candidate */
        enum rsv_outcome outcome = solve(u, o, err);
        if (outcome != RSV_SOLVED) return outcome;
        if (rsv_plan_builds(u, &refused, err)) return RSV_FAILED;
        if (!refused) return outcome;
    }
}

/* The newest pip that runs on the target's Python: the bundle installs with it. */
static int choose_installer(struct rsv_universe *u, uint32_t *ret_at, rsv_pkg *ret_pkg, struct gf_err *err)
{
    rsv_pkg pip = rsv_distribution(u, "pip");
    enum rsv_state state;
    while ((state = rsv_load_list(u, pip, err)) == RSV_WAITING)
        if (u->supply.wait(u->supply.arg, err)) return -1;
    if (state == RSV_ERROR) return -1;
    *ret_pkg = pip;
    *ret_at = rsv_pick_of(u, pip, rsv_set_full());
    if (*ret_at == RSV_NONE || u->pkg.v[pip].c[*ret_at].sdist)
        return gf_fail(err, GF_E_NO, "no source has a pip wheel for Python %u.%u, and the bundle cannot install without one: add an index that has pip",
                       u->platform.major, u->platform.minor);
    return 0;
}

/* --- why newer ones were not taken -------------------------------------------------------------------------------- */

enum { MOST_SOLVES = 12, MOST_NAMED = 40 };

/* One more solve that asks for exactly this version: the reason of its refusal. */
static bool reason_by_solve(struct rsv_universe *u, struct gf_arena *a, const char *name, const char *version, struct mdl_reason *ret)
{
    struct rsv_problem asked = *u->p;
    const struct rsv_problem *before = u->p;
    struct py_req *requests = GF_NEW_ARRAY(&u->mem, struct py_req, before->nrequests + 1);
    memcpy(requests, before->requests, before->nrequests * sizeof *requests);
    struct gf_err err = GF_ERR_INIT;
    char *text = gf_arena_printf(&u->mem, "%s==%s", name, version);
    if (py_req_parse(&u->mem, gf_slice_of(text), true, &requests[before->nrequests], &err)) return false;
    asked.requests = requests;
    asked.nrequests = before->nrequests + 1;
    u->p = &asked;
    rsv_universe_restart(u);
    bool found = false;
    if (rsv_run(u, NULL, &err) == RSV_UNSOLVABLE) {
        size_t n = 0;
        uint32_t *leaves = rsv_refusal_leaves(u, &n), leaf = rsv_telling_leaf(u, leaves, n);
        found = leaf != RSV_NONE && rsv_reason_text(u, a, rsv_incompat_at(u->solver, leaf), ret);
        free(leaves);
    }
    u->p = before;
    return found;
}

/* "torch 2.15.0 needs …" → "needs …": neighbours with one reason read the same. */
static const char *without_subject(const char *text, const char *name, const char *version)
{
    gf_slice rest = gf_slice_of(text);
    bool same = gf_try_lit(&rest, gf_slice_of(name)) && gf_try_char(&rest, ' ') && gf_try_lit(&rest, gf_slice_of(version)) && gf_try_char(&rest, ' ');
    return same ? rest.p : text;
}

struct passed_list { GF_VEC(struct mdl_passed_over) v; };

static void passed_over_of(struct rsv_universe *u, struct gf_arena *a, const char *name, const char *chosen, unsigned *solves, struct passed_list *out)
{
    rsv_pkg pkg = rsv_distribution(u, name);
    struct py_version v;
    if (!py_version_parse(&u->mem, gf_slice_of(chosen), &v)) return;
    const char *last = NULL;
    for (uint32_t i = u->pkg.v[pkg].n; i-- > 0 && out->v.n < MOST_NAMED;) {
        const struct rsv_package *p = &u->pkg.v[pkg]; /* each solve may move the list of packages */
        const struct rsv_candidate *c = &p->c[i];
        if (py_version_cmp_public(&c->version, &v) <= 0) break;
        if ((c->pre && !u->p->pre && !p->wants_pre) || c->replaces_by || (last && strcmp(last, c->version.text) == 0)) continue;
        last = c->version.text;
        struct mdl_passed_over over = { .name = gf_arena_strz(a, name), .version = gf_arena_strz(a, c->version.text) };
        if (c->refused != RSV_NONE) rsv_refusal_text(u, a, pkg, i, &over.reason);
        else if (++*solves > MOST_SOLVES || !reason_by_solve(u, a, name, c->version.text, &over.reason)) continue;
        over.reason.text = without_subject(over.reason.text, over.name, over.version);
        gf_vec_push(&out->v, over);
    }
}

static void add_passed_over(struct rsv_universe *u, struct mdl_lock *lock)
{
    struct passed_list list = { 0 };
    unsigned solves = 0;
    for (size_t i = 0; i < u->p->nrequests; i++)
        for (size_t k = 0; k < lock->npython; k++)
            if (strcmp(lock->python[k].name, u->p->requests[i].name) == 0)
                passed_over_of(u, &lock->mem, lock->python[k].name, lock->python[k].version, &solves, &list);
    lock->passed_over = list.v.n ? gf_arena_memdup(&lock->mem, list.v.v, list.v.n * sizeof *list.v.v) : NULL;
    lock->npassed_over = list.v.n;
    gf_vec_free(&list.v);
}

/* --- the whole ------------------------------------------------------------------------------------------------------ */

static int planned(struct rsv_universe *u, const struct rsv_plan_options *o, struct rsv_result *ret, struct gf_err *err)
{
    struct rsv_write w = { .u = u, .request_json = o->request_json, .installer = RSV_NONE };
    if (o->installer && choose_installer(u, &w.installer_at, &w.installer, err)) return -1;
    ret->lock = rsv_write_lock(&w, err);
    if (!ret->lock) return -1;
    ret->download = w.download;
    ret->packages = w.packages;
    if (o->passed_over) add_passed_over(u, ret->lock);
    return 0;
}

static int refused(struct rsv_universe *u, const struct rsv_plan_options *o, struct rsv_result *ret, struct gf_err *err)
{
    ret->refused = gf_xcalloc(1, sizeof *ret->refused);
    if (rsv_explain_refusal(u, ret->refused, err)) return -1;
    return o->changes ? rsv_find_changes(u, ret->refused, err) : 0;
}

int rsv_plan(const struct rsv_problem *p, struct rsv_supply supply, const struct rsv_plan_options *o, struct rsv_result *ret, struct gf_err *err)
{
    *ret = (struct rsv_result){ 0 };
    struct rsv_universe u;
    if (rsv_universe_init(&u, p, supply, err)) {
        rsv_universe_release(&u);
        return -1;
    }
    if (o->installer) supply.want_project(supply.arg, "pip");
    int rc = -1;
    enum rsv_outcome outcome = rsv_run(&u, o, err);
    rsv_counts(u.solver, &ret->decisions, &ret->conflicts);
    ret->skipped_files = u.skipped_files;
    ret->untold_variants = u.untold_variants;
    if (outcome == RSV_SOLVED) rc = planned(&u, o, ret, err);
    else if (outcome == RSV_UNSOLVABLE) rc = refused(&u, o, ret, err);
    rsv_universe_release(&u);
    if (rc) rsv_result_release(ret);
    return rc;
}

void rsv_result_release(struct rsv_result *r)
{
    mdl_lock_free(r->lock);
    if (r->refused) gf_arena_release(&r->refused->mem);
    free(r->refused);
    r->lock = NULL;
    r->refused = NULL;
}
