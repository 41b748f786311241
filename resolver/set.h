/* Sets of candidate numbers as sorted boundaries: [b0,b1) [b2,b3) … An odd count means that the last interval has no
 * end. Immutable, in an arena; the numbers are positions in a package's frozen candidate list. */
#ifndef RSV_SET_H
#define RSV_SET_H
#include "base/mem.h"

typedef struct rsv_set {
    const uint32_t *b;
    uint32_t n;
} rsv_set;

#define RSV_NONE UINT32_MAX

static inline rsv_set rsv_set_empty(void) { return (rsv_set){ NULL, 0 }; }
rsv_set rsv_set_full(void);
rsv_set rsv_set_one(struct gf_arena *a, uint32_t at);
rsv_set rsv_set_range(struct gf_arena *a, uint32_t from, uint32_t to); /* [from,to) */
static inline bool rsv_set_is_empty(rsv_set s) { return s.n == 0; }
bool rsv_set_is_full(rsv_set s);
bool rsv_set_has(rsv_set s, uint32_t at);
bool rsv_set_eq(rsv_set x, rsv_set y);
rsv_set rsv_set_union(struct gf_arena *a, rsv_set x, rsv_set y);
rsv_set rsv_set_intersect(struct gf_arena *a, rsv_set x, rsv_set y);
rsv_set rsv_set_complement(struct gf_arena *a, rsv_set x);
bool rsv_set_subset(rsv_set x, rsv_set y);   /* x within y */
bool rsv_set_disjoint(rsv_set x, rsv_set y);
uint32_t rsv_set_count(rsv_set s, uint32_t limit); /* members below limit */

/* Builds a set from members added in rising order. */
struct rsv_set_builder { uint32_t *b; uint32_t n, cap; };
void rsv_set_add(struct rsv_set_builder *w, uint32_t at);
rsv_set rsv_set_build(struct gf_arena *a, struct rsv_set_builder *w); /* releases w */

#endif
