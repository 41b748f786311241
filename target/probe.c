#include "target/probe.h"
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static bool below(const struct tgt_probe *p, const char *path, char out[GF_CAP_PATH])
{
    int n = snprintf(out, GF_CAP_PATH, "%s%s", p->root, path);
    return n > 0 && n < GF_CAP_PATH;
}

int tgt_probe_open(const struct tgt_probe *p, const char *path)
{
    char full[GF_CAP_PATH];
    return below(p, path, full) ? open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
}

bool tgt_probe_read(struct tgt_probe *p, const char *path, gf_slice *ret)
{
    char chunk[16384];
    gf_buf_clear(&p->file);
    int fd = tgt_probe_open(p, path);
    if (fd < 0) return false;
    ssize_t n;
    while ((n = read(fd, chunk, sizeof chunk)) > 0 && !gf_buf_failed(&p->file)) gf_buf_add(&p->file, chunk, (size_t)n);
    close(fd);
    *ret = gf_buf_slice(&p->file);
    return n == 0 || p->file.n;
}

bool tgt_probe_exists(struct tgt_probe *p, const char *path)
{
    char full[GF_CAP_PATH];
    return below(p, path, full) && access(full, F_OK) == 0;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

size_t tgt_probe_names(struct tgt_probe *p, const char *dir, const char *prefix, char ***ret)
{
    char full[GF_CAP_PATH];
    DIR *d = below(p, dir, full) ? opendir(full) : NULL;
    struct dirent *e;
    size_t n = 0, cap = 0;
    char **v = NULL;
    *ret = NULL;
    if (!d) return 0;
    while ((e = readdir(d)) && n < 100000) {
        if (e->d_name[0] == '.' || strncmp(e->d_name, prefix, strlen(prefix)) != 0) continue;
        if (n == cap) v = gf_xreallocarray(v, cap = cap ? 2 * cap : 64, sizeof *v);
        v[n++] = gf_xstrdup(e->d_name);
    }
    closedir(d);
    if (n) qsort(v, n, sizeof *v, by_name);
    *ret = v;
    return n;
}

void tgt_probe_free_names(char **names, size_t n)
{
    for (size_t i = 0; i < n; i++) free(names[i]);
    free(names);
}

bool tgt_probe_real(struct tgt_probe *p, const char *path, char ret[GF_CAP_PATH])
{
    char full[GF_CAP_PATH], real[PATH_MAX];
    if (!below(p, path, full) || !realpath(full, real)) return false;
    size_t n = strlen(p->root);
    const char *tail = strncmp(real, p->root, n) == 0 ? real + n : real;
    return snprintf(ret, GF_CAP_PATH, "%s", tail) < GF_CAP_PATH;
}

bool tgt_probe_next_on_path(struct tgt_probe *p, const char *name, gf_slice *rest, char ret[GF_CAP_PATH])
{
    const char *path = *p->root ? NULL : getenv("PATH");
    gf_slice dir;
    char full[GF_CAP_PATH];
    if (!rest->p) *rest = gf_slice_of(path && *path ? path : "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    while (gf_slice_field(rest, ':', &dir)) {
        if (!dir.n || dir.p[0] != '/' || snprintf(ret, GF_CAP_PATH, "%.*s/%s", GF_FMT(dir), name) >= GF_CAP_PATH) continue;
        if (below(p, ret, full) && access(full, X_OK) == 0) return true;
    }
    return false;
}

bool tgt_probe_which(struct tgt_probe *p, const char *name, char ret[GF_CAP_PATH])
{
    gf_slice rest = GF_NONE;
    return tgt_probe_next_on_path(p, name, &rest, ret);
}

/* Starts argv[0] with its output going to a pipe: the end to read from, or -1. */
static int start(const char *path, char *const *argv, pid_t *ret)
{
    int ends[2];
    posix_spawn_file_actions_t to;
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    posix_spawn_file_actions_init(&to);
    posix_spawn_file_actions_adddup2(&to, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&to, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int rc = posix_spawn(ret, path, &to, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&to);
    close(ends[1]);
    if (rc == 0) return ends[0];
    close(ends[0]);
    return -1;
}

void tgt_probe_run(struct tgt_probe *p, const char *section, const char *const *argv)
{
    char at[GF_CAP_PATH], chunk[4096];
    pid_t child;
    if (*p->root || !tgt_probe_which(p, argv[0], at)) return;
    int fd = start(at, (char *const *)(uintptr_t)argv, &child);
    if (fd < 0) return;
    gf_buf_addf(&p->out, "== %s\n", section);
    size_t all = 0;
    for (ssize_t n; (n = read(fd, chunk, sizeof chunk)) > 0; all += (size_t)n)
        if (all < (4u << 20)) gf_buf_add(&p->out, chunk, (size_t)n);
    gf_buf_addc(&p->out, '\n');
    close(fd);
    waitpid(child, NULL, 0);
}

int tgt_detect(struct mtx *m, const char *root, struct mdl_profile **ret, struct gf_err *err)
{
    struct tgt_probe p = { .root = root };
    if (*root && !tgt_probe_exists(&p, "/")) return gf_fail(err, GF_E_IO, "cannot look at the machine under '%s': there is no such folder", root);
    gf_buf_init(&p.out, TGT_CAP_PROBE);
    gf_buf_init(&p.file, TGT_CAP_PROBE);
    gf_buf_adds(&p.out, "gpuferry-collect 1\n");
    tgt_probe_system(&p);
    tgt_probe_driver(&p);
    tgt_probe_python(&p);
    tgt_probe_software(&p);
    tgt_probe_disks(&p);
    tgt_probe_kernel_log(&p);
    gf_buf_adds(&p.out, "== end\n");
    struct mdl_profile *profile = mdl_profile_new();
    tgt_read_paste(m, gf_buf_slice(&p.out), NULL, profile);
    gf_buf_release(&p.out);
    gf_buf_release(&p.file);
    *ret = profile;
    return 0;
}
