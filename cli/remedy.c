/* The fix that a solve shows: with this machine and what is installed, the nearest set of versions that holds together. */
#include "cli/planning.h"
#include "cli/judgement.h"

#define TAKEN_PYTHON "3.10.0" /* when none is told: torch 1.11 to 2.14 have wheels for it */
enum { MOST_PACKAGES = 80, CONNECT_MS = 2000, STALL_MS = 4000 };

struct remedy {
    struct gf_arena mem;
    struct mtx *m;
    const struct mdl_profile *p;
    struct mdl_verdict *v;
    struct tgt_target target;
    struct net_client *net;
    struct src_config config;
    struct src_set *sources;
    struct rsv_problem problem;
    struct rsv_result result;
    bool python_taken;
};

/* The data has something to say of it: builds, or rules. The others follow by what they are required for. */
static bool known(struct mtx *m, const char *name)
{
    const struct mtx_build *const *builds;
    const struct mtx_rule *const *rules;
    return mtx_builds(m, name, &builds) || mtx_rules_for(m, name, &rules);
}

static const struct mdl_package *installed(const struct remedy *r, const char *name)
{
    for (size_t i = 0; i < r->p->npackages; i++)
        if (strcmp(r->p->packages[i].name, name) == 0) return &r->p->packages[i];
    return NULL;
}

static const struct mdl_lock_python *planned(const struct remedy *r, const char *name)
{
    const struct mdl_lock *l = r->result.lock;
    for (size_t i = 0; i < l->npython; i++)
        if (strcmp(l->python[i].name, name) == 0) return &l->python[i];
    return NULL;
}

/* Names of NVIDIA's wheels are left out: they come by what needs them. */
static int ask_for(struct remedy *r, struct gf_err *err)
{
    struct py_req *list = GF_NEW_ARRAY(&r->mem, struct py_req, MOST_PACKAGES);
    size_t n = 0;
    for (size_t i = 0; i < r->p->npackages && n < MOST_PACKAGES; i++) {
        const struct mdl_package *pkg = &r->p->packages[i];
        if (strncmp(pkg->name, "nvidia-", 7) == 0 || !known(r->m, pkg->name)) continue;
        if (py_req_parse(&r->mem, gf_slice_of(pkg->name), false, &list[n++], err)) return -1;
    }
    r->problem.requests = list;
    r->problem.nrequests = n;
    return n ? 0 : gf_fail(err, GF_E_NOT_FOUND, "nothing is installed that the data knows");
}

static int solve(struct remedy *r, const struct opt_common *common, struct gf_err *err)
{
    struct mdl_profile *base = NULL;
    struct opt_sources from = { 0 };
    struct opt_target nothing = { 0 };
    struct net_config net = { .offline = common->offline, .connect_timeout_ms = CONNECT_MS, .stall_timeout_ms = STALL_MS };
    struct rsv_plan_options how = { .changes = true };
    if (ask_for(r, err) || mdl_profile_copy(r->p, &base, err) || opt_target_with(&nothing, r->m, base, &r->target, err)) return -1;
    struct mdl_profile *p = r->target.profile;
    if (p->python_known == MDL_ABSENT || !p->arch) return gf_fail(err, GF_E_NOT_FOUND, "Python or the architecture is not known");
    r->python_taken = !p->python_version;
    if (r->python_taken) p->python_version = TAKEN_PYTHON, p->python_known = MDL_PRESENT;
    if (p->driver_cuda && !p->driver_version) return gf_fail(err, GF_E_NOT_FOUND, "of the driver only its CUDA is known");
    tgt_assume_glibc(&r->target);
    bool keep = p->driver_version != NULL;
    r->target.driver = keep ? TGT_DRIVER_KEEP : TGT_DRIVER_ANY;
    r->problem.profile = p;
    r->problem.matrix = r->m;
    r->problem.driver = keep ? RSV_DRIVER_KEEP : RSV_DRIVER_ANY;
    r->problem.gpu_rules = p->ngpus && (!p->accelerator || strcmp(p->accelerator, "cpu") != 0);
    r->problem.unknown = r->problem.sdist = RSV_REFUSE;
    r->problem.prefer = RSV_INSTALLED;
    if (opt_sources_config(&r->mem, r->m, &r->target, common, &from, r->problem.requests, r->problem.nrequests, &r->config, err)) return -1;
    if (net_client_new(&net, &r->net, err) || src_set_new(&r->config, r->net, &r->sources, err)) return -1;
    return rsv_plan(&r->problem, rsv_supply_of_sources(r->sources), &how, &r->result, err);
}

/* Is the finding one of this package: a word of its subject, or what its own fix installs. */
static bool names(gf_slice text, const char *name)
{
    gf_slice word;
    while (gf_slice_word(&text, &word)) {
        gf_slice rest = word;
        gf_slice_cut(&rest, '=', &word);
        if (gf_slice_is(word, name)) return true;
    }
    return false;
}

static bool concerns(const struct mdl_finding *f, const char *name)
{
    bool found = names(gf_slice_of(f->about), name);
    for (size_t i = 0; i < f->fix_commands.n && !found; i++) found = names(gf_slice_of(f->fix_commands.v[i]), name);
    return found;
}

/* Does what is planned stay what is installed: the same version; of an installed "2.10.0+cu128" the default index has the same as "2.10.0". */
static bool stays(const char *was, const char *now)
{
    struct gf_arena a = GF_ARENA_INIT;
    struct py_version v, w;
    bool same = py_version_parse(&a, gf_slice_of(was), &v) && py_version_parse(&a, gf_slice_of(now), &w) &&
                (strchr(now, '+') ? py_version_cmp(&v, &w) == 0 : py_version_cmp_public(&v, &w) == 0);
    gf_arena_release(&a);
    return same;
}

struct fix { struct gf_buf text, install, remove; const char *index; size_t changes; };

static const char *index_of(const struct remedy *r, const char *source)
{
    const struct mdl_lock *l = r->result.lock;
    for (size_t i = 0; i < l->nsources; i++)
        if (strcmp(l->sources[i].id, source) == 0 && strcmp(source, "default") != 0 && strcmp(l->sources[i].kind, "simple") == 0) return l->sources[i].base;
    return NULL;
}

/* What stands in the plan for the i-th request, when it is another version than the installed one; *ret NULL: nothing does. */
static bool changes(const struct remedy *r, size_t i, const struct mdl_lock_python **ret)
{
    const struct mdl_package *was = installed(r, r->problem.requests[i].name);
    *ret = planned(r, r->problem.requests[i].name);
    return !*ret || !was->version || !stays(was->version, (*ret)->version);
}

static void collect(const struct remedy *r, struct fix *f)
{
    for (size_t i = 0; i < r->problem.nrequests; i++) {
        const char *name = r->problem.requests[i].name;
        const struct mdl_package *was = installed(r, name);
        const struct mdl_lock_python *now;
        if (!changes(r, i, &now)) continue;
        gf_buf_addf(&f->text, "%s%s %s -> %s", f->changes++ ? ", " : "", name, was->version ? was->version : "(no version known)", now ? now->version : "removed");
        if (now) gf_buf_addf(&f->install, " %s==%s", name, now->version);
        else gf_buf_addf(&f->remove, " %s", name);
        if (now && index_of(r, now->source)) f->index = index_of(r, now->source);
    }
}

static void attach(const struct remedy *r, const struct fix *f)
{
    struct gf_arena *a = &r->v->mem;
    const char *commands[2];
    size_t n = 0;
    if (f->remove.n) commands[n++] = gf_arena_printf(a, "pip uninstall -y%.*s", GF_FMT(gf_buf_slice(&f->remove)));
    if (f->install.n) commands[n++] = gf_arena_printf(a, "pip install%.*s%s%s", GF_FMT(gf_buf_slice(&f->install)), f->index ? " --extra-index-url " : "", f->index ? f->index : "");
    for (size_t i = 0; i < r->v->nfindings; i++) {
        struct mdl_finding *found = &r->v->findings[i];
        bool about = false;
        for (size_t k = 0; k < r->problem.nrequests && !about; k++) {
            const struct mdl_lock_python *now;
            about = changes(r, k, &now) && concerns(found, r->problem.requests[k].name);
        }
        if (found->level != MDL_ERROR || !about) continue;
        char *text = gf_arena_printf(a, "%.*s%s", GF_FMT(gf_buf_slice(&f->text)), r->python_taken ? ", for Python " TAKEN_PYTHON " since none is told" : "");
        bool other = found->fix_text && found->fix_commands.n;
        found->fix_text = other ? gf_arena_printf(a, "%s (what the data says without a plan: %s)", text, found->fix_text) : text;
        found->fix_commands = (struct mdl_strings){ gf_arena_memdup(a, commands, n * sizeof *commands), n };
        found->fix_proven = true;
    }
}

/* Nothing fits as things are: the smallest change that a solve showed to help. */
static void attach_change(const struct remedy *r, const struct rsv_change *c)
{
    for (size_t i = 0; i < r->v->nfindings; i++) {
        struct mdl_finding *f = &r->v->findings[i];
        bool about = false;
        for (size_t k = 0; k < r->problem.nrequests && !about; k++) about = concerns(f, r->problem.requests[k].name);
        if (f->level != MDL_ERROR || !about) continue;
        f->fix_text = gf_arena_printf(&r->v->mem, "%s: %s", c->what, c->gives);
        f->fix_commands = (struct mdl_strings){ 0 };
        f->fix_proven = true;
    }
}

/* The same rules that found it broken look at what would be there then. */
static bool holds(const struct remedy *r)
{
    struct mdl_profile *then = NULL;
    struct gf_err err = GF_ERR_INIT;
    if (mdl_profile_copy(r->p, &then, &err)) return false;
    size_t kept = 0;
    then->nerrors = 0; /* they are of before */
    for (size_t i = 0; i < then->npackages; i++) {
        struct mdl_package pkg = then->packages[i];
        const struct mdl_lock_python *now = planned(r, pkg.name);
        bool asked = false;
        for (size_t k = 0; k < r->problem.nrequests && !asked; k++) asked = strcmp(r->problem.requests[k].name, pkg.name) == 0;
        if (asked && !now) continue;
        if (now && !(pkg.version && stays(pkg.version, now->version))) pkg = (struct mdl_package){ .name = pkg.name, .version = now->version, .origin = pkg.origin };
        then->packages[kept++] = pkg;
    }
    then->npackages = kept;
    struct mdl_verdict *v = mdl_verdict_new();
    jdg_check(r->m, NULL, then, v);
    bool good = v->outcome != MDL_BROKEN;
    mdl_verdict_free(v);
    mdl_profile_free(then);
    return good;
}

static void tell(struct remedy *r)
{
    struct fix f = { 0 };
    if (!r->result.lock) {
        const struct rsv_refused *no = r->result.refused;
        for (size_t i = 0; no && i < no->nchanges; i++) {
            if (strncmp(no->changes[i].option, "--driver", 8) != 0 && strncmp(no->changes[i].option, "--python", 8) != 0) continue;
            attach_change(r, &no->changes[i]);
            break;
        }
        return;
    }
    gf_buf_init(&f.text, 1 << 16);
    gf_buf_init(&f.install, 1 << 16);
    gf_buf_init(&f.remove, 1 << 16);
    collect(r, &f);
    if (f.changes && holds(r)) attach(r, &f);
    gf_buf_release(&f.text);
    gf_buf_release(&f.install);
    gf_buf_release(&f.remove);
}

void cmd_prove_fixes(struct mtx *m, const struct mdl_profile *p, const struct opt_common *common, struct mdl_verdict *v)
{
    struct gf_err err = GF_ERR_INIT;
    struct remedy r = { .mem = GF_ARENA_INIT, .m = m, .p = p, .v = v };
    if (v->outcome != MDL_BROKEN) return;
    if (solve(&r, common, &err)) gf_note(out_log(), 1, "no fix was planned: %s", err.text);
    else tell(&r);
    rsv_result_release(&r.result);
    src_set_free(r.sources);
    net_client_free(r.net);
    tgt_target_release(&r.target);
    gf_arena_release(&r.mem);
}
