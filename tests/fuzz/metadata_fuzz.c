/* METADATA: what is read strictly is read the same with bad requirements skipped. */
#include "python/requirement.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void nothing(void *arg, int level, const char *text)
{
    (void)arg;
    (void)level;
    (void)text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gf_slice text = gf_slice_n((const char *)data, size);
    struct gf_arena a = GF_ARENA_INIT;
    struct gf_err err;
    struct gf_log log = { nothing, NULL };
    struct py_metadata strict, lax;
    int s = py_metadata_parse(&a, text, "x", NULL, &strict, &err), l = py_metadata_parse(&a, text, "x", &log, &lax, &err);
    if (!s && (l || lax.skipped || lax.nrequires != strict.nrequires)) abort();
    gf_arena_release(&a);
    return 0;
}
