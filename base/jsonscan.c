#include "base/jsonscan.h"

void gf_js_init(struct gf_js *s, gf_slice text, const char *label, struct gf_arena *mem)
{
    *s = (struct gf_js){ .start = text.p, .at = text.p, .end = text.p + text.n, .mem = mem, .label = label, .first = true };
    gf_slice mark = gf_slice_sub(text, 0, 3);
    if (gf_slice_is(mark, "\xef\xbb\xbf")) s->at += 3;
}

static bool fail(struct gf_js *s, const char *what)
{
    if (s->failed) return false;
    size_t line = 1, column = 1;
    for (const char *p = s->start; p < s->at; p++) {
        column = *p == '\n' ? 1 : column + 1;
        if (*p == '\n') line++;
    }
    gf_fail(&s->err, GF_E_PARSE, "'%s' is not JSON: %s at line %zu column %zu", s->label, what, line, column);
    s->failed = true;
    s->at = s->end;
    return false;
}

static void blanks(struct gf_js *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\n' || *s->at == '\r' || *s->at == '\t')) s->at++;
}

enum gf_json_type gf_js_peek(struct gf_js *s)
{
    blanks(s);
    char c = s->at < s->end ? *s->at : '\0';
    switch (c) {
    case '{': return GF_JSON_OBJECT;
    case '[': return GF_JSON_ARRAY;
    case '"': return GF_JSON_STRING;
    case 't': case 'f': return GF_JSON_BOOL;
    case 'n': return GF_JSON_NULL;
    default: break;
    }
    if (c == '-' || gf_is_digit((unsigned char)c)) return GF_JSON_NUMBER;
    fail(s, s->at < s->end ? "a value was expected" : "the text ends too early");
    return GF_JSON_ABSENT;
}

static bool enter(struct gf_js *s, enum gf_json_type type, const char *what)
{
    if (gf_js_peek(s) != type) return fail(s, what);
    if (++s->depth > GF_CAP_JSON_DEPTH) return fail(s, "it is nested too deeply");
    s->at++;
    s->first = true;
    return true;
}

bool gf_js_obj(struct gf_js *s) { return enter(s, GF_JSON_OBJECT, "an object was expected"); }
bool gf_js_arr(struct gf_js *s) { return enter(s, GF_JSON_ARRAY, "a list was expected"); }

/* The comma before the next member, or the end of the level. */
static bool next(struct gf_js *s, char close)
{
    blanks(s);
    if (s->at == s->end) return fail(s, "the text ends too early");
    if (*s->at == close) {
        s->at++;
        s->depth--;
        s->first = false;
        return false;
    }
    if (!s->first) {
        if (*s->at != ',') return fail(s, "a comma was expected");
        s->at++;
        blanks(s);
    }
    s->first = false;
    return true;
}

static int hex4(const char *p)
{
    int v = 0;
    for (int i = 0; i < 4; i++) {
        char c = gf_lower(p[i]);
        if (!gf_is_digit((unsigned char)c) && !(c >= 'a' && c <= 'f')) return -1;
        v = v * 16 + (c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return v;
}

static char *put_utf8(char *out, unsigned c)
{
    if (c < 0x80) {
        *out++ = (char)c;
        return out;
    }
    int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char lead[] = { 0, 0xc0, 0xe0, 0xf0 };
    *out++ = (char)(lead[more] | c >> (6 * more));
    while (more--) *out++ = (char)(0x80 | (c >> (6 * more) & 63));
    return out;
}

/* Behind "\u"; -1 when it is no character that may stand in a text. Consumes what it used. */
static long unicode(struct gf_js *s, const char **at)
{
    int hi = s->end - *at >= 4 ? hex4(*at) : -1;
    *at += 4;
    if (hi <= 0 || (hi >= 0xdc00 && hi < 0xe000)) return -1;
    if (hi < 0xd800 || hi >= 0xe000) return hi;
    int lo = s->end - *at >= 6 && (*at)[0] == '\\' && (*at)[1] == 'u' ? hex4(*at + 2) : -1;
    *at += 6;
    return lo < 0xdc00 || lo >= 0xe000 ? -1 : 0x10000 + ((hi - 0xd800) << 10) + (lo - 0xdc00);
}

/* A string with escapes; s->at is behind its first quote. */
static gf_slice take_escaped(struct gf_js *s, size_t most)
{
    char *out = gf_arena_alloc(s->mem, most + 1), *to = out;
    for (const char *at = s->at; at < s->end;) {
        char c = *at++;
        if (c == '"') {
            s->at = at;
            *to = '\0';
            return gf_slice_n(out, (size_t)(to - out));
        }
        if ((unsigned char)c < ' ') break;
        if (c != '\\') {
            *to++ = c;
            continue;
        }
        if (at == s->end) break;
        static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
        const char *known = memchr(from, c = *at++, sizeof from - 1);
        long u = !known && c == 'u' ? unicode(s, &at) : -1;
        if (!known && u < 0) break;
        if (known) *to++ = into[known - from];
        else to = put_utf8(to, (unsigned)u);
    }
    fail(s, "a string is damaged");
    return GF_NONE;
}

static gf_slice take_string(struct gf_js *s)
{
    const char *from = ++s->at, *quote = from;
    bool plain = true;
    for (;; quote++) { /* the quote that is not escaped */
        quote = memchr(quote, '"', (size_t)(s->end - quote));
        if (!quote) {
            fail(s, "a string does not end");
            return GF_NONE;
        }
        const char *slash = quote;
        while (slash > from && slash[-1] == '\\') slash--;
        if ((quote - slash) % 2 == 0) break;
        plain = false;
    }
    size_t n = (size_t)(quote - from);
    if (!plain || memchr(from, '\\', n)) return take_escaped(s, n);
    bool control = false;
    for (size_t i = 0; i < n; i++) control |= (unsigned char)from[i] < ' ';
    if (control) {
        fail(s, "a string holds a control byte");
        return GF_NONE;
    }
    s->at = quote + 1;
    return gf_slice_n(from, n);
}

bool gf_js_key(struct gf_js *s, gf_slice *ret_key)
{
    if (s->failed || !next(s, '}')) return false;
    if (gf_js_peek(s) != GF_JSON_STRING) return fail(s, "a key was expected");
    *ret_key = take_string(s);
    blanks(s);
    if (!s->failed && (s->at == s->end || *s->at != ':')) return fail(s, "a colon was expected");
    if (!s->failed) s->at++;
    return !s->failed;
}

bool gf_js_item(struct gf_js *s) { return !s->failed && next(s, ']'); }

static bool take_word(struct gf_js *s, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(s->end - s->at) < n || memcmp(s->at, word, n) != 0) return fail(s, "a value was expected");
    s->at += n;
    return true;
}

static size_t digits(struct gf_js *s)
{
    const char *from = s->at;
    while (s->at < s->end && gf_is_digit((unsigned char)*s->at)) s->at++;
    return (size_t)(s->at - from);
}

static gf_slice take_number(struct gf_js *s, bool *ret_whole)
{
    const char *from = s->at;
    if (*s->at == '-') s->at++;
    bool zero = s->at < s->end && *s->at == '0', good = true;
    size_t n = digits(s);
    if (n == 0 || (zero && n > 1)) good = fail(s, "a number is damaged");
    *ret_whole = true;
    if (good && s->at < s->end && *s->at == '.') {
        s->at++;
        *ret_whole = false;
        if (!digits(s)) good = fail(s, "a number is damaged");
    }
    if (good && s->at < s->end && (*s->at | 32) == 'e') {
        s->at++;
        *ret_whole = false;
        if (s->at < s->end && (*s->at == '+' || *s->at == '-')) s->at++;
        if (!digits(s)) good = fail(s, "a number is damaged");
    }
    return good ? gf_slice_n(from, (size_t)(s->at - from)) : GF_NONE;
}

void gf_js_skip(struct gf_js *s)
{
    unsigned level = s->depth;
    uint64_t objects = 0; /* bit n: level n above this one is an object */
    gf_slice key;
    do {
        bool whole, here = s->depth == level, object = !here && (objects >> (s->depth - level - 1) & 1);
        if (!here && !(object ? gf_js_key(s, &key) : gf_js_item(s))) continue;
        switch (gf_js_peek(s)) {
        case GF_JSON_OBJECT:
        case GF_JSON_ARRAY: {
            bool opens = *s->at == '{';
            uint64_t bit = UINT64_C(1) << ((s->depth - level) & 63);
            objects = opens ? objects | bit : objects & ~bit;
            if (opens) gf_js_obj(s);
            else gf_js_arr(s);
            continue;
        }
        case GF_JSON_STRING: take_string(s); break;
        case GF_JSON_NUMBER: take_number(s, &whole); break;
        case GF_JSON_BOOL: take_word(s, *s->at == 't' ? "true" : "false"); break;
        case GF_JSON_NULL: take_word(s, "null"); break;
        case GF_JSON_ABSENT: break;
        }
    } while (s->depth > level && !s->failed);
}

gf_slice gf_js_str(struct gf_js *s)
{
    if (gf_js_peek(s) == GF_JSON_STRING) return take_string(s);
    gf_js_skip(s);
    return GF_NONE;
}

bool gf_js_bool(struct gf_js *s, bool *ret)
{
    bool is = gf_js_peek(s) == GF_JSON_BOOL, value = is && *s->at == 't';
    gf_js_skip(s);
    if (is && !s->failed) *ret = value;
    return is && !s->failed;
}

bool gf_js_int(struct gf_js *s, int64_t *ret)
{
    if (gf_js_peek(s) != GF_JSON_NUMBER) {
        gf_js_skip(s);
        return false;
    }
    bool whole = false;
    uint64_t v = 0;
    gf_slice text = take_number(s, &whole);
    bool minus = gf_try_char(&text, '-');
    if (!whole || !gf_slice_u64(text, &v)) return false;
    if (v > UINT64_C(1) << 53) return fail(s, "a whole number beyond 2^53 stands before");
    *ret = minus ? -(int64_t)v : (int64_t)v;
    return true;
}

int gf_js_end(struct gf_js *s, struct gf_err *err)
{
    blanks(s);
    if (!s->failed && s->depth) fail(s, "the text ends too early");
    if (!s->failed && s->at < s->end) fail(s, "text stands behind the document");
    return s->failed ? gf_fail(err, s->err.code, "%s", s->err.text) : 0;
}
