/* The shape of a parsed marker, for marker.c and marker_eval.c alone. */
#ifndef PY_MARKER_AST_H
#define PY_MARKER_AST_H
#include "python/marker.h"
#include "python/version.h"

enum py_marker_op { PY_M_EQ = PY_EQ, PY_M_ARBITRARY = PY_ARBITRARY, PY_M_IN, PY_M_NOT_IN }; /* the rest are enum py_op's */

struct py_marker_side {
    bool variable;
    gf_slice text; /* a variable's modern name, or the literal */
};

/* A group (n > 0): item[0] and/or item[1] …, "and" binding tighter; or a comparison (n == 0). */
struct py_marker {
    enum py_marker_dialect dialect;
    const struct py_marker *const *item;
    const bool *or_before; /* by item; [0] unused */
    uint32_t n;
    struct py_marker_side left, right;
    unsigned op; /* enum py_op or enum py_marker_op */
    const struct py_specset *spec; /* op and a literal on the right as a specifier; NULL where they are none */
};

bool py_marker_is_version_variable(gf_slice name);

#endif
