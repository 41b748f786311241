/* TOML strings, numbers, dates and times. */
#include "python/toml_lex.h"
#include "python/utf8.h"
#include <math.h>
#include <stdlib.h>

int py_toml_fail(const struct py_toml_parser *p, const char *expected)
{
    size_t at = p->all.n - p->s.n, line = 1, column = 1, seen = 0;
    for (size_t i = 0; i < at; i++) {
        line += p->all.p[i] == '\n';
        column = p->all.p[i] == '\n' ? 1 : column + 1;
    }
    while (seen < p->s.n && seen < 20 && (unsigned char)p->s.p[seen] >= ' ') seen++;
    if (!seen) return gf_fail(p->err, GF_E_PARSE, "%s:%zu:%zu: expected %s", p->label, line, column, expected);
    return gf_fail(p->err, GF_E_PARSE, "%s:%zu:%zu: expected %s, found '%.*s'", p->label, line, column, expected, (int)seen, p->s.p);
}

static int hex_digit(char c)
{
    if (gf_is_digit((unsigned char)c)) return c - '0';
    c = gf_lower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* \uXXXX and \UXXXXXXXX: a Unicode scalar value. */
static bool take_code(gf_slice *s, size_t digits, char **out)
{
    uint32_t c = 0;
    if (s->n < digits) return false;
    for (size_t i = 0; i < digits; i++) {
        int d = hex_digit(s->p[i]);
        if (d < 0) return false;
        c = c << 4 | (uint32_t)d;
    }
    if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) return false;
    *s = gf_slice_from(*s, digits);
    *out = py_put_utf8(*out, c);
    return true;
}

/* A backslash at the end of a line takes it and all blanks and line ends behind it away. */
static bool skip_line_end(gf_slice *s)
{
    gf_slice rest = *s;
    while (rest.n && (*rest.p == ' ' || *rest.p == '\t')) rest = gf_slice_from(rest, 1);
    if (!rest.n || (*rest.p != '\n' && !gf_slice_starts(rest, GF_S("\r\n")))) return false;
    while (rest.n && (*rest.p == ' ' || *rest.p == '\t' || *rest.p == '\n' || gf_slice_starts(rest, GF_S("\r\n")))) rest = gf_slice_from(rest, 1);
    *s = rest;
    return true;
}

static bool take_escape(gf_slice *s, bool multi, char **out)
{
    static const char from[] = "btnfr\"\\", to[] = "\b\t\n\f\r\"\\";
    if (multi && skip_line_end(s)) return true;
    if (!s->n) return false;
    char kind = *s->p;
    const char *hit = kind ? strchr(from, kind) : NULL;
    *s = gf_slice_from(*s, 1);
    if (hit) *(*out)++ = to[hit - from];
    return hit || (kind == 'u' ? take_code(s, 4, out) : kind == 'U' && take_code(s, 8, out));
}

/* Bytes that may stand in a string as they are. Line ends only in those of several lines. */
static bool plain(const gf_slice *s, bool multi)
{
    unsigned char c = (unsigned char)*s->p;
    if (c == '\n') return multi;
    if (c == '\r') return multi && s->n > 1 && s->p[1] == '\n';
    return (c >= ' ' && c != 127) || c == '\t';
}

/* One quote ends a string; three end one of several lines, and up to two more may stand before them. */
static bool at_end(const gf_slice *s, char quote, bool multi)
{
    if (*s->p != quote) return false;
    if (!multi) return true;
    size_t n = 0;
    while (n < s->n && n < 6 && s->p[n] == quote) n++;
    return n == 3 || n == 6;
}

/* At most this many bytes before the closing quotes. */
static size_t body_length(gf_slice s, char quote, bool multi)
{
    size_t n = 0;
    for (gf_slice rest = s; rest.n && !at_end(&rest, quote, multi) && (multi || *rest.p != '\n'); rest = gf_slice_from(s, n))
        n += quote == '"' && *rest.p == '\\' && rest.n > 1 ? 2 : 1;
    return n;
}

static int take_body(struct py_toml_parser *p, char quote, bool multi, gf_slice *ret)
{
    gf_slice *s = &p->s;
    char *out = gf_arena_alloc(p->a, body_length(*s, quote, multi) + 1), *o = out;
    while (s->n && !at_end(s, quote, multi)) {
        if (quote == '"' && *s->p == '\\') {
            gf_slice rest = gf_slice_from(*s, 1);
            if (!take_escape(&rest, multi, &o)) return py_toml_fail(p, "an escape of TOML");
            *s = rest;
        } else if (!plain(s, multi)) {
            return py_toml_fail(p, multi ? "text without control characters" : "the closing quote on the same line, text without control characters");
        } else {
            *o++ = *s->p;
            *s = gf_slice_from(*s, 1);
        }
    }
    if (!s->n) return py_toml_fail(p, "the closing quotes");
    *s = gf_slice_from(*s, multi ? 3 : 1);
    *o = '\0';
    *ret = gf_slice_n(out, (size_t)(o - out));
    return 0;
}

int py_toml_take_string(struct py_toml_parser *p, bool multi_line_ok, gf_slice *ret)
{
    char quote = *p->s.p;
    gf_slice three = quote == '"' ? GF_S("\"\"\"") : GF_S("'''");
    bool multi = gf_slice_starts(p->s, three);
    if (multi && !multi_line_ok) return py_toml_fail(p, "a key on one line");
    p->s = gf_slice_from(p->s, multi ? 3 : 1);
    if (multi && !gf_try_lit(&p->s, GF_S("\r\n"))) gf_try_char(&p->s, '\n');
    return take_body(p, quote, multi, ret);
}

/* Digits of a base with single underscores between them, appended to *out; how many digits. */
static size_t take_digits(gf_slice *s, unsigned base, char **out)
{
    size_t n = 0;
    while (s->n) {
        int d = hex_digit(*s->p);
        if (d >= 0 && (unsigned)d < base) {
            *(*out)++ = *s->p;
            n++;
        } else if (*s->p != '_' || !n || s->n < 2 || hex_digit(s->p[1]) < 0 || (unsigned)hex_digit(s->p[1]) >= base) {
            break;
        }
        *s = gf_slice_from(*s, 1);
    }
    return n;
}

static bool take_based(gf_slice *s, struct py_toml *v, char *scratch)
{
    unsigned base = s->p[1] == 'x' ? 16 : s->p[1] == 'o' ? 8 : 2;
    char *out = scratch;
    *s = gf_slice_from(*s, 2);
    if (!take_digits(s, base, &out) || s->n) return false;
    int64_t n = 0;
    for (const char *c = scratch; c < out; c++)
        if (__builtin_mul_overflow(n, (int64_t)base, &n) || __builtin_add_overflow(n, (int64_t)hex_digit(*c), &n)) return false;
    v->type = PY_TOML_INTEGER;
    v->integer = n;
    return true;
}

static bool set_integer(struct py_toml *v, const char *digits, const char *end, bool minus)
{
    int64_t n = 0;
    for (const char *c = digits; c < end; c++)
        if (__builtin_mul_overflow(n, (int64_t)10, &n) || __builtin_sub_overflow(n, (int64_t)(*c - '0'), &n)) return false;
    if (!minus && n == INT64_MIN) return false;
    v->type = PY_TOML_INTEGER;
    v->integer = minus ? n : -n;
    return true;
}

static bool take_fraction_and_exponent(gf_slice *s, char **out)
{
    if (gf_try_char(s, '.')) {
        *(*out)++ = '.';
        if (!take_digits(s, 10, out)) return false;
    }
    if (s->n && gf_lower(*s->p) == 'e') {
        *(*out)++ = 'e';
        *s = gf_slice_from(*s, 1);
        if (s->n && (*s->p == '+' || *s->p == '-')) {
            *(*out)++ = *s->p;
            *s = gf_slice_from(*s, 1);
        }
        if (!take_digits(s, 10, out)) return false;
    }
    return s->n == 0;
}

static bool take_number(struct py_toml_parser *p, gf_slice word, struct py_toml *v)
{
    char *scratch = gf_arena_alloc(p->a, word.n + 1), *out = scratch;
    gf_slice s = word;
    if (s.n > 2 && *s.p == '0' && (s.p[1] == 'x' || s.p[1] == 'o' || s.p[1] == 'b')) return take_based(&s, v, scratch);
    bool minus = s.n && *s.p == '-';
    if (minus || (s.n && *s.p == '+')) s = gf_slice_from(s, 1);
    if (gf_slice_is(s, "inf") || gf_slice_is(s, "nan")) {
        v->type = PY_TOML_FLOAT;
        v->number = *s.p == 'n' ? (double)NAN : minus ? -(double)INFINITY : (double)INFINITY;
        return true;
    }
    size_t digits = take_digits(&s, 10, &out);
    if (!digits || (digits > 1 && *scratch == '0')) return false;
    if (!s.n) return set_integer(v, scratch, out, minus);
    if (!take_fraction_and_exponent(&s, &out)) return false;
    *out = '\0';
    v->type = PY_TOML_FLOAT;
    v->number = minus ? -strtod(scratch, NULL) : strtod(scratch, NULL);
    return true;
}

static bool take_fixed(gf_slice *s, size_t n, unsigned low, unsigned high, unsigned *ret)
{
    uint64_t v;
    if (s->n < n || !gf_slice_u64(gf_slice_sub(*s, 0, n), &v) || v < low || v > high) return false;
    *s = gf_slice_from(*s, n);
    *ret = (unsigned)v;
    return true;
}

static bool take_date(gf_slice *s)
{
    static const unsigned days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    unsigned year, month, day;
    if (!take_fixed(s, 4, 0, 9999, &year) || !gf_take_char(s, '-') || !take_fixed(s, 2, 1, 12, &month) || !gf_take_char(s, '-')) return false;
    if (!take_fixed(s, 2, 1, 31, &day)) return false;
    bool leap = (year % 4 == 0 && year % 100) || year % 400 == 0;
    return day <= days[month - 1] + (month == 2 && leap);
}

static bool take_time(gf_slice *s)
{
    unsigned n;
    if (!take_fixed(s, 2, 0, 23, &n) || !gf_take_char(s, ':') || !take_fixed(s, 2, 0, 59, &n) || !gf_take_char(s, ':')) return false;
    if (!take_fixed(s, 2, 0, 60, &n)) return false;
    if (!gf_try_char(s, '.')) return true;
    size_t digits = 0;
    while (digits < s->n && gf_is_digit((unsigned char)s->p[digits])) digits++;
    *s = gf_slice_from(*s, digits);
    return digits > 0;
}

static bool take_offset(gf_slice *s)
{
    unsigned n;
    if (gf_try_char(s, 'Z') || gf_try_char(s, 'z')) return true;
    if (!gf_try_char(s, '+') && !gf_take_char(s, '-')) return false;
    return take_fixed(s, 2, 0, 23, &n) && gf_take_char(s, ':') && take_fixed(s, 2, 0, 59, &n);
}

static bool take_moment(gf_slice s, struct py_toml *v)
{
    if (s.n > 2 && s.p[2] == ':') {
        v->type = PY_TOML_TIME_LOCAL;
        return take_time(&s) && !s.n;
    }
    if (!take_date(&s)) return false;
    v->type = PY_TOML_DATE_LOCAL;
    if (!s.n) return true;
    if (!gf_try_char(&s, 'T') && !gf_try_char(&s, 't') && !gf_take_char(&s, ' ')) return false;
    if (!take_time(&s)) return false;
    v->type = s.n ? PY_TOML_DATETIME : PY_TOML_DATETIME_LOCAL;
    return !s.n || (take_offset(&s) && !s.n);
}

static bool scalar_byte(unsigned char c) { return gf_is_alnum(c) || c == '+' || c == '-' || c == '_' || c == '.' || c == ':'; }

/* A date may have one blank before its time. */
static gf_slice scalar_word(gf_slice s)
{
    size_t n = 0;
    while (n < s.n && scalar_byte((unsigned char)s.p[n])) n++;
    bool date = n == 10 && s.p[4] == '-' && s.p[7] == '-';
    if (date && s.n > n + 3 && s.p[n] == ' ' && gf_is_digit((unsigned char)s.p[n + 1]) && gf_is_digit((unsigned char)s.p[n + 2]) && s.p[n + 3] == ':')
        for (n++; n < s.n && scalar_byte((unsigned char)s.p[n]);) n++;
    return gf_slice_sub(s, 0, n);
}

int py_toml_take_scalar(struct py_toml_parser *p, struct py_toml *v)
{
    gf_slice word = scalar_word(p->s);
    bool moment = (word.n > 4 && word.p[4] == '-' && gf_is_digit((unsigned char)*word.p)) || (word.n > 2 && word.p[2] == ':');
    if (gf_slice_is(word, "true") || gf_slice_is(word, "false")) {
        v->type = PY_TOML_BOOL;
        v->truth = word.n == 4;
    } else if (moment && take_moment(word, v)) {
        char *text = gf_arena_str(p->a, word);
        for (char *c = text; *c; c++) *c = *c == 't' || *c == ' ' ? 'T' : *c == 'z' ? 'Z' : *c;
        v->text = gf_slice_n(text, word.n);
    } else if (moment || !take_number(p, word, v)) {
        return py_toml_fail(p, "a value: a string, number, date, time, true, false, '[' or '{'");
    }
    p->s = gf_slice_from(p->s, word.n);
    return 0;
}
