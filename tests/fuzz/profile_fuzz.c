/* Any bytes as a profile document; what is read must be written and read again the same. */
#include "model/profile.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_text(const struct mdl_profile *p, struct gf_buf *out)
{
    struct gf_jw w;
    gf_jw_init(&w, out, true);
    mdl_profile_write(p, &w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mdl_profile *p = NULL, *again = NULL;
    if (mdl_profile_parse(gf_slice_n((const char *)data, size), "fuzz", &p, NULL)) return 0;
    GF_BUF_SCOPE struct gf_buf one, two;
    gf_buf_init(&one, GF_CAP_OUTPUT);
    gf_buf_init(&two, GF_CAP_OUTPUT);
    write_text(p, &one);
    if (mdl_profile_parse(gf_buf_slice(&one), "again", &again, NULL)) abort();
    write_text(again, &two);
    if (!gf_slice_eq(gf_buf_slice(&one), gf_buf_slice(&two))) abort();
    mdl_profile_free(p);
    mdl_profile_free(again);
    return 0;
}
