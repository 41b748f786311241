#include "bundler/bundle.h"
#include "cli/command.h"

struct options {
    struct opt_common common;
    const char *pubkey;
};
static const struct opt_row rows[] = {
    { 0, "pubkey", "FILE|TEXT", OPT_STR, offsetof(struct options, pubkey), "check the signature with this minisign or PEM public key, one you had before the bundle" },
};
static const struct opt_group groups[] = { OPT_ROWS("Options", rows), OPT_COMMON(struct options, common) };

static void progress(void *arg, uint64_t done, uint64_t total)
{
    struct out_progress *p = arg;
    p->total = total;
    out_progress_set(p, done);
}

static void write_text(struct gf_buf *text, const char *path, const struct bnd_report *r)
{
    char size[24];
    out_bytes(r->bytes, size);
    for (size_t i = 0; i < r->nproblems; i++) gf_buf_addf(text, "%s: %s\n", bnd_problem_name(r->problems[i].kind), r->problems[i].text);
    if (r->nproblems) {
        gf_buf_addf(text, "%s: damaged, %zu problem%s in %llu files\n", path, r->nproblems, r->nproblems == 1 ? "" : "s", (unsigned long long)r->files);
        return;
    }
    gf_buf_addf(text, "%s: whole, %llu files, %s, signature %s\n", path, (unsigned long long)r->files, size, bnd_signature_name(r->signature));
    if (r->ntargets) gf_buf_addf(text, "serves %zu targets:", r->ntargets);
    for (size_t i = 0; i < r->ntargets; i++) gf_buf_addf(text, "%s %s%s", i ? "," : "", r->targets[i], i + 1 == r->ntargets ? "\n" : "");
    if (r->signed_comment) gf_buf_addf(text, "signed: %s\n", r->signed_comment);
}

static int run(void *opts, const struct opt_list *args, struct gf_err *err)
{
    const struct options *o = opts;
    if (args->n != 1) return gf_fail(err, GF_E_USAGE, "name one bundle: a tar, or the folder it was unpacked into");
    struct out_progress bar;
    struct bnd_progress p = { progress, &bar };
    struct bnd_report report;
    out_progress_begin(&bar, "verify", 0, true);
    int rc = bnd_verify(args->v[0], o->pubkey, &p, &report, err);
    out_progress_end(&bar);
    if (rc) return -1;
    GF_BUF_SCOPE struct gf_buf text;
    gf_buf_init(&text, GF_CAP_OUTPUT);
    if (out_json()) {
        struct gf_jw w;
        gf_jw_init(&w, &text, false);
        bnd_report_write(&report, args->v[0], &w);
    } else write_text(&text, args->v[0], &report);
    bool whole = report.nproblems == 0;
    bnd_report_release(&report);
    if (out_result(gf_buf_slice(&text), err)) return -1;
    return whole ? 0 : gf_exit_status(GF_E_INTEGRITY);
}

const struct cmd cmd_verify = { "verify", "verify BUNDLE", "Check that a bundle is whole: every digest, nothing missing, nothing besides, the signature.",
                                groups, sizeof groups / sizeof groups[0], sizeof(struct options), run };
