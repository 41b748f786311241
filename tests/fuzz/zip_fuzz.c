/* A zip archive: the directory, and every member up to a cap; then as a wheel. */
#include "archive/zip.h"
#include "sources/metadata_text.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gf_reader *r = gf_reader_memory(gf_slice_n((const char *)data, size), "x.whl");
    struct arc_zip *z = NULL;
    struct gf_err err;
    if (arc_zip_open(r, &z, &err) == 0) {
        for (size_t i = 0; i < arc_zip_count(z) && i < 64; i++) {
            GF_BUF_SCOPE struct gf_buf text;
            gf_buf_init(&text, 1u << 20);
            const struct arc_zip_member *m = arc_zip_get(z, i);
            uint64_t at, length;
            arc_zip_span(z, m, &at, &length);
            if (at + length > size) abort();
            if (arc_zip_read(z, m, &text, &err) == 0 && text.n != m->size) abort();
        }
        arc_zip_free(z);
    }
    GF_BUF_SCOPE struct gf_buf reduced;
    gf_buf_init(&reduced, GF_CAP_METADATA);
    (void)!src_metadata_of_wheel(r, "a-1-py3-none-any.whl", &reduced, &err);
    gf_reader_close(r);
    return 0;
}
