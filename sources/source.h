/* Where candidates come from: Python indexes (PEP 503, 691), flat pages and folders (find-links). The set merges them:
 * folders and flat pages compete with all; of the indexes the first that has a name wins, except names that the data routes to vendors' indexes, which compete with it.
 * Requests are idempotent and never block; src_wait moves the network. What it hands out lives as long as the set. */
#ifndef SRC_SOURCE_H
#define SRC_SOURCE_H
#include "fetch/client.h"
#include "python/requirement.h"
#include "python/variants.h"

/* SRC_DIRECT: url is one file, and the only one there is for the name it is routed for. */
enum src_kind { SRC_SIMPLE, SRC_FIND_LINKS, SRC_DIRECT };

struct src_index {            /* configuration of one source */
    const char *id;           /* "default", "pytorch-cu128", "extra-1" … */
    enum src_kind kind;
    const char *url;          /* http(s) or file URL, or a local folder for find-links; may hold credentials: never shown */
    const char *variant;      /* "cu128" for a routed index, NULL */
    const char *const *routes; /* names (normalized) this index is asked for; NULL: all */
    size_t nroutes;
    bool vendor;              /* known from the matrix: unreachable is no error, only said */
    const char *files_url;    /* where its files lie, when that is known beforehand: a connection is made there while the first page is asked for; NULL */
};
struct src_config {
    const struct src_index *indexes; /* in order of precedence */
    size_t nindexes;
    int64_t exclude_newer;    /* unix seconds; files uploaded later, or without a time, are left out; INT64_MAX: off */
    bool offline, refresh;
    const char *cache_dir;    /* NULL: no cache */
    const struct gf_log *log;
};

struct src_file {
    const char *filename, *url;     /* url absolute */
    const char *sha256;             /* NULL when the index gives none */
    int64_t size;                   /* -1 unknown */
    int64_t uploaded;               /* unix seconds, -1 unknown */
    const char *requires_python;    /* NULL */
    const char *yanked;             /* reason, "" without a text, NULL: not yanked */
    bool core_metadata;             /* PEP 658 */
    const char *core_metadata_sha256; /* NULL */
    uint16_t source;                /* number of the source in the configuration */
};
struct src_project {
    const char *name;               /* normalized */
    const struct src_file *files;   /* source by source, by name within one; of files with one name on a page only the first */
    uint32_t nfiles;
    const char *unreachable;        /* comma-separated ids of vendor indexes that did not answer; NULL */
};
enum src_state { SRC_NOT_ASKED, SRC_WAITING, SRC_READY, SRC_ABSENT, SRC_FAILED };

struct src_set;
int src_set_new(const struct src_config *cfg, struct net_client *net, struct src_set **ret, struct gf_err *err);
void src_set_free(struct src_set *s);
void src_want_project(struct src_set *s, const char *name);
/* SRC_READY sets *ret. SRC_FAILED fills *err (network, unreadable page). SRC_ABSENT: every source answered that it has no such project, or is an unreachable
 * vendor's; *ret is set then too, without files, and names those. */
enum src_state src_project(struct src_set *s, const char *name, const struct src_project **ret, struct gf_err *err);
/* Fails with GF_E_INTEGRITY when the index was wrong about size or digest. Metadata of a wheel (PEP 658, else by ranges out of the wheel) or of a source archive (PKG-INFO; requires.txt). */
void src_want_metadata(struct src_set *s, const struct src_file *f);
enum src_state src_metadata(struct src_set *s, const struct src_file *f, const struct py_metadata **ret, struct gf_err *err);
/* NAME-VERSION-variants.json, a row of a project's page like any other: what the labels of that version's wheel variants stand for. SRC_ABSENT: it is not there;
 * *err is filled then too. */
bool src_is_variants_file(gf_slice filename);
void src_want_variants(struct src_set *s, const struct src_file *f);
enum src_state src_variants(struct src_set *s, const struct src_file *f, const struct py_variants **ret, struct gf_err *err);
size_t src_pending(const struct src_set *s);
int src_wait(struct src_set *s, struct gf_err *err); /* until at least one request that was WAITING has an answer */

/* What became of each source, for the lock. */
enum src_use { SRC_USE_NOT_ASKED, SRC_USE_USED, SRC_USE_UNREACHABLE };
const struct src_index *src_set_index(const struct src_set *s, size_t i);
size_t src_set_count(const struct src_set *s);
enum src_use src_set_use(const struct src_set *s, size_t i, const char **ret_why);
void src_set_counts(const struct src_set *s, uint64_t *ret_requests, uint64_t *ret_bytes);

#endif
