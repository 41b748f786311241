#include "base/json.h"
#include "base/file.h"
#include "base/map.h"
#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>

struct gf_json_doc {
    cJSON *root;
};

static const double MAX_SAFE_INTEGER = 9007199254740991.0; /* 2^53 - 1: RFC 8259 section 6 */

/* cJSON ends strings at an escaped NUL and so loses text: found before it can. */
static bool has_escaped_nul(gf_slice text)
{
    while (text.n) {
        ptrdiff_t at = gf_slice_chr(text, '\\');
        if (at < 0) return false;
        text = gf_slice_from(text, (size_t)at + 1);
        if (gf_slice_starts(text, GF_S("u0000"))) return true;
        text = gf_slice_from(text, 1);
    }
    return false;
}

static void line_of(gf_slice text, size_t at, size_t *ret_line, size_t *ret_column)
{
    size_t line = 1, start = 0;
    for (size_t i = 0; i < at && i < text.n; i++)
        if (text.p[i] == '\n') {
            line++;
            start = i + 1;
        }
    *ret_line = line;
    *ret_column = at - start + 1;
}

/* The first key that an object has twice, or NULL. Small objects pairwise, large ones by table. */
static const char *duplicate_key(const cJSON *obj)
{
    size_t n = 0;
    for (const cJSON *c = obj->child; c; c = c->next) n++;
    if (n < 16) {
        for (const cJSON *a = obj->child; a; a = a->next)
            for (const cJSON *b = a->next; b; b = b->next)
                if (strcmp(a->string, b->string) == 0) return a->string;
        return NULL;
    }
    struct gf_names seen;
    gf_names_init(&seen);
    const char *twice = NULL;
    for (const cJSON *c = obj->child; c && !twice; c = c->next) {
        bool fresh;
        gf_names_add(&seen, gf_slice_of(c->string), &fresh);
        if (!fresh) twice = c->string;
    }
    gf_names_release(&seen);
    return twice;
}

static int check_value(const cJSON *v, unsigned depth, const char *label, struct gf_err *err)
{
    if (depth > GF_CAP_JSON_DEPTH) return gf_fail(err, GF_E_PARSE, "'%s': JSON nested deeper than %d levels", label, GF_CAP_JSON_DEPTH);
    if (cJSON_IsNumber(v)) {
        double d = v->valuedouble;
        if (!isfinite(d)) return gf_fail(err, GF_E_PARSE, "'%s': a number is out of range", label);
        if (d == floor(d) && fabs(d) > MAX_SAFE_INTEGER)
            return gf_fail(err, GF_E_PARSE, "'%s': the integer %.0f is beyond 2^53 and would lose digits", label, d);
    }
    if (cJSON_IsObject(v)) {
        const char *twice = duplicate_key(v);
        if (twice) return gf_fail(err, GF_E_PARSE, "'%s': the key \"%.200s\" stands twice in one object", label, twice);
    }
    if (cJSON_IsObject(v) || cJSON_IsArray(v))
        for (const cJSON *c = v->child; c; c = c->next)
            if (check_value(c, depth + 1, label, err)) return -1;
    return 0;
}

int gf_json_parse(gf_slice text, const char *label, struct gf_json_doc **ret, struct gf_err *err)
{
    if (text.n > GF_CAP_JSON) return gf_fail(err, GF_E_LIMIT, "'%s' has %zu bytes, JSON documents may have %u", label, text.n, GF_CAP_JSON);
    if (gf_slice_starts(text, GF_S("\xef\xbb\xbf"))) text = gf_slice_from(text, 3);
    for (size_t i = 0, n; i < text.n; i += n)
        if (!(n = gf_utf8_length(text, i))) return gf_fail(err, GF_E_PARSE, "'%s' is not JSON: byte %zu is not UTF-8", label, i);
    if (has_escaped_nul(text)) return gf_fail(err, GF_E_PARSE, "'%s': a string holds \\u0000, which no text of ours may", label);
    const char *end = NULL;
    cJSON *root = text.n ? cJSON_ParseWithLengthOpts(text.p, text.n, &end, 0) : NULL;
    if (!root) {
        size_t line, column, at = end && end >= text.p ? (size_t)(end - text.p) : 0;
        line_of(text, at, &line, &column);
        gf_slice near = gf_slice_sub(text, at, 24);
        return gf_fail(err, GF_E_PARSE, "'%s' is not JSON: line %zu column %zu, at \"%.*s\"", label, line, column, GF_FMT(near));
    }
    gf_slice rest = gf_slice_trim(gf_slice_from(text, (size_t)(end - text.p)));
    int rc = 0;
    if (rest.n) {
        size_t line, column;
        line_of(text, (size_t)(rest.p - text.p), &line, &column);
        rc = gf_fail(err, GF_E_PARSE, "'%s': text after the end of the JSON document, line %zu column %zu", label, line, column);
    }
    if (!rc) rc = check_value(root, 1, label, err);
    if (rc) {
        cJSON_Delete(root);
        return rc;
    }
    *ret = gf_xmalloc(sizeof **ret);
    (*ret)->root = root;
    return 0;
}

int gf_json_load(const char *path, size_t max, struct gf_json_doc **ret, struct gf_err *err)
{
    struct gf_buf text;
    if (gf_file_read(path, max, &text, err)) return -1;
    int rc = gf_json_parse(gf_buf_slice(&text), path, ret, err);
    gf_buf_release(&text);
    return rc;
}

void gf_json_free(struct gf_json_doc *doc)
{
    if (!doc) return;
    cJSON_Delete(doc->root);
    free(doc);
}

void gf_json_cleanup(struct gf_json_doc **doc)
{
    gf_json_free(*doc);
    *doc = NULL;
}

const gf_json *gf_json_root(const struct gf_json_doc *doc) { return doc->root; }

enum gf_json_type gf_json_type(const gf_json *v)
{
    if (!v) return GF_JSON_ABSENT;
    if (cJSON_IsNull(v)) return GF_JSON_NULL;
    if (cJSON_IsBool(v)) return GF_JSON_BOOL;
    if (cJSON_IsNumber(v)) return GF_JSON_NUMBER;
    if (cJSON_IsString(v)) return GF_JSON_STRING;
    if (cJSON_IsArray(v)) return GF_JSON_ARRAY;
    return GF_JSON_OBJECT;
}

const char *gf_json_type_name(const gf_json *v)
{
    static const char *const names[] = { "nothing", "null", "a boolean", "a number", "a string", "an array", "an object" };
    return names[gf_json_type(v)];
}

const gf_json *gf_json_get(const gf_json *obj, const char *key)
{
    return cJSON_IsObject(obj) ? cJSON_GetObjectItemCaseSensitive(obj, key) : NULL;
}

const char *gf_json_cstr(const gf_json *v) { return cJSON_IsString(v) ? v->valuestring : NULL; }
gf_slice gf_json_str(const gf_json *v) { return gf_slice_of(gf_json_cstr(v)); }

bool gf_json_double(const gf_json *v, double *ret)
{
    if (!cJSON_IsNumber(v)) return false;
    *ret = v->valuedouble;
    return true;
}

bool gf_json_int(const gf_json *v, int64_t *ret)
{
    double d;
    if (!gf_json_double(v, &d) || d != floor(d)) return false;
    *ret = (int64_t)d;
    return true;
}

bool gf_json_bool(const gf_json *v, bool *ret)
{
    if (!cJSON_IsBool(v)) return false;
    *ret = cJSON_IsTrue(v);
    return true;
}

size_t gf_json_count(const gf_json *v)
{
    size_t n = 0;
    for (const gf_json *c = gf_json_first(v); c; c = c->next) n++;
    return n;
}

const gf_json *gf_json_first(const gf_json *v) { return cJSON_IsObject(v) || cJSON_IsArray(v) ? v->child : NULL; }
const gf_json *gf_json_next(const gf_json *v) { return v->next; }
const char *gf_json_key(const gf_json *v) { return v->string; }
