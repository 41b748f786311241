#include "base/file.h"
#include "target/facts.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The last part of the path; standard input has no name. */
static const char *short_name(const char *path)
{
    if (strcmp(path, "-") == 0) return NULL;
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A document of ours begins with a brace and names its schema, or has a key of a profile; JSON of other tools is a paste. */
static bool is_profile(gf_slice text)
{
    gf_slice t = text;
    gf_take_ws(&t);
    if (!t.n || t.p[0] != '{') return false;
    gf_slice head = gf_slice_sub(t, 0, 4096);
    return gf_slice_has(head, GF_S("\"gpuferry.")) || (t.n <= GF_CAP_PROFILE && (gf_slice_has(head, GF_S("\"gpus\"")) || gf_slice_has(head, GF_S("\"python\"")) || gf_slice_has(head, GF_S("\"arch\"")) ||
                                                                              gf_slice_has(head, GF_S("\"packages\"")) || gf_slice_has(head, GF_S("\"os\"")) || gf_slice_has(head, GF_S("\"driver\""))));
}

int tgt_load_text(struct mtx *m, gf_slice text, const char *path, struct mdl_profile **ret, struct gf_err *err)
{
    if (is_profile(text)) return mdl_profile_parse(text, path, ret, err);
    struct mdl_profile *p = mdl_profile_new();
    if (!tgt_read_paste(m, text, short_name(path), p) && !p->nconflicts) {
        mdl_profile_free(p);
        return gf_fail(err, GF_E_PARSE, "%s holds no fact about a machine that gpuferry can read; expected a profile, the output of collect.sh, or what tools print: nvidia-smi, "
                       "python -m torch.utils.collect_env, pip list, rocm-smi, npu-smi, dmesg, os-release …", strcmp(path, "-") == 0 ? "standard input" : path);
    }
    *ret = p;
    return 0;
}

/* Large files are mapped, not copied: -1 when that is not possible. */
static int read_mapped(struct mtx *m, const char *path, int *ret_rc, struct mdl_profile **ret, struct gf_err *err)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    void *at = MAP_FAILED;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > (1 << 20) && st.st_size <= (off_t)GF_CAP_PASTE)
        at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (at == MAP_FAILED) return -1;
    *ret_rc = tgt_load_text(m, gf_slice_n(at, (size_t)st.st_size), path, ret, err);
    munmap(at, (size_t)st.st_size);
    return 0;
}

int tgt_load(struct mtx *m, const char *path, struct mdl_profile **ret, struct gf_err *err)
{
    int rc;
    if (strcmp(path, "-") != 0 && read_mapped(m, path, &rc, ret, err) == 0) return rc;
    GF_BUF_SCOPE struct gf_buf text;
    gf_buf_init(&text, GF_CAP_PASTE);
    if (gf_file_read(path, GF_CAP_PASTE, &text, err)) return -1;
    return tgt_load_text(m, gf_buf_slice(&text), path, ret, err);
}
