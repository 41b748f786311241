/* Sentences from recorded derivations. Internal to resolver/. */
#ifndef RSV_EXPLAIN_H
#define RSV_EXPLAIN_H
#include "resolver/plan.h"
#include "resolver/universe.h"

/* "torch 2.11.0 to 2.15.0": the candidates of the set in words. */
char *rsv_set_text(struct rsv_universe *u, struct gf_arena *a, rsv_pkg pkg, rsv_set set);
char *rsv_package_text(struct rsv_universe *u, struct gf_arena *a, rsv_pkg pkg);
/* One incompatibility that the solver was told, as a reason for people; false when it says nothing to them (a policy's own edge …). */
bool rsv_reason_text(struct rsv_universe *u, struct gf_arena *a, const struct rsv_incompat *inc, struct mdl_reason *ret);
/* A candidate's own refusal in words. */
void rsv_refusal_text(struct rsv_universe *u, struct gf_arena *a, rsv_pkg pkg, uint32_t candidate, struct mdl_reason *ret);
/* The same without its subject: "has no code for …". */
const char *rsv_refusal_words(struct rsv_universe *u, struct gf_arena *a, const struct rsv_reason *r);
/* The leaves under the refusal of the solve, each once, requests first. malloc'd array of incompatibility numbers. */
uint32_t *rsv_refusal_leaves(struct rsv_universe *u, size_t *ret_n);
/* The leaf that says most: a fact against a rule rather than a requirement against another. RSV_NONE without any. */
uint32_t rsv_telling_leaf(struct rsv_universe *u, const uint32_t *leaves, size_t n);
/* What the last solve refused, reduced to what is needed; solves again with units freed. */
int rsv_explain_refusal(struct rsv_universe *u, struct rsv_refused *ret, struct gf_err *err);
int rsv_find_changes(struct rsv_universe *u, struct rsv_refused *ret, struct gf_err *err);
/* plan.c: drives the solve to its end. */
enum rsv_outcome rsv_run(struct rsv_universe *u, const struct rsv_plan_options *o, struct gf_err *err);

#endif
