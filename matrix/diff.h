/* What changed between two data sets, row by row, and what the changed rows speak of. */
#ifndef MTX_DIFF_H
#define MTX_DIFF_H
#include "matrix/matrix.h"

/* Text for people or one JSON document. A row is the same when all of it is. */
int mtx_diff(struct mtx *old, struct mtx *new_, bool json, struct gf_buf *out, bool *ret_differs, struct gf_err *err);

#endif
