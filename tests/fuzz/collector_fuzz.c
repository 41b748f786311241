/* Any bytes as the collector's output, section by section, and as the two texts of one machine that are joined. */
#include "target/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    GF_BUF_SCOPE struct gf_buf text;
    gf_buf_init(&text, (size_t)1 << 24);
    gf_buf_adds(&text, "gpuferry-collect 1\n");
    gf_buf_add(&text, data, size);
    struct mdl_profile *a = mdl_profile_new(), *b = mdl_profile_new();
    tgt_read_paste(NULL, gf_buf_slice(&text), NULL, a);
    tgt_read_paste(NULL, gf_slice_n((const char *)data, size / 2), "half", b);
    mdl_profile_merge(b, a);
    mdl_profile_free(a); /* what was joined must not be borrowed from it */
    GF_BUF_SCOPE struct gf_buf out;
    gf_buf_init(&out, GF_CAP_OUTPUT);
    struct gf_jw w;
    gf_jw_init(&w, &out, true);
    mdl_profile_write(b, &w);
    mdl_profile_free(b);
    return 0;
}
