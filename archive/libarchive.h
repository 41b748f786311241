/* libarchive, loaded when the first archive is opened: linked at start-up, its libraries cost every command 9 ms (measured). Private to archive/. */
#ifndef ARC_LIBARCHIVE_H
#define ARC_LIBARCHIVE_H
#include "base/err.h"
#include <archive.h>
#include <archive_entry.h>

#define ARC_FUNCTIONS(X)                                                                                                                             \
    X(read_new) X(read_free) X(read_open) X(read_next_header) X(read_data) X(read_set_options) X(error_string) X(set_error) X(libzstd_version)       \
    X(read_support_filter_gzip) X(read_support_filter_bzip2) X(read_support_filter_xz) X(read_support_filter_lzma) X(read_support_filter_zstd)       \
    X(read_support_format_tar) X(read_support_format_ar) X(read_support_format_cpio)                                                                 \
    X(entry_pathname) X(entry_pathname_utf8) X(entry_hardlink) X(entry_symlink) X(entry_filetype) X(entry_size) X(entry_size_is_set) X(entry_perm)   \
    X(entry_mtime)

struct arc_libarchive {
#define X(name) __typeof__(archive_##name) *name;
    ARC_FUNCTIONS(X)
#undef X
};
extern struct arc_libarchive arc_lib; /* all NULL before arc_libarchive_load */
int arc_libarchive_load(struct gf_err *err); /* once; later calls do nothing */

#endif
