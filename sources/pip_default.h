/* What pip itself takes for its index when nothing is configured: asked of the pip on this machine, remembered in the cache. */
#ifndef SRC_PIP_DEFAULT_H
#define SRC_PIP_DEFAULT_H
#include "base/err.h"
#include "base/mem.h"

/* ret_files: the server of that index's files, as pip names it; NULL when pip does not. */
int src_pip_default(struct gf_arena *a, const char *cache_dir, const char **ret, const char **ret_files, struct gf_err *err);

#endif
