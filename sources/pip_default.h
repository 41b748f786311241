/* What pip itself takes for its index when nothing is configured: asked of the pip on this machine, remembered in the cache. */
#ifndef SRC_PIP_DEFAULT_H
#define SRC_PIP_DEFAULT_H
#include "base/err.h"
#include "base/mem.h"

int src_pip_default(struct gf_arena *a, const char *cache_dir, const char **ret, struct gf_err *err);

#endif
