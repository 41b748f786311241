#include "fetch/cache.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/map.h"
#include "base/vec.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENTRY_MAGIC "gfentry4"
#define WORTH_MAPPING (64u << 10) /* bytes: below, reading is cheaper */
#define TEXT_MOST 65536u

struct unwritten {
    char *path;
    unsigned char *head; /* and the texts */
    size_t head_size;
    gf_slice payload;
    bool copied; /* the payload is ours */
};

struct net_cache {
    char *dir;
    GF_VEC(struct unwritten) queue;
    size_t written; /* of the queue */
    const struct gf_log *log;
    bool silent; /* the note that it cannot be written was given */
};

/* In the byte order of the machine: a cache is never carried to another one, and the magic number would not match there. */
struct entry_head {
    char magic[8];
    uint64_t sum; /* over what follows, up to the payload */
    uint32_t order; /* 0x01020304 */
    uint32_t key, etag, last_modified; /* lengths with their NUL; 0: absent */
    int64_t stored, max_age;
    uint64_t payload, payload_sum;
};

struct net_cache *net_cache_open(const char *dir, const struct gf_log *log)
{
    if (!dir) return NULL;
    struct net_cache *c = gf_xcalloc(1, sizeof *c);
    c->dir = gf_xstrdup(dir);
    c->log = log;
    return c;
}

typedef uint64_t lanes __attribute__((vector_size(32)));

/* Running sums of running sums in four lanes: as fast as the memory. Against accidents, not against an enemy with access to the cache. */
static uint64_t checksum(const void *p, size_t n)
{
    const unsigned char *at = p;
    lanes a = { n, 1, 2, 3 }, b = { 0, 0, 0, 0 }, w;
    for (; n >= sizeof w; at += sizeof w, n -= sizeof w) {
        memcpy(&w, at, sizeof w);
        a += w;
        b += a;
    }
    if (n) { /* the rest, with zeros behind it */
        w = (lanes){ 0 };
        memcpy(&w, at, n);
        a += w;
        b += a;
    }
    uint64_t sum = 0;
    for (int i = 0; i < 4; i++) {
        sum = (sum ^ a[i]) * UINT64_C(0xff51afd7ed558ccd);
        sum = (sum ^ b[i] ^ sum >> 32) * UINT64_C(0xc4ceb9fe1a85ec53);
    }
    return sum;
}

static char *entry_path(const struct net_cache *c, const char *kind, const char *key)
{
    /* two keys with one hash push each other out: the key stands in the entry */
    return gf_xasprintf("%s/%s/%016llx", c->dir, kind, (unsigned long long)gf_hash64(key, strlen(key)));
}

static bool read_whole(int fd, unsigned char *p, size_t n)
{
    for (size_t have = 0; have < n;) {
        ssize_t got = read(fd, p + have, n - have);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        have += (size_t)got;
    }
    return true;
}

static bool map_file(int fd, size_t n, struct net_entry *ret)
{
    void *p = mmap(NULL, n, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
    if (p == MAP_FAILED) return false;
    ret->mem = p;
    ret->mapped = n;
    return true;
}

/* The file's bytes into ret->mem. */
static bool load_file(const char *path, struct net_entry *ret, size_t *ret_n)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    struct stat st;
    bool good = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= (off_t)sizeof(struct entry_head) && st.st_size <= GF_CAP_PAGE;
    size_t n = *ret_n = good ? (size_t)st.st_size : 0;
    if (good && !(n >= WORTH_MAPPING && map_file(fd, n, ret))) {
        ret->mem = gf_xmalloc(n);
        good = read_whole(fd, ret->mem, n);
    }
    close(fd);
    return good;
}

static size_t aligned(size_t n) { return (n + 7) & ~(size_t)7; }

static size_t texts_size(const struct entry_head *h) { return aligned((size_t)h->key + h->etag + h->last_modified); }

static bool head_is_sound(const struct entry_head *h, size_t n)
{
    if (memcmp(h->magic, ENTRY_MAGIC, 8) != 0 || h->order != 0x01020304) return false;
    if (h->key == 0 || h->key > TEXT_MOST || h->etag > TEXT_MOST || h->last_modified > TEXT_MOST) return false;
    size_t before = sizeof *h + texts_size(h);
    return before <= n && h->payload == n - before;
}

static bool take_text(const char **at, uint32_t n, const char **ret)
{
    *ret = n ? *at : NULL;
    *at += n;
    return n == 0 || (*ret)[n - 1] == '\0';
}

static bool open_entry(size_t n, const char *key, struct net_entry *e)
{
    const unsigned char *mem = e->mem;
    struct entry_head h;
    memcpy(&h, mem, sizeof h);
    size_t hashed = offsetof(struct entry_head, order);
    if (!head_is_sound(&h, n) || checksum(mem + hashed, n - hashed - (size_t)h.payload) != h.sum) return false;
    if (checksum(mem + n - (size_t)h.payload, (size_t)h.payload) != h.payload_sum) return false;
    const char *at = (const char *)mem + sizeof h, *stored_key;
    e->stored = h.stored;
    e->max_age = h.max_age;
    if (!take_text(&at, h.key, &stored_key) || !take_text(&at, h.etag, &e->etag) || !take_text(&at, h.last_modified, &e->last_modified)) return false;
    e->bytes = gf_slice_n((const char *)mem + sizeof h + texts_size(&h), (size_t)h.payload);
    return strcmp(stored_key, key) == 0;
}

static bool is_queued(const struct net_cache *c, const char *path)
{
    for (size_t i = c->written; i < c->queue.n; i++)
        if (strcmp(c->queue.v[i].path, path) == 0) return true;
    return false;
}

bool net_cache_get(struct net_cache *c, const char *kind, const char *key, struct net_entry *ret)
{
    if (!c) return false;
    GF_FREE char *path = entry_path(c, kind, key);
    struct net_entry e = { .max_age = -1 };
    size_t n = 0;
    while (is_queued(c, path)) net_cache_write_one(c);
    bool good = load_file(path, &e, &n) && open_entry(n, key, &e);
    if (good) *ret = e;
    else net_entry_release(&e);
    return good;
}

void net_entry_release(struct net_entry *e)
{
    if (e->mapped) munmap(e->mem, e->mapped);
    else free(e->mem);
    *e = (struct net_entry){ .max_age = -1 };
}

static uint32_t text_length(const char *s) { return s ? (uint32_t)strlen(s) + 1 : 0; }

/* The head and the texts of an entry. */
static unsigned char *build_head(const char *key, const struct net_entry *e, size_t *ret_n)
{
    struct entry_head h = { .order = 0x01020304, .key = text_length(key), .etag = text_length(e->etag), .last_modified = text_length(e->last_modified),
                            .stored = e->stored, .max_age = e->max_age, .payload = e->bytes.n, .payload_sum = checksum(e->bytes.p, e->bytes.n) };
    memcpy(h.magic, ENTRY_MAGIC, 8);
    if (h.key > TEXT_MOST || h.etag > TEXT_MOST || h.last_modified > TEXT_MOST) return NULL;
    size_t n = sizeof h + texts_size(&h);
    unsigned char *mem = gf_xcalloc(1, n), *at = mem + sizeof h;
    memcpy(at, key, h.key);
    at += h.key;
    if (h.etag) memcpy(at, e->etag, h.etag);
    at += h.etag;
    if (h.last_modified) memcpy(at, e->last_modified, h.last_modified);
    memcpy(mem, &h, sizeof h);
    size_t hashed = offsetof(struct entry_head, order);
    h.sum = checksum(mem + hashed, n - hashed);
    memcpy(mem, &h, sizeof h);
    *ret_n = n;
    return mem;
}

static void cannot_write(struct net_cache *c, const char *path, int errnum)
{
    if (!c->silent) gf_note(c->log, 0, "the cache cannot be written ('%s': %s); going on without it", path, strerror(errnum));
    c->silent = true;
}

/* Aside, then renamed. No fsync: what a crash leaves behind does not pass its check. The old file goes first, since file systems flush a file that is
 * renamed over another one. */
static int write_aside(const char *path, gf_slice head, gf_slice payload)
{
    GF_FREE char *aside = gf_xasprintf("%s.part-%ld-XXXXXX", path, (long)getpid());
    int fd = mkostemp(aside, O_CLOEXEC);
    if (fd < 0) return errno;
    struct gf_err ignored = GF_ERR_INIT;
    int rc = gf_write_all(fd, head.p, head.n, path, &ignored) || gf_write_all(fd, payload.p, payload.n, path, &ignored) ? errno : 0;
    if (close(fd) < 0 && !rc) rc = errno;
    if (!rc) unlink(path);
    if (!rc && rename(aside, path) < 0) rc = errno;
    if (rc) unlink(aside);
    return rc;
}

static void write_in_cache(struct net_cache *c, const char *path, gf_slice head, gf_slice payload)
{
    int rc = write_aside(path, head, payload);
    if (rc == ENOENT) { /* the folder is not there yet */
        GF_FREE char *folder = gf_xstrndup(gf_slice_n(path, (size_t)(strrchr(path, '/') - path)));
        rc = gf_mkdirs(folder, 0700, NULL) ? errno : write_aside(path, head, payload);
    }
    if (rc) cannot_write(c, path, rc);
}

void net_cache_put(struct net_cache *c, const char *kind, const char *key, const struct net_entry *e)
{
    if (!c || c->silent) return;
    size_t n = 0;
    unsigned char *head = build_head(key, e, &n);
    if (!head) return;
    struct unwritten u = { entry_path(c, kind, key), head, n, e->bytes, !e->stays };
    if (u.copied && e->bytes.n) {
        char *copy = gf_xmalloc(e->bytes.n);
        memcpy(copy, e->bytes.p, e->bytes.n);
        u.payload.p = copy;
    }
    gf_vec_push(&c->queue, u);
}

bool net_cache_write_one(struct net_cache *c)
{
    if (!c || c->written == c->queue.n) return false;
    struct unwritten *u = &c->queue.v[c->written++];
    if (!c->silent) write_in_cache(c, u->path, gf_slice_n((const char *)u->head, u->head_size), u->payload);
    free(u->path);
    free(u->head);
    if (u->copied && u->payload.n) free((void *)(uintptr_t)u->payload.p);
    return true;
}

void net_cache_close(struct net_cache *c)
{
    if (!c) return;
    while (net_cache_write_one(c)) {}
    gf_vec_free(&c->queue);
    free(c->dir);
    free(c);
}

bool net_entry_fresh(const struct net_entry *e, int64_t now)
{
    return e->max_age >= 0 && now >= e->stored && now - e->stored < e->max_age;
}

int64_t net_cache_max_age(const char *cache_control)
{
    gf_slice rest = gf_slice_of(cache_control), part;
    int64_t age = -1;
    while (gf_slice_field(&rest, ',', &part)) {
        part = gf_slice_trim(part);
        if (gf_slice_ieq(part, GF_S("no-store")) || gf_slice_ieq(part, GF_S("no-cache"))) return 0;
        gf_slice name;
        uint64_t seconds;
        if (!gf_slice_cut(&part, '=', &name) || !gf_slice_ieq(gf_slice_trim(name), GF_S("max-age"))) continue;
        if (gf_slice_u64(gf_slice_trim(part), &seconds) && seconds <= INT32_MAX) age = (int64_t)seconds;
    }
    return age;
}

static char *content_path(const struct net_cache *c, const char *sha256)
{
    return gf_is_sha256_hex(gf_slice_of(sha256)) ? gf_xasprintf("%s/sha256/%.2s/%s", c->dir, sha256, sha256) : NULL;
}

char *net_cache_content(struct net_cache *c, const char *sha256, int64_t size)
{
    char *path = c && sha256 ? content_path(c, sha256) : NULL;
    struct stat st;
    if (path && lstat(path, &st) == 0 && S_ISREG(st.st_mode) && (size < 0 || st.st_size == size)) return path;
    free(path);
    return NULL;
}

void net_cache_content_drop(struct net_cache *c, const char *sha256)
{
    GF_FREE char *path = c ? content_path(c, sha256) : NULL;
    if (path) unlink(path);
}

void net_cache_content_put(struct net_cache *c, const char *sha256, gf_slice bytes)
{
    GF_FREE char *path = c && !c->silent ? content_path(c, sha256) : NULL;
    if (path) write_in_cache(c, path, GF_NONE, bytes);
}
