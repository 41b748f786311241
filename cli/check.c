/* gpuferry check: is what is installed or pasted consistent with itself and with the machine. */
#include "cli/judgement.h"
#include "judge/manifest.h"

struct options {
    struct opt_common common;
    struct opt_target target;
};
static const struct opt_group groups[] = { OPT_TARGET(struct options, target), OPT_COMMON(struct options, common) };

/* Every WHAT laid into one profile, in the order given: first what tells of the machine, then what would be installed on it. */
static int load_all(struct mtx *m, const struct opt_list *args, struct mdl_profile **all, struct gf_err *err)
{
    for (size_t i = 0; i < args->n; i++) {
        struct mdl_profile *one = NULL;
        if (jdg_manifest_kind(args->v[i]) != JDG_NO_MANIFEST) continue;
        if (tgt_load(m, args->v[i], &one, err)) return -1;
        if (!*all) {
            *all = one;
            continue;
        }
        mdl_profile_merge(*all, one);
        mdl_profile_free(one);
    }
    return 0;
}

/* What is there already gives way to what the files would install. */
static int load_manifests(struct mtx *m, const struct opt_list *args, struct mdl_profile *p, struct gf_err *err)
{
    GF_BUF_SCOPE struct gf_buf notes;
    gf_buf_init(&notes, 1u << 20);
    bool first = true;
    for (size_t i = 0; i < args->n; i++) {
        enum jdg_manifest kind = jdg_manifest_kind(args->v[i]);
        if (kind == JDG_NO_MANIFEST) continue;
        if (first) p->npackages = 0;
        first = false;
        if (jdg_manifest_add(m, kind, args->v[i], p, &notes, err)) return -1;
    }
    gf_slice rest = gf_buf_slice(&notes), line;
    while (gf_slice_line(&rest, &line)) out_talk("note: %.*s", GF_FMT(line));
    return 0;
}

static bool only_manifests(const struct opt_list *args)
{
    for (size_t i = 0; i < args->n; i++)
        if (jdg_manifest_kind(args->v[i]) == JDG_NO_MANIFEST) return false;
    return true;
}

static int judge(struct mtx *m, const struct mdl_profile *p, const char *about, struct gf_err *err)
{
    struct jdg_knowledge *k = NULL;
    if (cmd_open_knowledge(m, &k, err)) return -1;
    struct mdl_verdict *v = mdl_verdict_new();
    v->about = about;
    jdg_check(m, k, p, v);
    int rc = out_verdict(m, v, err);
    mdl_verdict_free(v);
    jdg_knowledge_free(k);
    return rc;
}

static int run(void *opts, const struct opt_list *args, struct gf_err *err)
{
    struct options *o = opts;
    struct mtx *m = NULL;
    struct tgt_target t = { 0 };
    struct mdl_profile *p = NULL;
    int rc;
    if (only_manifests(args)) { /* or nothing at all: the machine is the one that the options describe, or this one */
        if (opt_open_target(&o->target, &m, &t, err)) return -1;
        p = t.profile;
        rc = load_manifests(m, args, p, err);
    } else {
        if (opt_open_matrix(o->target.matrix, &m, err)) return -1;
        rc = load_all(m, args, &p, err);
        if (!rc) rc = load_manifests(m, args, p, err);
    }
    if (!rc) rc = judge(m, p, args->n ? args->v[0] : p->label ? p->label : "this machine", err);
    if (t.profile) tgt_target_release(&t);
    else mdl_profile_free(p);
    mtx_free(m);
    return rc;
}

const struct cmd cmd_check = { "check", "check [WHAT…] [OPTIONS]", "Judge what is installed or pasted: what works, what is broken, why, and the smallest fix.", groups,
                               sizeof groups / sizeof groups[0], sizeof(struct options), run };
