/* Drives fetch/ and sources/ from test scripts.
   usage: sources_tool [OPTION…] pages NAME… | metadata NAME… | variants NAME… | get URL… | look URL… (a wheel, by ranges) | pipconf
   options: --index ID=URL, --vendor ID=URL, --route NAME (of the index before it; repeatable), --links ID=PATH-OR-URL, --cache DIR, --offline, --refresh,
   --newer-than-none SECONDS (exclude-newer), --max BYTES (get), --bulk (get), --out FILE (get), --tries N.
   One line of result for each thing asked; an error is "NAME: GF_E_… text". Exit status: that of the last error, else 0. Notes go to stderr. */
#include "archive/zip.h"
#include "base/digest.h"
#include "base/file.h"
#include "fetch/remote.h"
#include "sources/pipconf.h"
#include "sources/source.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 16 };

struct options {
    struct src_index index[MOST];
    const char *routes[MOST][MOST];
    size_t n;
    const char *cache, *out;
    bool offline, refresh, bulk;
    int64_t exclude_newer;
    uint64_t max;
    unsigned retries;
    const char *command;
    char **names;
    int nnames;
};

static int status;

static void tell(const char *what, const struct gf_err *err)
{
    printf("%s: %s %s\n", what, gf_code_name(err->code), err->text);
    status = gf_exit_status(err->code);
}

static void on_note(void *arg, int level, const char *text)
{
    (void)arg;
    fprintf(stderr, "note %d: %s\n", level, text);
}

static void add_index(struct options *o, char *text, enum src_kind kind, bool vendor)
{
    char *eq = strchr(text, '=');
    if (!eq || o->n == MOST) exit(2);
    *eq = '\0';
    o->index[o->n++] = (struct src_index){ .id = text, .kind = kind, .url = eq + 1, .vendor = vendor };
}

static void add_route(struct options *o, const char *name)
{
    if (!o->n) exit(2);
    struct src_index *x = &o->index[o->n - 1];
    o->routes[o->n - 1][x->nroutes++] = name;
    x->routes = o->routes[o->n - 1];
}

static bool flag(struct options *o, const char *arg)
{
    if (strcmp(arg, "--offline") == 0) return o->offline = true;
    if (strcmp(arg, "--refresh") == 0) return o->refresh = true;
    if (strcmp(arg, "--bulk") == 0) return o->bulk = true;
    return false;
}

static bool valued(struct options *o, const char *arg, char *value)
{
    if (strcmp(arg, "--index") == 0) add_index(o, value, SRC_SIMPLE, false);
    else if (strcmp(arg, "--vendor") == 0) add_index(o, value, SRC_SIMPLE, true);
    else if (strcmp(arg, "--links") == 0) add_index(o, value, SRC_FIND_LINKS, false);
    else if (strcmp(arg, "--route") == 0) add_route(o, value);
    else if (strcmp(arg, "--cache") == 0) o->cache = value;
    else if (strcmp(arg, "--exclude-newer") == 0) o->exclude_newer = strtoll(value, NULL, 10);
    else if (strcmp(arg, "--out") == 0) o->out = value;
    else if (strcmp(arg, "--max") == 0) o->max = strtoull(value, NULL, 10);
    else if (strcmp(arg, "--retries") == 0) o->retries = (unsigned)strtoul(value, NULL, 10);
    else return false;
    return true;
}

static void read_options(struct options *o, int argc, char **argv)
{
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (flag(o, argv[i])) continue;
        if (i + 1 == argc || !valued(o, argv[i], argv[i + 1])) exit(2);
        i++;
    }
    if (i == argc) exit(2);
    o->command = argv[i];
    o->names = argv + i + 1;
    o->nnames = argc - i - 1;
}

static void print_file(const struct src_set *s, const struct src_file *f)
{
    printf("%s source=%s size=%lld sha256=%.8s", f->filename, src_set_index(s, f->source)->id, (long long)f->size, f->sha256 ? f->sha256 : "none");
    if (f->uploaded >= 0) printf(" uploaded=%lld", (long long)f->uploaded);
    if (f->requires_python) printf(" python='%s'", f->requires_python);
    if (f->yanked) printf(" yanked='%s'", f->yanked);
    if (f->core_metadata) printf(" core=%.8s", f->core_metadata_sha256 ? f->core_metadata_sha256 : "yes");
    printf("\n");
}

static int wait_all(struct src_set *s)
{
    struct gf_err err = GF_ERR_INIT;
    while (src_pending(s))
        if (src_wait(s, &err)) {
            tell("wait", &err);
            return -1;
        }
    return 0;
}

static const struct src_project *project(struct src_set *s, const char *name)
{
    struct gf_err err = GF_ERR_INIT;
    const struct src_project *p = NULL;
    enum src_state state = src_project(s, name, &p, &err);
    if (state == SRC_FAILED) tell(name, &err);
    if (state == SRC_ABSENT) printf("%s: absent%s%s\n", name, p->unreachable ? ", unreachable: " : "", p->unreachable ? p->unreachable : "");
    if (state == SRC_READY && p->unreachable) printf("%s: unreachable: %s\n", name, p->unreachable);
    return state == SRC_READY ? p : NULL;
}

static void print_metadata(struct src_set *s, const struct src_file *f)
{
    struct gf_err err = GF_ERR_INIT;
    const struct py_metadata *m = NULL;
    if (src_metadata(s, f, &m, &err) != SRC_READY) {
        tell(f->filename, &err);
        return;
    }
    printf("%s: %s %s python='%s'%s", f->filename, m->name, m->version, m->requires_python ? m->requires_python : "", m->dynamic_requires ? " dynamic" : "");
    for (uint32_t i = 0; i < m->nrequires; i++) printf(" [%s]", m->requires[i].text);
    printf("\n");
}

static void print_variants(struct src_set *s, const struct src_file *f)
{
    struct gf_err err = GF_ERR_INIT;
    const struct py_variants *all = NULL;
    if (src_variants(s, f, &all, &err) != SRC_READY) {
        tell(f->filename, &err);
        return;
    }
    printf("%s:", f->filename);
    for (uint32_t i = 0; i < all->n; i++) printf(" %s(%u)", all->v[i].label, all->v[i].n);
    printf("\n");
}

static void print_uses(const struct src_set *s)
{
    static const char *const words[] = { "not-asked", "used", "unreachable" };
    for (size_t i = 0; i < src_set_count(s); i++) {
        const char *why = NULL;
        enum src_use use = src_set_use(s, i, &why);
        printf("source %s: %s%s%s\n", src_set_index(s, i)->id, words[use], why ? ": " : "", why ? why : "");
    }
    uint64_t requests, bytes;
    src_set_counts(s, &requests, &bytes);
    printf("requests %llu\n", (unsigned long long)requests);
}

static void ask(const struct options *o, struct net_client *net, const struct gf_log *log)
{
    struct gf_err err = GF_ERR_INIT;
    struct src_config cfg = { o->index, o->n, o->exclude_newer, o->offline, o->refresh, o->cache, log };
    struct src_set *s = NULL;
    if (src_set_new(&cfg, net, &s, &err)) {
        tell("set", &err);
        return;
    }
    bool metadata = strcmp(o->command, "metadata") == 0, variants = strcmp(o->command, "variants") == 0;
    for (int i = 0; i < o->nnames; i++) src_want_project(s, o->names[i]);
    if (wait_all(s) == 0) {
        for (int i = 0; i < o->nnames; i++) {
            const struct src_project *p = project(s, o->names[i]);
            for (uint32_t k = 0; p && k < p->nfiles; k++)
                if (metadata) src_want_metadata(s, &p->files[k]);
                else if (variants && !src_is_variants_file(gf_slice_of(p->files[k].filename))) continue;
                else if (variants) src_want_variants(s, &p->files[k]);
                else print_file(s, &p->files[k]);
        }
        int rc = wait_all(s);
        for (int i = 0; (metadata || variants) && rc == 0 && i < o->nnames; i++) {
            const struct src_project *p = NULL;
            if (src_project(s, o->names[i], &p, NULL) != SRC_READY) continue;
            for (uint32_t k = 0; k < p->nfiles; k++)
                if (metadata) print_metadata(s, &p->files[k]);
                else if (src_is_variants_file(gf_slice_of(p->files[k].filename))) print_variants(s, &p->files[k]);
        }
        print_uses(s);
    }
    src_set_free(s);
}

struct getting {
    const char *url;
    struct gf_digest *digest;
    uint64_t next;
    FILE *keep; /* --out */
};

static int take(void *arg, uint64_t offset, const void *p, size_t n, struct gf_err *err)
{
    struct getting *g = arg;
    if (offset != g->next) return gf_fail(err, GF_E_INTEGRITY, "bytes came for offset %llu, %llu was next", (unsigned long long)offset, (unsigned long long)g->next);
    gf_digest_add(g->digest, p, n);
    if (g->keep && fwrite(p, 1, n, g->keep) != n) return gf_fail(err, GF_E_IO, "--out: cannot write");
    g->next += n;
    return 0;
}

static void got(void *arg, const struct net_reply *reply, const struct gf_err *err)
{
    struct getting *g = arg;
    unsigned char raw[GF_HASH_MAX];
    char hex[2 * GF_HASH_MAX + 1];
    gf_hex(raw, gf_digest_end(g->digest, raw), hex);
    if (err->code != GF_OK) tell("get", err);
    else printf("got %llu bytes, length %lld, sha256 %s\n", (unsigned long long)g->next, (long long)reply->content_length, hex);
}

static void get(const struct options *o, struct net_client *net)
{
    struct getting *all = gf_xcalloc((size_t)o->nnames + 1, sizeof *all);
    for (int i = 0; i < o->nnames; i++) {
        all[i] = (struct getting){ o->names[i], gf_digest_new(GF_SHA256), 0, o->out ? fopen(o->out, "wb") : NULL };
        struct net_request r = { .url = o->names[i], .bulk = o->bulk, .sink = take, .done = got, .arg = &all[i], .max_bytes = o->max };
        net_submit(net, &r);
    }
    struct gf_err err = GF_ERR_INIT;
    while (net_pending(net) && net_step(net, 1000, &err) == 0) {}
    if (err.code != GF_OK) tell("step", &err);
    for (int i = 0; i < o->nnames; i++)
        if (all[i].keep) fclose(all[i].keep);
    free(all);
}

/* Every member of a remote wheel, read as a stream. */
static void look(const char *url, struct net_client *net)
{
    struct gf_err err = GF_ERR_INIT;
    struct gf_reader *r = NULL;
    struct arc_zip *z = NULL;
    uint64_t bytes = 0;
    int rc = net_remote_open(net, url, -1, &r, &err);
    if (!rc) rc = arc_zip_open(r, &z, &err);
    for (size_t i = 0; !rc && i < arc_zip_count(z); i++) {
        struct arc_zip_stream *s = NULL;
        char part[65536];
        rc = arc_zip_stream_open(z, arc_zip_get(z, i), &s, &err);
        for (size_t n = 1; !rc && n; bytes += n) rc = arc_zip_stream_read(s, part, sizeof part, &n, &err);
        arc_zip_stream_close(s);
    }
    uint64_t requests, ignored;
    net_client_counts(net, &requests, &ignored);
    if (rc) tell("look", &err);
    else printf("%zu members, %llu bytes, %llu requests\n", arc_zip_count(z), (unsigned long long)bytes, (unsigned long long)requests);
    arc_zip_free(z);
    gf_reader_close(r);
}

static void print_pipconf(const char *cache)
{
    struct gf_arena a = GF_ARENA_INIT;
    struct gf_err err = GF_ERR_INIT;
    struct src_pipconf c;
    if (src_pipconf_read(&a, cache, &c, &err)) {
        tell("pipconf", &err);
    } else {
        printf("index-url=%s\nno-index=%d\ncert=%s\n", c.index_url ? c.index_url : "none", c.no_index, c.cert ? c.cert : "none");
        for (size_t i = 0; i < c.nextra; i++) printf("extra-index-url=%s\n", c.extra_index_urls[i]);
        for (size_t i = 0; i < c.nfind_links; i++) printf("find-links=%s\n", c.find_links[i]);
    }
    gf_arena_release(&a);
}

int main(int argc, char **argv)
{
    static struct options o = { .exclude_newer = INT64_MAX, .retries = UINT_MAX, .max = UINT64_C(1) << 40 };
    read_options(&o, argc, argv);
    if (strcmp(o.command, "pipconf") == 0) {
        print_pipconf(o.cache);
        return status;
    }
    struct gf_err err = GF_ERR_INIT;
    struct gf_log log = { on_note, NULL };
    struct net_config cfg = { .offline = o.offline, .retries = o.retries, .stall_timeout_ms = 2000, .log = &log };
    struct net_client *net = NULL;
    if (net_client_new(&cfg, &net, &err)) return 6;
    if (strcmp(o.command, "get") == 0) get(&o, net);
    else if (strcmp(o.command, "look") == 0)
        for (int i = 0; i < o.nnames; i++) look(o.names[i], net);
    else ask(&o, net, &log);
    net_client_free(net);
    return status;
}
