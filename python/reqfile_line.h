/* Lines and words of a requirements file, for reqfile.c alone. */
#ifndef PY_REQFILE_LINE_H
#define PY_REQFILE_LINE_H
#include "python/reqfile.h"

bool py_reqfile_next(struct gf_arena *a, gf_slice *text, const struct py_reqfile_io *io, gf_slice *ret, unsigned *ret_count);
gf_slice py_reqfile_args(gf_slice line, gf_slice *ret_options);
/* The next word of options, its quotes and backslashes resolved. */
bool py_reqfile_word(struct gf_arena *a, gf_slice *s, const char **ret);

#endif
