/* matrix query "torch ==2.8.* for sm_61, RTX 3090 with driver 550.54.14": which builds of it run there. */
#include "cli/matrix.h"
#include "python/requirement.h"

enum { MAX_GPUS = 16 };
struct question {
    struct py_req req;
    struct { const char *name; unsigned major, minor; } gpus[MAX_GPUS];
    size_t ngpus;
    gf_slice driver; /* GF_NONE: not said */
};

static gf_slice cut_at(gf_slice *s, gf_slice word)
{
    ptrdiff_t at = gf_slice_ifind(*s, word);
    if (at < 0) return GF_NONE;
    gf_slice rest = gf_slice_trim(gf_slice_from(*s, (size_t)at + word.n));
    *s = gf_slice_sub(*s, 0, (size_t)at);
    return rest;
}

static int add_gpu(struct cmd_answer *a, struct question *q, gf_slice text, struct gf_err *err)
{
    const struct mtx_gpu *g[64];
    unsigned major, minor;
    if (q->ngpus == MAX_GPUS) return gf_fail(err, GF_E_USAGE, "at most %d GPUs in one question", MAX_GPUS);
    if (!mtx_cc_parse(text, &major, &minor)) {
        const struct mtx_gpu *one = mtx_gpu_by_pci(a->m, text);
        size_t n = one ? 1 : mtx_gpu_by_name(a->m, text, g, 64);
        if (one) g[0] = one;
        if (!n) return gf_fail(err, GF_E_USAGE, "no GPU '%.*s' is in the data; give a name, sm_XY or a PCI id", GF_FMT(text));
        for (size_t i = 1; i < n; i++)
            if (!g[i]->cc || !g[0]->cc || strcmp(g[i]->cc, g[0]->cc))
                return gf_fail(err, GF_E_USAGE, "'%.*s' means products of several capabilities (%s %s, %s %s): give the PCI id", GF_FMT(text), g[0]->pci ? g[0]->pci : g[0]->name,
                               g[0]->cc ? g[0]->cc : g[0]->gfx, g[i]->pci ? g[i]->pci : g[i]->name, g[i]->cc ? g[i]->cc : g[i]->gfx);
        if (!g[0]->cc || !mtx_cc_parse(gf_slice_of(g[0]->cc), &major, &minor)) return gf_fail(err, GF_E_USAGE, "'%.*s' has no CUDA capability", GF_FMT(text));
    }
    q->gpus[q->ngpus].name = gf_arena_str(&a->mem, text);
    q->gpus[q->ngpus].major = major;
    q->gpus[q->ngpus++].minor = minor;
    return 0;
}

static int read_question(struct cmd_answer *a, const char *text, struct question *q, struct gf_err *err)
{
    gf_slice s = gf_slice_trim(gf_slice_of(text)), field;
    q->driver = cut_at(&s, GF_S(" with driver "));
    if (!q->driver.p) q->driver = cut_at(&s, GF_S(" driver "));
    gf_slice gpus = cut_at(&s, GF_S(" for "));
    if (py_req_parse(&a->mem, gf_slice_trim(s), true, &q->req, err)) return err ? err->code = GF_E_USAGE, -1 : -1;
    while (gpus.n && gf_slice_field(&gpus, ',', &field))
        if (add_gpu(a, q, gf_slice_trim(field), err)) return -1;
    return 0;
}

static const char *tri_name(enum py_tri t) { return t == PY_YES ? "yes" : t == PY_NO ? "no" : "unknown"; }

/* All GPUs and the driver against one build; why: of the first that does not do, else what is to know. */
static enum py_tri judge(struct cmd_answer *a, const struct question *q, const struct mtx_build *b, const char **ret_why)
{
    enum py_tri all = PY_YES;
    const char *os = b->platform && strcmp(b->platform, "windows") == 0 ? "windows" : "linux";
    const char *cuda = q->driver.n ? mtx_driver_cuda(a->m, os, q->driver) : NULL;
    *ret_why = NULL;
    for (size_t i = 0; i < q->ngpus; i++) {
        struct mtx_coverage c = mtx_covers(a->m, b->carries, q->gpus[i].major, q->gpus[i].minor, gf_slice_of(cuda));
        if ((c.runs != PY_YES && all == PY_YES) || (c.runs == PY_NO && all != PY_NO) || !*ret_why) *ret_why = c.why;
        all = py_and(all, c.runs);
        if (!q->driver.n) continue;
        struct mtx_answer s = mtx_driver_serves_gpu(a->m, os, q->driver, q->gpus[i].major, q->gpus[i].minor);
        if (s.value != PY_YES && all != PY_NO) *ret_why = s.why;
        all = py_and(all, s.value);
    }
    if (q->driver.n && b->cuda) {
        struct mtx_answer d = mtx_driver_runs_cuda(a->m, os, q->driver, gf_slice_of(b->cuda));
        if (d.value != PY_YES && all != PY_NO) *ret_why = d.why;
        all = py_and(all, d.value);
    }
    return all;
}

int cmd_matrix_query(struct cmd_answer *a, const char *text, int *ret_status, struct gf_err *err)
{
    static const char *const columns[] = { "version", "variant", "index", "platform", "cuda", "driver_from", "gpu_code", "runs", "why", "evidence", "source" };
    struct question q = { .driver = GF_NONE };
    if (read_question(a, text, &q, err)) return -1;
    const struct mtx_build *const *v;
    size_t n = mtx_builds(a->m, q.req.name, &v), hits = 0;
    if (!n) return gf_fail(err, GF_E_NO, "no build of '%s' is in the data", q.req.name);
    struct out_table *t = CMD_TABLE(a, "builds", text, columns);
    enum py_tri best = PY_NO;
    for (size_t i = 0; i < n; i++) {
        struct py_version version;
        if (!py_version_parse(&a->mem, gf_slice_of(v[i]->version), &version) || !py_specset_contains(&q.req.specs, &version)) continue;
        const char *why;
        enum py_tri runs = judge(a, &q, v[i], &why);
        const struct mtx_cuda_floor *f = v[i]->cuda ? mtx_cuda_floor(a->m, gf_slice_of(v[i]->cuda)) : NULL;
        bool windows = v[i]->platform && strcmp(v[i]->platform, "windows") == 0;
        best = py_or(best, runs);
        hits++;
        out_table_row(t, (const char *const[]){ v[i]->version, v[i]->variant, v[i]->index, v[i]->platform, v[i]->cuda, !f ? NULL : windows ? f->windows_driver : f->linux_driver,
                                                cmd_targets_text(a, v[i]->carries), q.ngpus || q.driver.n ? tri_name(runs) : NULL, why, cmd_evidence_name(v[i]->evidence),
                                                cmd_answer_source(a, v[i]->source) });
    }
    if (!hits) return gf_fail(err, GF_E_NO, "no build of %s in that range is in the data; the newest there is %s", q.req.name, v[0]->version);
    *ret_status = !q.ngpus && !q.driver.n ? 0 : best == PY_YES ? 0 : best == PY_NO ? 1 : 3;
    return 0;
}
