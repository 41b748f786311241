/* A table that is printed as text for people and as an array of objects for programs, from the same cells. Cells are borrowed. */
#ifndef OUT_TABLE_H
#define OUT_TABLE_H
#include "base/json.h"
#include "base/vec.h"

struct out_table {
    const char *key, *title;      /* "builds", "builds of torch" */
    const char *const *columns;   /* "compute_capability": keys; in the heading _ is a blank */
    size_t ncolumns;
    GF_VEC(const char *) cells;   /* NULL: unknown */
};
void out_table_init(struct out_table *t, const char *key, const char *title, const char *const *columns, size_t ncolumns);
void out_table_release(struct out_table *t);
void out_table_row(struct out_table *t, const char *const *cells); /* ncolumns of them */
void out_table_text(const struct out_table *t, struct gf_buf *out); /* nothing when it has no rows */
void out_table_json(const struct out_table *t, struct gf_jw *w);    /* "key": [ {…}, … ] */

#endif
