/* What a stack's source archives are built with on the target: each an environment of wheels of its own, and tools. Internal to resolver/. */
#ifndef RSV_BUILD_H
#define RSV_BUILD_H
#include "resolver/universe.h"

/* Plans the builds of all source archives that u's finished solve chose, into u->builds. One that cannot be built on the target is refused from now on,
 * and *ret_refused says that the solve must be done again. 0, or -1: a source failed. */
int rsv_plan_builds(struct rsv_universe *u, bool *ret_refused, struct gf_err *err);
void rsv_forget_builds(struct rsv_universe *u);
/* Names and pages that the build of this archive will ask for. */
void rsv_want_build(struct rsv_universe *u, const struct py_metadata *m);

#endif
