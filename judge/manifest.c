#include "judge/manifest.h"
#include "base/file.h"
#include "python/pyproject.h"
#include "python/reqfile.h"
#include "python/toml.h"

struct adding {
    struct mtx *m;
    struct mdl_profile *p;
    struct gf_buf *notes;
    const char *variant; /* of the index that the file names: "cu121"; NULL */
    const char *path;
    gf_slice text;       /* of path */
};

/* ".../whl/cu121", ".../stable/cu126/" → "cu121", "cu126". */
static const char *variant_of_url(struct adding *a, gf_slice url)
{
    gf_slice rest = url, part;
    while (gf_slice_field(&rest, '/', &part)) {
        bool cuda = part.n > 3 && gf_slice_starts(part, GF_S("cu")) && gf_is_digit((unsigned char)part.p[2]);
        if (cuda || gf_slice_is(part, "cpu") || (part.n > 4 && gf_slice_starts(part, GF_S("rocm")))) return gf_arena_str(&a->p->mem, part);
    }
    return NULL;
}

static bool of_that_index(struct adding *a, const char *name)
{
    const char *family = mtx_family_of(a->m, name);
    return strcmp(name, "torch") == 0 || strcmp(name, "paddlepaddle-gpu") == 0 || (family && strcmp(family, "torch") == 0);
}

static void put(struct adding *a, const char *name, gf_slice version, const char *build)
{
    struct gf_arena *mem = &a->p->mem;
    struct mdl_package pkg = { .name = py_name_normalize(mem, gf_slice_of(name)), .version = gf_arena_str(mem, version), .build = build };
    bool local = version.p && gf_slice_chr(version, '+') >= 0;
    if (!build && a->variant && !local && of_that_index(a, pkg.name)) {
        if (version.p) pkg.version = gf_arena_printf(mem, "%.*s+%s", GF_FMT(version), a->variant);
        else pkg.build = a->variant;
    }
    mdl_profile_add_package(a->p, pkg);
}

/* The newest release of the data within the range; GF_NONE when there is none. */
static gf_slice newest_known(struct adding *a, const char *name, const struct py_specset *specs)
{
    const struct mtx_build *const *rows;
    size_t n = mtx_builds(a->m, name, &rows);
    for (size_t i = 0; i < n; i++) {
        struct py_version v;
        if (!py_version_parse(&a->p->mem, gf_slice_of(rows[i]->version), &v) || py_version_is_pre(&v) || !py_specset_contains(specs, &v)) continue;
        gf_buf_addf(a->notes, "%s is not pinned: taken for %s, the newest release that the data knows\n", name, rows[i]->version);
        return gf_slice_of(rows[i]->version);
    }
    return GF_NONE;
}

static void put_requirement(struct adding *a, const struct py_req *r)
{
    const struct py_specset *s = &r->specs;
    gf_slice version = GF_NONE;
    for (uint32_t i = 0; i < s->n && !version.p; i++) {
        if (s->v[i].op == PY_EQ && !s->v[i].wildcard) version = gf_slice_of(s->v[i].v.text);
        if (s->v[i].op == PY_ARBITRARY) version = gf_slice_of(s->v[i].arbitrary);
    }
    put(a, r->name, version.p || r->url ? version : newest_known(a, r->name, s), NULL);
}

/* ---- requirements ---- */

static int read_file(void *arg, const char *path, struct gf_buf *out, struct gf_err *err)
{
    const struct adding *a = arg;
    if (strcmp(path, a->path) == 0) {
        gf_buf_addsl(out, a->text);
        return 0;
    }
    if (strcmp(path, "-") == 0) return gf_fail(err, GF_E_USAGE, "%s includes standard input, which is not read here", a->path);
    if (strstr(path, "://")) return gf_fail(err, GF_E_USAGE, "'%s' is not read here: give a local copy", path);
    return gf_file_read(path, GF_CAP_PROFILE, out, err);
}

static const char *no_variable(void *arg, const char *name)
{
    (void)arg;
    (void)name;
    return NULL;
}

static int add_requirements(struct adding *a, struct gf_err *err)
{
    struct py_reqfile f;
    struct py_reqfile_io io = { read_file, no_variable, a, NULL };
    py_reqfile_init(&f);
    int rc = py_reqfile_load(&f, a->path, PY_REQUIREMENTS, &io, err);
    if (!rc) {
        if (f.index_url) a->variant = variant_of_url(a, gf_slice_of(f.index_url));
        for (size_t i = 0; i < f.extra_index_urls.n && !a->variant; i++) a->variant = variant_of_url(a, gf_slice_of(f.extra_index_urls.v[i]));
        for (size_t i = 0; i < f.lines[PY_REQUIREMENTS].n; i++) put_requirement(a, &f.lines[PY_REQUIREMENTS].v[i].req);
    }
    py_reqfile_release(&f);
    return rc;
}

/* ---- TOML locks ---- */

static int add_toml(struct adding *a, const char *list, struct gf_err *err)
{
    struct gf_arena mem;
    const struct py_toml *doc = NULL;
    gf_arena_init(&mem);
    int rc = py_toml_parse(&mem, a->text, a->path, &doc, err);
    const struct py_toml *packages = rc ? NULL : py_toml_get(doc, list);
    if (!rc && py_toml_type(packages) != PY_TOML_ARRAY) rc = gf_fail(err, GF_E_PARSE, "%s: expected a list [[%s]], found %s", a->path, list, py_toml_type_name(packages));
    for (const struct py_toml *c = rc ? NULL : py_toml_first(packages); c; c = py_toml_next(c)) {
        const char *name = py_toml_cstr(py_toml_get(c, "name"));
        const struct py_toml *source = py_toml_get(c, "source");
        bool own = py_toml_get(source, "virtual") || py_toml_get(source, "editable"); /* the project itself */
        const char *index = py_toml_cstr(py_toml_get(source, "registry"));
        a->variant = index ? variant_of_url(a, gf_slice_of(index)) : NULL;
        if (name && !own) put(a, name, py_toml_text(py_toml_get(c, "version")), NULL);
    }
    gf_arena_release(&mem);
    return rc;
}

static int add_pyproject(struct adding *a, struct gf_err *err)
{
    struct gf_arena mem;
    struct py_pyproject project;
    gf_arena_init(&mem);
    int rc = py_pyproject_parse(&mem, a->text, a->path, &project, err);
    for (uint32_t i = 0; !rc && i < project.dependencies.n; i++) put_requirement(a, &project.dependencies.v[i]);
    if (!rc && project.dynamic_dependencies) gf_buf_addf(a->notes, "%s leaves its dependencies to a build: those are not judged\n", a->path);
    gf_arena_release(&mem);
    return rc;
}

/* ---- conda ---- */

static const char *conda_name(gf_slice name) { return gf_slice_is(name, "pytorch") ? "torch" : gf_slice_is(name, "pytorch-gpu") ? "torch" : NULL; }

/* A build string tells what it was made for: py3.10_cuda11.8_cudnn8.7.0_0, cuda118py310…, py3.8_cpu_0. */
static const char *conda_build(struct adding *a, gf_slice build)
{
    ptrdiff_t at = gf_slice_find(build, GF_S("cuda"));
    if (gf_slice_has(build, GF_S("cpu"))) return "cpu";
    if (at < 0) return NULL;
    gf_slice s = gf_slice_from(build, (size_t)at + 4);
    uint64_t major = gf_take_u64(&s);
    if (!s.p) return NULL;
    if (!gf_try_char(&s, '.')) return gf_arena_printf(&a->p->mem, "cu%llu", (unsigned long long)major);
    uint64_t minor = gf_take_u64(&s);
    return s.p ? gf_arena_printf(&a->p->mem, "cu%llu%llu", (unsigned long long)major, (unsigned long long)minor) : NULL;
}

static void add_conda_spec(struct adding *a, gf_slice spec, const char **pytorch_cuda)
{
    gf_slice name, version, rest = spec;
    for (ptrdiff_t at; (at = gf_slice_find(rest, GF_S("::"))) >= 0;) rest = gf_slice_from(rest, (size_t)at + 2); /* channel::name */
    size_t n = 0;
    while (n < rest.n && !strchr("=<>! ", rest.p[n])) n++;
    name = gf_slice_sub(rest, 0, n);
    rest = gf_slice_trim(gf_slice_from(rest, n));
    bool pinned = gf_try_char(&rest, '=');
    gf_try_char(&rest, '=');
    gf_slice_cut(&rest, '=', &version);
    const char *build = rest.p == version.p ? NULL : conda_build(a, rest);
    if (!pinned || gf_slice_chr(version, '*') >= 0) version = GF_NONE;
    if (gf_slice_is(name, "python")) {
        if (version.p) mdl_profile_put(a->p, "python.version", version, "environment.yml");
    } else if (gf_slice_is(name, "pytorch-cuda") || gf_slice_is(name, "cudatoolkit")) {
        if (version.p) *pytorch_cuda = conda_build(a, gf_slice_of(gf_arena_printf(&a->p->mem, "cuda%.*s", GF_FMT(version))));
    } else if (gf_slice_is(name, "cpuonly")) *pytorch_cuda = "cpu";
    else if (name.n) put(a, conda_name(name) ? conda_name(name) : gf_arena_str(&a->p->mem, name), version, build);
}

/* The part of YAML that such files use: "- spec" lines below "dependencies:", a nested list below "- pip:". */
static int add_conda(struct adding *a)
{
    gf_slice rest = a->text, line;
    const char *pytorch_cuda = NULL;
    bool inside = false, pip = false;
    while (gf_slice_line(&rest, &line)) {
        ptrdiff_t hash = gf_slice_find(line, GF_S(" #"));
        gf_slice s = gf_slice_trim(hash >= 0 ? gf_slice_sub(line, 0, (size_t)hash) : line);
        if (!s.n || *s.p == '#') continue;
        if (*s.p != '-') {
            if (!gf_is_space((unsigned char)line.p[0])) inside = gf_slice_starts(s, GF_S("dependencies:"));
            continue;
        }
        s = gf_slice_trim(gf_slice_from(s, 1));
        if (s.n > 1 && (*s.p == '"' || *s.p == '\'')) s = gf_slice_sub(s, 1, s.n - 2);
        struct py_req r;
        if (!inside) continue;
        if (gf_slice_is(s, "pip:")) pip = true;
        else if (gf_slice_starts(s, GF_S("--"))) a->variant = variant_of_url(a, s) ? variant_of_url(a, s) : a->variant;
        else if (!pip) add_conda_spec(a, s, &pytorch_cuda);
        else if (py_req_parse(&a->p->mem, s, true, &r, NULL) == 0) put_requirement(a, &r);
    }
    for (size_t i = 0; pytorch_cuda && i < a->p->npackages; i++)
        if (strcmp(a->p->packages[i].name, "torch") == 0 && !a->p->packages[i].build) a->p->packages[i].build = pytorch_cuda;
    return 0;
}

/* ---- Dockerfile ---- */

/* nvidia/cuda:12.4.1-cudnn-devel-ubuntu22.04, pytorch/pytorch:2.1.0-cuda12.1-cudnn8-runtime */
static void add_base_image(struct adding *a, gf_slice image)
{
    gf_slice tag = image, repository, part;
    if (!gf_slice_cut(&tag, ':', &repository)) return;
    bool pytorch = gf_slice_ends(repository, GF_S("pytorch/pytorch")), cuda = gf_slice_ends(repository, GF_S("nvidia/cuda")), devel = gf_slice_has(tag, GF_S("devel"));
    gf_slice rest = tag, first = GF_NONE;
    const char *build = NULL;
    while (gf_slice_field(&rest, '-', &part)) {
        if (!first.p) first = part;
        if (gf_slice_starts(part, GF_S("cuda")) && part.n > 4) build = conda_build(a, part);
        static const char *const systems[] = { "ubuntu", "rockylinux", "debian" };
        for (size_t i = 0; i < 3; i++)
            if (gf_slice_starts(part, gf_slice_of(systems[i])) && part.n > strlen(systems[i])) {
                mdl_profile_put(a->p, "os.id", gf_slice_of(i == 1 ? "rocky" : systems[i]), "FROM");
                mdl_profile_put(a->p, "os.version", gf_slice_from(part, strlen(systems[i])), "FROM");
            }
    }
    if (pytorch && first.p) put(a, "torch", first, NULL), a->p->packages[a->p->npackages - 1].build = build;
    if (cuda && devel && first.p) mdl_profile_put(a->p, "toolkit.nvcc", first, "FROM");
}

static bool is_pip_install(gf_slice command)
{
    return gf_slice_has(command, GF_S("pip install")) || gf_slice_has(command, GF_S("pip3 install"));
}

/* A file that the image installs from: the one of that name beside the Dockerfile, which COPY or ADD would have brought. */
static void add_list_of_image(struct adding *a, gf_slice file)
{
    ptrdiff_t slash = gf_slice_rchr(gf_slice_of(a->path), '/'), last = gf_slice_rchr(file, '/');
    gf_slice folder = gf_slice_sub(gf_slice_of(a->path), 0, slash >= 0 ? (size_t)slash + 1 : 0), names[2] = { file, gf_slice_from(file, last >= 0 ? (size_t)last + 1 : 0) };
    for (int i = gf_slice_starts(file, GF_S("-")) ? 2 : gf_slice_starts(file, GF_S("/")) || gf_slice_has(file, GF_S("..")) || gf_slice_has(file, GF_S("$")); i < 2; i++) {
        GF_BUF_SCOPE struct gf_buf text;
        struct gf_err err = GF_ERR_INIT;
        gf_buf_init(&text, GF_CAP_PROFILE);
        struct adding list = *a;
        list.path = gf_arena_printf(&a->p->mem, "%.*s%.*s", GF_FMT(folder), GF_FMT(names[i]));
        if (!names[i].n || gf_file_read(list.path, GF_CAP_PROFILE, &text, &err)) continue;
        list.text = gf_buf_slice(&text);
        if (add_requirements(&list, &err)) gf_buf_addf(a->notes, "%s\n", err.text);
        return;
    }
    gf_buf_addf(a->notes, "%s installs from %.*s, which is not beside it: check that file too\n", a->path, GF_FMT(file));
}

/* The words of one "pip install …" up to && or ;. */
static void add_pip_words(struct adding *a, gf_slice command)
{
    gf_slice words = gf_slice_from(command, (size_t)gf_slice_find(command, GF_S("install")) + 7), w;
    const char *variant = NULL;
    for (gf_slice look = words; gf_slice_word(&look, &w);)
        if (gf_slice_has(w, GF_S("://"))) variant = variant_of_url(a, w) ? variant_of_url(a, w) : variant;
    a->variant = variant;
    bool skip = false, file = false;
    while (gf_slice_word(&words, &w)) {
        struct py_req r;
        if (w.n > 1 && (*w.p == '"' || *w.p == '\'')) w = gf_slice_sub(w, 1, w.n - 2);
        if (file) add_list_of_image(a, w);
        bool value = skip || file;
        skip = gf_slice_is(w, "-i") || gf_slice_is(w, "--index-url") || gf_slice_is(w, "--extra-index-url") || gf_slice_is(w, "-f") || gf_slice_is(w, "--find-links");
        file = gf_slice_is(w, "-r") || gf_slice_is(w, "--requirement");
        if (value || skip || file || *w.p == '-' || gf_slice_has(w, GF_S("/")) || gf_slice_ends(w, GF_S(".txt"))) continue;
        if (py_req_parse(&a->p->mem, w, true, &r, NULL) == 0) put_requirement(a, &r);
    }
    a->variant = NULL;
}

static void add_run(struct adding *a, gf_slice line)
{
    while (line.n) {
        ptrdiff_t end = gf_slice_find(line, GF_S("&&")), semi = gf_slice_chr(line, ';');
        if (semi >= 0 && (end < 0 || semi < end)) end = semi;
        gf_slice command = end >= 0 ? gf_slice_sub(line, 0, (size_t)end) : line;
        if (is_pip_install(command)) add_pip_words(a, command);
        line = end >= 0 ? gf_slice_from(line, (size_t)end + 2) : GF_NONE;
    }
}

static int add_dockerfile(struct adding *a)
{
    GF_BUF_SCOPE struct gf_buf joined;
    gf_buf_init(&joined, GF_CAP_LOCK);
    gf_slice rest = a->text, line;
    while (gf_slice_line(&rest, &line)) {
        gf_slice s = gf_slice_trim(line);
        if (s.n && *s.p == '#') continue;
        bool more = s.n && s.p[s.n - 1] == '\\';
        gf_buf_addsl(&joined, more ? gf_slice_sub(s, 0, s.n - 1) : s);
        if (more) {
            gf_buf_addc(&joined, ' ');
            continue;
        }
        gf_slice whole = gf_buf_slice(&joined), word;
        if (gf_slice_word(&whole, &word)) {
            if (gf_slice_ieq(word, GF_S("FROM")) && gf_slice_word(&whole, &word)) add_base_image(a, word);
            else if (gf_slice_ieq(word, GF_S("RUN"))) add_run(a, whole);
        }
        gf_buf_clear(&joined);
    }
    return 0;
}

int jdg_manifest_add(struct mtx *m, enum jdg_manifest kind, const char *path, gf_slice text, struct mdl_profile *p, struct gf_buf *notes, struct gf_err *err)
{
    struct adding a = { m, p, notes, NULL, path, text };
    p->packages_known = MDL_PRESENT;
    switch (kind) {
    case JDG_REQUIREMENTS: return add_requirements(&a, err);
    case JDG_PYLOCK: return add_toml(&a, "packages", err);
    case JDG_UV_LOCK: return add_toml(&a, "package", err);
    case JDG_PYPROJECT: return add_pyproject(&a, err);
    case JDG_CONDA: return add_conda(&a);
    case JDG_DOCKERFILE: return add_dockerfile(&a);
    case JDG_NO_MANIFEST: break;
    }
    return gf_fail(err, GF_E_USAGE, "'%s' is no file that this reads", path);
}
