#include "cli/judgement.h"
#include "base/vec.h"

int cmd_open_knowledge(struct mtx *m, struct jdg_knowledge **ret, struct gf_err *err)
{
    GF_VEC(struct jdg_table) tables = { 0 };
    gf_slice path, text;
    for (size_t i = 0; mtx_file_at(m, i, &path, &text); i++)
        if (gf_slice_starts(path, GF_S("doctor/"))) gf_vec_push(&tables, (struct jdg_table){ gf_xstrndup(path), text });
    int rc = jdg_knowledge_new(tables.v, tables.n, ret, err);
    for (size_t i = 0; i < tables.n; i++) free((void *)(uintptr_t)tables.v[i].label);
    gf_vec_free(&tables);
    return rc;
}

static void add_list(struct gf_buf *text, const char *head, const struct mdl_strings *list)
{
    for (size_t i = 0; i < list->n; i++) gf_buf_addf(text, "  %s%s\n", head, list->v[i]);
}

static void add_sources(struct mtx *m, struct gf_buf *text, const struct mdl_strings *list)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct mtx_source *s = mtx_source(m, list->v[i]);
        gf_buf_addf(text, "  source: %s%s%s%s\n", s ? s->title : list->v[i], s && s->where ? " (" : "", s && s->where ? s->where : "", s && s->where ? ")" : "");
    }
}

static void add_finding(struct mtx *m, struct gf_buf *text, const struct mdl_finding *f)
{
    enum out_color c = f->level == MDL_ERROR ? OUT_RED : f->level == MDL_WARNING ? OUT_YELLOW : OUT_DIM;
    gf_buf_addf(text, "\n%s%s%s  %s  %s%s%s  (%s%s%s)\n", out_color(c), mdl_level_name(f->level), out_color(OUT_RESET), f->rule, out_color(OUT_BOLD), f->about ? f->about : "",
                out_color(OUT_RESET), mdl_kind_name(f->kind), f->confidence && strcmp(f->confidence, "high") != 0 ? ", confidence " : "",
                f->confidence && strcmp(f->confidence, "high") != 0 ? f->confidence : "");
    gf_buf_addf(text, "  %s\n", f->cause);
    add_list(text, "fact: ", &f->facts);
    add_list(text, "look at: ", &f->next);
    if (f->fix_text) gf_buf_addf(text, "  fix: %s%s\n", f->fix_text, f->fix_proven ? " [planned: it works]" : "");
    add_list(text, "  $ ", &f->fix_commands);
    add_sources(m, text, &f->sources);
}

void out_verdict_text(struct mtx *m, const struct mdl_verdict *v, struct gf_buf *text)
{
    enum out_color c = v->outcome == MDL_WORKS ? OUT_GREEN : v->outcome == MDL_BROKEN ? OUT_RED : OUT_YELLOW;
    gf_buf_addf(text, "%s%s%s%s%s\n", v->about ? v->about : "", v->about ? ": " : "", out_color(c), mdl_outcome_name(v->outcome), out_color(OUT_RESET));
    for (size_t i = 0; i < v->nfindings; i++) add_finding(m, text, &v->findings[i]);
    if (!v->missing_facts.n) return;
    gf_buf_addf(text, "\n%s:\n", v->outcome == MDL_UNDECIDED ? "facts that would decide it" : "not known");
    add_list(text, "", &v->missing_facts);
}

int out_verdict(struct mtx *m, const struct mdl_verdict *v, struct gf_err *err)
{
    GF_BUF_SCOPE struct gf_buf text;
    gf_buf_init(&text, GF_CAP_OUTPUT);
    if (out_json()) {
        struct gf_jw w;
        gf_jw_init(&w, &text, false);
        mdl_verdict_write(v, &w);
    } else out_verdict_text(m, v, &text);
    if (out_result(gf_buf_slice(&text), err)) return -1;
    return mdl_verdict_exit(v);
}
