#include "bundler/licences.h"
#include "archive/zip.h"
#include "base/reader.h"
#include "python/requirement.h"
#include <errno.h>
#include <unistd.h>

enum { LICENCE_MOST = 300 }; /* bytes: some put the whole text there */

struct member_reader { /* one member of the tar as a file of its own */
    struct gf_reader base;
    int fd;
    uint64_t from;
};

static int member_pread(struct gf_reader *r, uint64_t off, void *buf, size_t n, struct gf_err *err)
{
    const struct member_reader *m = (const struct member_reader *)r;
    if (off > r->size || n > r->size - off) return gf_fail(err, GF_E_PARSE, "'%s' ends before byte %llu", r->label, (unsigned long long)(off + n));
    for (char *at = buf; n;) {
        ssize_t got = pread(m->fd, at, n, (off_t)(m->from + off));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return gf_fail(err, GF_E_IO, "'%s' cannot be read back", r->label);
        at += got;
        off += (uint64_t)got;
        n -= (size_t)got;
    }
    return 0;
}

static const struct arc_zip_member *find_metadata(const struct arc_zip *z)
{
    for (size_t i = 0; i < arc_zip_count(z); i++) {
        const struct arc_zip_member *m = arc_zip_get(z, i);
        gf_slice name = gf_slice_of(m->name);
        if (gf_slice_ends(name, GF_S(".dist-info/METADATA")) && gf_slice_chr(name, '/') == gf_slice_rchr(name, '/')) return m;
    }
    return NULL;
}

static const char *licence_of(struct arc_zip *z, const char *label, struct gf_arena *mem)
{
    const struct arc_zip_member *m = find_metadata(z);
    struct gf_log none = { NULL, NULL };
    struct py_metadata meta = { .license = NULL };
    GF_BUF_SCOPE struct gf_buf text;
    GF_ARENA_SCOPE struct gf_arena scratch = GF_ARENA_INIT;
    gf_buf_init(&text, GF_CAP_METADATA);
    if (!m || arc_zip_read(z, m, &text, NULL) || py_metadata_parse(&scratch, gf_buf_slice(&text), label, &none, &meta, NULL)) return NULL;
    if (!meta.license || !*meta.license || strlen(meta.license) > LICENCE_MOST) return NULL;
    return gf_arena_strz(mem, meta.license);
}

static const struct bnd_member *member_of(const struct bnd_layout *l, const struct bnd_item *it)
{
    GF_FREE char *path = gf_xasprintf("%s/%s", it->folder, it->file);
    for (size_t i = 0; i < l->placed; i++)
        if (strcmp(l->m.v[i].path, path) == 0) return &l->m.v[i];
    return NULL;
}

void bnd_read_licences(struct bnd_items *items, const struct bnd_layout *l, int fd, struct gf_arena *mem)
{
    for (size_t i = 0; i < items->list.n; i++) {
        struct bnd_item *it = &items->list.v[i];
        const struct bnd_member *m = gf_slice_ends(gf_slice_of(it->file), GF_S(".whl")) ? member_of(l, it) : NULL;
        if (!m) continue;
        struct member_reader r = { { member_pread, NULL, m->size, it->file }, fd, m->data };
        struct arc_zip *z = NULL;
        if (arc_zip_open(&r.base, &z, NULL)) continue;
        it->licence = licence_of(z, it->file, mem);
        arc_zip_free(z);
    }
}
