/* Reading data/doctor: { "messages": [ rows ] }, strictly. doc/doctor.md tells the keys. */
#include "judge/knowledge.h"
#include "base/vec.h"
#include <stdio.h>
#include <stdlib.h>

struct loading {
    struct jdg_knowledge *k;
    const char *label;
    size_t index;
    GF_VEC(struct jdg_row) rows;
    GF_VEC(const struct jdg_pattern *) patterns;
    GF_VEC(uint32_t) row_of;
};

static int bad(const struct loading *l, const char *key, struct gf_err *err, const char *expected)
{
    return gf_fail(err, GF_E_PARSE, "%s: /messages/%zu/%s: expected %s", l->label, l->index, key, expected);
}

static int text(struct loading *l, const gf_json *v, const char *key, const char **ret, struct gf_err *err)
{
    if (!gf_json_cstr(v)) return bad(l, key, err, "a text");
    *ret = gf_arena_strz(&l->k->mem, gf_json_cstr(v));
    return 0;
}

static int texts(struct loading *l, const gf_json *v, const char *key, struct mdl_strings *ret, struct gf_err *err)
{
    if (gf_json_type(v) != GF_JSON_ARRAY) return bad(l, key, err, "an array of texts");
    const char **list = GF_NEW_ARRAY(&l->k->mem, const char *, gf_json_count(v) + 1);
    size_t n = 0;
    for (const gf_json *c = gf_json_first(v); c; c = gf_json_next(c))
        if (text(l, c, key, &list[n++], err)) return -1;
    *ret = (struct mdl_strings){ list, n };
    return 0;
}

static int word(struct loading *l, const gf_json *v, const char *key, const char *const *words, size_t n, size_t *ret, struct gf_err *err)
{
    for (size_t i = 0; i < n; i++)
        if (gf_json_cstr(v) && strcmp(gf_json_cstr(v), words[i]) == 0) return *ret = i, 0;
    return bad(l, key, err, "one of the words that doc/doctor.md lists");
}

static int read_fix(struct loading *l, const gf_json *v, struct jdg_meaning *m, struct gf_err *err)
{
    for (const gf_json *c = gf_json_first(v); c; c = gf_json_next(c)) {
        const char *key = gf_json_key(c);
        int rc = strcmp(key, "text") == 0 ? text(l, c, "fix/text", &m->fix_text, err)
                 : strcmp(key, "commands") == 0 ? texts(l, c, "fix/commands", &m->fix_commands, err)
                                                : bad(l, "fix", err, "the keys text and commands");
        if (rc) return -1;
    }
    return gf_json_type(v) == GF_JSON_OBJECT ? 0 : bad(l, "fix", err, "an object");
}

static int read_when(struct loading *l, const gf_json *v, struct jdg_meaning *m, struct gf_err *err)
{
    if (!gf_json_cstr(v)) return bad(l, "if", err, "a condition");
    if (py_marker_parse(&l->k->mem, gf_json_str(v), PY_MARKER_FACTS, &m->when, err)) return gf_wrap(err, "%s: /messages/%zu/if", l->label, l->index);
    return 0;
}

/* The keys that a row and its cases share. 1: it is none of them. */
static int read_meaning(struct loading *l, const gf_json *c, struct jdg_meaning *m, struct gf_err *err)
{
    static const char *const kinds[] = { "incompatible", "misconfigured", "unavailable", "broken_host", "slow", "false_alarm", "info" };
    static const char *const sures[] = { "high", "medium", "low" };
    const char *key = gf_json_key(c);
    size_t i = 0;
    bool yes;
    if (strcmp(key, "rule") == 0) return text(l, c, key, &m->rule, err);
    if (strcmp(key, "cause") == 0) return text(l, c, key, &m->cause, err);
    if (strcmp(key, "next") == 0) return texts(l, c, key, &m->next, err);
    if (strcmp(key, "fix") == 0) return read_fix(l, c, m, err);
    if (strcmp(key, "sure") == 0) return word(l, c, key, sures, 3, &i, err) ? -1 : (m->sure = sures[i], 0);
    if (strcmp(key, "kind") == 0) {
        if (word(l, c, key, kinds, 7, &i, err)) return -1;
        m->kind = (enum mdl_kind)i;
        m->harmless = m->kind == MDL_FALSE_ALARM;
        return 0;
    }
    if (strcmp(key, "proves") == 0) return gf_json_bool(c, &yes) ? (m->proves = yes ? PY_YES : PY_NO, 0) : bad(l, key, err, "true or false");
    return 1;
}

static int read_cases(struct loading *l, const gf_json *v, struct jdg_row *row, struct gf_err *err)
{
    struct jdg_meaning *list = GF_NEW_ARRAY(&l->k->mem, struct jdg_meaning, gf_json_count(v) + 1);
    if (gf_json_type(v) != GF_JSON_ARRAY) return bad(l, "cases", err, "an array");
    for (const gf_json *c = gf_json_first(v); c; c = gf_json_next(c)) {
        struct jdg_meaning *m = &list[row->ncases++];
        *m = row->meaning;
        for (const gf_json *member = gf_json_first(c); member; member = gf_json_next(member)) {
            int rc = strcmp(gf_json_key(member), "if") == 0 ? read_when(l, member, m, err) : read_meaning(l, member, m, err);
            if (rc) return rc > 0 ? bad(l, "cases", err, "if, rule, kind, cause, sure, proves, next and fix only") : -1;
        }
        if (!m->when) return bad(l, "cases", err, "an \"if\" in each case");
    }
    row->cases = list;
    return 0;
}

static int read_match(struct loading *l, const gf_json *v, struct gf_err *err)
{
    struct mdl_strings list = { 0 };
    if (texts(l, v, "match", &list, err)) return -1;
    if (!list.n) return bad(l, "match", err, "at least one pattern");
    for (size_t i = 0; i < list.n; i++) {
        struct jdg_pattern *p = GF_NEW(&l->k->mem, struct jdg_pattern);
        if (jdg_pattern_compile(&l->k->mem, gf_slice_of(list.v[i]), p, err)) return gf_wrap(err, "%s: /messages/%zu/match/%zu", l->label, l->index, i);
        gf_vec_push(&l->patterns, p);
        gf_vec_push(&l->row_of, (uint32_t)l->rows.n);
    }
    return 0;
}

static int read_row_key(struct loading *l, const gf_json *c, struct jdg_row *row, struct gf_err *err)
{
    const char *key = gf_json_key(c);
    const char *evidence = NULL;
    if (strcmp(key, "id") == 0) return text(l, c, key, &row->id, err);
    if (strcmp(key, "source") == 0) return text(l, c, key, &row->source, err);
    if (strcmp(key, "evidence") == 0) return text(l, c, key, &evidence, err);
    if (strcmp(key, "match") == 0) return read_match(l, c, err);
    if (strcmp(key, "explained_by") == 0) return texts(l, c, key, &row->explained_by, err);
    if (strcmp(key, "symptom") == 0) return gf_json_bool(c, &row->symptom) ? 0 : bad(l, key, err, "true or false");
    if (strcmp(key, "cases") == 0) return 0;
    int rc = read_meaning(l, c, &row->meaning, err);
    return rc > 0 ? bad(l, key, err, "a key that doc/doctor.md lists") : rc;
}

static int read_row(struct loading *l, const gf_json *v, struct gf_err *err)
{
    struct jdg_row row = { .meaning = { .sure = "medium", .kind = MDL_INFO } };
    size_t patterns = l->patterns.n;
    if (gf_json_type(v) != GF_JSON_OBJECT) return bad(l, "", err, "an object");
    for (const gf_json *c = gf_json_first(v); c; c = gf_json_next(c))
        if (read_row_key(l, c, &row, err)) return -1;
    if (!row.id || !row.meaning.rule || !row.meaning.cause || !row.source || l->patterns.n == patterns) return bad(l, "", err, "id, match, rule, cause and source");
    for (size_t i = 0; i < l->rows.n; i++)
        if (strcmp(l->rows.v[i].id, row.id) == 0) return bad(l, "id", err, "an id that no other row has");
    const gf_json *cases = gf_json_get(v, "cases");
    if (cases && read_cases(l, cases, &row, err)) return -1;
    gf_vec_push(&l->rows, row);
    return 0;
}

static int read_table(struct loading *l, const struct jdg_table *t, struct gf_err *err)
{
    GF_JSON_SCOPE struct gf_json_doc *doc = NULL;
    l->label = t->label;
    l->index = 0;
    if (gf_json_parse(t->text, t->label, &doc, err)) return -1;
    const gf_json *list = gf_json_get(gf_json_root(doc), "messages");
    if (gf_json_type(list) != GF_JSON_ARRAY || gf_json_count(gf_json_root(doc)) != 1) return gf_fail(err, GF_E_PARSE, "%s: expected one array \"messages\"", t->label);
    for (const gf_json *c = gf_json_first(list); c; c = gf_json_next(c), l->index++)
        if (read_row(l, c, err)) return -1;
    return 0;
}

static void finish(struct loading *l)
{
    struct jdg_knowledge *k = l->k;
    k->nrows = l->rows.n;
    k->npatterns = l->patterns.n;
    k->rows = gf_arena_memdup(&k->mem, l->rows.v, l->rows.n * sizeof *l->rows.v);
    k->patterns = gf_arena_memdup(&k->mem, l->patterns.v, l->patterns.n * sizeof *l->patterns.v);
    k->row_of = gf_arena_memdup(&k->mem, l->row_of.v, l->row_of.n * sizeof *l->row_of.v);
    k->scan = jdg_scan_new(k->patterns, k->npatterns);
}

int jdg_knowledge_new(const struct jdg_table *tables, size_t n, struct jdg_knowledge **ret, struct gf_err *err)
{
    struct loading l = { .k = gf_xcalloc(1, sizeof *l.k) };
    int rc = 0;
    gf_arena_init(&l.k->mem);
    for (size_t i = 0; i < n && !rc; i++) rc = read_table(&l, &tables[i], err);
    if (!rc) finish(&l);
    else jdg_knowledge_free(l.k);
    gf_vec_free(&l.rows);
    gf_vec_free(&l.patterns);
    gf_vec_free(&l.row_of);
    if (!rc) *ret = l.k;
    return rc;
}

void jdg_knowledge_free(struct jdg_knowledge *k)
{
    if (!k) return;
    jdg_scan_free(k->scan);
    gf_arena_release(&k->mem);
    free(k);
}

size_t jdg_knowledge_count(const struct jdg_knowledge *k) { return k->nrows; }
