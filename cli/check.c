/* gpuferry check: is what is installed or pasted consistent with itself and with the machine. */
#include "cli/judgement.h"

struct options {
    struct opt_common common;
    struct opt_target target;
};
static const struct opt_group groups[] = { OPT_TARGET(struct options, target), OPT_COMMON(struct options, common) };

/* Every WHAT laid into one profile, in the order given. */
static int load_all(struct mtx *m, const struct opt_list *args, struct mdl_profile **ret, struct gf_err *err)
{
    struct mdl_profile *all = NULL;
    for (size_t i = 0; i < args->n; i++) {
        struct mdl_profile *one = NULL;
        if (tgt_load(m, args->v[i], &one, err)) {
            mdl_profile_free(all);
            return -1;
        }
        if (!all) {
            all = one;
            continue;
        }
        mdl_profile_merge(all, one);
        mdl_profile_free(one);
    }
    *ret = all;
    return 0;
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
    if (!args->n) {
        struct tgt_target t = { 0 };
        if (opt_open_target(&o->target, &m, &t, err)) return -1;
        int rc = judge(m, t.profile, t.profile->label ? t.profile->label : "target", err);
        tgt_target_release(&t);
        mtx_free(m);
        return rc;
    }
    struct mdl_profile *p = NULL;
    if (opt_open_matrix(o->target.matrix, &m, err)) return -1;
    int rc = load_all(m, args, &p, err);
    if (!rc) rc = judge(m, p, args->v[0], err);
    mdl_profile_free(p);
    mtx_free(m);
    return rc;
}

const struct cmd cmd_check = { "check", "check [WHAT…] [OPTIONS]", "Judge what is installed or pasted: what works, what is broken, why, and the smallest fix.", groups,
                               sizeof groups / sizeof groups[0], sizeof(struct options), run };
