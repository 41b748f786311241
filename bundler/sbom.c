/* CycloneDX 1.6 from the lock and the wheels' own words on their licence: what is in the bundle, with digest, origin and who needs whom. */
#include "base/json.h"
#include "base/map.h"
#include "base/vec.h"
#include "bundler/bundle.h"
#include "bundler/texts.h"
#include <time.h>

/* purl: names and versions hold letters, digits and ._- as they are, all else in hex. */
static void purl_part(struct gf_buf *out, const char *text)
{
    for (; *text; text++) {
        if (gf_is_alnum((unsigned char)*text) || strchr("._-~", *text)) gf_buf_addc(out, *text);
        else gf_buf_addf(out, "%%%02X", (unsigned)(unsigned char)*text);
    }
}

/* by_file: other files of the same name and version stand beside it. */
static char *purl_of(const struct bnd_item *it, bool by_file)
{
    struct gf_buf out;
    gf_buf_init(&out, 4 * GF_CAP_PATH);
    gf_slice file = gf_slice_of(it->file);
    bool python = strcmp(it->folder, "python") == 0;
    gf_buf_adds(&out, python ? "pkg:pypi/" : gf_slice_ends(file, GF_S(".deb")) ? "pkg:deb/" : gf_slice_ends(file, GF_S(".rpm")) ? "pkg:rpm/" : "pkg:generic/");
    purl_part(&out, it->name);
    gf_buf_addc(&out, '@');
    purl_part(&out, it->version);
    if (!python || by_file) {
        gf_buf_adds(&out, "?file_name=");
        purl_part(&out, it->file);
    }
    return gf_buf_steal(&out);
}

static void write_hash(struct gf_jw *w, const char *sha256)
{
    gf_jw_key(w, "hashes");
    gf_jw_arr(w);
    gf_jw_obj(w);
    gf_jw_kstr(w, "alg", "SHA-256");
    gf_jw_kstr(w, "content", sha256);
    gf_jw_end_obj(w);
    gf_jw_end_arr(w);
}

static void write_licence(struct gf_jw *w, const char *licence)
{
    if (!licence) return;
    gf_jw_key(w, "licenses");
    gf_jw_arr(w);
    gf_jw_obj(w);
    gf_jw_key(w, "license");
    gf_jw_obj(w);
    gf_jw_kstr(w, "name", licence);
    gf_jw_end_obj(w);
    gf_jw_end_obj(w);
    gf_jw_end_arr(w);
}

static void write_property(struct gf_jw *w, const char *name, const char *value)
{
    gf_jw_obj(w);
    gf_jw_kstr(w, "name", name);
    gf_jw_kstr(w, "value", value);
    gf_jw_end_obj(w);
}

static void write_component(struct gf_jw *w, const struct bnd_item *it, bool by_file)
{
    GF_FREE char *purl = purl_of(it, by_file);
    GF_FREE char *url = net_url_without_credentials(it->url);
    gf_jw_obj(w);
    gf_jw_kstr(w, "type", "library");
    gf_jw_kstr(w, "bom-ref", purl);
    gf_jw_kstr(w, "name", it->name);
    gf_jw_kstr(w, "version", it->version);
    gf_jw_kstr(w, "scope", it->installer ? "excluded" : "required");
    write_hash(w, *it->sha256);
    write_licence(w, it->licence);
    gf_jw_kstr(w, "purl", purl);
    gf_jw_key(w, "externalReferences");
    gf_jw_arr(w);
    gf_jw_obj(w);
    gf_jw_kstr(w, "type", "distribution");
    gf_jw_kstr(w, "url", url);
    gf_jw_end_obj(w);
    gf_jw_end_arr(w);
    gf_jw_key(w, "properties");
    gf_jw_arr(w);
    GF_FREE char *path = gf_xasprintf("%s/%s", it->folder, it->file);
    write_property(w, "gpuferry:path", path);
    if (it->label) write_property(w, "gpuferry:wheel-variant", it->label);
    for (size_t i = 0; i < it->targets.n; i++) write_property(w, "gpuferry:target", it->targets.v[i]);
    gf_jw_end_arr(w);
    gf_jw_end_obj(w);
}

static void write_metadata(struct gf_jw *w, const struct mdl_lock *lock, int64_t when)
{
    char stamp[32];
    time_t t = (time_t)when;
    struct tm tm;
    gmtime_r(&t, &tm);
    strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", &tm);
    gf_jw_key(w, "metadata");
    gf_jw_obj(w);
    gf_jw_kstr(w, "timestamp", stamp);
    gf_jw_key(w, "tools");
    gf_jw_obj(w);
    gf_jw_key(w, "components");
    gf_jw_arr(w);
    gf_jw_obj(w);
    gf_jw_kstr(w, "type", "application");
    gf_jw_kstr(w, "name", "gpuferry");
    gf_jw_kstr(w, "version", lock->tool_version);
    gf_jw_end_obj(w);
    gf_jw_end_arr(w);
    gf_jw_end_obj(w);
    gf_jw_key(w, "component");
    gf_jw_obj(w);
    gf_jw_kstr(w, "type", "application");
    gf_jw_kstr(w, "bom-ref", "bundle");
    gf_jw_kstr(w, "name", lock->nstack ? lock->stack[0].name : "bundle");
    gf_jw_kstr_opt(w, "version", lock->nstack ? lock->stack[0].version : NULL);
    gf_jw_end_obj(w);
    gf_jw_end_obj(w);
}

/* Who needs whom: an edge is a number of an item; those of several targets are laid together. */
struct edges { GF_VEC(size_t) to; };

static void add_edge(struct edges *e, size_t to)
{
    for (size_t i = 0; i < e->to.n; i++)
        if (e->to.v[i] == to) return;
    gf_vec_push(&e->to, to);
}

/* The edges of a lock for one target. files: the bundle's items, by file name. */
static void collect_edges(const struct mdl_lock *lock, const struct gf_names *files, struct edges *edges)
{
    struct gf_names names;
    gf_names_init(&names);
    size_t *item = gf_xcalloc(lock->npython + 1, sizeof *item);
    for (size_t i = 0; i < lock->npython; i++) {
        uint32_t id = gf_names_add(&names, gf_slice_of(lock->python[i].name), NULL);
        item[id] = gf_names_find(files, gf_slice_of(lock->python[i].file));
    }
    for (size_t i = 0; i < lock->npython; i++) {
        const struct mdl_strings *needs = &lock->python[i].requires;
        for (size_t k = 0; k < needs->n; k++) {
            gf_slice name = gf_slice_of(needs->v[k]);
            ptrdiff_t at = gf_slice_find(name, GF_S("=="));
            if (at >= 0) name.n = (size_t)at;
            uint32_t id = gf_names_find(&names, name);
            if (id != GF_NO_ID) add_edge(&edges[gf_names_find(files, gf_slice_of(lock->python[i].file))], item[id]);
        }
    }
    free(item);
    gf_names_release(&names);
}

static void collect_all(const struct mdl_lock *lock, const struct gf_names *files, struct edges *edges)
{
    for (size_t i = 0; i < lock->ntargets && bnd_serves_several(lock); i++) {
        struct mdl_lock *view = NULL;
        if (mdl_lock_view(lock, lock->targets[i]->label, &view, NULL) == 0) collect_edges(view, files, edges);
        mdl_lock_free(view);
    }
    if (!bnd_serves_several(lock)) collect_edges(lock, files, edges);
}

/* Python's items come first, in the order of the lock's rows. */
static void write_dependencies(struct gf_jw *w, const struct mdl_lock *lock, const struct bnd_items *items)
{
    struct gf_names files;
    gf_names_init(&files);
    for (size_t i = 0; i < lock->npython; i++) gf_names_add(&files, gf_slice_of(lock->python[i].file), NULL);
    struct edges *edges = gf_xcalloc(lock->npython + 1, sizeof *edges);
    collect_all(lock, &files, edges);
    bool by_file = bnd_serves_several(lock);
    gf_jw_key(w, "dependencies");
    gf_jw_arr(w);
    for (size_t i = 0; i < lock->npython; i++) {
        GF_FREE char *ref = purl_of(&items->list.v[i], by_file);
        gf_jw_obj(w);
        gf_jw_kstr(w, "ref", ref);
        gf_jw_key(w, "dependsOn");
        gf_jw_arr(w);
        for (size_t k = 0; k < edges[i].to.n; k++) {
            GF_FREE char *to = purl_of(&items->list.v[edges[i].to.v[k]], by_file);
            gf_jw_cstr(w, to);
        }
        gf_jw_end_arr(w);
        gf_jw_end_obj(w);
        gf_vec_free(&edges[i].to);
    }
    gf_jw_end_arr(w);
    free(edges);
    gf_names_release(&files);
}

void bnd_write_sbom(const struct mdl_lock *lock, const struct bnd_items *items, const char *seal, int64_t when, struct gf_buf *out)
{
    struct gf_jw w;
    gf_jw_init(&w, out, false);
    gf_jw_obj(&w);
    gf_jw_kstr(&w, "bomFormat", "CycloneDX");
    gf_jw_kstr(&w, "specVersion", "1.6");
    /* a name-based UUID (RFC 9562, version 8) of the lock's seal */
    GF_FREE char *serial = gf_xasprintf("urn:uuid:%.8s-%.4s-8%.3s-8%.3s-%.12s", seal, seal + 8, seal + 12, seal + 15, seal + 18);
    gf_jw_kstr(&w, "serialNumber", serial);
    gf_jw_kint(&w, "version", 1);
    write_metadata(&w, lock, when);
    gf_jw_key(&w, "components");
    gf_jw_arr(&w);
    for (size_t i = 0; i < items->list.n; i++) write_component(&w, &items->list.v[i], bnd_serves_several(lock));
    gf_jw_end_arr(&w);
    write_dependencies(&w, lock, items);
    gf_jw_end_obj(&w);
}
