/* pip's configuration, read as pip reads it: global, user, site and PIP_CONFIG_FILE, later ones over earlier ones; within them [global], then [install],
 * then [download]; PIP_* variables over all. */
#include "sources/pipconf.h"
#include "base/file.h"
#include "base/vec.h"
#include "sources/pip_default.h"
#include "sources/pipconf_text.h"
#include <stdlib.h>
#include <string.h>

#define CONF_MOST (1u << 20) /* bytes of one file */

struct reading {
    struct gf_arena *a;
    struct src_pip_settings s;
};

static const char *environment(const char *name)
{
    const char *v = getenv(name);
    return v && *v ? v : NULL;
}

/* A file that is not there is no error; one that cannot be read as pip would, is. */
static int read_conf(struct reading *r, const char *path, struct gf_err *err)
{
    if (!gf_path_exists(path)) return 0;
    struct gf_buf text;
    if (gf_file_read(path, CONF_MOST, &text, err)) return -1;
    int rc = src_pip_settings_read(r->a, gf_buf_slice(&text), path, &r->s, err);
    gf_buf_release(&text);
    return rc;
}

static int read_below(struct reading *r, const char *folder, const char *name, struct gf_err *err)
{
    GF_FREE char *path = gf_xasprintf("%s/%s", folder, name);
    return read_conf(r, path, err);
}

static int read_global(struct reading *r, struct gf_err *err)
{
    const char *dirs = environment("XDG_CONFIG_DIRS");
    gf_slice rest = gf_slice_of(dirs ? dirs : "/etc/xdg"), dir;
    while (gf_slice_field(&rest, ':', &dir)) {
        GF_FREE char *path = gf_xasprintf("%.*s/pip/pip.conf", GF_FMT(dir));
        if (dir.n && read_conf(r, path, err)) return -1;
    }
    return read_conf(r, "/etc/pip.conf", err);
}

static int read_user(struct reading *r, struct gf_err *err)
{
    const char *home = environment("HOME"), *xdg = environment("XDG_CONFIG_HOME");
    if (home && read_below(r, home, ".pip/pip.conf", err)) return -1;
    if (xdg) return read_below(r, xdg, "pip/pip.conf", err);
    return home ? read_below(r, home, ".config/pip/pip.conf", err) : 0;
}

static int read_files(struct reading *r, struct gf_err *err)
{
    const char *given = environment("PIP_CONFIG_FILE"), *venv = environment("VIRTUAL_ENV");
    if (given && strcmp(given, "/dev/null") == 0) return 0; /* pip's way to say: no files at all */
    if (read_global(r, err)) return -1;
    if (!(given && gf_path_exists(given)) && read_user(r, err)) return -1;
    if (venv && read_below(r, venv, "pip.conf", err)) return -1;
    return given ? read_conf(r, given, err) : 0;
}

static void read_environment(struct reading *r)
{
    static const struct { const char *variable, *key; } known[] = {
        { "PIP_INDEX_URL", "index-url" }, { "PIP_EXTRA_INDEX_URL", "extra-index-url" }, { "PIP_FIND_LINKS", "find-links" },
        { "PIP_NO_INDEX", "no-index" },   { "PIP_CERT", "cert" },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (environment(known[i].variable))
            src_pip_settings_set(r->a, &r->s, gf_slice_of(known[i].key), gf_slice_of(environment(known[i].variable)));
}

/* Words of a value that holds several. */
static const char *const *words(struct gf_arena *a, const char *value, size_t *ret_n)
{
    GF_VEC(const char *) found = { NULL, 0, 0 };
    gf_slice rest = gf_slice_of(value), word;
    while (gf_slice_word(&rest, &word)) gf_vec_push(&found, gf_arena_str(a, word));
    *ret_n = found.n;
    const char *const *v = found.n ? gf_arena_memdup(a, found.v, found.n * sizeof *found.v) : NULL;
    gf_vec_free(&found);
    return v;
}

int src_pipconf_read(struct gf_arena *a, const char *cache_dir, struct src_pipconf *ret, struct gf_err *err)
{
    struct reading r = { .a = a };
    if (read_files(&r, err)) return -1;
    read_environment(&r);
    struct src_pipconf conf = { .index_url = r.s.index_url, .cert = r.s.cert, .no_index = r.s.no_index };
    conf.extra_index_urls = words(a, r.s.extra_index_url, &conf.nextra);
    conf.find_links = words(a, r.s.find_links, &conf.nfind_links);
    if (!conf.index_url && !conf.no_index && src_pip_default(a, cache_dir, &conf.index_url, &conf.files_url, err)) return -1;
    *ret = conf;
    return 0;
}
