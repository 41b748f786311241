/* A command is one file with one const struct cmd at its end; cli/main.c lists them. */
#ifndef CMD_COMMAND_H
#define CMD_COMMAND_H
#include "cli/options.h"
#include "cli/output.h"
#include "matrix/matrix.h"
#include "target/target.h"

struct cmd {
    const char *name, *usage, *summary; /* usage: "plan REQ… [-r FILE]" */
    const struct opt_group *groups;
    size_t ngroups;
    size_t size;                        /* of the struct that the options fill; its first member is struct opt_common */
    /* 0, or the exit status; on failure with err->code set, main prints the error and exits with its status */
    int (*run)(void *opts, const struct opt_list *args, struct gf_err *err);
};

extern const struct cmd cmd_plan, cmd_why, cmd_bundle, cmd_verify, cmd_matrix, cmd_detect, cmd_target, cmd_check, cmd_doctor, cmd_fit, cmd_inspect;

/* The data set: given (--matrix), else the one that 'matrix update' installed when it is newer than the one built in, else that. */
int opt_open_matrix(const char *given, struct mtx **ret, struct gf_err *err);
char *opt_installed_matrix(void); /* where 'matrix update' installs; malloc'd */
/* The target that the options describe; opens the matrix too. */
int opt_open_target(const struct opt_target *o, struct mtx **ret_matrix, struct tgt_target *ret, struct gf_err *err);
/* The same over a matrix that is open already, starting from a profile (taken over, freed when it fails) or NULL; says nothing. */
int opt_target_with(const struct opt_target *o, struct mtx *m, struct mdl_profile *base, struct tgt_target *ret, struct gf_err *err);

/* A profile on stdout: for people, or the document. */
int opt_print_profile(const struct mdl_profile *p, bool as_text, struct gf_err *err);

#endif
