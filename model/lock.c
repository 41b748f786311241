/* Reading and writing gpuferry.lock. One table per kind of row says its keys, their order and what a value must look like; the
 * writer and the reader both walk it. */
#include "model/lock_rows.h"
#include "base/file.h"
#include "base/map.h"
#include "base/vec.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const char SCHEMA[] = "gpuferry.lock/1";

#define F(type, member, kind) { #member, kind, offsetof(struct type, member) }
#define FOR(type) { "for", LIST_OPT, offsetof(struct type, targets) }
static const struct field source_fields[] = {
    F(mdl_lock_source, id, WORD), F(mdl_lock_source, kind, WORD), F(mdl_lock_source, base, TEXT), F(mdl_lock_source, state, WORD),
    F(mdl_lock_source, as_of, TEXT_OPT), F(mdl_lock_source, could_change, TEXT_OPT),
};
static const struct field item_fields[] = {
    F(mdl_lock_item, name, WORD), F(mdl_lock_item, version, TEXT_OPT), F(mdl_lock_item, slot, TEXT_OPT), F(mdl_lock_item, variant, TEXT_OPT),
    F(mdl_lock_item, origin, TEXT_OPT), F(mdl_lock_item, provided_by, TEXT_OPT), FOR(mdl_lock_item),
};
static const struct field assume_fields[] = {
    F(mdl_lock_assume, about, TEXT), F(mdl_lock_assume, needs, TEXT), F(mdl_lock_assume, rule, TEXT_OPT), F(mdl_lock_assume, source, TEXT_OPT),
    FOR(mdl_lock_assume),
};
static const struct field python_fields[] = {
    F(mdl_lock_python, name, WORD), F(mdl_lock_python, version, WORD), F(mdl_lock_python, extras, LIST), F(mdl_lock_python, file, FILE_NAME),
    F(mdl_lock_python, kind, WORD), F(mdl_lock_python, source, WORD), F(mdl_lock_python, path, TEXT), F(mdl_lock_python, sha256, DIGEST),
    F(mdl_lock_python, size, SIZE), F(mdl_lock_python, requires, LIST), F(mdl_lock_python, required_by, LIST),
    { "for", LIST, offsetof(struct mdl_lock_python, targets) }, F(mdl_lock_python, also, ALSO),
    F(mdl_lock_python, build, LIST_OPT),
};
static const struct field file_fields[] = {
    F(mdl_lock_file, name, WORD), F(mdl_lock_file, version, WORD), F(mdl_lock_file, arch, WORD_OPT), F(mdl_lock_file, source, WORD),
    F(mdl_lock_file, path, TEXT), F(mdl_lock_file, sha256, DIGEST), F(mdl_lock_file, size, SIZE), F(mdl_lock_file, role, TEXT_OPT),
    FOR(mdl_lock_file),
};
static const struct field passed_over_fields[] = {
    F(mdl_passed_over, name, TEXT), F(mdl_passed_over, version, TEXT_OPT), F(mdl_passed_over, reason, REASON), FOR(mdl_passed_over),
};
static const struct field reason_field = { "", REASON, 0 };
static const struct field warning_fields[] = { F(mdl_lock_warning, text, TEXT), { "for", LIST, offsetof(struct mdl_lock_warning, targets) } };
static const struct field machines_fields[] = { F(mdl_lock_machines, target, WORD), F(mdl_lock_machines, names, LIST) };
static const struct field also_fields[] = {
    { "for", LIST, offsetof(struct mdl_lock_also, targets) }, F(mdl_lock_also, extras, LIST_OPT), F(mdl_lock_also, requires, LIST_OPT), F(mdl_lock_also, required_by, LIST_OPT),
    F(mdl_lock_also, build, LIST_OPT),
};
static const struct rows ROWS_ALSO = { "also", also_fields, sizeof also_fields / sizeof also_fields[0], sizeof(struct mdl_lock_also), 0, 0, 0 };

#define ROWS_AT(key, fields, type, array, targets)                                                                              \
    { key, fields, sizeof(fields) / sizeof(fields[0]), sizeof(struct type), offsetof(struct mdl_lock, array), offsetof(struct mdl_lock, n##array), targets }
#define ROWS(key, fields, type, array) ROWS_AT(key, fields, type, array, offsetof(struct type, targets))
static const struct rows ROWS_MACHINES = ROWS_AT("machines", machines_fields, mdl_lock_machines, machines, SIZE_MAX);
static const struct rows ROWS_SOURCES = ROWS_AT("sources", source_fields, mdl_lock_source, sources, SIZE_MAX);
static const struct rows ROWS_STACK = ROWS("stack", item_fields, mdl_lock_item, stack);
static const struct rows ROWS_ASSUMES = ROWS("assumes", assume_fields, mdl_lock_assume, assumes);
static const struct rows ROWS_PYTHON = ROWS("python", python_fields, mdl_lock_python, python);
static const struct rows ROWS_BUILD = { "build", python_fields, sizeof python_fields / sizeof python_fields[0], sizeof(struct mdl_lock_python), offsetof(struct mdl_lock, build),
                                        offsetof(struct mdl_lock, nbuild), offsetof(struct mdl_lock_python, targets) };
static const struct rows ROWS_OS = ROWS("os", file_fields, mdl_lock_file, os);
static const struct rows ROWS_FILES = ROWS("files", file_fields, mdl_lock_file, files);
static const struct rows ROWS_REASONS = { "reasons", &reason_field, 1, sizeof(struct mdl_reason), offsetof(struct mdl_lock, reasons),
                                          offsetof(struct mdl_lock, nreasons), offsetof(struct mdl_reason, targets) };
static const struct rows ROWS_PASSED_OVER = ROWS("passed_over", passed_over_fields, mdl_passed_over, passed_over);
static const struct rows ROWS_WARNINGS_FOR = ROWS("warnings_for", warning_fields, mdl_lock_warning, warnings_for);
static const struct rows *const all_rows[] = { &ROWS_SOURCES, &ROWS_STACK, &ROWS_ASSUMES, &ROWS_PYTHON, &ROWS_BUILD, &ROWS_OS, &ROWS_FILES, &ROWS_REASONS, &ROWS_PASSED_OVER };
const struct rows *const mdl_lock_merged[] = { &ROWS_STACK, &ROWS_ASSUMES, &ROWS_OS, &ROWS_FILES, &ROWS_REASONS, &ROWS_PASSED_OVER, NULL };

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

static void write_reason(struct gf_jw *w, const struct mdl_reason *r, const struct mdl_strings *targets)
{
    gf_jw_obj(w);
    gf_jw_kstr(w, "id", r->id);
    gf_jw_key(w, "args");
    gf_jw_obj(w);
    for (size_t i = 0; i < r->nargs; i++) gf_jw_kstr(w, r->args[i].key, r->args[i].value);
    gf_jw_end_obj(w);
    gf_jw_kstr(w, "text", r->text);
    write_strings(w, "sources", &r->sources);
    if (targets && targets->n) write_strings(w, "for", targets);
    gf_jw_end_obj(w);
}

static void write_row(struct gf_jw *w, const struct rows *rows, const void *row, bool with_targets);

static void write_also(struct gf_jw *w, const struct field *f, const struct mdl_lock_python *p)
{
    if (!p->nalso) return;
    gf_jw_key(w, f->key);
    gf_jw_arr(w);
    for (size_t i = 0; i < p->nalso; i++) write_row(w, &ROWS_ALSO, &p->also[i], true);
    gf_jw_end_arr(w);
}

static void write_field(struct gf_jw *w, const struct field *f, const void *row)
{
    const void *at = (const char *)row + f->offset;
    const char *text = f->kind >= SIZE ? NULL : *(const char *const *)at;
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
        write_strings(w, f->key, at);
        break;
    case LIST: write_strings(w, f->key, at); break;
    case REASON:
        gf_jw_key(w, f->key);
        write_reason(w, at, NULL);
        break;
    case ALSO: write_also(w, f, row); break;
    }
}

static void write_row(struct gf_jw *w, const struct rows *rows, const void *row, bool with_targets)
{
    if (rows == &ROWS_REASONS) {
        const struct mdl_reason *r = row;
        write_reason(w, r, with_targets ? &r->targets : NULL);
        return;
    }
    gf_jw_obj(w);
    for (size_t k = 0; k < rows->nfields; k++)
        if (with_targets || rows->fields[k].offset != rows->targets) write_field(w, &rows->fields[k], row);
    gf_jw_end_obj(w);
}

void mdl_lock_row_text(const struct rows *rows, const void *row, struct gf_buf *out)
{
    struct gf_jw w;
    gf_jw_init(&w, out, true);
    write_row(&w, rows, row, false);
}

static void write_rows(struct gf_jw *w, const struct rows *rows, const struct mdl_lock *l)
{
    const char *row = *(const char *const *)((const char *)l + rows->array);
    size_t n = *(const size_t *)(const void *)((const char *)l + rows->count);
    gf_jw_key(w, rows->key);
    gf_jw_arr(w);
    for (size_t i = 0; i < n; i++, row += rows->row_size) write_row(w, rows, row, true);
    gf_jw_end_arr(w);
}

/* Where the targets go; hole: they are left out, and so is nothing else, not even the line that ends them. */
static size_t write_targets(struct gf_jw *w, const struct mdl_lock *l, bool hole)
{
    gf_jw_key(w, "targets");
    gf_jw_arr(w);
    size_t at = w->out->n;
    for (size_t i = 0; i < l->ntargets && !hole; i++) mdl_profile_write(l->targets[i], w);
    w->need_comma |= hole;
    gf_jw_end_arr(w);
    return at;
}

static size_t write_body(struct gf_jw *w, const struct mdl_lock *l, const gf_json *request, bool hole)
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
    size_t at = write_targets(w, l, hole);
    if (l->nmachines) write_rows(w, &ROWS_MACHINES, l);
    gf_jw_key(w, "request");
    gf_jw_value(w, request);
    for (size_t i = 0; i < sizeof all_rows / sizeof all_rows[0]; i++)
        if (all_rows[i] != &ROWS_BUILD || l->nbuild) write_rows(w, all_rows[i], l);
    write_strings(w, "warnings", &l->warnings);
    if (l->nwarnings_for) write_rows(w, &ROWS_WARNINGS_FOR, l);
    return at;
}

/* Both forms: whole is what the seal is of, text what people read, without its seal and its end. */
static int write_forms(const struct mdl_lock *l, bool hole, struct gf_buf *whole, size_t *ret_whole_at, struct gf_buf *text, size_t *ret_text_at, struct gf_err *err)
{
    struct gf_json_doc *request GF_JSON_SCOPE = NULL;
    gf_slice asked = gf_slice_of(l->request_json ? l->request_json : "{}");
    if (gf_json_parse(asked, "the request", &request, err)) return -1;
    struct gf_jw w;
    gf_jw_init(&w, whole, true);
    gf_jw_obj(&w);
    *ret_whole_at = write_body(&w, l, gf_json_root(request), hole);
    gf_jw_end_obj(&w);
    gf_jw_init(&w, text, false);
    gf_jw_obj(&w);
    *ret_text_at = write_body(&w, l, gf_json_root(request), hole);
    return 0;
}

static int end_document(struct gf_buf *out, const char *seal, bool failed, struct gf_err *err)
{
    struct gf_jw w = { .out = out, .depth = 1, .need_comma = true };
    gf_jw_kstr(&w, "seal", seal);
    gf_jw_end_obj(&w);
    if (failed || gf_buf_failed(out)) return gf_fail(err, GF_E_LIMIT, "the lock would be larger than %u bytes", GF_CAP_LOCK);
    return 0;
}

int mdl_lock_write(const struct mdl_lock *l, struct gf_buf *out, struct gf_err *err)
{
    GF_BUF_SCOPE struct gf_buf body;
    size_t at;
    gf_buf_init(&body, GF_CAP_LOCK);
    if (write_forms(l, false, &body, &at, out, &at, err)) return -1;
    char seal[GF_SHA256_HEX];
    gf_sha256_hex(gf_buf_slice(&body), seal);
    return end_document(out, seal, gf_buf_failed(&body), err);
}

int mdl_lock_frame_init(struct mdl_lock_frame *f, const struct mdl_lock *l, struct gf_err *err)
{
    gf_buf_init(&f->whole, GF_CAP_LOCK);
    gf_buf_init(&f->text, GF_CAP_LOCK);
    return write_forms(l, true, &f->whole, &f->whole_at, &f->text, &f->text_at, err);
}

void mdl_lock_frame_release(struct mdl_lock_frame *f)
{
    gf_buf_release(&f->whole);
    gf_buf_release(&f->text);
}

int mdl_lock_frame_write(const struct mdl_lock_frame *f, const struct mdl_profile *target, struct gf_buf *out, struct gf_err *err)
{
    GF_BUF_SCOPE struct gf_buf one;
    gf_slice whole = gf_buf_slice(&f->whole), text = gf_buf_slice(&f->text);
    struct gf_jw w;
    gf_buf_init(&one, GF_CAP_LOCK);
    gf_jw_init(&w, &one, true);
    mdl_profile_write(target, &w);
    struct gf_digest *d = gf_digest_new(GF_SHA256);
    gf_digest_add(d, whole.p, f->whole_at);
    gf_digest_add(d, one.p, one.n);
    gf_digest_add(d, whole.p + f->whole_at, whole.n - f->whole_at);
    unsigned char bytes[GF_HASH_MAX];
    char seal[GF_SHA256_HEX];
    gf_hex(bytes, gf_digest_end(d, bytes), seal);
    gf_buf_add(out, text.p, f->text_at);
    w = (struct gf_jw){ .out = out, .depth = 2 };
    mdl_profile_write(target, &w);
    gf_buf_add(out, text.p + f->text_at, text.n - f->text_at);
    return end_document(out, seal, gf_buf_failed(&f->whole) || gf_buf_failed(&f->text) || gf_buf_failed(&one), err);
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
    struct gf_names labels, machines;
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

/* row: of the array "reasons", which may say whom it is for. */
static int read_reason(struct reading *r, const gf_json *v, bool row, struct mdl_reason *ret)
{
    static const char *const keys[] = { "id", "args", "text", "sources", "for" };
    static const struct field id = { "id", WORD, 0 }, text = { "text", TEXT, 0 };
    if (gf_json_type(v) != GF_JSON_OBJECT) return wrong(r, "", "a reason should be an object, it is %s", gf_json_type_name(v));
    if (no_other_keys(r, v, keys, row ? 5 : 4) || read_text(r, &id, gf_json_get(v, "id"), &ret->id) || read_text(r, &text, gf_json_get(v, "text"), &ret->text)) return -1;
    if (read_strings(r, "sources", gf_json_get(v, "sources"), &ret->sources)) return -1;
    if (row && read_strings(r, "for", gf_json_get(v, "for"), &ret->targets)) return -1;
    return read_args(r, gf_json_get(v, "args"), ret);
}

static int read_array(struct reading *r, const struct rows *rows, const gf_json *v, void *ret_array, size_t *ret_n);

static int read_also(struct reading *r, const gf_json *v, struct mdl_lock_python *p)
{
    char outside[sizeof r->where];
    if (gf_json_type(v) == GF_JSON_ABSENT) return 0;
    snprintf(outside, sizeof outside, "%s", r->where);
    snprintf(r->where + strlen(r->where), sizeof r->where - strlen(r->where), "/%s", ROWS_ALSO.key);
    if (read_array(r, &ROWS_ALSO, v, &p->also, &p->nalso)) return -1;
    snprintf(r->where, sizeof r->where, "%s", outside);
    return 0;
}

static int read_field(struct reading *r, const struct field *f, const gf_json *v, void *row)
{
    void *at = (char *)row + f->offset;
    switch (f->kind) {
    case SIZE: return read_size(r, f, v, at);
    case LIST:
    case LIST_OPT: return read_strings(r, f->key, v, at);
    case REASON: return read_reason(r, v, false, at);
    case ALSO: return read_also(r, v, row);
    default: return read_text(r, f, v, at);
    }
}

static int read_row(struct reading *r, const struct rows *rows, const gf_json *v, void *row)
{
    if (rows == &ROWS_REASONS) return read_reason(r, v, true, row);
    if (gf_json_type(v) != GF_JSON_OBJECT) return wrong(r, "", "an object was expected, %s is there", gf_json_type_name(v));
    const char *keys[16];
    for (size_t k = 0; k < rows->nfields; k++) keys[k] = rows->fields[k].key;
    if (no_other_keys(r, v, keys, rows->nfields)) return -1;
    for (size_t k = 0; k < rows->nfields; k++)
        if (read_field(r, &rows->fields[k], gf_json_get(v, rows->fields[k].key), row)) return -1;
    return 0;
}

/* Elements of an array; where holds its place, and does so again when all went well. */
static int read_array(struct reading *r, const struct rows *rows, const gf_json *v, void *ret_array, size_t *ret_n)
{
    if (gf_json_type(v) != GF_JSON_ARRAY) return wrong(r, "", "an array was expected, %s is there", gf_json_type_name(v));
    size_t n = gf_json_count(v), i = 0, at = strlen(r->where);
    char *row = gf_arena_array(&r->l->mem, n + 1, rows->row_size);
    memcpy(ret_array, &row, sizeof row);
    *ret_n = n;
    for (const gf_json *c = gf_json_first(v); c; c = gf_json_next(c), i++, row += rows->row_size) {
        snprintf(r->where + at, sizeof r->where - at, "/%zu", i);
        if (read_row(r, rows, c, row)) return -1;
    }
    r->where[at] = '\0';
    return 0;
}

static int read_rows(struct reading *r, const struct rows *rows, const gf_json *v)
{
    snprintf(r->where, sizeof r->where, "/%s", rows->key);
    return read_array(r, rows, v, (char *)r->l + rows->array, (size_t *)(void *)((char *)r->l + rows->count));
}

static int read_targets(struct reading *r, const gf_json *v)
{
    snprintf(r->where, sizeof r->where, "/targets");
    if (gf_json_type(v) != GF_JSON_ARRAY) return wrong(r, "", "an array of profiles was expected, %s is there", gf_json_type_name(v));
    if (gf_json_count(v) > GF_CAP_TARGETS) return wrong(r, "", "%zu targets are there, a lock may have %u", gf_json_count(v), GF_CAP_TARGETS);
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

static int check_pins(struct reading *r, const struct mdl_strings *build, const struct gf_names *pins)
{
    for (size_t i = 0; i < build->n; i++)
        if (gf_names_find(pins, gf_slice_of(build->v[i])) == GF_NO_ID) return wrong(r, "build", "\"%s\" is neither in /python nor in /build", build->v[i]);
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
    for (size_t i = 0; i < r->l->npython && !rc; i++) {
        snprintf(r->where, sizeof r->where, "/python/%zu", i);
        rc = check_pins(r, &r->l->python[i].build, &pins);
        for (size_t k = 0; k < r->l->python[i].nalso && !rc; k++) rc = check_pins(r, &r->l->python[i].also[k].build, &pins);
    }
    gf_names_release(&pins);
    return rc;
}

/* A file that builds for one target and is installed on another stands in both lists, and is the same. */
static int check_both(struct reading *r, const struct mdl_lock_python *p)
{
    for (size_t i = 0; i < r->l->npython; i++) {
        const struct mdl_lock_python *o = &r->l->python[i];
        if (strcmp(o->file, p->file) != 0) continue;
        for (size_t k = 0; k < p->targets.n; k++)
            if (mdl_is_for(&o->targets, p->targets.v[k])) return wrong(r, "file", "\"%s\" stands in the lock twice", p->file);
        if (!p->targets.n) return wrong(r, "file", "\"%s\" stands in the lock twice", p->file);
        bool same = (!o->sha256 || !p->sha256 || strcmp(o->sha256, p->sha256) == 0) && o->size == p->size && strcmp(o->path, p->path) == 0 && strcmp(o->source, p->source) == 0;
        if (!same) return wrong(r, "file", "\"%s\" is another file here than in /python", p->file);
    }
    return 0;
}

static int check_python(struct reading *r)
{
    struct gf_names seen, builders;
    gf_names_init(&seen);
    gf_names_init(&builders);
    int rc = 0;
    for (size_t i = 0; i < r->l->npython && !rc; i++) {
        snprintf(r->where, sizeof r->where, "/python/%zu", i);
        rc = check_entry(r, &r->l->python[i], &seen);
    }
    for (size_t i = 0; i < r->l->nbuild && !rc; i++) {
        const struct mdl_lock_python *p = &r->l->build[i];
        snprintf(r->where, sizeof r->where, "/build/%zu", i);
        rc = check_entry(r, p, &builders);
        if (!rc && strcmp(p->kind, "wheel") != 0) rc = wrong(r, "kind", "what builds others is a wheel itself, this is \"%s\"", p->kind);
        if (!rc && gf_names_find(&seen, gf_slice_of(p->file)) != GF_NO_ID) rc = check_both(r, p);
    }
    gf_names_release(&seen);
    gf_names_release(&builders);
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

/* Labels of a lock for several: safe, each once. */
static int check_labels(struct reading *r)
{
    for (size_t i = 0; i < r->l->ntargets; i++) {
        const char *label = r->l->targets[i]->label;
        bool several = r->l->ntargets > 1 || r->l->nmachines, fresh = true;
        snprintf(r->where, sizeof r->where, "/targets/%zu", i);
        if (!label && several) return wrong(r, "label", "a lock for several targets tells each by a label, this one has none");
        if (several && !mdl_label_safe(gf_slice_of(label))) return wrong(r, "label", "\"%s\" is no label: letters, digits and ._- were expected", label);
        if (label) gf_names_add(&r->labels, gf_slice_of(label), &fresh);
        if (!fresh) return wrong(r, "label", "the label \"%s\" stands in the lock twice", label);
    }
    return 0;
}

/* A name is that of one machine, and the label of no other target. */
static int check_names(struct reading *r, const struct mdl_lock_machines *m)
{
    for (size_t i = 0; i < m->names.n; i++) {
        gf_slice name = gf_slice_of(m->names.v[i]);
        bool fresh;
        if (!mdl_label_safe(name)) return wrong(r, "names", "\"%s\" is no name of a machine: letters, digits and ._- were expected", name.p);
        gf_names_add(&r->machines, name, &fresh);
        bool of_other = !gf_slice_is(name, m->target) && gf_names_find(&r->labels, name) != GF_NO_ID;
        if (!fresh || of_other) return wrong(r, "names", "\"%s\" stands for two machines", name.p);
    }
    return 0;
}

static int check_machines(struct reading *r)
{
    GF_FREE bool *seen = gf_xcalloc(r->l->ntargets + 1, sizeof *seen);
    for (size_t i = 0; i < r->l->nmachines; i++) {
        const struct mdl_lock_machines *m = &r->l->machines[i];
        uint32_t id = gf_names_find(&r->labels, gf_slice_of(m->target));
        snprintf(r->where, sizeof r->where, "/machines/%zu", i);
        if (id == GF_NO_ID) return wrong(r, "target", "the lock has no target \"%s\"", m->target);
        if (seen[id]) return wrong(r, "target", "the machines of \"%s\" stand in the lock twice", m->target);
        seen[id] = true;
        if (check_names(r, m)) return -1;
    }
    return 0;
}

/* Whom a row is for: targets that there are, in rising order. */
static int check_for(struct reading *r, const struct mdl_strings *targets)
{
    for (size_t i = 1; i < targets->n; i++)
        if (strcmp(targets->v[i - 1], targets->v[i]) >= 0) return wrong(r, "for", "\"%s\" stands behind \"%s\", each was expected once and in rising order", targets->v[i], targets->v[i - 1]);
    for (size_t i = 0; i < targets->n; i++)
        if (gf_names_find(&r->labels, gf_slice_of(targets->v[i])) == GF_NO_ID) return wrong(r, "for", "the lock has no target \"%s\"", targets->v[i]);
    return 0;
}

static int check_rows_for(struct reading *r, const struct rows *rows)
{
    const char *row = *(const char *const *)((const char *)r->l + rows->array);
    size_t n = *(const size_t *)(const void *)((const char *)r->l + rows->count);
    for (size_t i = 0; i < n; i++, row += rows->row_size) {
        snprintf(r->where, sizeof r->where, "/%s/%zu", rows->key, i);
        if (check_for(r, (const void *)(row + rows->targets))) return -1;
    }
    return 0;
}

static int check_also(struct reading *r, const struct rows *rows, const struct mdl_lock_python *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < p[i].nalso; k++) {
            snprintf(r->where, sizeof r->where, "/%s/%zu/also/%zu", rows->key, i, k);
            if (!p[i].also[k].targets.n) return wrong(r, "for", "it says for no target what it adds");
            if (check_for(r, &p[i].also[k].targets)) return -1;
        }
    return 0;
}

static int check_all_for(struct reading *r)
{
    for (size_t i = 0; mdl_lock_merged[i]; i++)
        if (check_rows_for(r, mdl_lock_merged[i])) return -1;
    if (check_rows_for(r, &ROWS_PYTHON) || check_rows_for(r, &ROWS_BUILD) || check_rows_for(r, &ROWS_WARNINGS_FOR)) return -1;
    return check_also(r, &ROWS_PYTHON, r->l->python, r->l->npython) || check_also(r, &ROWS_BUILD, r->l->build, r->l->nbuild) ? -1 : 0;
}

static int read_document(struct reading *r, const gf_json *root)
{
    static const char *const keys[] = { "schema", "tool", "matrix", "targets", "machines", "request", "sources", "stack", "assumes", "python", "build",
                                        "os", "files", "reasons", "passed_over", "warnings", "warnings_for", "seal" };
    const gf_json *machines = gf_json_get(root, "machines"), *warned = gf_json_get(root, "warnings_for");
    r->where[0] = '\0';
    if (no_other_keys(r, root, keys, sizeof keys / sizeof keys[0])) return -1;
    if (read_object_text(r, root, "tool", "version", &r->l->tool_version) || read_object_text(r, root, "matrix", "version", &r->l->matrix_version) ||
        read_object_text(r, root, "matrix", "sha256", &r->l->matrix_sha256))
        return -1;
    if (read_targets(r, gf_json_get(root, "targets")) || read_request(r, gf_json_get(root, "request"))) return -1;
    if ((machines && read_rows(r, &ROWS_MACHINES, machines)) || (warned && read_rows(r, &ROWS_WARNINGS_FOR, warned))) return -1;
    for (size_t i = 0; i < sizeof all_rows / sizeof all_rows[0]; i++) {
        const gf_json *v = gf_json_get(root, all_rows[i]->key);
        if ((v || all_rows[i] != &ROWS_BUILD) && read_rows(r, all_rows[i], v)) return -1;
    }
    r->where[0] = '\0';
    if (read_strings(r, "warnings", gf_json_get(root, "warnings"), &r->l->warnings)) return -1;
    if (check_labels(r) || check_machines(r) || check_all_for(r)) return -1;
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
    gf_names_init(&r.labels);
    gf_names_init(&r.machines);
    int rc = read_document(&r, gf_json_root(doc));
    gf_names_release(&r.labels);
    gf_names_release(&r.machines);
    if (rc) mdl_lock_free(r.l);
    else *ret = r.l;
    return rc;
}

int mdl_lock_load(const char *path, struct mdl_lock **ret, struct gf_err *err)
{
    struct gf_buf text;
    if (gf_file_read(path, GF_CAP_LOCK, &text, err)) return -1;
    int rc = mdl_lock_parse(gf_buf_slice(&text), path, ret, err);
    gf_buf_release(&text);
    return rc;
}
