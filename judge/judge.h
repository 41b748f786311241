/* The rules of the matrix evaluated on what is there, instead of searched: is this profile consistent, and what does this message mean. */
#ifndef JDG_JUDGE_H
#define JDG_JUDGE_H
#include "judge/scan.h"
#include "matrix/matrix.h"
#include "model/verdict.h"

/* What messages mean: the rows of data/doctor/, compiled once. */
struct jdg_knowledge;
struct jdg_table { const char *label; gf_slice text; }; /* one JSON file of the folder */
int jdg_knowledge_new(const struct jdg_table *tables, size_t n, struct jdg_knowledge **ret, struct gf_err *err);
void jdg_knowledge_free(struct jdg_knowledge *k);
size_t jdg_knowledge_count(const struct jdg_knowledge *k);

/* A log being read: lines that mean something are kept, each meaning once with its first line and a count. Memory does not grow with the log. */
struct jdg_reading;
struct jdg_reading *jdg_reading_new(const struct jdg_knowledge *k);
void jdg_reading_add(struct jdg_reading *r, gf_slice bytes);
void jdg_reading_end(struct jdg_reading *r); /* the text is complete */
void jdg_reading_free(struct jdg_reading *r);
size_t jdg_reading_count(const struct jdg_reading *r); /* of meanings seen */
uint64_t jdg_reading_lines(const struct jdg_reading *r);

/* Judges a profile link by link; its error lines are facts too. k may be NULL: then error lines only make the verdict unknown. v is settled. p, m and k
 * must outlive v. */
void jdg_check(struct mtx *m, const struct jdg_knowledge *k, const struct mdl_profile *p, struct mdl_verdict *v);
/* What the text read means on that machine (p may be NULL), most likely cause first. v is settled: broken when a cause is found. */
void jdg_diagnose(struct mtx *m, const struct jdg_knowledge *k, const struct jdg_reading *r, const struct mdl_profile *p, struct mdl_verdict *v);

#endif
