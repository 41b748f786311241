#include "sources/sparse.h"
#include <stdlib.h>

/* How many bytes at offset are here in one part. */
static size_t here(const struct src_sparse *s, uint64_t offset, const char **ret)
{
    size_t best = 0;
    for (size_t i = 0; i < s->n; i++) {
        const struct src_part *p = &s->parts[i];
        if (offset < p->offset || offset - p->offset >= p->bytes.n) continue;
        size_t n = p->bytes.n - (size_t)(offset - p->offset);
        if (n > best) {
            best = n;
            *ret = p->bytes.p + (offset - p->offset);
        }
    }
    return best;
}

/* The gap that begins at offset ends where the next part begins, or at end. */
static uint64_t gap(const struct src_sparse *s, uint64_t offset, uint64_t end)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->parts[i].offset > offset && s->parts[i].offset < end) end = s->parts[i].offset;
    return end - offset;
}

static int sparse_pread(struct gf_reader *r, uint64_t off, void *buf, size_t n, struct gf_err *err)
{
    struct src_sparse *s = (struct src_sparse *)r;
    char *out = buf;
    if (off > r->size || n > r->size - off)
        return gf_fail(err, GF_E_INTEGRITY, "'%s' has %llu bytes, %zu at %llu were looked for", r->label, (unsigned long long)r->size, n,
                       (unsigned long long)off);
    for (uint64_t end = off + n; off < end;) {
        const char *p = NULL;
        size_t have = here(s, off, &p);
        if (!have) {
            s->missed = true;
            s->missed_offset = off;
            s->missed_length = gap(s, off, end);
            return gf_fail(err, GF_E_NETWORK, "'%s' was not read at %llu", r->label, (unsigned long long)off);
        }
        if (have > end - off) have = (size_t)(end - off);
        memcpy(out, p, have);
        out += have;
        off += have;
    }
    return 0;
}

static void sparse_close(struct gf_reader *r) { (void)r; }

void src_sparse_init(struct src_sparse *s, const char *label)
{
    *s = (struct src_sparse){ .base = { sparse_pread, sparse_close, 0, label } };
}

void src_sparse_release(struct src_sparse *s)
{
    for (size_t i = 0; i < s->n; i++) free((void *)(uintptr_t)s->parts[i].bytes.p);
    free(s->parts);
    s->parts = NULL;
    s->n = 0;
}

void src_sparse_add(struct src_sparse *s, uint64_t offset, gf_slice bytes)
{
    if (!bytes.n) return;
    char *copy = gf_xmalloc(bytes.n);
    memcpy(copy, bytes.p, bytes.n);
    s->parts = gf_xreallocarray(s->parts, s->n + 1, sizeof *s->parts);
    s->parts[s->n++] = (struct src_part){ offset, gf_slice_n(copy, bytes.n) };
}

bool src_sparse_has(const struct src_sparse *s, uint64_t offset, uint64_t length)
{
    for (uint64_t end = offset + length; offset < end;) {
        const char *p = NULL;
        size_t n = here(s, offset, &p);
        if (!n) return false;
        offset += n;
    }
    return true;
}
