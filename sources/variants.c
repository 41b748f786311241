/* NAME-VERSION-variants.json: fetched when asked for, checked against the page's digest and kept by it. Without a digest the file may change at any time
 * and is kept like a page, as long as its server allows. */
#include "base/digest.h"
#include "base/file.h"
#include "fetch/url.h"
#include "sources/set_private.h"

struct src_variants_item {
    struct src_set *set;
    const char *key, *filename, *url, *sha256, *source;
    enum src_state state;
    struct gf_err err;
    struct py_variants list;
};

static void conclude(struct src_variants_item *v, enum src_state state)
{
    v->state = state;
    src_answered(v->set);
}

static void fail(struct src_variants_item *v, const struct gf_err *err)
{
    v->err = *err;
    gf_wrap(&v->err, "'%s' (source '%s')", v->filename, v->source);
    conclude(v, err->code == GF_E_NOT_FOUND ? SRC_ABSENT : SRC_FAILED);
}

static int check(const struct src_variants_item *v, gf_slice text, struct gf_err *err)
{
    char hex[GF_SHA256_HEX];
    if (!v->sha256) return 0;
    gf_sha256_hex(text, hex);
    return strcmp(hex, v->sha256) == 0 ? 0 : gf_fail(err, GF_E_INTEGRITY, "it has sha256 %s, the index says %s", hex, v->sha256);
}

static bool read_text(struct src_variants_item *v, gf_slice text, struct gf_err *err)
{
    return check(v, text, err) == 0 && py_variants_parse(&v->set->mem, text, v->filename, &v->list, err) == 0;
}

static void on_answer(void *arg, const struct net_reply *reply, const struct gf_err *err)
{
    struct src_variants_item *v = arg;
    struct gf_err bad = GF_ERR_INIT;
    if (err->code != GF_OK) {
        fail(v, err);
    } else if (!read_text(v, reply->body, &bad)) {
        fail(v, &bad);
    } else {
        struct net_entry e = { .bytes = reply->body, .stored = v->set->now, .max_age = v->sha256 ? -1 : net_cache_max_age(reply->cache_control) };
        net_cache_put(v->set->cache, "variants", v->key, &e);
        conclude(v, SRC_READY);
    }
}

static bool take_cached(struct src_variants_item *v)
{
    const struct src_set *s = v->set;
    struct net_entry e;
    struct gf_err ignored = GF_ERR_INIT;
    if (!net_cache_get(s->cache, "variants", v->key, &e)) return false;
    bool may = v->sha256 || s->cfg.offline || (!s->cfg.refresh && net_entry_fresh(&e, s->now));
    bool good = may && read_text(v, e.bytes, &ignored);
    net_entry_release(&e);
    if (good) conclude(v, SRC_READY);
    return good;
}

static void read_local(struct src_variants_item *v, const char *path)
{
    struct gf_err err = GF_ERR_INIT;
    struct gf_buf text;
    if (gf_file_read(path, GF_CAP_VARIANTS, &text, &err)) {
        fail(v, &err);
        return;
    }
    if (read_text(v, gf_buf_slice(&text), &err)) conclude(v, SRC_READY);
    else fail(v, &err);
    gf_buf_release(&text);
}

static void start(struct src_variants_item *v)
{
    GF_FREE char *path = net_url_file_path(v->url);
    if (path) {
        read_local(v, path);
    } else if (!take_cached(v)) {
        struct net_request r = { .url = v->url, .max_bytes = GF_CAP_VARIANTS, .done = on_answer, .arg = v, .priority = 1 };
        net_submit(v->set->net, &r);
    }
}

static const char *key_of(struct gf_arena *a, const struct src_file *f) { return gf_arena_printf(a, "%s %s", f->sha256 ? f->sha256 : "", f->sha256 ? f->filename : f->url); }

void src_want_variants(struct src_set *s, const struct src_file *f)
{
    bool fresh = false;
    GF_ARENA_SCOPE struct gf_arena a = GF_ARENA_INIT;
    uint32_t id = gf_names_add(&s->variant_files, gf_slice_of(key_of(&a, f)), &fresh);
    if (!fresh) return;
    struct src_variants_item *v = GF_NEW(&s->mem, struct src_variants_item);
    *v = (struct src_variants_item){ .set = s, .key = gf_names_get(&s->variant_files, id).p, .filename = gf_arena_strz(&s->mem, f->filename), .url = gf_arena_strz(&s->mem, f->url),
                                     .sha256 = gf_arena_strz(&s->mem, f->sha256), .source = s->sources[f->source].index.id, .state = SRC_WAITING };
    gf_vec_push(&s->variants, v);
    src_begin(s);
    start(v);
}

enum src_state src_variants(struct src_set *s, const struct src_file *f, const struct py_variants **ret, struct gf_err *err)
{
    GF_ARENA_SCOPE struct gf_arena a = GF_ARENA_INIT;
    uint32_t id = gf_names_find(&s->variant_files, gf_slice_of(key_of(&a, f)));
    if (id == GF_NO_ID) return SRC_NOT_ASKED;
    const struct src_variants_item *v = s->variants.v[id];
    if (v->state == SRC_FAILED || v->state == SRC_ABSENT) gf_fail(err, v->err.code, "%s", v->err.text);
    if (v->state == SRC_READY && ret) *ret = &v->list;
    return v->state;
}
