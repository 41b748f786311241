/* The batches of base/file.h. */
#include "base/file.h"
#include "base/vec.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int gf_batch_open(struct gf_batch *b, const char *folder, struct gf_err *err)
{
    (void)err;
    *b = (struct gf_batch){ .folder = gf_xstrdup(folder) };
    return 0;
}

int gf_batch_add(struct gf_batch *b, const char *name, gf_slice bytes, struct gf_err *err)
{
    char *path = gf_xasprintf("%s/%s", b->folder, name), *aside = gf_xasprintf("%s.part-%ld", path, (long)getpid());
    gf_vec_push(&b->path, path);
    gf_vec_push(&b->aside, aside);
    int fd = open(aside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0) return gf_fail_errno(err, errno, "cannot write beside '%s'", path);
    int rc = gf_write_all(fd, bytes.p, bytes.n, path, err);
    if (close(fd) < 0 && !rc) rc = gf_fail_errno(err, errno, "cannot write '%s'", path);
    return rc;
}

static int put_in_place(struct gf_batch *b, struct gf_err *err)
{
    int fd = open(b->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || syncfs(fd) < 0) {
        int problem = errno;
        if (fd >= 0) close(fd);
        return gf_fail_errno(err, problem, "cannot write '%s' to the disk", b->folder);
    }
    int rc = 0;
    for (size_t i = 0; i < b->path.n && !rc; i++)
        if (rename(b->aside.v[i], b->path.v[i]) < 0) rc = gf_fail_errno(err, errno, "cannot put '%s' in its place", b->path.v[i]);
    fsync(fd);
    close(fd);
    return rc;
}

int gf_batch_close(struct gf_batch *b, bool commit, struct gf_err *err)
{
    int rc = commit ? put_in_place(b, err) : 0;
    for (size_t i = 0; i < b->path.n; i++) {
        if (!commit || rc) unlink(b->aside.v[i]);
        free(b->aside.v[i]);
        free(b->path.v[i]);
    }
    gf_vec_free(&b->aside);
    gf_vec_free(&b->path);
    free(b->folder);
    *b = (struct gf_batch){ 0 };
    return rc;
}
