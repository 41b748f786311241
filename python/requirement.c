/* PEP 508 requirements. */
#include "python/requirement.h"
#include "base/buf.h"
#include "base/vec.h"
#include "python/wheel.h"

struct parser {
    struct gf_arena *a;
    gf_slice all, s;
    bool lenient;
    struct gf_err *err;
};

static int fail(const struct parser *p, const char *expected)
{
    gf_slice seen = gf_slice_sub(p->s, 0, 40);
    if (!seen.n) return gf_fail(p->err, GF_E_PARSE, "requirement '%.*s': expected %s at its end", GF_FMT(p->all), expected);
    size_t column = p->all.n - p->s.n + 1;
    return gf_fail(p->err, GF_E_PARSE, "requirement '%.*s': expected %s at column %zu, found '%.*s'", GF_FMT(p->all), expected, column, GF_FMT(seen));
}

static bool blank(unsigned char c) { return c == ' ' || c == '\t'; }
static bool name_byte(unsigned char c) { return gf_is_alnum(c) || c == '.' || c == '_' || c == '-'; }
static void skip_ws(struct parser *p) { gf_take_while(&p->s, blank); }

/* An identifier; separators at its end are not part of it. */
static gf_slice take_name(struct parser *p)
{
    gf_slice rest = p->s, name = gf_take_while(&rest, name_byte);
    while (name.n && !gf_is_alnum((unsigned char)name.p[name.n - 1])) name.n--;
    if (!name.n || !gf_is_alnum((unsigned char)*name.p)) return GF_NONE;
    p->s = gf_slice_from(p->s, name.n);
    return name;
}

static int parse_extras(struct parser *p, struct py_req *r)
{
    GF_VEC(const char *) extras = { 0 };
    int rc = 0;
    skip_ws(p);
    while (!rc && !gf_try_char(&p->s, ']')) {
        if (extras.n && !gf_try_char(&p->s, ',')) rc = fail(p, "',' or ']' behind an extra");
        skip_ws(p);
        gf_slice name = rc ? GF_NONE : take_name(p);
        if (!rc && !name.p) rc = fail(p, extras.n ? "the name of an extra" : "the name of an extra or ']'");
        if (!rc) gf_vec_push(&extras, py_name_normalize(p->a, name));
        skip_ws(p);
    }
    if (!rc && extras.n) {
        r->extras = gf_arena_memdup(p->a, extras.v, extras.n * sizeof *extras.v);
        r->nextras = (uint32_t)extras.n;
    }
    gf_vec_free(&extras);
    return rc;
}

static bool url_byte(unsigned char c) { return !gf_is_space(c); }

/* The url ends at a blank; a ";" inside it belongs to it. */
static int parse_url(struct parser *p, struct py_req *r)
{
    skip_ws(p);
    gf_slice url = gf_take_while(&p->s, url_byte);
    if (!url.n) return fail(p, "a URL behind '@'");
    r->url = gf_arena_str(p->a, url);
    skip_ws(p);
    return 0;
}

static gf_slice trim_blanks(gf_slice s)
{
    gf_take_while(&s, blank);
    while (s.n && blank((unsigned char)s.p[s.n - 1])) s.n--;
    return s;
}

/* The grammar allows a comma at the end, none elsewhere without a specifier before it, and only blanks around a specifier. */
static bool commas_ok(gf_slice text)
{
    for (gf_slice item; gf_slice_field(&text, ',', &item);) {
        item = trim_blanks(item);
        if ((text.p && !item.n) || gf_slice_trim(item).n != item.n) return false;
    }
    return true;
}

static int parse_specs(struct parser *p, struct py_req *r)
{
    bool bracket = gf_try_char(&p->s, '(');
    gf_slice rest = p->s;
    size_t n = 0;
    while (n < rest.n && rest.p[n] != ';' && !(bracket && rest.p[n] == ')')) n++;
    gf_slice text = gf_slice_sub(rest, 0, n);
    if (bracket && n == rest.n) return fail(p, "the closing ')'");
    if (!p->lenient && !commas_ok(text)) return fail(p, "specifiers like >=1.0 with one comma between them");
    if (!py_specset_parse(p->a, text, p->lenient, &r->specs))
        return fail(p, bracket ? "version specifiers like >=1.0,<2" : "version specifiers like >=1.0,<2, '[', '@' or ';'");
    p->s = gf_slice_from(p->s, n + bracket);
    skip_ws(p);
    return 0;
}

static int parse_details(struct parser *p, struct py_req *r)
{
    if (gf_try_char(&p->s, '@')) {
        if (parse_url(p, r)) return -1;
    } else if (p->s.n && *p->s.p != ';' && parse_specs(p, r)) {
        return -1;
    }
    if (!p->s.n) return 0;
    if (!gf_try_char(&p->s, ';')) return fail(p, r->url ? "';' and a marker" : "';' and a marker or the end");
    if (py_marker_parse(p->a, p->s, PY_MARKER_PEP508, &r->marker, p->err)) return gf_wrap(p->err, "requirement '%.*s'", GF_FMT(p->all));
    return 0;
}

int py_req_parse(struct gf_arena *a, gf_slice text, bool lenient, struct py_req *ret, struct gf_err *err)
{
    text = lenient ? gf_slice_trim(text) : trim_blanks(text);
    struct parser p = { a, text, text, lenient, err };
    struct py_req r = { 0 };
    if (!text.n) return gf_fail(err, GF_E_PARSE, "a requirement is empty: expected a name like torch>=2.0");
    if (memchr(text.p, '\0', text.n)) return gf_fail(err, GF_E_PARSE, "a requirement holds a NUL byte");
    gf_slice name = take_name(&p);
    if (!name.p) return fail(&p, "a package name");
    skip_ws(&p);
    if (gf_try_char(&p.s, '[') && parse_extras(&p, &r)) return -1;
    skip_ws(&p);
    if (parse_details(&p, &r)) return -1;
    r.name = py_name_normalize(a, name);
    r.written = gf_arena_str(a, name);
    r.text = gf_arena_str(a, text);
    *ret = r;
    return 0;
}

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static void put_extras(struct gf_buf *out, struct gf_arena *a, const struct py_req *r)
{
    const char **sorted = gf_arena_memdup(a, r->extras, r->nextras * sizeof *sorted);
    qsort(sorted, r->nextras, sizeof *sorted, by_text);
    for (uint32_t i = 0; i < r->nextras; i++)
        if (!i || strcmp(sorted[i], sorted[i - 1])) gf_buf_addf(out, "%c%s", i ? ',' : '[', sorted[i]);
    gf_buf_addc(out, ']');
}

char *py_req_text(struct gf_arena *a, const struct py_req *r)
{
    GF_BUF_SCOPE struct gf_buf out;
    gf_buf_init(&out, GF_CAP_METADATA);
    gf_buf_adds(&out, r->name);
    if (r->nextras) put_extras(&out, a, r);
    gf_buf_adds(&out, py_specset_text(a, &r->specs));
    if (r->url) gf_buf_addf(&out, " @ %s%s", r->url, r->marker ? " " : "");
    if (r->marker) gf_buf_addf(&out, "; %s", py_marker_text(a, r->marker));
    return gf_arena_str(a, gf_buf_slice(&out));
}
