#include "resolver/variants.h"
#include "resolver/explain.h"
#include <stdio.h>

/* --- variants.json ---------------------------------------------------------------------------------------------------- */

const char *rsv_label_of(struct rsv_universe *u, const struct src_file *f)
{
    gf_slice name = gf_slice_of(f->filename);
    name.n -= strlen(".whl");
    return gf_arena_str(&u->mem, gf_slice_from(name, (size_t)(gf_slice_rchr(name, '-') + 1)));
}

/* Can this version be chosen at all: what is outside of the requests is not asked about. */
static bool possible(const struct rsv_universe *u, const char *name, const struct py_version *v)
{
    char unit[40];
    for (size_t i = 0; i < u->p->noverrides; i++)
        if (strcmp(u->p->overrides[i].name, name) == 0) return true;
    for (size_t i = 0; i < u->p->nrequests + u->p->nconstraints; i++) {
        bool request = i < u->p->nrequests;
        const struct py_req *r = request ? &u->p->requests[i] : &u->p->constraints[i - u->p->nrequests];
        if (strcmp(r->name, name) != 0 || py_specset_contains(&r->specs, v)) continue;
        if (r->marker && py_marker_eval(r->marker, &u->env, GF_NONE) == PY_NO) continue;
        snprintf(unit, sizeof unit, request ? "request:%zu" : "constraint:%zu", request ? i : i - u->p->nrequests);
        if (!rsv_is_freed(u, unit)) return false;
    }
    return true;
}

enum { MOST_LISTS = 2000, MOST_SEARCHED = 20000 };

static bool is_list_of(const struct src_file *f, uint16_t source, const struct py_version *v)
{
    gf_slice rest = gf_slice_of(f->filename), name;
    struct py_version_room room;
    struct py_version have;
    if (f->source != source || !src_is_variants_file(rest) || !gf_slice_cut(&rest, '-', &name)) return false;
    rest.n -= strlen("-variants.json");
    return py_version_parse_room(&room, rest, &have) && py_version_cmp(&have, v) == 0;
}

/* Of that version; NULL: the page has none. It has the wheel's name and version and so stands among the version's files, which are sorted; another spelling is looked for
 * where that is quickly done. */
static const struct src_file *list_of(const struct src_project *project, const struct rsv_entry *wheel, const struct py_version *v)
{
    gf_slice own = gf_slice_of(wheel->file->filename), rest = own, part;
    if (gf_slice_cut(&rest, '-', &part) && gf_slice_cut(&rest, '-', &part)) own.n -= rest.n;
    uint32_t at = (uint32_t)(wheel->file - project->files);
    for (uint32_t i = at; i < project->nfiles && gf_slice_starts(gf_slice_of(project->files[i].filename), own); i++)
        if (is_list_of(&project->files[i], wheel->source, v)) return &project->files[i];
    for (uint32_t i = at; i-- > 0 && gf_slice_starts(gf_slice_of(project->files[i].filename), own);)
        if (is_list_of(&project->files[i], wheel->source, v)) return &project->files[i];
    for (uint32_t i = 0; project->nfiles < MOST_SEARCHED && i < project->nfiles; i++)
        if (is_list_of(&project->files[i], wheel->source, v)) return &project->files[i];
    return NULL;
}

enum rsv_state rsv_await_variants(struct rsv_universe *u, rsv_pkg pkg, const struct src_project *project, const struct rsv_entry *wheels, size_t n,
                                  const struct py_version *versions, struct gf_err *err)
{
    enum rsv_state state = RSV_READY;
    unsigned asked = 0;
    for (size_t i = 0; i < n; i++) {
        const struct rsv_entry *w = &wheels[i];
        if ((i && w[-1].version == w->version && w[-1].source == w->source) || !possible(u, u->pkg.v[pkg].name, &versions[w->version])) continue;
        const struct src_file *list = list_of(project, w, &versions[w->version]);
        struct gf_err why = GF_ERR_INIT;
        if (!list || ++asked > MOST_LISTS) continue;
        u->supply.want_variants(u->supply.arg, list);
        enum src_state answer = u->supply.variants(u->supply.arg, list, NULL, &why);
        if (answer == SRC_WAITING || answer == SRC_NOT_ASKED) state = RSV_WAITING;
        if (answer != SRC_FAILED || (why.code != GF_E_NETWORK && why.code != GF_E_INTERRUPTED)) continue;
        *err = why;
        return RSV_ERROR;
    }
    return state;
}

/* --- options ---------------------------------------------------------------------------------------------------------- */

struct option {              /* a file that could be taken */
    const struct rsv_entry *entry;
    const struct py_variant *variant; /* NULL: an ordinary file */
    struct py_variant_rank rank;
    bool beyond;
};
struct choosing {
    struct rsv_universe *u;
    rsv_pkg pkg;
    const struct py_variants *all; /* NULL: cannot be read */
    bool family;             /* its null variant is the CPU's build */
    GF_VEC(struct option) options;
    GF_VEC(struct rsv_other) others;
};

static int compare_options(const void *pa, const void *pb)
{
    const struct option *a = pa, *b = pb;
    int c = py_variant_rank_cmp(&a->rank, &b->rank);
    if (c) return c;
    if (a->entry->rank != b->entry->rank) return a->entry->rank < b->entry->rank ? -1 : 1;
    if (a->entry->build_n != b->entry->build_n) return a->entry->build_n > b->entry->build_n ? -1 : 1;
    return strcmp(a->entry->file->filename, b->entry->file->filename);
}

/* "null" needs no list: it always stands for no properties. */
static const struct py_variant *variant_of(const struct choosing *k, const char *label)
{
    static const struct py_variant null = { "null", NULL, 0 };
    const struct py_variant *v = k->all ? py_variants_find(k->all, gf_slice_of(label)) : NULL;
    return v || strcmp(label, "null") != 0 ? v : &null;
}

static void pass(struct choosing *k, const char *label, const char *why)
{
    for (size_t i = 0; i < k->others.n; i++)
        if (strcmp(k->others.v[i].label, label) == 0) return;
    gf_vec_push(&k->others, (struct rsv_other){ label, why });
}

/* The wheels that fit, in the PEP's order, behind what is there already. */
static void add_options(struct choosing *k, struct rsv_variant_list wheels, bool beyond)
{
    size_t from = k->options.n;
    struct rsv_variant_facts strict = { .u = k->u }, f = { .u = k->u, .beyond = beyond };
    struct py_variant_target t = rsv_variant_target(&f);
    for (uint32_t i = 0; i < wheels.n; i++) {
        const char *label = rsv_label_of(k->u, wheels.v[i].file);
        struct option o = { .entry = &wheels.v[i], .variant = variant_of(k, label), .beyond = beyond };
        if (!o.variant) {
            if (k->all) pass(k, label, "is not listed in variants.json");
            continue;
        }
        strict.variant = f.variant = o.variant;
        const char *lacks = rsv_variant_lacks(&strict);
        if (lacks && !beyond) pass(k, o.variant->label, lacks);
        if ((lacks != NULL) == beyond && py_variant_rank(&k->u->mem, k->all, o.variant, &t, &o.rank)) gf_vec_push(&k->options, o);
    }
    if (k->options.n > from + 1) qsort(k->options.v + from, k->options.n - from, sizeof *k->options.v, compare_options);
}

/* --- what a chosen variant is --------------------------------------------------------------------------------------- */

static bool speaks_of_nvidia(const struct py_variant *v)
{
    for (uint32_t i = 0; i < v->n; i++)
        if (strcmp(v->features[i].space, "nvidia") == 0) return true;
    return false;
}

static bool any_for_gpus(const struct py_variants *all)
{
    for (uint32_t i = 0; i < all->n; i++)
        if (speaks_of_nvidia(&all->v[i])) return true;
    return false;
}

/* "cu128" as the builds of vendors' indexes are named, so that families agree across both. */
static const char *variant_name(struct choosing *k, const struct py_variant *v)
{
    if (mtx_variant_cuda(&k->u->mem, gf_slice_of(v->label))) return v->label;
    return k->family && !v->n && (!k->all || any_for_gpus(k->all)) ? "cpu" : NULL;
}

/* What the data knows of this build, as one with that local version; else what its properties say. */
static const struct mtx_build *build_of(struct choosing *k, const struct rsv_candidate *c, const struct py_variant *v, const char *variant)
{
    struct rsv_universe *u = k->u;
    const char *name = u->pkg.v[k->pkg].name, *family = mtx_family_of(u->p->matrix, name);
    struct py_version local;
    if (variant && mtx_holds_gpu_code(u->p->matrix, name) && py_version_parse(&u->mem, gf_slice_of(gf_arena_printf(&u->mem, "%s+%s", py_version_public(&u->mem, &c->version), variant)), &local)) {
        const struct mtx_build *known = mtx_build_of(u->p->matrix, name, &local, strcmp(family ? family : "", "torch") == 0 ? "pytorch" : family, u->build_platform, NULL);
        if (known) return known;
    }
    const struct mtx_carries *carries = rsv_variant_carries(u, v);
    if (!carries) return NULL;
    struct mtx_build *b = GF_NEW(&u->mem, struct mtx_build);
    const char *cuda = variant ? mtx_variant_cuda(&u->mem, gf_slice_of(variant)) : NULL;
    *b = (struct mtx_build){ .package = name, .version = c->version.text, .variant = variant, .cuda = cuda ? cuda : rsv_variant_bound(v, true), .carries = carries };
    return b;
}

/* The properties that the target supports, as requirements see them. */
static struct py_marker_variant markers_of(struct rsv_universe *u, const struct py_variant *v, bool beyond)
{
    struct rsv_variant_facts f = { .u = u, .variant = v, .beyond = beyond, .alone = true };
    struct py_variant_target t = rsv_variant_target(&f);
    struct py_marker_variant m = { .label = v->label };
    size_t most = 0;
    for (uint32_t i = 0; i < v->n; i++) most += v->features[i].n;
    const char **properties = GF_NEW_ARRAY(&u->mem, const char *, most + 1);
    for (uint32_t i = 0; i < v->n; i++)
        for (uint32_t k = 0; k < v->features[i].n; k++) {
            struct py_variant_feature one = { v->features[i].space, v->features[i].name, &v->features[i].values[k], 1 };
            if (t.value(t.arg, &one) >= 0) properties[m.n++] = gf_arena_printf(&u->mem, "%s::%s::%s", one.space, one.name, one.values[0]);
        }
    m.properties = properties;
    return m;
}

static struct rsv_choice *choice_of(struct choosing *k, const struct rsv_candidate *c, const struct option *o)
{
    struct rsv_choice *x = GF_NEW(&k->u->mem, struct rsv_choice);
    if (!o->variant) return x;
    const struct py_variant *v = o->variant;
    x->label = v->label;
    x->variant = variant_name(k, v);
    x->build = build_of(k, c, v, x->variant);
    x->low = rsv_variant_bound(v, true);
    x->high = rsv_variant_bound(v, false);
    x->beyond = o->beyond;
    x->marker = markers_of(k->u, v, o->beyond);
    return x;
}

/* --- choosing --------------------------------------------------------------------------------------------------------- */

/* The candidate with this option's file, judged. */
static struct rsv_candidate with_option(struct choosing *k, const struct rsv_candidate *c, const struct option *o)
{
    struct rsv_candidate t = *c;
    t.file = o->entry->file;
    t.newer_python = o->entry->newer_python;
    t.sdist = o->entry->sdist;
    t.choice = choice_of(k, c, o);
    rsv_refuse(k->u, k->pkg, &t, o->entry->verdict, o->entry->need);
    rsv_judge(k->u, k->pkg, &t);
    return t;
}

static bool is_there(const struct rsv_candidate *out, uint32_t n, const struct py_variant *v)
{
    for (uint32_t i = 0; i < n; i++)
        if (v && out[i].choice->label && strcmp(out[i].choice->label, v->label) == 0) return true;
    return false;
}

/* A candidate for each variant and for the ordinary file, as far as they are not refused. */
static uint32_t take_options(struct choosing *k, const struct rsv_candidate *c, struct rsv_candidate *out)
{
    uint32_t n = 0;
    for (size_t i = 0; i < k->options.n; i++) {
        const struct option *o = &k->options.v[i];
        if (is_there(out, n, o->variant)) continue;
        struct rsv_candidate t = with_option(k, c, o);
        if (t.refused != RSV_NONE) pass(k, o->variant ? o->variant->label : "its ordinary file", rsv_refusal_words(k->u, &k->u->mem, &k->u->reasons.v[t.refused]));
        else out[n++] = t;
    }
    return n;
}

static const char *told(struct choosing *k)
{
    GF_BUF_SCOPE struct gf_buf out;
    gf_buf_init(&out, 4000);
    for (size_t i = 0; i < k->others.n && out.n < 3000; i++) gf_buf_addf(&out, "%s%s %s", i ? "; " : "", k->others.v[i].label, k->others.v[i].why);
    return gf_arena_str(&k->u->mem, gf_buf_slice(&out));
}

/* NULL, and *ret_all: what the labels stand for; else why that cannot be told. */
static const char *read_list(struct rsv_universe *u, const struct src_file *list, const struct py_variants **ret_all)
{
    struct gf_err err = GF_ERR_INIT;
    if (!list) return "the index has no variants.json for it";
    enum src_state state = u->supply.variants(u->supply.arg, list, ret_all, &err);
    if (state == SRC_NOT_ASKED) return "the project has more versions with wheel variants than are looked at";
    return state == SRC_READY ? NULL : gf_arena_strz(&u->mem, err.text);
}

/* The others of one candidate: those that do not fit, those before it, those behind it. */
static void tell_others(struct choosing *k, const struct rsv_candidate *out, uint32_t n, uint32_t at, struct rsv_choice *x)
{
    struct gf_arena *a = &k->u->mem;
    x->others = GF_NEW_ARRAY(a, struct rsv_other, k->others.n + n + 1);
    for (size_t i = 0; i < k->others.n; i++)
        if (!x->label || strcmp(x->label, k->others.v[i].label) != 0) x->others[x->nothers++] = k->others.v[i];
    for (uint32_t i = 0; i < n; i++) {
        const struct rsv_choice *y = out[i].choice;
        if (i == at || !y->label || y->beyond) continue; /* beyond: listed with what it lacks */
        const char *why = i < at ? "fits too, but not with the rest of the plan" : gf_arena_printf(a, "fits too, %s comes first", x->label ? x->label : "the ordinary file");
        x->others[x->nothers++] = (struct rsv_other){ y->label, why };
    }
}

static void finish(struct choosing *k, struct rsv_candidate *out, uint32_t n, const struct src_file *list, const char *trouble)
{
    struct rsv_universe *u = k->u;
    for (uint32_t i = 0; i < n; i++) {
        struct rsv_choice *x = out[i].choice ? gf_arena_memdup(&u->mem, out[i].choice, sizeof *x) : GF_NEW(&u->mem, struct rsv_choice);
        x->place = i;
        x->list = list ? list->filename : NULL;
        x->trouble = trouble;
        tell_others(k, out, n, i, x);
        out[i].choice = x;
    }
    if (!trouble) return;
    u->untold_variants++;
    gf_note(u->p->log, 1, "%s %s: its wheel variants are not considered: %s", u->pkg.v[k->pkg].name, out->version.text, trouble);
}

uint32_t rsv_choose_variant(struct rsv_universe *u, rsv_pkg pkg, struct rsv_candidate *out, const struct rsv_entry *plain, struct rsv_variant_list wheels,
                            const struct src_project *project)
{
    const char *name = u->pkg.v[pkg].name;
    struct rsv_candidate c = *out;
    if (!possible(u, name, &c.version)) return 1;
    struct choosing k = { .u = u, .pkg = pkg, .family = mtx_family_of(u->p->matrix, name) || mtx_holds_gpu_code(u->p->matrix, name) };
    const struct src_file *list = list_of(project, &wheels.v[0], &c.version);
    const char *trouble = read_list(u, list, &k.all);
    bool has_plain = plain->verdict != RSV_R_NO_VARIANT;
    add_options(&k, wheels, false);
    if (has_plain && !plain->sdist) gf_vec_push(&k.options, (struct option){ .entry = plain });
    if (!trouble) add_options(&k, wheels, true);
    if (has_plain && plain->sdist) gf_vec_push(&k.options, (struct option){ .entry = plain });
    uint32_t n = take_options(&k, &c, out);
    if (!n) {
        n = 1;
        *out = c;
        if (has_plain && trouble) *out = with_option(&k, &c, &(struct option){ .entry = plain });
        else rsv_refuse(u, pkg, out, RSV_R_NO_VARIANT, trouble ? gf_arena_printf(&u->mem, "they cannot be told apart: %s", trouble) : told(&k));
    }
    finish(&k, out, n, list, trouble);
    gf_vec_free(&k.options);
    gf_vec_free(&k.others);
    return n;
}

struct py_env rsv_env_of(const struct rsv_universe *u, const struct rsv_candidate *c)
{
    struct py_env env = u->env;
    if (c->choice && c->choice->label) env.variant = &c->choice->marker;
    return env;
}
