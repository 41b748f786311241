/* Members of a zip archive read as streams: stored, or raw deflate by zlib. */
#include "archive/zip_private.h"
#include <stdlib.h>
#include <zlib.h>

#define LOCAL_SIZE 30u
#define SIG_LOCAL 0x04034b50u
#define CHUNK (128u << 10)

struct arc_zip_stream {
    struct arc_zip *zip;
    const struct arc_zip_member *m;
    uint64_t at, left;   /* next packed byte in the archive; packed bytes left */
    uint64_t out;        /* bytes given so far */
    uint32_t crc;
    bool deflate, ended;
    z_stream z;
    unsigned char *chunk;
};

static int broken(const struct arc_zip_stream *s, const char *why, struct gf_err *err)
{
    return gf_fail(err, GF_E_INTEGRITY, "'%s' in '%s' is damaged: %s", s->m->name, s->zip->reader->label, why);
}

/* The local header must tell the same name as the directory; it says where the bytes begin. */
static int find_bytes(struct arc_zip_stream *s, struct gf_err *err)
{
    struct gf_reader *r = s->zip->reader;
    const struct arc_zip_member *m = s->m;
    size_t name = strlen(m->name);
    GF_FREE unsigned char *head = gf_xmalloc(LOCAL_SIZE + name);
    uint64_t room = s->zip->directory - m->offset;
    if (room < LOCAL_SIZE + name) return broken(s, "its local header does not fit", err);
    if (r->pread(r, m->offset, head, LOCAL_SIZE + name, err)) return -1;
    if (arc_u32(head) != SIG_LOCAL) return broken(s, "no local header is where the directory says", err);
    if (arc_u16(head + 26) != name || memcmp(head + LOCAL_SIZE, m->name, name) != 0)
        return broken(s, "its local header tells another name", err);
    uint64_t skip = LOCAL_SIZE + name + arc_u16(head + 28);
    if (skip > room || m->packed > room - skip) return broken(s, "it reaches into the directory", err);
    s->at = m->offset + skip;
    s->left = m->packed;
    return 0;
}

static int refuse_method(const struct arc_zip_stream *s, struct gf_err *err)
{
    if (s->m->encrypted) return gf_fail(err, GF_E_PARSE, "'%s' in '%s' is encrypted", s->m->name, s->zip->reader->label);
    return gf_fail(err, GF_E_PARSE, "'%s' in '%s' is packed by method %u; only 0 (stored) and 8 (deflate) are read", s->m->name,
                   s->zip->reader->label, s->m->method);
}

int arc_zip_stream_open(struct arc_zip *z, const struct arc_zip_member *m, struct arc_zip_stream **ret, struct gf_err *err)
{
    struct arc_zip_stream *s = gf_xcalloc(1, sizeof *s);
    s->zip = z;
    s->m = m;
    s->deflate = m->method == 8;
    int rc = m->encrypted || (m->method != 0 && m->method != 8) ? refuse_method(s, err) : find_bytes(s, err);
    if (!rc && m->method == 0 && m->packed != m->size) rc = broken(s, "it is stored, but its two sizes differ", err);
    if (!rc && s->deflate && inflateInit2(&s->z, -MAX_WBITS) != Z_OK) rc = gf_fail(err, GF_E_IO, "zlib has no memory left");
    if (rc) {
        free(s);
        return -1;
    }
    s->chunk = s->deflate ? gf_xmalloc(CHUNK) : NULL;
    *ret = s;
    return 0;
}

void arc_zip_stream_close(struct arc_zip_stream *s)
{
    if (!s) return;
    if (s->deflate) inflateEnd(&s->z);
    free(s->chunk);
    free(s);
}

static int refill(struct arc_zip_stream *s, struct gf_err *err)
{
    size_t n = s->left < CHUNK ? (size_t)s->left : CHUNK;
    if (s->zip->reader->pread(s->zip->reader, s->at, s->chunk, n, err)) return -1;
    s->at += n;
    s->left -= n;
    s->z.next_in = s->chunk;
    s->z.avail_in = (uInt)n;
    return 0;
}

static int inflate_some(struct arc_zip_stream *s, void *buf, size_t n, size_t *ret_n, struct gf_err *err)
{
    s->z.next_out = buf;
    s->z.avail_out = (uInt)n;
    while (s->z.avail_out && !s->ended) {
        if (s->z.avail_in == 0 && s->left && refill(s, err)) return -1;
        int code = inflate(&s->z, Z_NO_FLUSH);
        if (code == Z_STREAM_END) s->ended = true;
        else if (code == Z_BUF_ERROR || (code == Z_OK && s->z.avail_in == 0 && s->left == 0 && s->z.avail_out))
            return broken(s, "its packed bytes end too early", err);
        else if (code != Z_OK) return broken(s, s->z.msg ? s->z.msg : "it cannot be unpacked", err);
    }
    *ret_n = n - s->z.avail_out;
    return 0;
}

static int read_stored(struct arc_zip_stream *s, void *buf, size_t n, size_t *ret_n, struct gf_err *err)
{
    if (n > s->left) n = (size_t)s->left;
    if (n && s->zip->reader->pread(s->zip->reader, s->at, buf, n, err)) return -1;
    s->at += n;
    s->left -= n;
    *ret_n = n;
    return 0;
}

static int check_end(const struct arc_zip_stream *s, struct gf_err *err)
{
    if (s->out != s->m->size) return broken(s, "it is shorter than the directory says", err);
    if (s->crc != s->m->crc) return broken(s, "its CRC-32 does not match", err);
    return 0;
}

int arc_zip_stream_read(struct arc_zip_stream *s, void *buf, size_t n, size_t *ret_n, struct gf_err *err)
{
    if (n > CHUNK * 8u) n = CHUNK * 8u;
    size_t got = 0;
    if (s->deflate ? inflate_some(s, buf, n, &got, err) : read_stored(s, buf, n, &got, err)) return -1;
    if (got > s->m->size - s->out) return broken(s, "it is longer than the directory says", err);
    s->out += got;
    s->crc = (uint32_t)crc32(s->crc, buf, (uInt)got);
    if (n && got == 0 && check_end(s, err)) return -1;
    *ret_n = got;
    return 0;
}

int arc_zip_read(struct arc_zip *z, const struct arc_zip_member *m, struct gf_buf *ret, struct gf_err *err)
{
    if (m->size > ret->max - ret->n)
        return gf_fail(err, GF_E_LIMIT, "'%s' in '%s' is %llu bytes long, the most that is read of it is %zu", m->name, z->reader->label,
                       (unsigned long long)m->size, ret->max - ret->n);
    struct arc_zip_stream *s = NULL;
    if (arc_zip_stream_open(z, m, &s, err)) return -1;
    GF_FREE unsigned char *part = gf_xmalloc(CHUNK);
    size_t n = 0;
    int rc;
    while ((rc = arc_zip_stream_read(s, part, CHUNK, &n, err)) == 0 && n) gf_buf_add(ret, part, n);
    arc_zip_stream_close(s);
    return rc;
}
