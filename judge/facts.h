/* Conditions of the matrix and of data/doctor over the facts of one judgement. */
#ifndef JDG_FACTS_H
#define JDG_FACTS_H
#include "judge/link.h"

/* NULL is YES. "gpu" is every GPU's capability. caps: words of a message, before the facts; NULL none. */
enum py_tri jdg_eval(struct jdg *j, const struct py_marker *when, const struct jdg_captures *caps);
const char *jdg_variable(struct jdg *j, const char *name, const struct jdg_captures *caps); /* NULL unknown */

#endif
