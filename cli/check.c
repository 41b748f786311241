/* gpuferry check: is what is installed or pasted consistent with itself and with the machine. */
#include "cli/judgement.h"
#include "base/file.h"
#include "judge/manifest.h"
#include <sys/stat.h>

struct options {
    struct opt_common common;
    struct opt_target target;
};
static const struct opt_group groups[] = { OPT_TARGET(struct options, target), OPT_COMMON(struct options, common) };

enum { HEAD = 64 << 10 };

/* One WHAT: its kind, and its text where that had to be read already. */
struct what { const char *path; enum jdg_manifest kind; bool read; struct gf_buf text; };

static int refuse_lock(const struct what *w, struct gf_err *err)
{
    gf_slice text = gf_slice_trim(gf_slice_sub(gf_buf_slice(&w->text), 0, w->text.n < HEAD ? w->text.n : HEAD));
    if (!gf_slice_starts(text, GF_S("{")) || !gf_slice_has(text, GF_S("\"gpuferry.lock/"))) return 0;
    return gf_fail(err, GF_E_USAGE, "'%s' is a lock, planned by the rules that check judges by: 'gpuferry why' explains it; to judge what it installs on another machine, "
                                    "give the requirements.txt of its bundle (of several targets: targets/LABEL/requirements.txt)", w->path);
}

/* A regular file is told by its beginning, so that a log of any size is not read twice; standard input and pipes are read whole. */
static int look_at(struct what *w, struct gf_err *err)
{
    struct stat st;
    bool whole = strcmp(w->path, "-") == 0 || (stat(w->path, &st) == 0 && !S_ISREG(st.st_mode));
    gf_buf_init(&w->text, whole ? GF_CAP_PASTE : GF_CAP_LOCK);
    w->read = whole;
    if (whole ? gf_file_read(w->path, GF_CAP_PASTE, &w->text, err) : gf_file_read_head(w->path, HEAD, &w->text, err)) return -1;
    w->kind = jdg_manifest_kind(w->path, gf_slice_sub(gf_buf_slice(&w->text), 0, w->text.n < HEAD ? w->text.n : HEAD));
    if (w->kind == JDG_NO_MANIFEST && refuse_lock(w, err)) return -1;
    if (w->kind == JDG_NO_MANIFEST || whole) return 0;
    gf_buf_release(&w->text);
    w->read = true;
    return gf_file_read(w->path, GF_CAP_LOCK, &w->text, err);
}

/* What tells of the machine, laid into one profile in the order given. */
static int load_facts(struct mtx *m, const struct what *all, size_t n, struct mdl_profile **ret, struct gf_err *err)
{
    for (size_t i = 0; i < n; i++) {
        struct mdl_profile *one = NULL;
        if (all[i].kind != JDG_NO_MANIFEST) continue;
        if (all[i].read ? tgt_load_text(m, gf_buf_slice(&all[i].text), all[i].path, &one, err) : tgt_load(m, all[i].path, &one, err)) return -1;
        if (!*ret) {
            *ret = one;
            continue;
        }
        mdl_profile_merge(*ret, one);
        mdl_profile_free(one);
    }
    return 0;
}

/* What is there already gives way to what the files would install. */
static int load_manifests(struct mtx *m, const struct what *all, size_t n, struct mdl_profile *p, struct gf_err *err)
{
    GF_BUF_SCOPE struct gf_buf notes;
    gf_buf_init(&notes, 1u << 20);
    bool first = true;
    for (size_t i = 0; i < n; i++) {
        if (all[i].kind == JDG_NO_MANIFEST) continue;
        if (first) p->npackages = 0;
        first = false;
        if (jdg_manifest_add(m, all[i].kind, all[i].path, gf_buf_slice(&all[i].text), p, &notes, err)) return -1;
    }
    gf_slice rest = gf_buf_slice(&notes), line;
    while (gf_slice_line(&rest, &line)) out_talk("note: %.*s", GF_FMT(line));
    return 0;
}

static int judge(struct mtx *m, const struct mdl_profile *p, const struct opt_common *common, const char *about, struct gf_err *err)
{
    struct jdg_knowledge *k = NULL;
    if (cmd_open_knowledge(m, &k, err)) return -1;
    struct mdl_verdict *v = mdl_verdict_new();
    v->about = about;
    jdg_check(m, k, p, v);
    cmd_prove_fixes(m, p, common, v);
    int rc = out_verdict(m, v, err);
    mdl_verdict_free(v);
    jdg_knowledge_free(k);
    return rc;
}

/* The machine: what the texts tell, with what the options say laid over; with neither this one. */
static int open_machine(const struct opt_target *o, const struct what *all, size_t n, struct mtx **ret_m, struct tgt_target *ret, struct gf_err *err)
{
    struct mdl_profile *told = NULL;
    if (opt_open_matrix(o->matrix, ret_m, err)) return -1;
    if (load_facts(*ret_m, all, n, &told, err)) {
        mdl_profile_free(told);
        return -1;
    }
    if (told && !opt_target_given(o)) {
        *ret = (struct tgt_target){ .profile = told };
        return 0;
    }
    if (!told && !opt_target_given(o) && n) out_talk("note: judged for this machine; --gpu, --driver, --os, --target … describe another");
    if (opt_target_with(o, *ret_m, told, ret, err)) return -1;
    for (size_t i = 0; i < ret->notes.n; i++) out_talk("note: %s", ret->notes.v[i]);
    for (size_t i = 0; i < ret->profile->nconflicts; i++) out_warn("the facts contradict: %s", ret->profile->conflicts[i]);
    return 0;
}

static int run(void *opts, const struct opt_list *args, struct gf_err *err)
{
    struct options *o = opts;
    struct mtx *m = NULL;
    struct tgt_target t = { 0 };
    struct what *all = gf_xreallocarray(NULL, args->n + 1, sizeof *all);
    size_t n = 0;
    int rc = 0;
    for (; !rc && n < args->n; n++) {
        all[n] = (struct what){ .path = args->v[n] };
        rc = look_at(&all[n], err);
    }
    if (!rc) rc = open_machine(&o->target, all, n, &m, &t, err);
    if (!rc) rc = load_manifests(m, all, n, t.profile, err);
    if (!rc) rc = judge(m, t.profile, &o->common, args->n ? args->v[0] : t.profile->label ? t.profile->label : "this machine", err);
    if (t.profile) tgt_target_release(&t);
    while (n--) gf_buf_release(&all[n].text);
    free(all);
    mtx_free(m);
    return rc;
}

const struct cmd cmd_check = { "check", "check [WHAT…] [OPTIONS]", "Judge what is installed or pasted: what works, what is broken, why, and the smallest fix.", groups,
                               sizeof groups / sizeof groups[0], sizeof(struct options), run };
