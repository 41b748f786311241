/* PKG-INFO, a line "----", requires.txt. */
#include "python/requirement.h"
#include "sources/metadata_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gf_slice text = gf_slice_n((const char *)data, size);
    ptrdiff_t cut = gf_slice_find(text, GF_S("----\n"));
    gf_slice requires_txt = cut < 0 ? GF_NONE : gf_slice_from(text, (size_t)cut + 5);
    GF_BUF_SCOPE struct gf_buf joined;
    gf_buf_init(&joined, GF_CAP_METADATA);
    src_metadata_join(cut < 0 ? text : gf_slice_sub(text, 0, (size_t)cut), requires_txt, &joined);
    struct gf_arena a = GF_ARENA_INIT;
    struct py_metadata m;
    struct gf_log log = { NULL, NULL };
    struct gf_err err;
    (void)!py_metadata_parse(&a, gf_buf_slice(&joined), "x", &log, &m, &err);
    gf_arena_release(&a);
    return 0;
}
