/* pyproject.toml and pylock.toml as requests. */
#include "cli/planning.h"
#include "base/file.h"
#include "python/pylock.h"
#include "python/pyproject.h"

bool opt_is_toml(const char *path) { return gf_slice_ends(gf_slice_of(path), GF_S(".toml")); }

void opt_projects_release(struct opt_projects *p)
{
    gf_vec_free(&p->requests);
    gf_vec_free(&p->hashes);
    gf_vec_free(&p->pythons);
    gf_vec_free(&p->locks);
}

static void add_all(struct opt_projects *p, struct py_reqs list)
{
    for (uint32_t i = 0; i < list.n; i++) gf_vec_push(&p->requests, list.v[i]);
}

static int add_python(struct gf_arena *a, struct opt_projects *p, const char *path, const char *text, struct gf_err *err)
{
    struct opt_pythons one = { .file = path, .text = text };
    if (!text) return 0;
    if (!py_specset_parse(a, gf_slice_of(text), true, &one.specs)) return gf_fail(err, GF_E_PARSE, "%s: requires-python '%s' is no version specifier", path, text);
    gf_vec_push(&p->pythons, one);
    return 0;
}

/* "there is no extra 'x', there are: a b". */
static int no_such(const char *path, const char *kind, const char *name, const struct py_named_reqs *have, uint32_t n, struct gf_err *err)
{
    GF_BUF_SCOPE struct gf_buf list;
    gf_buf_init(&list, 2000);
    for (uint32_t i = 0; i < n; i++) gf_buf_addf(&list, " %s", have[i].name);
    return gf_fail(err, GF_E_USAGE, "%s has no %s '%s'; it has%s%.*s", path, kind, name, list.n ? ":" : " none", GF_FMT(gf_buf_slice(&list)));
}

static int add_pyproject(struct gf_arena *a, struct opt_projects *p, const char *path, gf_slice text, const struct opt_choice *c, struct gf_err *err)
{
    struct py_pyproject project;
    if (py_pyproject_parse(a, text, path, &project, err)) return -1;
    if (project.dynamic_dependencies)
        return gf_fail(err, GF_E_USAGE, "%s leaves its dependencies to a build (dynamic), which is not run while planning: name them in a requirements file", path);
    if (c->extras.n && project.dynamic_extras) return gf_fail(err, GF_E_USAGE, "%s leaves its optional dependencies to a build (dynamic), which is not run while planning", path);
    add_all(p, project.dependencies);
    for (size_t i = 0; i < c->extras.n; i++) {
        const char *want = py_name_normalize(a, gf_slice_of(c->extras.v[i]));
        uint32_t k = 0;
        while (k < project.nextras && strcmp(project.extras[k].name, want) != 0) k++;
        if (k == project.nextras) return no_such(path, "extra", c->extras.v[i], project.extras, project.nextras, err);
        add_all(p, project.extras[k].reqs);
    }
    for (size_t i = 0; i < c->groups.n; i++) {
        struct py_reqs group;
        if (py_pyproject_group(a, &project, gf_slice_of(c->groups.v[i]), &group, err)) return -1;
        add_all(p, group);
    }
    return add_python(a, p, path, project.requires_python, err);
}

static int read_into(struct gf_arena *a, const char *path, gf_slice *ret, struct gf_err *err)
{
    GF_BUF_SCOPE struct gf_buf text;
    gf_buf_init(&text, GF_CAP_LOCK);
    if (gf_file_read(path, GF_CAP_LOCK, &text, err)) return -1;
    *ret = gf_slice_n(gf_arena_str(a, gf_buf_slice(&text)), text.n);
    return 0;
}

/* A lock tells itself by its first key: "lock-version". */
static bool is_lock(gf_slice text)
{
    gf_slice line;
    while (gf_slice_line(&text, &line))
        if (gf_slice_starts(gf_slice_trim(line), GF_S("lock-version"))) return true;
        else if (gf_slice_starts(gf_slice_trim(line), GF_S("["))) return false;
    return false;
}

int opt_projects_add(struct gf_arena *a, struct opt_projects *p, const char *path, const struct opt_choice *c, struct gf_err *err)
{
    gf_slice text;
    if (read_into(a, path, &text, err)) return -1;
    if (!is_lock(text)) return add_pyproject(a, p, path, text, c, err);
    gf_vec_push(&p->locks, path);
    return 0;
}

static gf_slice *names_of(struct gf_arena *a, const struct opt_list *list)
{
    gf_slice *ret = GF_NEW_ARRAY(a, gf_slice, list->n + 1);
    for (size_t i = 0; i < list->n; i++) ret[i] = gf_slice_of(py_name_normalize(a, gf_slice_of(list->v[i])));
    return ret;
}

/* One package of a lock: its version, and its file by digest. */
static int add_pick(struct gf_arena *a, struct opt_projects *p, const char *path, const struct py_pylock_pick *pick, struct gf_err *err)
{
    const struct py_pylock_package *pkg = pick->package;
    struct py_req r;
    if (!pick->file) return gf_fail(err, GF_E_USAGE, "%s: %s comes from a version control system or a folder, which is not built while planning", path, pkg->name);
    bool remote = pick->file->url && pkg->kind == PY_PYLOCK_ARCHIVE;
    if (!remote && !pkg->version) return gf_fail(err, GF_E_USAGE, "%s: %s has no version", path, pkg->name);
    const char *text = remote ? gf_arena_printf(a, "%s @ %s", pkg->name, pick->file->url) : gf_arena_printf(a, "%s==%s", pkg->name, pkg->version);
    if (py_req_parse(a, gf_slice_of(text), false, &r, err)) return gf_wrap(err, "%s", path);
    gf_vec_push(&p->requests, r);
    gf_vec_push(&p->hashes, (struct rsv_hashes){ r.name, pick->file->hashes, pick->file->nhashes });
    return 0;
}

static int select_lock(struct gf_arena *a, struct opt_projects *p, const char *path, const struct py_platform *platform, const struct opt_choice *c, struct gf_err *err)
{
    gf_slice text;
    struct py_pylock lock;
    struct py_pylock_pick *picks = NULL;
    size_t n = 0;
    struct py_selection sel = { names_of(a, &c->extras), c->extras.n, c->groups.n ? names_of(a, &c->groups) : NULL, c->groups.n };
    if (read_into(a, path, &text, err) || py_pylock_parse(a, text, path, &lock, err)) return -1;
    if (py_pylock_select(a, &lock, platform, &sel, &picks, &n, err)) return gf_wrap(err, "%s", path);
    for (size_t i = 0; i < n; i++)
        if (add_pick(a, p, path, &picks[i], err)) return -1;
    return 0;
}

int opt_projects_fit(struct gf_arena *a, const struct opt_projects *p, const struct mdl_profile *target, struct gf_err *err)
{
    struct py_version v;
    for (size_t i = 0; i < p->pythons.n && target->python_version; i++)
        if (py_version_parse(a, gf_slice_of(target->python_version), &v) && !py_specset_contains(&p->pythons.v[i].specs, &v))
            return gf_fail(err, GF_E_NO, "%s is for Python %s, the target has %s", p->pythons.v[i].file, p->pythons.v[i].text, target->python_version);
    return 0;
}

int opt_projects_select(struct gf_arena *a, struct opt_projects *p, const struct mdl_profile *target, const struct opt_choice *c, struct gf_err *err)
{
    struct py_platform platform;
    const char *missing = NULL;
    if (!p->locks.n) return 0;
    if (!mdl_profile_platform(target, &platform, &missing))
        return gf_fail(err, GF_E_UNKNOWN, "the target's %s is not known and decides which files fit: say it (--%s) or give a profile that has it", missing, missing);
    for (size_t i = 0; i < p->locks.n; i++)
        if (select_lock(a, p, p->locks.v[i], &platform, c, err)) return -1;
    return 0;
}
