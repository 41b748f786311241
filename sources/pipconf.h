/* The Python indexes people already have configured: pip.conf (global, user, site, PIP_CONFIG_FILE) and PIP_* read directly; what pip itself
 * defaults to is asked of pip once and remembered in the cache, never written in our files. */
#ifndef SRC_PIPCONF_H
#define SRC_PIPCONF_H
#include "base/err.h"
#include "base/mem.h"

struct src_pipconf {
    const char *index_url;               /* never NULL on success unless no_index */
    const char *files_url;               /* of pip's own default: where that index has its files; NULL not known */
    const char *const *extra_index_urls;
    size_t nextra;
    const char *const *find_links;
    size_t nfind_links;
    const char *cert;                    /* NULL */
    bool no_index;
};
int src_pipconf_read(struct gf_arena *a, const char *cache_dir, struct src_pipconf *ret, struct gf_err *err);

#endif
