/* From the files of a project to its frozen, judged and ranked list of candidates. */
#include "python/wheel.h"
#include "resolver/universe.h"

struct entry {               /* one file, read */
    struct rsv_candidate c;
    int verdict;             /* 0: fits; else the enum rsv_reason_kind that refuses it */
    const char *need;        /* what it needs: ">=3.10", "2.28" */
};

static bool named(const char *const *list, size_t n, const char *name)
{
    bool yes = false;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(list[i], ":none:") == 0) yes = false;
        else yes |= strcmp(list[i], ":all:") == 0 || strcmp(list[i], name) == 0;
    }
    return yes;
}

static bool python_fits(struct rsv_universe *u, const char *requires)
{
    if (!requires) return true;
    bool fresh;
    uint32_t id = gf_names_add(&u->python_specs, gf_slice_of(requires), &fresh);
    if (fresh) {
        struct py_specset specs;
        bool fits = !py_specset_parse(&u->mem, gf_slice_of(requires), true, &specs) || py_specset_contains(&specs, &u->python);
        gf_vec_push(&u->python_fits, fits);
    }
    return u->python_fits.v[id];
}

/* The libc version in the lowest of the platform tags: "2.28"; NULL without one. */
const char *rsv_libc_of_tags(struct gf_arena *a, const char *tags)
{
    static const struct { const char *name, *glibc; } old[] = { { "manylinux1_", "2.5" }, { "manylinux2010_", "2.12" }, { "manylinux2014_", "2.17" } };
    gf_slice rest = gf_slice_of(tags), tag;
    const char *lowest = NULL;
    while (gf_slice_field(&rest, '.', &tag)) {
        const char *found = NULL;
        for (size_t i = 0; i < sizeof old / sizeof old[0]; i++)
            if (gf_slice_starts(tag, gf_slice_of(old[i].name))) found = old[i].glibc;
        if (gf_try_lit(&tag, GF_S("manylinux_")) || gf_try_lit(&tag, GF_S("musllinux_"))) {
            uint64_t major = gf_take_u64(&tag);
            gf_take_char(&tag, '_');
            uint64_t minor = gf_take_u64(&tag);
            if (tag.p) found = gf_arena_printf(a, "%llu.%llu", (unsigned long long)major, (unsigned long long)minor);
        }
        if (found && (!lowest || gf_dotted_cmp(gf_slice_of(found), gf_slice_of(lowest)) < 0)) lowest = found;
    }
    return lowest;
}

static int verdict_of_misfit(enum py_misfit m)
{
    switch (m) {
    case PY_FITS: return 0;
    case PY_MISFIT_PYTHON: return RSV_R_ABI;
    case PY_MISFIT_ABI: return RSV_R_ABI;
    case PY_MISFIT_LIBC: return RSV_R_LIBC;
    case PY_MISFIT_ARCH: return RSV_R_ARCH;
    case PY_MISFIT_PLATFORM: return RSV_R_PLATFORM;
    }
    return RSV_R_PLATFORM;
}

static bool read_wheel(struct rsv_universe *u, const struct rsv_package *p, const struct src_file *f, struct entry *e)
{
    struct py_wheel w;
    if (!py_wheel_parse(&u->mem, gf_slice_of(f->filename), &w) || strcmp(w.name, p->name) != 0) return false;
    e->c.version = w.version;
    e->c.build_n = w.has_build ? w.build_n + 1 : 0;
    e->c.build_rest = w.has_build ? w.build_rest : "";
    e->c.rank = py_tags_rank(u->tags, &w);
    if (e->c.rank < 0) {
        e->verdict = verdict_of_misfit(py_wheel_misfit(u->tags, &w));
        e->need = e->verdict == RSV_R_LIBC ? rsv_libc_of_tags(&u->mem, w.platform_tag) : NULL;
    }
    if (!e->verdict && named(u->p->no_binary, u->p->nno_binary, p->name)) e->verdict = RSV_R_BINARY;
    return true;
}

static bool read_sdist(struct rsv_universe *u, const struct rsv_package *p, const struct src_file *f, struct entry *e)
{
    if (!py_sdist_parse(&u->mem, gf_slice_of(f->filename), gf_slice_of(p->name), &e->c.version)) return false;
    e->c.sdist = true;
    e->c.rank = INT32_MAX;
    e->c.build_rest = "";
    if (u->p->sdist == RSV_REFUSE || named(u->p->only_binary, u->p->nonly_binary, p->name)) e->verdict = RSV_R_SDIST;
    return true;
}

static bool read_file(struct rsv_universe *u, const struct rsv_package *p, const struct src_file *f, struct entry *e)
{
    *e = (struct entry){ .c = { .file = f, .source = f->source, .refused = RSV_NONE, .provider = RSV_NONE } };
    bool wheel = gf_slice_ends(gf_slice_of(f->filename), GF_S(".whl"));
    if (!(wheel ? read_wheel(u, p, f, e) : read_sdist(u, p, f, e))) return false;
    e->c.pre = py_version_is_pre(&e->c.version);
    if ((!e->verdict || e->verdict == RSV_R_ABI) && !python_fits(u, f->requires_python)) {
        e->verdict = RSV_R_PYTHON;
        e->need = f->requires_python;
    }
    if (!e->verdict && f->yanked && !p->pins_yanked) {
        e->verdict = RSV_R_YANKED;
        e->need = f->yanked;
    }
    return true;
}

/* How near a refused file is to being taken: the nearest speaks for its version. */
static int distance(const struct entry *e)
{
    switch (e->verdict) {
    case 0: return e->c.sdist ? 1 : 0;
    case RSV_R_YANKED: return 2;
    case RSV_R_SDIST:
    case RSV_R_BINARY: return 8;
    case RSV_R_PYTHON: return 3;
    case RSV_R_LIBC: return 4;
    case RSV_R_ABI: return 5;
    default: return 6;
    }
}

static int compare_entries(const void *pa, const void *pb)
{
    const struct entry *a = pa, *b = pb;
    int c = py_version_cmp(&a->c.version, &b->c.version);
    if (c) return c;
    if (a->c.source != b->c.source) return a->c.source < b->c.source ? -1 : 1;
    c = distance(a) - distance(b);
    if (c) return c;
    if (a->c.rank != b->c.rank) return a->c.rank < b->c.rank ? -1 : 1;
    if (a->c.build_n != b->c.build_n) return a->c.build_n > b->c.build_n ? -1 : 1; /* larger build tag first: PEP 427 */
    c = strcmp(b->c.build_rest, a->c.build_rest);
    return c ? c : strcmp(a->c.file->filename, b->c.file->filename);
}

static const char *unit_of(struct rsv_universe *u, const struct rsv_package *p, int verdict)
{
    switch (verdict) {
    case RSV_R_PYTHON:
    case RSV_R_ABI: return "fact:python";
    case RSV_R_LIBC: return "fact:glibc";
    case RSV_R_ARCH:
    case RSV_R_PLATFORM: return "fact:platform";
    case RSV_R_YANKED: return gf_arena_printf(&u->mem, "yanked:%s", p->name);
    case RSV_R_SDIST:
    case RSV_R_BINARY: return "request:files";
    default: return NULL;
    }
}

static void refuse(struct rsv_universe *u, rsv_pkg id, struct rsv_candidate *c, int verdict, const char *need)
{
    struct rsv_reason r = { .kind = (enum rsv_reason_kind)verdict, .pkg = id, .dep = RSV_NONE, .text = need, .unit = unit_of(u, &u->pkg.v[id], verdict) };
    if (!rsv_is_freed(u, r.unit)) c->refused = rsv_reason_add(u, r);
}

static void judge(struct rsv_universe *u, rsv_pkg id, struct rsv_candidate *c)
{
    struct rsv_package *p = &u->pkg.v[id];
    if (c->refused != RSV_NONE) return;
    const struct src_index *index = u->supply.index(u->supply.arg, c->source);
    c->variant = index && index->variant ? index->variant : NULL;
    rsv_judge_facts(u, p, c);
    if (c->refused == RSV_NONE) rsv_judge_gpu(u, p, c);
}

/* Another distribution that the request names takes this one's place. */
static const struct mtx_rule *replaced_by(struct rsv_universe *u, const struct rsv_package *p, rsv_pkg *ret_by)
{
    const struct mtx_rule *const *rules = NULL;
    size_t n = p->direct ? 0 : mtx_rules_about(u->p->matrix, p->name, &rules);
    for (size_t i = 0; i < n; i++) {
        if (rules[i]->kind != MTX_REPLACES) continue;
        rsv_pkg by = rsv_find_package(u, RSV_DIST, rules[i]->package, NULL);
        if (by == RSV_NONE || !u->pkg.v[by].direct) continue;
        *ret_by = by;
        return rules[i];
    }
    return NULL;
}

static int compare_rank(const struct rsv_universe *u, const struct rsv_package *p, const struct rsv_candidate *a, const struct rsv_candidate *b)
{
    bool pre = u->p->pre || p->wants_pre;
    if (a->replaces_by != b->replaces_by) return a->replaces_by ? -1 : 1;
    if ((a->refused == RSV_NONE) != (b->refused == RSV_NONE)) return a->refused == RSV_NONE ? -1 : 1;
    if (a->unknown_code != b->unknown_code) return b->unknown_code ? -1 : 1;
    if (a->sdist != b->sdist && u->p->sdist != RSV_ALLOW) return b->sdist ? -1 : 1;
    if (a->pre != b->pre && !pre) return b->pre ? -1 : 1;
    int c = py_version_cmp_public(&b->version, &a->version);
    if (c) return u->p->prefer == RSV_OLDEST ? -c : c;
    if (a->ptx != b->ptx) return b->ptx ? -1 : 1;
    if (a->newer_cuda != b->newer_cuda) return b->newer_cuda ? -1 : 1;
    c = a->variant && b->variant ? gf_dotted_cmp(gf_slice_of(b->variant + strcspn(b->variant, "0123456789")),
                                                gf_slice_of(a->variant + strcspn(a->variant, "0123456789"))) : 0;
    if (c) return c;
    if (a->source != b->source) return a->source < b->source ? -1 : 1;
    return py_version_cmp(&b->version, &a->version);
}

struct order_context { const struct rsv_universe *u; const struct rsv_package *p; };

static int compare_order(const void *pa, const void *pb, void *arg)
{
    const struct order_context *o = arg;
    uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
    int c = compare_rank(o->u, o->p, &o->p->c[a], &o->p->c[b]);
    return c ? c : a < b ? 1 : -1;
}

static void installed_first(const struct rsv_universe *u, struct rsv_package *p)
{
    const struct mdl_profile *f = u->p->profile;
    for (size_t i = 0; i < f->npackages; i++) {
        struct py_version v;
        GF_ARENA_SCOPE struct gf_arena a = GF_ARENA_INIT;
        if (!f->packages[i].version || strcmp(f->packages[i].name, p->name) != 0) continue;
        if (!py_version_parse(&a, gf_slice_of(f->packages[i].version), &v)) continue;
        for (uint32_t k = 0; k < p->n; k++) {
            if (py_version_cmp(&p->c[p->order[k]].version, &v) != 0) continue;
            uint32_t at = p->order[k];
            memmove(p->order + 1, p->order, k * sizeof *p->order);
            p->order[0] = at;
        }
    }
}

void rsv_order_candidates(struct rsv_universe *u, struct rsv_package *p)
{
    p->order = GF_NEW_ARRAY(&u->mem, uint32_t, p->n);
    for (uint32_t i = 0; i < p->n; i++) p->order[i] = i;
    struct order_context o = { u, p };
    qsort_r(p->order, p->n, sizeof *p->order, compare_order, &o);
    if (u->p->prefer == RSV_INSTALLED) installed_first(u, p);
}

void rsv_publish_refusals(struct rsv_universe *u, rsv_pkg pkg)
{
    const struct rsv_package *p = &u->pkg.v[pkg];
    GF_VEC(struct { uint32_t reason; struct rsv_set_builder set; }) groups = { 0 };
    for (uint32_t i = 0; i < p->n; i++) {
        if (p->c[i].refused == RSV_NONE) continue;
        size_t g = 0;
        while (g < groups.n && groups.v[g].reason != p->c[i].refused) g++;
        if (g == groups.n) {
            gf_vec_reserve(&groups, groups.n + 1);
            groups.v[groups.n].reason = p->c[i].refused;
            groups.v[groups.n++].set = (struct rsv_set_builder){ 0 };
        }
        rsv_set_add(&groups.v[g].set, i);
    }
    for (size_t g = 0; g < groups.n; g++) {
        struct rsv_term t = { pkg, true, rsv_set_build(&u->mem, &groups.v[g].set) };
        rsv_add_external(u->solver, &t, 1, groups.v[g].reason);
    }
    gf_vec_free(&groups);
}

static void keep_candidates(struct rsv_universe *u, rsv_pkg pkg, struct entry *e, size_t n, rsv_pkg by)
{
    struct rsv_package *p = &u->pkg.v[pkg];
    p->c = GF_NEW_ARRAY(&u->mem, struct rsv_candidate, n + 1);
    p->n = 0;
    for (size_t i = 0; i < n; i++) {
        if (i && py_version_cmp(&e[i].c.version, &e[i - 1].c.version) == 0 && e[i].c.source == e[i - 1].c.source) continue;
        struct rsv_candidate *c = &p->c[p->n++];
        *c = e[i].c;
        if (e[i].verdict) refuse(u, pkg, c, e[i].verdict, e[i].need);
    }
    if (by == RSV_NONE) return;
    p->c[p->n] = (struct rsv_candidate){ .replaces_by = true, .provider = by, .refused = RSV_NONE, .build_rest = "" };
    py_version_parse(&u->mem, GF_S("0"), &p->c[p->n++].version);
}

int rsv_load_distribution(struct rsv_universe *u, rsv_pkg pkg, const struct src_project *project, struct gf_err *err)
{
    (void)err;
    struct entry *entries = gf_xreallocarray(NULL, project->nfiles + 1, sizeof *entries);
    size_t n = 0;
    for (uint32_t i = 0; i < project->nfiles; i++) {
        if (read_file(u, &u->pkg.v[pkg], &project->files[i], &entries[n])) n++;
        else u->skipped_files++;
    }
    qsort(entries, n, sizeof *entries, compare_entries);
    rsv_pkg by = RSV_NONE;
    replaced_by(u, &u->pkg.v[pkg], &by);
    keep_candidates(u, pkg, entries, n, by);
    free(entries);
    for (uint32_t i = 0; i < u->pkg.v[pkg].n; i++)
        if (!u->pkg.v[pkg].c[i].replaces_by) judge(u, pkg, &u->pkg.v[pkg].c[i]);
    rsv_order_candidates(u, &u->pkg.v[pkg]);
    u->pkg.v[pkg].unreachable = project->unreachable;
    return 0;
}
