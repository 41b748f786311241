/* What of a pylock.toml an environment installs. */
#include "python/pylock.h"
#include <stdlib.h>

struct picker {
    struct gf_arena *a;
    const struct py_pylock *l;
    struct py_env env;
    struct py_tags *tags;
    struct py_selection sel; /* with the default groups filled in */
    struct py_version python;
    struct gf_err *err;
};

static bool named(gf_slice name, const char *const *v, uint32_t n, struct gf_arena *a)
{
    for (uint32_t i = 0; i < n; i++)
        if (gf_slice_is(name, py_name_normalize(a, gf_slice_of(v[i])))) return true;
    return false;
}

static int check_selection(struct picker *k, const struct py_selection *asked)
{
    const struct py_pylock *l = k->l;
    for (size_t i = 0; i < asked->nextras; i++)
        if (!named(asked->extras[i], l->extras, l->nextras, k->a))
            return gf_fail(k->err, GF_E_USAGE, "the lock does not declare the extra '%.*s'", GF_FMT(asked->extras[i]));
    for (size_t i = 0; asked->groups && i < asked->ngroups; i++)
        if (!named(asked->groups[i], l->groups, l->ngroups, k->a) && !named(asked->groups[i], l->default_groups, l->ndefault_groups, k->a))
            return gf_fail(k->err, GF_E_USAGE, "the lock does not declare the dependency group '%.*s'", GF_FMT(asked->groups[i]));
    k->sel = *asked;
    if (asked->groups) return 0;
    gf_slice *groups = GF_NEW_ARRAY(k->a, gf_slice, l->ndefault_groups + 1);
    for (uint32_t i = 0; i < l->ndefault_groups; i++) groups[i] = gf_slice_of(py_name_normalize(k->a, gf_slice_of(l->default_groups[i])));
    k->sel.groups = groups;
    k->sel.ngroups = l->ndefault_groups;
    return 0;
}

static int check_python(struct picker *k, const struct py_specset *specs, const char *text, const char *who)
{
    if (!text || py_specset_contains(specs, &k->python)) return 0;
    return gf_fail(k->err, GF_E_NO, "%s requires Python %s, the target has %s", who, text, k->python.text);
}

static int check_environments(struct picker *k)
{
    static const struct py_selection none;
    enum py_tri any = k->l->has_environments ? PY_NO : PY_YES;
    for (uint32_t i = 0; i < k->l->nenvironments; i++) any = py_or(any, py_marker_eval_selection(k->l->environments[i], &k->env, &none));
    if (any == PY_YES) return 0;
    if (any == PY_UNKNOWN) return gf_fail(k->err, GF_E_UNKNOWN, "whether the target is one of the environments of the lock hangs on facts that are not known");
    return gf_fail(k->err, GF_E_NO, "the target is none of the environments that the lock is for");
}

/* The best fitting wheel, else the sdist. */
static int pick_file(struct picker *k, const struct py_pylock_package *p, const struct py_pylock_file **ret)
{
    int best = -1;
    *ret = p->kind == PY_PYLOCK_ARCHIVE ? p->files : NULL;
    if (p->kind != PY_PYLOCK_FILES) return 0;
    for (uint32_t i = 0; i < p->nwheels; i++) {
        struct py_wheel w;
        int rank = py_wheel_parse(k->a, gf_slice_of(p->files[i].name), &w) ? py_tags_rank(k->tags, &w) : -1;
        if (rank < 0 || (best >= 0 && rank >= best)) continue;
        best = rank;
        *ret = &p->files[i];
    }
    if (!*ret && p->has_sdist) *ret = &p->files[p->nwheels];
    return *ret ? 0 : gf_fail(k->err, GF_E_NO, "none of the %u wheels of %s in the lock fits the target, and it has no source archive", p->nwheels, p->name);
}

static int twice(struct picker *k, const struct py_pylock_pick *v, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(v[i].package->name, name)) return gf_fail(k->err, GF_E_NO, "two entries of the lock for '%s' apply to the target", name);
    return 0;
}

static int select_packages(struct picker *k, struct py_pylock_pick *v, size_t *n)
{
    for (uint32_t i = 0; i < k->l->npackages; i++) {
        const struct py_pylock_package *p = &k->l->packages[i];
        enum py_tri applies = py_marker_eval_selection(p->marker, &k->env, &k->sel);
        if (applies == PY_NO) continue;
        if (applies == PY_UNKNOWN) return gf_fail(k->err, GF_E_UNKNOWN, "whether the target needs %s hangs on facts that are not known: %s", p->name, py_marker_text(k->a, p->marker));
        if (check_python(k, &p->python, p->requires_python, p->name) || twice(k, v, *n, p->name)) return -1;
        v[(*n)++].package = p;
    }
    for (size_t i = 0; i < *n; i++)
        if (pick_file(k, v[i].package, &v[i].file)) return -1;
    return 0;
}

int py_pylock_select(struct gf_arena *a, const struct py_pylock *l, const struct py_platform *p, const struct py_selection *sel, struct py_pylock_pick **ret,
                     size_t *ret_n, struct gf_err *err)
{
    struct picker k = { .a = a, .l = l, .env = py_platform_env(p), .err = err };
    size_t n = 0;
    struct py_pylock_pick *v = GF_NEW_ARRAY(a, struct py_pylock_pick, l->npackages + 1);
    const char *python = gf_arena_printf(a, "%u.%u.%u", p->major, p->minor, p->micro);
    if (!py_version_parse(a, gf_slice_of(python), &k.python)) return gf_fail(err, GF_E_UNKNOWN, "the target's Python is not known");
    if (check_selection(&k, sel) || check_python(&k, &l->python, l->requires_python, "the lock") || check_environments(&k)) return -1;
    k.tags = py_tags_new(p);
    int rc = select_packages(&k, v, &n);
    py_tags_free(k.tags);
    if (rc) return -1;
    *ret = v;
    *ret_n = n;
    return 0;
}
