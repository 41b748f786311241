#include "base/reader.h"
#include "base/mem.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct file_reader {
    struct gf_reader base;
    int fd;
    char *path;
};

static int file_pread(struct gf_reader *r, uint64_t off, void *buf, size_t n, struct gf_err *err)
{
    struct file_reader *f = (struct file_reader *)r;
    for (char *at = buf; n;) {
        ssize_t got = pread(f->fd, at, n, (off_t)off);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return gf_fail_errno(err, errno, "'%s': reading %zu bytes at %llu", f->path, n, (unsigned long long)off);
        if (got == 0)
            return gf_fail(err, GF_E_INTEGRITY, "'%s' ends at byte %llu where %zu more were expected: the file was cut short", f->path,
                           (unsigned long long)off, n);
        at += got;
        off += (uint64_t)got;
        n -= (size_t)got;
    }
    return 0;
}

static void file_close(struct gf_reader *r)
{
    struct file_reader *f = (struct file_reader *)r;
    close(f->fd);
    free(f->path);
    free(f);
}

int gf_reader_open(const char *path, struct gf_reader **ret, struct gf_err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return gf_fail_errno(err, errno, "cannot open '%s'", path);
    struct stat st;
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
        close(fd);
        return gf_fail(err, GF_E_IO, "'%s' is not a regular file", path);
    }
    struct file_reader *f = gf_xcalloc(1, sizeof *f);
    f->fd = fd;
    f->path = gf_xstrdup(path);
    f->base = (struct gf_reader){ file_pread, file_close, (uint64_t)st.st_size, f->path };
    *ret = &f->base;
    return 0;
}

struct memory_reader {
    struct gf_reader base;
    gf_slice bytes;
};

static int memory_pread(struct gf_reader *r, uint64_t off, void *buf, size_t n, struct gf_err *err)
{
    struct memory_reader *m = (struct memory_reader *)r;
    if (off > m->bytes.n || n > m->bytes.n - off)
        return gf_fail(err, GF_E_INTEGRITY, "'%s' has %zu bytes, %zu at %llu were asked for", r->label, m->bytes.n, n, (unsigned long long)off);
    if (n) memcpy(buf, m->bytes.p + off, n);
    return 0;
}

static void memory_close(struct gf_reader *r) { free(r); }

struct gf_reader *gf_reader_memory(gf_slice bytes, const char *label)
{
    struct memory_reader *m = gf_xcalloc(1, sizeof *m);
    m->base = (struct gf_reader){ memory_pread, memory_close, bytes.n, label };
    m->bytes = bytes;
    return &m->base;
}
