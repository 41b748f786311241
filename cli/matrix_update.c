/* matrix update URL|FILE: a newer data set, whose signature and every row are checked before it replaces the installed one. */
#include "base/file.h"
#include "bundler/sign.h"
#include "cli/matrix.h"
#include "fetch/client.h"
#include <limits.h>

enum { MAX_SET = 64 << 20, MAX_SIGNATURE = 64 << 10 };
struct got { struct gf_buf *into; bool done; struct gf_err err; };

static void finish(void *arg, const struct net_reply *reply, const struct gf_err *err)
{
    struct got *g = arg;
    g->done = true;
    g->err = *err;
    if (err->code == GF_OK) gf_buf_addsl(g->into, reply->body);
}

static int download(const char *url, size_t max, bool offline, struct gf_buf *into, struct gf_err *err)
{
    struct net_config cfg = { .offline = offline, .retries = UINT_MAX, .log = out_log() };
    struct net_client *c;
    struct got g = { into, false, GF_ERR_INIT };
    if (net_client_new(&cfg, &c, err)) return -1;
    net_submit(c, &(struct net_request){ .url = url, .max_bytes = max, .done = finish, .arg = &g });
    int rc = 0;
    while (!rc && !g.done) rc = net_step(c, 1000, err);
    net_client_free(c);
    if (rc) return -1;
    return g.err.code == GF_OK ? 0 : gf_fail(err, g.err.code, "%s", g.err.text);
}

static bool is_url(const char *s) { return strncmp(s, "https://", 8) == 0 || strncmp(s, "http://", 7) == 0 || strncmp(s, "file://", 7) == 0; }

static int get(const char *from, size_t max, bool offline, struct gf_buf *into, struct gf_err *err)
{
    return is_url(from) ? download(from, max, offline, into, err) : gf_file_read(from, max, into, err);
}

static int install(const char *path, gf_slice pack, struct gf_err *err)
{
    const char *slash = strrchr(path, '/');
    GF_FREE char *folder = gf_xstrndup(gf_slice_n(path, (size_t)(slash - path)));
    return gf_mkdirs(folder, 0755, err) || gf_file_write_atomic(path, pack, 0644, err) ? -1 : 0;
}

/* 0: newer than what is used now; 1: it is not (said); -1: damaged. */
static int compare(struct mtx *now, gf_slice pack, const char *from, char **ret_version, struct gf_err *err)
{
    struct mtx *m;
    if (mtx_open_pack(pack, from, &m, err)) return -1;
    int c = gf_dotted_cmp(gf_slice_of(mtx_version(m)), gf_slice_of(mtx_version(now)));
    *ret_version = gf_xstrdup(mtx_version(m));
    mtx_free(m);
    return c > 0 ? 0 : 1;
}

int cmd_matrix_update(struct mtx *now, const char *from, const char *pubkey, bool offline, struct gf_err *err)
{
    GF_BUF_SCOPE struct gf_buf pack, signature;
    GF_FREE char *path = opt_installed_matrix(), *minisig = gf_xasprintf("%s.minisig", from), *comment = NULL, *version = NULL;
    gf_buf_init(&pack, MAX_SET);
    gf_buf_init(&signature, MAX_SIGNATURE);
    if (!pubkey) return gf_fail(err, GF_E_USAGE, "give the publisher's public key with --pubkey FILE|TEXT: a data set is installed only when its signature is right");
    if (get(from, MAX_SET, offline, &pack, err)) return -1;
    if (get(minisig, MAX_SIGNATURE, offline, &signature, err)) return gf_wrap(err, "the signature of '%s' is expected beside it", from);
    if (bnd_check_signature(pubkey, gf_buf_slice(&pack), gf_buf_slice(&signature), &comment, err)) return gf_wrap(err, "'%s' is not installed", from);
    int rc = compare(now, gf_buf_slice(&pack), from, &version, err);
    if (rc > 0) return gf_fail(err, GF_E_NO, "'%s' is data %s, not newer than %s, which is in use; nothing was changed", from, version, mtx_version(now));
    if (rc < 0) return gf_wrap(err, "'%s' is not installed", from);
    if (install(path, gf_buf_slice(&pack), err)) return -1;
    GF_BUF_SCOPE struct gf_buf out;
    gf_buf_init(&out, GF_CAP_OUTPUT);
    if (out_json()) {
        struct gf_jw w;
        gf_jw_init(&w, &out, false);
        gf_jw_obj(&w);
        gf_jw_kstr(&w, "old", mtx_version(now));
        gf_jw_kstr(&w, "new", version);
        gf_jw_kstr(&w, "path", path);
        gf_jw_kstr(&w, "signed", comment);
        gf_jw_end_obj(&w);
        gf_buf_addc(&out, '\n');
    } else gf_buf_addf(&out, "data %s installed as '%s', before it %s; signed: %s\n", version, path, mtx_version(now), comment ? comment : "");
    return out_result(gf_buf_slice(&out), err);
}
