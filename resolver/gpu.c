/* The target's facts against one build: GPU code, driver, and what the matrix's rules say of glibc, kernel, CPU … */
#include "resolver/variants.h"
#include <stdio.h>

static uint32_t gpu_reason(struct rsv_universe *u, const struct rsv_package *p, enum rsv_reason_kind kind, const char *text, const char *why, const char *source)
{
    rsv_pkg id = (rsv_pkg)(p - u->pkg.v);
    return rsv_reason_add(u, (struct rsv_reason){ .kind = kind, .pkg = id, .dep = RSV_NONE, .text = text, .why = why, .source = source, .unit = "fact:gpu" });
}

static const char *gpu_label(struct rsv_universe *u, const struct mdl_gpu *g)
{
    return g->name ? gf_arena_printf(&u->mem, "%s (%s)", g->name, g->cc) : gf_arena_printf(&u->mem, "compute capability %s", g->cc);
}

static const char *index_name(struct rsv_universe *u, const struct rsv_candidate *c)
{
    const struct src_index *index = u->supply.index(u->supply.arg, c->source);
    if (!index || !index->vendor) return index && strcmp(index->id, "default") == 0 ? "default" : NULL;
    return index->id; /* "pytorch-cu126": rows for "pytorch" and for "pytorch-cu126" fit it */
}

/* NVIDIA cards whose capability is known: the ones that can be judged. */
static bool judgeable(const struct mdl_gpu *g, unsigned *ret_major, unsigned *ret_minor)
{
    return g->cc && mtx_cc_parse(gf_slice_of(g->cc), ret_major, ret_minor);
}

/* The build's code against one card; false when the candidate is refused for it. */
static bool judge_card(struct rsv_universe *u, struct rsv_package *p, struct rsv_candidate *c, const struct mdl_gpu *g)
{
    unsigned major, minor;
    if (!judgeable(g, &major, &minor)) return true;
    gf_slice cuda = gf_slice_of(u->driver_cuda);
    struct mtx_coverage cover = mtx_covers(u->p->matrix, c->build->carries, major, minor, cuda);
    if (cover.how == MTX_PTX) {
        c->ptx = true;
        c->ptx_cuda = cover.ptx_needs_cuda;
    }
    if (cover.runs == PY_NO) {
        enum rsv_reason_kind kind = cover.how == MTX_PTX ? RSV_R_PTX : RSV_R_GPU;
        c->refused = gpu_reason(u, p, kind, gpu_label(u, g), cover.why, cover.source);
        return false;
    }
    if (cover.runs == PY_UNKNOWN && !(cover.how == MTX_PTX && u->p->driver == RSV_DRIVER_ANY)) c->unknown_code = true;
    return true;
}

static void judge_cuda_distance(struct rsv_universe *u, struct rsv_candidate *c)
{
    const char *cuda = c->build && c->build->cuda ? c->build->cuda : c->variant ? mtx_variant_cuda(&u->mem, gf_slice_of(c->variant)) : NULL;
    c->newer_cuda = cuda && u->driver_cuda && gf_dotted_cmp(gf_slice_of(cuda), gf_slice_of(u->driver_cuda)) > 0;
}

/* Of a library that is part of a toolkit: does the driver know that CUDA itself. */
void rsv_judge_part(struct rsv_universe *u, struct rsv_package *p, struct rsv_candidate *c)
{
    const struct mtx_rule *const *rules = NULL;
    size_t n = u->p->gpu_rules && u->driver_cuda ? mtx_rules_for(u->p->matrix, p->name, &rules) : 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; rules[i]->kind == MTX_PROVIDES && k < rules[i]->nterms; k++) {
            if (strcmp(rules[i]->terms[k].name, "part-of-cuda") != 0 || !rsv_rule_applies(u, rules[i], c)) continue;
            const char *cuda = mtx_provided_version(&u->mem, rules[i]->terms[k].text, &c->version);
            c->newer_part = cuda && gf_dotted_cmp(gf_slice_of(cuda), gf_slice_of(u->driver_cuda)) > 0;
        }
}

/* A card of a vendor that CUDA does not serve; NULL: there is none. */
static const struct mdl_gpu *foreign_card(const struct rsv_universe *u)
{
    for (size_t i = 0; i < u->p->profile->ngpus; i++)
        if (u->p->profile->gpus[i].vendor && strcmp(u->p->profile->gpus[i].vendor, "nvidia") != 0) return &u->p->profile->gpus[i];
    return NULL;
}

/* Refuses a CUDA build where a card of another vendor has to run it. */
static bool refuse_foreign(struct rsv_universe *u, struct rsv_package *p, struct rsv_candidate *c)
{
    const struct mdl_gpu *g = foreign_card(u);
    bool cuda = (c->build && c->build->cuda) || (c->variant && strncmp(c->variant, "cu", 2) == 0);
    if (!g || !cuda) return false;
    c->refused = gpu_reason(u, p, RSV_R_GPU, g->name ? g->name : g->vendor, "its code is for CUDA, which only NVIDIA's cards run", NULL);
    return true;
}

static bool wants_gpu(const struct rsv_universe *u) { return u->p->gpu_rules && u->p->profile->ngpus > 0; }

void rsv_judge_gpu(struct rsv_universe *u, struct rsv_package *p, struct rsv_candidate *c)
{
    struct mtx *m = u->p->matrix;
    const char *family = index_name(u, c);
    const struct rsv_choice *own = c->choice && c->choice->label ? c->choice : NULL; /* says itself what it is */
    if (!own && !mtx_family_of(m, p->name) && !mtx_holds_gpu_code(m, p->name)) return;
    const char *variant = own ? own->variant : mtx_variant_of(m, p->name, &c->version, family, u->build_platform);
    if (variant) c->variant = variant;
    if (!u->p->gpu_rules || c->sdist) return;
    judge_cuda_distance(u, c);
    if (!wants_gpu(u)) return;
    if (c->variant && strcmp(c->variant, "cpu") == 0) {
        c->refused = gpu_reason(u, p, RSV_R_CPU_BUILD, "cpu", NULL, NULL);
        return;
    }
    if (!mtx_holds_gpu_code(m, p->name) && !(own && own->build)) return;
    c->build = own ? own->build : mtx_build_of(m, p->name, &c->version, family, u->build_platform, c->file ? c->file->sha256 : NULL);
    judge_cuda_distance(u, c);
    bool foreign = refuse_foreign(u, p, c);
    if (!foreign && (!c->build || !c->build->carries)) {
        c->unknown_code = true;
        return;
    }
    for (size_t i = 0; i < u->p->profile->ngpus && !foreign; i++)
        if (!judge_card(u, p, c, &u->p->profile->gpus[i])) break;
    if (c->refused != RSV_NONE && rsv_is_freed(u, "fact:gpu")) c->refused = RSV_NONE;
}

/* --- facts of the target by the names the matrix's rules use -------------------------------------------------- */

static bool take(gf_slice *ret, const char *value)
{
    *ret = gf_slice_of(value);
    return value != NULL;
}

/* Lowest or highest capability of the cards. */
static const char *extreme_cc(const struct mdl_profile *f, bool highest)
{
    const char *best = NULL;
    for (size_t i = 0; i < f->ngpus; i++) {
        const char *cc = f->gpus[i].cc;
        if (!cc) continue;
        int c = best ? gf_dotted_cmp(gf_slice_of(cc), gf_slice_of(best)) : 0;
        if (!best || (highest ? c > 0 : c < 0)) best = cc;
    }
    return best;
}

static bool fact_lookup(const void *arg, gf_slice name, gf_slice *ret)
{
    const struct rsv_universe *u = arg;
    const struct mdl_profile *f = u->p->profile;
    if (gf_slice_is(name, "os")) return take(ret, u->os);
    if (gf_slice_is(name, "arch")) return take(ret, f->arch);
    if (gf_slice_is(name, "python")) return take(ret, f->python_version);
    if (gf_slice_is(name, "glibc")) return take(ret, f->libc_name && strcmp(f->libc_name, "glibc") == 0 ? f->libc_version : NULL);
    if (gf_slice_is(name, "libc")) return take(ret, f->libc_name);
    if (gf_slice_is(name, "kernel")) return take(ret, f->kernel);
    if (gf_slice_is(name, "driver")) return take(ret, u->p->driver == RSV_DRIVER_KEEP ? f->driver_version : NULL);
    if (gf_slice_is(name, "cuda")) return take(ret, u->driver_cuda);
    if (gf_slice_is(name, "flavour")) return take(ret, f->driver_flavour);
    if (gf_slice_is(name, "gpu") || gf_slice_is(name, "gpu_min")) return take(ret, extreme_cc(f, false));
    if (gf_slice_is(name, "gpu_max")) return take(ret, extreme_cc(f, true));
    if (gf_slice_is(name, "distro")) return take(ret, f->os_id);
    if (gf_slice_is(name, "wsl") && f->wsl != PY_UNKNOWN) return take(ret, f->wsl == PY_YES ? "yes" : "no");
    if (gf_slice_is(name, "container") && f->container != PY_UNKNOWN) return take(ret, f->container == PY_YES ? "yes" : "no");
    return false;
}

/* Rules of the driver speak of its own numbers. */
static bool driver_fact_lookup(const void *arg, gf_slice name, gf_slice *ret)
{
    const struct rsv_universe *u = arg;
    return gf_slice_is(name, "os") ? take(ret, u->driver_os) : fact_lookup(arg, name, ret);
}

static bool asks_driver(const struct mtx_rule *r)
{
    for (size_t i = 0; i < r->nterms; i++)
        if (strcmp(r->terms[i].name, "driver") == 0) return true;
    return false;
}

struct py_env rsv_facts_env(const struct rsv_universe *u) { return (struct py_env){ .lookup = fact_lookup, .arg = u }; }

bool rsv_rule_applies(struct rsv_universe *u, const struct mtx_rule *r, const struct rsv_candidate *c)
{
    if (!py_specset_contains(&r->versions, &c->version)) return false;
    if (r->variant && !(c->variant && strcmp(c->variant, r->variant) == 0)) return false;
    if (!r->when) return true;
    struct py_env env = asks_driver(r) ? (struct py_env){ .lookup = driver_fact_lookup, .arg = u } : rsv_facts_env(u);
    return py_marker_eval(r->when, &env, GF_NONE) != PY_NO;
}

bool rsv_is_fact(const char *name)
{
    static const char *const facts[] = { "glibc", "libc", "kernel", "cpu", "gpu", "python", "os", "arch", "libstdcxx", "gcc", "nvcc", "memory", "windows" };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
        if (strcmp(facts[i], name) == 0) return true;
    return false;
}

/* The level of x86-64 that the CPU has, 1 to 4, against the rule's range. */
static enum py_tri cpu_fits(struct rsv_universe *u, const struct mdl_profile *f, const struct mtx_term *t)
{
    struct py_version level;
    if (f->arch && strcmp(f->arch, "x86_64") != 0) return PY_YES;
    if (!f->cpu_level || !py_version_parse(&u->mem, gf_slice_of(gf_arena_printf(&u->mem, "%d", f->cpu_level)), &level)) return PY_UNKNOWN;
    return py_specset_contains(&t->specs, &level) ? PY_YES : PY_NO;
}

static enum py_tri fact_holds(struct rsv_universe *u, const struct mtx_term *t)
{
    const struct mdl_profile *f = u->p->profile;
    if (strcmp(t->name, "cpu") == 0) return cpu_fits(u, f, t);
    gf_slice have = GF_NONE;
    if (strcmp(t->name, "gpu") == 0 && (!u->p->gpu_rules || !f->ngpus)) return PY_YES;
    if (strcmp(t->name, "glibc") == 0 && f->libc_name && strcmp(f->libc_name, "glibc") != 0) return PY_YES;
    if (strcmp(t->name, "libstdcxx") == 0) take(&have, f->libstdcxx);
    else if (!fact_lookup(u, gf_slice_of(t->name), &have)) return PY_UNKNOWN;
    struct py_version v;
    gf_slice rest = have, number = have;
    if (strcmp(t->name, "kernel") == 0 && have.p) gf_slice_cut(&rest, '-', &number);
    if (!have.p || !py_version_parse(&u->mem, number, &v)) return PY_UNKNOWN;
    return py_specset_contains(&t->specs, &v) ? PY_YES : PY_NO;
}

void rsv_judge_facts(struct rsv_universe *u, struct rsv_package *p, struct rsv_candidate *c)
{
    const struct mtx_rule *const *rules = NULL;
    size_t n = mtx_rules_for(u->p->matrix, p->name, &rules);
    for (size_t i = 0; i < n; i++) {
        if (rules[i]->kind != MTX_REQUIRES || !rsv_rule_applies(u, rules[i], c)) continue;
        for (size_t k = 0; k < rules[i]->nterms; k++) {
            const struct mtx_term *t = &rules[i]->terms[k];
            if (!rsv_is_fact(t->name) || fact_holds(u, t) != PY_NO) continue;
            const char *unit = gf_arena_printf(&u->mem, "fact:%s", t->name);
            if (rsv_is_freed(u, unit) || rsv_is_freed(u, rules[i]->id)) continue;
            char text[256];
            gf_slice have = GF_NONE;
            if (!fact_lookup(u, gf_slice_of(t->name), &have)) have = GF_S("less");
            snprintf(text, sizeof text, "%s %s, the target has %.*s", t->name, t->text ? t->text : "", GF_FMT(have));
            rsv_pkg id = (rsv_pkg)(p - u->pkg.v);
            c->refused = rsv_reason_add(u, (struct rsv_reason){ .kind = RSV_R_FACT, .pkg = id, .dep = RSV_NONE, .text = gf_arena_strz(&u->mem, text),
                                                               .why = rules[i]->why, .rule = rules[i], .source = rules[i]->source, .unit = unit });
            return;
        }
    }
}
