#include "base/file.h"
#include "bundler/bundle.h"
#include "bundler/download.h"
#include "bundler/licences.h"
#include "bundler/sign.h"
#include "bundler/texts.h"
#include <stdio.h>
#include <unistd.h>

struct making {
    struct mdl_lock *lock;
    const struct bnd_options *o;
    struct bnd_items items;
    struct bnd_layout layout;
    struct bnd_part part;
    char seal[GF_SHA256_HEX];
    const char *const *seals; /* of each of several targets; NULL */
};

static void add_text(struct making *k, enum bnd_place place, const char *path, const struct gf_buf *text)
{
    bnd_layout_text(&k->layout, place, path, 0644, gf_buf_slice(text));
}

static int add_lock(struct making *k, struct gf_err *err)
{
    GF_BUF_SCOPE struct gf_buf text;
    gf_buf_init(&text, GF_CAP_LOCK);
    if (mdl_lock_write(k->lock, &text, err)) return -1;
    struct gf_json_doc *doc GF_JSON_SCOPE = NULL;
    if (gf_json_parse(gf_buf_slice(&text), "the lock", &doc, err)) return -1;
    snprintf(k->seal, sizeof k->seal, "%s", gf_json_cstr(gf_json_get(gf_json_root(doc), "seal")));
    add_text(k, BND_FRONT, "gpuferry.lock", &text);
    return 0;
}

static int add_front(struct making *k, struct gf_err *err)
{
    if (add_lock(k, err)) return -1;
    for (size_t i = 0; i < bnd_nscripts; i++) {
        struct bnd_script s = bnd_script_at(i);
        bnd_layout_text(&k->layout, BND_FRONT, s.path, s.mode, s.text);
    }
    GF_BUF_SCOPE struct gf_buf text;
    gf_buf_init(&text, GF_CAP_OUTPUT);
    if (bnd_serves_several(k->lock)) {
        if (bnd_add_targets(k->lock, &k->layout, &k->seals, err)) return -1;
        bnd_write_target_list(k->lock, k->seal, k->seals, &text);
        add_text(k, BND_FRONT, "lib/facts.sh", &text);
        return 0;
    }
    bnd_write_requirements(k->lock, "", &text);
    add_text(k, BND_FRONT, "requirements.txt", &text);
    gf_buf_clear(&text);
    bnd_write_pylock(k->lock, "", &text);
    add_text(k, BND_FRONT, "pylock.toml", &text);
    gf_buf_clear(&text);
    bnd_write_facts(k->lock, &k->items, k->seal, &text);
    add_text(k, BND_FRONT, "lib/facts.sh", &text);
    return 0;
}

static void add_payload(struct making *k)
{
    for (size_t i = 0; i < k->items.list.n; i++) {
        const struct bnd_item *it = &k->items.list.v[i];
        GF_FREE char *path = gf_xasprintf("%s/%s", it->folder, it->file);
        bnd_layout_payload(&k->layout, path, (uint64_t)*it->size, *it->sha256, it->url);
    }
}

/* SBOM, manifest, sums and signature: each covers what stands before it. */
static int add_tail(struct making *k, struct gf_err *err)
{
    GF_BUF_SCOPE struct gf_buf text;
    gf_buf_init(&text, GF_CAP_OUTPUT);
    bnd_read_licences(&k->items, &k->layout, k->part.fd, &k->lock->mem);
    bnd_write_sbom(k->lock, &k->items, k->seal, k->layout.mtime, &text);
    add_text(k, BND_TAIL, "sbom.cdx.json", &text);
    gf_buf_clear(&text);
    bnd_write_manifest(&k->layout, k->lock, k->seal, k->seals, &text);
    add_text(k, BND_TAIL, "bundle.json", &text);
    gf_buf_clear(&text);
    bnd_write_sums(&k->layout, &text);
    add_text(k, BND_TAIL, "SHA256SUMS", &text);
    if (k->o->sign_key) {
        GF_BUF_SCOPE struct gf_buf signature;
        gf_buf_init(&signature, 4096);
        char comment[128];
        snprintf(comment, sizeof comment, "timestamp:%lld\tfile:SHA256SUMS\tseal:%.16s\thashed", (long long)k->layout.mtime, k->seal);
        if (bnd_sign(k->o->sign_key, k->o->sign_password, gf_buf_slice(&text), comment, &signature, err)) return -1;
        add_text(k, BND_TAIL, "SHA256SUMS.minisig", &signature);
    }
    return bnd_layout_place(&k->layout, err);
}

/* Header, content when it is made here, and the zeros up to the next block. */
static int write_member(const struct making *k, const struct bnd_member *m, struct gf_err *err)
{
    unsigned char block[BND_TAR_HEADER_MAX];
    static const unsigned char zeros[BND_TAR_BLOCK];
    size_t n = bnd_layout_header(&k->layout, m, block), padding = (size_t)(bnd_tar_padded(m->size) - m->size);
    if (bnd_part_write(&k->part, block, n, m->header, err)) return -1;
    if (m->bytes && bnd_part_write(&k->part, m->bytes, (size_t)m->size, m->data, err)) return -1;
    return padding ? bnd_part_write(&k->part, zeros, padding, m->data + m->size, err) : 0;
}

static int write_members(const struct making *k, size_t from, struct gf_err *err)
{
    for (size_t i = from; i < k->layout.placed; i++)
        if (write_member(k, &k->layout.m.v[i], err)) return -1;
    return 0;
}

static int write_end(const struct making *k, struct gf_err *err)
{
    static const unsigned char zeros[2 * BND_TAR_BLOCK];
    return bnd_part_write(&k->part, zeros, sizeof zeros, k->layout.end, err);
}

static int fill(struct making *k, struct net_client *net, struct bnd_result *counts, struct gf_err *err)
{
    enum { TAIL_ROOM = 4 << 20 };
    if (bnd_part_room(&k->part, bnd_layout_file_size(&k->layout) + TAIL_ROOM, err)) return -1;
    if (write_members(k, 0, err) || bnd_download(&k->layout, &k->part, k->o, net, counts, err)) return -1;
    size_t from = k->layout.placed;
    if (add_tail(k, err) || write_members(k, from, err) || write_end(k, err)) return -1;
    counts->bytes = bnd_layout_file_size(&k->layout);
    counts->files = k->layout.m.n;
    return bnd_part_finish(&k->part, counts->bytes, err);
}

static int check_lock(const struct mdl_lock *lock, struct gf_err *err)
{
    if (lock->npython + lock->nos + lock->nfiles == 0) return gf_fail(err, GF_E_USAGE, "the lock names no files, there is nothing to bundle");
    return 0;
}

static bool key_can_sign(const struct bnd_options *o, struct gf_err *err)
{
    if (!o->sign_key) return true;
    GF_BUF_SCOPE struct gf_buf trial;
    gf_buf_init(&trial, 4096);
    return bnd_sign(o->sign_key, o->sign_password, GF_S("a key that cannot sign is better found before the download"), "", &trial, err) == 0;
}

static void drop_store(const struct bnd_options *o, const struct bnd_layout *l)
{
    if (o->cache_dir) return;
    for (size_t i = 0; i < l->m.n; i++) {
        GF_FREE char *path = bnd_stored(o, l->m.v[i].sha256);
        unlink(path);
        *strrchr(path, '/') = '\0';
        rmdir(path);
    }
    GF_FREE char *folder = gf_xasprintf("%s.part.files", o->out);
    rmdir(folder);
}

int bnd_make(struct mdl_lock *lock, const struct bnd_options *o, struct net_client *net, struct bnd_result *ret, struct gf_err *err)
{
    struct making k = { .lock = lock, .o = o, .part = { .fd = -1 } };
    struct bnd_result counts = { 0 };
    if (check_lock(lock, err) || !key_can_sign(o, err) || bnd_items_of(lock, &k.items, err)) return -1;
    bnd_layout_init(&k.layout, o->mtime >= 0 ? o->mtime : bnd_time_of(lock));
    int rc = bnd_complete(&k.items, o, net, &lock->mem, err);
    if (!rc) bnd_items_completed(lock);
    if (!rc) rc = add_front(&k, err);
    if (!rc) {
        add_payload(&k);
        rc = bnd_layout_place(&k.layout, err);
    }
    if (!rc) rc = bnd_part_open(&k.part, o->out, &k.layout, err);
    if (!rc) {
        rc = fill(&k, net, &counts, err);
        if (!rc) drop_store(o, &k.layout);
        bnd_part_close(&k.part);
    }
    bnd_layout_release(&k.layout);
    bnd_items_release(&k.items);
    if (!rc) *ret = counts;
    return rc;
}

uint64_t bnd_size_estimate(const struct mdl_lock *lock)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < lock->npython; i++) sum += lock->python[i].size > 0 ? (uint64_t)lock->python[i].size : 0;
    for (size_t i = 0; i < lock->nbuild; i++) sum += lock->build[i].size > 0 ? (uint64_t)lock->build[i].size : 0;
    for (size_t i = 0; i < lock->nos; i++) sum += lock->os[i].size > 0 ? (uint64_t)lock->os[i].size : 0;
    for (size_t i = 0; i < lock->nfiles; i++) sum += lock->files[i].size > 0 ? (uint64_t)lock->files[i].size : 0;
    return sum;
}
