/* One requirement: its canonical text means the same again. Its marker, and the whole input as a marker of both dialects, evaluate to
 * the same as their canonical text does. */
#include "python/platform.h"
#include "python/requirement.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void markers(struct gf_arena *a, const struct py_env *env, gf_slice text, enum py_marker_dialect d)
{
    const struct py_marker *m, *again;
    if (py_marker_parse(a, text, d, &m, NULL)) return;
    enum py_tri t = py_marker_eval(m, env, GF_S("x"));
    char *canonical = py_marker_text(a, m);
    if (strchr(canonical, '\\') || (strchr(canonical, '"') && strchr(canonical, '\''))) return; /* a literal may not be expressible */
    if (py_marker_parse(a, gf_slice_of(canonical), d, &again, NULL) || py_marker_eval(again, env, GF_S("x")) != t) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gf_slice text = gf_slice_n((const char *)data, size);
    struct gf_arena a = GF_ARENA_INIT;
    struct gf_err err;
    struct py_platform p = { .major = 3, .minor = 12, .libc = PY_LIBC_GLIBC, .libc_major = 2, .libc_minor = 28, .machine = "x86_64", .release = "6.1.0" };
    struct py_env env = py_platform_env(&p);
    struct py_req r, again;
    for (int lenient = 0; lenient < 2; lenient++) {
        if (py_req_parse(&a, text, lenient, &r, &err)) continue;
        char *canonical = py_req_text(&a, &r);
        if (strchr(canonical, '\\') || (strchr(canonical, '"') && strchr(canonical, '\''))) continue;
        if (py_req_parse(&a, gf_slice_of(canonical), lenient, &again, &err) || strcmp(py_req_text(&a, &again), canonical)) abort();
    }
    markers(&a, &env, text, PY_MARKER_PEP508);
    markers(&a, &env, text, PY_MARKER_FACTS);
    gf_arena_release(&a);
    return 0;
}
