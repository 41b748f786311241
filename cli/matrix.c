#include "cli/matrix.h"
#include "matrix/diff.h"

struct matrix_options {
    struct opt_common common;
    const char *matrix, *pubkey;
};

static const struct opt_row rows[] = {
    { 0, "matrix", "DIR|FILE", OPT_STR, offsetof(struct matrix_options, matrix), "use this data set instead of the one built in" },
    { 0, "pubkey", "FILE|TEXT", OPT_STR, offsetof(struct matrix_options, pubkey), "update: the minisign or PEM public key of who publishes the data" },
};
static const struct opt_group groups[] = { OPT_ROWS("Options", rows), OPT_COMMON(struct matrix_options, common) };

struct out_table *cmd_answer_table(struct cmd_answer *a, const char *key, const char *title, const char *const *columns, size_t ncolumns)
{
    struct out_table *t = GF_NEW(&a->mem, struct out_table);
    out_table_init(t, key, title, columns, ncolumns);
    gf_vec_push(&a->tables, t);
    return t;
}

const char *cmd_answer_source(struct cmd_answer *a, const char *id)
{
    for (size_t i = 0; i < a->sources.n; i++)
        if (strcmp(a->sources.v[i], id) == 0) return id;
    gf_vec_push(&a->sources, id);
    return id;
}

const char *cmd_evidence_name(enum mtx_evidence e)
{
    static const char *const names[] = { "reported", "documented", "measured", "run" };
    return names[e];
}

static void add_sources(struct cmd_answer *a)
{
    static const char *const columns[] = { "id", "title", "where", "read" };
    struct out_table *t = CMD_TABLE(a, "sources", "sources", columns);
    for (size_t i = 0; i < a->sources.n; i++) {
        const struct mtx_source *s = mtx_source(a->m, a->sources.v[i]);
        if (s) out_table_row(t, (const char *const[]){ s->id, s->title, s->where, s->date });
    }
}

static void release(struct cmd_answer *a)
{
    for (size_t i = 0; i < a->tables.n; i++) out_table_release(a->tables.v[i]);
    gf_vec_free(&a->tables);
    gf_vec_free(&a->sources);
    gf_arena_release(&a->mem);
}

static int print_answer(struct cmd_answer *a, const char *about, bool json, struct gf_err *err)
{
    GF_BUF_SCOPE struct gf_buf out;
    gf_buf_init(&out, GF_CAP_OUTPUT);
    add_sources(a);
    if (json) {
        struct gf_jw w;
        gf_jw_init(&w, &out, false);
        gf_jw_obj(&w);
        gf_jw_kstr(&w, "about", about);
        gf_jw_kstr(&w, "matrix", mtx_version(a->m));
        for (size_t i = 0; i < a->tables.n; i++) out_table_json(a->tables.v[i], &w);
        gf_jw_end_obj(&w);
        gf_buf_addc(&out, '\n');
    } else
        for (size_t i = 0; i < a->tables.n; i++) out_table_text(a->tables.v[i], &out);
    return out_result(gf_buf_slice(&out), err);
}

static int show(struct mtx *m, const struct opt_list *args, bool json, struct gf_err *err)
{
    struct cmd_answer a = { .m = m };
    if (args->n < 2 || args->n > 3) return gf_fail(err, GF_E_USAGE, "usage: gpuferry matrix show NAME [DETAIL], for example 'show torch', 'show gpu \"RTX 3090\"', 'show driver 550.54.14'");
    int rc = cmd_matrix_show(&a, args->v[1], args->n > 2 ? args->v[2] : NULL, err);
    if (!rc) rc = print_answer(&a, args->v[1], json, err);
    release(&a);
    return rc;
}

static int query(struct mtx *m, const struct opt_list *args, bool json, struct gf_err *err)
{
    struct cmd_answer a = { .m = m };
    if (args->n != 2) return gf_fail(err, GF_E_USAGE, "usage: gpuferry matrix query \"torch ==2.8.* for sm_61\", or \"… for RTX 3090, GTX 1080 with driver 550.54.14\"");
    int status = 0, rc = cmd_matrix_query(&a, args->v[1], &status, err);
    if (!rc) rc = print_answer(&a, args->v[1], json, err);
    release(&a);
    return rc ? rc : status;
}

static int lint(struct mtx *m, bool json, struct gf_err *err)
{
    GF_BUF_SCOPE struct gf_buf out;
    gf_buf_init(&out, GF_CAP_OUTPUT);
    size_t errors = 0;
    if (mtx_lint(m, &out, &errors, err)) return -1;
    if (json) {
        GF_BUF_SCOPE struct gf_buf doc;
        gf_buf_init(&doc, GF_CAP_OUTPUT);
        struct gf_jw w;
        gf_jw_init(&w, &doc, false);
        mtx_lint_json(m, errors, gf_buf_str(&out), &w);
        gf_buf_addc(&doc, '\n');
        return out_result(gf_buf_slice(&doc), err) ? -1 : errors > 0;
    }
    return out_result(gf_buf_slice(&out), err) ? -1 : errors > 0;
}

static int diff(struct mtx *m, const struct opt_list *args, bool json, struct gf_err *err)
{
    if (args->n < 2 || args->n > 3) return gf_fail(err, GF_E_USAGE, "usage: gpuferry matrix diff OLD [NEW]; NEW is the data set built in when not given");
    struct mtx *old = NULL, *new = NULL;
    GF_BUF_SCOPE struct gf_buf out;
    gf_buf_init(&out, GF_CAP_OUTPUT);
    bool differs = false;
    int rc = mtx_open(args->v[1], &old, err) || (args->n > 2 && mtx_open(args->v[2], &new, err)) ? -1 : mtx_diff(old, new ? new : m, json, &out, &differs, err);
    if (!rc) rc = out_result(gf_buf_slice(&out), err);
    mtx_free(old);
    mtx_free(new);
    return rc ? rc : differs;
}

static int update(struct mtx *m, const struct opt_list *args, const struct matrix_options *o, struct gf_err *err)
{
    if (args->n != 2) return gf_fail(err, GF_E_USAGE, "usage: gpuferry matrix update URL|FILE --pubkey KEY; the signature is expected beside it, with .minisig at the end");
    return cmd_matrix_update(m, args->v[1], o->pubkey, o->common.offline, err);
}

static int dispatch(struct mtx *m, const struct opt_list *args, const struct matrix_options *o, struct gf_err *err)
{
    bool json = o->common.json;
    const char *what = args->v[0];
    if (strcmp(what, "show") == 0) return show(m, args, json, err);
    if (strcmp(what, "query") == 0) return query(m, args, json, err);
    if (strcmp(what, "lint") == 0) return lint(m, json, err);
    if (strcmp(what, "diff") == 0) return diff(m, args, json, err);
    if (strcmp(what, "update") == 0) return update(m, args, o, err);
    return gf_fail(err, GF_E_USAGE, "'matrix %s' is not known: show, query, lint, diff and update are", what);
}

static int run(void *options, const struct opt_list *args, struct gf_err *err)
{
    const struct matrix_options *o = options;
    struct mtx *m = NULL;
    if (!args->n) return gf_fail(err, GF_E_USAGE, "what of the matrix? show NAME, query TEXT, lint, diff OLD [NEW], update URL|FILE");
    if (opt_open_matrix(o->matrix, &m, err)) return -1;
    int rc = dispatch(m, args, o, err);
    if (!rc && mtx_error(m)) *err = *mtx_error(m), rc = -1;
    mtx_free(m);
    return rc;
}

const struct cmd cmd_matrix = { "matrix", "matrix show NAME | query TEXT | lint | diff OLD [NEW] | update URL|FILE", "the compatibility facts, each with its source", groups, sizeof groups / sizeof groups[0],
                                sizeof(struct matrix_options), run };
