#include "base/file.h"
#include "bundler/bundle.h"
#include "cli/command.h"
#include <sys/stat.h>
#include "fetch/client.h"
#include "sources/pipconf.h"
#include <limits.h>

struct options {
    struct opt_common common;
    const char *out, *sign;
};
static const struct opt_row rows[] = {
    { 'o', "output", "NAME.tar", OPT_STR, offsetof(struct options, out), "the bundle to write (default: the lock's name with .tar)" },
    { 0, "sign", "KEY", OPT_STR, offsetof(struct options, sign),
      "sign with this minisign or PEM ed25519 key; its password, if any, is read from GPUFERRY_KEY_PASSWORD" },
};
static const struct opt_group groups[] = { OPT_ROWS("Options", rows), OPT_COMMON(struct options, common) };

static void progress(void *arg, uint64_t done, uint64_t total)
{
    struct out_progress *p = arg;
    p->total = total;
    out_progress_set(p, done);
}

static char *default_name(const char *lock)
{
    gf_slice name = gf_slice_of(lock);
    ptrdiff_t slash = gf_slice_rchr(name, '/');
    name = gf_slice_from(name, (size_t)(slash + 1));
    if (gf_slice_is(name, "-")) name = GF_S("gpuferry");
    if (gf_slice_ends(name, GF_S(".lock"))) name.n -= 5;
    return gf_xasprintf("%.*s.tar", GF_FMT(name));
}

/* "torch.tar" unpacks into "torch". */
static char *folder_name(const char *out)
{
    gf_slice name = gf_slice_of(out);
    ptrdiff_t slash = gf_slice_rchr(name, '/');
    name = gf_slice_from(name, (size_t)(slash + 1));
    if (gf_slice_ends(name, GF_S(".tar"))) name.n -= 4;
    else return gf_xasprintf("%.*s.d", GF_FMT(name));
    return gf_xstrndup(name);
}

static void write_text(struct gf_buf *text, const char *out, const struct mdl_lock *lock, const struct bnd_result *r)
{
    char size[24], fetched[24], reused[24];
    GF_FREE char *folder = folder_name(out);
    GF_FREE const char *base = gf_xstrdup(strrchr(out, '/') ? strrchr(out, '/') + 1 : out);
    out_bytes(r->bytes, size);
    out_bytes(r->fetched, fetched);
    out_bytes(r->reused, reused);
    gf_buf_addf(text, "%s: %s, %llu files (%s fetched, %s were here already)\n", out, size, (unsigned long long)r->files, fetched, reused);
    gf_buf_addf(text, "On the other machine, in a folder with room for it:\n  mkdir %s && tar -xf %s -C %s\n  sh %s/install.sh --prefix /opt/%s\n", folder, base,
                folder, folder, folder);
    if (lock->ntargets > 1) gf_buf_addf(text, "It serves %zu targets: install.sh finds out which of them that machine is, or is told with --target LABEL.\n", lock->ntargets);
}

static int report(const char *out, const struct mdl_lock *lock, const struct bnd_result *r, struct gf_err *err)
{
    GF_BUF_SCOPE struct gf_buf text;
    gf_buf_init(&text, GF_CAP_OUTPUT);
    if (!out_json()) write_text(&text, out, lock, r);
    else {
        struct gf_jw w;
        gf_jw_init(&w, &text, false);
        gf_jw_obj(&w);
        gf_jw_kstr(&w, "schema", "gpuferry.bundled/1");
        gf_jw_kstr(&w, "bundle", out);
        gf_jw_kint(&w, "bytes", (int64_t)r->bytes);
        gf_jw_kint(&w, "files", (int64_t)r->files);
        gf_jw_kint(&w, "fetched", (int64_t)r->fetched);
        gf_jw_kint(&w, "reused", (int64_t)r->reused);
        gf_jw_kint(&w, "targets", (int64_t)lock->ntargets);
        gf_jw_end_obj(&w);
    }
    return out_result(gf_buf_slice(&text), err);
}

/* A lock holds no user and password: they are those that pip's settings give for the same server. */
static void add_credentials(struct net_client *net, const char *cache)
{
    GF_ARENA_SCOPE struct gf_arena mem = GF_ARENA_INIT;
    struct src_pipconf conf = { 0 };
    struct gf_err none = GF_ERR_INIT;
    if (src_pipconf_read(&mem, cache, &conf, &none)) return; /* what cannot be read cannot hold any */
    if (conf.index_url) net_client_add_credentials(net, conf.index_url);
    for (size_t i = 0; i < conf.nextra; i++) net_client_add_credentials(net, conf.extra_index_urls[i]);
    for (size_t i = 0; i < conf.nfind_links; i++) net_client_add_credentials(net, conf.find_links[i]);
}

static int make(const struct options *o, struct mdl_lock *lock, const char *out, struct gf_err *err)
{
    struct net_config cfg = { .offline = o->common.offline, .retries = UINT_MAX, .log = out_log() };
    struct net_client *net = NULL;
    struct bnd_result result;
    struct out_progress bar;
    GF_FREE char *cache = gf_cache_dir();
    if (net_client_new(&cfg, &net, err)) return -1;
    add_credentials(net, cache);
    out_progress_begin(&bar, "bundle", bnd_size_estimate(lock), true);
    struct bnd_options bo = { .out = out, .cache_dir = cache, .sign_key = o->sign, .sign_password = getenv("GPUFERRY_KEY_PASSWORD"), .mtime = -1,
                              .log = out_log(), .progress = { progress, &bar } };
    int rc = bnd_make(lock, &bo, net, &result, err);
    out_progress_end(&bar);
    net_client_free(net);
    if (rc && (err->code == GF_E_INTERRUPTED || err->code == GF_E_NETWORK || err->code == GF_E_IO) && bar.done)
        out_talk("%s.part keeps what has come; the same command goes on from there", out);
    return rc ? -1 : report(out, lock, &result, err);
}

/* A place that can become a file, and is not the lock itself: found out before anything is downloaded. */
static int check_output(const char *out, const char *lock, struct gf_err *err)
{
    struct stat o, l;
    if (!*out || strcmp(out, "-") == 0) return gf_fail(err, GF_E_USAGE, "-o '%s': a bundle is written to a file with a name, as in -o torch.tar", out);
    if (stat(out, &o) != 0) return 0;
    if (!S_ISREG(o.st_mode)) return gf_fail(err, GF_E_USAGE, "-o '%s' is there and is not a regular file: name a file, as in -o torch.tar", out);
    if (stat(lock, &l) == 0 && l.st_dev == o.st_dev && l.st_ino == o.st_ino)
        return gf_fail(err, GF_E_USAGE, "-o '%s' is the lock itself: name another file for the bundle", out);
    return 0;
}

static int run(void *opts, const struct opt_list *args, struct gf_err *err)
{
    const struct options *o = opts;
    if (args->n > 1) return gf_fail(err, GF_E_USAGE, "one lock makes one bundle; '%s' is one too many", args->v[1]);
    const char *path = args->n ? args->v[0] : "gpuferry.lock";
    if (!args->n && !gf_path_exists(path)) return gf_fail(err, GF_E_USAGE, "no lock was named and there is no '%s' here; 'gpuferry plan' writes one", path);
    if (o->out && check_output(o->out, path, err)) return -1;
    struct mdl_lock *lock = NULL;
    if (mdl_lock_load(path, &lock, err)) return -1;
    GF_FREE char *out = o->out ? gf_xstrdup(o->out) : default_name(path);
    int rc = make(o, lock, out, err);
    mdl_lock_free(lock);
    return rc;
}

const struct cmd cmd_bundle = { "bundle", "bundle [LOCK] [-o NAME.tar]", "Download what a lock names and pack it for a machine without a network.",
                                groups, sizeof groups / sizeof groups[0], sizeof(struct options), run };
