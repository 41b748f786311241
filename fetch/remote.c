#include "fetch/remote.h"
#include "base/mem.h"
#include <stdlib.h>

#define BLOCK (256u << 10)
#define KEPT 64u          /* blocks in memory: 16 MiB */
#define AHEAD 16u         /* blocks in one request at most */

struct block {
    uint64_t number; /* of the block in the file */
    uint64_t used;   /* by the clock of the reader */
    char *bytes;     /* NULL: free */
};

struct remote {
    struct gf_reader base;
    struct net_client *c;
    char *url, *label;
    struct block blocks[KEPT];
    uint64_t clock;
    uint64_t next;   /* the block behind the last one fetched: reading on doubles what is fetched at once */
    unsigned ahead;
};

struct answer {
    bool done, ranged;
    int64_t length;
    struct gf_buf body;
    struct gf_err err;
};

static void on_answer(void *arg, const struct net_reply *reply, const struct gf_err *err)
{
    struct answer *a = arg;
    a->done = true;
    a->ranged = reply->from_range;
    a->length = reply->content_length;
    a->err = *err;
    gf_buf_addsl(&a->body, reply->body);
}

/* One range request, waited for. a->body is the caller's to release. */
static int ask(struct remote *r, uint64_t from, uint64_t length, bool suffix, struct answer *a, struct gf_err *err)
{
    *a = (struct answer){ .length = -1 };
    gf_buf_init(&a->body, (size_t)length + 1);
    struct net_request q = { .url = r->url, .ranged = true, .range_from = from, .range_len = length, .range_suffix = suffix, .max_bytes = length,
                             .done = on_answer, .arg = a };
    net_submit(r->c, &q);
    while (!a->done)
        if (net_step(r->c, 1000, err)) return -1; /* the client is no longer usable: a never comes back into use */
    if (a->err.code == GF_E_LIMIT || (a->err.code == GF_OK && !a->ranged))
        return gf_fail(err, GF_E_NETWORK, "the server of '%s' does not answer range requests: fetch the file and look into that", r->label);
    if (a->err.code != GF_OK) return gf_fail(err, a->err.code, "%s", a->err.text);
    if (r->base.size && a->length >= 0 && (uint64_t)a->length != r->base.size)
        return gf_fail(err, GF_E_INTEGRITY, "'%s' has %lld bytes on its server, %llu were expected", r->label, (long long)a->length,
                       (unsigned long long)r->base.size);
    return 0;
}

static struct block *find(struct remote *r, uint64_t number)
{
    for (size_t i = 0; i < KEPT; i++)
        if (r->blocks[i].bytes && r->blocks[i].number == number) return &r->blocks[i];
    return NULL;
}

static void keep(struct remote *r, uint64_t number, gf_slice bytes)
{
    struct block *oldest = &r->blocks[0];
    for (size_t i = 1; i < KEPT; i++)
        if (r->blocks[i].used < oldest->used) oldest = &r->blocks[i];
    free(oldest->bytes);
    *oldest = (struct block){ number, ++r->clock, gf_xmalloc(bytes.n) };
    memcpy(oldest->bytes, bytes.p, bytes.n);
}

static uint64_t block_count(const struct remote *r) { return (r->base.size + BLOCK - 1) / BLOCK; }

static int fetch(struct remote *r, uint64_t number, struct gf_err *err)
{
    r->ahead = number == r->next && r->ahead ? (r->ahead * 2 > AHEAD ? AHEAD : r->ahead * 2) : 1;
    uint64_t n = 1;
    while (n < r->ahead && number + n < block_count(r) && !find(r, number + n)) n++;
    uint64_t from = number * BLOCK, length = n * BLOCK;
    if (length > r->base.size - from) length = r->base.size - from;
    struct answer a;
    int rc = ask(r, from, length, false, &a, err);
    if (!rc && a.body.n != length) rc = gf_fail(err, GF_E_NETWORK, "'%s' was cut short at byte %llu", r->label, (unsigned long long)(from + a.body.n));
    for (uint64_t i = 0; !rc && i < n; i++) keep(r, number + i, gf_slice_sub(gf_buf_slice(&a.body), (size_t)i * BLOCK, BLOCK));
    gf_buf_release(&a.body);
    r->next = number + n;
    return rc;
}

static int remote_pread(struct gf_reader *reader, uint64_t off, void *buf, size_t n, struct gf_err *err)
{
    struct remote *r = (struct remote *)reader;
    if (off > reader->size || n > reader->size - off)
        return gf_fail(err, GF_E_INTEGRITY, "'%s' has %llu bytes, %zu at %llu were asked for", r->label, (unsigned long long)reader->size, n,
                       (unsigned long long)off);
    for (char *out = buf; n;) {
        uint64_t number = off / BLOCK;
        struct block *b = find(r, number);
        if (!b) {
            if (fetch(r, number, err)) return -1;
            continue;
        }
        size_t skip = (size_t)(off % BLOCK), part = BLOCK - skip < n ? BLOCK - skip : n;
        memcpy(out, b->bytes + skip, part);
        b->used = ++r->clock;
        out += part;
        off += part;
        n -= part;
    }
    return 0;
}

static void remote_close(struct gf_reader *reader)
{
    struct remote *r = (struct remote *)reader;
    for (size_t i = 0; i < KEPT; i++) free(r->blocks[i].bytes);
    free(r->url);
    free(r->label);
    free(r);
}

static int learn_size(struct remote *r, struct gf_err *err)
{
    struct answer a;
    int rc = ask(r, 0, 1, true, &a, err);
    gf_buf_release(&a.body);
    if (!rc && a.length < 0) rc = gf_fail(err, GF_E_NETWORK, "the server of '%s' does not tell its size", r->label);
    if (!rc) r->base.size = (uint64_t)a.length;
    return rc;
}

int net_remote_open(struct net_client *c, const char *url, int64_t size, struct gf_reader **ret, struct gf_err *err)
{
    struct remote *r = gf_xcalloc(1, sizeof *r);
    r->c = c;
    r->url = gf_xstrdup(url);
    r->label = net_url_without_credentials(url);
    r->base = (struct gf_reader){ remote_pread, remote_close, size < 0 ? 0 : (uint64_t)size, r->label };
    if (size < 0 && learn_size(r, err)) {
        remote_close(&r->base);
        return -1;
    }
    *ret = &r->base;
    return 0;
}
