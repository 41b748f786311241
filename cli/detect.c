#include "cli/command.h"

struct detect_options {
    struct opt_common common;
    const char *matrix, *root;
};

static const struct opt_row rows[] = {
    { 0, "matrix", "DIR|FILE", OPT_STR, offsetof(struct detect_options, matrix), "use this data set instead of the one built in" },
    { 0, "root", "DIR", OPT_STR, offsetof(struct detect_options, root), "look at the system under DIR, as far as its files tell" },
};
static const struct opt_group groups[] = { OPT_ROWS("Options", rows), OPT_COMMON(struct detect_options, common) };

static int run(void *options, const struct opt_list *args, struct gf_err *err)
{
    const struct detect_options *o = options;
    struct mtx *m = NULL;
    struct mdl_profile *p = NULL;
    if (args->n) return gf_fail(err, GF_E_USAGE, "detect takes no '%s': it looks at this machine; 'gpuferry target FILE' reads facts from a file", args->v[0]);
    if (opt_open_matrix(o->matrix, &m, err)) return -1;
    int rc = tgt_detect(m, o->root ? o->root : "", &p, err);
    if (!rc) rc = opt_print_profile(p, !o->common.json, err);
    mdl_profile_free(p);
    mtx_free(m);
    return rc;
}

const struct cmd cmd_detect = { "detect", "detect", "the facts of this machine", groups, sizeof groups / sizeof groups[0], sizeof(struct detect_options), run };
