/* PEP 508 markers: parsing and printing. A recursive descent over the grammar of the specification of dependency specifiers. */
#include "python/marker_ast.h"
#include "base/buf.h"
#include "base/vec.h"
#include "python/utf8.h"
#include "python/wheel.h"

struct parser {
    struct gf_arena *a;
    gf_slice all, s;
    enum py_marker_dialect dialect;
    unsigned depth;
    struct gf_err *err;
};

static const struct {
    gf_slice text;
    unsigned op;
} OPS[] = {
    { { "===", 3 }, PY_ARBITRARY }, { { "==", 2 }, PY_EQ }, { { "~=", 2 }, PY_COMPATIBLE }, { { "!=", 2 }, PY_NE },    { { "<=", 2 }, PY_LE },
    { { ">=", 2 }, PY_GE },         { { "<", 1 }, PY_LT },  { { ">", 1 }, PY_GT },          { { "in", 2 }, PY_M_IN }, { { "not in", 6 }, PY_M_NOT_IN },
};
enum { N_SYMBOL_OPS = 8 };

static const char *const VARIABLES[] = {
    "python_version", "python_full_version", "os_name", "sys_platform", "platform_release", "platform_system", "platform_version",
    "platform_machine", "platform_python_implementation", "implementation_name", "implementation_version", "extra", "extras", "dependency_groups",
    "variant_label", "variant_properties", "variant_features", "variant_namespaces",
};

static int fail(const struct parser *p, const char *expected)
{
    size_t at = p->all.n - p->s.n;
    gf_slice seen = gf_slice_sub(p->s, 0, 20);
    if (seen.n) return gf_fail(p->err, GF_E_PARSE, "marker '%.*s': expected %s at column %zu, found '%.*s'", GF_FMT(p->all), expected, at + 1, GF_FMT(seen));
    return gf_fail(p->err, GF_E_PARSE, "marker '%.*s': expected %s at its end", GF_FMT(p->all), expected);
}

static void skip_ws(struct parser *p)
{
    while (p->s.n && (*p->s.p == ' ' || *p->s.p == '\t')) p->s = gf_slice_from(p->s, 1);
}

static bool word_byte(unsigned char c) { return gf_is_alnum(c) || c == '_'; }
static bool name_byte(unsigned char c) { return word_byte(c) || c == '.'; }
static bool bare_byte(unsigned char c) { return name_byte(c) || c == '-' || c == '+' || c == '*'; }

static bool try_keyword(struct parser *p, gf_slice word)
{
    gf_slice rest = p->s;
    if (!gf_try_lit(&rest, word) || (rest.n && word_byte((unsigned char)*rest.p))) return false;
    p->s = rest;
    return true;
}

static int parse_op(struct parser *p, unsigned *ret)
{
    for (size_t i = 0; i < N_SYMBOL_OPS; i++)
        if (gf_try_lit(&p->s, OPS[i].text)) {
            *ret = OPS[i].op;
            return 0;
        }
    if (p->dialect == PY_MARKER_FACTS && gf_try_char(&p->s, '=')) return *ret = PY_EQ, 0;
    if (try_keyword(p, GF_S("in"))) return *ret = PY_M_IN, 0;
    if (try_keyword(p, GF_S("not")) && p->s.n && (*p->s.p == ' ' || *p->s.p == '\t')) {
        skip_ws(p);
        if (try_keyword(p, GF_S("in"))) return *ret = PY_M_NOT_IN, 0;
    }
    return fail(p, "an operator (==, !=, <, <=, >, >=, ~=, ===, in, not in)");
}

/* The old dotted names and python_implementation mean their modern forms. NULL for no variable. */
static const char *modern_name(struct gf_arena *a, gf_slice word)
{
    if (gf_slice_is(word, "python_implementation")) return "platform_python_implementation";
    char *name = gf_arena_str(a, word);
    for (char *c = name; *c; c++)
        if (*c == '.') *c = '_';
    for (size_t i = 0; i < sizeof VARIABLES / sizeof *VARIABLES; i++)
        if (!strcmp(name, VARIABLES[i])) return VARIABLES[i];
    return NULL;
}

/* The character behind a backslash, as Python reads it: \x41 \u0041 \U00000041 \101; false where that is none. */
static bool take_code(gf_slice *s, unsigned digits, unsigned base, uint32_t *ret)
{
    uint32_t c = 0;
    unsigned n = 0;
    for (; n < digits && s->n; n++, *s = gf_slice_from(*s, 1)) {
        static const char hex[] = "0123456789abcdef";
        const char *at = memchr(hex, gf_lower(*s->p), base);
        if (!at) break;
        c = c * base + (uint32_t)(at - hex);
    }
    *ret = c;
    return c && c <= 0x10FFFF && (base == 8 ? n > 0 : n == digits);
}

static bool take_escape(gf_slice *s, char **out)
{
    static const char from[] = "\\'\"nrtabfv", to[] = "\\'\"\n\r\t\a\b\f\v";
    if (!s->n) return false;
    char kind = *s->p;
    const char *hit = kind ? strchr(from, kind) : NULL;
    uint32_t code;
    if (kind >= '0' && kind <= '7') {
        if (!take_code(s, 3, 8, &code)) return false;
        *out = py_put_utf8(*out, code);
        return true;
    }
    *s = gf_slice_from(*s, 1);
    if (kind == 'x' || kind == 'u' || kind == 'U') {
        if (!take_code(s, kind == 'x' ? 2 : kind == 'u' ? 4 : 8, 16, &code)) return false;
        *out = py_put_utf8(*out, code);
        return true;
    }
    if (kind == 'N') return false;
    if (!hit) *(*out)++ = '\\';
    *(*out)++ = hit ? to[hit - from] : kind;
    return true;
}

/* The text between the quotes with Python's escapes resolved, GF_NONE where one is broken. */
static gf_slice unescape(struct gf_arena *a, gf_slice s)
{
    char *out = gf_arena_alloc(a, s.n + 1), *p = out;
    while (s.n) {
        char c = *s.p;
        s = gf_slice_from(s, 1);
        if (c != '\\') *p++ = c;
        else if (!take_escape(&s, &p)) return GF_NONE;
    }
    *p = '\0';
    return gf_slice_n(out, (size_t)(p - out));
}

static int parse_quoted(struct parser *p, struct py_marker_side *ret)
{
    char quote = *p->s.p;
    gf_slice rest = gf_slice_from(p->s, 1), text;
    if (!gf_slice_cut(&rest, quote, &text)) return fail(p, "a string with its closing quote");
    text = unescape(p->a, text);
    if (!text.p) return fail(p, "a string whose backslashes begin an escape that Python knows");
    *ret = (struct py_marker_side){ false, text };
    p->s = rest;
    return 0;
}

static int parse_bare(struct parser *p, bool variable, struct py_marker_side *ret)
{
    gf_slice rest = p->s, word = gf_take_while(&rest, variable ? name_byte : bare_byte);
    if (!word.n || (variable && !gf_is_alpha((unsigned char)*word.p) && *word.p != '_')) return fail(p, variable ? "a name" : "a value");
    *ret = (struct py_marker_side){ variable, gf_slice_n(gf_arena_str(p->a, word), word.n) };
    p->s = rest;
    return 0;
}

static int parse_side(struct parser *p, bool bare_is_variable, struct py_marker_side *ret)
{
    if (p->s.n && (*p->s.p == '"' || *p->s.p == '\'')) return parse_quoted(p, ret);
    if (p->dialect == PY_MARKER_FACTS) return parse_bare(p, bare_is_variable, ret);
    gf_slice rest = p->s, word = gf_take_while(&rest, name_byte);
    const char *name = word.n ? modern_name(p->a, word) : NULL;
    if (!name) return fail(p, "a marker variable or a quoted string");
    *ret = (struct py_marker_side){ true, gf_slice_of(name) };
    p->s = rest;
    return 0;
}

bool py_marker_is_version_variable(gf_slice name)
{
    return gf_slice_is(name, "python_version") || gf_slice_is(name, "python_full_version") || gf_slice_is(name, "implementation_version") ||
           gf_slice_is(name, "platform_release");
}

static gf_slice normalized(struct gf_arena *a, gf_slice name) { return gf_slice_of(py_name_normalize(a, name)); }

/* PEP 685: names of extras and groups compare normalized. */
static void normalize_extras(struct gf_arena *a, struct py_marker *m)
{
    struct py_marker_side *l = &m->left, *r = &m->right;
    if (l->variable && gf_slice_is(l->text, "extra") && !r->variable) r->text = normalized(a, r->text);
    if (!l->variable && r->variable && (gf_slice_is(r->text, "extra") || gf_slice_is(r->text, "extras") || gf_slice_is(r->text, "dependency_groups")))
        l->text = normalized(a, l->text);
}

static const char *op_text(unsigned op)
{
    size_t i = 0;
    while (OPS[i].op != op) i++;
    return OPS[i].text.p;
}

static void prepare_spec(struct gf_arena *a, struct py_marker *m)
{
    if (m->op > PY_ARBITRARY || !m->left.variable || m->right.variable) return;
    if (m->dialect == PY_MARKER_PEP508 && !py_marker_is_version_variable(m->left.text)) return;
    if (gf_slice_chr(m->right.text, ',') >= 0) return;
    struct py_specset set;
    const char *text = gf_arena_printf(a, "%s%.*s", op_text(m->op), GF_FMT(m->right.text));
    if (!py_specset_parse(a, gf_slice_of(text), false, &set) || set.n != 1) return;
    m->spec = gf_arena_memdup(a, &set, sizeof set);
}

static int parse_comparison(struct parser *p, const struct py_marker **ret)
{
    struct py_marker *m = GF_NEW(p->a, struct py_marker);
    m->dialect = p->dialect;
    if (parse_side(p, true, &m->left)) return -1;
    skip_ws(p);
    if (parse_op(p, &m->op)) return -1;
    skip_ws(p);
    if (parse_side(p, !m->left.variable, &m->right)) return -1;
    if (p->dialect == PY_MARKER_PEP508) normalize_extras(p->a, m);
    prepare_spec(p->a, m);
    *ret = m;
    return 0;
}

static int parse_list(struct parser *p, const struct py_marker **ret);

static int parse_atom(struct parser *p, const struct py_marker **ret)
{
    skip_ws(p);
    if (gf_try_char(&p->s, '(')) {
        if (++p->depth > GF_CAP_MARKER_DEPTH) return fail(p, "fewer nested parentheses");
        if (parse_list(p, ret)) return -1;
        if (!gf_try_char(&p->s, ')')) return fail(p, "'and', 'or' or the closing ')'");
        p->depth--;
    } else if (parse_comparison(p, ret)) {
        return -1;
    }
    skip_ws(p);
    return 0;
}

static int parse_list(struct parser *p, const struct py_marker **ret)
{
    GF_VEC(const struct py_marker *) items = { 0 };
    GF_VEC(bool) ors = { 0 };
    const struct py_marker *item = NULL;
    int rc = parse_atom(p, &item);
    bool is_or = false;
    while (!rc) {
        gf_vec_push(&items, item);
        gf_vec_push(&ors, is_or);
        is_or = try_keyword(p, GF_S("or"));
        if (!is_or && !try_keyword(p, GF_S("and"))) break;
        rc = parse_atom(p, &item);
    }
    if (!rc && items.n == 1) *ret = item;
    if (!rc && items.n > 1) {
        struct py_marker *m = GF_NEW(p->a, struct py_marker);
        m->dialect = p->dialect;
        m->n = (uint32_t)items.n;
        m->item = gf_arena_memdup(p->a, items.v, items.n * sizeof *items.v);
        m->or_before = gf_arena_memdup(p->a, ors.v, ors.n * sizeof *ors.v);
        *ret = m;
    }
    gf_vec_free(&items);
    gf_vec_free(&ors);
    return rc;
}

int py_marker_parse(struct gf_arena *a, gf_slice text, enum py_marker_dialect d, const struct py_marker **ret, struct gf_err *err)
{
    struct parser p = { a, text, text, d, 0, err };
    const struct py_marker *m = NULL;
    if (!text.p || memchr(text.p, '\0', text.n)) return gf_fail(err, GF_E_PARSE, "a marker is missing or holds a NUL byte: expected like python_version >= \"3.9\"");
    if (parse_list(&p, &m)) return -1;
    if (p.s.n) return fail(&p, "'and', 'or' or the end");
    *ret = m;
    return 0;
}

bool py_marker_mentions(const struct py_marker *m, gf_slice variable)
{
    if (!m) return false;
    for (uint32_t i = 0; i < m->n; i++)
        if (py_marker_mentions(m->item[i], variable)) return true;
    if (m->n) return false;
    return (m->left.variable && gf_slice_eq(m->left.text, variable)) || (m->right.variable && gf_slice_eq(m->right.text, variable));
}

static bool is_variant_side(const struct py_marker_side *s) { return s->variable && gf_slice_starts(s->text, GF_S("variant_")); }

bool py_marker_asks_variant(const struct py_marker *m)
{
    if (!m) return false;
    for (uint32_t i = 0; i < m->n; i++)
        if (py_marker_asks_variant(m->item[i])) return true;
    return !m->n && (is_variant_side(&m->left) || is_variant_side(&m->right));
}

static void put_side(struct gf_buf *out, const struct py_marker_side *side)
{
    const char *quote = side->variable ? "" : gf_slice_chr(side->text, '"') < 0 ? "\"" : "'";
    gf_buf_addf(out, "%s%.*s%s", quote, GF_FMT(side->text), quote);
}

static void put(struct gf_buf *out, const struct py_marker *m, bool outermost)
{
    if (!m->n) {
        put_side(out, &m->left);
        gf_buf_addf(out, " %s ", op_text(m->op));
        put_side(out, &m->right);
        return;
    }
    if (!outermost) gf_buf_addc(out, '(');
    for (uint32_t i = 0; i < m->n; i++) {
        if (i) gf_buf_adds(out, m->or_before[i] ? " or " : " and ");
        put(out, m->item[i], false);
    }
    if (!outermost) gf_buf_addc(out, ')');
}

char *py_marker_text(struct gf_arena *a, const struct py_marker *m)
{
    GF_BUF_SCOPE struct gf_buf out;
    gf_buf_init(&out, GF_CAP_OUTPUT);
    put(&out, m, true);
    return gf_arena_str(a, gf_buf_slice(&out));
}
