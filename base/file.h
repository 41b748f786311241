/* Local files. What is written appears whole or not at all: written aside in the same folder, fsync, rename; large ones that took
 * long to make (gf_atomic) are also sure to be found after a power cut: fsync of the folder. */
#ifndef GF_FILE_H
#define GF_FILE_H
#include "base/buf.h"

/* Whole file, "-" is standard input; fails when it is larger than max. */
int gf_file_read(const char *path, size_t max, struct gf_buf *ret, struct gf_err *err);
int gf_file_read_head(const char *path, size_t max, struct gf_buf *ret, struct gf_err *err); /* its beginning: max bytes at most */
/* A symbolic link is followed; a device or pipe is written to as it is. */
int gf_file_write_atomic(const char *path, gf_slice bytes, unsigned mode, struct gf_err *err);
int gf_mkdirs(const char *path, unsigned mode, struct gf_err *err); /* like mkdir -p */
bool gf_path_exists(const char *path);
/* A path that came from outside may become part of ours: relative, no empty, "." or ".." parts, no control bytes, no
 * backslash, at most GF_CAP_PATH bytes. */
bool gf_path_safe(gf_slice path);
/* $XDG_CACHE_HOME/gpuferry or ~/.cache/gpuferry ($GPUFERRY_CACHE wins); malloc'd, caller frees. */
char *gf_cache_dir(void);

/* A file being written aside. Either commit or abort must follow; both release. */
struct gf_atomic {
    int fd;
    char *path, *aside;
};
int gf_atomic_open(struct gf_atomic *a, const char *path, unsigned mode, struct gf_err *err);
int gf_atomic_commit(struct gf_atomic *a, struct gf_err *err);
void gf_atomic_abort(struct gf_atomic *a);
/* Many small files of one folder: all written aside, one sync of the file system, then each in its place. */
struct gf_batch {
    char *folder;
    struct { char **v; size_t n, cap; } aside, path;
};
int gf_batch_open(struct gf_batch *b, const char *folder, struct gf_err *err);
int gf_batch_add(struct gf_batch *b, const char *name, gf_slice bytes, struct gf_err *err);
int gf_batch_close(struct gf_batch *b, bool commit, struct gf_err *err); /* releases; without commit nothing of it stays */
int gf_write_all(int fd, const void *p, size_t n, const char *path, struct gf_err *err);
int gf_pwrite_all(int fd, const void *p, size_t n, uint64_t off, const char *path, struct gf_err *err);

#endif
