/* What a lock leaves open: sizes are asked of the server, files without a digest are fetched whole into the store. */
#include "base/file.h"
#include "bundler/download.h"
#include <stdio.h>
#include <unistd.h>

struct asking {
    struct bnd_item *it;
    const struct bnd_options *o;
    struct gf_arena *mem;
    struct gf_err *err;
    bool *failed;
    bool whole;              /* fetched, not only asked */
    struct gf_atomic file;
    struct gf_digest *digest;
    uint64_t got;
};

/* The layout of fetch/cache.h. Without a cache, files stand beside the bundle until it is whole. */
static char *store_folder(const struct bnd_options *o)
{
    return o->cache_dir ? gf_xasprintf("%s/sha256", o->cache_dir) : gf_xasprintf("%s.part.files", o->out);
}

char *bnd_stored(const struct bnd_options *o, const char *sha256)
{
    GF_FREE char *folder = store_folder(o);
    return gf_xasprintf("%s/%.2s/%s", folder, sha256, sha256);
}

static int fail(struct asking *a)
{
    *a->failed = true;
    return -1;
}

static int take_size(void *arg, uint64_t offset, const void *p, size_t n, struct gf_err *err)
{
    const struct asking *a = arg;
    (void)p;
    if (offset + n <= 1u << 20) return 0;
    return gf_fail(err, GF_E_NETWORK, "the server of '%s' sends the whole file where one byte was asked for", a->it->file); /* its length is known by now */
}

static void size_told(void *arg, const struct net_reply *reply, const struct gf_err *err)
{
    struct asking *a = arg;
    if (*a->failed) return;
    if (reply->content_length >= 0 && (reply->status < 300 || reply->status == 416 /* an empty file has no first byte */)) {
        *a->it->size = reply->content_length;
        return;
    }
    fail(a);
    if (err->code != GF_OK) gf_fail(a->err, err->code, "asking for the size of '%s': %s", a->it->file, err->text);
    else gf_fail(a->err, GF_E_NETWORK, "the server of '%s' does not tell how large it is, and the lock does not either", a->it->file);
}

static int take_whole(void *arg, uint64_t offset, const void *p, size_t n, struct gf_err *err)
{
    struct asking *a = arg;
    if (offset != a->got) return gf_fail(err, GF_E_NETWORK, "bytes for '%s' came out of order", a->it->file);
    gf_digest_add(a->digest, p, n);
    a->got += n;
    return gf_write_all(a->file.fd, p, n, a->file.aside, err);
}

static int keep(struct asking *a)
{
    unsigned char bytes[GF_HASH_MAX];
    char hex[GF_SHA256_HEX];
    gf_hex(bytes, gf_digest_end(a->digest, bytes), hex);
    a->digest = NULL;
    int64_t *size = a->it->size;
    if (*size >= 0 && (uint64_t)*size != a->got) {
        gf_atomic_abort(&a->file);
        return gf_fail(a->err, GF_E_INTEGRITY, "'%s' has %llu bytes, the lock says %lld; run 'gpuferry plan' again", a->it->file, (unsigned long long)a->got,
                       (long long)*size);
    }
    GF_FREE char *path = bnd_stored(a->o, hex);
    GF_FREE char *folder = gf_xasprintf("%.*s", (int)(strrchr(path, '/') - path), path);
    if (gf_mkdirs(folder, 0755, a->err)) {
        gf_atomic_abort(&a->file);
        return -1;
    }
    free(a->file.path);
    a->file.path = gf_xstrdup(path);
    *size = (int64_t)a->got;
    *a->it->sha256 = gf_arena_strz(a->mem, hex);
    return gf_atomic_commit(&a->file, a->err);
}

static void whole_came(void *arg, const struct net_reply *reply, const struct gf_err *err)
{
    struct asking *a = arg;
    (void)reply;
    if (*a->failed) return;
    if (err->code != GF_OK) {
        fail(a);
        gf_fail(a->err, err->code, "fetching '%s': %s", a->it->file, err->text);
    } else if (keep(a)) fail(a);
}

static int begin_whole(struct asking *a)
{
    GF_FREE char *folder = store_folder(a->o);
    GF_FREE char *aside = gf_xasprintf("%s/unknown", folder);
    if (gf_mkdirs(folder, 0755, a->err) || gf_atomic_open(&a->file, aside, 0644, a->err)) return -1;
    a->whole = true;
    a->digest = gf_digest_new(GF_SHA256);
    return 0;
}

static int ask(struct asking *a, struct net_client *net)
{
    struct net_request r = { .url = a->it->url, .bulk = true, .max_bytes = UINT64_MAX / 2, .arg = a };
    if (*a->it->sha256) {
        r.bulk = false;
        r.ranged = true;
        r.range_len = 1;
        r.sink = take_size;
        r.done = size_told;
    } else {
        if (begin_whole(a)) return -1;
        r.sink = take_whole;
        r.done = whole_came;
    }
    net_submit(net, &r);
    return 0;
}

static void release(struct asking *a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        gf_digest_free(a[i].digest);
        if (a[i].whole && a[i].file.fd >= 0) gf_atomic_abort(&a[i].file);
    }
    free(a);
}

int bnd_complete(struct bnd_items *items, const struct bnd_options *o, struct net_client *net, struct gf_arena *mem, struct gf_err *err)
{
    bool failed = false;
    struct asking *all = gf_xcalloc(items->list.n + 1, sizeof *all);
    int rc = 0;
    size_t n = 0;
    for (size_t i = 0; i < items->list.n && !rc; i++) {
        struct bnd_item *it = &items->list.v[i];
        if (*it->sha256 && *it->size >= 0) continue;
        all[n] = (struct asking){ .it = it, .o = o, .mem = mem, .err = err, .failed = &failed };
        rc = ask(&all[n++], net);
    }
    while (!rc && !failed && net_pending(net)) rc = net_step(net, 200, err);
    release(all, n);
    return rc || failed ? -1 : 0;
}
