/* gpuferry doctor: error text → cause, how sure, what to look at, fix. */
#include "base/file.h"
#include "cli/judgement.h"
#include "target/health.h"
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

/* ---- without text: this machine, step by step ---- */

static void write_steps(struct gf_buf *out, const struct tgt_health *h)
{
    static const enum out_color colors[] = { OUT_GREEN, OUT_YELLOW, OUT_RED, OUT_DIM };
    for (size_t i = 0; i < h->n; i++) {
        const struct tgt_step *s = &h->steps[i];
        gf_buf_addf(out, "%s%-9s%s %-13s %s\n", out_color(colors[s->state]), tgt_state_name(s->state), out_color(OUT_RESET), s->name, s->text);
        if (s->fix) gf_buf_addf(out, "          %-13s -> %s\n", "", s->fix);
    }
    gf_buf_addc(out, '\n');
}

static void write_steps_json(struct gf_buf *out, const struct tgt_health *h, const struct mdl_verdict *v)
{
    struct gf_jw w;
    gf_jw_init(&w, out, false);
    gf_jw_obj(&w);
    gf_jw_kstr(&w, "schema", "gpuferry.checklist/1");
    gf_jw_key(&w, "steps");
    gf_jw_arr(&w);
    for (size_t i = 0; i < h->n; i++) {
        gf_jw_obj(&w);
        gf_jw_kstr(&w, "step", h->steps[i].name);
        gf_jw_kstr(&w, "state", tgt_state_name(h->steps[i].state));
        gf_jw_kstr(&w, "text", h->steps[i].text);
        gf_jw_kstr_opt(&w, "fix", h->steps[i].fix);
        gf_jw_end_obj(&w);
    }
    gf_jw_end_arr(&w);
    gf_jw_key(&w, "judgement");
    mdl_verdict_write(v, &w);
    gf_jw_end_obj(&w);
}

static bool any_bad(const struct tgt_health *h)
{
    for (size_t i = 0; i < h->n; i++)
        if (h->steps[i].state == TGT_BAD) return true;
    return false;
}

/* A bad step breaks whatever the links say; without a GPU there is nothing that could be in order. */
static int examine(struct mtx *m, const struct jdg_knowledge *k, struct gf_err *err)
{
    struct mdl_profile *p = NULL;
    struct tgt_health h;
    GF_BUF_SCOPE struct gf_buf out;
    if (tgt_detect(m, "", &p, err)) return -1;
    tgt_health_look(m, "", p, &h);
    struct mdl_verdict *v = mdl_verdict_new();
    v->about = "this machine";
    jdg_check(m, k, p, v);
    gf_buf_init(&out, GF_CAP_OUTPUT);
    if (out_json()) write_steps_json(&out, &h, v);
    else {
        write_steps(&out, &h);
        out_verdict_text(m, v, &out);
    }
    int rc = out_result(gf_buf_slice(&out), err) ? -1 : any_bad(&h) ? 1 : mdl_verdict_exit(v);
    mdl_verdict_free(v);
    tgt_health_release(&h);
    mdl_profile_free(p);
    return rc;
}

static int run(void *opts, const struct opt_list *args, struct gf_err *err)
{
    struct options *o = opts;
    struct mtx *m = NULL;
    struct jdg_knowledge *k = NULL;
    if (args->n > 1) return gf_fail(err, GF_E_USAGE, "name one file with the error text, '-' for standard input, or none to look at this machine");
    if (opt_open_matrix(o->target.matrix, &m, err)) return -1;
    int rc = cmd_open_knowledge(m, &k, err);
    if (!rc) rc = args->n ? diagnose(o, m, k, args->v[0], err) : examine(m, k, err);
    jdg_knowledge_free(k);
    mtx_free(m);
    return rc;
}

const struct cmd cmd_doctor = { "doctor", "doctor [FILE|-] [OPTIONS]", "Say what an error text or a log means on that machine: cause, how sure, what to look at, fix.", groups,
                                sizeof groups / sizeof groups[0], sizeof(struct options), run };
