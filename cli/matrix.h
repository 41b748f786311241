/* Inside the matrix command: an answer under way, its tables and the sources they name. */
#ifndef CMD_MATRIX_H
#define CMD_MATRIX_H
#include "cli/command.h"
#include "cli/table.h"

struct cmd_answer {
    struct mtx *m;
    struct gf_arena mem;
    GF_VEC(struct out_table *) tables;
    GF_VEC(const char *) sources; /* ids, each once */
};
#define CMD_TABLE(a, key, title, columns) cmd_answer_table(a, key, title, columns, sizeof(columns) / sizeof(*(columns)))
struct out_table *cmd_answer_table(struct cmd_answer *a, const char *key, const char *title, const char *const *columns, size_t ncolumns);
const char *cmd_answer_source(struct cmd_answer *a, const char *id); /* notes it for the list at the end; returns it */
const char *cmd_evidence_name(enum mtx_evidence e);
const char *cmd_targets_text(struct cmd_answer *a, const struct mtx_carries *c); /* "7.0 7.5 8.0+PTX"; NULL unknown */

/* Fill the answer; 0, or -1 with err (GF_E_NO: the data knows no such name). */
int cmd_matrix_show(struct cmd_answer *a, const char *name, const char *detail, struct gf_err *err);
/* ret_status: 0 something fits, 1 nothing does, 3 it cannot be told. */
int cmd_matrix_query(struct cmd_answer *a, const char *text, int *ret_status, struct gf_err *err);
int cmd_matrix_update(struct mtx *now, const char *from, const char *pubkey, bool offline, struct gf_err *err);

#endif
