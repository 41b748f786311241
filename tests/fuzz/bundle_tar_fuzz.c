/* Any bytes as a tar: read to the end or refused; every member lies inside the file and has a path that stays below the folder. */
#include "base/file.h"
#include "bundler/tar.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gf_reader *r = gf_reader_memory(gf_slice_n((const char *)data, size), "fuzz.tar");
    struct bnd_tar_reader t;
    struct bnd_tar_member m;
    struct gf_err err = GF_ERR_INIT;
    bnd_tar_reader_init(&t, r);
    while (bnd_tar_next(&t, &m, &err) == 1)
        if (m.data > size || m.size > size - m.data || (!m.folder && !gf_path_safe(gf_slice_of(m.path)))) abort();
    bnd_tar_reader_release(&t);
    gf_reader_close(r);
    return 0;
}
