/* From the files of a project to its frozen, judged and ranked list of candidates. */
#include "python/wheel.h"
#include "resolver/variants.h"
#include <strings.h>

struct reading {             /* the files of one project on their way to candidates */
    struct rsv_universe *u;
    rsv_pkg pkg;
    struct gf_names texts;   /* version texts as written; many files share one */
    GF_VEC(struct py_version) versions; /* by id of texts; text NULL: not a version */
    GF_VEC(struct rsv_entry) wheels; /* variants whose tags fit */
    gf_slice prefix;         /* NAME-VERSION- of the last wheel: files come sorted by name, the next one mostly begins so too */
    uint32_t prefix_version;
    const char *last_requires; /* likewise */
    enum rsv_python_fit last_fit;
};

/* Does the request refuse files of this kind for the package. What a bundle installs with is a wheel of pip, whatever the packages come as. */
static bool unwanted(const struct rsv_universe *u, const char *name, bool sdist)
{
    bool wheels = true, sdists = true;
    if (u->p->formats) py_formats_allow(u->p->formats, gf_slice_of(name), &wheels, &sdists);
    if (u->p->plain_pip && strcmp(name, "pip") == 0) wheels = true;
    return sdist ? !sdists : !wheels;
}

/* Is the file one of those whose digests were given; a file without a digest is none. */
static bool hash_fits(const struct rsv_universe *u, const char *name, const struct src_file *f)
{
    bool listed = false;
    for (size_t i = 0; i < u->p->nhashes; i++) {
        const struct rsv_hashes *h = &u->p->hashes[i];
        if (strcmp(h->name, name) != 0) continue;
        listed = true;
        for (size_t k = 0; f->sha256 && k < h->n; k++)
            if (strncmp(h->v[k], "sha256:", 7) == 0 && strcasecmp(h->v[k] + 7, f->sha256) == 0) return true;
    }
    return !listed && !u->p->require_hashes;
}

static bool is_upper_bound(const struct py_spec *s) { return s->op == PY_LT || s->op == PY_LE || (s->op == PY_COMPATIBLE && s->v.nrelease > 1); }

static enum rsv_python_fit judge_python(const struct rsv_universe *u, const struct py_specset *specs)
{
    bool upper = false;
    for (uint32_t i = 0; i < specs->n; i++) {
        if (py_spec_contains(&specs->v[i], &u->python)) continue;
        if (!is_upper_bound(&specs->v[i]) || py_version_cmp(&u->python, &specs->v[i].v) < 0) return RSV_PYTHON_MISFIT;
        upper = true;
    }
    return upper ? RSV_PYTHON_ABOVE : RSV_PYTHON_FITS;
}

static enum rsv_python_fit python_fits(struct reading *r, const char *requires)
{
    struct rsv_universe *u = r->u;
    if (!requires) return RSV_PYTHON_FITS;
    if (r->last_requires && (requires == r->last_requires || strcmp(requires, r->last_requires) == 0)) return r->last_fit;
    bool fresh;
    uint32_t id = gf_names_add(&u->python_specs, gf_slice_of(requires), &fresh);
    if (fresh) {
        struct py_specset specs;
        enum rsv_python_fit fit = py_specset_parse(&u->mem, gf_slice_of(requires), true, &specs) ? judge_python(u, &specs) : RSV_PYTHON_FITS;
        gf_vec_push(&u->python_fits, fit);
    }
    r->last_requires = requires;
    return r->last_fit = u->python_fits.v[id];
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
    case PY_MISFIT_PYTHON:
    case PY_MISFIT_ABI: return RSV_R_ABI;
    case PY_MISFIT_LIBC: return RSV_R_LIBC;
    case PY_MISFIT_ARCH: return RSV_R_ARCH;
    case PY_MISFIT_PLATFORM: return RSV_R_PLATFORM;
    }
    return RSV_R_PLATFORM;
}

/* What the tags of a file name are worth here: judged once for each combination, whatever project it stands in. */
static const struct rsv_tag_answer *answer_of_tags(struct rsv_universe *u, gf_slice tags)
{
    bool fresh;
    uint32_t id = gf_names_add(&u->tag_texts, tags, &fresh);
    if (!fresh) return &u->tag_answers.v[id];
    struct py_wheel w = { 0 };
    gf_slice rest = tags, part;
    gf_slice_cut(&rest, '-', &part);
    w.py_tag = gf_arena_str(&u->mem, part);
    gf_slice_cut(&rest, '-', &part);
    w.abi_tag = gf_arena_str(&u->mem, part);
    w.platform_tag = gf_arena_str(&u->mem, rest);
    struct rsv_tag_answer a = { .rank = py_tags_rank(u->tags, &w) };
    if (a.rank < 0) a.verdict = verdict_of_misfit(py_wheel_misfit(u->tags, &w));
    if (a.verdict == RSV_R_LIBC) a.need = rsv_libc_of_tags(&u->mem, w.platform_tag);
    gf_vec_push(&u->tag_answers, a);
    return &u->tag_answers.v[id];
}

/* The version's place; RSV_NONE when the text is no version. */
static uint32_t version_of(struct reading *r, gf_slice text)
{
    bool fresh;
    uint32_t id = gf_names_add(&r->texts, text, &fresh);
    if (fresh) {
        struct py_version v = { 0 };
        if (!py_version_parse(&r->u->mem, text, &v)) v.text = NULL;
        gf_vec_push(&r->versions, v);
    }
    return r->versions.v[id].text ? id : RSV_NONE;
}

/* Is it the normalized name in some spelling: case and runs of "-_." apart. */
static bool spells(gf_slice written, const char *name)
{
    size_t i = 0;
    for (; *name; name++) {
        if (i >= written.n) return false;
        char c = gf_lower(written.p[i]);
        if (*name == '-') {
            if (c != '-' && c != '_' && c != '.') return false;
            while (i < written.n && (written.p[i] == '-' || written.p[i] == '_' || written.p[i] == '.')) i++;
        } else if (c != *name) return false;
        else i++;
    }
    return i == written.n;
}

/* NAME-VERSION- of a wheel's name: *rest goes on behind it. Most files begin as the last one did. */
static bool take_version(struct reading *r, gf_slice *rest, uint32_t *ret)
{
    struct rsv_universe *u = r->u;
    gf_slice file = *rest, name, version;
    if (r->prefix.n && gf_slice_starts(file, r->prefix)) {
        *rest = gf_slice_from(file, r->prefix.n);
        *ret = r->prefix_version;
        return true;
    }
    if (!gf_slice_cut(rest, '-', &name) || !gf_slice_cut(rest, '-', &version) || !version.n || !spells(name, u->pkg.v[r->pkg].name)) return false;
    r->prefix = gf_slice_sub(file, 0, file.n - rest->n);
    if (gf_slice_chr(version, '_') >= 0) { /* escaped by old tools: 1.0_1 */
        char *text = gf_arena_str(&u->mem, version);
        for (char *c = text; *c; c++) *c = *c == '_' ? '-' : *c;
        version = gf_slice_of(text);
    }
    *ret = r->prefix_version = version_of(r, version);
    return true;
}

/* The build tag, which begins with a digit, and the label of what is [BUILD-]PY-ABI-PLATFORM[-LABEL]; *tags is left with the three in the middle. Few files
 * have one or the other. */
__attribute__((noinline)) static bool take_build_and_label(struct reading *r, const struct src_file *f, struct rsv_entry *e, unsigned dashes, gf_slice *tags)
{
    gf_slice build = GF_NONE;
    if (dashes < 3 || dashes > 4) return false;
    if (gf_is_digit((unsigned char)*tags->p)) {
        gf_slice_cut(tags, '-', &build);
        e->build_n = gf_take_u64(&build) + 1;
        e->build_rest = gf_arena_str(&r->u->mem, build);
        dashes--;
    }
    e->variant = dashes == 3;
    if (!e->variant) return dashes == 2;
    const char *label = rsv_label_of(r->u, f);
    tags->n -= strlen(label) + 1;
    return py_wheel_label_valid(gf_slice_of(label));
}

static bool read_wheel(struct reading *r, const struct src_file *f, struct rsv_entry *e)
{
    struct rsv_universe *u = r->u;
    const struct rsv_package *p = &u->pkg.v[r->pkg];
    gf_slice tags = gf_slice_of(f->filename);
    tags.n -= 4; /* .whl */
    if (!take_version(r, &tags, &e->version) || e->version == RSV_NONE) return false;
    gf_slice part = tags;
    unsigned dashes = 0;
    for (ptrdiff_t at; dashes < 5 && (at = gf_slice_chr(part, '-')) >= 0; dashes++) part = gf_slice_from(part, (size_t)at + 1);
    if (dashes != 2 && !take_build_and_label(r, f, e, dashes, &tags)) return false;
    const struct rsv_tag_answer *a = answer_of_tags(u, tags);
    e->rank = a->rank;
    e->verdict = a->verdict;
    e->need = a->need;
    if (!e->verdict && unwanted(u, p->name, false)) e->verdict = RSV_R_BINARY;
    return true;
}

static bool read_sdist(struct reading *r, const struct src_file *f, struct rsv_entry *e)
{
    struct rsv_universe *u = r->u;
    const struct rsv_package *p = &u->pkg.v[r->pkg];
    struct py_version v;
    if (!py_sdist_parse(&u->mem, gf_slice_of(f->filename), gf_slice_of(p->name), &v)) return false;
    e->version = version_of(r, gf_slice_of(v.text));
    e->sdist = true;
    e->rank = INT32_MAX;
    if (u->p->sdist == RSV_REFUSE || unwanted(u, p->name, true)) e->verdict = RSV_R_SDIST;
    return e->version != RSV_NONE;
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
    case RSV_R_HASH: return "request:hashes";
    case RSV_R_SDIST:
    case RSV_R_BINARY: return "request:files";
    default: return NULL;
    }
}

/* A reason that does not count (a unit that was freed) does not hide the next one that does. */
static void pass_over_freed(struct reading *r, struct rsv_entry *e, enum rsv_python_fit fit)
{
    struct rsv_universe *u = r->u;
    const struct rsv_package *p = &u->pkg.v[r->pkg];
    const struct src_file *f = e->file;
    if (!rsv_is_freed(u, unit_of(u, p, e->verdict))) return;
    const struct { int verdict; bool holds; const char *need; } others[] = {
        { RSV_R_PYTHON, fit == RSV_PYTHON_MISFIT, f->requires_python },
        { RSV_R_HASH, (u->p->nhashes || u->p->require_hashes) && !hash_fits(u, p->name, f), NULL },
        { RSV_R_YANKED, f->yanked && !p->pins_yanked, f->yanked },
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].holds && !rsv_is_freed(u, unit_of(u, p, others[i].verdict))) {
            e->verdict = others[i].verdict;
            e->need = others[i].need;
            return;
        }
}

static bool read_file(struct reading *r, const struct src_file *f, struct rsv_entry *e)
{
    *e = (struct rsv_entry){ .file = f, .source = f->source, .build_rest = "" };
    if (!(gf_slice_ends(gf_slice_of(f->filename), GF_S(".whl")) ? read_wheel(r, f, e) : read_sdist(r, f, e))) return false;
    enum rsv_python_fit fit = python_fits(r, f->requires_python);
    if ((!e->verdict && fit == RSV_PYTHON_MISFIT) || (e->verdict == RSV_R_ABI && fit != RSV_PYTHON_FITS)) {
        e->verdict = RSV_R_PYTHON;
        e->need = f->requires_python;
    }
    if (!e->verdict && (r->u->p->nhashes || r->u->p->require_hashes) && !hash_fits(r->u, r->u->pkg.v[r->pkg].name, f)) e->verdict = RSV_R_HASH;
    e->newer_python = !e->verdict && fit == RSV_PYTHON_ABOVE;
    if (!e->verdict && f->yanked && !r->u->pkg.v[r->pkg].pins_yanked) {
        e->verdict = RSV_R_YANKED;
        e->need = f->yanked;
    }
    if (e->verdict && r->u->p->nfreed) pass_over_freed(r, e, fit);
    return true;
}

/* How near a refused file is to being taken: the nearest speaks for its version. */
static int distance(const struct rsv_entry *e)
{
    switch (e->verdict) {
    case 0: return (e->sdist ? 1 : 0) + (e->newer_python ? 2 : 0);
    case RSV_R_YANKED: return 4;
    case RSV_R_HASH: return 9;
    case RSV_R_SDIST:
    case RSV_R_BINARY: return 10;
    case RSV_R_NO_VARIANT: return 11;
    case RSV_R_PYTHON: return 5;
    case RSV_R_LIBC: return 6;
    case RSV_R_ABI: return 7;
    default: return 8;
    }
}

static int compare_entries(const void *pa, const void *pb)
{
    const struct rsv_entry *a = pa, *b = pb;
    if (a->version != b->version) return a->version < b->version ? -1 : 1;
    if (a->source != b->source) return a->source < b->source ? -1 : 1;
    int c = distance(a) - distance(b);
    if (c) return c;
    if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
    if (a->build_n != b->build_n) return a->build_n > b->build_n ? -1 : 1; /* larger build tag first: PEP 427 */
    c = strcmp(b->build_rest, a->build_rest);
    return c ? c : strcmp(a->file->filename, b->file->filename);
}

static int compare_versions(const void *pa, const void *pb, void *arg)
{
    const struct py_version *v = arg;
    uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
    if (!v[a].text || !v[b].text) return v[a].text ? -1 : v[b].text ? 1 : 0;
    return py_version_cmp(&v[a], &v[b]);
}

/* Versions by rising value: entries get their version's place, spellings of one version the same one. Returns the sorted list, malloc'd. */
static uint32_t *sort_versions(struct reading *r, struct rsv_entry *e, size_t n)
{
    size_t nv = r->versions.n;
    uint32_t *order = gf_xreallocarray(NULL, nv + 1, sizeof *order), *place = gf_xreallocarray(NULL, nv + 1, sizeof *place);
    for (uint32_t i = 0; i < nv; i++) order[i] = i;
    qsort_r(order, nv, sizeof *order, compare_versions, r->versions.v);
    for (uint32_t i = 0; i < nv; i++) {
        bool same = i && r->versions.v[order[i]].text && py_version_cmp(&r->versions.v[order[i]], &r->versions.v[order[i - 1]]) == 0;
        place[order[i]] = same ? place[order[i - 1]] : i;
    }
    for (size_t i = 0; i < n; i++) e[i].version = place[e[i].version];
    for (size_t i = 0; i < r->wheels.n; i++) r->wheels.v[i].version = place[r->wheels.v[i].version];
    free(place);
    return order;
}

void rsv_refuse(struct rsv_universe *u, rsv_pkg id, struct rsv_candidate *c, int verdict, const char *need)
{
    if (!verdict) return;
    struct rsv_reason r = { .kind = (enum rsv_reason_kind)verdict, .pkg = id, .dep = RSV_NONE, .text = need, .unit = unit_of(u, &u->pkg.v[id], verdict) };
    if (!rsv_is_freed(u, r.unit)) c->refused = rsv_reason_add(u, r);
}

void rsv_judge(struct rsv_universe *u, rsv_pkg id, struct rsv_candidate *c)
{
    struct rsv_package *p = &u->pkg.v[id];
    if (c->refused != RSV_NONE) return;
    const struct src_index *index = u->supply.index(u->supply.arg, c->source);
    c->variant = index && index->variant ? index->variant : NULL;
    rsv_judge_facts(u, p, c);
    rsv_judge_part(u, p, c);
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

/* Pre-releases come behind all releases (uv's rule since 2026): they are taken when only those fit, or with --pre. */
static int compare_rank(const struct rsv_universe *u, const struct rsv_candidate *a, const struct rsv_candidate *b)
{
    if (a->replaces_by != b->replaces_by) return a->replaces_by ? -1 : 1;
    if ((a->refused == RSV_NONE) != (b->refused == RSV_NONE)) return a->refused == RSV_NONE ? -1 : 1;
    if (a->newer_python != b->newer_python) return b->newer_python ? -1 : 1;
    if (a->unknown_code != b->unknown_code && u->p->unknown != RSV_ALLOW) return b->unknown_code ? -1 : 1;
    if (a->sdist != b->sdist && u->p->sdist != RSV_ALLOW) return b->sdist ? -1 : 1;
    if (a->pre != b->pre && !u->p->pre) return b->pre ? -1 : 1;
    if (a->newer_part != b->newer_part) return b->newer_part ? -1 : 1;
    if (a->newer_part) return py_version_cmp(&a->version, &b->version); /* the nearest to what the driver knows */
    int c = py_version_cmp_public(&b->version, &a->version);
    if (c) return u->p->prefer == RSV_OLDEST ? -c : c;
    if (a->choice && b->choice && a->source == b->source && py_version_cmp(&a->version, &b->version) == 0) return a->choice->place < b->choice->place ? -1 : 1;
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
    int c = compare_rank(o->u, &o->p->c[a], &o->p->c[b]);
    return c ? c : a < b ? 1 : -1;
}

/* The installed version before all others; the same release from another place ("2.10.0" for "2.10.0+cu128") when there is no other. */
static void installed_first(const struct rsv_universe *u, struct rsv_package *p)
{
    const struct mdl_profile *f = u->p->profile;
    for (size_t i = 0; i < f->npackages; i++) {
        struct py_version v;
        GF_ARENA_SCOPE struct gf_arena a = GF_ARENA_INIT;
        if (!f->packages[i].version || strcmp(f->packages[i].name, p->name) != 0) continue;
        if (!py_version_parse(&a, gf_slice_of(f->packages[i].version), &v)) continue;
        for (uint32_t k = 0, exact = 0, first = 0; k < p->n; k++) {
            const struct py_version *c = &p->c[p->order[k]].version;
            bool same = py_version_cmp(c, &v) == 0;
            if (!same && py_version_cmp_public(c, &v) != 0) continue;
            uint32_t at = p->order[k], to = same ? exact++ : first;
            memmove(p->order + to + 1, p->order + to, (k - to) * sizeof *p->order);
            p->order[to] = at;
            first++;
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
    const struct rsv_package *p = &u->pkg.v[u->pkg.v[pkg].base];
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

static int by_version_and_source(const void *pa, const void *pb)
{
    const struct rsv_entry *a = pa, *b = pb;
    if (a->version != b->version) return a->version < b->version ? -1 : 1;
    return a->source < b->source ? -1 : a->source > b->source;
}

/* Those of the entry's version and source; both lists are sorted, *from goes along. */
static struct rsv_variant_list wheels_of(const struct reading *r, const struct rsv_entry *e, size_t *from)
{
    while (*from < r->wheels.n && by_version_and_source(&r->wheels.v[*from], e) < 0) ++*from;
    struct rsv_variant_list l = { r->wheels.v ? r->wheels.v + *from : NULL, 0 };
    while (*from + l.n < r->wheels.n && by_version_and_source(&r->wheels.v[*from + l.n], e) == 0) l.n++;
    return l;
}

static void keep_candidates(struct reading *r, const struct src_project *project, const uint32_t *order, const struct rsv_entry *e, size_t n, rsv_pkg by)
{
    struct rsv_universe *u = r->u;
    size_t distinct = 0, wheel = 0;
    for (size_t i = 0; i < n; i++) distinct += !i || e[i].version != e[i - 1].version || e[i].source != e[i - 1].source;
    struct rsv_package *p = &u->pkg.v[r->pkg];
    p->c = GF_NEW_ARRAY(&u->mem, struct rsv_candidate, distinct + r->wheels.n + 1);
    p->n = 0;
    for (size_t i = 0; i < n; i++) {
        if (i && e[i].version == e[i - 1].version && e[i].source == e[i - 1].source) continue;
        struct rsv_candidate *c = &p->c[p->n++];
        *c = (struct rsv_candidate){ .version = r->versions.v[order[e[i].version]], .file = e[i].file, .source = e[i].source, .sdist = e[i].sdist, .newer_python = e[i].newer_python, .refused = RSV_NONE,
                                     .provider = RSV_NONE };
        c->pre = py_version_is_pre(&c->version);
        struct rsv_variant_list wheels = wheels_of(r, &e[i], &wheel);
        if (wheels.n) p->n += rsv_choose_variant(u, r->pkg, c, &e[i], wheels, project) - 1;
        else rsv_refuse(u, r->pkg, c, e[i].verdict, e[i].need);
    }
    if (by == RSV_NONE) return;
    p->c[p->n] = (struct rsv_candidate){ .replaces_by = true, .provider = by, .refused = RSV_NONE };
    py_version_parse(&u->mem, GF_S("0"), &p->c[p->n++].version);
}

/* A variant whose tags fit waits for what variants.json says; in its place stands that its version has nothing else. */
static void set_variant_aside(struct reading *r, struct rsv_entry *e)
{
    if (e->verdict) return;
    gf_vec_push(&r->wheels, *e);
    e->verdict = RSV_R_NO_VARIANT;
}

/* The best file of each version and source; returns their number. */
static size_t read_files(struct reading *r, const struct src_project *project, struct rsv_entry *entries)
{
    size_t n = 0;
    for (uint32_t i = 0; i < project->nfiles; i++) {
        if (!read_file(r, &project->files[i], &entries[n])) {
            r->u->skipped_files += !src_is_variants_file(gf_slice_of(project->files[i].filename));
            continue;
        }
        if (entries[n].variant) set_variant_aside(r, &entries[n]);
        if (!n || entries[n].version != entries[n - 1].version || entries[n].source != entries[n - 1].source) n++;
        else if (compare_entries(&entries[n], &entries[n - 1]) < 0) entries[n - 1] = entries[n]; /* the best of a version is what counts */
    }
    return n;
}

static void take_entries(struct reading *r, const struct src_project *project, struct rsv_entry *entries, size_t n)
{
    struct rsv_universe *u = r->u;
    rsv_pkg pkg = r->pkg;
    uint32_t *order = sort_versions(r, entries, n);
    qsort(entries, n, sizeof *entries, compare_entries);
    if (r->wheels.n) qsort(r->wheels.v, r->wheels.n, sizeof *r->wheels.v, by_version_and_source);
    rsv_pkg by = RSV_NONE;
    replaced_by(u, &u->pkg.v[pkg], &by);
    keep_candidates(r, project, order, entries, n, by);
    free(order);
    for (uint32_t i = 0; i < u->pkg.v[pkg].n; i++)
        if (!u->pkg.v[pkg].c[i].replaces_by && !u->pkg.v[pkg].c[i].choice) rsv_judge(u, pkg, &u->pkg.v[pkg].c[i]);
    rsv_order_candidates(u, &u->pkg.v[pkg]);
    u->pkg.v[pkg].unreachable = project->unreachable;
}

enum rsv_state rsv_load_distribution(struct rsv_universe *u, rsv_pkg pkg, const struct src_project *project, struct gf_err *err)
{
    struct reading r = { .u = u, .pkg = pkg };
    gf_names_init(&r.texts);
    struct rsv_entry *entries = gf_xreallocarray(NULL, project->nfiles + 1, sizeof *entries);
    size_t n = read_files(&r, project, entries);
    enum rsv_state state = r.wheels.n ? rsv_await_variants(u, pkg, project, r.wheels.v, r.wheels.n, r.versions.v, err) : RSV_READY;
    if (state == RSV_READY) take_entries(&r, project, entries, n);
    free(entries);
    gf_vec_free(&r.versions);
    gf_vec_free(&r.wheels);
    gf_names_release(&r.texts);
    return state;
}
