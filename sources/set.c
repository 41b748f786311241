/* The set: its configuration, and the calls that others use. */
#include "fetch/url.h"
#include "sources/set_private.h"
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const char *const *copy_texts(struct gf_arena *a, const char *const *v, size_t n)
{
    const char **copy = GF_NEW_ARRAY(a, const char *, n + 1);
    for (size_t i = 0; i < n; i++) copy[i] = gf_arena_strz(a, v[i]);
    return copy;
}

/* A URL as it is; a folder as a file URL. */
static char *as_url(const char *given)
{
    struct net_url u;
    if (net_url_split(gf_slice_of(given), &u) && gf_slice_has(gf_slice_of(given), GF_S("://"))) return net_url_without_credentials(given);
    GF_FREE char *here = *given == '/' ? NULL : getcwd(NULL, 0);
    GF_FREE char *path = here ? gf_xasprintf("%s/%s", here, given) : gf_xstrdup(given);
    return net_url_of_path(path);
}

static int add_source(struct src_set *s, uint16_t i, const struct src_index *given, struct gf_err *err)
{
    struct src_source *src = &s->sources[i];
    struct gf_arena *a = &s->mem;
    GF_FREE char *url = as_url(given->url);
    struct net_url parts;
    if (!url || !net_url_split(gf_slice_of(url), &parts) ||
        !(gf_slice_ieq(parts.scheme, GF_S("http")) || gf_slice_ieq(parts.scheme, GF_S("https")) || gf_slice_ieq(parts.scheme, GF_S("file")))) {
        GF_FREE char *shown = net_url_without_credentials(given->url);
        return gf_fail(err, GF_E_USAGE, "source '%s': '%s' is neither an http(s) or file URL nor a folder", given->id, shown);
    }
    src->index = (struct src_index){ gf_arena_strz(a, given->id), given->kind, gf_arena_strz(a, url), gf_arena_strz(a, given->variant),
                                     given->nroutes ? copy_texts(a, given->routes, given->nroutes) : NULL, given->nroutes, given->vendor,
                                     gf_arena_strz(a, given->files_url) };
    bool slash = url[strlen(url) - 1] == '/';
    src->base = given->kind == SRC_SIMPLE && !slash ? gf_arena_printf(a, "%s/", url) : gf_arena_strz(a, url);
    net_client_add_credentials(s->net, given->url);
    if (given->kind == SRC_FIND_LINKS) src->listing = src_listing_new(s, i);
    return 0;
}

int src_set_new(const struct src_config *cfg, struct net_client *net, struct src_set **ret, struct gf_err *err)
{
    if (cfg->nindexes > UINT16_MAX) return gf_fail(err, GF_E_USAGE, "%zu sources are given, %d is the most", cfg->nindexes, UINT16_MAX);
    struct src_set *s = gf_xcalloc(1, sizeof *s);
    gf_arena_init(&s->mem);
    gf_names_init(&s->names);
    gf_names_init(&s->files);
    gf_names_init(&s->variant_files);
    s->cfg = *cfg;
    s->cfg.indexes = NULL;
    s->net = net;
    s->now = (int64_t)time(NULL);
    s->cache = net_cache_open(cfg->cache_dir, cfg->log);
    net_client_counts(net, &s->requests0, &s->bytes0);
    s->sources = GF_NEW_ARRAY(&s->mem, struct src_source, cfg->nindexes + 1);
    for (size_t i = 0; i < cfg->nindexes; i++)
        if (add_source(s, (uint16_t)i, &cfg->indexes[i], err)) {
            src_set_free(s);
            return -1;
        }
    *ret = s;
    return 0;
}

void src_set_free(struct src_set *s)
{
    if (!s) return;
    net_cache_close(s->cache); /* writes pages that are still here */
    for (size_t i = 0; i < s->projects.n; i++) src_project_item_free(s->projects.v[i]);
    for (size_t i = 0; i < s->metas.n; i++) src_meta_free(s->metas.v[i]);
    for (size_t i = 0; i < s->cfg.nindexes; i++) src_listing_free(s->sources[i].listing);
    gf_vec_free(&s->projects);
    gf_vec_free(&s->metas);
    gf_vec_free(&s->variants);
    gf_names_release(&s->names);
    gf_names_release(&s->files);
    gf_names_release(&s->variant_files);
    gf_arena_release(&s->mem);
    free(s);
}

void src_want_project(struct src_set *s, const char *name) { src_project_item(s, name); }

enum src_state src_project(struct src_set *s, const char *name, const struct src_project **ret, struct gf_err *err)
{
    uint32_t id = gf_names_find(&s->names, gf_slice_of(name));
    if (id == GF_NO_ID) return SRC_NOT_ASKED;
    struct src_project_item *p = s->projects.v[id];
    if (p->state == SRC_FAILED) gf_fail(err, p->err.code, "%s", p->err.text);
    else if (p->state != SRC_WAITING && ret) *ret = &p->out;
    return p->state;
}

void src_want_metadata(struct src_set *s, const struct src_file *f) { src_meta_want(s, f); }

enum src_state src_metadata(struct src_set *s, const struct src_file *f, const struct py_metadata **ret, struct gf_err *err)
{
    const struct src_meta *m = src_meta_find(s, f);
    return m ? src_meta_state(m, ret, err) : SRC_NOT_ASKED;
}

size_t src_pending(const struct src_set *s) { return s->pending; }

int src_wait(struct src_set *s, struct gf_err *err)
{
    for (uint64_t before = s->answers; s->pending && s->answers == before;) {
        if (net_step(s->net, 0, err)) return -1;
        if (s->answers != before || net_cache_write_one(s->cache)) continue; /* the time until the next answer comes is used */
        if (net_step(s->net, 1000, err)) return -1;
    }
    return 0;
}

void src_source_down(struct src_set *s, uint16_t source, const char *why, bool host)
{
    if (s->sources[source].down) return;
    why = gf_arena_strz(&s->mem, why);
    gf_note(s->cfg.log, 1, "source '%s' is not considered: %s", s->sources[source].index.id, why);
    for (size_t i = 0; i < s->cfg.nindexes; i++) {
        struct src_source *src = &s->sources[i];
        if (src->down || (i != source && !(host && src->index.vendor && net_url_same_origin(src->base, s->sources[source].base)))) continue;
        src->down = true;
        src->why = why;
        if (src->use == SRC_USE_USED) src->use = SRC_USE_UNREACHABLE;
    }
}

const struct src_index *src_set_index(const struct src_set *s, size_t i) { return &s->sources[i].index; }
size_t src_set_count(const struct src_set *s) { return s->cfg.nindexes; }

enum src_use src_set_use(const struct src_set *s, size_t i, const char **ret_why)
{
    if (ret_why) *ret_why = s->sources[i].use == SRC_USE_UNREACHABLE ? s->sources[i].why : NULL;
    return s->sources[i].use;
}

void src_set_counts(const struct src_set *s, uint64_t *ret_requests, uint64_t *ret_bytes)
{
    net_client_counts(s->net, ret_requests, ret_bytes);
    *ret_requests -= s->requests0;
    *ret_bytes -= s->bytes0;
}
