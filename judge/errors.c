/* Messages combined with facts: what a message means on this machine, whether the facts explain it, and which cause is the most likely. */
#include "judge/facts.h"
#include "judge/knowledge.h"
#include <stdlib.h>

bool jdg_has_error(const struct jdg *j, const char *row)
{
    if (!j->errors) return false;
    for JDG_HITS(j->errors, hit)
        if (strcmp(hit->row->id, row) == 0) return true;
    return false;
}

bool jdg_no_file(const struct jdg *j)
{
    return jdg_has_error(j, "no-matching") || jdg_has_error(j, "no-file-fits") || jdg_has_error(j, "requires-python") || jdg_has_error(j, "http-404");
}

/* The first case whose facts hold, else the row itself. */
static const struct jdg_meaning *meaning_of(struct jdg *j, const struct jdg_hit *hit)
{
    for (size_t i = 0; i < hit->row->ncases; i++)
        if (jdg_eval(j, hit->row->cases[i].when, &hit->caps) == PY_YES) return &hit->row->cases[i];
    return &hit->row->meaning;
}

static bool explains(const struct jdg_row *row, const struct jdg_meaning *m, const char *rule)
{
    if (strcmp(rule, m->rule) == 0 || strcmp(rule, row->meaning.rule) == 0) return true;
    for (size_t i = 0; i < row->explained_by.n; i++)
        if (strcmp(row->explained_by.v[i], rule) == 0) return true;
    return false;
}

static struct mdl_finding *explanation(struct jdg *j, const struct jdg_row *row, const struct jdg_meaning *m)
{
    for (size_t i = 0; i < j->v->nfindings; i++) {
        struct mdl_finding *f = &j->v->findings[i];
        if (f->level == MDL_ERROR && explains(row, m, f->rule)) return f;
    }
    return NULL;
}

/* "{have}" in a text of the data becomes the word of the message, or the fact of that name. */
static const char *fill(struct jdg *j, const char *text, const struct jdg_captures *caps)
{
    gf_slice rest = gf_slice_of(text), head, name;
    if (!text || !strchr(text, '{')) return text;
    struct gf_buf out;
    gf_buf_init(&out, 1u << 16);
    while (gf_slice_cut(&rest, '{', &head)) {
        gf_buf_addsl(&out, head);
        gf_slice after = rest;
        if (!gf_slice_cut(&after, '}', &name)) break;
        const char *value = jdg_variable(j, gf_arena_str(j->a, name), caps);
        gf_buf_adds(&out, value ? value : "?");
        rest = after;
    }
    gf_buf_addsl(&out, rest);
    const char *filled = gf_arena_strz(j->a, gf_buf_str(&out));
    gf_buf_release(&out);
    return filled;
}

static struct mdl_strings fill_all(struct jdg *j, struct mdl_strings list, const struct jdg_captures *caps)
{
    struct mdl_strings out = { 0 };
    for (size_t i = 0; i < list.n; i++) jdg_add_string(j, &out, fill(j, list.v[i], caps));
    return out;
}

static void quote(struct jdg *j, struct mdl_finding *f, const struct jdg_hit *hit)
{
    if (hit->count > 1) jdg_fact(j, f, "line %llu (and %llu like it): %s", (unsigned long long)hit->line_number, (unsigned long long)(hit->count - 1), hit->line);
    else jdg_fact(j, f, "line %llu: %s", (unsigned long long)hit->line_number, hit->line);
}

static void add_meaning(struct jdg *j, const struct jdg_hit *hit, const struct jdg_meaning *m, enum mdl_level level)
{
    const char *rule = gf_arena_strz(j->a, m->rule);
    struct mdl_finding *f = jdg_find(j, level, m->kind, rule, "message", "%s", fill(j, m->cause, &hit->caps));
    f->confidence = m->sure;
    f->next = fill_all(j, m->next, &hit->caps);
    f->fix_text = fill(j, m->fix_text, &hit->caps);
    f->fix_commands = fill_all(j, m->fix_commands, &hit->caps);
    quote(j, f, hit);
    jdg_source(j, f, hit->row->source);
}

static void miss_all(struct jdg *j, const struct jdg_meaning *m, const struct jdg_captures *caps)
{
    j->v->undecided = true;
    for (size_t i = 0; i < m->next.n; i++) mdl_verdict_miss(j->v, fill(j, m->next.v[i], caps));
}

static bool any_error(const struct jdg *j)
{
    for (size_t i = 0; i < j->v->nfindings; i++)
        if (j->v->findings[i].level == MDL_ERROR) return true;
    return false;
}

/* Messages that prove come before those that only hint: what they prove may explain the others. */
static void judge_hits(struct jdg *j, bool proving)
{
    for JDG_HITS(j->errors, hit) {
        const struct jdg_meaning *m = meaning_of(j, hit);
        if ((m->proves == PY_YES) != proving) continue;
        struct mdl_finding *f = explanation(j, hit->row, m);
        if (f) quote(j, f, hit);
        else if (m->harmless) add_meaning(j, hit, m, MDL_NOTE);
        else if (proving) add_meaning(j, hit, m, MDL_ERROR);
        else if (!any_error(j)) {
            add_meaning(j, hit, m, MDL_WARNING);
            miss_all(j, m, &hit->caps);
        }
    }
}

void jdg_link_errors(struct jdg *j, const struct jdg_knowledge *k)
{
    if (!j->p->nerrors) return;
    if (!k || !j->errors) {
        jdg_undecided(j, "what the error lines mean");
        return;
    }
    judge_hits(j, true);
    judge_hits(j, false);
    if (j->errors->matched_lines < j->errors->lines && !any_error(j)) jdg_undecided(j, "what the error line means that no message of the data matches");
}

/* ---- doctor ---- */

struct ranked { const struct jdg_hit *hit; const struct jdg_meaning *m; bool by_case; unsigned long score; };

static unsigned long score_of(struct jdg *j, const struct jdg_hit *hit, const struct jdg_meaning *m, bool by_case)
{
    unsigned long score = strcmp(m->sure, "high") == 0 ? 300 : strcmp(m->sure, "medium") == 0 ? 200 : 100;
    if (m->proves == PY_YES) score += 150;
    if (by_case) score += 100;
    if (hit->row->symptom) score = score > 150 ? score - 150 : 0;
    if (m->harmless) score = score > 250 ? score - 250 : 0;
    if (explanation(j, hit->row, m)) score += 1000;
    return score + (hit->weight > 90 ? 90 : hit->weight);
}

static int by_score(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->score != y->score) return x->score < y->score ? 1 : -1;
    return x->hit->line_number < y->hit->line_number ? -1 : x->hit->line_number > y->hit->line_number;
}

/* The facts' own findings, moved into a list of their own: rule findings of a profile are told beside what the message means. */
static struct mdl_finding *take_findings(struct jdg *j, size_t *ret_n)
{
    size_t n = 0;
    struct mdl_finding *list = GF_NEW_ARRAY(j->a, struct mdl_finding, j->v->nfindings + 1);
    for (size_t i = 0; i < j->v->nfindings; i++)
        if (j->v->findings[i].level == MDL_ERROR) list[n++] = j->v->findings[i];
    j->v->nfindings = 0;
    *ret_n = n;
    return list;
}

static void tell(struct jdg *j, const struct ranked *r, struct mdl_finding *facts, size_t nfacts, bool *told)
{
    for (size_t i = 0; i < nfacts; i++) {
        if (!explains(r->hit->row, r->m, facts[i].rule)) continue;
        struct mdl_finding *f = told[i] ? NULL : mdl_verdict_add(j->v, facts[i]);
        told[i] = true;
        if (f) quote(j, f, r->hit);
        return;
    }
    add_meaning(j, r->hit, r->m, r->m->harmless ? MDL_NOTE : r->m->proves == PY_YES || strcmp(r->m->sure, "low") != 0 ? MDL_ERROR : MDL_WARNING);
}

static void tell_in_order(struct jdg *j, struct ranked *list, size_t n)
{
    size_t nfacts, i = 0;
    struct mdl_finding *facts = take_findings(j, &nfacts);
    bool *told = GF_NEW_ARRAY(j->a, bool, nfacts + 1);
    for (; i < n && (list[i].score >= 1000 || list[i].m->proves == PY_YES); i++) tell(j, &list[i], facts, nfacts, told);
    for (size_t f = 0; f < nfacts; f++)
        if (!told[f]) mdl_verdict_add(j->v, facts[f]);
    for (size_t f = 0; f < nfacts; f++) told[f] = true;
    for (; i < n; i++) tell(j, &list[i], facts, nfacts, told);
}

void jdg_diagnose(struct mtx *m, const struct jdg_knowledge *k, const struct jdg_reading *r, const struct mdl_profile *p, struct mdl_verdict *v)
{
    struct mdl_profile *none = p ? NULL : mdl_profile_new();
    struct jdg j;
    jdg_open(&j, m, p ? p : none, v);
    j.errors = r;
    j.os_unknown = !p || !(p->os_id || p->kernel || p->libc_name || p->wsl == PY_YES || p->npackages);
    if (p) jdg_links(&j);
    v->undecided = false;
    v->missing_facts = (struct mdl_strings){ 0 };
    struct ranked *list = GF_NEW_ARRAY(j.a, struct ranked, k->nrows + 1);
    size_t n = 0;
    for JDG_HITS(r, hit) {
        const struct jdg_meaning *meaning = meaning_of(&j, hit);
        bool by_case = meaning != &hit->row->meaning;
        list[n++] = (struct ranked){ hit, meaning, by_case, score_of(&j, hit, meaning, by_case) };
    }
    qsort(list, n, sizeof *list, by_score);
    tell_in_order(&j, list, n);
    if (!v->nfindings) jdg_undecided(&j, r->lines ? "a message that the data knows" : "a text");
    jdg_close(&j);
    mdl_profile_free(none);
    mdl_verdict_settle(v);
}
