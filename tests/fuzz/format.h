/* One format of pasted text alone: every line of the input goes to it, as tgt_read_paste would hand them over. */
#ifndef FUZZ_FORMAT_H
#define FUZZ_FORMAT_H
#include "target/paste.h"

static int fuzz_format(const struct tgt_format *f, const uint8_t *data, size_t size)
{
    struct gf_arena states = GF_ARENA_INIT;
    void *state = gf_arena_zalloc(&states, f->state_size + 1), *all[64] = { state };
    struct tgt_paste s = { .p = mdl_profile_new(), .name = "fuzz", .states = all };
    GF_BUF_SCOPE struct gf_buf clean, out;
    gf_buf_init(&clean, GF_CAP_PASTE);
    gf_buf_init(&out, GF_CAP_OUTPUT);
    for (size_t i = 0; i < size; i++)
        if (data[i] == '\n' || data[i] >= ' ') gf_buf_addc(&clean, (char)data[i]);
    gf_slice rest = gf_buf_slice(&clean), line;
    while (gf_slice_line(&rest, &line)) f->line(&s, state, gf_slice_rtrim(line));
    if (f->end) f->end(&s, state);
    struct gf_jw w;
    gf_jw_init(&w, &out, true);
    mdl_profile_write(s.p, &w);
    mdl_profile_free(s.p);
    gf_arena_release(&states);
    return 0;
}

#define FUZZ_FORMAT(format) \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size); \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return fuzz_format(&(format), data, size); }

#endif
