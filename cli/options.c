#include "cli/options.h"

#define COMMON(member) offsetof(struct opt_common, member)
const struct opt_row opt_common_rows[] = {
    { 0, "json", NULL, OPT_FLAG, COMMON(json), "print one JSON document instead of text" },
    { 'q', "quiet", NULL, OPT_FLAG, COMMON(quiet), "print results and errors only" },
    { 'v', "verbose", NULL, OPT_COUNT, COMMON(verbose), "say more; twice: say most" },
    { 0, "offline", NULL, OPT_FLAG, COMMON(offline), "use the cache only, open no connection" },
    { 'h', "help", NULL, OPT_FLAG, COMMON(help), "this text" },
};
const size_t opt_common_count = sizeof opt_common_rows / sizeof opt_common_rows[0];

bool opt_target_given(const struct opt_target *t)
{
    return t->targets.n || t->gpus.n || t->os || t->arch || t->python || t->glibc || t->kernel || t->driver || t->accelerator;
}

#define TARGET(member) offsetof(struct opt_target, member)
const struct opt_row opt_target_rows[] = {
    { 't', "target", "FILE|-", OPT_LIST, TARGET(targets), "a profile, the collector's output or pasted text" },
    { 0, "gpu", "NAME|sm_XY|PCI-ID", OPT_LIST, TARGET(gpus), "a GPU of the target, repeatable: \"RTX 3090\", sm_86, 10de:2204" },
    { 0, "os", "ID-VERSION", OPT_STR, TARGET(os), "debian-12, ubuntu-22.04, rhel-9, centos-7 …" },
    { 0, "arch", "ARCH", OPT_STR, TARGET(arch), "x86_64 (when not given) or aarch64" },
    { 0, "python", "X.Y[.Z]", OPT_STR, TARGET(python), "Python of the target; X.Y means X.Y.0" },
    { 0, "glibc", "X.Y", OPT_STR, TARGET(glibc), "glibc of the target, when the OS does not tell" },
    { 0, "kernel", "RELEASE", OPT_STR, TARGET(kernel), "kernel release of the target" },
    { 0, "driver", "VERSION|keep|any|none", OPT_STR, TARGET(driver),
      "driver: a version that is there and stays; keep what the profile says; any: the plan may choose; none" },
    { 0, "accelerator", "cuda|rocm|cann|cpu|any", OPT_STR, TARGET(accelerator), "what to plan for; any: no GPU rules" },
    { 0, "matrix", "DIR|FILE", OPT_STR, TARGET(matrix), "use this data set instead of the one built in" },
};
const size_t opt_target_count = sizeof opt_target_rows / sizeof opt_target_rows[0];

size_t opt_group_count(const struct opt_group *g)
{
    if (g->rows == opt_common_rows) return opt_common_count;
    if (g->rows == opt_target_rows) return opt_target_count;
    return g->nrows;
}

static const struct opt_row *find_row(const struct opt_group *groups, size_t ngroups, gf_slice name, char letter, size_t *ret_base)
{
    for (size_t g = 0; g < ngroups; g++)
        for (size_t i = 0; i < opt_group_count(&groups[g]); i++) {
            const struct opt_row *row = &groups[g].rows[i];
            if (letter ? row->letter != letter : !gf_slice_is(name, row->name)) continue;
            *ret_base = groups[g].offset;
            return row;
        }
    return NULL;
}

static void store(const struct opt_row *row, void *base, const char *value)
{
    void *at = (char *)base + row->offset;
    switch (row->kind) {
    case OPT_FLAG: *(bool *)at = true; break;
    case OPT_COUNT: ++*(int *)at; break;
    case OPT_STR: *(const char **)at = value; break;
    case OPT_LIST: gf_vec_push((struct opt_list *)at, value); break;
    }
}

static bool takes_value(const struct opt_row *row) { return row->kind == OPT_STR || row->kind == OPT_LIST; }

static int parse_long(const struct opt_group *groups, size_t ngroups, int argc, char **argv, int *i, void *into, struct gf_err *err)
{
    gf_slice rest = gf_slice_of(argv[*i] + 2), name;
    bool has_value = gf_slice_cut(&rest, '=', &name);
    size_t base = 0;
    const struct opt_row *row = find_row(groups, ngroups, name, 0, &base);
    if (!row) return gf_fail(err, GF_E_USAGE, "there is no option '--%.*s'; -h lists them", GF_FMT(name));
    if (!takes_value(row)) {
        if (has_value) return gf_fail(err, GF_E_USAGE, "option '--%s' takes no value", row->name);
        store(row, (char *)into + base, NULL);
        return 0;
    }
    if (!has_value && *i + 1 >= argc) return gf_fail(err, GF_E_USAGE, "option '--%s' needs a value: %s", row->name, row->arg);
    store(row, (char *)into + base, has_value ? rest.p : argv[++*i]);
    return 0;
}

static int parse_short(const struct opt_group *groups, size_t ngroups, int argc, char **argv, int *i, void *into, struct gf_err *err)
{
    for (const char *at = argv[*i] + 1; *at; at++) {
        size_t base = 0;
        const struct opt_row *row = find_row(groups, ngroups, GF_NONE, *at, &base);
        if (!row) return gf_fail(err, GF_E_USAGE, "there is no option '-%c'; -h lists them", *at);
        if (!takes_value(row)) {
            store(row, (char *)into + base, NULL);
            continue;
        }
        if (!at[1] && *i + 1 >= argc) return gf_fail(err, GF_E_USAGE, "option '-%c' needs a value: %s", *at, row->arg);
        store(row, (char *)into + base, at[1] ? at + 1 : argv[++*i]);
        return 0;
    }
    return 0;
}

int opt_parse(const struct opt_group *groups, size_t ngroups, int argc, char **argv, void *into, struct opt_list *ret_args, struct gf_err *err)
{
    bool ended = false;
    for (int i = 0; i < argc; i++) {
        const char *arg = argv[i];
        if (ended || arg[0] != '-' || !arg[1]) gf_vec_push(ret_args, arg);
        else if (strcmp(arg, "--") == 0) ended = true;
        else if (arg[1] == '-') {
            if (parse_long(groups, ngroups, argc, argv, &i, into, err)) return -1;
        } else if (parse_short(groups, ngroups, argc, argv, &i, into, err)) return -1;
    }
    return 0;
}

void opt_help(const struct opt_group *groups, size_t ngroups, struct gf_buf *out)
{
    for (size_t g = 0; g < ngroups; g++) {
        gf_buf_addf(out, "\n%s:\n", groups[g].title);
        for (size_t i = 0; i < opt_group_count(&groups[g]); i++) {
            const struct opt_row *row = &groups[g].rows[i];
            size_t from = out->n;
            if (row->letter) gf_buf_addf(out, "  -%c, --%s", row->letter, row->name);
            else gf_buf_addf(out, "      --%s", row->name);
            if (row->arg) gf_buf_addf(out, " %s", row->arg);
            if (out->n - from > 32) gf_buf_adds(out, "\n                                  ");
            while (out->n - from < 34 && out->p[out->n - 1] != '\n') gf_buf_addc(out, ' ');
            gf_buf_addf(out, "%s\n", row->help);
        }
    }
}
