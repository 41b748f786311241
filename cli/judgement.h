/* What check and doctor share: the matrix with the doctor's tables, a profile from files, a verdict as text or JSON. */
#ifndef OUT_JUDGEMENT_H
#define OUT_JUDGEMENT_H
#include "cli/command.h"
#include "judge/judge.h"

int cmd_open_knowledge(struct mtx *m, struct jdg_knowledge **ret, struct gf_err *err);
void out_verdict_text(struct mtx *m, const struct mdl_verdict *v, struct gf_buf *text);
/* Prints it as asked for. Returns the exit status, or -1 with *err filled. */
int out_verdict(struct mtx *m, const struct mdl_verdict *v, struct gf_err *err);

/* remedy.c: gives the errors of a broken verdict the fix that a solve finds, preferring what is installed; without one (offline, a source that does not answer
 * within seconds, no plan) they keep theirs. p must outlive v. */
void cmd_prove_fixes(struct mtx *m, const struct mdl_profile *p, const struct opt_common *common, struct mdl_verdict *v);

#endif
