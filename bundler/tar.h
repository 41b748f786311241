/* The one kind of tar that bundles are: POSIX pax, stored, every member a regular file. The reader also takes what GNU tar and
 * busybox make of such a tree; links, devices, absolute and climbing paths are refused. */
#ifndef BND_TAR_H
#define BND_TAR_H
#include "base/buf.h"
#include "base/reader.h"

#define BND_TAR_BLOCK 512u
#define BND_TAR_HEADER_MAX (8u * BND_TAR_BLOCK) /* a pax header, its records and the file's own header */

/* The header of one file, padded to blocks; how many bytes it took. Owner 0, group 0. */
size_t bnd_tar_header(const char *path, uint64_t size, unsigned mode, int64_t mtime, unsigned char out[BND_TAR_HEADER_MAX]);
static inline uint64_t bnd_tar_padded(uint64_t size) { return (size + BND_TAR_BLOCK - 1) / BND_TAR_BLOCK * BND_TAR_BLOCK; }

struct bnd_tar_member {
    const char *path; /* safe, without a leading "./"; lives until the next call */
    uint64_t size, data; /* offset of the first byte */
    bool folder;
};
struct bnd_tar_reader {
    struct gf_reader *r;
    uint64_t at;
    struct gf_buf path, long_path;
    uint64_t members;
};
void bnd_tar_reader_init(struct bnd_tar_reader *t, struct gf_reader *r); /* borrows r */
void bnd_tar_reader_release(struct bnd_tar_reader *t);
/* 1: a member; 0: the end, which must be made of zeros only up to the last byte of the file; -1: an error that names the offset and the
 * member before it. */
int bnd_tar_next(struct bnd_tar_reader *t, struct bnd_tar_member *ret, struct gf_err *err);

#endif
