#include "resolver/build.h"
#include "resolver/explain.h"
#include <stdlib.h>

typedef GF_VEC(struct py_req) req_list;

void rsv_forget_builds(struct rsv_universe *u)
{
    for (size_t i = 0; i < u->build_files.n; i++) gf_vec_free(&u->build_files.v[i].archives);
    u->builds.n = u->build_files.n = 0;
}

void rsv_want_build(struct rsv_universe *u, const struct py_metadata *m)
{
    for (uint32_t i = 0; i < m->nbuild_requires && i < GF_CAP_BUILD_REQUIRES; i++) u->supply.want_project(u->supply.arg, m->build_requires[i].name);
}

static const struct rsv_candidate *chosen_of(const struct rsv_universe *u, rsv_pkg pkg)
{
    uint32_t at = u->pkg.v[pkg].kind == RSV_DIST ? rsv_decided(u->solver, pkg) : RSV_NONE;
    return at == RSV_NONE || u->pkg.v[pkg].c[at].replaces_by ? NULL : &u->pkg.v[pkg].c[at];
}

/* --- tools ---------------------------------------------------------------------------------------------------------- */

static enum mdl_known known(const char *value, enum mdl_known said) { return value ? MDL_PRESENT : said; }

/* The CUDA of the stack, whose major nvcc must have: "12"; NULL when none is in it. */
static const char *cuda_of_stack(const struct rsv_universe *u)
{
    for (rsv_pkg p = 1; p < u->pkg.n; p++)
        if (u->pkg.v[p].kind == RSV_COMPONENT && rsv_decided(u->solver, p) != RSV_NONE && strncmp(u->pkg.v[p].name, "cuda", 4) == 0 && gf_is_digit((unsigned char)u->pkg.v[p].name[4]))
            return u->pkg.v[p].name + 4;
    return NULL;
}

static const char *nvcc_range(struct rsv_universe *u, const char *major)
{
    return major ? gf_arena_printf(&u->mem, ">=%s,<%llu", major, (unsigned long long)strtoull(major, NULL, 10) + 1) : ">=0";
}

/* "nvcc 12 files of CUDA" with what the target has of it: a tool to be looked for there, or the reason why it cannot be. */
static struct rsv_build_tool judge_tool(struct rsv_universe *u, const char *text, const char **ret_lacks)
{
    const struct mdl_profile *f = u->p->profile;
    gf_slice rest = gf_slice_of(text), name;
    gf_slice_word(&rest, &name);
    struct rsv_build_tool t = { gf_arena_str(&u->mem, name), ">=0", gf_arena_str(&u->mem, gf_slice_trim(rest)) };
    *ret_lacks = NULL;
    if (gf_slice_is(name, "c-compiler") && known(f->gcc, f->gcc_known) == MDL_ABSENT) *ret_lacks = gf_arena_printf(&u->mem, "a C compiler (it has %s), and the target has none", t.evidence);
    if (!gf_slice_is(name, "nvcc")) return t;
    const char *major = cuda_of_stack(u);
    t.needs = nvcc_range(u, major);
    if (known(f->nvcc, f->nvcc_known) == MDL_ABSENT) *ret_lacks = gf_arena_printf(&u->mem, "nvcc of a CUDA toolkit (it has %s), and the target has none", t.evidence);
    else if (f->nvcc && major && (strncmp(f->nvcc, major, strlen(major)) != 0 || gf_is_digit((unsigned char)f->nvcc[strlen(major)])))
        *ret_lacks = gf_arena_printf(&u->mem, "nvcc of CUDA %s like the rest of the stack, the target has %s", major, f->nvcc);
    return t;
}

/* NULL, or what the target lacks. With --sdist allow nothing that was read out of the archive forbids it: it may do without. */
static const char *judge_tools(struct rsv_universe *u, const struct py_metadata *m, struct rsv_build *b)
{
    b->tools = GF_NEW_ARRAY(&u->mem, struct rsv_build_tool, m->nbuild_tools + 1);
    for (uint32_t i = 0; i < m->nbuild_tools; i++) {
        const char *lacks;
        b->tools[b->ntools++] = judge_tool(u, m->build_tools[i], &lacks);
        if (lacks && u->p->sdist != RSV_ALLOW) return lacks;
    }
    return NULL;
}

/* --- the environment ------------------------------------------------------------------------------------------------ */

/* Does the build go with this version of the stack, as far as it names it. */
static bool goes_with(const struct rsv_universe *u, const struct py_metadata *m, const char *name, const struct py_version *v)
{
    for (uint32_t i = 0; i < m->nbuild_requires; i++) {
        const struct py_req *r = &m->build_requires[i];
        if (strcmp(r->name, name) != 0 || (r->marker && py_marker_eval(r->marker, &u->env, GF_NONE) == PY_NO)) continue;
        if (r->specs.n && !py_specset_contains(&r->specs, v)) return false;
    }
    return true;
}

/* What the stack has is what it is built with: an extension of torch must meet the torch that will load it. Not where the build asks for another version,
 * and in the looser second try only what holds GPU code. */
static void pin_to_stack(struct rsv_universe *u, const struct py_metadata *m, rsv_pkg self, bool loose, req_list *out)
{
    struct gf_err ignored = GF_ERR_INIT;
    for (rsv_pkg p = 1; p < u->pkg.n; p++) {
        const struct rsv_candidate *c = chosen_of(u, p);
        const char *name = u->pkg.v[p].name;
        if (!c || p == self || c->sdist || !goes_with(u, m, name, &c->version) || (loose && !mtx_holds_gpu_code(u->p->matrix, name))) continue;
        struct py_req r;
        if (!py_req_parse(&u->mem, gf_slice_of(gf_arena_printf(&u->mem, "%s==%s", name, c->version.text)), true, &r, &ignored)) gf_vec_push(out, r);
    }
}

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static void keep_file(struct rsv_universe *u, const char *name, const struct rsv_candidate *c, const char *for_name)
{
    for (size_t i = 0; i < u->build_files.n; i++)
        if (strcmp(u->build_files.v[i].candidate.file->filename, c->file->filename) == 0) {
            gf_vec_push(&u->build_files.v[i].archives, for_name);
            return;
        }
    struct rsv_build_file f = { .name = gf_arena_strz(&u->mem, name),
                                .candidate = { .version = { .text = gf_arena_strz(&u->mem, c->version.text) }, .file = c->file, .source = c->source } };
    gf_vec_push(&f.archives, for_name);
    gf_vec_push(&u->build_files, f);
}

/* The wheels that env's solve chose: those of the stack stay there, others come along for the build alone. */
static void take_environment(struct rsv_universe *u, struct rsv_universe *env, struct rsv_build *b)
{
    GF_VEC(const char *) needs = { 0 };
    for (rsv_pkg p = 1; p < env->pkg.n; p++) {
        const struct rsv_candidate *c = chosen_of(env, p);
        if (!c) continue;
        gf_vec_push(&needs, gf_arena_printf(&u->mem, "%s==%s", env->pkg.v[p].name, c->version.text));
        rsv_pkg own = rsv_find_package(u, RSV_DIST, env->pkg.v[p].name, NULL);
        const struct rsv_candidate *have = own == RSV_NONE ? NULL : chosen_of(u, own);
        if (!have || have->sdist || py_version_cmp(&have->version, &c->version) != 0) keep_file(u, env->pkg.v[p].name, c, u->pkg.v[b->pkg].name);
    }
    if (needs.n) qsort(needs.v, needs.n, sizeof *needs.v, by_text);
    b->needs = (struct mdl_strings){ needs.n ? gf_arena_memdup(&u->mem, needs.v, needs.n * sizeof *needs.v) : NULL, needs.n };
    gf_vec_free(&needs);
}

/* Why env has no solution, in u's memory. */
static const char *why_not(struct rsv_universe *u, struct rsv_universe *env)
{
    size_t n = 0;
    uint32_t *leaves = rsv_refusal_leaves(env, &n), leaf = rsv_telling_leaf(env, leaves, n);
    struct mdl_reason r;
    const struct rsv_incompat *inc = leaf == RSV_NONE ? NULL : rsv_incompat_at(env->solver, leaf);
    const char *text = "what its build requires does not go together";
    if (inc && inc->reason != RSV_NONE && env->reasons.v[inc->reason].kind == RSV_R_CONSTRAINT)
        text = gf_arena_printf(&u->mem, "what its build requires does not go with %s of this stack", env->reasons.v[inc->reason].text);
    else if (inc && rsv_reason_text(env, &u->mem, inc, &r)) text = r.text;
    free(leaves);
    return text;
}

/* One try: RSV_SOLVED fills b, RSV_UNSOLVABLE sets *ret_why. */
static enum rsv_outcome solve_environment(struct rsv_universe *u, const struct py_metadata *m, struct rsv_build *b, bool loose, const char **ret_why, struct gf_err *err)
{
    req_list pins = { 0 };
    struct rsv_universe env;
    struct rsv_problem p = { .profile = u->p->profile, .matrix = u->p->matrix, .driver = u->p->driver, .requests = m->build_requires, .nrequests = m->nbuild_requires,
                             .unknown = RSV_ALLOW, .sdist = RSV_REFUSE, .plain_pip = u->p->plain_pip, .log = u->p->log };
    pin_to_stack(u, m, b->pkg, loose, &pins);
    p.constraints = pins.v;
    p.nconstraints = pins.n;
    enum rsv_outcome outcome = rsv_universe_init(&env, &p, u->supply, err) ? RSV_FAILED : rsv_run(&env, NULL, err);
    if (outcome == RSV_SOLVED) take_environment(u, &env, b);
    if (outcome == RSV_UNSOLVABLE) *ret_why = why_not(u, &env);
    rsv_universe_release(&env);
    gf_vec_free(&pins);
    return outcome;
}

static enum rsv_outcome plan_environment(struct rsv_universe *u, const struct py_metadata *m, struct rsv_build *b, const char **ret_why, struct gf_err *err)
{
    if (m->nbuild_requires > GF_CAP_BUILD_REQUIRES) {
        *ret_why = gf_arena_printf(&u->mem, "its build asks for more than %u distributions", GF_CAP_BUILD_REQUIRES);
        return RSV_UNSOLVABLE;
    }
    for (uint32_t i = 0; i < m->nbuild_requires; i++)
        if (m->build_requires[i].url) {
            *ret_why = gf_arena_printf(&u->mem, "its build wants '%s' from a URL", m->build_requires[i].text);
            return RSV_UNSOLVABLE;
        }
    enum rsv_outcome outcome = solve_environment(u, m, b, false, ret_why, err);
    return outcome == RSV_UNSOLVABLE ? solve_environment(u, m, b, true, ret_why, err) : outcome;
}

/* --- the whole ------------------------------------------------------------------------------------------------------ */

static void refuse(struct rsv_universe *u, rsv_pkg pkg, const char *why)
{
    struct rsv_reason r = { .kind = RSV_R_BUILD, .pkg = pkg, .dep = RSV_NONE, .text = why };
    u->pkg.v[pkg].c[rsv_decided(u->solver, pkg)].refused = rsv_reason_add(u, r);
}

/* RSV_UNSOLVABLE: it was refused. */
static enum rsv_outcome plan_build(struct rsv_universe *u, rsv_pkg pkg, const struct py_metadata *m, struct gf_err *err)
{
    struct rsv_build b = { .pkg = pkg };
    const char *why = judge_tools(u, m, &b);
    if (why) why = gf_arena_printf(&u->mem, "building it needs %s", why);
    enum rsv_outcome outcome = why ? RSV_UNSOLVABLE : plan_environment(u, m, &b, &why, err);
    if (outcome == RSV_UNSOLVABLE) refuse(u, pkg, why);
    if (outcome == RSV_SOLVED) gf_vec_push(&u->builds, b);
    return outcome;
}

int rsv_plan_builds(struct rsv_universe *u, bool *ret_refused, struct gf_err *err)
{
    rsv_forget_builds(u);
    *ret_refused = false;
    for (rsv_pkg p = 1; p < u->pkg.n; p++) {
        const struct rsv_candidate *c = chosen_of(u, p);
        const struct py_metadata *m = NULL;
        struct gf_err ignored = GF_ERR_INIT;
        if (!c || !c->sdist || u->supply.metadata(u->supply.arg, c->file, &m, &ignored) != SRC_READY || !m->build_backend) continue;
        enum rsv_outcome outcome = plan_build(u, p, m, err);
        if (outcome == RSV_FAILED) return gf_wrap(err, "planning the build of %s %s", u->pkg.v[p].name, c->version.text);
        *ret_refused |= outcome == RSV_UNSOLVABLE;
    }
    return 0;
}
