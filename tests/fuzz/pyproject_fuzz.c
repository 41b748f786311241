/* pyproject.toml: every group of it is read too. */
#include "python/pyproject.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gf_arena a = GF_ARENA_INIT;
    struct gf_err err;
    struct py_pyproject p;
    struct py_reqs r;
    if (!py_pyproject_parse(&a, gf_slice_n((const char *)data, size), "p", &p, &err))
        for (const struct py_toml *g = py_toml_first(p.groups); g; g = py_toml_next(g)) (void)py_pyproject_group(&a, &p, py_toml_key(g), &r, &err);
    gf_arena_release(&a);
    return 0;
}
