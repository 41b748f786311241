#include "resolver/write.h"
#include "resolver/explain.h"
#include "resolver/variants.h"

struct strings { GF_VEC(const char *) v; };

static struct mdl_strings keep_strings(struct gf_arena *a, struct strings *s)
{
    struct mdl_strings out = { s->v.n ? gf_arena_memdup(a, s->v.v, s->v.n * sizeof *s->v.v) : NULL, s->v.n };
    gf_vec_free(&s->v);
    return out;
}

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static void sort_unique(struct strings *s)
{
    if (s->v.n) qsort(s->v.v, s->v.n, sizeof *s->v.v, by_text);
    size_t n = 0;
    for (size_t i = 0; i < s->v.n; i++)
        if (!n || strcmp(s->v.v[n - 1], s->v.v[i]) != 0) s->v.v[n++] = s->v.v[i];
    s->v.n = n;
}

static bool chosen(const struct rsv_universe *u, rsv_pkg pkg) { return rsv_decided(u->solver, pkg) != RSV_NONE; }

static const struct rsv_candidate *candidate_of(const struct rsv_universe *u, rsv_pkg pkg) { return &u->pkg.v[u->pkg.v[pkg].base].c[rsv_decided(u->solver, pkg)]; }

/* The distribution that stands in pkg's place: itself, or what replaces it. */
static rsv_pkg stands_for(const struct rsv_universe *u, rsv_pkg pkg)
{
    return chosen(u, pkg) && candidate_of(u, pkg)->replaces_by ? candidate_of(u, pkg)->provider : pkg;
}

/* Is r in force for one of pkg's chosen extras, or without any. */
static bool requirement_holds(struct rsv_universe *u, rsv_pkg pkg, const struct py_req *r)
{
    struct py_env env = rsv_env_of(u, candidate_of(u, pkg));
    if (!r->marker || py_marker_eval(r->marker, &env, GF_NONE) != PY_NO) return true;
    for (rsv_pkg e = 0; e < u->pkg.n; e++)
        if (u->pkg.v[e].kind == RSV_EXTRA && u->pkg.v[e].base == pkg && chosen(u, e) && py_marker_eval(r->marker, &env, gf_slice_of(u->pkg.v[e].extra)) != PY_NO) return true;
    return false;
}

static const struct py_metadata *metadata_of(const struct rsv_universe *u, rsv_pkg pkg)
{
    const struct py_metadata *m = NULL;
    return u->supply.metadata(u->supply.arg, candidate_of(u, pkg)->file, &m, NULL) == SRC_READY ? m : NULL;
}

/* Who needs whom, as pairs of packages. */
struct pair { rsv_pkg from, to; };
struct pairs { GF_VEC(struct pair) v; };

static void pairs_of_metadata(struct rsv_universe *u, rsv_pkg pkg, struct pairs *out)
{
    const struct py_metadata *m = metadata_of(u, pkg);
    for (uint32_t i = 0; m && i < m->nrequires; i++) {
        if (!requirement_holds(u, pkg, &m->requires[i])) continue;
        rsv_pkg to = rsv_find_package(u, RSV_DIST, m->requires[i].name, NULL);
        if (to != RSV_NONE && chosen(u, to) && stands_for(u, to) != pkg) gf_vec_push(&out->v, (struct pair){ pkg, stands_for(u, to) });
    }
}

/* The distributions that a rule's components and additions pull in. */
static void pairs_of_rules(struct rsv_universe *u, rsv_pkg pkg, struct pairs *out)
{
    const struct mtx_rule *const *rules = NULL;
    size_t n = u->p->gpu_rules ? mtx_rules_for(u->p->matrix, u->pkg.v[pkg].name, &rules) : 0;
    for (size_t i = 0; i < n; i++) {
        if ((rules[i]->kind != MTX_REQUIRES && rules[i]->kind != MTX_ADDS) || !rsv_rule_applies(u, rules[i], candidate_of(u, pkg))) continue;
        for (size_t k = 0; k < rules[i]->nterms; k++) {
            enum rsv_kind kind = rsv_kind_of_term(u, rules[i]->terms[k].name);
            rsv_pkg to = rsv_find_package(u, kind, rules[i]->terms[k].name, NULL);
            if (to == RSV_NONE || !chosen(u, to) || rsv_is_fact(rules[i]->terms[k].name)) continue;
            if (kind == RSV_COMPONENT) to = candidate_of(u, to)->provider;
            if (u->pkg.v[to].kind == RSV_DIST && stands_for(u, to) != pkg) gf_vec_push(&out->v, (struct pair){ pkg, stands_for(u, to) });
        }
    }
}

static bool is_chosen_distribution(const struct rsv_universe *u, rsv_pkg pkg)
{
    return u->pkg.v[pkg].kind == RSV_DIST && chosen(u, pkg) && !candidate_of(u, pkg)->replaces_by;
}

/* --- python entries ------------------------------------------------------------------------------------------------- */

static const char *relative_to(struct gf_arena *a, const char *base, const char *url)
{
    gf_slice rest = gf_slice_of(url), b = gf_slice_of(base);
    if (!base || !gf_slice_starts(rest, b)) return gf_arena_strz(a, url);
    rest = gf_slice_from(rest, b.n);
    if (gf_slice_ends(b, GF_S("/")) || gf_try_char(&rest, '/')) return gf_arena_str(a, rest);
    return gf_arena_strz(a, url);
}

static void fill_file(struct rsv_universe *u, struct gf_arena *a, const struct rsv_candidate *c, struct mdl_lock_python *e)
{
    const struct src_index *index = u->supply.index(u->supply.arg, c->source);
    GF_FREE char *base = index && index->url ? net_url_without_credentials(index->url) : NULL;
    GF_FREE char *url = net_url_without_credentials(c->file->url);
    e->version = gf_arena_strz(a, c->version.text);
    e->file = gf_arena_strz(a, c->file->filename);
    e->kind = c->sdist ? "sdist" : "wheel";
    e->source = index ? gf_arena_strz(a, index->id) : NULL;
    e->path = relative_to(a, base, url);
    e->sha256 = gf_arena_strz(a, c->file->sha256);
    e->size = c->file->size;
}

static void add_links(struct rsv_universe *u, struct gf_arena *a, rsv_pkg pkg, const struct pairs *pairs, struct mdl_lock_python *e)
{
    struct strings needs = { 0 }, by = { 0 }, extras = { 0 };
    for (size_t i = 0; i < pairs->v.n; i++) {
        struct pair p = pairs->v.v[i];
        if (p.from == pkg) gf_vec_push(&needs.v, gf_arena_printf(a, "%s==%s", u->pkg.v[p.to].name, candidate_of(u, p.to)->version.text));
        if (p.to == pkg) gf_vec_push(&by.v, gf_arena_strz(a, u->pkg.v[p.from].name));
    }
    if (u->pkg.v[pkg].direct) gf_vec_push(&by.v, "(request)");
    for (rsv_pkg x = 0; x < u->pkg.n; x++)
        if (u->pkg.v[x].kind == RSV_EXTRA && u->pkg.v[x].base == pkg && chosen(u, x)) gf_vec_push(&extras.v, gf_arena_strz(a, u->pkg.v[x].extra));
    sort_unique(&needs);
    sort_unique(&by);
    sort_unique(&extras);
    e->requires = keep_strings(a, &needs);
    e->required_by = keep_strings(a, &by);
    e->extras = keep_strings(a, &extras);
}

static int by_file(const void *pa, const void *pb)
{
    const struct mdl_lock_python *a = pa, *b = pb;
    return strcmp(a->file, b->file);
}

static int by_name(const void *pa, const void *pb)
{
    const struct mdl_lock_python *a = pa, *b = pb;
    return strcmp(a->name, b->name);
}

static struct mdl_strings copy_strings(struct gf_arena *a, const char *const *v, size_t n)
{
    struct strings s = { 0 };
    for (size_t i = 0; i < n; i++) gf_vec_push(&s.v, gf_arena_strz(a, v[i]));
    sort_unique(&s);
    return keep_strings(a, &s);
}

static bool same_file(const struct mdl_lock_python *v, size_t n, const char *file)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(v[i].file, file) == 0) return true;
    return false;
}

/* The environments of the source archives, and the wheels of them that are not among the entries (the installer may be one). */
static void write_builds(struct rsv_write *w, struct mdl_lock *l, struct mdl_lock_python *entries, size_t n)
{
    struct rsv_universe *u = w->u;
    for (size_t i = 0; i < u->builds.n; i++)
        for (size_t k = 0; k < n; k++)
            if (strcmp(entries[k].name, u->pkg.v[u->builds.v[i].pkg].name) == 0) entries[k].build = copy_strings(&l->mem, u->builds.v[i].needs.v, u->builds.v[i].needs.n);
    l->build = GF_NEW_ARRAY(&l->mem, struct mdl_lock_python, u->build_files.n + 1);
    for (size_t i = 0; i < u->build_files.n; i++) {
        const struct rsv_build_file *f = &u->build_files.v[i];
        struct mdl_lock_python e = { .name = gf_arena_strz(&l->mem, f->name), .required_by = copy_strings(&l->mem, f->archives.v, f->archives.n) };
        fill_file(u, &l->mem, &f->candidate, &e);
        if (same_file(entries, n, e.file)) continue;
        l->build[l->nbuild++] = e;
        w->download += e.size > 0 ? (uint64_t)e.size : 0;
    }
    if (l->nbuild) qsort(l->build, l->nbuild, sizeof *l->build, by_file);
}

static void write_python(struct rsv_write *w, struct mdl_lock *l)
{
    struct rsv_universe *u = w->u;
    GF_VEC(struct mdl_lock_python) list = { 0 };
    struct pairs pairs = { 0 };
    for (rsv_pkg p = 1; p < u->pkg.n; p++) {
        if (!is_chosen_distribution(u, p)) continue;
        pairs_of_metadata(u, p, &pairs);
        pairs_of_rules(u, p, &pairs);
    }
    bool has_installer = false;
    for (rsv_pkg p = 1; p < u->pkg.n; p++) {
        if (!is_chosen_distribution(u, p)) continue;
        struct mdl_lock_python e = { .name = gf_arena_strz(&l->mem, u->pkg.v[p].name) };
        fill_file(u, &l->mem, candidate_of(u, p), &e);
        add_links(u, &l->mem, p, &pairs, &e);
        gf_vec_push(&list, e);
        has_installer |= p == w->installer;
    }
    w->packages = (uint32_t)list.n;
    if (w->installer != RSV_NONE && !has_installer) {
        static const char *const by[] = { "(installer)" };
        struct mdl_lock_python e = { .name = "pip", .required_by = { by, 1 } };
        fill_file(u, &l->mem, &u->pkg.v[w->installer].c[w->installer_at], &e);
        gf_vec_push(&list, e);
    }
    if (list.n) qsort(list.v, list.n, sizeof *list.v, by_name);
    write_builds(w, l, list.v, list.n);
    for (size_t i = 0; i < list.n; i++) w->download += list.v[i].size > 0 ? (uint64_t)list.v[i].size : 0;
    l->python = list.n ? gf_arena_memdup(&l->mem, list.v, list.n * sizeof *list.v) : NULL;
    l->npython = list.n;
    gf_vec_free(&list);
    gf_vec_free(&pairs.v);
}

/* --- stack ------------------------------------------------------------------------------------------------------------- */

static void write_stack(struct rsv_universe *u, struct mdl_lock *l)
{
    GF_VEC(struct mdl_lock_item) list = { 0 };
    for (size_t i = 0; i < u->p->nrequests; i++) {
        rsv_pkg p = rsv_find_package(u, RSV_DIST, u->p->requests[i].name, NULL);
        if (p == RSV_NONE || !is_chosen_distribution(u, p) || u->pkg.v[p].request != i) continue;
        const struct rsv_candidate *c = candidate_of(u, p);
        gf_vec_push(&list, (struct mdl_lock_item){ .name = gf_arena_strz(&l->mem, u->pkg.v[p].name), .version = gf_arena_strz(&l->mem, c->version.text),
                                                   .variant = gf_arena_strz(&l->mem, c->variant) });
    }
    struct strings components = { 0 };
    for (rsv_pkg p = 1; p < u->pkg.n; p++)
        if (u->pkg.v[p].kind == RSV_COMPONENT && chosen(u, p)) gf_vec_push(&components.v, u->pkg.v[p].name);
    sort_unique(&components);
    for (size_t i = 0; i < components.v.n; i++) {
        rsv_pkg p = rsv_find_package(u, RSV_COMPONENT, components.v.v[i], NULL);
        const struct rsv_candidate *c = candidate_of(u, p);
        gf_vec_push(&list, (struct mdl_lock_item){ .name = gf_arena_strz(&l->mem, u->pkg.v[p].name), .version = gf_arena_strz(&l->mem, c->version.text),
                                                   .provided_by = gf_arena_printf(&l->mem, "%s %s", u->pkg.v[c->provider].name,
                                                                                  u->pkg.v[c->provider].c[c->provider_at].version.text) });
    }
    gf_vec_free(&components.v);
    rsv_pkg driver = rsv_find_package(u, RSV_DRIVER, "driver", NULL);
    if (driver != RSV_NONE && chosen(u, driver)) {
        const char *own = u->p->driver == RSV_DRIVER_KEEP ? u->p->profile->driver_version : rsv_shown(candidate_of(u, driver));
        gf_vec_push(&list, (struct mdl_lock_item){ .name = "driver", .version = gf_arena_strz(&l->mem, own), .variant = gf_arena_strz(&l->mem, candidate_of(u, driver)->note),
                                                   .origin = u->p->driver == RSV_DRIVER_KEEP ? "target" : "plan" });
    }
    l->stack = list.n ? gf_arena_memdup(&l->mem, list.v, list.n * sizeof *list.v) : NULL;
    l->nstack = list.n;
    gf_vec_free(&list);
}

/* --- what the plan stands on ------------------------------------------------------------------------------------------ */

/* Every rule in force on something chosen. */
static void each_rule(struct rsv_universe *u, void (*fn)(struct rsv_universe *, rsv_pkg, const struct mtx_rule *, void *), void *arg)
{
    for (rsv_pkg p = 1; p < u->pkg.n; p++) {
        if (!chosen(u, p) || (u->pkg.v[p].kind != RSV_COMPONENT && !is_chosen_distribution(u, p))) continue;
        const struct mtx_rule *const *rules = NULL;
        size_t n = mtx_rules_for(u->p->matrix, u->pkg.v[p].name, &rules);
        for (size_t i = 0; i < n; i++)
            if (rsv_rule_applies(u, rules[i], candidate_of(u, p))) fn(u, p, rules[i], arg);
    }
}

struct floor { const char *text; const struct py_version *version; const struct mtx_rule *rule; };

static void raise_floor(struct rsv_universe *u, rsv_pkg pkg, const struct mtx_rule *r, void *arg)
{
    (void)u;
    (void)pkg;
    struct floor *f = arg;
    if (r->kind != MTX_REQUIRES) return;
    for (size_t k = 0; k < r->nterms; k++)
        for (uint32_t i = 0; strcmp(r->terms[k].name, "driver") == 0 && i < r->terms[k].specs.n; i++) {
            const struct py_spec *s = &r->terms[k].specs.v[i];
            if (s->op == PY_GE && (!f->version || py_version_cmp(&s->v, f->version) > 0)) *f = (struct floor){ r->terms[k].text, &s->v, r };
        }
}

const char *rsv_driver_floor(struct rsv_universe *u, const struct mtx_rule **ret_rule)
{
    struct floor f = { 0 };
    if (u->p->gpu_rules) each_rule(u, raise_floor, &f);
    *ret_rule = f.rule;
    return f.text;
}

typedef GF_VEC(struct mdl_lock_assume) assume_list;
struct assume_context { struct mdl_lock *l; assume_list *out; };

static void assume_facts(struct rsv_universe *u, rsv_pkg pkg, const struct mtx_rule *r, void *arg)
{
    struct assume_context *x = arg;
    (void)u;
    (void)pkg;
    if (r->kind != MTX_REQUIRES) return;
    for (size_t k = 0; k < r->nterms; k++) {
        const struct mtx_term *t = &r->terms[k];
        bool known = false;
        for (size_t i = 0; i < x->out->n; i++) known |= strcmp(x->out->v[i].about, t->name) == 0 && strcmp(x->out->v[i].needs, t->text ? t->text : "") == 0;
        if (!rsv_is_fact(t->name) || known || strcmp(t->name, "os") == 0 || strcmp(t->name, "arch") == 0) continue;
        gf_vec_push(x->out, (struct mdl_lock_assume){ .about = gf_arena_strz(&x->l->mem, t->name), .needs = gf_arena_strz(&x->l->mem, t->text ? t->text : ""),
                                                      .rule = gf_arena_strz(&x->l->mem, r->id), .source = gf_arena_strz(&x->l->mem, r->source) });
    }
}

/* The newest glibc that a chosen wheel's tag asks for. */
static const char *glibc_needed(struct rsv_universe *u, struct gf_arena *a)
{
    const char *most = NULL;
    for (rsv_pkg p = 1; p < u->pkg.n; p++) {
        struct py_wheel w;
        const char *label;
        if (!is_chosen_distribution(u, p) || candidate_of(u, p)->sdist || !py_wheel_parse_variant(a, gf_slice_of(candidate_of(u, p)->file->filename), &w, &label)) continue;
        const char *need = rsv_libc_of_tags(a, w.platform_tag);
        if (need && strstr(w.platform_tag, "manylinux") && (!most || gf_dotted_cmp(gf_slice_of(need), gf_slice_of(most)) > 0)) most = need;
    }
    return most;
}

/* Tools that the target must have to build the source archives. */
static void assume_tools(struct rsv_universe *u, struct mdl_lock *l, assume_list *out)
{
    for (size_t i = 0; i < u->builds.n; i++) {
        const struct rsv_build *b = &u->builds.v[i];
        for (uint32_t k = 0; k < b->ntools; k++) {
            bool repeated = false;
            for (size_t j = 0; j < out->n; j++) repeated |= strcmp(out->v[j].about, b->tools[k].name) == 0;
            if (!repeated) gf_vec_push(out, (struct mdl_lock_assume){ .about = gf_arena_strz(&l->mem, b->tools[k].name), .needs = gf_arena_strz(&l->mem, b->tools[k].needs), .rule = "build-tools",
                                                                      .source = gf_arena_printf(&l->mem, "files of %s", candidate_of(u, b->pkg)->file->filename) });
        }
    }
}

static void write_assumes(struct rsv_universe *u, struct mdl_lock *l)
{
    assume_list list = { 0 };
    const struct mtx_rule *rule = NULL;
    const char *floor = rsv_driver_floor(u, &rule), *glibc = glibc_needed(u, &l->mem);
    if (floor) {
        gf_vec_push(&list, (struct mdl_lock_assume){ .about = "driver", .needs = gf_arena_strz(&l->mem, floor), .rule = gf_arena_strz(&l->mem, rule->id),
                                                     .source = gf_arena_strz(&l->mem, rule->source) });
    }
    if (glibc) gf_vec_push(&list, (struct mdl_lock_assume){ .about = "glibc", .needs = gf_arena_printf(&l->mem, ">=%s", glibc), .rule = "wheel-tags", .source = "PEP 600" });
    struct assume_context x = { l, &list };
    if (u->p->gpu_rules) each_rule(u, assume_facts, &x);
    assume_tools(u, l, &list);
    l->assumes = list.n ? gf_arena_memdup(&l->mem, list.v, list.n * sizeof *list.v) : NULL;
    l->nassumes = list.n;
    gf_vec_free(&list);
}

/* --- reasons and warnings ---------------------------------------------------------------------------------------------- */

typedef GF_VEC(struct mdl_reason) reason_list;

static struct mdl_strings one_source(struct gf_arena *a, const char *source)
{
    const char **v = GF_NEW_ARRAY(a, const char *, 1);
    v[0] = gf_arena_strz(a, source);
    return (struct mdl_strings){ v, source ? 1 : 0 };
}

static void reasons_of_gpu(struct rsv_universe *u, struct gf_arena *a, rsv_pkg pkg, reason_list *out)
{
    const struct rsv_candidate *c = candidate_of(u, pkg);
    for (size_t i = 0; c->build && c->build->carries && i < u->p->profile->ngpus; i++) {
        const struct mdl_gpu *g = &u->p->profile->gpus[i];
        unsigned major, minor;
        bool repeated = false;
        for (size_t k = 0; k < i; k++) repeated |= g->cc && u->p->profile->gpus[k].cc && strcmp(g->cc, u->p->profile->gpus[k].cc) == 0;
        if (repeated || !g->cc || !mtx_cc_parse(gf_slice_of(g->cc), &major, &minor)) continue;
        struct mtx_coverage cover = mtx_covers(u->p->matrix, c->build->carries, major, minor, gf_slice_of(u->driver_cuda));
        const char *text = gf_arena_printf(a, "%s %s runs on %s (%s)%s%s", u->pkg.v[pkg].name, c->version.text, g->name ? g->name : "the GPU", g->cc, cover.why ? ": " : "",
                                           cover.why ? cover.why : "");
        gf_vec_push(out, (struct mdl_reason){ .id = "gpu-code", .text = text, .sources = one_source(a, cover.source) });
    }
}

/* Which wheel variant was taken, and why the others were not. */
static void reasons_of_variant(struct rsv_universe *u, struct gf_arena *a, rsv_pkg pkg, reason_list *out)
{
    const struct rsv_choice *x = candidate_of(u, pkg)->choice;
    if (!x) return;
    const char *who = gf_arena_printf(a, "%s %s", u->pkg.v[pkg].name, candidate_of(u, pkg)->version.text);
    const char *text = x->label ? gf_arena_printf(a, "%s is taken as its wheel variant %s", who, x->label) : gf_arena_printf(a, "%s is taken as its ordinary file, no wheel variant", who);
    gf_vec_push(out, (struct mdl_reason){ .id = "wheel-variant", .text = text, .sources = one_source(a, x->list) });
    for (uint32_t i = 0; i < x->nothers; i++)
        gf_vec_push(out, (struct mdl_reason){ .id = "wheel-variant-not-taken", .text = gf_arena_printf(a, "%s variant %s %s", who, x->others[i].label, x->others[i].why),
                                              .sources = one_source(a, x->list) });
}

static void warn_of_variant(struct rsv_universe *u, struct gf_arena *a, rsv_pkg pkg, struct strings *out)
{
    const struct rsv_candidate *c = candidate_of(u, pkg);
    const char *n = u->pkg.v[pkg].name, *v = c->version.text;
    if (c->choice->trouble) gf_vec_push(&out->v, gf_arena_printf(a, "%s %s: its wheel variants were not considered: %s", n, v, c->choice->trouble));
    if (c->choice->beyond)
        gf_vec_push(&out->v, gf_arena_printf(a, "%s %s: its variant %s is made for drivers of CUDA %s%s%s, the target's knows %s; nothing fits that better, and the driver runs it", n, v, c->choice->label,
                                             c->choice->low ? c->choice->low : "any", c->choice->high ? " to below " : " or newer", c->choice->high ? c->choice->high : "", u->driver_cuda));
}

static void reason_of_driver(struct rsv_universe *u, struct gf_arena *a, reason_list *out)
{
    const struct mtx_rule *rule = NULL;
    const char *floor = rsv_driver_floor(u, &rule);
    rsv_pkg driver = rsv_find_package(u, RSV_DRIVER, "driver", NULL);
    if (!floor) return;
    const char *have = "";
    if (u->p->driver == RSV_DRIVER_KEEP) have = gf_arena_printf(a, "; the target has %s", u->p->profile->driver_version);
    else if (driver != RSV_NONE && chosen(u, driver)) have = gf_arena_printf(a, "; chosen: %s, the longest-supported branch that serves this target", rsv_shown(candidate_of(u, driver)));
    gf_vec_push(out, (struct mdl_reason){ .id = gf_arena_strz(a, rule->id), .sources = one_source(a, rule->source),
                                          .text = gf_arena_printf(a, "%s needs driver %s%s", rule->package, floor, have) });
}

static void write_reasons(struct rsv_universe *u, struct mdl_lock *l)
{
    reason_list list = { 0 };
    for (rsv_pkg p = 1; p < u->pkg.n; p++)
        if (is_chosen_distribution(u, p)) {
            reasons_of_variant(u, &l->mem, p, &list);
            reasons_of_gpu(u, &l->mem, p, &list);
        }
    reason_of_driver(u, &l->mem, &list);
    l->reasons = list.n ? gf_arena_memdup(&l->mem, list.v, list.n * sizeof *list.v) : NULL;
    l->nreasons = list.n;
    gf_vec_free(&list);
}

struct warn_context { struct gf_arena *a; struct strings *out; };

static void warn_at_run(struct rsv_universe *u, rsv_pkg pkg, const struct mtx_rule *r, void *arg)
{
    struct warn_context *x = arg;
    if (r->kind != MTX_NEEDS_AT_RUN) return;
    for (size_t i = 0; i < r->nterms; i++) gf_vec_push(&x->out->v, gf_arena_printf(x->a, "%s at run time: %s: %s", u->pkg.v[pkg].name, r->terms[i].name, r->terms[i].text));
}

/* Extras that were asked for and that the chosen version has not. */
static void each_lacking(struct rsv_universe *u, void (*on)(void *arg, const char *name, const char *version, const char *extra), void *arg)
{
    for (size_t i = 0; i < u->p->nrequests; i++) {
        const struct py_req *r = &u->p->requests[i];
        rsv_pkg pkg = r->nextras ? rsv_find_package(u, RSV_DIST, r->name, NULL) : RSV_NONE;
        if (pkg == RSV_NONE || !chosen(u, pkg) || !candidate_of(u, pkg)->file) continue;
        const struct py_metadata *m = NULL;
        struct gf_err err = GF_ERR_INIT;
        if (u->supply.metadata(u->supply.arg, candidate_of(u, pkg)->file, &m, &err) != SRC_READY) continue;
        for (uint32_t k = 0; k < r->nextras; k++)
            if (!rsv_has_extra(m, r->extras[k])) on(arg, r->name, candidate_of(u, pkg)->version.text, r->extras[k]);
    }
}

static void note_lacking(void *arg, const char *name, const char *version, const char *extra)
{
    (void)name, (void)version, (void)extra;
    *(bool *)arg = true;
}

bool rsv_lacks_extra(struct rsv_universe *u)
{
    bool lacks = false;
    each_lacking(u, note_lacking, &lacks);
    return lacks;
}

static void warn_lacking(void *arg, const char *name, const char *version, const char *extra)
{
    struct warn_context *x = arg;
    gf_vec_push(&x->out->v, gf_arena_printf(x->a, "%s %s has no extra '%s': nothing came by it", name, version, extra));
}

static const struct rsv_build *build_of(const struct rsv_universe *u, rsv_pkg pkg)
{
    for (size_t i = 0; i < u->builds.n; i++)
        if (u->builds.v[i].pkg == pkg) return &u->builds.v[i];
    return NULL;
}

/* Is "name==version" one that the archive itself asks for, not only those in turn. */
static bool asked_by(const struct py_metadata *m, const char *pin)
{
    size_t n = strcspn(pin, "=");
    for (uint32_t i = 0; m && i < m->nbuild_requires; i++)
        if (strncmp(m->build_requires[i].name, pin, n) == 0 && !m->build_requires[i].name[n]) return true;
    return false;
}

/* Distributions that are the same project built for one CUDA each, as the data knows them: cupy-cuda12x for cupy. */
static void add_wheels_of(struct rsv_universe *u, const char *name, struct gf_buf *out)
{
    const struct mtx_about *about = mtx_about_of(u->p->matrix, name);
    size_t n = strlen(name);
    const char *glue = "; its wheels are called ";
    for (size_t i = 0; about && i < about->naliases; i++) {
        if (strncmp(about->aliases[i], name, n) != 0 || strncmp(about->aliases[i] + n, "-cu", 3) != 0) continue;
        gf_buf_addf(out, "%s%s", glue, about->aliases[i]);
        glue = ", ";
    }
}

/* "jieba 0.42.1 is a source archive: the target must build it, with setuptools 80.9.0; it needs there: c-compiler (2 files of C)" */
static const char *archive_text(struct rsv_universe *u, struct gf_arena *a, rsv_pkg pkg)
{
    GF_BUF_SCOPE struct gf_buf out;
    gf_buf_init(&out, 20000);
    const struct rsv_build *b = build_of(u, pkg);
    const char *glue = ", with ";
    gf_buf_addf(&out, "%s %s is a source archive: the target must build it%s", u->pkg.v[pkg].name, candidate_of(u, pkg)->version.text, b ? "" : " and needs its build tools");
    for (size_t i = 0; b && i < b->needs.n; i++) {
        if (!asked_by(metadata_of(u, pkg), b->needs.v[i])) continue;
        size_t n = strcspn(b->needs.v[i], "=");
        gf_buf_addf(&out, "%s%.*s %s", glue, (int)n, b->needs.v[i], b->needs.v[i] + n + 2);
        glue = ", ";
    }
    for (uint32_t k = 0; b && k < b->ntools; k++) {
        const struct rsv_build_tool *t = &b->tools[k];
        bool any = strcmp(t->needs, ">=0") == 0;
        gf_buf_addf(&out, "%s%s%s%s (%s)", k ? ", " : "; it needs there: ", t->name, any ? "" : " ", any ? "" : t->needs, t->evidence);
    }
    add_wheels_of(u, u->pkg.v[pkg].name, &out);
    return gf_arena_str(a, gf_buf_slice(&out));
}

static void write_warnings(struct rsv_universe *u, struct mdl_lock *l)
{
    struct strings s = { 0 };
    struct warn_context x = { &l->mem, &s };
    for (rsv_pkg p = 1; p < u->pkg.n; p++) {
        if (!is_chosen_distribution(u, p)) continue;
        const struct rsv_candidate *c = candidate_of(u, p);
        const char *n = u->pkg.v[p].name, *v = c->version.text;
        if (c->unknown_code) gf_vec_push(&s.v, gf_arena_printf(&l->mem, "%s %s: its GPU code is not known to the data set; no known plan exists", n, v));
        if (c->newer_python) gf_vec_push(&s.v, gf_arena_printf(&l->mem, "%s %s says Python %s; the target has %u.%u and nothing else fits", n, v, c->file->requires_python,
                                                               u->platform.major, u->platform.minor));
        if (c->choice) warn_of_variant(u, &l->mem, p, &s);
        if (c->sdist) gf_vec_push(&s.v, archive_text(u, &l->mem, p));
        if (c->ptx) gf_vec_push(&s.v, gf_arena_printf(&l->mem, "%s %s runs on this GPU by PTX: the first start compiles it and is slow", n, v));
        if (c->newer_cuda && c->build) gf_vec_push(&s.v, gf_arena_printf(&l->mem, "%s %s was built with CUDA %s, the driver knows %s: its binaries run (minor-version compatibility), "
                                                                        "code compiled at run time by NVRTC or as PTX does not", n, v, c->build->cuda ? c->build->cuda : "newer", u->driver_cuda));
        if (u->pkg.v[p].unreachable) gf_vec_push(&s.v, gf_arena_printf(&l->mem, "%s: not considered, could not be reached: %s; a newer or better fitting build may be there", n, u->pkg.v[p].unreachable));
    }
    if (u->p->gpu_rules) each_rule(u, warn_at_run, &x);
    each_lacking(u, warn_lacking, &x);
    sort_unique(&s);
    l->warnings = keep_strings(&l->mem, &s);
}

/* --- sources --------------------------------------------------------------------------------------------------------------- */

static void write_sources(struct rsv_universe *u, struct mdl_lock *l)
{
    GF_VEC(struct mdl_lock_source) list = { 0 };
    const struct src_index *index;
    for (size_t i = 0; (index = u->supply.index(u->supply.arg, i)); i++) {
        GF_FREE char *base = index->url ? net_url_without_credentials(index->url) : NULL;
        struct mdl_lock_source s = { .id = gf_arena_strz(&l->mem, index->id), .kind = index->kind == SRC_SIMPLE ? "simple" : "find-links", .base = gf_arena_strz(&l->mem, base),
                                     .state = "not-asked" };
        const char *why = NULL;
        enum src_use use = u->supply.use ? u->supply.use(u->supply.arg, i, &why) : SRC_USE_USED;
        if (use == SRC_USE_USED) s.state = "used";
        if (use == SRC_USE_UNREACHABLE) {
            s.state = "unreachable";
            s.could_change = gf_arena_printf(&l->mem, "other builds%s%s of the packages routed to it", index->variant ? " for " : "", index->variant ? index->variant : "");
        }
        gf_vec_push(&list, s);
    }
    l->sources = list.n ? gf_arena_memdup(&l->mem, list.v, list.n * sizeof *list.v) : NULL;
    l->nsources = list.n;
    gf_vec_free(&list);
}

struct mdl_lock *rsv_write_lock(struct rsv_write *w, struct gf_err *err)
{
    struct mdl_lock *l = mdl_lock_new();
    struct rsv_universe *u = w->u;
    l->matrix_version = gf_arena_strz(&l->mem, mtx_version(u->p->matrix));
    l->matrix_sha256 = gf_arena_strz(&l->mem, mtx_sha256(u->p->matrix));
    l->request_json = gf_arena_strz(&l->mem, w->request_json ? w->request_json : "{}");
    write_python(w, l);
    write_stack(u, l);
    write_assumes(u, l);
    write_reasons(u, l);
    write_warnings(u, l);
    write_sources(u, l);
    (void)err;
    return l;
}
