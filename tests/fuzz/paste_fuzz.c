/* Any bytes as a paste: every format sees every line. */
#include "target/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mdl_profile *p = mdl_profile_new();
    tgt_read_paste(NULL, gf_slice_n((const char *)data, size), "fuzz", p);
    GF_BUF_SCOPE struct gf_buf out;
    gf_buf_init(&out, GF_CAP_OUTPUT);
    struct gf_jw w;
    gf_jw_init(&w, &out, true);
    mdl_profile_write(p, &w);
    mdl_profile_free(p);
    return 0;
}
