#include "cli/command.h"

/* The profiles that --target names, joined with *ret, which may be NULL and is freed when it fails. */
static int open_base(const struct opt_target *o, struct mtx *m, struct mdl_profile **ret, struct gf_err *err)
{
    for (size_t i = 0; i < o->targets.n; i++) {
        struct mdl_profile *one = NULL;
        if (tgt_load(m, o->targets.v[i], &one, err)) {
            mdl_profile_free(*ret);
            *ret = NULL;
            return -1;
        }
        if (!*ret) {
            *ret = one;
            continue;
        }
        mdl_profile_merge(*ret, one);
        mdl_profile_free(one);
    }
    return 0;
}

int opt_target_with(const struct opt_target *o, struct mtx *m, struct mdl_profile *base, struct tgt_target *ret, struct gf_err *err)
{
    struct tgt_request r = { .gpus = o->gpus.v, .ngpus = o->gpus.n, .os = o->os, .arch = o->arch, .python = o->python, .glibc = o->glibc,
                             .kernel = o->kernel, .driver = o->driver, .accelerator = o->accelerator };
    return open_base(o, m, &base, err) ? -1 : tgt_from_request(m, &r, base, ret, err);
}

int opt_open_target(const struct opt_target *o, struct mtx **ret_matrix, struct tgt_target *ret, struct gf_err *err)
{
    struct mtx *m = NULL;
    if (opt_open_matrix(o->matrix, &m, err)) return -1;
    if (opt_target_with(o, m, NULL, ret, err)) {
        mtx_free(m);
        return -1;
    }
    for (size_t i = 0; i < ret->notes.n; i++) out_talk("note: %s", ret->notes.v[i]);
    for (size_t i = 0; i < ret->profile->nconflicts; i++) out_warn("the facts contradict: %s", ret->profile->conflicts[i]);
    *ret_matrix = m;
    return 0;
}
