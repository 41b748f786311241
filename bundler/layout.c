#include "bundler/layout.h"
#include "base/map.h"

void bnd_layout_init(struct bnd_layout *l, int64_t mtime)
{
    *l = (struct bnd_layout){ .mtime = mtime };
    gf_arena_init(&l->mem);
}

void bnd_layout_release(struct bnd_layout *l)
{
    for (size_t i = 0; i < l->m.n; i++) gf_digest_free(l->m.v[i].digest);
    gf_vec_free(&l->m);
    gf_arena_release(&l->mem);
}

void bnd_layout_text(struct bnd_layout *l, enum bnd_place place, const char *path, unsigned mode, gf_slice bytes)
{
    char sha[GF_SHA256_HEX];
    gf_sha256_hex(bytes, sha);
    gf_vec_push(&l->m, (struct bnd_member){ .path = gf_arena_strz(&l->mem, path), .place = place, .mode = mode, .size = bytes.n,
                                            .sha256 = gf_arena_strz(&l->mem, sha), .bytes = gf_arena_str(&l->mem, bytes), .good = true });
}

void bnd_layout_payload(struct bnd_layout *l, const char *path, uint64_t size, const char *sha256, const char *url)
{
    gf_vec_push(&l->m, (struct bnd_member){ .path = gf_arena_strz(&l->mem, path), .place = BND_PAYLOAD, .mode = 0644, .size = size,
                                            .sha256 = gf_arena_strz(&l->mem, sha256), .url = gf_arena_strz(&l->mem, url) });
}

static int by_place(const void *a, const void *b)
{
    const struct bnd_member *x = a, *y = b;
    if (x->place != y->place) return x->place < y->place ? -1 : 1;
    return strcmp(x->path, y->path);
}

static int no_twins(const struct bnd_layout *l, struct gf_err *err)
{
    struct gf_names seen;
    gf_names_init(&seen);
    const char *twin = NULL;
    for (size_t i = 0; i < l->m.n && !twin; i++) {
        bool fresh;
        gf_names_add(&seen, gf_slice_of(l->m.v[i].path), &fresh);
        if (!fresh) twin = l->m.v[i].path;
    }
    gf_names_release(&seen);
    return twin ? gf_fail(err, GF_E_PARSE, "the lock names two files that would both be '%s' in the bundle; when they are wheel variants for two targets, plan and pack each target by itself", twin) : 0;
}

int bnd_layout_place(struct bnd_layout *l, struct gf_err *err)
{
    if (no_twins(l, err)) return -1;
    if (l->placed == 0) qsort(l->m.v, l->m.n, sizeof *l->m.v, by_place);
    unsigned char header[BND_TAR_HEADER_MAX];
    for (; l->placed < l->m.n; l->placed++) {
        struct bnd_member *m = &l->m.v[l->placed];
        m->header = l->end;
        m->data = l->end + bnd_layout_header(l, m, header);
        l->end = m->data + bnd_tar_padded(m->size);
    }
    return 0;
}

size_t bnd_layout_header(const struct bnd_layout *l, const struct bnd_member *m, unsigned char out[BND_TAR_HEADER_MAX])
{
    return bnd_tar_header(m->path, m->size, m->mode, l->mtime, out);
}

uint64_t bnd_layout_file_size(const struct bnd_layout *l) { return l->end + 2 * (uint64_t)BND_TAR_BLOCK; }
