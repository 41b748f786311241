/* Reading and writing gpuferry.lock. One table per kind of row says its keys, their order and what a value must look like; the
 * writer and the reader both walk it. */
#include "model/lock.h"
#include "base/file.h"
#include "base/map.h"
#include "base/vec.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const char SCHEMA[] = "gpuferry.lock/1";

enum kind {
    TEXT,      /* any text, must be there */
    TEXT_OPT,  /* left out when NULL */
    WORD,      /* letters, digits and "._-+!~:*@()": goes into paths, scripts and requirement files */
    WORD_OPT,
    FILE_NAME, /* one safe path component of such letters */
    DIGEST,    /* sha256 in hex, null when unknown */
    SIZE,      /* bytes, null when unknown (-1) */
    LIST,      /* strings */
    LIST_OPT,  /* left out when there are none */
    REASON     /* an object of its own, in place */
};
struct field {
    const char *key;
    enum kind kind;
    size_t offset;
};
struct rows { /* one array of the document */
    const char *key;
    const struct field *fields;
    size_t nfields, row_size;
    size_t array, count; /* offsets in struct mdl_lock */
    bool optional;       /* the array is left out when it is empty */
};

#define F(type, member, kind) { #member, kind, offsetof(struct type, member) }
static const struct field source_fields[] = {
    F(mdl_lock_source, id, WORD), F(mdl_lock_source, kind, WORD), F(mdl_lock_source, base, TEXT), F(mdl_lock_source, state, WORD),
    F(mdl_lock_source, as_of, TEXT_OPT), F(mdl_lock_source, could_change, TEXT_OPT),
};
static const struct field item_fields[] = {
    F(mdl_lock_item, name, WORD), F(mdl_lock_item, version, TEXT_OPT), F(mdl_lock_item, slot, TEXT_OPT), F(mdl_lock_item, variant, TEXT_OPT),
    F(mdl_lock_item, origin, TEXT_OPT), F(mdl_lock_item, provided_by, TEXT_OPT),
};
static const struct field assume_fields[] = {
    F(mdl_lock_assume, about, TEXT), F(mdl_lock_assume, needs, TEXT), F(mdl_lock_assume, rule, TEXT_OPT), F(mdl_lock_assume, source, TEXT_OPT),
};
static const struct field python_fields[] = {
    F(mdl_lock_python, name, WORD), F(mdl_lock_python, version, WORD), F(mdl_lock_python, extras, LIST), F(mdl_lock_python, file, FILE_NAME),
    F(mdl_lock_python, kind, WORD), F(mdl_lock_python, source, WORD), F(mdl_lock_python, path, TEXT), F(mdl_lock_python, sha256, DIGEST),
    F(mdl_lock_python, size, SIZE), F(mdl_lock_python, requires, LIST), F(mdl_lock_python, required_by, LIST),
    { "for", LIST, offsetof(struct mdl_lock_python, targets) }, F(mdl_lock_python, build, LIST_OPT),
};
static const struct field file_fields[] = {
    F(mdl_lock_file, name, WORD), F(mdl_lock_file, version, WORD), F(mdl_lock_file, arch, WORD_OPT), F(mdl_lock_file, source, WORD),
    F(mdl_lock_file, path, TEXT), F(mdl_lock_file, sha256, DIGEST), F(mdl_lock_file, size, SIZE), F(mdl_lock_file, role, TEXT_OPT),
};
static const struct field passed_over_fields[] = {
    F(mdl_passed_over, name, TEXT), F(mdl_passed_over, version, TEXT_OPT), F(mdl_passed_over, reason, REASON),
};
static const struct field reason_field = { "", REASON, 0 };

#define ROWS(key, fields, type, array)                                                                                          \
    { key, fields, sizeof(fields) / sizeof(fields[0]), sizeof(struct type), offsetof(struct mdl_lock, array), offsetof(struct mdl_lock, n##array), false }
static const struct rows ROWS_SOURCES = ROWS("sources", source_fields, mdl_lock_source, sources);
static const struct rows ROWS_STACK = ROWS("stack", item_fields, mdl_lock_item, stack);
static const struct rows ROWS_ASSUMES = ROWS("assumes", assume_fields, mdl_lock_assume, assumes);
static const struct rows ROWS_PYTHON = ROWS("python", python_fields, mdl_lock_python, python);
static const struct rows ROWS_BUILD = { "build", python_fields, sizeof python_fields / sizeof python_fields[0], sizeof(struct mdl_lock_python), offsetof(struct mdl_lock, build),
                                        offsetof(struct mdl_lock, nbuild), true };
static const struct rows ROWS_OS = ROWS("os", file_fields, mdl_lock_file, os);
static const struct rows ROWS_FILES = ROWS("files", file_fields, mdl_lock_file, files);
static const struct rows ROWS_REASONS = { "reasons", &reason_field, 1, sizeof(struct mdl_reason), offsetof(struct mdl_lock, reasons),
                                          offsetof(struct mdl_lock, nreasons), false };
static const struct rows ROWS_PASSED_OVER = ROWS("passed_over", passed_over_fields, mdl_passed_over, passed_over);
static const struct rows *const all_rows[] = { &ROWS_SOURCES, &ROWS_STACK, &ROWS_ASSUMES, &ROWS_PYTHON, &ROWS_BUILD, &ROWS_OS, &ROWS_FILES, &ROWS_REASONS, &ROWS_PASSED_OVER };

struct mdl_lock *mdl_lock_new(void)
{
    struct mdl_lock *l = gf_xcalloc(1, sizeof *l);
    gf_arena_init(&l->mem);
    return l;
}

void mdl_lock_free(struct mdl_lock *l)
{
    if (!l) return;
    for (size_t i = 0; i < l->ntargets; i++) mdl_profile_free(l->targets[i]);
    gf_arena_release(&l->mem);
    free(l);
}

/* ---- writing ---- */

static void write_strings(struct gf_jw *w, const char *key, const struct mdl_strings *list)
{
    gf_jw_key(w, key);
    gf_jw_arr(w);
    for (size_t i = 0; i < list->n; i++) gf_jw_cstr(w, list->v[i]);
    gf_jw_end_arr(w);
}

static void write_reason(struct gf_jw *w, const struct mdl_reason *r)
{
    gf_jw_obj(w);
    gf_jw_kstr(w, "id", r->id);
    gf_jw_key(w, "args");
    gf_jw_obj(w);
    for (size_t i = 0; i < r->nargs; i++) gf_jw_kstr(w, r->args[i].key, r->args[i].value);
    gf_jw_end_obj(w);
    gf_jw_kstr(w, "text", r->text);
    write_strings(w, "sources", &r->sources);
    gf_jw_end_obj(w);
}

static void write_field(struct gf_jw *w, const struct field *f, const void *row)
{
    const void *at = (const char *)row + f->offset;
    const char *text = f->kind == SIZE || f->kind == LIST || f->kind == LIST_OPT || f->kind == REASON ? NULL : *(const char *const *)at;
    switch (f->kind) {
    case TEXT:
    case WORD:
    case FILE_NAME:
    case DIGEST: gf_jw_kstr(w, f->key, text); break;
    case TEXT_OPT:
    case WORD_OPT: gf_jw_kstr_opt(w, f->key, text); break;
    case SIZE:
        gf_jw_key(w, f->key);
        if (*(const int64_t *)at < 0) gf_jw_null(w);
        else gf_jw_int(w, *(const int64_t *)at);
        break;
    case LIST_OPT:
        if (!((const struct mdl_strings *)at)->n) break;
        __attribute__((fallthrough));
    case LIST: write_strings(w, f->key, at); break;
    case REASON:
        gf_jw_key(w, f->key);
        write_reason(w, at);
        break;
    }
}

static void write_rows(struct gf_jw *w, const struct rows *rows, const struct mdl_lock *l)
{
    const char *row = *(const char *const *)((const char *)l + rows->array);
    size_t n = *(const size_t *)(const void *)((const char *)l + rows->count);
    if (rows->optional && !n) return;
    gf_jw_key(w, rows->key);
    gf_jw_arr(w);
    for (size_t i = 0; i < n; i++, row += rows->row_size) {
        if (rows == &ROWS_REASONS) {
            write_reason(w, (const void *)row);
            continue;
        }
        gf_jw_obj(w);
        for (size_t k = 0; k < rows->nfields; k++) write_field(w, &rows->fields[k], row);
        gf_jw_end_obj(w);
    }
    gf_jw_end_arr(w);
}

static void write_body(struct gf_jw *w, const struct mdl_lock *l, const gf_json *request)
{
    gf_jw_kstr(w, "schema", SCHEMA);
    gf_jw_key(w, "tool");
    gf_jw_obj(w);
    gf_jw_kstr(w, "version", l->tool_version);
    gf_jw_end_obj(w);
    gf_jw_key(w, "matrix");
    gf_jw_obj(w);
    gf_jw_kstr(w, "version", l->matrix_version);
    gf_jw_kstr(w, "sha256", l->matrix_sha256);
    gf_jw_end_obj(w);
    gf_jw_key(w, "targets");
    gf_jw_arr(w);
    for (size_t i = 0; i < l->ntargets; i++) mdl_profile_write(l->targets[i], w);
    gf_jw_end_arr(w);
    gf_jw_key(w, "request");
    gf_jw_value(w, request);
    for (size_t i = 0; i < sizeof all_rows / sizeof all_rows[0]; i++) write_rows(w, all_rows[i], l);
    write_strings(w, "warnings", &l->warnings);
}

int mdl_lock_write(const struct mdl_lock *l, struct gf_buf *out, struct gf_err *err)
{
    struct gf_json_doc *request GF_JSON_SCOPE = NULL;
    gf_slice asked = gf_slice_of(l->request_json ? l->request_json : "{}");
    if (gf_json_parse(asked, "the request", &request, err)) return -1;
    GF_BUF_SCOPE struct gf_buf body;
    gf_buf_init(&body, GF_CAP_LOCK);
    struct gf_jw w;
    gf_jw_init(&w, &body, true);
    gf_jw_obj(&w);
    write_body(&w, l, gf_json_root(request));
    gf_jw_end_obj(&w);
    char seal[GF_SHA256_HEX];
    gf_sha256_hex(gf_buf_slice(&body), seal);
    gf_jw_init(&w, out, false);
    gf_jw_obj(&w);
    write_body(&w, l, gf_json_root(request));
    gf_jw_kstr(&w, "seal", seal);
    gf_jw_end_obj(&w);
    if (gf_buf_failed(&body) || gf_buf_failed(out)) return gf_fail(err, GF_E_LIMIT, "the lock would be larger than %u bytes", GF_CAP_LOCK);
    return 0;
}

void mdl_lock_seal(const gf_json *document, char out[GF_SHA256_HEX])
{
    GF_BUF_SCOPE struct gf_buf body;
    gf_buf_init(&body, 2 * (size_t)GF_CAP_LOCK); /* escapes may be longer than what was read */
    struct gf_jw w;
    gf_jw_init(&w, &body, true);
    gf_jw_obj(&w);
    for (const gf_json *c = gf_json_first(document); c; c = gf_json_next(c)) {
        if (strcmp(gf_json_key(c), "seal") == 0) continue;
        gf_jw_key(&w, gf_json_key(c));
        gf_jw_value(&w, c);
    }
    gf_jw_end_obj(&w);
    gf_sha256_hex(gf_buf_slice(&body), out);
}

/* ---- reading ---- */

struct reading {
    struct mdl_lock *l;
    const char *label;
    struct gf_err *err;
    char where[200]; /* JSON pointer of the row at hand */
};

__attribute__((format(printf, 3, 4))) static int wrong(const struct reading *r, const char *key, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    gf_vfail(r->err, GF_E_PARSE, fmt, ap);
    va_end(ap);
    return gf_wrap(r->err, "'%s' at %s%s%s", r->label, r->where, *key ? "/" : "", key);
}

static bool is_word(gf_slice s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!gf_is_alnum((unsigned char)s.p[i]) && !strchr("._-+!~:*@()", s.p[i])) return false;
    return s.n > 0 && s.n <= GF_CAP_VERSION_TEXT && s.p[0] != '-';
}

static bool is_file_name(gf_slice s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!gf_is_alnum((unsigned char)s.p[i]) && !strchr("._-+!~@%=,", s.p[i])) return false;
    return s.n > 0 && s.n <= 255 && s.p[0] != '.' && s.p[0] != '-';
}

static bool has_control(gf_slice s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] < 32 || s.p[i] == 127) return true;
    return false;
}

static int read_strings(struct reading *r, const char *key, const gf_json *v, struct mdl_strings *ret)
{
    enum gf_json_type type = gf_json_type(v);
    if (type == GF_JSON_ABSENT) return 0;
    if (type != GF_JSON_ARRAY) return wrong(r, key, "an array of strings was expected, %s is there", gf_json_type_name(v));
    const char **list = GF_NEW_ARRAY(&r->l->mem, const char *, gf_json_count(v) + 1);
    size_t n = 0;
    for (const gf_json *c = gf_json_first(v); c; c = gf_json_next(c)) {
        if (!gf_json_cstr(c)) return wrong(r, key, "element %zu should be a string, it is %s", n, gf_json_type_name(c));
        list[n++] = gf_arena_str(&r->l->mem, gf_json_str(c));
    }
    *ret = (struct mdl_strings){ list, n };
    return 0;
}

static int check_text(struct reading *r, const struct field *f, gf_slice s)
{
    switch (f->kind) {
    case WORD:
    case WORD_OPT:
        if (!is_word(s)) return wrong(r, f->key, "\"%.*s\" is not a plain word of letters, digits and ._-+!", GF_FMT(s));
        return 0;
    case FILE_NAME:
        if (!is_file_name(s)) return wrong(r, f->key, "\"%.*s\" is not a safe file name", GF_FMT(s));
        return 0;
    case DIGEST:
        if (!gf_is_sha256_hex(s)) return wrong(r, f->key, "\"%.*s\" is not a sha256 of 64 hexadecimal digits", GF_FMT(s));
        return 0;
    default: return 0;
    }
}

static int read_text(struct reading *r, const struct field *f, const gf_json *v, const char **ret)
{
    enum gf_json_type type = gf_json_type(v);
    bool optional = f->kind == TEXT_OPT || f->kind == WORD_OPT || f->kind == DIGEST;
    if (optional && (type == GF_JSON_NULL || type == GF_JSON_ABSENT)) return 0;
    if (type != GF_JSON_STRING) return wrong(r, f->key, "a string was expected, %s is there", gf_json_type_name(v));
    gf_slice s = gf_json_str(v);
    if (check_text(r, f, s)) return -1;
    char *copy = gf_arena_str(&r->l->mem, s);
    if (f->kind == DIGEST)
        for (char *c = copy; *c; c++) *c = gf_lower(*c);
    *ret = copy;
    return 0;
}

static int read_size(struct reading *r, const struct field *f, const gf_json *v, int64_t *ret)
{
    *ret = -1;
    if (gf_json_type(v) == GF_JSON_NULL || gf_json_type(v) == GF_JSON_ABSENT) return 0;
    int64_t size;
    if (!gf_json_int(v, &size) || size < 0) return wrong(r, f->key, "a whole number of bytes (or null) was expected");
    *ret = size;
    return 0;
}

static int no_other_keys(struct reading *r, const gf_json *obj, const char *const *known, size_t n)
{
    for (const gf_json *c = gf_json_first(obj); c; c = gf_json_next(c)) {
        size_t i = 0;
        while (i < n && strcmp(known[i], gf_json_key(c)) != 0) i++;
        if (i == n) return wrong(r, gf_json_key(c), "this key is not part of %s; a newer gpuferry may have written it", SCHEMA);
    }
    return 0;
}

static int read_args(struct reading *r, const gf_json *v, struct mdl_reason *ret)
{
    if (gf_json_type(v) != GF_JSON_OBJECT) return wrong(r, "args", "an object was expected, %s is there", gf_json_type_name(v));
    struct mdl_reason_arg *args = GF_NEW_ARRAY(&r->l->mem, struct mdl_reason_arg, gf_json_count(v) + 1);
    size_t n = 0;
    for (const gf_json *c = gf_json_first(v); c; c = gf_json_next(c)) {
        if (!gf_json_cstr(c)) return wrong(r, "args", "\"%s\" should be a string, it is %s", gf_json_key(c), gf_json_type_name(c));
        args[n++] = (struct mdl_reason_arg){ gf_arena_strz(&r->l->mem, gf_json_key(c)), gf_arena_str(&r->l->mem, gf_json_str(c)) };
    }
    ret->args = args;
    ret->nargs = n;
    return 0;
}

static int read_reason(struct reading *r, const gf_json *v, struct mdl_reason *ret)
{
    static const char *const keys[] = { "id", "args", "text", "sources" };
    static const struct field id = { "id", WORD, 0 }, text = { "text", TEXT, 0 };
    if (gf_json_type(v) != GF_JSON_OBJECT) return wrong(r, "", "a reason should be an object, it is %s", gf_json_type_name(v));
    if (no_other_keys(r, v, keys, 4) || read_text(r, &id, gf_json_get(v, "id"), &ret->id) || read_text(r, &text, gf_json_get(v, "text"), &ret->text)) return -1;
    if (read_strings(r, "sources", gf_json_get(v, "sources"), &ret->sources)) return -1;
    return read_args(r, gf_json_get(v, "args"), ret);
}

static int read_field(struct reading *r, const struct field *f, const gf_json *v, void *row)
{
    void *at = (char *)row + f->offset;
    switch (f->kind) {
    case SIZE: return read_size(r, f, v, at);
    case LIST:
    case LIST_OPT: return read_strings(r, f->key, v, at);
    case REASON: return read_reason(r, v, at);
    default: return read_text(r, f, v, at);
    }
}

static int read_row(struct reading *r, const struct rows *rows, const gf_json *v, void *row)
{
    if (rows == &ROWS_REASONS) return read_reason(r, v, row);
    if (gf_json_type(v) != GF_JSON_OBJECT) return wrong(r, "", "an object was expected, %s is there", gf_json_type_name(v));
    const char *keys[16];
    for (size_t k = 0; k < rows->nfields; k++) keys[k] = rows->fields[k].key;
    if (no_other_keys(r, v, keys, rows->nfields)) return -1;
    for (size_t k = 0; k < rows->nfields; k++)
        if (read_field(r, &rows->fields[k], gf_json_get(v, rows->fields[k].key), row)) return -1;
    return 0;
}

static int read_rows(struct reading *r, const struct rows *rows, const gf_json *v)
{
    snprintf(r->where, sizeof r->where, "/%s", rows->key);
    if (rows->optional && gf_json_type(v) == GF_JSON_ABSENT) return 0;
    if (gf_json_type(v) != GF_JSON_ARRAY) return wrong(r, "", "an array was expected, %s is there", gf_json_type_name(v));
    size_t n = gf_json_count(v), i = 0;
    char *row = gf_arena_array(&r->l->mem, n + 1, rows->row_size);
    *(char **)(void *)((char *)r->l + rows->array) = row;
    *(size_t *)(void *)((char *)r->l + rows->count) = n;
    for (const gf_json *c = gf_json_first(v); c; c = gf_json_next(c), i++, row += rows->row_size) {
        snprintf(r->where, sizeof r->where, "/%s/%zu", rows->key, i);
        if (read_row(r, rows, c, row)) return -1;
    }
    return 0;
}

static int read_targets(struct reading *r, const gf_json *v)
{
    snprintf(r->where, sizeof r->where, "/targets");
    if (gf_json_type(v) != GF_JSON_ARRAY) return wrong(r, "", "an array of profiles was expected, %s is there", gf_json_type_name(v));
    r->l->targets = GF_NEW_ARRAY(&r->l->mem, struct mdl_profile *, gf_json_count(v) + 1);
    for (const gf_json *c = gf_json_first(v); c; c = gf_json_next(c)) {
        GF_FREE char *label = gf_xasprintf("%s#/targets/%zu", r->label, r->l->ntargets);
        if (mdl_profile_from_json(c, label, &r->l->targets[r->l->ntargets], r->err)) return -1;
        r->l->ntargets++;
    }
    return 0;
}

static int read_object_text(struct reading *r, const gf_json *root, const char *object, const char *key, const char **ret)
{
    const struct field f = { key, TEXT, 0 };
    snprintf(r->where, sizeof r->where, "/%s", object);
    const gf_json *v = gf_json_get(root, object);
    return gf_json_type(v) == GF_JSON_OBJECT ? read_text(r, &f, gf_json_get(v, key), ret)
                                             : wrong(r, "", "an object was expected, %s is there", gf_json_type_name(v));
}

static int read_request(struct reading *r, const gf_json *v)
{
    snprintf(r->where, sizeof r->where, "/request");
    if (gf_json_type(v) != GF_JSON_OBJECT) return wrong(r, "", "an object was expected, %s is there", gf_json_type_name(v));
    GF_BUF_SCOPE struct gf_buf text;
    gf_buf_init(&text, 2 * (size_t)GF_CAP_LOCK);
    struct gf_jw w;
    gf_jw_init(&w, &text, true);
    gf_jw_value(&w, v);
    r->l->request_json = gf_arena_str(&r->l->mem, gf_buf_slice(&text));
    return 0;
}

static int check_entry(struct reading *r, const struct mdl_lock_python *p, struct gf_names *seen)
{
    bool fresh, wheel = strcmp(p->kind, "wheel") == 0;
    gf_names_add(seen, gf_slice_of(p->file), &fresh);
    if (!fresh) return wrong(r, "file", "\"%s\" stands in the lock twice", p->file);
    if (!wheel && strcmp(p->kind, "sdist") != 0) return wrong(r, "kind", "\"%s\" is neither \"wheel\" nor \"sdist\"", p->kind);
    if (wheel != gf_slice_ends(gf_slice_of(p->file), GF_S(".whl"))) return wrong(r, "file", "\"%s\" is no name of a %s", p->file, p->kind);
    if (has_control(gf_slice_of(p->path))) return wrong(r, "path", "the path holds control characters");
    return 0;
}

/* What an archive is built with must be there. */
static int check_builds(struct reading *r)
{
    struct gf_names pins;
    gf_names_init(&pins);
    int rc = 0;
    for (size_t i = 0; i < r->l->npython + r->l->nbuild; i++) {
        const struct mdl_lock_python *p = i < r->l->npython ? &r->l->python[i] : &r->l->build[i - r->l->npython];
        GF_FREE char *pin = gf_xasprintf("%s==%s", p->name, p->version);
        gf_names_add(&pins, gf_slice_of(pin), NULL);
    }
    for (size_t i = 0; i < r->l->npython && !rc; i++)
        for (size_t k = 0; k < r->l->python[i].build.n && !rc; k++) {
            snprintf(r->where, sizeof r->where, "/python/%zu", i);
            if (gf_names_find(&pins, gf_slice_of(r->l->python[i].build.v[k])) == GF_NO_ID)
                rc = wrong(r, "build", "\"%s\" is neither in /python nor in /build", r->l->python[i].build.v[k]);
        }
    gf_names_release(&pins);
    return rc;
}

static int check_python(struct reading *r)
{
    struct gf_names seen;
    gf_names_init(&seen);
    int rc = 0;
    for (size_t i = 0; i < r->l->npython && !rc; i++) {
        snprintf(r->where, sizeof r->where, "/python/%zu", i);
        rc = check_entry(r, &r->l->python[i], &seen);
    }
    for (size_t i = 0; i < r->l->nbuild && !rc; i++) {
        snprintf(r->where, sizeof r->where, "/build/%zu", i);
        rc = check_entry(r, &r->l->build[i], &seen);
        if (!rc && strcmp(r->l->build[i].kind, "wheel") != 0) rc = wrong(r, "kind", "what builds others is a wheel itself, this is \"%s\"", r->l->build[i].kind);
    }
    gf_names_release(&seen);
    return rc ? rc : check_builds(r);
}

static int check_files(struct reading *r, const struct rows *rows, const struct mdl_lock_file *f, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        snprintf(r->where, sizeof r->where, "/%s/%zu", rows->key, i);
        if (has_control(gf_slice_of(f[i].path))) return wrong(r, "path", "the path holds control characters");
    }
    return 0;
}

static int read_document(struct reading *r, const gf_json *root)
{
    static const char *const keys[] = { "schema", "tool", "matrix", "targets", "request", "sources", "stack", "assumes", "python", "build",
                                        "os", "files", "reasons", "passed_over", "warnings", "seal" };
    r->where[0] = '\0';
    if (no_other_keys(r, root, keys, sizeof keys / sizeof keys[0])) return -1;
    if (read_object_text(r, root, "tool", "version", &r->l->tool_version) || read_object_text(r, root, "matrix", "version", &r->l->matrix_version) ||
        read_object_text(r, root, "matrix", "sha256", &r->l->matrix_sha256))
        return -1;
    if (read_targets(r, gf_json_get(root, "targets")) || read_request(r, gf_json_get(root, "request"))) return -1;
    for (size_t i = 0; i < sizeof all_rows / sizeof all_rows[0]; i++)
        if (read_rows(r, all_rows[i], gf_json_get(root, all_rows[i]->key))) return -1;
    r->where[0] = '\0';
    if (read_strings(r, "warnings", gf_json_get(root, "warnings"), &r->l->warnings)) return -1;
    return check_python(r) || check_files(r, &ROWS_OS, r->l->os, r->l->nos) || check_files(r, &ROWS_FILES, r->l->files, r->l->nfiles) ? -1 : 0;
}

static int check_seal(const gf_json *root, const char *label, struct gf_err *err)
{
    gf_slice schema = gf_json_get_str(root, "schema"), seal = gf_json_get_str(root, "seal");
    if (!gf_slice_is(schema, SCHEMA)) {
        if (!schema.p) return gf_fail(err, GF_E_PARSE, "'%s' is not a lock: it has no \"schema\": \"%s\"", label, SCHEMA);
        return gf_fail(err, GF_E_PARSE, "'%s' has the schema \"%.*s\", this program reads \"%s\"", label, GF_FMT(schema), SCHEMA);
    }
    if (!gf_is_sha256_hex(seal)) return gf_fail(err, GF_E_INTEGRITY, "'%s' has no seal: it was cut or written by hand; run 'gpuferry plan' again", label);
    char is[GF_SHA256_HEX];
    mdl_lock_seal(root, is);
    if (gf_slice_is(seal, is)) return 0;
    return gf_fail(err, GF_E_INTEGRITY, "'%s' was changed after it was written: its seal says %.12s…, its content gives %.12s…; run 'gpuferry plan' again",
                   label, seal.p, is);
}

int mdl_lock_parse(gf_slice text, const char *label, struct mdl_lock **ret, struct gf_err *err)
{
    if (text.n > GF_CAP_LOCK) return gf_fail(err, GF_E_LIMIT, "'%s' has %zu bytes, a lock may have %u", label, text.n, GF_CAP_LOCK);
    struct gf_json_doc *doc GF_JSON_SCOPE = NULL;
    if (gf_json_parse(text, label, &doc, err) || check_seal(gf_json_root(doc), label, err)) return -1;
    struct reading r = { .l = mdl_lock_new(), .label = label, .err = err };
    if (read_document(&r, gf_json_root(doc))) {
        mdl_lock_free(r.l);
        return -1;
    }
    *ret = r.l;
    return 0;
}

int mdl_lock_load(const char *path, struct mdl_lock **ret, struct gf_err *err)
{
    struct gf_buf text;
    if (gf_file_read(path, GF_CAP_LOCK, &text, err)) return -1;
    int rc = mdl_lock_parse(gf_buf_slice(&text), path, ret, err);
    gf_buf_release(&text);
    return rc;
}
