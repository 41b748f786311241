#include "cli/command.h"

struct target_options {
    struct opt_common common;
    const char *matrix;
};

static const struct opt_row rows[] = {
    { 0, "matrix", "DIR|FILE", OPT_STR, offsetof(struct target_options, matrix), "use this data set instead of the one built in" },
};
static const struct opt_group groups[] = { OPT_ROWS("Options", rows), OPT_COMMON(struct target_options, common) };

/* All the texts as one machine's: what they contradict each other in is in the profile's conflicts. */
static int load_all(struct mtx *m, const struct opt_list *args, struct mdl_profile **ret, struct gf_err *err)
{
    *ret = NULL;
    for (size_t i = 0; i < args->n; i++) {
        struct mdl_profile *one = NULL;
        if (tgt_load(m, args->v[i], &one, err)) {
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
    tgt_fill_gpus(m, *ret);
    return 0;
}

static int run(void *options, const struct opt_list *args, struct gf_err *err)
{
    const struct target_options *o = options;
    static const char *const input[] = { "-" };
    struct opt_list all = *args, standard_input = { .v = (const char **)(void *)(uintptr_t)input, .n = 1 };
    struct mtx *m = NULL;
    struct mdl_profile *p = NULL;
    if (!all.n) all = standard_input;
    if (opt_open_matrix(o->matrix, &m, err)) return -1;
    int rc = load_all(m, &all, &p, err);
    if (!rc) rc = opt_print_profile(p, !o->common.json && out_stdout_is_terminal(), err);
    mdl_profile_free(p);
    mtx_free(m);
    return rc;
}

const struct cmd cmd_target = { "target", "target [FILE|-]…", "the facts in a collector's output or in pasted text, as a profile", groups, sizeof groups / sizeof groups[0],
                                sizeof(struct target_options), run };
