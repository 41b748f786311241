/* Opening and closing a data set; tables are read when first asked for. */
#include "base/digest.h"
#include "base/file.h"
#include "matrix/table.h"
#include <sys/stat.h>

static int (*const loaders[MTX_NTABLES])(struct mtx *, struct gf_err *) = {
    [MTX_T_SOURCES] = mtx_load_sources, [MTX_T_GPUS] = mtx_load_gpus,         [MTX_T_DRIVER] = mtx_load_driver, [MTX_T_FIRST] = mtx_load_first,
    [MTX_T_CUDA] = mtx_load_cuda,       [MTX_T_PACKAGES] = mtx_load_packages, [MTX_T_ROUTES] = mtx_load_routes, [MTX_T_DISTROS] = mtx_load_distros,
};

static int load(struct mtx *m, enum mtx_table t, struct gf_err *err)
{
    if (m->loaded[t]) return 0;
    m->loaded[t] = true;
    return loaders[t](m, err);
}

void mtx_need(struct mtx *m, enum mtx_table t)
{
    struct gf_err err = GF_ERR_INIT;
    if (load(m, t, &err) && !m->failed) m->failed = true, m->err = err;
}

static int read_version(struct mtx *m, const char *label, struct gf_err *err)
{
    struct mtx_file *f = mtx_files_find(&m->files, GF_S("VERSION"));
    gf_slice v = f ? gf_slice_trim(f->text) : GF_NONE;
    if (!v.n || v.n >= sizeof m->version) return gf_fail(err, GF_E_PARSE, "%s holds no data set: a file VERSION with one line like 2026.12.01.1 is expected", label);
    memcpy(m->version, v.p, v.n);
    return 0;
}

static int open_files(const char *path, struct mtx *m, struct gf_err *err)
{
    if (!path) return mtx_files_of_pack(mtx_embedded(), "the data set in the program", &m->files, err);
    struct stat st;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) return mtx_files_of_folder(path, &m->files, err);
    GF_BUF_SCOPE struct gf_buf b;
    gf_buf_init(&b, GF_CAP_JSON);
    if (gf_file_read(path, GF_CAP_JSON, &b, err)) return -1;
    gf_slice pack = gf_buf_slice(&b);
    if (mtx_files_of_pack(pack, path, &m->files, err)) return -1;
    m->files.owned = gf_buf_steal(&b);
    return 0;
}

int mtx_check(struct mtx *m, struct gf_err *err)
{
    m->strict = true;
    for (unsigned t = 0; t < MTX_NTABLES; t++)
        if (load(m, (enum mtx_table)t, err)) return -1;
    return 0;
}

static struct mtx *blank(void)
{
    struct mtx *m = gf_xcalloc(1, sizeof *m);
    gf_arena_init(&m->mem);
    gf_names_init(&m->seen);
    gf_names_init(&m->names);
    return m;
}

int mtx_open(const char *path, struct mtx **ret, struct gf_err *err)
{
    struct mtx *m = blank();
    if (open_files(path, m, err) || read_version(m, path ? path : "the program", err) || (path && mtx_check(m, err))) return mtx_free(m), -1;
    *ret = m;
    return 0;
}

int mtx_open_installed(const char *path, struct mtx **ret, struct gf_err *err)
{
    struct mtx *m = blank();
    if (open_files(path, m, err) || read_version(m, path, err)) return mtx_free(m), -1;
    *ret = m;
    return 0;
}

int mtx_open_pack(gf_slice pack, const char *label, struct mtx **ret, struct gf_err *err)
{
    struct mtx *m = blank();
    char *owned = gf_xstrndup(pack);
    if (mtx_files_of_pack(gf_slice_n(owned, pack.n), label, &m->files, err)) return free(owned), mtx_free(m), -1;
    m->files.owned = owned;
    if (read_version(m, label, err) || mtx_check(m, err)) return mtx_free(m), -1;
    *ret = m;
    return 0;
}

void mtx_free(struct mtx *m)
{
    if (!m) return;
    for (size_t i = 0; i < m->docs.n; i++) gf_json_free(m->docs.v[i]);
    for (size_t i = 0; i < m->packages.n; i++) {
        gf_vec_free(&m->packages.v[i]->rules);
        gf_vec_free(&m->packages.v[i]->about);
        gf_vec_free(&m->packages.v[i]->builds);
        gf_vec_free(&m->packages.v[i]->providers);
    }
    gf_vec_free(&m->docs);
    gf_vec_free(&m->sources);
    gf_vec_free(&m->gpus);
    gf_vec_free(&m->memory);
    gf_vec_free(&m->by_pci);
    gf_vec_free(&m->branches[0]);
    gf_vec_free(&m->branches[1]);
    gf_vec_free(&m->capabilities);
    gf_vec_free(&m->kernels);
    gf_vec_free(&m->firsts);
    gf_vec_free(&m->series);
    gf_vec_free(&m->floors);
    gf_vec_free(&m->toolkits);
    gf_vec_free(&m->packages);
    gf_vec_free(&m->builds);
    gf_vec_free(&m->rules);
    gf_vec_free(&m->abouts);
    gf_vec_free(&m->releases);
    gf_vec_free(&m->facts);
    gf_vec_free(&m->routes);
    gf_vec_free(&m->distros);
    gf_names_release(&m->seen);
    gf_names_release(&m->names);
    mtx_files_release(&m->files);
    gf_arena_release(&m->mem);
    free(m);
}

const char *mtx_version(const struct mtx *m) { return m->version; }

const char *mtx_sha256(struct mtx *m)
{
    if (m->files.pack.p == mtx_embedded().p && *mtx_embedded_sha256()) return mtx_embedded_sha256();
    if (!*m->sha256) gf_sha256_hex(m->files.pack, m->sha256);
    return m->sha256;
}

const struct gf_err *mtx_error(const struct mtx *m) { return m->failed ? &m->err : NULL; }

gf_slice mtx_file_text(struct mtx *m, const char *path)
{
    struct mtx_file *f = mtx_files_find(&m->files, gf_slice_of(path));
    return f ? f->text : GF_NONE;
}

static int read_source(struct mtx *m, const struct mtx_at *at, struct gf_js *row, struct gf_err *err)
{
    static const struct mtx_key keys[] = {
        MTX_KEY(struct mtx_source, id, MTX_STR, true), MTX_KEY(struct mtx_source, title, MTX_STR, true),
        MTX_KEY(struct mtx_source, where, MTX_STR, true), MTX_KEY(struct mtx_source, date, MTX_STR, true),
    };
    struct mtx_source s = { 0 };
    if (MTX_READ(m, at, row, keys, &s, err) || mtx_unique(m, at, err, "%s", s.id)) return -1;
    gf_vec_push(&m->sources, s);
    return 0;
}

int mtx_load_sources(struct mtx *m, struct gf_err *err)
{
    static const struct mtx_section sections[] = { { "sources", read_source } };
    struct mtx_file *f = mtx_files_find(&m->files, GF_S("sources.json"));
    return f ? mtx_read_file(m, f, sections, 1, err) : gf_fail(err, GF_E_PARSE, "the data set has no sources.json");
}

const struct mtx_source *mtx_source(struct mtx *m, const char *id)
{
    mtx_need(m, MTX_T_SOURCES);
    for (size_t i = 0; id && i < m->sources.n; i++)
        if (strcmp(m->sources.v[i].id, id) == 0) return &m->sources.v[i];
    return NULL;
}

bool mtx_file_at(struct mtx *m, size_t i, gf_slice *ret_path, gf_slice *ret_text)
{
    if (i >= m->files.n) return false;
    *ret_path = m->files.v[i].path;
    *ret_text = m->files.v[i].text;
    return true;
}
