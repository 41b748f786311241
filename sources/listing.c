/* find-links: a folder on this machine, or one flat page, read once and then asked for names. */
#include "base/file.h"
#include "fetch/url.h"
#include "sources/set_private.h"
#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

struct src_listing {
    struct src_set *set;
    uint16_t source;
    bool asked, ready;
    struct gf_buf flat;
    struct net_entry kept;     /* from the cache */
    const struct src_file *files;
    uint32_t nfiles;
    enum src_step outcome; /* SRC_STEP_HAVE, _ABSENT (no such place), _UNREACHABLE, _FAILED */
    struct gf_err err;
    GF_VEC(struct src_ask *) waiting;
};

struct src_listing *src_listing_new(struct src_set *s, uint16_t source)
{
    struct src_listing *l = gf_xcalloc(1, sizeof *l);
    l->set = s;
    l->source = source;
    gf_buf_init(&l->flat, GF_CAP_PAGE);
    return l;
}

void src_listing_free(struct src_listing *l)
{
    if (!l) return;
    gf_buf_release(&l->flat);
    net_entry_release(&l->kept);
    gf_vec_free(&l->waiting);
    free(l);
}

int src_page_read_folder(const char *path, struct src_page_builder *b, struct gf_err *err)
{
    DIR *d = opendir(path);
    if (!d) return gf_fail(err, GF_E_IO, "the folder '%s' cannot be read", path);
    GF_FREE char *real = realpath(path, NULL);
    for (struct dirent *e; (e = readdir(d));) {
        GF_FREE char *full = gf_xasprintf("%s/%s", real ? real : path, e->d_name);
        struct stat st;
        if (e->d_name[0] == '.' || stat(full, &st) != 0 || !S_ISREG(st.st_mode)) continue;
        GF_FREE char *url = net_url_of_path(full);
        struct src_row row = { .filename = gf_slice_of(e->d_name), .url = gf_slice_of(url), .size = (int64_t)st.st_size, .uploaded = -1 };
        src_page_add(b, &row);
    }
    closedir(d);
    return 0;
}

/* Gives an ask the rows of its name. */
static void answer(struct src_listing *l, struct src_ask *ask)
{
    ask->step = l->outcome;
    ask->err = l->err;
    if (l->outcome != SRC_STEP_HAVE) return;
    struct src_file *mine = gf_arena_alloc(&l->set->mem, l->nfiles * sizeof *mine + 1);
    for (uint32_t i = 0; i < l->nfiles; i++)
        if (src_file_name_is(gf_slice_of(l->files[i].filename), gf_slice_of(ask->item->name))) mine[ask->nfiles++] = l->files[i];
    ask->files = mine;
    if (!ask->nfiles) ask->step = SRC_STEP_ABSENT;
}

static void fail(struct src_listing *l, const struct gf_err *err)
{
    const struct src_source *src = &l->set->sources[l->source];
    l->err = *err;
    if (src->index.vendor) {
        l->outcome = SRC_STEP_UNREACHABLE;
        src_source_down(l->set, l->source, err->text, false);
    } else {
        l->outcome = SRC_STEP_FAILED;
        gf_wrap(&l->err, "source '%s'", src->index.id);
    }
}

static void finish(struct src_listing *l, struct src_page_builder *b)
{
    src_page_build(b, &l->flat);
    l->outcome = SRC_STEP_HAVE;
    if (gf_buf_failed(&l->flat) || !src_page_open(gf_buf_slice(&l->flat), &l->set->mem, l->source, &l->files, &l->nfiles)) {
        struct gf_err err = GF_ERR_INIT;
        gf_fail(&err, GF_E_LIMIT, "'%s' lists too many files", l->set->sources[l->source].index.url);
        fail(l, &err);
    }
}

static void read_text(struct src_listing *l, gf_slice text, const char *content_type, const char *url)
{
    struct gf_err err = GF_ERR_INIT;
    struct src_page_builder *b = src_page_builder_new();
    if (src_page_read(text, content_type, url, url, b, &err)) fail(l, &err);
    else finish(l, b);
    src_page_builder_free(b);
}

static void remember(struct src_listing *l, const struct net_reply *reply)
{
    struct net_entry e = { .bytes = gf_buf_slice(&l->flat), .stored = l->set->now, .max_age = net_cache_max_age(reply->cache_control), .stays = true };
    net_cache_put(l->set->cache, "page", l->set->sources[l->source].base, &e);
}

static bool take_cached(struct src_listing *l)
{
    const struct src_set *s = l->set;
    if (!net_cache_get(s->cache, "page", s->sources[l->source].base, &l->kept)) return false;
    bool usable = s->cfg.offline || (!s->cfg.refresh && net_entry_fresh(&l->kept, s->now));
    if (!usable || !src_page_open(l->kept.bytes, &l->set->mem, l->source, &l->files, &l->nfiles)) return false;
    l->outcome = SRC_STEP_HAVE;
    return l->ready = true;
}

static void on_listing(void *arg, const struct net_reply *reply, const struct gf_err *err)
{
    struct src_listing *l = arg;
    l->ready = true;
    if (err->code != GF_OK) fail(l, err);
    else read_text(l, reply->body, reply->content_type, reply->final_url);
    if (l->outcome == SRC_STEP_HAVE) remember(l, reply);
    for (size_t i = 0; i < l->waiting.n; i++) {
        if (l->waiting.v[i]->step != SRC_STEP_WAITING) continue;
        answer(l, l->waiting.v[i]);
        src_ask_done(l->waiting.v[i]);
    }
}

/* pip passes over a find-links place that is not there, and so is done here. */
static void read_path(struct src_listing *l, const char *path)
{
    struct gf_err err = GF_ERR_INIT;
    struct stat st;
    l->ready = true;
    l->outcome = SRC_STEP_ABSENT;
    if (stat(path, &st) != 0) {
        gf_note(l->set->cfg.log, 1, "find-links '%s' does not exist and is passed over", path);
    } else if (S_ISDIR(st.st_mode)) {
        struct src_page_builder *b = src_page_builder_new();
        if (src_page_read_folder(path, b, &err)) fail(l, &err);
        else finish(l, b);
        src_page_builder_free(b);
    } else {
        struct gf_buf text;
        if (gf_file_read(path, GF_CAP_PAGE, &text, &err)) {
            fail(l, &err);
            return;
        }
        read_text(l, gf_buf_slice(&text), NULL, l->set->sources[l->source].base);
        gf_buf_release(&text);
    }
}

void src_listing_ask(struct src_listing *l, struct src_ask *ask)
{
    const struct src_source *src = &l->set->sources[l->source];
    GF_FREE char *path = net_url_file_path(src->base);
    if (path && !l->ready) read_path(l, path);
    if (l->ready || (!l->asked && take_cached(l))) {
        answer(l, ask);
        return;
    }
    gf_vec_push(&l->waiting, ask);
    if (l->asked) return;
    l->asked = true;
    struct net_request r = { .url = src->base, .accept = SRC_ACCEPT, .done = on_listing, .arg = l, .priority = 1 };
    if (src->index.vendor) {
        r.connect_timeout_ms = SRC_VENDOR_CONNECT_MS;
        r.max_tries = 1;
    }
    net_submit(l->set->net, &r);
}
