#include "resolver/term.h"

struct rsv_term rsv_term_negate(struct rsv_term t)
{
    t.positive = !t.positive;
    return t;
}

static rsv_set minus(struct gf_arena *a, rsv_set x, rsv_set y) { return rsv_set_intersect(a, x, rsv_set_complement(a, y)); }

struct rsv_term rsv_term_and(struct gf_arena *a, struct rsv_term x, struct rsv_term y)
{
    if (x.positive && y.positive) x.set = rsv_set_intersect(a, x.set, y.set);
    else if (x.positive) x.set = minus(a, x.set, y.set);
    else if (y.positive) {
        x.positive = true;
        x.set = minus(a, y.set, x.set);
    } else x.set = rsv_set_union(a, x.set, y.set);
    return x;
}

struct rsv_term rsv_term_or(struct gf_arena *a, struct rsv_term x, struct rsv_term y)
{
    return rsv_term_negate(rsv_term_and(a, rsv_term_negate(x), rsv_term_negate(y)));
}

bool rsv_term_implies(struct rsv_term x, struct rsv_term y)
{
    if (x.positive && y.positive) return rsv_set_subset(x.set, y.set);
    if (x.positive) return rsv_set_disjoint(x.set, y.set);
    if (y.positive) return false; /* "not chosen" never makes a choice */
    return rsv_set_subset(y.set, x.set);
}

bool rsv_term_excludes(struct rsv_term x, struct rsv_term y)
{
    if (x.positive && y.positive) return rsv_set_disjoint(x.set, y.set);
    if (x.positive) return rsv_set_subset(x.set, y.set);
    if (y.positive) return rsv_set_subset(y.set, x.set);
    return false;
}

bool rsv_term_is_any(struct rsv_term t) { return !t.positive && rsv_set_is_empty(t.set); }
