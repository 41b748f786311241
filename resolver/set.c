#include "resolver/set.h"
#include <stdlib.h>

static const uint32_t zero[] = { 0 };

rsv_set rsv_set_full(void) { return (rsv_set){ zero, 1 }; }
bool rsv_set_is_full(rsv_set s) { return s.n == 1 && s.b[0] == 0; }

rsv_set rsv_set_range(struct gf_arena *a, uint32_t from, uint32_t to)
{
    if (from >= to) return rsv_set_empty();
    uint32_t *b = gf_arena_alloc(a, 2 * sizeof *b);
    b[0] = from;
    b[1] = to;
    return (rsv_set){ b, 2 };
}

rsv_set rsv_set_one(struct gf_arena *a, uint32_t at) { return rsv_set_range(a, at, at + 1); }

bool rsv_set_has(rsv_set s, uint32_t at)
{
    uint32_t below = 0; /* boundaries <= at */
    for (uint32_t low = 0, high = s.n; low < high;) {
        uint32_t mid = low + (high - low) / 2;
        if (s.b[mid] <= at) below = low = mid + 1;
        else high = mid;
    }
    return below & 1;
}

bool rsv_set_eq(rsv_set x, rsv_set y) { return x.n == y.n && (x.n == 0 || memcmp(x.b, y.b, x.n * sizeof *x.b) == 0); }

/* The next boundary of either, passed in whichever has it: *i and *j count the boundaries passed, so odd means inside. */
static uint32_t next_boundary(rsv_set x, rsv_set y, uint32_t *i, uint32_t *j)
{
    uint32_t at = *j >= y.n || (*i < x.n && x.b[*i] < y.b[*j]) ? x.b[*i] : y.b[*j];
    if (*i < x.n && x.b[*i] == at) ++*i;
    if (*j < y.n && y.b[*j] == at) ++*j;
    return at;
}

/* What is in both, or in either. */
static rsv_set combine(struct gf_arena *a, rsv_set x, rsv_set y, bool both)
{
    uint32_t *out = gf_arena_alloc(a, ((size_t)x.n + y.n + 1) * sizeof *out), n = 0, i = 0, j = 0;
    bool in = false;
    while (i < x.n || j < y.n) {
        uint32_t at = next_boundary(x, y, &i, &j);
        bool now = both ? (i & 1) && (j & 1) : (i & 1) || (j & 1);
        if (now == in) continue;
        in = now;
        out[n++] = at;
    }
    return (rsv_set){ out, n };
}

rsv_set rsv_set_union(struct gf_arena *a, rsv_set x, rsv_set y)
{
    if (x.n == 0 || rsv_set_is_full(y)) return y;
    if (y.n == 0 || rsv_set_is_full(x)) return x;
    return combine(a, x, y, false);
}

rsv_set rsv_set_intersect(struct gf_arena *a, rsv_set x, rsv_set y)
{
    if (x.n == 0 || rsv_set_is_full(y)) return x;
    if (y.n == 0 || rsv_set_is_full(x)) return y;
    return combine(a, x, y, true);
}

rsv_set rsv_set_complement(struct gf_arena *a, rsv_set x)
{
    if (x.n && x.b[0] == 0) return (rsv_set){ x.b + 1, x.n - 1 };
    uint32_t *b = gf_arena_alloc(a, ((size_t)x.n + 1) * sizeof *b);
    b[0] = 0;
    if (x.n) memcpy(b + 1, x.b, x.n * sizeof *b);
    return (rsv_set){ b, x.n + 1 };
}

/* Is there a point of x that is in y (outside: not in y). */
static bool meets(rsv_set x, rsv_set y, bool outside)
{
    uint32_t i = 0, j = 0;
    while (i < x.n || j < y.n) {
        next_boundary(x, y, &i, &j);
        if ((i & 1) && ((j & 1) != 0) != outside) return true;
    }
    return false;
}

bool rsv_set_subset(rsv_set x, rsv_set y) { return !meets(x, y, true); }
bool rsv_set_disjoint(rsv_set x, rsv_set y) { return !meets(x, y, false); }

uint32_t rsv_set_count(rsv_set s, uint32_t limit)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s.n; i += 2) {
        uint32_t from = s.b[i], to = i + 1 < s.n ? s.b[i + 1] : limit;
        if (to > limit) to = limit;
        if (from < to) count += to - from;
    }
    return count;
}

void rsv_set_add(struct rsv_set_builder *w, uint32_t at)
{
    if (w->n && w->b[w->n - 1] == at) { /* continues the interval that ends here */
        w->b[w->n - 1] = at + 1;
        return;
    }
    if (w->n + 2 > w->cap) {
        w->cap = w->cap ? w->cap * 2 : 16;
        w->b = gf_xreallocarray(w->b, w->cap, sizeof *w->b);
    }
    w->b[w->n++] = at;
    w->b[w->n++] = at + 1;
}

rsv_set rsv_set_build(struct gf_arena *a, struct rsv_set_builder *w)
{
    rsv_set s = { w->n ? gf_arena_memdup(a, w->b, w->n * sizeof *w->b) : NULL, w->n };
    free(w->b);
    *w = (struct rsv_set_builder){ 0 };
    return s;
}
