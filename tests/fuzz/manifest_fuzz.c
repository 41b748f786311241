/* First byte: which kind of file; the rest: its text, through a real file. */
#include "judge/manifest.h"
#include "base/file.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct mtx *m;
    static char path[300];
    const char *dir = getenv("TMPDIR");
    struct gf_err err;
    if (!m) {
        if (mtx_open(NULL, &m, NULL)) abort();
        snprintf(path, sizeof path, "%s/manifest-%ld", dir ? dir : "/tmp", (long)getpid());
    }
    if (!size || gf_file_write_atomic(path, gf_slice_n((const char *)data + 1, size - 1), 0600, NULL)) return 0;
    struct mdl_profile *p = mdl_profile_new();
    struct gf_buf notes;
    gf_buf_init(&notes, 1u << 16);
    jdg_manifest_add(m, (enum jdg_manifest)(1 + data[0] % 5), path, p, &notes, &err);
    gf_buf_release(&notes);
    mdl_profile_free(p);
    unlink(path);
    return 0;
}
