/* Source archives as a stream of entries: tar, ar and cpio, plain or packed by gzip, bzip2, xz or zstd. By libarchive, in process; nothing is
 * written anywhere and no link is followed. */
#ifndef ARC_TAR_H
#define ARC_TAR_H
#include "base/buf.h"
#include "base/reader.h"

enum arc_kind { ARC_FILE, ARC_FOLDER, ARC_SYMLINK, ARC_HARDLINK, ARC_OTHER };
struct arc_entry {           /* valid until the next arc_tar_next */
    const char *path;        /* without "./" in front; "" when it has none that can be read */
    const char *link;        /* of links; NULL */
    enum arc_kind kind;
    unsigned mode;           /* permission bits */
    int64_t mtime;           /* unix seconds */
    uint64_t size;
    bool safe;               /* the path may become one below a folder of ours */
};

struct arc_tar;
/* Borrows r. max_total: the most bytes that all entries together may have. */
int arc_tar_open(struct gf_reader *r, uint64_t max_total, struct arc_tar **ret, struct gf_err *err);
int arc_tar_next(struct arc_tar *t, const struct arc_entry **ret, struct gf_err *err); /* 1 an entry, 0 the end, -1 */
int arc_tar_read(struct arc_tar *t, void *buf, size_t n, size_t *ret_n, struct gf_err *err); /* of the entry at hand; 0 bytes: its end */
int arc_tar_read_all(struct arc_tar *t, struct gf_buf *ret, struct gf_err *err); /* *ret initialised, its maximum holds */
void arc_tar_close(struct arc_tar *t);

#endif
