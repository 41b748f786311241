#include "sources/pipconf_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gf_arena a = GF_ARENA_INIT;
    struct src_pip_settings s = { 0 };
    struct gf_err err;
    (void)!src_pip_settings_read(&a, gf_slice_n((const char *)data, size), "pip.conf", &s, &err);
    gf_arena_release(&a);
    return 0;
}
