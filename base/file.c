#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int read_up_to(const char *path, size_t max, bool head, struct gf_buf *ret, struct gf_err *err)
{
    bool std_in = strcmp(path, "-") == 0;
    int fd = std_in ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return gf_fail_errno(err, errno, "cannot read '%s'", path);
    struct gf_buf out;
    gf_buf_init(&out, max);
    int rc = 0;
    for (char chunk[65536];;) {
        ssize_t got = read(fd, chunk, sizeof chunk);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) rc = gf_fail_errno(err, errno, "cannot read '%s'", path);
        if (got <= 0) break;
        if (head && (size_t)got > max - out.n) got = (ssize_t)(max - out.n);
        gf_buf_add(&out, chunk, (size_t)got);
        if (head && out.n == max) break;
        if (gf_buf_failed(&out)) {
            rc = gf_fail(err, GF_E_LIMIT, "'%s' is larger than %zu bytes, the most that is read of such a file", path, max);
            break;
        }
    }
    if (!std_in) close(fd);
    if (rc) gf_buf_release(&out);
    else *ret = out;
    return rc;
}

int gf_file_read(const char *path, size_t max, struct gf_buf *ret, struct gf_err *err) { return read_up_to(path, max, false, ret, err); }

int gf_file_read_head(const char *path, size_t max, struct gf_buf *ret, struct gf_err *err) { return read_up_to(path, max, true, ret, err); }

int gf_write_all(int fd, const void *p, size_t n, const char *path, struct gf_err *err)
{
    for (const char *at = p; n;) {
        ssize_t put = write(fd, at, n);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return gf_fail_errno(err, errno, "cannot write '%s'", path);
        at += put;
        n -= (size_t)put;
    }
    return 0;
}

int gf_pwrite_all(int fd, const void *p, size_t n, uint64_t off, const char *path, struct gf_err *err)
{
    for (const char *at = p; n;) {
        ssize_t put = pwrite(fd, at, n, (off_t)off);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return gf_fail_errno(err, errno, "cannot write '%s'", path);
        at += put;
        off += (uint64_t)put;
        n -= (size_t)put;
    }
    return 0;
}

/* What a link points to is what is replaced, not the link. malloc'd. */
static char *behind_links(const char *path)
{
    struct stat st;
    char *real = lstat(path, &st) == 0 && S_ISLNK(st.st_mode) ? realpath(path, NULL) : NULL;
    return real ? real : gf_xstrdup(path);
}

int gf_atomic_open(struct gf_atomic *a, const char *given, unsigned mode, struct gf_err *err)
{
    GF_FREE char *path = behind_links(given);
    char *aside = gf_xasprintf("%s.part-%ld-XXXXXX", path, (long)getpid());
    int fd = mkostemp(aside, O_CLOEXEC);
    if (fd < 0) {
        int rc = gf_fail_errno(err, errno, "cannot write beside '%s'", path);
        free(aside);
        return rc;
    }
    mode_t mask = umask(0);
    umask(mask);
    if (fchmod(fd, (mode_t)mode & ~mask) < 0) { /* some file systems have no modes: the file is still right */
    }
    *a = (struct gf_atomic){ fd, gf_xstrdup(path), aside };
    return 0;
}

void gf_atomic_abort(struct gf_atomic *a)
{
    if (a->fd >= 0) close(a->fd);
    if (a->aside) unlink(a->aside);
    free(a->path);
    free(a->aside);
    *a = (struct gf_atomic){ .fd = -1 };
}

static void sync_folder(const char *path)
{
    GF_FREE char *dir = gf_xstrdup(path);
    char *slash = strrchr(dir, '/');
    if (slash) slash[slash == dir ? 1 : 0] = '\0';
    int fd = open(slash ? dir : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    fsync(fd);
    close(fd);
}

static int commit(struct gf_atomic *a, bool folder_too, struct gf_err *err)
{
    int rc = 0;
    if (fsync(a->fd) < 0 && errno != EINVAL && errno != EROFS) rc = gf_fail_errno(err, errno, "cannot write '%s' to the disk", a->path);
    int closed = close(a->fd);
    a->fd = -1;
    if (!rc && closed < 0) rc = gf_fail_errno(err, errno, "cannot write '%s'", a->path);
    if (!rc && rename(a->aside, a->path) < 0) rc = gf_fail_errno(err, errno, "cannot put '%s' in its place", a->path);
    if (!rc) {
        if (folder_too) sync_folder(a->path);
        free(a->aside);
        a->aside = NULL;
    }
    gf_atomic_abort(a);
    return rc;
}

int gf_atomic_commit(struct gf_atomic *a, struct gf_err *err) { return commit(a, true, err); }

/* A device, a pipe: nothing to put in place, what is written is written. */
static int write_through(const char *path, gf_slice bytes, struct gf_err *err)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return gf_fail_errno(err, errno, "cannot write '%s'", path);
    int rc = gf_write_all(fd, bytes.p, bytes.n, path, err);
    if (close(fd) < 0 && !rc) rc = gf_fail_errno(err, errno, "cannot write '%s'", path);
    return rc;
}

int gf_file_write_atomic(const char *path, gf_slice bytes, unsigned mode, struct gf_err *err)
{
    struct gf_atomic a;
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) return write_through(path, bytes, err);
    if (gf_atomic_open(&a, path, mode, err)) return -1;
    if (gf_write_all(a.fd, bytes.p, bytes.n, path, err)) {
        gf_atomic_abort(&a);
        return -1;
    }
    return commit(&a, false, err);
}

int gf_mkdirs(const char *path, unsigned mode, struct gf_err *err)
{
    GF_FREE char *copy = gf_xstrdup(path);
    for (char *at = copy + 1;; at++) {
        if (*at != '/' && *at != '\0') continue;
        char was = *at;
        *at = '\0';
        struct stat st;
        if (mkdir(copy, (mode_t)mode) < 0 && !(errno == EEXIST && stat(copy, &st) == 0 && S_ISDIR(st.st_mode)))
            return gf_fail_errno(err, errno == EEXIST ? ENOTDIR : errno, "cannot make the folder '%s'", copy);
        *at = was;
        if (!was) return 0;
    }
}

bool gf_path_exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

bool gf_path_safe(gf_slice path)
{
    if (!path.p || path.n == 0 || path.n > GF_CAP_PATH) return false;
    for (size_t i = 0; i < path.n; i++)
        if ((unsigned char)path.p[i] < 32 || path.p[i] == 127 || path.p[i] == '\\') return false;
    gf_slice part;
    while (gf_slice_field(&path, '/', &part))
        if (part.n == 0 || gf_slice_is(part, ".") || gf_slice_is(part, "..")) return false;
    return true;
}

char *gf_cache_dir(void)
{
    const char *dir = getenv("GPUFERRY_CACHE");
    if (dir && *dir) return gf_xstrdup(dir);
    dir = getenv("XDG_CACHE_HOME");
    if (dir && *dir == '/') return gf_xasprintf("%s/gpuferry", dir);
    dir = getenv("HOME");
    return gf_xasprintf("%s/.cache/gpuferry", dir && *dir ? dir : "/tmp");
}
