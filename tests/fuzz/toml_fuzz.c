/* A TOML document: reading ends, and every string reads back as it was written. */
#include "python/toml.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void walk(struct gf_arena *a, const struct py_toml *v)
{
    for (const struct py_toml *c = py_toml_first(v); c; c = py_toml_next(c)) walk(a, c);
    if (py_toml_type(v) != PY_TOML_STRING) return;
    const struct py_toml *doc;
    struct gf_buf out;
    gf_buf_init(&out, 1 << 24);
    gf_buf_adds(&out, "s=");
    py_toml_put_string(&out, py_toml_text(v));
    if (py_toml_parse(a, gf_buf_slice(&out), "t", &doc, NULL) || !gf_slice_eq(py_toml_text(py_toml_get(doc, "s")), py_toml_text(v))) abort();
    gf_buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gf_arena a = GF_ARENA_INIT;
    struct gf_err err;
    const struct py_toml *doc;
    if (!py_toml_parse(&a, gf_slice_n((const char *)data, size), "t", &doc, &err)) walk(&a, doc);
    gf_arena_release(&a);
    return 0;
}
