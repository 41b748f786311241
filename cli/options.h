/* Options as tables: one row feeds the parser, the help text and (by a test) the man page. */
#ifndef OPT_OPTIONS_H
#define OPT_OPTIONS_H
#include "base/err.h"
#include "base/buf.h"
#include "base/vec.h"

enum opt_kind { OPT_FLAG, OPT_COUNT, OPT_STR, OPT_LIST }; /* bool, int, const char *, struct opt_list */
struct opt_list { const char **v; size_t n, cap; };
struct opt_row {
    char letter;            /* 0: none */
    const char *name;       /* "json" */
    const char *arg;        /* "FILE"; NULL for flags */
    enum opt_kind kind;
    size_t offset;          /* in the group's struct */
    const char *help;
};
struct opt_group {
    const char *title;      /* "Options", "Target" */
    const struct opt_row *rows;
    size_t nrows;
    size_t offset;          /* of the group's struct in the command's struct */
};

struct opt_common { bool json, quiet, offline, help; int verbose; };
struct opt_target {
    struct opt_list targets, gpus;
    const char *os, *arch, *python, *glibc, *kernel, *driver, *accelerator, *matrix;
};
bool opt_target_given(const struct opt_target *t); /* a fact of the machine, or a profile of it */
extern const struct opt_row opt_common_rows[];
extern const size_t opt_common_count;
extern const struct opt_row opt_target_rows[];
extern const size_t opt_target_count;
#define OPT_COMMON(type, member) { "Common options", opt_common_rows, 0, offsetof(type, member) }
#define OPT_TARGET(type, member) { "Target (with none of these: this machine)", opt_target_rows, 0, offsetof(type, member) }
#define OPT_ROWS(title, rows) { title, rows, sizeof(rows) / sizeof((rows)[0]), 0 }

/* Fills into (a cleared struct) and ret_args (positional). "--name value", "--name=value", "-o value", "-ovalue", "--" ends options. */
int opt_parse(const struct opt_group *groups, size_t ngroups, int argc, char **argv, void *into, struct opt_list *ret_args, struct gf_err *err);
size_t opt_group_count(const struct opt_group *g);
void opt_help(const struct opt_group *groups, size_t ngroups, struct gf_buf *out);

#endif
