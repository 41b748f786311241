/* First line: a version, the rest specifiers: what is strict is lenient too, and the text of a set means the same set. */
#include "python/version.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gf_slice text = gf_slice_n((const char *)data, size), line = GF_NONE;
    struct gf_arena a = GF_ARENA_INIT;
    struct py_version v;
    struct py_specset set, again;
    if (!size || !gf_slice_line(&text, &line)) return 0;
    bool is_version = py_version_parse(&a, line, &v);
    for (int lenient = 0; lenient < 2; lenient++) {
        if (!py_specset_parse(&a, text, lenient, &set)) continue;
        if (!py_specset_parse(&a, gf_slice_of(py_specset_text(&a, &set)), false, &again)) abort();
        if (is_version && py_specset_contains(&set, &v) != py_specset_contains(&again, &v)) abort();
        (void)py_specset_asks_pre(&set);
        (void)py_specset_is_exact(&set);
    }
    gf_arena_release(&a);
    return 0;
}
