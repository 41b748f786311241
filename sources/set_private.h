/* Shared by the files that make up a set of sources: projects, metadata, and what became of each source. */
#ifndef SRC_SET_PRIVATE_H
#define SRC_SET_PRIVATE_H
#include "archive/zip.h"
#include "base/map.h"
#include "base/vec.h"
#include "fetch/cache.h"
#include "sources/page.h"

#define SRC_ACCEPT "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"
#define SRC_VENDOR_CONNECT_MS 3000L /* a vendor's index that cannot be reached shall not hold a plan up */

struct src_source {
    struct src_index index;  /* url without credentials */
    char *base;              /* http(s) or file URL that ends in "/" for an index; the page itself for find-links */
    enum src_use use;
    const char *why;         /* of unreachable; in the arena of the set */
    bool down;               /* asked once, did not answer */
    bool answered;           /* with any status */
    bool expected;           /* the connection to its files was asked for */
    struct src_listing *listing; /* find-links */
};

enum src_step { SRC_STEP_NEW, SRC_STEP_WAITING, SRC_STEP_HAVE, SRC_STEP_ABSENT, SRC_STEP_UNREACHABLE, SRC_STEP_FAILED };

struct src_ask { /* one source asked for one project */
    struct src_project_item *item;
    uint16_t source;
    enum src_step step;
    struct net_entry kept;      /* from the cache; what files point into */
    gf_slice fresh;             /* malloc'd flat form, when it was not taken from the cache */
    const struct src_file *files;
    uint32_t nfiles;
    struct gf_err err;
};

struct src_project_item {
    struct src_set *set;
    const char *name;
    enum src_state state;
    struct src_ask **asks; /* by source; NULL: that source is not asked for this name */
    struct src_project out;
    struct gf_err err;
};

struct src_set {
    struct src_config cfg;
    struct net_client *net;
    struct net_cache *cache;
    struct gf_arena mem;
    struct src_source *sources;
    struct gf_names names, files, variant_files; /* projects by name, the others by key */
    GF_VEC(struct src_project_item *) projects;
    GF_VEC(struct src_meta *) metas;
    GF_VEC(struct src_variants_item *) variants;
    size_t pending;
    uint64_t answers, requests0, bytes0;
    int64_t now; /* unix seconds when the set was made: freshness is judged by one clock */
};

/* Bookkeeping of src_wait: an item begins to wait, or has its answer. */
static inline void src_begin(struct src_set *s) { s->pending++; }
static inline void src_answered(struct src_set *s)
{
    s->pending--;
    s->answers++;
}

/* host: nobody answered at all, so the vendor's other indexes on that host need not be tried either. */
void src_source_down(struct src_set *s, uint16_t source, const char *why, bool host);
struct src_project_item *src_project_item(struct src_set *s, const char *name);
void src_project_item_free(struct src_project_item *p);
void src_meta_want(struct src_set *s, const struct src_file *f);
struct src_meta *src_meta_find(const struct src_set *s, const struct src_file *f); /* NULL: never wanted */
void src_meta_free(struct src_meta *m);
enum src_state src_meta_state(const struct src_meta *m, const struct py_metadata **ret, struct gf_err *err);

/* A flat page or folder, read once for all names. */
struct src_listing;
struct src_listing *src_listing_new(struct src_set *s, uint16_t source);
void src_listing_free(struct src_listing *l);
/* Asks for the rows of item's name; sets ask->step now, or calls src_ask_done later. */
void src_listing_ask(struct src_listing *l, struct src_ask *ask);
void src_ask_done(struct src_ask *ask); /* ask->step is final: the project goes on */

#endif
