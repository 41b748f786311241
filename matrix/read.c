/* Strict reading: a row is an object whose keys a table lists; anything else is an error with file and JSON pointer. */
#include "matrix/table.h"

int mtx_bad(const struct mtx_at *at, const char *key, struct gf_err *err, const char *fmt, ...)
{
    GF_BUF_SCOPE struct gf_buf b;
    gf_buf_init(&b, GF_CAP_ERROR);
    va_list ap;
    va_start(ap, fmt);
    gf_buf_vaddf(&b, fmt, ap);
    va_end(ap);
    return gf_fail(err, GF_E_PARSE, "data file %s: /%s/%zu%s%s: %s", at->file, at->table, at->row, key ? "/" : "", key ? key : "", gf_buf_str(&b));
}

static int strings(struct mtx *m, const struct mtx_at *at, const char *key, const gf_json *v, struct mtx_strs *ret, struct gf_err *err)
{
    if (gf_json_type(v) != GF_JSON_ARRAY) return mtx_bad(at, key, err, "expected an array of strings, found %s", gf_json_type_name(v));
    size_t n = gf_json_count(v), i = 0;
    const char **s = GF_NEW_ARRAY(&m->mem, const char *, n + 1);
    for (const gf_json *c = gf_json_first(v); c; c = gf_json_next(c))
        if (!(s[i++] = gf_json_cstr(c))) return mtx_bad(at, key, err, "expected an array of strings, item %zu is %s", i - 1, gf_json_type_name(c));
    *ret = (struct mtx_strs){ s, n };
    return 0;
}

static int evidence(const struct mtx_at *at, const gf_json *v, enum mtx_evidence *ret, struct gf_err *err)
{
    static const char *const names[] = { "reported", "documented", "measured", "run" };
    gf_slice s = gf_json_str(v);
    for (unsigned i = 0; i < 4; i++)
        if (gf_slice_is(s, names[i])) return *ret = (enum mtx_evidence)i, 0;
    return mtx_bad(at, "evidence", err, "expected reported, documented, measured or run");
}

static int field(struct mtx *m, const struct mtx_at *at, const struct mtx_key *k, const gf_json *v, void *row, struct gf_err *err)
{
    char *p = (char *)row + k->off;
    switch (k->kind) {
    case MTX_STR:
        if (!(*(const char **)(void *)p = gf_json_cstr(v))) return mtx_bad(at, k->name, err, "expected a string, found %s", gf_json_type_name(v));
        return 0;
    case MTX_INT:
        if (!gf_json_int(v, (int64_t *)(void *)p)) return mtx_bad(at, k->name, err, "expected a whole number, found %s", gf_json_type_name(v));
        return 0;
    case MTX_BOOL:
        if (!gf_json_bool(v, (bool *)(void *)p)) return mtx_bad(at, k->name, err, "expected true or false, found %s", gf_json_type_name(v));
        return 0;
    case MTX_STRS: return strings(m, at, k->name, v, (struct mtx_strs *)(void *)p, err);
    case MTX_JSON: *(const gf_json **)(void *)p = v; return 0;
    case MTX_EVIDENCE: return evidence(at, v, (enum mtx_evidence *)(void *)p, err);
    }
    return 0;
}

static int known_source(struct mtx *m, const struct mtx_at *at, const char *id, struct gf_err *err)
{
    if (!m->strict || mtx_source(m, id)) return 0;
    return mtx_bad(at, "source", err, "'%s' is not in sources.json: add it there with title, where and date", id);
}

int mtx_read_row(struct mtx *m, const struct mtx_at *at, const gf_json *obj, const struct mtx_key *keys, size_t nkeys, void *row, struct gf_err *err)
{
    if (gf_json_type(obj) != GF_JSON_OBJECT) return mtx_bad(at, NULL, err, "expected an object, found %s", gf_json_type_name(obj));
    uint64_t seen = 0;
    for (const gf_json *c = gf_json_first(obj); c; c = gf_json_next(c)) {
        const char *name = gf_json_key(c);
        size_t i = 0;
        while (i < nkeys && strcmp(keys[i].name, name)) i++;
        if (i == nkeys) return mtx_bad(at, name, err, "unknown key; the keys of this table are in data/schema/");
        if (field(m, at, &keys[i], c, row, err)) return -1;
        if (strcmp(name, "source") == 0 && known_source(m, at, gf_json_cstr(c), err)) return -1;
        seen |= UINT64_C(1) << i;
    }
    for (size_t i = 0; i < nkeys; i++)
        if (keys[i].needed && !(seen >> i & 1)) return mtx_bad(at, NULL, err, "the key '%s' is missing", keys[i].name);
    return 0;
}

uint64_t mtx_order(const struct mtx *m, const struct mtx_at *at) { return (uint64_t)m->reading << 32 | at->row; }

int mtx_unique(struct mtx *m, const struct mtx_at *at, struct gf_err *err, const char *fmt, ...)
{
    if (!m->strict) return 0;
    GF_BUF_SCOPE struct gf_buf b;
    gf_buf_init(&b, GF_CAP_ERROR);
    gf_buf_addf(&b, "%s\t", at->table);
    va_list ap;
    va_start(ap, fmt);
    gf_buf_vaddf(&b, fmt, ap);
    va_end(ap);
    bool fresh;
    gf_names_add(&m->seen, gf_buf_slice(&b), &fresh);
    return fresh ? 0 : mtx_bad(at, NULL, err, "a second row for '%s'; one of the two must go", strchr(gf_buf_str(&b), '\t') + 1);
}

static int read_section(struct mtx *m, const struct mtx_file *f, const gf_json *rows, const struct mtx_section *s, struct gf_err *err)
{
    GF_FREE char *file = gf_xstrndup(f->path);
    struct mtx_at at = { file, s->name, 0 };
    if (gf_json_type(rows) != GF_JSON_ARRAY)
        return gf_fail(err, GF_E_PARSE, "data file %s: /%s: expected an array of rows, found %s", file, s->name, gf_json_type_name(rows));
    for (const gf_json *r = gf_json_first(rows); r; r = gf_json_next(r), at.row++)
        if (s->fn(m, &at, r, err)) return -1;
    return 0;
}

int mtx_read_file(struct mtx *m, struct mtx_file *f, const struct mtx_section *sections, size_t n, struct gf_err *err)
{
    struct gf_json_doc *doc;
    GF_FREE char *label = gf_xasprintf("data file %.*s", GF_FMT(f->path));
    if (gf_json_parse(f->text, label, &doc, err)) return -1;
    gf_vec_push(&m->docs, doc);
    f->loaded = true;
    m->reading = (size_t)(f - m->files.v);
    const gf_json *root = gf_json_root(doc);
    if (gf_json_type(root) != GF_JSON_OBJECT) return gf_fail(err, GF_E_PARSE, "%s: expected an object of tables, found %s", label, gf_json_type_name(root));
    for (const gf_json *t = gf_json_first(root); t; t = gf_json_next(t)) {
        size_t i = 0;
        while (i < n && strcmp(sections[i].name, gf_json_key(t))) i++;
        if (i == n) return gf_fail(err, GF_E_PARSE, "%s: /%s: unknown table; the tables of this file are in data/schema/", label, gf_json_key(t));
        if (read_section(m, f, t, &sections[i], err)) return -1;
    }
    return 0;
}
