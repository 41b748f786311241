#include "bundler/part.h"
#include "base/file.h"
#include "base/json.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const char SCHEMA[] = "gpuferry.part/1";

/* What an unfinished file must agree in to be gone on with: where everything lies and what it is. */
static void layout_key(const struct bnd_layout *l, char out[GF_SHA256_HEX])
{
    struct gf_digest *d = gf_digest_new(GF_SHA256);
    for (size_t i = 0; i < l->placed; i++) {
        const struct bnd_member *m = &l->m.v[i];
        GF_FREE char *line = gf_xasprintf("%s %llu %llu %s\n", m->sha256, (unsigned long long)m->data, (unsigned long long)m->size, m->path);
        gf_digest_add(d, line, strlen(line));
    }
    unsigned char bytes[GF_HASH_MAX];
    gf_hex(bytes, gf_digest_end(d, bytes), out);
}

static void take_over(struct bnd_part *p, struct bnd_layout *l)
{
    struct gf_json_doc *doc GF_JSON_SCOPE = NULL;
    struct stat st;
    char key[GF_SHA256_HEX];
    if (gf_json_load(p->state, GF_CAP_LOCK, &doc, NULL) || fstat(p->fd, &st) < 0) return;
    const gf_json *root = gf_json_root(doc), *have = gf_json_get(root, "have");
    layout_key(l, key);
    if (!gf_slice_is(gf_json_get_str(root, "schema"), SCHEMA) || !gf_slice_is(gf_json_get_str(root, "layout"), key)) return;
    for (size_t i = 0; i < l->placed; i++) {
        struct bnd_member *m = &l->m.v[i];
        int64_t n;
        if (m->place != BND_PAYLOAD || !gf_json_int(gf_json_get(have, m->path), &n) || n <= 0) continue;
        if ((uint64_t)n > m->size || m->data + (uint64_t)n > (uint64_t)st.st_size) continue;
        m->kept = (uint64_t)n;
    }
}

int bnd_part_open(struct bnd_part *p, const char *out, struct bnd_layout *l, struct gf_err *err)
{
    *p = (struct bnd_part){ -1, gf_xstrdup(out), gf_xasprintf("%s.part", out), gf_xasprintf("%s.part.state", out) };
    p->fd = open(p->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (p->fd < 0) {
        int problem = errno;
        bool folder = problem == ENOENT;
        gf_fail_errno(err, problem, "cannot write '%s'%s", p->path, folder ? " (make its folder first)" : "");
        bnd_part_close(p);
        return -1;
    }
    if (flock(p->fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
        gf_fail(err, GF_E_IO, "'%s' is being written by another gpuferry; wait for it, or choose another name with -o", p->path);
        bnd_part_close(p);
        return -1;
    }
    take_over(p, l);
    return 0;
}

int bnd_part_room(const struct bnd_part *p, uint64_t size, struct gf_err *err)
{
    struct statvfs fs;
    struct stat st;
    if (fstatvfs(p->fd, &fs) < 0 || fstat(p->fd, &st) < 0 || fs.f_blocks == 0) return 0; /* not told: found out by writing */
    uint64_t room = (uint64_t)fs.f_bavail * fs.f_frsize, taken = (uint64_t)st.st_blocks * 512;
    uint64_t need = size > taken ? size - taken : 0;
    if (room >= need) return 0;
    return gf_fail(err, GF_E_IO, "'%s' needs %.1f MB more, its file system has %.1f MB free; free some, or choose another place with -o", p->out,
                   (double)need / 1e6, (double)room / 1e6);
}

int bnd_part_write(const struct bnd_part *p, const void *bytes, size_t n, uint64_t off, struct gf_err *err)
{
    return gf_pwrite_all(p->fd, bytes, n, off, p->path, err);
}

int bnd_part_save(const struct bnd_part *p, const struct bnd_layout *l, struct gf_err *err)
{
    GF_BUF_SCOPE struct gf_buf text;
    gf_buf_init(&text, GF_CAP_LOCK);
    struct gf_jw w;
    char key[GF_SHA256_HEX];
    layout_key(l, key);
    gf_jw_init(&w, &text, false);
    gf_jw_obj(&w);
    gf_jw_kstr(&w, "schema", SCHEMA);
    gf_jw_kstr(&w, "layout", key);
    gf_jw_key(&w, "have");
    gf_jw_obj(&w);
    for (size_t i = 0; i < l->placed; i++)
        if (l->m.v[i].place == BND_PAYLOAD && l->m.v[i].have) gf_jw_kint(&w, l->m.v[i].path, (int64_t)l->m.v[i].have);
    gf_jw_end_obj(&w);
    gf_jw_end_obj(&w);
    /* Not waited for: a claim that is not true is found out by the digest. */
    GF_FREE char *aside = gf_xasprintf("%s.new", p->state);
    int fd = open(aside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd < 0) return gf_fail_errno(err, errno, "cannot write '%s'", aside);
    int rc = gf_write_all(fd, text.p, text.n, aside, err);
    close(fd);
    if (!rc && rename(aside, p->state) < 0) rc = gf_fail_errno(err, errno, "cannot write '%s'", p->state);
    if (rc) unlink(aside);
    return rc;
}

int bnd_part_finish(struct bnd_part *p, uint64_t size, struct gf_err *err)
{
    if (ftruncate(p->fd, (off_t)size) < 0) return gf_fail_errno(err, errno, "cannot write '%s'", p->path);
    if (fsync(p->fd) < 0 && errno != EINVAL) return gf_fail_errno(err, errno, "cannot write '%s' to the disk", p->path);
    if (rename(p->path, p->out) < 0) return gf_fail_errno(err, errno, "cannot put '%s' in its place", p->out);
    unlink(p->state);
    return 0;
}

void bnd_part_close(struct bnd_part *p)
{
    if (p->fd >= 0) close(p->fd);
    free(p->out);
    free(p->path);
    free(p->state);
    *p = (struct bnd_part){ .fd = -1 };
}
