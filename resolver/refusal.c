/* After a refusal: reduce it until taking anything away makes a plan possible, tell it, and look for the smallest changes that would help. */
#include "resolver/explain.h"
#include "resolver/write.h"

struct units { GF_VEC(const char *) v; };

static bool has_unit(const struct units *s, const char *unit)
{
    for (size_t i = 0; i < s->v.n; i++)
        if (strcmp(s->v.v[i], unit) == 0) return true;
    return false;
}

/* What could be taken away of the refusal that stands in u. */
static void units_of(struct rsv_universe *u, struct gf_arena *a, struct units *out)
{
    size_t n = 0;
    uint32_t *leaves = rsv_refusal_leaves(u, &n);
    out->v.n = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t reason = rsv_incompat_at(u->solver, leaves[i])->reason;
        const char *unit = reason == RSV_NONE ? NULL : u->reasons.v[reason].unit;
        if (unit && !has_unit(out, unit)) gf_vec_push(&out->v, gf_arena_strz(a, unit));
    }
    free(leaves);
}

/* Solves p anew; *ret holds the universe, to be released. */
static enum rsv_outcome solve_again(const struct rsv_problem *p, struct rsv_supply supply, struct rsv_universe *ret, struct gf_err *err)
{
    if (rsv_universe_init(ret, p, supply, err)) return RSV_FAILED;
    return rsv_run(ret, NULL, err);
}

static const struct rsv_reason *reason_of(const struct rsv_universe *u, const struct rsv_incompat *inc) { return inc->reason == RSV_NONE ? NULL : &u->reasons.v[inc->reason]; }

/* Do two leaves say one thing of several versions: the same rule, refusal or provider, or a requirement that each version has with a version of its own. */
static bool alike(const struct rsv_incompat *a, const struct rsv_reason *r, const struct rsv_incompat *b, const struct rsv_reason *q)
{
    if (!r || !q || r->kind != q->kind || a->kind != b->kind || a->nterms != b->nterms || a->terms[0].pkg != b->terms[0].pkg || r->dep != q->dep) return false;
    bool same_text = r->text == q->text || (r->text && q->text && strcmp(r->text, q->text) == 0);
    switch (r->kind) {
    case RSV_R_RULE:
        if (a->kind == RSV_CAUSE_EXTERNAL) return a->nterms == 2 && a->terms[1].pkg == b->terms[1].pkg && r->why == q->why;
        return a->kind == RSV_CAUSE_EDGE && same_text && r->text;
    case RSV_R_METADATA:
    case RSV_R_PROVIDES: return a->kind == RSV_CAUSE_EDGE;
    case RSV_R_NO_EXTRA: return same_text;
    default: return false;
    }
}

/* A leaf together with those that say the same, and whether the other side of it is then another one too. */
static struct rsv_incompat with_alike(struct rsv_universe *u, const uint32_t *leaves, size_t n, size_t at, bool *ret_widened)
{
    struct rsv_incompat inc = *rsv_incompat_at(u->solver, leaves[at]);
    const struct rsv_reason *r = reason_of(u, &inc);
    struct rsv_term *terms = inc.nterms ? gf_arena_memdup(&u->mem, inc.terms, inc.nterms * sizeof *terms) : NULL;
    *ret_widened = false;
    for (size_t i = 0; i < n; i++) {
        const struct rsv_incompat *o = rsv_incompat_at(u->solver, leaves[i]);
        if (i == at || !alike(&inc, r, o, reason_of(u, o))) continue;
        terms[0].set = rsv_set_union(&u->mem, terms[0].set, o->terms[0].set);
        if (r->kind == RSV_R_RULE && inc.kind == RSV_CAUSE_EXTERNAL) terms[1].set = rsv_set_union(&u->mem, terms[1].set, o->terms[1].set);
        if (!reason_of(u, o)->text != !r->text || (r->text && strcmp(reason_of(u, o)->text, r->text) == 0)) continue;
        *ret_widened = true;
        if (inc.nterms > 1) terms[1].set = rsv_set_union(&u->mem, terms[1].set, o->terms[1].set);
    }
    inc.terms = terms;
    return inc;
}

static char *each_its_own(struct rsv_universe *u, struct gf_arena *a, const struct rsv_incompat *inc)
{
    char *who = rsv_set_text(u, a, inc->terms[0].pkg, inc->terms[0].set);
    rsv_pkg dep = u->reasons.v[inc->reason].dep;
    if (inc->nterms > 1) return gf_arena_printf(a, "%s requires %s, each the one that goes with it", who, rsv_set_text(u, a, dep, inc->terms[1].set));
    return gf_arena_printf(a, "%s requires %s in versions that do not exist", who, rsv_package_text(u, a, dep));
}

static void write_facts(struct rsv_universe *u, struct rsv_refused *ret)
{
    size_t n = 0;
    uint32_t *leaves = rsv_refusal_leaves(u, &n);
    GF_VEC(struct mdl_reason) list = { 0 };
    for (size_t i = 0; i < n; i++) {
        struct mdl_reason r;
        bool widened;
        struct rsv_incompat inc = with_alike(u, leaves, n, i, &widened);
        if (!rsv_reason_text(u, &ret->mem, &inc, &r)) continue;
        if (widened && strcmp(r.id, "requires") == 0) r.text = each_its_own(u, &ret->mem, &inc);
        bool repeated = false;
        for (size_t k = 0; k < list.n; k++) repeated |= strcmp(list.v[k].text, r.text) == 0;
        if (!repeated) gf_vec_push(&list, r);
    }
    ret->facts = list.n ? gf_arena_memdup(&ret->mem, list.v, list.n * sizeof *list.v) : NULL;
    ret->nfacts = list.n;
    gf_vec_free(&list);
    free(leaves);
}

enum { MOST_REDUCTIONS = 60 };

static const char *next_unit(const struct units *core, const struct units *needed)
{
    for (size_t i = 0; i < core->v.n; i++)
        if (!has_unit(needed, core->v.v[i])) return core->v.v[i];
    return NULL;
}

/* Frees units one by one and keeps each freeing after which it still fails: what it leans on then, which may be something else, is what is tried next. One
 * without which there is a plan is needed for good, since more freedom makes no plan impossible. */
static void reduce(struct rsv_universe *u, struct rsv_refused *ret)
{
    struct units core = { 0 }, needed = { 0 }, freed = { 0 };
    struct rsv_problem p = *u->p;
    units_of(u, &ret->mem, &core);
    ret->minimal = true;
    write_facts(u, ret);
    const char *unit;
    for (unsigned tries = 0; (core.v.n > 1 || freed.v.n) && (unit = next_unit(&core, &needed)); tries++) {
        if (tries == MOST_REDUCTIONS) {
            ret->minimal = false;
            break;
        }
        gf_vec_push(&freed.v, unit);
        p.freed = freed.v.v;
        p.nfreed = freed.v.n;
        struct rsv_universe again;
        struct gf_err err = GF_ERR_INIT;
        enum rsv_outcome o = solve_again(&p, u->supply, &again, &err);
        if (o == RSV_UNSOLVABLE) {
            units_of(&again, &ret->mem, &core);
            write_facts(&again, ret);
        } else {
            freed.v.n--;
            gf_vec_push(&needed.v, unit);
            if (o == RSV_FAILED) ret->minimal = false;
        }
        rsv_universe_release(&again);
    }
    gf_vec_free(&core.v);
    gf_vec_free(&needed.v);
    gf_vec_free(&freed.v);
}

/* Other sources that had no say: what they hold could make a plan. */
static void write_unreachable(struct rsv_universe *u, struct rsv_refused *ret)
{
    GF_VEC(const char *) list = { 0 };
    for (rsv_pkg p = 1; p < u->pkg.n; p++)
        if (u->pkg.v[p].kind == RSV_DIST && u->pkg.v[p].age && u->pkg.v[p].unreachable) /* not those that were only asked for ahead */
            gf_vec_push(&list, gf_arena_printf(&ret->mem, "%s: %s", u->pkg.v[p].name, u->pkg.v[p].unreachable));
    ret->not_considered = (struct mdl_strings){ list.n ? gf_arena_memdup(&ret->mem, list.v, list.n * sizeof *list.v) : NULL, list.n };
    gf_vec_free(&list);
}

int rsv_explain_refusal(struct rsv_universe *u, struct rsv_refused *ret, struct gf_err *err)
{
    (void)err;
    write_unreachable(u, ret);
    reduce(u, ret);
    return 0;
}

/* --- changes --------------------------------------------------------------------------------------------------------- */

struct search { struct rsv_universe *u; struct rsv_refused *ret; bool with_unknown; GF_VEC(struct rsv_change) found; };

/* "torch 2.10.0, torchvision 0.25.0": what the requests would become. */
static char *outcome_text(struct rsv_universe *u, struct gf_arena *a)
{
    GF_BUF_SCOPE struct gf_buf out;
    gf_buf_init(&out, 2000);
    for (size_t i = 0; i < u->p->nrequests; i++) {
        rsv_pkg p = rsv_find_package(u, RSV_DIST, u->p->requests[i].name, NULL);
        uint32_t at = p == RSV_NONE ? RSV_NONE : rsv_decided(u->solver, p);
        bool repeated = false;
        for (size_t k = 0; k < i; k++) repeated |= strcmp(u->p->requests[k].name, u->p->requests[i].name) == 0;
        if (at != RSV_NONE && !repeated) gf_buf_addf(&out, "%s%s %s", out.n ? ", " : "", u->pkg.v[p].name, u->pkg.v[p].c[at].version.text);
    }
    return gf_arena_str(a, gf_buf_slice(&out));
}

/* Does p have a plan; then it is noted. */
static bool try_change(struct search *s, const struct rsv_problem *wanted, const char *what, const char *option)
{
    struct rsv_universe again;
    struct gf_err err = GF_ERR_INIT;
    struct rsv_problem changed = *wanted, *p = &changed;
    if (!s->with_unknown) changed.unknown = RSV_REFUSE; /* nothing is offered that the data does not know */
    bool works = solve_again(p, s->u->supply, &again, &err) == RSV_SOLVED && !rsv_lacks_extra(&again);
    if (works) {
        const struct mtx_rule *rule = NULL;
        const char *floor = p->driver == RSV_DRIVER_ANY && s->u->p->driver != RSV_DRIVER_ANY ? rsv_driver_floor(&again, &rule) : NULL;
        struct gf_arena *a = &s->ret->mem;
        struct rsv_change c = { .gives = outcome_text(&again, a), .what = gf_arena_strz(a, what), .option = gf_arena_strz(a, option) };
        if (floor) {
            rsv_pkg driver = rsv_find_package(&again, RSV_DRIVER, "driver", NULL);
            uint32_t at = driver == RSV_NONE ? RSV_NONE : rsv_decided(again.solver, driver);
            if (at != RSV_NONE) c.what = gf_arena_printf(a, "with driver %s (it needs %s)", rsv_shown(&again.pkg.v[driver].c[at]), floor);
        }
        gf_vec_push(&s->found, c);
    }
    rsv_universe_release(&again);
    return works;
}

static void try_versions(struct search *s)
{
    const struct rsv_problem *was = s->u->p;
    for (size_t i = 0; i < was->nrequests; i++) {
        if (was->requests[i].specs.n == 0) continue;
        struct rsv_problem p = *was;
        struct py_req *requests = GF_NEW_ARRAY(&s->ret->mem, struct py_req, was->nrequests);
        memcpy(requests, was->requests, was->nrequests * sizeof *requests);
        requests[i].specs = (struct py_specset){ 0 };
        p.requests = requests;
        try_change(s, &p, gf_arena_printf(&s->ret->mem, "with another version of %s", requests[i].name), requests[i].name);
    }
}

/* Other Pythons, the nearest first. */
static void try_pythons(struct search *s)
{
    unsigned have = s->u->platform.minor;
    for (unsigned away = 1; away <= 6; away++)
        for (int side = 0; side < 2; side++) {
            unsigned minor = side ? have + away : have - away;
            if (s->u->platform.major != 3 || minor < 6 || minor > 15) continue;
            struct mdl_profile changed = *s->u->p->profile;
            changed.python_version = gf_arena_printf(&s->ret->mem, "3.%u.0", minor);
            changed.python_abi = NULL;
            struct rsv_problem p = *s->u->p;
            p.profile = &changed;
            if (try_change(s, &p, gf_arena_printf(&s->ret->mem, "with Python 3.%u", minor), gf_arena_printf(&s->ret->mem, "--python 3.%u", minor))) return;
        }
}

static void try_driver(struct search *s)
{
    if (s->u->p->driver == RSV_DRIVER_ANY) return;
    struct rsv_problem p = *s->u->p;
    p.driver = RSV_DRIVER_ANY;
    try_change(s, &p, "with another driver", "--driver any");
}

static void try_glibc(struct search *s)
{
    static const char *const levels[] = { "2.17", "2.24", "2.26", "2.27", "2.28", "2.31", "2.34", "2.35", "2.36", "2.39", "2.41" };
    const struct mdl_profile *f = s->u->p->profile;
    for (size_t i = 0; f->libc_version && i < sizeof levels / sizeof levels[0]; i++) {
        if (gf_dotted_cmp(gf_slice_of(levels[i]), gf_slice_of(f->libc_version)) <= 0) continue;
        struct mdl_profile changed = *f;
        changed.libc_version = levels[i];
        struct rsv_problem p = *s->u->p;
        p.profile = &changed;
        if (try_change(s, &p, gf_arena_printf(&s->ret->mem, "on an OS with glibc %s or newer", levels[i]), gf_arena_printf(&s->ret->mem, "--glibc %s", levels[i]))) return;
    }
}

static void try_fewer_gpus(struct search *s)
{
    const struct mdl_profile *f = s->u->p->profile;
    for (size_t i = 0; f->ngpus > 1 && i < f->ngpus; i++) {
        struct mdl_profile changed = *f;
        changed.gpus = GF_NEW_ARRAY(&s->ret->mem, struct mdl_gpu, f->ngpus);
        changed.ngpus = 0;
        for (size_t k = 0; k < f->ngpus; k++)
            if (k != i) changed.gpus[changed.ngpus++] = f->gpus[k];
        struct rsv_problem p = *s->u->p;
        p.profile = &changed;
        try_change(s, &p, gf_arena_printf(&s->ret->mem, "without the %s (hide it with CUDA_VISIBLE_DEVICES)", f->gpus[i].name ? f->gpus[i].name : f->gpus[i].cc), "fewer --gpu");
    }
}

static void try_unknown(struct search *s)
{
    if (s->u->p->unknown != RSV_REFUSE) return;
    struct rsv_problem p = *s->u->p;
    p.unknown = RSV_AVOID;
    s->with_unknown = true;
    try_change(s, &p, "with builds whose GPU code is not known to the data set", "--unknown avoid");
}

int rsv_find_changes(struct rsv_universe *u, struct rsv_refused *ret, struct gf_err *err)
{
    (void)err;
    struct search s = { .u = u, .ret = ret, .with_unknown = u->p->unknown == RSV_ALLOW };
    try_versions(&s);
    try_pythons(&s);
    try_driver(&s);
    try_glibc(&s);
    try_fewer_gpus(&s);
    try_unknown(&s);
    ret->changes = s.found.n ? gf_arena_memdup(&ret->mem, s.found.v, s.found.n * sizeof *s.found.v) : NULL;
    ret->nchanges = s.found.n;
    gf_vec_free(&s.found);
    return 0;
}

/* --- render ------------------------------------------------------------------------------------------------------------- */

void rsv_refused_text(const struct rsv_refused *r, struct gf_buf *out)
{
    gf_buf_adds(out, "No plan: these do not hold together.\n");
    for (size_t i = 0; i < r->nfacts; i++) {
        gf_buf_addf(out, "  %zu. %s", i + 1, r->facts[i].text);
        for (size_t k = 0; k < r->facts[i].sources.n; k++) gf_buf_addf(out, "%s%s", k ? ", " : "  [", r->facts[i].sources.v[k]);
        gf_buf_adds(out, r->facts[i].sources.n ? "]\n" : "\n");
    }
    if (!r->minimal) gf_buf_adds(out, "  (a source failed while this was reduced: it may hold more than is needed)\n");
    if (r->not_considered.n) gf_buf_adds(out, "Not considered, since these sources could not be reached; with them there may be a plan:\n");
    for (size_t i = 0; i < r->not_considered.n; i++) gf_buf_addf(out, "  - %s\n", r->not_considered.v[i]);
    if (r->nchanges) gf_buf_adds(out, "What would work, smallest change first:\n");
    for (size_t i = 0; i < r->nchanges; i++) gf_buf_addf(out, "  - %s: %s   (%s)\n", r->changes[i].what, r->changes[i].gives, r->changes[i].option);
}

void rsv_refused_json(const struct rsv_refused *r, struct gf_jw *w)
{
    gf_jw_obj(w);
    gf_jw_kstr(w, "schema", "gpuferry.refusal/1");
    gf_jw_kbool(w, "minimal", r->minimal);
    gf_jw_key(w, "facts");
    gf_jw_arr(w);
    for (size_t i = 0; i < r->nfacts; i++) {
        gf_jw_obj(w);
        gf_jw_kstr(w, "id", r->facts[i].id);
        gf_jw_kstr(w, "text", r->facts[i].text);
        gf_jw_key(w, "sources");
        gf_jw_arr(w);
        for (size_t k = 0; k < r->facts[i].sources.n; k++) gf_jw_cstr(w, r->facts[i].sources.v[k]);
        gf_jw_end_arr(w);
        gf_jw_end_obj(w);
    }
    gf_jw_end_arr(w);
    gf_jw_key(w, "not_considered");
    gf_jw_arr(w);
    for (size_t i = 0; i < r->not_considered.n; i++) gf_jw_cstr(w, r->not_considered.v[i]);
    gf_jw_end_arr(w);
    gf_jw_key(w, "changes");
    gf_jw_arr(w);
    for (size_t i = 0; i < r->nchanges; i++) {
        gf_jw_obj(w);
        gf_jw_kstr(w, "what", r->changes[i].what);
        gf_jw_kstr(w, "gives", r->changes[i].gives);
        gf_jw_kstr(w, "option", r->changes[i].option);
        gf_jw_end_obj(w);
    }
    gf_jw_end_arr(w);
    gf_jw_end_obj(w);
}
