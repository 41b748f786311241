/* gpuferry doctor: error text → cause, how sure, what to look at, fix. */
#include "base/file.h"
#include "cli/judgement.h"
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

struct options {
    struct opt_common common;
    struct opt_target target;
};
static const struct opt_group groups[] = { OPT_TARGET(struct options, target), OPT_COMMON(struct options, common) };
enum { CHUNK = 1 << 16, HEAD = 4 << 20 };

/* Reads a log of any size once; its beginning is kept for the facts it may hold. */
static int read_log(const char *path, struct jdg_reading *r, struct gf_buf *head, struct gf_err *err)
{
    bool standard = strcmp(path, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return gf_fail_errno(err, errno, "cannot open '%s'", path);
    char *chunk = gf_xmalloc(CHUNK);
    uint64_t total = 0;
    int rc = 0;
    for (ssize_t n; (n = read(fd, chunk, CHUNK)) != 0;) {
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 || (total += (uint64_t)n) > GF_CAP_PASTE) {
            rc = n < 0 ? gf_fail_errno(err, errno, "cannot read '%s'", path)
                       : gf_fail(err, GF_E_LIMIT, "'%s' is larger than %u MiB; give the part around the first error", path, GF_CAP_PASTE >> 20);
            break;
        }
        jdg_reading_add(r, gf_slice_n(chunk, (size_t)n));
        if (head->n < HEAD) gf_buf_add(head, chunk, (size_t)n);
    }
    free(chunk);
    if (!standard) close(fd);
    return rc;
}

/* Facts named by options, and those that stand in the text itself. NULL: none at all. */
static int facts(struct options *o, struct mtx *m, gf_slice text, const char *name, struct mdl_profile **ret, struct gf_err *err)
{
    struct mdl_profile *p = mdl_profile_new();
    size_t n = tgt_read_paste(m, text, name, p);
    for (size_t i = 0; i < o->target.targets.n; i++, n++) {
        struct mdl_profile *given = NULL;
        if (tgt_load(m, o->target.targets.v[i], &given, err)) {
            mdl_profile_free(p);
            return -1;
        }
        mdl_profile_merge(given, p);
        mdl_profile_free(p);
        p = given;
    }
    *ret = p;
    if (n) return 0;
    mdl_profile_free(p);
    *ret = NULL;
    return 0;
}

static int diagnose(struct options *o, struct mtx *m, const struct jdg_knowledge *k, const char *path, struct gf_err *err)
{
    GF_BUF_SCOPE struct gf_buf head;
    struct mdl_profile *p = NULL;
    gf_buf_init(&head, HEAD + CHUNK + 1);
    struct jdg_reading *r = jdg_reading_new(k);
    int rc = read_log(path, r, &head, err);
    jdg_reading_end(r);
    if (!rc) rc = facts(o, m, gf_buf_slice(&head), path, &p, err);
    if (!rc) {
        struct mdl_verdict *v = mdl_verdict_new();
        v->about = path;
        jdg_diagnose(m, k, r, p, v);
        rc = out_verdict(m, v, err);
        mdl_verdict_free(v);
    }
    mdl_profile_free(p);
    jdg_reading_free(r);
    return rc;
}

static int run(void *opts, const struct opt_list *args, struct gf_err *err)
{
    struct options *o = opts;
    struct mtx *m = NULL;
    struct jdg_knowledge *k = NULL;
    if (args->n != 1) return gf_fail(err, GF_E_USAGE, "name one file with the error text, or '-' for standard input");
    if (mtx_open(o->target.matrix, &m, err)) return -1;
    int rc = cmd_open_knowledge(m, &k, err);
    if (!rc) rc = diagnose(o, m, k, args->v[0], err);
    jdg_knowledge_free(k);
    mtx_free(m);
    return rc;
}

const struct cmd cmd_doctor = { "doctor", "doctor [FILE|-] [OPTIONS]", "Say what an error text or a log means on that machine: cause, how sure, what to look at, fix.", groups,
                                sizeof groups / sizeof groups[0], sizeof(struct options), run };
