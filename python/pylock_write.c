/* Writing pylock.toml: the order of PEP 751, one package after the other. */
#include "python/pylock.h"

static void put_key(struct gf_buf *out, const char *key, const char *value)
{
    if (!value) return;
    gf_buf_addf(out, "%s = ", key);
    py_toml_put_string(out, gf_slice_of(value));
    gf_buf_addc(out, '\n');
}

static void put_list(struct gf_buf *out, const char *key, const char *const *v, uint32_t n)
{
    if (!n) return;
    gf_buf_addf(out, "%s = [", key);
    for (uint32_t i = 0; i < n; i++) {
        if (i) gf_buf_adds(out, ", ");
        py_toml_put_string(out, gf_slice_of(v[i]));
    }
    gf_buf_adds(out, "]\n");
}

static void put_marker(struct gf_buf *out, const char *key, const struct py_marker *m)
{
    struct gf_arena a = GF_ARENA_INIT;
    if (m) put_key(out, key, py_marker_text(&a, m));
    gf_arena_release(&a);
}

static void put_hashes(struct gf_buf *out, const struct py_pylock_file *f)
{
    gf_buf_adds(out, "hashes = {");
    for (uint32_t i = 0; i < f->nhashes; i++) {
        gf_slice kind, hex = gf_slice_of(f->hashes[i]);
        gf_slice_cut(&hex, ':', &kind);
        gf_buf_adds(out, i ? ", " : "");
        py_toml_put_string(out, kind);
        gf_buf_adds(out, " = ");
        py_toml_put_string(out, hex);
    }
    gf_buf_adds(out, "}\n");
}

static void put_file(struct gf_buf *out, const char *header, const struct py_pylock_file *f)
{
    gf_buf_addf(out, "\n%s\n", header);
    put_key(out, "name", f->name);
    if (f->upload_time) gf_buf_addf(out, "upload-time = %s\n", f->upload_time);
    put_key(out, "url", f->url);
    put_key(out, "path", f->path);
    if (f->size >= 0) gf_buf_addf(out, "size = %lld\n", (long long)f->size);
    put_hashes(out, f);
    put_key(out, "subdirectory", f->subdirectory);
}

static void put_dependencies(struct gf_buf *out, const struct py_pylock_package *p)
{
    if (!p->ndependencies) return;
    gf_buf_adds(out, "dependencies = [");
    for (uint32_t i = 0; i < p->ndependencies; i++) {
        gf_buf_adds(out, i ? ", {name = " : "{name = ");
        py_toml_put_string(out, gf_slice_of(p->dependencies[i]));
        gf_buf_addc(out, '}');
    }
    gf_buf_adds(out, "]\n");
}

static void put_source(struct gf_buf *out, const struct py_pylock_package *p)
{
    switch (p->kind) {
    case PY_PYLOCK_FILES:
        if (p->has_sdist) put_file(out, "[packages.sdist]", &p->files[p->nwheels]);
        for (uint32_t i = 0; i < p->nwheels; i++) put_file(out, "[[packages.wheels]]", &p->files[i]);
        break;
    case PY_PYLOCK_ARCHIVE: put_file(out, "[packages.archive]", p->files); break;
    case PY_PYLOCK_DIRECTORY:
        gf_buf_adds(out, "\n[packages.directory]\n");
        put_key(out, "path", p->place);
        break;
    case PY_PYLOCK_VCS:
        gf_buf_adds(out, "\n[packages.vcs]\n");
        put_key(out, "type", p->vcs_type);
        put_key(out, strstr(p->place, "://") ? "url" : "path", p->place);
        put_key(out, "commit-id", p->vcs_commit);
        break;
    }
}

static void put_package(struct gf_buf *out, const struct py_pylock_package *p)
{
    gf_buf_adds(out, "\n[[packages]]\n");
    put_key(out, "name", p->name);
    put_key(out, "version", p->version);
    put_marker(out, "marker", p->marker);
    put_key(out, "requires-python", p->requires_python);
    put_dependencies(out, p);
    put_key(out, "index", p->index);
    put_source(out, p);
}

static void put_environments(struct gf_buf *out, const struct py_pylock *l)
{
    struct gf_arena a = GF_ARENA_INIT;
    if (!l->has_environments) return;
    gf_buf_adds(out, "environments = [");
    for (uint32_t i = 0; i < l->nenvironments; i++) {
        gf_buf_adds(out, i ? ", " : "");
        py_toml_put_string(out, gf_slice_of(py_marker_text(&a, l->environments[i])));
    }
    gf_buf_adds(out, "]\n");
    gf_arena_release(&a);
}

void py_pylock_write(const struct py_pylock *l, struct gf_buf *out)
{
    put_key(out, "lock-version", l->lock_version ? l->lock_version : "1.0");
    put_environments(out, l);
    put_key(out, "requires-python", l->requires_python);
    put_list(out, "extras", l->extras, l->nextras);
    put_list(out, "dependency-groups", l->groups, l->ngroups);
    put_list(out, "default-groups", l->default_groups, l->ndefault_groups);
    put_key(out, "created-by", l->created_by);
    if (!l->npackages) gf_buf_adds(out, "packages = []\n");
    for (uint32_t i = 0; i < l->npackages; i++) put_package(out, &l->packages[i]);
}
