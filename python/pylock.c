/* Reading pylock.toml. */
#include "python/pylock.h"
#include "base/digest.h"
#include "base/vec.h"

struct reader {
    struct gf_arena *a;
    const char *label;
    struct gf_err *err;
};

static int wrong(const struct reader *r, const struct py_toml *at, const char *what, const char *expected)
{
    return gf_fail(r->err, GF_E_PARSE, "%s:%u: %s: expected %s", r->label, py_toml_line(at), what, expected);
}

static int want(const struct reader *r, const struct py_toml *v, const char *key, enum py_toml_type type, const char *expected)
{
    if (!v || py_toml_type(v) == type) return 0;
    return gf_fail(r->err, GF_E_PARSE, "%s:%u: %s is %s, expected %s", r->label, py_toml_line(v), key, py_toml_type_name(v), expected);
}

static int take_string(const struct reader *r, const struct py_toml *t, const char *key, bool required, const char **ret)
{
    const struct py_toml *v = py_toml_get(t, key);
    *ret = py_toml_cstr(v);
    if (v && !*ret) return want(r, v, key, PY_TOML_STRING, "a string") ? -1 : wrong(r, v, key, "a string without NUL");
    return required && !v ? gf_fail(r->err, GF_E_PARSE, "%s:%u: '%s' is missing", r->label, py_toml_line(t), key) : 0;
}

static int take_strings(const struct reader *r, const struct py_toml *t, const char *key, const char *const **ret, uint32_t *ret_n)
{
    const struct py_toml *list = py_toml_get(t, key);
    if (want(r, list, key, PY_TOML_ARRAY, "an array of strings")) return -1;
    const char **v = GF_NEW_ARRAY(r->a, const char *, py_toml_count(list) + 1);
    uint32_t n = 0;
    for (const struct py_toml *s = py_toml_first(list); s; s = py_toml_next(s))
        if (!(v[n++] = py_toml_cstr(s))) return wrong(r, s, key, "strings");
    *ret = v;
    *ret_n = n;
    return 0;
}

static int take_specs(const struct reader *r, const struct py_toml *t, const char **ret, struct py_specset *ret_set)
{
    if (take_string(r, t, "requires-python", false, ret)) return -1;
    if (!*ret || py_specset_parse(r->a, gf_slice_of(*ret), false, ret_set)) return 0;
    return wrong(r, py_toml_get(t, "requires-python"), "requires-python", "version specifiers");
}

static int take_marker(const struct reader *r, const struct py_toml *v, const char *key, const struct py_marker **ret)
{
    *ret = NULL;
    if (!v) return 0;
    if (want(r, v, key, PY_TOML_STRING, "a marker as a string")) return -1;
    if (py_marker_parse(r->a, py_toml_text(v), PY_MARKER_PEP508, ret, r->err)) return gf_wrap(r->err, "%s:%u", r->label, py_toml_line(v));
    return 0;
}

static int take_hashes(const struct reader *r, const struct py_toml *t, struct py_pylock_file *f)
{
    const struct py_toml *table = py_toml_get(t, "hashes");
    if (!py_toml_count(table) || py_toml_type(table) != PY_TOML_TABLE) return wrong(r, table ? table : t, "hashes", "a table with at least one digest");
    const char **v = GF_NEW_ARRAY(r->a, const char *, py_toml_count(table));
    for (const struct py_toml *h = py_toml_first(table); h; h = py_toml_next(h)) {
        const char *hex = py_toml_cstr(h);
        if (!hex) return wrong(r, h, "hashes", "digests as strings");
        v[f->nhashes++] = gf_arena_printf(r->a, "%.*s:%s", GF_FMT(py_toml_key(h)), hex);
    }
    f->hashes = v;
    return 0;
}

static const char *percent_decoded(struct gf_arena *a, gf_slice s)
{
    char *out = gf_arena_str(a, s), *o = out;
    unsigned char byte;
    for (size_t i = 0; i < s.n; i++) {
        bool code = s.p[i] == '%' && s.n - i > 2 && gf_unhex(gf_slice_sub(s, i + 1, 2), &byte, 1) && byte;
        *o++ = code ? (char)byte : s.p[i];
        i += code ? 2 : 0;
    }
    *o = '\0';
    return out;
}

/* The end of a path, with either kind of slash, or of a URL without query and fragment. */
static const char *end_of(struct gf_arena *a, const char *path, const char *url)
{
    gf_slice head, s = gf_slice_of(path && *path ? path : url);
    if (path && *path) {
        for (size_t i = s.n; i-- > 0;)
            if (s.p[i] == '/' || s.p[i] == '\\') return gf_arena_str(a, gf_slice_from(s, i + 1));
        return path;
    }
    gf_slice_cut(&s, '#', &head);
    s = head;
    gf_slice_cut(&s, '?', &head);
    return percent_decoded(a, gf_slice_from(head, (size_t)(gf_slice_rchr(head, '/') + 1)));
}

static int take_file(const struct reader *r, const struct py_toml *t, struct py_pylock_file *f)
{
    const struct py_toml *size = py_toml_get(t, "size"), *time = py_toml_get(t, "upload-time");
    if (want(r, t, "a file", PY_TOML_TABLE, "a table")) return -1;
    if (take_string(r, t, "name", false, &f->name) || take_string(r, t, "url", false, &f->url) || take_string(r, t, "path", false, &f->path)) return -1;
    if (take_string(r, t, "subdirectory", false, &f->subdirectory) || take_hashes(r, t, f)) return -1;
    f->size = -1;
    if (size && !py_toml_int(size, &f->size)) return want(r, size, "size", PY_TOML_INTEGER, "a number of bytes");
    if (time && py_toml_type(time) != PY_TOML_DATETIME && py_toml_type(time) != PY_TOML_DATETIME_LOCAL) return wrong(r, time, "upload-time", "a date and time");
    if (time) f->upload_time = gf_arena_str(r->a, py_toml_text(time));
    if (!(f->url && *f->url) && !(f->path && *f->path)) return wrong(r, t, "a file", "a path or a url");
    if (!f->name || !*f->name) f->name = end_of(r->a, f->path, f->url);
    return 0;
}

/* The file's name tells the name and version of its package. */
static int check_file_name(const struct reader *r, const struct py_toml *t, const struct py_pylock_package *p, const struct py_pylock_file *f, bool wheel)
{
    struct py_wheel w;
    struct py_version version, own;
    gf_slice name = gf_slice_of(f->name);
    bool good = wheel ? py_wheel_parse(r->a, name, &w) && !strcmp(w.name, p->name) : py_sdist_parse(r->a, name, gf_slice_of(p->name), &version);
    if (!good) return gf_fail(r->err, GF_E_PARSE, "%s:%u: '%s' is no name of a %s of %s", r->label, py_toml_line(t), f->name, wheel ? "wheel" : "source archive", p->name);
    if (!p->version) return 0;
    py_version_parse(r->a, gf_slice_of(p->version), &own);
    if (py_version_cmp(wheel ? &w.version : &version, &own) == 0) return 0;
    return gf_fail(r->err, GF_E_PARSE, "%s:%u: '%s' is not of version %s", r->label, py_toml_line(t), f->name, p->version);
}

static int take_files(const struct reader *r, const struct py_toml *t, struct py_pylock_package *p)
{
    const struct py_toml *wheels = py_toml_get(t, "wheels"), *sdist = py_toml_get(t, "sdist");
    if (want(r, wheels, "wheels", PY_TOML_ARRAY, "an array of tables")) return -1;
    p->files = GF_NEW_ARRAY(r->a, struct py_pylock_file, py_toml_count(wheels) + 1);
    for (const struct py_toml *w = py_toml_first(wheels); w; w = py_toml_next(w), p->nwheels++)
        if (take_file(r, w, &p->files[p->nwheels]) || check_file_name(r, w, p, &p->files[p->nwheels], true)) return -1;
    p->has_sdist = sdist != NULL;
    if (sdist && (take_file(r, sdist, &p->files[p->nwheels]) || check_file_name(r, sdist, p, &p->files[p->nwheels], false))) return -1;
    return 0;
}

static int take_vcs(const struct reader *r, const struct py_toml *t, struct py_pylock_package *p)
{
    const char *url, *path, *text;
    if (want(r, t, "vcs", PY_TOML_TABLE, "a table") || take_string(r, t, "type", true, &p->vcs_type) || take_string(r, t, "commit-id", true, &p->vcs_commit)) return -1;
    if (take_string(r, t, "url", false, &url) || take_string(r, t, "path", false, &path)) return -1;
    if (take_string(r, t, "requested-revision", false, &text) || take_string(r, t, "subdirectory", false, &text)) return -1;
    p->place = url && *url ? url : path;
    return p->place && *p->place ? 0 : wrong(r, t, "vcs", "a path or a url");
}

static int take_directory(const struct reader *r, const struct py_toml *t, struct py_pylock_package *p)
{
    const char *text;
    if (want(r, t, "directory", PY_TOML_TABLE, "a table") || take_string(r, t, "path", true, &p->place)) return -1;
    return take_string(r, t, "subdirectory", false, &text) ? -1 : want(r, py_toml_get(t, "editable"), "editable", PY_TOML_BOOL, "true or false");
}

/* Either files of an index (wheels, sdist) or exactly one direct source. */
static int take_source(const struct reader *r, const struct py_toml *t, struct py_pylock_package *p)
{
    const struct py_toml *vcs = py_toml_get(t, "vcs"), *directory = py_toml_get(t, "directory"), *archive = py_toml_get(t, "archive");
    int direct = (vcs != NULL) + (directory != NULL) + (archive != NULL);
    bool files = py_toml_count(py_toml_get(t, "wheels")) || py_toml_get(t, "sdist");
    if (files ? direct != 0 : direct != 1) return wrong(r, t, p->name, "either wheels or an sdist, or exactly one of vcs, directory and archive");
    if (vcs) p->kind = PY_PYLOCK_VCS;
    if (directory) p->kind = PY_PYLOCK_DIRECTORY;
    if (vcs) return take_vcs(r, vcs, p);
    if (directory) return take_directory(r, directory, p);
    if (!archive) return take_files(r, t, p);
    p->kind = PY_PYLOCK_ARCHIVE;
    p->files = GF_NEW(r->a, struct py_pylock_file);
    return take_file(r, archive, p->files);
}

static int check_tables(const struct reader *r, const struct py_toml *t, const char *key, const char *inner)
{
    const struct py_toml *list = py_toml_get(t, key);
    const char *text;
    if (want(r, list, key, PY_TOML_ARRAY, "an array of tables")) return -1;
    for (const struct py_toml *v = py_toml_first(list); v; v = py_toml_next(v))
        if (want(r, v, key, PY_TOML_TABLE, "a table") || (inner && take_string(r, v, inner, true, &text))) return -1;
    return 0;
}

static int take_package(const struct reader *r, const struct py_toml *t, struct py_pylock_package *p)
{
    struct py_version v;
    if (want(r, t, "packages", PY_TOML_TABLE, "a table") || take_string(r, t, "name", true, &p->name)) return -1;
    if (!py_name_is_normalized(gf_slice_of(p->name))) return wrong(r, t, p->name, "a normalized name");
    if (take_string(r, t, "version", false, &p->version) || take_string(r, t, "index", false, &p->index)) return -1;
    if (p->version && !py_version_parse(r->a, gf_slice_of(p->version), &v)) return wrong(r, t, p->version, "a version");
    if (take_specs(r, t, &p->requires_python, &p->python) || take_marker(r, py_toml_get(t, "marker"), "marker", &p->marker)) return -1;
    if (check_tables(r, t, "dependencies", NULL) || check_tables(r, t, "attestation-identities", "kind")) return -1;
    if (want(r, py_toml_get(t, "tool"), "tool", PY_TOML_TABLE, "a table")) return -1;
    return take_source(r, t, p);
}

static int take_packages(const struct reader *r, const struct py_toml *doc, struct py_pylock *l)
{
    const struct py_toml *list = py_toml_get(doc, "packages");
    if (!list) return gf_fail(r->err, GF_E_PARSE, "%s: 'packages' is missing", r->label);
    if (want(r, list, "packages", PY_TOML_ARRAY, "an array of tables")) return -1;
    l->packages = GF_NEW_ARRAY(r->a, struct py_pylock_package, py_toml_count(list) + 1);
    for (const struct py_toml *t = py_toml_first(list); t; t = py_toml_next(t))
        if (take_package(r, t, &l->packages[l->npackages++])) return -1;
    return 0;
}

static int take_version(const struct reader *r, const struct py_toml *doc, struct py_pylock *l)
{
    struct py_version v, one, two;
    if (take_string(r, doc, "lock-version", true, &l->lock_version)) return -1;
    py_version_parse(r->a, GF_S("1"), &one);
    py_version_parse(r->a, GF_S("2.dev0"), &two);
    if (!py_version_parse(r->a, gf_slice_of(l->lock_version), &v)) return wrong(r, py_toml_get(doc, "lock-version"), l->lock_version, "a version");
    if (py_version_cmp(&v, &one) < 0 || py_version_cmp(&v, &two) >= 0)
        return gf_fail(r->err, GF_E_PARSE, "%s: lock-version is %s, only 1.x is understood", r->label, l->lock_version);
    l->newer_minor = py_version_cmp(&v, &one) > 0;
    return 0;
}

static int take_environments(const struct reader *r, const struct py_toml *doc, struct py_pylock *l)
{
    const struct py_toml *list = py_toml_get(doc, "environments");
    if (want(r, list, "environments", PY_TOML_ARRAY, "an array of markers")) return -1;
    l->has_environments = list != NULL;
    l->environments = GF_NEW_ARRAY(r->a, const struct py_marker *, py_toml_count(list) + 1);
    for (const struct py_toml *v = py_toml_first(list); v; v = py_toml_next(v))
        if (take_marker(r, v, "environments", &l->environments[l->nenvironments++])) return -1;
    return 0;
}

int py_pylock_parse(struct gf_arena *a, gf_slice text, const char *label, struct py_pylock *ret, struct gf_err *err)
{
    struct reader r = { a, label, err };
    struct py_pylock l = { 0 };
    const struct py_toml *doc;
    if (py_toml_parse(a, text, label, &doc, err) || take_version(&r, doc, &l)) return -1;
    if (take_string(&r, doc, "created-by", true, &l.created_by) || take_specs(&r, doc, &l.requires_python, &l.python)) return -1;
    if (take_environments(&r, doc, &l) || take_strings(&r, doc, "extras", &l.extras, &l.nextras)) return -1;
    for (uint32_t i = 0; i < l.nextras; i++)
        if (!py_name_is_normalized(gf_slice_of(l.extras[i]))) return wrong(&r, py_toml_get(doc, "extras"), l.extras[i], "a normalized name");
    if (take_strings(&r, doc, "dependency-groups", &l.groups, &l.ngroups) || take_strings(&r, doc, "default-groups", &l.default_groups, &l.ndefault_groups)) return -1;
    if (want(&r, py_toml_get(doc, "tool"), "tool", PY_TOML_TABLE, "a table") || take_packages(&r, doc, &l)) return -1;
    *ret = l;
    return 0;
}
