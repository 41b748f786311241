/* Two versions on two lines: the canonical text means the same version again, and the order is one. */
#include "python/version.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gf_slice text = gf_slice_n((const char *)data, size), line = GF_NONE;
    struct gf_arena a = GF_ARENA_INIT;
    struct py_version v, again, other;
    if (size && gf_slice_line(&text, &line) && py_version_parse(&a, line, &v)) {
        if (!py_version_parse(&a, gf_slice_of(v.text), &again) || strcmp(v.text, again.text) || py_version_cmp(&v, &again)) abort();
        if (py_version_parse(&a, text, &other) && py_version_cmp(&v, &other) != -py_version_cmp(&other, &v)) abort();
        if (!py_version_parse(&a, gf_slice_of(py_version_public(&a, &v)), &again) || py_version_cmp_public(&v, &again)) abort();
    }
    gf_arena_release(&a);
    return 0;
}
