/* What pyproject.toml asks for: PEP 621 dependencies, PEP 735 dependency groups, PEP 518 build requirements. Everything lives in the arena given. */
#ifndef PY_PYPROJECT_H
#define PY_PYPROJECT_H
#include "python/requirement.h"
#include "python/toml.h"

struct py_reqs {
    const struct py_req *v;
    uint32_t n;
};
struct py_named_reqs {
    const char *name; /* normalized */
    struct py_reqs reqs;
};

struct py_pyproject {
    const char *label;
    const char *name;             /* normalized; NULL without [project] */
    const char *version;          /* NULL when dynamic or absent */
    const char *requires_python;  /* NULL */
    struct py_reqs dependencies;
    const struct py_named_reqs *extras; /* optional-dependencies */
    uint32_t nextras;
    bool dynamic_dependencies, dynamic_extras; /* "dynamic" says that a build makes them: the lists are not to be trusted */
    struct py_reqs build_requires; /* without [build-system]: what PEP 518 says then, setuptools>=40.8.0 */
    const char *build_backend;     /* NULL */
    const struct py_toml *groups;  /* [dependency-groups], read when asked for */
};

int py_pyproject_parse(struct gf_arena *a, gf_slice text, const char *label, struct py_pyproject *ret, struct gf_err *err);
/* A dependency group with what it includes, each included group once. A circle, a missing group and a malformed entry are refused by name. */
int py_pyproject_group(struct gf_arena *a, const struct py_pyproject *p, gf_slice name, struct py_reqs *ret, struct gf_err *err);

#endif
