/* First byte: which kind of file, or 0: told by the text itself; the rest: its text. */
#include "judge/manifest.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct mtx *m;
    if (!m && mtx_open(NULL, &m, NULL)) abort();
    if (!size) return 0;
    gf_slice text = gf_slice_n((const char *)data + 1, size - 1);
    enum jdg_manifest kind = data[0] % 7 ? (enum jdg_manifest)(data[0] % 7) : jdg_manifest_kind("paste", text);
    struct mdl_profile *p = mdl_profile_new();
    struct gf_buf notes;
    struct gf_err err = GF_ERR_INIT;
    gf_buf_init(&notes, 1u << 16);
    jdg_manifest_add(m, kind, "/nonexistent/paste", text, p, &notes, &err);
    gf_buf_release(&notes);
    mdl_profile_free(p);
    return 0;
}
