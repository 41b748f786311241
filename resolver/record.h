/* Listens to what a solve asks its supply, and tells the run as a scenario (scenario.h): what was asked, what the answers were, what came out. */
#ifndef RSV_RECORD_H
#define RSV_RECORD_H
#include "resolver/plan.h"

struct rsv_record;
/* supply, and what it hands out, must live as long as the record. */
struct rsv_record *rsv_record_new(struct rsv_supply supply);
void rsv_record_free(struct rsv_record *r);
struct rsv_supply rsv_record_supply(struct rsv_record *r); /* to solve with, instead of the supply given */
/* The run of p as a scenario: of the names that were asked for as few files as give the same outcome, which is solved again from the text itself. GF_E_USAGE when
 * a scenario cannot hold it: direct URLs, digests, GPUs without a compute capability, --prefer installed, or when the outcome differs from ran. */
int rsv_record_write(struct rsv_record *r, const struct rsv_problem *p, const struct rsv_result *ran, struct gf_buf *out, struct gf_err *err);

#endif
