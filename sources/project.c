/* One project over all its sources. Folders and flat pages, routed sources and the chain of the others are asked; within the chain a source is asked only when all before it
 * have answered that they do not have the name, so that no index learns names that another one serves. */
#include "base/digest.h"
#include "base/file.h"
#include "fetch/url.h"
#include "sources/set_private.h"
#include <stdlib.h>
#include <sys/stat.h>

#define ABSENT_MARK "absent"

static bool routed(const struct src_source *src, const char *name)
{
    for (size_t i = 0; i < src->index.nroutes; i++)
        if (strcmp(src->index.routes[i], name) == 0) return true;
    return false;
}

static char *page_url(const struct src_source *src, const char *name) { return gf_xasprintf("%s%s/", src->base, name); }

/* Gives the ask its flat form; false when it is not sound. */
static bool take_flat(struct src_ask *ask, gf_slice flat)
{
    if (gf_slice_is(flat, ABSENT_MARK)) {
        ask->step = SRC_STEP_ABSENT;
        return true;
    }
    if (!src_page_open(flat, &ask->item->set->mem, ask->source, &ask->files, &ask->nfiles)) return false;
    ask->step = SRC_STEP_HAVE;
    return true;
}

static bool take_cached(struct src_ask *ask)
{
    if (take_flat(ask, ask->kept.bytes)) return true;
    net_entry_release(&ask->kept);
    return false;
}

static void keep(struct src_ask *ask, const char *url, gf_slice flat, const struct net_reply *reply)
{
    struct src_set *s = ask->item->set;
    struct net_entry e = { .bytes = flat, .stored = s->now, .max_age = net_cache_max_age(reply->cache_control), .etag = reply->etag,
                           .last_modified = reply->last_modified, .stays = true };
    net_cache_put(s->cache, "page", url, &e);
}

/* A vendor's index may fail without harm; another source that fails, fails the project. */
static void not_answered(struct src_ask *ask, const struct gf_err *why)
{
    struct src_set *s = ask->item->set;
    const struct src_source *src = &s->sources[ask->source];
    ask->err = *why;
    ask->step = src->index.vendor && why->code != GF_E_INTEGRITY ? SRC_STEP_UNREACHABLE : SRC_STEP_FAILED;
    if (ask->step == SRC_STEP_UNREACHABLE) src_source_down(s, ask->source, why->text, why->code == GF_E_NETWORK && !src->answered);
    else gf_wrap(&ask->err, "project '%s' on source '%s'", ask->item->name, src->index.id);
}

static int read_page(struct src_ask *ask, gf_slice text, const char *content_type, const char *url, struct gf_buf *flat, struct gf_err *err)
{
    struct src_page_builder *b = src_page_builder_new();
    int rc = src_page_read(text, content_type, url, url, b, err);
    if (!rc) {
        src_page_build(b, flat);
        if (gf_buf_failed(flat)) rc = gf_fail(err, GF_E_LIMIT, "'%s' lists too many files", url);
    }
    uint32_t skipped = src_page_skipped(b);
    if (skipped) gf_note(ask->item->set->cfg.log, 1, "'%s': %u files have no usable name or URL and are passed over", url, skipped);
    src_page_builder_free(b);
    return rc;
}

static void take_page(struct src_ask *ask, gf_slice text, const struct net_reply *reply, const char *cache_key)
{
    struct gf_err err = GF_ERR_INIT;
    struct gf_buf flat;
    gf_buf_init(&flat, GF_CAP_PAGE);
    if (read_page(ask, text, reply->content_type, reply->final_url, &flat, &err)) {
        gf_buf_release(&flat);
        if (err.code == GF_E_PARSE) err.code = GF_E_NETWORK; /* the source failed, not who asked */
        not_answered(ask, &err);
        return;
    }
    size_t n = flat.n;
    ask->fresh = gf_slice_n(gf_buf_steal(&flat), n);
    if (!take_flat(ask, ask->fresh)) abort(); /* our own form, made a moment ago */
    if (cache_key) keep(ask, cache_key, ask->fresh, reply);
}

static void on_page(void *arg, const struct net_reply *reply, const struct gf_err *err)
{
    struct src_ask *ask = arg;
    if (ask->step != SRC_STEP_WAITING) return; /* its source was found to be down meanwhile */
    struct src_source *src = &ask->item->set->sources[ask->source];
    GF_FREE char *url = page_url(src, ask->item->name);
    if (reply->status) src->answered = true;
    if (err->code == GF_E_NOT_FOUND) {
        ask->step = SRC_STEP_ABSENT;
        keep(ask, url, GF_S(ABSENT_MARK), reply);
    } else if (err->code != GF_OK) {
        not_answered(ask, err);
    } else if (reply->status == 304 && ask->kept.mem && take_cached(ask)) {
        struct net_reply again = *reply;
        if (!again.etag) again.etag = ask->kept.etag;
        if (!again.last_modified) again.last_modified = ask->kept.last_modified;
        keep(ask, url, ask->kept.bytes, &again);
    } else if (reply->status == 304) {
        struct gf_err odd = GF_ERR_INIT;
        gf_fail(&odd, GF_E_NETWORK, "'%s' answered 304 (not modified), but what is cached of it is damaged: run again", url);
        not_answered(ask, &odd);
    } else {
        take_page(ask, reply->body, reply, url);
    }
    src_ask_done(ask);
}

static bool may_reuse(const struct src_set *s, const struct net_entry *e)
{
    return s->cfg.offline || (!s->cfg.refresh && net_entry_fresh(e, s->now));
}

/* A page is on its way, its files will be read next: two round trips of that are the connection's. */
static void expect_files(struct src_set *s, uint16_t source)
{
    struct src_source *src = &s->sources[source];
    if (src->expected || !src->index.files_url) return;
    src->expected = true;
    net_connect(s->net, src->index.files_url);
}

static void submit(struct src_ask *ask, const char *url)
{
    struct src_set *s = ask->item->set;
    const struct src_source *src = &s->sources[ask->source];
    struct net_request r = { .url = url, .accept = SRC_ACCEPT, .done = on_page, .arg = ask, .priority = 1, .max_bytes = GF_CAP_PAGE };
    if (ask->kept.mem && !s->cfg.refresh) {
        r.if_none_match = ask->kept.etag;
        if (!r.if_none_match) r.if_modified_since = ask->kept.last_modified;
    }
    if (src->index.vendor) r.connect_timeout_ms = SRC_VENDOR_CONNECT_MS;
    if (src->index.vendor && !src->answered) r.max_tries = 1;
    ask->step = SRC_STEP_WAITING;
    net_submit(s->net, &r);
    expect_files(s, ask->source);
}

/* An index as files: NAME/index.html or NAME/index.json. */
static void read_local(struct src_ask *ask, const char *folder)
{
    static const char *const pages[] = { "index.json", "index.html" };
    GF_FREE char *url = page_url(&ask->item->set->sources[ask->source], ask->item->name);
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        GF_FREE char *path = gf_xasprintf("%s%s/%s", folder, ask->item->name, pages[i]);
        if (!gf_path_exists(path)) continue;
        struct gf_err err = GF_ERR_INIT;
        struct gf_buf text;
        if (gf_file_read(path, GF_CAP_PAGE, &text, &err)) {
            not_answered(ask, &err);
        } else {
            struct net_reply reply = { .status = 200, .final_url = url };
            take_page(ask, gf_buf_slice(&text), &reply, NULL);
            gf_buf_release(&text);
        }
        return;
    }
    ask->step = SRC_STEP_ABSENT;
}

/* The one file of a direct reference; its size is known when it lies here. */
static void take_direct(struct src_ask *ask)
{
    struct src_set *s = ask->item->set;
    gf_slice url = gf_slice_of(s->sources[ask->source].index.url), fragment, path;
    bool hashed = gf_slice_cut(&url, '#', &path);
    if (!hashed) path = url;
    fragment = hashed ? url : GF_NONE;
    ptrdiff_t slash = gf_slice_rchr(path, '/');
    struct src_file *f = GF_NEW(&s->mem, struct src_file);
    *f = (struct src_file){ .url = gf_arena_str(&s->mem, path), .filename = gf_arena_str(&s->mem, gf_slice_from(path, (size_t)(slash + 1))), .size = -1, .uploaded = -1,
                            .source = ask->source };
    if (gf_try_lit(&fragment, GF_S("sha256=")) && gf_is_sha256_hex(fragment)) f->sha256 = gf_arena_str(&s->mem, fragment);
    GF_FREE char *local = net_url_file_path(f->url);
    struct stat st;
    if (local && stat(local, &st) == 0) f->size = st.st_size;
    ask->files = f;
    ask->nfiles = 1;
    ask->step = SRC_STEP_HAVE;
}

static void start_ask(struct src_ask *ask)
{
    struct src_set *s = ask->item->set;
    struct src_source *src = &s->sources[ask->source];
    if (src->use == SRC_USE_NOT_ASKED) src->use = src->down ? SRC_USE_UNREACHABLE : SRC_USE_USED;
    if (src->index.kind == SRC_DIRECT) {
        take_direct(ask);
        return;
    }
    if (src->listing) {
        ask->step = SRC_STEP_WAITING;
        src_listing_ask(src->listing, ask);
        return;
    }
    GF_FREE char *folder = net_url_file_path(src->base);
    if (folder) {
        read_local(ask, folder);
        return;
    }
    GF_FREE char *url = page_url(src, ask->item->name);
    if (net_cache_get(s->cache, "page", url, &ask->kept) && may_reuse(s, &ask->kept) && take_cached(ask)) return;
    if (src->down) ask->step = SRC_STEP_UNREACHABLE;
    else submit(ask, url);
}

static struct src_ask *ask_source(struct src_project_item *p, uint16_t source)
{
    if (!p->asks[source]) {
        p->asks[source] = GF_NEW(&p->set->mem, struct src_ask);
        p->asks[source]->item = p;
        p->asks[source]->source = source;
        start_ask(p->asks[source]);
    }
    return p->asks[source];
}

/* Asks what there is to ask now; true when nothing is waited for any more. */
static bool ask_all(struct src_project_item *p)
{
    bool settled = true, chain = true, direct = false;
    for (uint16_t i = 0; i < p->set->cfg.nindexes; i++) direct |= p->set->sources[i].index.kind == SRC_DIRECT && routed(&p->set->sources[i], p->name);
    for (uint16_t i = 0; i < p->set->cfg.nindexes; i++) {
        const struct src_source *src = &p->set->sources[i];
        bool mine = routed(src, p->name);
        if (direct && !(mine && src->index.kind == SRC_DIRECT)) continue;
        if (src->index.nroutes ? !mine : !chain) continue;
        struct src_ask *ask = ask_source(p, i);
        if (ask->step == SRC_STEP_WAITING) settled = false;
        if (!src->index.nroutes && src->index.kind != SRC_FIND_LINKS) chain = ask->step == SRC_STEP_ABSENT || ask->step == SRC_STEP_UNREACHABLE;
    }
    return settled;
}

/* What says which wheels there are may be written again at any time; the wheels themselves are judged. */
static bool too_new(const struct src_set *s, const struct src_file *f)
{
    if (src_is_variants_file(gf_slice_of(f->filename))) return false;
    return s->cfg.exclude_newer != INT64_MAX && (f->uploaded < 0 || f->uploaded > s->cfg.exclude_newer);
}

/* The files of all sources; where one alone has them and all may stay, they need not be copied. */
static void merge_files(struct src_project_item *p)
{
    struct src_set *s = p->set;
    size_t n = 0, having = 0;
    const struct src_ask *one = NULL;
    for (size_t i = 0; i < s->cfg.nindexes; i++) {
        if (!p->asks[i] || !p->asks[i]->nfiles) continue;
        one = p->asks[i];
        n += one->nfiles;
        having++;
    }
    if (having == 1 && s->cfg.exclude_newer == INT64_MAX) {
        p->out.files = one->files;
        p->out.nfiles = one->nfiles;
        return;
    }
    struct src_file *files = gf_arena_alloc(&s->mem, n * sizeof *files + 1);
    for (size_t i = 0; i < s->cfg.nindexes; i++)
        for (uint32_t k = 0; p->asks[i] && k < p->asks[i]->nfiles; k++)
            if (!too_new(s, &p->asks[i]->files[k])) files[p->out.nfiles++] = p->asks[i]->files[k];
    p->out.files = files;
}

static void note_unreachable(struct src_project_item *p)
{
    struct src_set *s = p->set;
    for (size_t i = 0; i < s->cfg.nindexes; i++) {
        if (!p->asks[i] || p->asks[i]->step != SRC_STEP_UNREACHABLE) continue;
        const char *id = s->sources[i].index.id, *before = p->out.unreachable;
        p->out.unreachable = before ? gf_arena_printf(&s->mem, "%s,%s", before, id) : id;
    }
}

static void conclude(struct src_project_item *p)
{
    p->state = SRC_ABSENT;
    p->out.name = p->name;
    for (size_t i = 0; i < p->set->cfg.nindexes; i++) {
        const struct src_ask *ask = p->asks[i];
        if (ask && ask->step == SRC_STEP_HAVE) p->state = SRC_READY;
        if (ask && ask->step == SRC_STEP_FAILED) {
            p->state = SRC_FAILED;
            p->err = ask->err;
            return;
        }
    }
    note_unreachable(p);
    if (p->state == SRC_READY) merge_files(p);
}

static void advance(struct src_project_item *p)
{
    if (p->state != SRC_WAITING || !ask_all(p)) return;
    conclude(p);
    src_answered(p->set);
}

/* Whoever else waits for a source that is down goes on without it. */
static void release_waiting(struct src_project_item *p)
{
    bool changed = false;
    for (size_t i = 0; i < p->set->cfg.nindexes; i++) {
        struct src_ask *ask = p->asks[i];
        if (!ask || ask->step != SRC_STEP_WAITING || !p->set->sources[i].down) continue;
        ask->step = SRC_STEP_UNREACHABLE;
        changed = true;
    }
    if (changed) advance(p);
}

void src_ask_done(struct src_ask *ask)
{
    struct src_set *s = ask->item->set;
    bool down = s->sources[ask->source].down;
    if (down) release_waiting(ask->item);
    advance(ask->item);
    for (size_t i = 0; down && i < s->projects.n; i++) release_waiting(s->projects.v[i]);
}

struct src_project_item *src_project_item(struct src_set *s, const char *name)
{
    bool fresh = false;
    uint32_t id = gf_names_add(&s->names, gf_slice_of(name), &fresh);
    if (!fresh) return s->projects.v[id];
    struct src_project_item *p = GF_NEW(&s->mem, struct src_project_item);
    p->set = s;
    p->name = gf_arena_strz(&s->mem, name);
    p->state = SRC_WAITING;
    p->asks = GF_NEW_ARRAY(&s->mem, struct src_ask *, s->cfg.nindexes + 1);
    gf_vec_push(&s->projects, p);
    src_begin(s);
    advance(p);
    return p;
}

void src_project_item_free(struct src_project_item *p)
{
    for (size_t i = 0; i < p->set->cfg.nindexes; i++) {
        if (!p->asks[i]) continue;
        net_entry_release(&p->asks[i]->kept);
        free((void *)(uintptr_t)p->asks[i]->fresh.p);
    }
}
