/* Random registries: the solver finds a plan exactly when trying everything does, and its plans hold. */
#include "resolver/set.h"
#include "resolver/solver.h"
#include "base/vec.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

enum { PACKAGES = 6, VERSIONS = 4, DEPS = 3 };

struct edge { unsigned dep, set; }; /* dep 0: none; set: bits of candidates */
struct registry {
    struct edge edges[PACKAGES][VERSIONS][DEPS]; /* package 0 is the root with one candidate */
    struct { unsigned a, va, b, vb; } never[3];   /* a at va and b at vb exclude each other; a 0: none */
    struct rsv_solver *solver;
    unsigned waits;
};

static unsigned random_below(uint64_t *seed, unsigned n)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*seed >> 33) % n;
}

static uint32_t pick(void *arg, rsv_pkg pkg, rsv_set allowed)
{
    struct registry *r = arg;
    if (r->waits && r->waits-- % 3 == 1) return RSV_WAIT;
    for (uint32_t v = pkg ? VERSIONS : 1; v-- > 0;)
        if (rsv_set_has(allowed, v)) return v;
    return RSV_NONE;
}

static uint64_t priority(void *arg, rsv_pkg pkg, rsv_set allowed, uint32_t conflicts)
{
    (void)arg;
    (void)allowed;
    return conflicts > 4 ? 1000 + conflicts : 100 - pkg;
}

static rsv_set set_of_bits(struct gf_arena *a, unsigned bits)
{
    struct rsv_set_builder w = { 0 };
    for (uint32_t v = 0; v < VERSIONS; v++)
        if (bits >> v & 1) rsv_set_add(&w, v);
    return rsv_set_build(a, &w);
}

static enum rsv_state expand(void *arg, struct rsv_solver *s, rsv_pkg pkg, uint32_t candidate, struct gf_err *err)
{
    (void)err;
    struct registry *r = arg;
    if (r->waits && r->waits-- % 2 == 0) return RSV_WAITING;
    struct gf_arena *a = rsv_solver_arena(s);
    for (unsigned d = 0; d < DEPS; d++) {
        struct edge e = r->edges[pkg][candidate][d];
        if (e.dep) rsv_add_edge(s, pkg, rsv_set_one(a, candidate), e.dep, set_of_bits(a, e.set), 10 + d);
    }
    for (unsigned i = 0; i < 3; i++) {
        if (r->never[i].a != pkg || r->never[i].va != candidate || !pkg) continue;
        struct rsv_term t[2] = { { pkg, true, rsv_set_one(a, candidate) }, { r->never[i].b, true, rsv_set_one(a, r->never[i].vb) } };
        rsv_add_external(s, t, 2, 99);
    }
    return RSV_READY;
}

static void make(struct registry *r, uint64_t seed)
{
    memset(r, 0, sizeof *r);
    for (unsigned p = 0; p < PACKAGES; p++)
        for (unsigned v = 0; v < (p ? VERSIONS : 1); v++)
            for (unsigned d = 0; d < DEPS; d++) {
                if (random_below(&seed, 3) == 0) continue;
                unsigned dep = 1 + random_below(&seed, PACKAGES - 1);
                r->edges[p][v][d] = (struct edge){ dep, random_below(&seed, 1u << VERSIONS) };
            }
    for (unsigned i = 0; i < 3; i++) {
        r->never[i].a = random_below(&seed, PACKAGES);
        r->never[i].va = random_below(&seed, VERSIONS);
        r->never[i].b = 1 + random_below(&seed, PACKAGES - 1);
        r->never[i].vb = random_below(&seed, VERSIONS);
        if (r->never[i].a == r->never[i].b) r->never[i].a = 0;
    }
}

/* chosen[p]: candidate, or VERSIONS for none. */
static bool holds(const struct registry *r, const unsigned *chosen)
{
    for (unsigned p = 0; p < PACKAGES; p++) {
        if (chosen[p] == VERSIONS) continue;
        for (unsigned d = 0; d < DEPS; d++) {
            struct edge e = r->edges[p][chosen[p]][d];
            if (e.dep && (chosen[e.dep] == VERSIONS || !(e.set >> chosen[e.dep] & 1))) return false;
        }
    }
    for (unsigned i = 0; i < 3; i++)
        if (r->never[i].a && chosen[r->never[i].a] == r->never[i].va && chosen[r->never[i].b] == r->never[i].vb) return false;
    return true;
}

static bool any_plan(const struct registry *r)
{
    unsigned chosen[PACKAGES] = { 0 };
    for (;;) {
        if (holds(r, chosen)) return true;
        unsigned p = 1;
        while (p < PACKAGES && chosen[p] == VERSIONS) chosen[p++] = 0;
        if (p == PACKAGES) return false;
        chosen[p]++;
    }
}

/* The leaves under an incompatibility alone are enough for the refusal: taken as the only clauses, no plan exists. */
static bool violates(struct rsv_solver *s, uint32_t id, const unsigned *chosen)
{
    const struct rsv_incompat *inc = rsv_incompat_at(s, id);
    if (inc->kind == RSV_CAUSE_DERIVED) return violates(s, inc->left, chosen) || violates(s, inc->right, chosen);
    for (uint32_t i = 0; i < inc->nterms; i++) {
        struct rsv_term t = inc->terms[i];
        bool in = chosen[t.pkg] != VERSIONS && rsv_set_has(t.set, chosen[t.pkg]);
        if (in != t.positive) return false;
    }
    return true;
}

static bool refusal_is_proof(struct rsv_solver *s)
{
    unsigned chosen[PACKAGES] = { 0 };
    for (;;) {
        if (!violates(s, rsv_refusal(s), chosen)) return false;
        unsigned p = 1;
        while (p < PACKAGES && chosen[p] == VERSIONS) chosen[p++] = 0;
        if (p == PACKAGES) return true;
        chosen[p]++;
    }
}

static void solves_exactly_when_it_can_be_solved(void **state)
{
    (void)state;
    unsigned solved = 0, refused = 0;
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        struct registry r;
        make(&r, seed);
        r.waits = (unsigned)(seed % 40);
        struct rsv_world w = { &r, pick, priority, expand };
        struct rsv_solver *s = rsv_solver_new(&w);
        enum rsv_outcome o;
        struct gf_err err = GF_ERR_INIT;
        while ((o = rsv_step(s, &err)) == RSV_NEEDS) continue;
        assert_true(o == RSV_SOLVED || o == RSV_UNSOLVABLE);
        assert_int_equal(o == RSV_SOLVED, any_plan(&r));
        if (o == RSV_SOLVED) {
            unsigned chosen[PACKAGES];
            for (unsigned p = 0; p < PACKAGES; p++) chosen[p] = rsv_decided(s, p) == RSV_NONE ? VERSIONS : rsv_decided(s, p);
            assert_int_equal(chosen[0], 0);
            assert_true(holds(&r, chosen));
            solved++;
        } else {
            assert_true(refusal_is_proof(s));
            refused++;
        }
        rsv_solver_free(s);
    }
    assert_true(solved > 300 && refused > 300);
}

static void sets_are_what_their_members_are(void **state)
{
    (void)state;
    struct gf_arena a = GF_ARENA_INIT;
    for (unsigned x = 0; x < 16; x++)
        for (unsigned y = 0; y < 16; y++) {
            rsv_set sx = set_of_bits(&a, x), sy = set_of_bits(&a, y), u = rsv_set_union(&a, sx, sy), n = rsv_set_intersect(&a, sx, sy),
                    c = rsv_set_complement(&a, sx);
            for (uint32_t v = 0; v < 6; v++) {
                assert_int_equal(rsv_set_has(u, v), (x | y) >> v & 1);
                assert_int_equal(rsv_set_has(n, v), (x & y) >> v & 1);
                assert_int_equal(rsv_set_has(c, v), !(x >> v & 1));
            }
            assert_int_equal(rsv_set_subset(sx, sy), (x & ~y) == 0);
            assert_int_equal(rsv_set_disjoint(sx, sy), (x & y) == 0);
            assert_true(rsv_set_subset(c, rsv_set_full()));
            assert_int_equal(rsv_set_subset(c, sy), false);
            assert_int_equal(rsv_set_count(sx, 10), __builtin_popcount(x));
            assert_true(rsv_set_eq(rsv_set_complement(&a, c), sx));
        }
    gf_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_are_what_their_members_are),
        cmocka_unit_test(solves_exactly_when_it_can_be_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
