/* The algebra of terms. */
#ifndef RSV_TERM_H
#define RSV_TERM_H
#include "resolver/solver.h"

struct rsv_term rsv_term_negate(struct rsv_term t);
struct rsv_term rsv_term_and(struct gf_arena *a, struct rsv_term x, struct rsv_term y);
struct rsv_term rsv_term_or(struct gf_arena *a, struct rsv_term x, struct rsv_term y);
bool rsv_term_implies(struct rsv_term x, struct rsv_term y);  /* x true makes y true */
bool rsv_term_excludes(struct rsv_term x, struct rsv_term y); /* never both */
bool rsv_term_is_any(struct rsv_term t);                      /* always true */

#endif
