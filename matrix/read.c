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

const char *mtx_type_name(enum gf_json_type t)
{
    static const char *const names[] = { "nothing", "null", "a boolean", "a number", "a string", "an array", "an object" };
    return names[t];
}

/* The scanner's own error, which names line and column. */
static int broken(const struct gf_js *js, struct gf_err *err) { return gf_fail(err, js->err.code, "%s", js->err.text); }

static const char *keep(struct mtx *m, gf_slice s, size_t key)
{
    gf_slice *last = &m->last[key];
    if (!last->p || !gf_slice_eq(*last, s)) *last = gf_slice_n(gf_arena_str(&m->mem, s), s.n);
    return last->p;
}

static int strings(struct mtx *m, const struct mtx_at *at, const char *key, struct gf_js *js, struct mtx_strs *ret, struct gf_err *err)
{
    enum gf_json_type t = gf_js_peek(js);
    if (t != GF_JSON_ARRAY) return mtx_bad(at, key, err, "expected an array of strings, found %s", mtx_type_name(t));
    GF_VEC(const char *) v = { 0 };
    int rc = 0;
    gf_js_arr(js);
    while (!rc && gf_js_item(js)) {
        if ((t = gf_js_peek(js)) != GF_JSON_STRING) rc = mtx_bad(at, key, err, "expected an array of strings, item %zu is %s", v.n, mtx_type_name(t));
        else gf_vec_push(&v, gf_arena_str(&m->mem, gf_js_str(js)));
    }
    *ret = (struct mtx_strs){ v.n ? gf_arena_memdup(&m->mem, v.v, v.n * sizeof *v.v) : NULL, v.n };
    gf_vec_free(&v);
    return rc;
}

static int evidence(const struct mtx_at *at, gf_slice s, enum mtx_evidence *ret, struct gf_err *err)
{
    static const char *const names[] = { "reported", "documented", "measured", "run" };
    for (unsigned i = 0; i < 4; i++)
        if (gf_slice_is(s, names[i])) return *ret = (enum mtx_evidence)i, 0;
    return mtx_bad(at, "evidence", err, "expected reported, documented, measured or run");
}

static gf_slice raw(struct gf_js *js)
{
    gf_js_peek(js); /* past the blanks */
    const char *from = js->at;
    gf_js_skip(js);
    return gf_slice_n(from, (size_t)(js->at - from));
}

static int field(struct mtx *m, const struct mtx_at *at, const struct mtx_key *k, size_t index, struct gf_js *js, void *row, struct gf_err *err)
{
    static const enum gf_json_type wanted[] = { GF_JSON_STRING, GF_JSON_NUMBER, GF_JSON_BOOL, GF_JSON_ARRAY, GF_JSON_ABSENT, GF_JSON_STRING };
    static const char *const words[] = { "a string", "a whole number", "true or false", "an array of strings", "", "a string" };
    char *p = (char *)row + k->off;
    enum gf_json_type t = gf_js_peek(js);
    if (t != wanted[k->kind] && k->kind != MTX_JSON) return mtx_bad(at, k->name, err, "expected %s, found %s", words[k->kind], mtx_type_name(t));
    switch (k->kind) {
    case MTX_STR: *(const char **)(void *)p = keep(m, gf_js_str(js), index); return 0;
    case MTX_INT: return gf_js_int(js, (int64_t *)(void *)p) ? 0 : mtx_bad(at, k->name, err, "expected a whole number");
    case MTX_BOOL: gf_js_bool(js, (bool *)(void *)p); return 0;
    case MTX_STRS: return strings(m, at, k->name, js, (struct mtx_strs *)(void *)p, err);
    case MTX_JSON: *(gf_slice *)(void *)p = raw(js); return 0;
    case MTX_EVIDENCE: return evidence(at, gf_js_str(js), (enum mtx_evidence *)(void *)p, err);
    }
    return 0;
}

static int known_source(struct mtx *m, const struct mtx_at *at, const char *id, struct gf_err *err)
{
    if (!m->strict || mtx_source(m, id)) return 0;
    return mtx_bad(at, "source", err, "'%s' is not in sources.json: add it there with title, where and date", id);
}

int mtx_read_row(struct mtx *m, const struct mtx_at *at, struct gf_js *js, const struct mtx_key *keys, size_t nkeys, void *row, struct gf_err *err)
{
    enum gf_json_type t = gf_js_peek(js);
    if (t != GF_JSON_OBJECT) return mtx_bad(at, NULL, err, "expected an object, found %s", mtx_type_name(t));
    uint64_t seen = 0;
    gf_slice name;
    size_t i = 0;
    gf_js_obj(js);
    while (gf_js_key(js, &name)) {
        size_t tried = 0; /* rows have their keys in much the same order: go on behind the last */
        for (i += seen != 0; tried < nkeys && !gf_slice_is(name, keys[i % nkeys].name); tried++) i++;
        i %= nkeys;
        if (tried == nkeys) {
            GF_FREE char *unknown = gf_xstrndup(name);
            return mtx_bad(at, unknown, err, "unknown key; the keys of this table are in data/schema/");
        }
        if (seen >> i & 1) return mtx_bad(at, keys[i].name, err, "the key stands twice");
        if (field(m, at, &keys[i], i, js, row, err)) return js->failed ? broken(js, err) : -1;
        seen |= UINT64_C(1) << i;
        if (strcmp(keys[i].name, "source") == 0 && known_source(m, at, m->last[i].p, err)) return -1;
    }
    if (js->failed) return broken(js, err);
    for (i = 0; i < nkeys; i++)
        if (keys[i].needed && !(seen >> i & 1)) return mtx_bad(at, NULL, err, "the key '%s' is missing", keys[i].name);
    return 0;
}

struct gf_js mtx_js(struct mtx *m, gf_slice text)
{
    struct gf_js js;
    gf_js_init(&js, text, "a value", &m->mem);
    return js;
}

int mtx_read_pairs(struct mtx *m, const struct mtx_at *at, const char *key, gf_slice text, struct mtx_pair **ret, size_t *ret_n, struct gf_err *err)
{
    struct gf_js js = mtx_js(m, text);
    enum gf_json_type t = gf_js_peek(&js);
    GF_VEC(struct mtx_pair) v = { 0 };
    gf_slice name = GF_NONE;
    int rc = 0;
    if (t == GF_JSON_OBJECT) gf_js_obj(&js);
    else if (t == GF_JSON_ARRAY) gf_js_arr(&js);
    else return mtx_bad(at, key, err, "expected { name: text } or [ text ], found %s", mtx_type_name(t));
    while (!rc && (t == GF_JSON_OBJECT ? gf_js_key(&js, &name) : gf_js_item(&js))) {
        enum gf_json_type value = gf_js_peek(&js);
        for (size_t i = 0; i < v.n && name.p && !rc; i++)
            if (gf_slice_is(name, v.v[i].key)) rc = mtx_bad(at, key, err, "'%s' stands twice", v.v[i].key);
        if (!rc && value != GF_JSON_STRING) rc = mtx_bad(at, key, err, "expected a string, found %s", mtx_type_name(value));
        if (!rc) gf_vec_push(&v, (struct mtx_pair){ gf_arena_str(&m->mem, name), gf_arena_str(&m->mem, gf_js_str(&js)) });
    }
    *ret = v.n ? gf_arena_memdup(&m->mem, v.v, v.n * sizeof *v.v) : NULL;
    *ret_n = v.n;
    gf_vec_free(&v);
    return rc;
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

static int read_section(struct mtx *m, const char *file, struct gf_js *js, const struct mtx_section *s, struct gf_err *err)
{
    struct mtx_at at = { file, s->name, 0 };
    enum gf_json_type t = gf_js_peek(js);
    if (t != GF_JSON_ARRAY) return js->failed ? broken(js, err) : gf_fail(err, GF_E_PARSE, "data file %s: /%s: expected an array of rows, found %s", file, s->name, mtx_type_name(t));
    memset(m->last, 0, sizeof m->last);
    gf_js_arr(js);
    for (; gf_js_item(js); at.row++)
        if (s->fn(m, &at, js, err)) return -1;
    return js->failed ? broken(js, err) : 0;
}

int mtx_read_file(struct mtx *m, struct mtx_file *f, const struct mtx_section *sections, size_t n, struct gf_err *err)
{
    GF_FREE char *file = gf_xstrndup(f->path), *label = gf_xasprintf("data file %s", file);
    struct gf_js js;
    gf_slice name;
    uint64_t seen = 0;
    gf_js_init(&js, f->text, label, &m->mem);
    f->loaded = true;
    *m->asked = '\0';
    m->reading = (size_t)(f - m->files.v);
    if (gf_js_peek(&js) != GF_JSON_OBJECT) return js.failed ? broken(&js, err) : gf_fail(err, GF_E_PARSE, "%s: expected an object of tables", label);
    gf_js_obj(&js);
    while (gf_js_key(&js, &name)) {
        size_t i = 0;
        while (i < n && !gf_slice_is(name, sections[i].name)) i++;
        if (i == n) return gf_fail(err, GF_E_PARSE, "%s: /%.*s: unknown table; the tables of this file are in data/schema/", label, GF_FMT(name));
        if (seen >> i & 1) return gf_fail(err, GF_E_PARSE, "%s: /%s: the table stands twice", label, sections[i].name);
        seen |= UINT64_C(1) << i;
        if (read_section(m, file, &js, &sections[i], err)) return -1;
    }
    return gf_js_end(&js, err);
}
