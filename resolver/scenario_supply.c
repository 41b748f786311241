/* The pages and metadata of a scenario, in memory. */
#include "resolver/scenario_data.h"
#include "sources/page.h"

static struct rsv_scenario *of(void *arg) { return arg; }

static void want_project(void *arg, const char *name)
{
    (void)arg;
    (void)name;
}

static enum src_state project(void *arg, const char *name, const struct src_project **ret, struct gf_err *err)
{
    (void)err;
    struct scenario_universe *u = of(arg)->universe;
    for (size_t i = 0; i < u->projects.n; i++)
        if (strcmp(u->projects.v[i].name, name) == 0) {
            *ret = &u->projects.v[i].page;
            return SRC_READY;
        }
    return SRC_ABSENT;
}

static void want_metadata(void *arg, const struct src_file *f)
{
    (void)arg;
    (void)f;
}

static enum src_state metadata(void *arg, const struct src_file *f, const struct py_metadata **ret, struct gf_err *err)
{
    struct scenario_universe *u = of(arg)->universe;
    for (size_t i = 0; i < u->pkgs.n; i++) {
        struct scenario_pkg *p = u->pkgs.v[i];
        if (strcmp(p->file.filename, f->filename) != 0 || p->file.source != f->source) continue;
        if (p->unread) {
            gf_fail(err, GF_E_PARSE, "the scenario does not hold the metadata of %s", f->filename);
            return SRC_FAILED;
        }
        *ret = &p->metadata;
        return SRC_READY;
    }
    return SRC_ABSENT;
}

static void want_variants(void *arg, const struct src_file *f)
{
    (void)arg;
    (void)f;
}

static enum src_state variants(void *arg, const struct src_file *f, const struct py_variants **ret, struct gf_err *err)
{
    struct scenario_universe *u = of(arg)->universe;
    for (size_t i = 0; i < u->variants.n; i++)
        if (strcmp(u->variants.v[i]->file.url, f->url) == 0) {
            if (ret) *ret = &u->variants.v[i]->all;
            return SRC_READY;
        }
    gf_fail(err, GF_E_NOT_FOUND, "the scenario has no %s", f->filename);
    return SRC_ABSENT;
}

static int wait_none(void *arg, struct gf_err *err)
{
    (void)arg;
    return gf_fail(err, GF_E_NOT_FOUND, "a scenario has nothing to wait for");
}

static const struct src_index *index_at(void *arg, size_t i)
{
    struct scenario_universe *u = of(arg)->universe;
    return i < u->index.n ? &u->index.v[i] : NULL;
}

static enum src_use use_of(void *arg, size_t i, const char **ret_why)
{
    (void)arg;
    (void)i;
    *ret_why = NULL;
    return SRC_USE_USED;
}

typedef GF_VEC(struct py_req) req_list;

static int add_requirements(struct rsv_scenario *s, gf_slice list, const char *extra, req_list *out, struct gf_err *err)
{
    gf_slice one;
    while (gf_slice_field(&list, '|', &one)) {
        one = gf_slice_trim(one);
        if (!one.n || rsv_scenario_is_rule(one)) continue;
        struct py_req r;
        bool marked = gf_slice_chr(one, ';') >= 0;
        char *text = !extra ? gf_arena_str(&s->mem, one)
                            : gf_arena_printf(&s->mem, "%.*s%s extra == '%s'", GF_FMT(one), marked ? " and" : " ;", extra);
        if (py_req_parse(&s->mem, gf_slice_of(text), true, &r, err)) return -1;
        gf_vec_push(out, r);
    }
    return 0;
}

/* What the build of a source archive needs, where the scenario says it. */
static int fill_build(struct rsv_scenario *s, struct scenario_pkg *p, struct gf_err *err)
{
    req_list list = { 0 };
    GF_VEC(const char *) tools = { 0 };
    gf_slice rest = p->tools, one;
    int rc = add_requirements(s, p->builds_with, NULL, &list, err);
    while (rest.p && gf_slice_field(&rest, '|', &one))
        if (gf_slice_trim(one).n) gf_vec_push(&tools, gf_arena_str(&s->mem, gf_slice_trim(one)));
    p->metadata.build_backend = p->builds_with.p || p->tools.p ? "setuptools.build_meta" : NULL;
    p->metadata.nbuild_requires = (uint32_t)list.n;
    p->metadata.build_requires = list.n ? gf_arena_memdup(&s->mem, list.v, list.n * sizeof *list.v) : NULL;
    p->metadata.nbuild_tools = (uint32_t)tools.n;
    p->metadata.build_tools = tools.n ? gf_arena_memdup(&s->mem, tools.v, tools.n * sizeof *tools.v) : NULL;
    gf_vec_free(&list);
    gf_vec_free(&tools);
    return rc;
}

static int fill_metadata(struct rsv_scenario *s, struct scenario_pkg *p, const char *name, struct gf_err *err)
{
    req_list list = { 0 };
    const char **extras = GF_NEW_ARRAY(&s->mem, const char *, p->extras.n + 1);
    int rc = rsv_scenario_is_component(p->name) ? 0 : add_requirements(s, p->requires, NULL, &list, err);
    for (size_t i = 0; !rc && i < p->extras.n; i++) {
        gf_slice rest = p->extras.v[i], extra = GF_S("");
        gf_slice_word(&rest, &extra);
        extras[i] = py_name_normalize(&s->mem, extra);
        rc = add_requirements(s, rest, extras[i], &list, err);
    }
    p->metadata = (struct py_metadata){ .metadata_version = "2.1", .name = name, .version = p->version, .requires_python = p->python, .extras = extras,
                                        .nextras = (uint32_t)p->extras.n, .nrequires = (uint32_t)list.n,
                                        .requires = list.n ? gf_arena_memdup(&s->mem, list.v, list.n * sizeof *list.v) : NULL };
    gf_vec_free(&list);
    return rc ? rc : fill_build(s, p, err);
}

/* Wheel names hold "_" where projects have "-". */
static char *escaped(struct gf_arena *a, const char *name)
{
    char *copy = gf_arena_strz(a, name);
    for (char *c = copy; *c; c++)
        if (*c == '-') *c = '_';
    return copy;
}

static uint16_t index_number(struct rsv_scenario *s, const char *id)
{
    struct scenario_universe *u = s->universe;
    for (size_t i = 0; i < u->index.n; i++)
        if (strcmp(u->index.v[i].id, id) == 0) return (uint16_t)i;
    const char *dash = strrchr(id, '-');
    gf_vec_push(&u->index, (struct src_index){ .id = id, .url = gf_arena_printf(&s->mem, "https://%s.example/simple/", id), .variant = dash ? dash + 1 : NULL, .vendor = dash != NULL });
    return (uint16_t)(u->index.n - 1);
}

static int fill_file(struct rsv_scenario *s, struct scenario_pkg *p, struct gf_err *err)
{
    const char *name = rsv_scenario_is_component(p->name) ? gf_arena_printf(&s->mem, "%s-provider", p->name) : p->name;
    const char *build = p->build ? gf_arena_printf(&s->mem, "-%llu", (unsigned long long)p->build) : "";
    char *stem = gf_arena_printf(&s->mem, "%s-%s", escaped(&s->mem, name), p->version);
    gf_slice label = GF_S(""), rest = p->label;
    if (rest.p) gf_slice_word(&rest, &label);
    p->file = (struct src_file){ .filename = p->sdist ? gf_arena_printf(&s->mem, "%s.tar.gz", stem)
                                                      : gf_arena_printf(&s->mem, "%s%s-%s%s%.*s.whl", stem, build, p->tags ? p->tags : "py3-none-any", label.n ? "-" : "", GF_FMT(label)),
                                 .size = (int64_t)p->size, .sha256 = p->sha256, .uploaded = -1, .requires_python = p->python, .yanked = p->yanked,
                                 .source = index_number(s, p->index ? p->index : "default") };
    p->file.url = gf_arena_printf(&s->mem, "%s%s", s->universe->index.v[p->file.source].url, p->file.filename);
    return fill_metadata(s, p, name, err);
}

/* The files of one project, gathered. */
static void gather(struct rsv_scenario *s, const char *name)
{
    struct scenario_universe *u = s->universe;
    for (size_t i = 0; i < u->projects.n; i++)
        if (strcmp(u->projects.v[i].name, name) == 0) return;
    GF_VEC(struct src_file) files = { 0 };
    for (size_t i = 0; i < u->pkgs.n; i++)
        if (strcmp(u->pkgs.v[i]->metadata.name, name) == 0) gf_vec_push(&files, u->pkgs.v[i]->file);
    for (size_t i = 0; i < u->variants.n; i++)
        if (src_file_name_is(gf_slice_of(u->variants.v[i]->file.filename), gf_slice_of(name))) gf_vec_push(&files, u->variants.v[i]->file);
    struct scenario_project p = { name, { .name = name, .nfiles = (uint32_t)files.n, .files = gf_arena_memdup(&s->mem, files.v, files.n * sizeof *files.v) } };
    gf_vec_free(&files);
    gf_vec_push(&u->projects, p);
}

int rsv_scenario_build_supply(struct rsv_scenario *s, const char *label, struct gf_err *err)
{
    struct scenario_universe *u = s->universe;
    index_number(s, "default");
    for (size_t i = 0; i < u->pkgs.n; i++)
        if (fill_file(s, u->pkgs.v[i], err)) return gf_wrap(err, "%s: pkg %s %s", label, u->pkgs.v[i]->name, u->pkgs.v[i]->version);
    if (rsv_scenario_build_variants(s, err)) return gf_wrap(err, "%s", label);
    for (size_t i = 0; i < u->pkgs.n; i++) gather(s, u->pkgs.v[i]->metadata.name);
    s->supply = (struct rsv_supply){ s, want_project, project, want_metadata, metadata, want_variants, variants, wait_none, index_at, use_of };
    return 0;
}
