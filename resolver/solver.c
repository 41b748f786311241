#include "resolver/solver.h"
#include "base/vec.h"
#include "resolver/term.h"

struct dated {               /* one derivation about a package */
    uint32_t cause;          /* incompatibility */
    uint32_t level, at;      /* decision level, place in the order of all assignments */
    struct rsv_term all;     /* this and every earlier one together */
};
struct assignments {
    GF_VEC(struct dated) derived;
    GF_VEC(uint32_t) about;  /* incompatibilities that name the package */
    GF_VEC(uint32_t) expanded; /* bit set of candidates */
    uint32_t decided, decided_level, decided_at;
    uint32_t conflicts;
    bool assigned, queued;
    struct rsv_term now;
};
struct rsv_solver {
    struct gf_arena mem;
    struct rsv_world world;
    GF_VEC(struct assignments) pkg;
    GF_VEC(struct rsv_incompat) inc;
    GF_VEC(rsv_pkg) changed;
    uint32_t level, at;
    uint32_t decisions, conflicts, refusal;
};

static struct assignments *of(struct rsv_solver *s, rsv_pkg pkg)
{
    while (s->pkg.n <= pkg) gf_vec_push(&s->pkg, (struct assignments){ .decided = RSV_NONE });
    return &s->pkg.v[pkg];
}

static void queue(struct rsv_solver *s, rsv_pkg pkg)
{
    struct assignments *a = of(s, pkg);
    if (a->queued) return;
    a->queued = true;
    gf_vec_push(&s->changed, pkg);
}

static uint32_t store(struct rsv_solver *s, struct rsv_incompat inc)
{
    gf_vec_push(&s->inc, inc);
    return (uint32_t)s->inc.n - 1;
}

static void index_incompat(struct rsv_solver *s, uint32_t id)
{
    struct rsv_incompat *inc = &s->inc.v[id];
    for (uint32_t i = 0; i < inc->nterms; i++) gf_vec_push(&of(s, inc->terms[i].pkg)->about, id);
}

struct rsv_solver *rsv_solver_new(const struct rsv_world *world)
{
    struct rsv_solver *s = gf_xcalloc(1, sizeof *s);
    s->world = *world;
    s->refusal = RSV_NONE;
    struct rsv_term not_root = { 0, false, rsv_set_full() };
    uint32_t id = store(s, (struct rsv_incompat){ gf_arena_memdup(&s->mem, &not_root, sizeof not_root), 1, RSV_CAUSE_ROOT, RSV_NONE, RSV_NONE, RSV_NONE });
    struct assignments *root = of(s, 0);
    gf_vec_push(&root->derived, (struct dated){ id, 0, s->at++, rsv_term_negate(not_root) });
    root->assigned = true;
    root->now = rsv_term_negate(not_root);
    return s;
}

void rsv_solver_free(struct rsv_solver *s)
{
    if (!s) return;
    for (size_t i = 0; i < s->pkg.n; i++) {
        gf_vec_free(&s->pkg.v[i].derived);
        gf_vec_free(&s->pkg.v[i].about);
        gf_vec_free(&s->pkg.v[i].expanded);
    }
    gf_vec_free(&s->pkg);
    gf_vec_free(&s->inc);
    gf_vec_free(&s->changed);
    gf_arena_release(&s->mem);
    free(s);
}

/* --- what the world tells ---------------------------------------------------------------------------------- */

void rsv_add_external(struct rsv_solver *s, const struct rsv_term *terms, uint32_t nterms, uint32_t reason)
{
    const struct rsv_term *copy = gf_arena_memdup(&s->mem, terms, nterms * sizeof *terms);
    index_incompat(s, store(s, (struct rsv_incompat){ copy, nterms, RSV_CAUSE_EXTERNAL, reason, RSV_NONE, RSV_NONE }));
    for (uint32_t i = 0; i < nterms; i++)
        if (of(s, terms[i].pkg)->assigned) queue(s, terms[i].pkg);
}

/* An edge that differs from this one in its set alone: RSV_NONE when there is none. */
static uint32_t mergeable(struct rsv_solver *s, rsv_pkg pkg, rsv_pkg dep, rsv_set dep_set, uint32_t reason)
{
    struct assignments *a = of(s, pkg);
    for (size_t i = a->about.n; i-- > 0;) {
        const struct rsv_incompat *inc = &s->inc.v[a->about.v[i]];
        if (inc->kind != RSV_CAUSE_EDGE || inc->reason != reason || inc->terms[0].pkg != pkg) continue;
        if (inc->nterms == 1 ? rsv_set_is_empty(dep_set) : inc->terms[1].pkg == dep && rsv_set_eq(inc->terms[1].set, dep_set)) return a->about.v[i];
    }
    return RSV_NONE;
}

static void reindex(struct rsv_solver *s, rsv_pkg pkg, uint32_t from, uint32_t to)
{
    struct assignments *a = of(s, pkg);
    for (size_t i = a->about.n; i-- > 0;)
        if (a->about.v[i] == from) {
            a->about.v[i] = to;
            return;
        }
}

void rsv_add_edge(struct rsv_solver *s, rsv_pkg pkg, rsv_set set, rsv_pkg dep, rsv_set dep_set, uint32_t reason)
{
    if (pkg == dep) { /* needs itself: the candidates outside can never be chosen */
        struct rsv_term never = { pkg, true, rsv_set_intersect(&s->mem, set, rsv_set_complement(&s->mem, dep_set)) };
        if (!rsv_set_is_empty(never.set)) rsv_add_external(s, &never, 1, reason);
        return;
    }
    uint32_t old = mergeable(s, pkg, dep, dep_set, reason);
    if (old != RSV_NONE) {
        if (rsv_set_subset(set, s->inc.v[old].terms[0].set)) return;
        set = rsv_set_union(&s->mem, set, s->inc.v[old].terms[0].set);
    }
    struct rsv_term *terms = gf_arena_alloc(&s->mem, 2 * sizeof *terms);
    terms[0] = (struct rsv_term){ pkg, true, set };
    terms[1] = (struct rsv_term){ dep, false, dep_set };
    uint32_t nterms = rsv_set_is_empty(dep_set) ? 1 : 2;
    uint32_t id = store(s, (struct rsv_incompat){ terms, nterms, RSV_CAUSE_EDGE, reason, RSV_NONE, RSV_NONE });
    of(s, dep);
    if (old == RSV_NONE) index_incompat(s, id);
    else
        for (uint32_t i = 0; i < nterms; i++) reindex(s, terms[i].pkg, old, id);
}

/* --- unit propagation -------------------------------------------------------------------------------------- */

enum relation { SATISFIED, ALMOST, INCONCLUSIVE, CONTRADICTED };

static enum relation relation_of(struct rsv_solver *s, uint32_t id, uint32_t *ret_open)
{
    const struct rsv_incompat *inc = &s->inc.v[id];
    enum relation r = SATISFIED;
    for (uint32_t i = 0; i < inc->nterms; i++) {
        const struct assignments *a = &s->pkg.v[inc->terms[i].pkg];
        if (a->assigned && rsv_term_implies(a->now, inc->terms[i])) continue;
        if (a->assigned && rsv_term_excludes(a->now, inc->terms[i])) return CONTRADICTED;
        if (r != SATISFIED) r = INCONCLUSIVE; /* a later term may still contradict */
        else r = ALMOST;
        *ret_open = i;
    }
    return r;
}

static void derive(struct rsv_solver *s, uint32_t id, uint32_t open)
{
    struct rsv_term t = rsv_term_negate(s->inc.v[id].terms[open]);
    struct assignments *a = of(s, t.pkg);
    a->now = a->assigned ? rsv_term_and(&s->mem, a->now, t) : t;
    a->assigned = true;
    gf_vec_push(&a->derived, (struct dated){ id, s->level, s->at++, a->now });
    queue(s, t.pkg);
}

static void decide(struct rsv_solver *s, rsv_pkg pkg, uint32_t candidate)
{
    struct assignments *a = of(s, pkg);
    a->decided = candidate;
    a->decided_level = ++s->level;
    a->decided_at = s->at++;
    a->now = (struct rsv_term){ pkg, true, rsv_set_one(&s->mem, candidate) };
    queue(s, pkg);
}

static void backtrack(struct rsv_solver *s, uint32_t level)
{
    for (size_t i = 0; i < s->pkg.n; i++) {
        struct assignments *a = &s->pkg.v[i];
        if (!a->assigned) continue;
        bool changed = false;
        if (a->decided != RSV_NONE && a->decided_level > level) {
            a->decided = RSV_NONE;
            changed = true;
        }
        while (a->derived.n && a->derived.v[a->derived.n - 1].level > level) {
            a->derived.n--;
            changed = true;
        }
        if (!changed) continue;
        a->assigned = a->derived.n > 0;
        if (a->assigned) a->now = a->derived.v[a->derived.n - 1].all;
    }
    s->level = level;
}

/* --- conflict resolution ----------------------------------------------------------------------------------- */

struct satisfier {
    uint32_t at, level, cause; /* cause RSV_NONE: a decision */
};

/* The earliest assignment of the package after which start and it together imply the term. */
static struct satisfier satisfier_of(struct rsv_solver *s, struct rsv_term term, const struct rsv_term *start)
{
    const struct assignments *a = &s->pkg.v[term.pkg];
    for (size_t i = 0; i < a->derived.n; i++) {
        const struct dated *d = &a->derived.v[i];
        struct rsv_term all = start ? rsv_term_and(&s->mem, d->all, *start) : d->all;
        if (rsv_term_implies(all, term)) return (struct satisfier){ d->at, d->level, d->cause };
    }
    return (struct satisfier){ a->decided_at, a->decided_level, RSV_NONE };
}

static const struct rsv_term *term_of(const struct rsv_incompat *inc, rsv_pkg pkg)
{
    for (uint32_t i = 0; i < inc->nterms; i++)
        if (inc->terms[i].pkg == pkg) return &inc->terms[i];
    return NULL;
}

/* The rule of resolution: what follows from both about everything but pkg. */
static uint32_t prior_cause(struct rsv_solver *s, uint32_t left, uint32_t right, rsv_pkg pkg)
{
    const struct rsv_incompat x = s->inc.v[left], y = s->inc.v[right];
    struct rsv_term *terms = gf_arena_alloc(&s->mem, ((size_t)x.nterms + y.nterms) * sizeof *terms);
    uint32_t n = 0;
    for (uint32_t i = 0; i < x.nterms; i++) {
        const struct rsv_term *other = term_of(&y, x.terms[i].pkg);
        struct rsv_term t = x.terms[i];
        if (t.pkg == pkg) {
            t = rsv_term_or(&s->mem, t, *other);
            if (rsv_term_is_any(t)) continue;
        } else if (other) t = rsv_term_and(&s->mem, t, *other);
        terms[n++] = t;
    }
    for (uint32_t i = 0; i < y.nterms; i++)
        if (!term_of(&x, y.terms[i].pkg)) terms[n++] = y.terms[i];
    return store(s, (struct rsv_incompat){ terms, n, RSV_CAUSE_DERIVED, RSV_NONE, left, right });
}

/* Nothing but the root stands in it: the root itself cannot be. */
static bool is_final(const struct rsv_incompat *inc)
{
    return inc->nterms == 0 || (inc->nterms == 1 && inc->terms[0].pkg == 0 && inc->terms[0].positive && rsv_set_has(inc->terms[0].set, 0));
}

static uint32_t max_u32(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* The level at which the incompatibility would still be satisfied but for the latest satisfier. */
static uint32_t previous_level(struct rsv_solver *s, const struct rsv_incompat *inc, rsv_pkg latest, struct satisfier last)
{
    uint32_t level = 1;
    for (uint32_t i = 0; i < inc->nterms; i++) {
        struct rsv_term t = inc->terms[i];
        if (t.pkg != latest) {
            level = max_u32(level, satisfier_of(s, t, NULL).level);
            continue;
        }
        struct rsv_term alone = last.cause == RSV_NONE ? s->pkg.v[latest].now : rsv_term_negate(*term_of(&s->inc.v[last.cause], latest));
        if (!rsv_term_implies(alone, t)) level = max_u32(level, satisfier_of(s, t, &alone).level);
    }
    return level;
}

/* Learns from a satisfied incompatibility: false when nothing is left to take back. Otherwise *ret_id can be derived from. */
static bool resolve(struct rsv_solver *s, uint32_t id, uint32_t *ret_id)
{
    const uint32_t first = id;
    for (;;) {
        const struct rsv_incompat inc = s->inc.v[id];
        for (uint32_t i = 0; i < inc.nterms; i++) s->pkg.v[inc.terms[i].pkg].conflicts++;
        if (is_final(&inc)) {
            s->refusal = id;
            return false;
        }
        rsv_pkg latest = 0;
        struct satisfier last = { 0, 0, RSV_NONE };
        for (uint32_t i = 0; i < inc.nterms; i++) {
            struct satisfier sat = satisfier_of(s, inc.terms[i], NULL);
            if (i && sat.at < last.at) continue;
            last = sat;
            latest = inc.terms[i].pkg;
        }
        uint32_t previous = previous_level(s, &inc, latest, last);
        if (last.cause == RSV_NONE || previous < last.level) {
            backtrack(s, previous);
            if (id != first) index_incompat(s, id);
            *ret_id = id;
            return true;
        }
        id = prior_cause(s, id, last.cause, latest);
    }
}

/* Derives all that follows; false when the whole is unsolvable. */
static bool propagate(struct rsv_solver *s)
{
    while (s->changed.n) {
        rsv_pkg pkg = s->changed.v[--s->changed.n];
        of(s, pkg)->queued = false;
        uint32_t conflict = RSV_NONE, open = 0;
        for (size_t i = s->pkg.v[pkg].about.n; i-- > 0 && conflict == RSV_NONE;) {
            uint32_t id = s->pkg.v[pkg].about.v[i];
            enum relation r = relation_of(s, id, &open);
            if (r == ALMOST) derive(s, id, open);
            else if (r == SATISFIED) conflict = id;
        }
        if (conflict == RSV_NONE) continue;
        s->conflicts++;
        uint32_t learned;
        if (!resolve(s, conflict, &learned)) return false;
        for (size_t i = 0; i < s->changed.n; i++) s->pkg.v[s->changed.v[i]].queued = false;
        s->changed.n = 0;
        if (relation_of(s, learned, &open) == ALMOST) derive(s, learned, open);
    }
    return true;
}

/* --- decisions --------------------------------------------------------------------------------------------- */

static rsv_pkg next_package(struct rsv_solver *s)
{
    rsv_pkg best = RSV_NONE;
    uint64_t best_priority = 0;
    for (rsv_pkg p = 0; p < s->pkg.n; p++) {
        struct assignments *a = &s->pkg.v[p];
        if (!a->assigned || a->decided != RSV_NONE || !a->now.positive) continue;
        uint64_t priority = s->world.priority(s->world.arg, p, a->now.set, a->conflicts);
        if (best != RSV_NONE && priority <= best_priority) continue;
        best = p;
        best_priority = priority;
    }
    return best;
}

static bool expanded(struct rsv_solver *s, rsv_pkg pkg, uint32_t candidate)
{
    struct assignments *a = of(s, pkg);
    return candidate / 32 < a->expanded.n && a->expanded.v[candidate / 32] >> candidate % 32 & 1;
}

static void mark_expanded(struct rsv_solver *s, rsv_pkg pkg, uint32_t candidate)
{
    struct assignments *a = of(s, pkg);
    while (a->expanded.n <= candidate / 32) gf_vec_push(&a->expanded, 0);
    a->expanded.v[candidate / 32] |= 1u << candidate % 32;
}

/* Would choosing the candidate satisfy one of the incompatibilities from number `from` on. */
static bool clashes(struct rsv_solver *s, size_t from, rsv_pkg pkg, uint32_t candidate)
{
    for (size_t id = from; id < s->inc.n; id++) {
        const struct rsv_incompat *inc = &s->inc.v[id];
        bool all = true, named = false;
        for (uint32_t i = 0; i < inc->nterms && all; i++) {
            struct rsv_term t = inc->terms[i];
            const struct assignments *a = &s->pkg.v[t.pkg];
            if (t.pkg == pkg) all = named = t.positive == rsv_set_has(t.set, candidate);
            else all = a->assigned && rsv_term_implies(a->now, t);
        }
        if (all && named) return true;
    }
    return false;
}

static enum rsv_outcome choose(struct rsv_solver *s, rsv_pkg pkg, struct gf_err *err)
{
    rsv_set allowed = s->pkg.v[pkg].now.set;
    uint32_t candidate = s->world.pick(s->world.arg, pkg, allowed);
    if (candidate == RSV_WAIT) return RSV_NEEDS;
    if (candidate == RSV_NONE) {
        struct rsv_term *t = gf_arena_memdup(&s->mem, &s->pkg.v[pkg].now, sizeof *t);
        index_incompat(s, store(s, (struct rsv_incompat){ t, 1, RSV_CAUSE_NO_CHOICE, RSV_NONE, RSV_NONE, RSV_NONE }));
        queue(s, pkg);
        return RSV_SOLVED;
    }
    size_t known = s->inc.n;
    if (!expanded(s, pkg, candidate)) {
        enum rsv_state state = s->world.expand(s->world.arg, s, pkg, candidate, err);
        if (state == RSV_WAITING) return RSV_NEEDS;
        if (state == RSV_ERROR) return RSV_FAILED;
        mark_expanded(s, pkg, candidate);
    }
    if (clashes(s, known, pkg, candidate)) {
        of(s, pkg)->conflicts++;
        queue(s, pkg);
        return RSV_SOLVED;
    }
    s->decisions++;
    decide(s, pkg, candidate);
    return RSV_SOLVED;
}

enum rsv_outcome rsv_step(struct rsv_solver *s, struct gf_err *err)
{
    for (;;) {
        if (!propagate(s)) return RSV_UNSOLVABLE;
        if (s->decisions > GF_CAP_SOLVE_STEPS) {
            gf_fail(err, GF_E_LIMIT, "the solve was called off after %u decisions: narrow the request (pin some versions) and try again", s->decisions);
            return RSV_FAILED;
        }
        rsv_pkg pkg = next_package(s);
        if (pkg == RSV_NONE) return RSV_SOLVED;
        enum rsv_outcome o = choose(s, pkg, err);
        if (o != RSV_SOLVED) return o;
    }
}

/* --- questions --------------------------------------------------------------------------------------------- */

struct gf_arena *rsv_solver_arena(struct rsv_solver *s) { return &s->mem; }
rsv_pkg rsv_package_count(const struct rsv_solver *s) { return (rsv_pkg)s->pkg.n; }
uint32_t rsv_refusal(const struct rsv_solver *s) { return s->refusal; }
const struct rsv_incompat *rsv_incompat_at(const struct rsv_solver *s, uint32_t i) { return &s->inc.v[i]; }
uint32_t rsv_decided(const struct rsv_solver *s, rsv_pkg pkg) { return pkg < s->pkg.n ? s->pkg.v[pkg].decided : RSV_NONE; }

bool rsv_wanted(const struct rsv_solver *s, rsv_pkg pkg, rsv_set *ret_allowed)
{
    if (pkg >= s->pkg.n || !s->pkg.v[pkg].assigned || !s->pkg.v[pkg].now.positive) return false;
    *ret_allowed = s->pkg.v[pkg].now.set;
    return true;
}

void rsv_counts(const struct rsv_solver *s, uint32_t *ret_decisions, uint32_t *ret_conflicts)
{
    *ret_decisions = s->decisions;
    *ret_conflicts = s->conflicts;
}
