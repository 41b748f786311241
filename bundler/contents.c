#include "bundler/contents.h"
#include "base/file.h"
#include "bundler/tar.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES_MOST = 1000000, DEPTH_MOST = 32 };

static int by_path(const void *a, const void *b)
{
    const struct bnd_file *x = a, *y = b;
    return strcmp(x->path, y->path);
}

static void read_tar(struct bnd_contents *c)
{
    struct bnd_tar_reader t;
    struct bnd_tar_member m;
    bnd_tar_reader_init(&t, c->tar);
    while (bnd_tar_next(&t, &m, &c->damage) == 1)
        if (!m.folder) gf_vec_push(&c->files, (struct bnd_file){ gf_arena_strz(&c->mem, m.path), m.size, m.data, NULL });
    bnd_tar_reader_release(&t);
}

static const char *odd_kind(mode_t mode)
{
    if (S_ISREG(mode)) return NULL;
    return S_ISLNK(mode) ? "a symbolic link" : "a device, pipe or socket";
}

static int walk(struct bnd_contents *c, int dir, const char *below, unsigned depth, struct gf_err *err);

static int walk_entry(struct bnd_contents *c, int dir, const char *below, const char *name, unsigned depth, struct gf_err *err)
{
    struct stat st;
    const char *path = gf_arena_printf(&c->mem, "%s%s%s", below, *below ? "/" : "", name);
    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0) return gf_fail_errno(err, errno, "cannot look at '%s/%s'", c->folder, path);
    if (!S_ISDIR(st.st_mode)) {
        if (c->files.n >= FILES_MOST) return gf_fail(err, GF_E_LIMIT, "'%s' holds more than %d files: no bundle has so many", c->folder, FILES_MOST);
        gf_vec_push(&c->files, (struct bnd_file){ path, (uint64_t)st.st_size, 0, odd_kind(st.st_mode) });
        return 0;
    }
    if (depth >= DEPTH_MOST) return gf_fail(err, GF_E_LIMIT, "'%s/%s': folders nested deeper than %d", c->folder, path, DEPTH_MOST);
    int sub = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (sub < 0) return gf_fail_errno(err, errno, "cannot read the folder '%s/%s'", c->folder, path);
    return walk(c, sub, path, depth + 1, err);
}

/* Takes over dir. */
static int walk(struct bnd_contents *c, int dir, const char *below, unsigned depth, struct gf_err *err)
{
    DIR *d = fdopendir(dir);
    if (!d) {
        int problem = errno;
        close(dir);
        return gf_fail_errno(err, problem, "cannot read the folder '%s/%s'", c->folder, below);
    }
    int rc = 0;
    for (struct dirent *e; !rc && (e = readdir(d));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) rc = walk_entry(c, dirfd(d), below, e->d_name, depth, err);
    closedir(d);
    return rc;
}

int bnd_contents_open(const char *path, struct bnd_contents *ret, struct gf_err *err)
{
    struct bnd_contents c = { .damage = GF_ERR_INIT };
    struct stat st;
    if (stat(path, &st) < 0) return gf_fail_errno(err, errno, "cannot look at '%s'", path);
    if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode)) return gf_fail(err, GF_E_USAGE, "'%s' is neither a tar nor a folder", path);
    gf_arena_init(&c.mem);
    int rc = 0;
    if (S_ISDIR(st.st_mode)) {
        c.folder = gf_arena_strz(&c.mem, path);
        int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        rc = dir < 0 ? gf_fail_errno(err, errno, "cannot read the folder '%s'", path) : walk(&c, dir, "", 0, err);
    } else {
        rc = gf_reader_open(path, &c.tar, err);
        if (!rc) read_tar(&c);
    }
    if (rc) {
        bnd_contents_release(&c);
        return rc;
    }
    if (c.files.n) qsort(c.files.v, c.files.n, sizeof *c.files.v, by_path);
    *ret = c;
    return 0;
}

void bnd_contents_release(struct bnd_contents *c)
{
    gf_reader_close(c->tar);
    gf_vec_free(&c->files);
    gf_arena_release(&c->mem);
}

const struct bnd_file *bnd_contents_find(const struct bnd_contents *c, gf_slice path)
{
    size_t from = 0, to = c->files.n;
    while (from < to) {
        size_t mid = from + (to - from) / 2;
        int order = gf_slice_cmp(gf_slice_of(c->files.v[mid].path), path);
        if (order == 0) return &c->files.v[mid];
        if (order < 0) from = mid + 1;
        else to = mid;
    }
    return NULL;
}

int bnd_contents_reader(const struct bnd_contents *c, const struct bnd_file *f, struct gf_reader **ret, uint64_t *ret_offset, struct gf_err *err)
{
    *ret_offset = f->data;
    if (c->tar) {
        *ret = c->tar;
        return 0;
    }
    if (f->odd) return gf_fail(err, GF_E_INTEGRITY, "'%s' is %s, bundles hold plain files only", f->path, f->odd);
    GF_FREE char *path = gf_xasprintf("%s/%s", c->folder, f->path);
    return gf_reader_open(path, ret, err);
}

void bnd_contents_done(const struct bnd_contents *c, struct gf_reader *r)
{
    if (!c->tar) gf_reader_close(r);
}

int bnd_contents_text(const struct bnd_contents *c, const struct bnd_file *f, size_t most, struct gf_buf *ret, struct gf_err *err)
{
    struct gf_reader *r;
    uint64_t off;
    if (f->size > most) return gf_fail(err, GF_E_INTEGRITY, "'%s' has %llu bytes, at most %zu are read of such a file", f->path, (unsigned long long)f->size, most);
    if (bnd_contents_reader(c, f, &r, &off, err)) return -1;
    GF_FREE char *text = gf_xmalloc((size_t)f->size + 1);
    int rc = r->pread(r, off, text, (size_t)f->size, err);
    bnd_contents_done(c, r);
    if (rc) return rc;
    gf_buf_init(ret, most + 1);
    gf_buf_add(ret, text, (size_t)f->size);
    return 0;
}
