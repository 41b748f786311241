#include "python/pyproject.h"
#include "base/vec.h"
#include "python/wheel.h"

enum { MAX_GROUP_DEPTH = 100, MAX_GROUPS = 2000 };

struct reader {
    struct gf_arena *a;
    const char *label;
    struct gf_err *err;
};
typedef GF_VEC(struct py_req) req_vec;

static int wrong_type(const struct reader *r, const struct py_toml *v, const char *what, const char *expected)
{
    return gf_fail(r->err, GF_E_PARSE, "%s:%u: %s is %s, expected %s", r->label, py_toml_line(v), what, py_toml_type_name(v), expected);
}

/* A string that may be absent; one that is there must be a string. */
static int take_string(const struct reader *r, const struct py_toml *table, const char *key, const char **ret)
{
    const struct py_toml *v = py_toml_get(table, key);
    *ret = py_toml_cstr(v);
    return v && !*ret ? wrong_type(r, v, key, "a string") : 0;
}

static int add_requirement(const struct reader *r, const struct py_toml *v, const char *what, req_vec *out)
{
    struct py_req req;
    if (py_toml_type(v) != PY_TOML_STRING) return wrong_type(r, v, what, "a requirement as a string");
    if (py_req_parse(r->a, py_toml_text(v), false, &req, r->err)) return gf_wrap(r->err, "%s:%u: %s", r->label, py_toml_line(v), what);
    gf_vec_push(out, req);
    return 0;
}

static struct py_reqs to_arena(struct gf_arena *a, req_vec *v)
{
    struct py_reqs out = { v->n ? gf_arena_memdup(a, v->v, v->n * sizeof *v->v) : NULL, (uint32_t)v->n };
    gf_vec_free(v);
    return out;
}

static int take_requirements(const struct reader *r, const struct py_toml *list, const char *what, struct py_reqs *ret)
{
    req_vec reqs = { 0 };
    if (list && py_toml_type(list) != PY_TOML_ARRAY) return wrong_type(r, list, what, "an array of requirements");
    for (const struct py_toml *v = py_toml_first(list); v; v = py_toml_next(v))
        if (add_requirement(r, v, what, &reqs)) {
            gf_vec_free(&reqs);
            return -1;
        }
    *ret = to_arena(r->a, &reqs);
    return 0;
}

static const char *normalized(struct gf_arena *a, gf_slice name) { return py_name_normalize(a, name); }

static int take_extras(const struct reader *r, const struct py_toml *table, struct py_pyproject *p)
{
    if (!table) return 0;
    if (py_toml_type(table) != PY_TOML_TABLE) return wrong_type(r, table, "optional-dependencies", "a table of arrays");
    if (py_toml_count(table) > MAX_GROUPS) return gf_fail(r->err, GF_E_LIMIT, "%s: more than %d extras", r->label, MAX_GROUPS);
    struct py_named_reqs *extras = GF_NEW_ARRAY(r->a, struct py_named_reqs, py_toml_count(table));
    for (const struct py_toml *v = py_toml_first(table); v; v = py_toml_next(v)) {
        struct py_named_reqs *e = &extras[p->nextras];
        if (!py_name_valid(py_toml_key(v)))
            return gf_fail(r->err, GF_E_PARSE, "%s:%u: '%.*s' is no name of an extra", r->label, py_toml_line(v), GF_FMT(py_toml_key(v)));
        e->name = normalized(r->a, py_toml_key(v));
        for (uint32_t i = 0; i < p->nextras; i++)
            if (!strcmp(extras[i].name, e->name)) return gf_fail(r->err, GF_E_PARSE, "%s:%u: the extra '%s' stands twice", r->label, py_toml_line(v), e->name);
        if (take_requirements(r, v, e->name, &e->reqs)) return -1;
        p->nextras++;
    }
    p->extras = extras;
    return 0;
}

static bool lists(const struct py_toml *array, const char *word)
{
    for (const struct py_toml *v = py_toml_first(array); v; v = py_toml_next(v))
        if (py_toml_type(v) == PY_TOML_STRING && gf_slice_is(py_toml_text(v), word)) return true;
    return false;
}

static int take_project(const struct reader *r, const struct py_toml *project, struct py_pyproject *p)
{
    const char *name = NULL;
    if (!project) return 0;
    if (py_toml_type(project) != PY_TOML_TABLE) return wrong_type(r, project, "project", "a table");
    if (take_string(r, project, "name", &name) || take_string(r, project, "version", &p->version)) return -1;
    if (take_string(r, project, "requires-python", &p->requires_python)) return -1;
    if (!name || !py_name_valid(gf_slice_of(name)))
        return gf_fail(r->err, GF_E_PARSE, "%s:%u: [project] has no valid name", r->label, py_toml_line(project));
    p->name = normalized(r->a, gf_slice_of(name));
    const struct py_toml *dynamic = py_toml_get(project, "dynamic");
    p->dynamic_dependencies = lists(dynamic, "dependencies");
    p->dynamic_extras = lists(dynamic, "optional-dependencies");
    if (take_requirements(r, py_toml_get(project, "dependencies"), "dependencies", &p->dependencies)) return -1;
    return take_extras(r, py_toml_get(project, "optional-dependencies"), p);
}

/* PEP 518: a missing table means setuptools; a table must have its requires. */
static int take_build(const struct reader *r, const struct py_toml *build, struct py_pyproject *p)
{
    if (!build) {
        struct py_req *req = GF_NEW(r->a, struct py_req);
        p->build_requires = (struct py_reqs){ req, 1 };
        return py_req_parse(r->a, GF_S("setuptools>=40.8.0"), false, req, r->err);
    }
    if (py_toml_type(build) != PY_TOML_TABLE) return wrong_type(r, build, "build-system", "a table");
    const struct py_toml *requires = py_toml_get(build, "requires");
    if (!requires) return gf_fail(r->err, GF_E_PARSE, "%s:%u: [build-system] has no requires", r->label, py_toml_line(build));
    if (take_string(r, build, "build-backend", &p->build_backend)) return -1;
    return take_requirements(r, requires, "build-system.requires", &p->build_requires);
}

int py_pyproject_parse(struct gf_arena *a, gf_slice text, const char *label, struct py_pyproject *ret, struct gf_err *err)
{
    struct reader r = { a, label, err };
    struct py_pyproject p = { .label = gf_arena_strz(a, label) };
    const struct py_toml *doc;
    if (py_toml_parse(a, text, label, &doc, err)) return -1;
    p.groups = py_toml_get(doc, "dependency-groups");
    if (py_toml_count(p.groups) > MAX_GROUPS) return gf_fail(err, GF_E_LIMIT, "%s: more than %d dependency groups", label, MAX_GROUPS);
    if (p.groups && py_toml_type(p.groups) != PY_TOML_TABLE) return wrong_type(&r, p.groups, "dependency-groups", "a table of arrays");
    if (take_project(&r, py_toml_get(doc, "project"), &p) || take_build(&r, py_toml_get(doc, "build-system"), &p)) return -1;
    *ret = p;
    return 0;
}

struct groups {
    struct reader r;
    const struct py_toml *table;
    GF_VEC(const struct py_toml *) done;
    const struct py_toml *open[MAX_GROUP_DEPTH];
    unsigned nopen;
    req_vec reqs;
};

/* The group of that name, however it is spelled; two spellings of one name are an error. */
static int find_group(struct groups *g, gf_slice name, const struct py_toml **ret)
{
    const char *want = normalized(g->r.a, name);
    const struct py_toml *hit = NULL;
    for (const struct py_toml *v = py_toml_first(g->table); v; v = py_toml_next(v)) {
        if (strcmp(normalized(g->r.a, py_toml_key(v)), want)) continue;
        if (hit) return gf_fail(g->r.err, GF_E_PARSE, "%s:%u: the dependency group '%s' stands twice", g->r.label, py_toml_line(v), want);
        hit = v;
    }
    if (!hit) return gf_fail(g->r.err, GF_E_USAGE, "%s: there is no dependency group '%s'", g->r.label, want);
    if (py_toml_type(hit) != PY_TOML_ARRAY) return wrong_type(&g->r, hit, want, "an array");
    *ret = hit;
    return 0;
}

static int circle(const struct groups *g, const struct py_toml *group)
{
    return gf_fail(g->r.err, GF_E_PARSE, "%s:%u: the dependency group '%.*s' includes itself, through '%.*s'", g->r.label, py_toml_line(group), GF_FMT(py_toml_key(group)),
                   GF_FMT(py_toml_key(g->open[g->nopen - 1])));
}

static int add_group(struct groups *g, gf_slice name);

static int add_item(struct groups *g, const struct py_toml *v)
{
    if (py_toml_type(v) == PY_TOML_STRING) return add_requirement(&g->r, v, "dependency group", &g->reqs);
    const struct py_toml *include = py_toml_get(v, "include-group");
    if (py_toml_count(v) != 1 || py_toml_type(include) != PY_TOML_STRING)
        return gf_fail(g->r.err, GF_E_PARSE, "%s:%u: expected a requirement or {include-group = \"NAME\"} in a dependency group", g->r.label, py_toml_line(v));
    return add_group(g, py_toml_text(include));
}

static int add_group(struct groups *g, gf_slice name)
{
    const struct py_toml *group = NULL;
    if (find_group(g, name, &group)) return -1;
    for (unsigned i = 0; i < g->nopen; i++)
        if (g->open[i] == group) return circle(g, group);
    for (size_t i = 0; i < g->done.n; i++)
        if (g->done.v[i] == group) return 0;
    if (g->nopen == MAX_GROUP_DEPTH) return gf_fail(g->r.err, GF_E_LIMIT, "%s: dependency groups include each other more than %d deep", g->r.label, MAX_GROUP_DEPTH);
    g->open[g->nopen++] = group;
    for (const struct py_toml *v = py_toml_first(group); v; v = py_toml_next(v))
        if (add_item(g, v)) return -1;
    g->nopen--;
    gf_vec_push(&g->done, group);
    return 0;
}

int py_pyproject_group(struct gf_arena *a, const struct py_pyproject *p, gf_slice name, struct py_reqs *ret, struct gf_err *err)
{
    struct groups g = { .r = { a, p->label, err }, .table = p->groups };
    int rc = add_group(&g, name);
    if (rc) gf_vec_free(&g.reqs);
    else *ret = to_arena(a, &g.reqs);
    gf_vec_free(&g.done);
    return rc;
}
