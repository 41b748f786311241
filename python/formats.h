/* --only-binary and --no-binary as pip understands them: names, ":all:", ":none:", the later one wins. */
#ifndef PY_FORMATS_H
#define PY_FORMATS_H
#include "base/vec.h"

struct py_formats {
    GF_VEC(const char *) only, no; /* normalized names or ":all:", in the arena given */
};

/* One option's value: "torch,numpy", ":all:" … Names are normalized. */
void py_formats_add(struct gf_arena *a, struct py_formats *f, bool only_binary, gf_slice value);
void py_formats_allow(const struct py_formats *f, gf_slice name, bool *ret_wheel, bool *ret_sdist);
void py_formats_release(struct py_formats *f);

#endif
