#include "archive/tar.h"
#include "archive/libarchive.h"
#include "base/file.h"
#include "base/mem.h"
#include <errno.h>
#include <stdlib.h>

#define BLOCK (256u << 10)
#define ENTRIES_MOST 1000000u

struct arc_tar {
    struct archive *a;
    struct archive_entry *raw;
    struct gf_reader *reader;
    uint64_t at;
    uint64_t total, max_total;
    uint32_t entries;
    struct arc_entry entry;
    struct gf_err read_err;
    unsigned char block[BLOCK];
};

static la_ssize_t on_read(struct archive *a, void *arg, const void **ret)
{
    struct arc_tar *t = arg;
    uint64_t left = t->reader->size - t->at;
    size_t n = left < BLOCK ? (size_t)left : BLOCK;
    if (n && t->reader->pread(t->reader, t->at, t->block, n, &t->read_err)) {
        arc_lib.set_error(a, EIO, "the file cannot be read");
        return -1;
    }
    t->at += n;
    *ret = t->block;
    return (la_ssize_t)n;
}

/* libarchive's own words, or those of the reader below it. */
static int failed(struct arc_tar *t, struct gf_err *err)
{
    if (t->read_err.code != GF_OK) return gf_fail(err, t->read_err.code, "%s", t->read_err.text);
    const char *why = arc_lib.error_string(t->a);
    return gf_fail(err, GF_E_PARSE, "'%s' cannot be read as an archive: %s", t->reader->label, why ? why : "it is damaged");
}

/* Filters that libarchive would run as a program are left out: nothing is started on behalf of an archive. */
static void choose_formats(struct archive *a)
{
    arc_lib.read_support_filter_gzip(a);
    arc_lib.read_support_filter_bzip2(a);
    arc_lib.read_support_filter_xz(a);
    arc_lib.read_support_filter_lzma(a);
    if (arc_lib.libzstd_version()) arc_lib.read_support_filter_zstd(a);
    arc_lib.read_support_format_tar(a);
    arc_lib.read_support_format_ar(a);
    arc_lib.read_support_format_cpio(a);
    arc_lib.read_set_options(a, "hdrcharset=BINARY");
}

int arc_tar_open(struct gf_reader *r, uint64_t max_total, struct arc_tar **ret, struct gf_err *err)
{
    if (arc_libarchive_load(err)) return -1;
    struct arc_tar *t = gf_xcalloc(1, sizeof *t);
    t->reader = r;
    t->max_total = max_total;
    t->a = arc_lib.read_new();
    if (!t->a) {
        free(t);
        return gf_fail(err, GF_E_IO, "libarchive has no memory left");
    }
    choose_formats(t->a);
    if (arc_lib.read_open(t->a, t, NULL, on_read, NULL) != ARCHIVE_OK) {
        int rc = failed(t, err);
        arc_tar_close(t);
        return rc;
    }
    *ret = t;
    return 0;
}

void arc_tar_close(struct arc_tar *t)
{
    if (!t) return;
    arc_lib.read_free(t->a);
    free(t);
}

static enum arc_kind kind_of(struct archive_entry *e)
{
    if (arc_lib.entry_hardlink(e)) return ARC_HARDLINK;
    switch (arc_lib.entry_filetype(e)) {
    case AE_IFREG: return ARC_FILE;
    case AE_IFDIR: return ARC_FOLDER;
    case AE_IFLNK: return ARC_SYMLINK;
    default: return ARC_OTHER;
    }
}

static void describe(struct arc_tar *t)
{
    struct archive_entry *e = t->raw;
    const char *path = arc_lib.entry_pathname(e);
    if (!path) path = arc_lib.entry_pathname_utf8(e);
    if (!path) path = "";
    while (path[0] == '.' && path[1] == '/') path += 2;
    gf_slice check = gf_slice_of(path);
    while (check.n && check.p[check.n - 1] == '/') check.n--;
    la_int64_t size = arc_lib.entry_size_is_set(e) ? arc_lib.entry_size(e) : 0;
    t->entry = (struct arc_entry){
        .path = path,
        .link = arc_lib.entry_hardlink(e) ? arc_lib.entry_hardlink(e) : arc_lib.entry_symlink(e),
        .kind = kind_of(e),
        .mode = (unsigned)arc_lib.entry_perm(e),
        .mtime = (int64_t)arc_lib.entry_mtime(e),
        .size = size < 0 ? 0 : (uint64_t)size,
        .safe = gf_path_safe(check),
    };
}

static int over_cap(const struct arc_tar *t, struct gf_err *err)
{
    return gf_fail(err, GF_E_LIMIT, "'%s' unpacks to more than %llu bytes or %u entries, the most that is read of it", t->reader->label,
                   (unsigned long long)t->max_total, ENTRIES_MOST);
}

int arc_tar_next(struct arc_tar *t, const struct arc_entry **ret, struct gf_err *err)
{
    int code = arc_lib.read_next_header(t->a, &t->raw);
    if (code == ARCHIVE_EOF) return 0;
    if (code != ARCHIVE_OK && code != ARCHIVE_WARN) return failed(t, err);
    describe(t);
    if (t->entry.size > t->max_total - t->total || ++t->entries > ENTRIES_MOST) return over_cap(t, err);
    t->total += t->entry.size;
    *ret = &t->entry;
    return 1;
}

int arc_tar_read(struct arc_tar *t, void *buf, size_t n, size_t *ret_n, struct gf_err *err)
{
    la_ssize_t got = arc_lib.read_data(t->a, buf, n);
    if (got < 0) return failed(t, err);
    *ret_n = (size_t)got;
    return 0;
}

int arc_tar_read_all(struct arc_tar *t, struct gf_buf *ret, struct gf_err *err)
{
    GF_FREE unsigned char *part = gf_xmalloc(BLOCK);
    for (size_t n = 1; n;) {
        if (arc_tar_read(t, part, BLOCK, &n, err)) return -1;
        gf_buf_add(ret, part, n);
        if (gf_buf_failed(ret))
            return gf_fail(err, GF_E_LIMIT, "'%s' in '%s' is longer than %zu bytes, the most that is read of it", t->entry.path,
                           t->reader->label, ret->max);
    }
    return 0;
}
