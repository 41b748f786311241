/* The writing half of base/json.h. */
#include "base/json.h"
#include <math.h>
#include <stdio.h>

void gf_jw_init(struct gf_jw *w, struct gf_buf *out, bool compact) { *w = (struct gf_jw){ .out = out, .compact = compact }; }

static void new_line(struct gf_jw *w)
{
    if (w->compact) return;
    gf_buf_addc(w->out, '\n');
    for (unsigned i = 0; i < w->depth; i++) gf_buf_adds(w->out, "  ");
}

static void before_value(struct gf_jw *w)
{
    if (w->after_key) {
        w->after_key = false;
        return;
    }
    if (w->need_comma) gf_buf_addc(w->out, ',');
    if (w->depth) new_line(w);
}

static void open_with(struct gf_jw *w, char c)
{
    before_value(w);
    gf_buf_addc(w->out, c);
    w->depth++;
    w->need_comma = false;
}

static void close_with(struct gf_jw *w, char c)
{
    w->depth--;
    if (w->need_comma) new_line(w);
    gf_buf_addc(w->out, c);
    w->need_comma = true;
    if (w->depth == 0 && !w->compact) gf_buf_addc(w->out, '\n');
}

void gf_jw_obj(struct gf_jw *w) { open_with(w, '{'); }
void gf_jw_end_obj(struct gf_jw *w) { close_with(w, '}'); }
void gf_jw_arr(struct gf_jw *w) { open_with(w, '['); }
void gf_jw_end_arr(struct gf_jw *w) { close_with(w, ']'); }

size_t gf_utf8_length(gf_slice s, size_t i)
{
    unsigned char c = (unsigned char)s.p[i];
    if (c < 0x80) return 1;
    size_t n = c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xf0 && c < 0xf5 ? 4 : 0;
    if (!n || i + n > s.n) return 0;
    unsigned char second = (unsigned char)s.p[i + 1];
    if ((c == 0xe0 && second < 0xa0) || (c == 0xed && second > 0x9f) || (c == 0xf0 && second < 0x90) || (c == 0xf4 && second > 0x8f)) return 0;
    for (size_t k = 1; k < n; k++)
        if (((unsigned char)s.p[i + k] & 0xc0) != 0x80) return 0;
    return n;
}

static void add_escape(struct gf_buf *out, unsigned char c)
{
    switch (c) {
    case '"': gf_buf_adds(out, "\\\""); break;
    case '\\': gf_buf_adds(out, "\\\\"); break;
    case '\n': gf_buf_adds(out, "\\n"); break;
    case '\t': gf_buf_adds(out, "\\t"); break;
    case '\r': gf_buf_adds(out, "\\r"); break;
    default: gf_buf_addf(out, "\\u%04x", c);
    }
}

/* Bytes that are no UTF-8 become U+FFFD: a document of ours is always valid. */
static void quoted(struct gf_buf *out, gf_slice s)
{
    gf_buf_addc(out, '"');
    size_t from = 0;
    for (size_t i = 0; i < s.n;) {
        unsigned char c = (unsigned char)s.p[i];
        size_t n = gf_utf8_length(s, i);
        if (n && c >= 32 && c != '"' && c != '\\' && c != 127) {
            i += n;
            continue;
        }
        gf_buf_add(out, s.p + from, i - from);
        if (n) add_escape(out, c);
        else gf_buf_adds(out, "\\ufffd");
        from = ++i;
    }
    gf_buf_add(out, s.p + from, s.n - from);
    gf_buf_addc(out, '"');
}

void gf_jw_key(struct gf_jw *w, const char *key)
{
    before_value(w);
    quoted(w->out, gf_slice_of(key));
    gf_buf_adds(w->out, w->compact ? ":" : ": ");
    w->after_key = true;
    w->need_comma = true;
}

void gf_jw_str(struct gf_jw *w, gf_slice s)
{
    if (!s.p) {
        gf_jw_null(w);
        return;
    }
    before_value(w);
    quoted(w->out, s);
    w->need_comma = true;
}

void gf_jw_cstr(struct gf_jw *w, const char *s) { gf_jw_str(w, gf_slice_of(s)); }

static void plain(struct gf_jw *w, const char *text)
{
    before_value(w);
    gf_buf_adds(w->out, text);
    w->need_comma = true;
}

void gf_jw_int(struct gf_jw *w, int64_t v)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)v);
    plain(w, text);
}

void gf_jw_double(struct gf_jw *w, double v)
{
    if (v == floor(v) && fabs(v) < 1e15) {
        gf_jw_int(w, (int64_t)v);
        return;
    }
    char text[40];
    snprintf(text, sizeof text, "%.15g", v);
    plain(w, isfinite(v) ? text : "null");
}

void gf_jw_bool(struct gf_jw *w, bool v) { plain(w, v ? "true" : "false"); }
void gf_jw_null(struct gf_jw *w) { plain(w, "null"); }

void gf_jw_value(struct gf_jw *w, const gf_json *v)
{
    bool b = false;
    double d = 0;
    switch (gf_json_type(v)) {
    case GF_JSON_ABSENT:
    case GF_JSON_NULL: gf_jw_null(w); break;
    case GF_JSON_BOOL:
        gf_json_bool(v, &b);
        gf_jw_bool(w, b);
        break;
    case GF_JSON_NUMBER:
        gf_json_double(v, &d);
        gf_jw_double(w, d);
        break;
    case GF_JSON_STRING: gf_jw_str(w, gf_json_str(v)); break;
    case GF_JSON_ARRAY:
        gf_jw_arr(w);
        for (const gf_json *c = gf_json_first(v); c; c = gf_json_next(c)) gf_jw_value(w, c);
        gf_jw_end_arr(w);
        break;
    case GF_JSON_OBJECT:
        gf_jw_obj(w);
        for (const gf_json *c = gf_json_first(v); c; c = gf_json_next(c)) {
            gf_jw_key(w, gf_json_key(c));
            gf_jw_value(w, c);
        }
        gf_jw_end_obj(w);
        break;
    }
}

void gf_jw_kstr(struct gf_jw *w, const char *key, const char *s)
{
    gf_jw_key(w, key);
    gf_jw_cstr(w, s);
}

void gf_jw_kstr_opt(struct gf_jw *w, const char *key, const char *s)
{
    if (s) gf_jw_kstr(w, key, s);
}

void gf_jw_kint(struct gf_jw *w, const char *key, int64_t v)
{
    gf_jw_key(w, key);
    gf_jw_int(w, v);
}

void gf_jw_kbool(struct gf_jw *w, const char *key, bool v)
{
    gf_jw_key(w, key);
    gf_jw_bool(w, v);
}
