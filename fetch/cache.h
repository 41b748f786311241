/* The cache: small documents under a key (index pages in their parsed form, metadata) with their freshness, and files by the sha256 of their content.
 * Several processes may use it at once: everything is written aside and renamed, nothing read from it is trusted without its check.
 * A cache that cannot be written is no error: the note says so and the work goes on. */
#ifndef NET_CACHE_H
#define NET_CACHE_H
#include "base/err.h"
#include "base/slice.h"

struct net_cache;
struct net_cache *net_cache_open(const char *dir, const struct gf_log *log); /* touches no file yet */
void net_cache_close(struct net_cache *c); /* writes what is still to be written */
/* Entries are written when there is nothing better to do: while an answer is awaited, or when the cache is closed. Writes one; false when none is left. */
bool net_cache_write_one(struct net_cache *c);

struct net_entry {
    gf_slice bytes;                 /* aligned to 8 */
    int64_t stored;                 /* unix seconds */
    int64_t max_age;                /* seconds; -1: the server said nothing about freshness */
    const char *etag, *last_modified; /* NULL */
    void *mem;                      /* owns what the entry points to; entries are never changed in place, so that a large one may be mapped */
    size_t mapped;                  /* bytes; 0: mem is allocated */
    bool stays;                     /* for net_cache_put: bytes stay as they are until the cache is closed, and are not copied */
};
/* False when there is no sound entry. */
bool net_cache_get(struct net_cache *c, const char *kind, const char *key, struct net_entry *ret);
void net_cache_put(struct net_cache *c, const char *kind, const char *key, const struct net_entry *e);
void net_entry_release(struct net_entry *e);
bool net_entry_fresh(const struct net_entry *e, int64_t now); /* within max-age; never without one */
int64_t net_cache_max_age(const char *cache_control);        /* of a Cache-Control value; -1 none, 0 for no-store and no-cache */

/* Files by content. */
/* Where the file with this digest lies if it is there with that size (-1: any), else NULL; malloc'd. Its bytes are not checked: whoever
 * uses it hashes it anyhow, and drops it when it does not match. */
char *net_cache_content(struct net_cache *c, const char *sha256, int64_t size);
void net_cache_content_drop(struct net_cache *c, const char *sha256);
/* Takes in bytes whose digest the caller has just checked. */
void net_cache_content_put(struct net_cache *c, const char *sha256, gf_slice bytes);

#endif
