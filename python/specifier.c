/* PEP 440 version specifiers. */
#include "python/version.h"
#include "base/buf.h"
#include "base/vec.h"

typedef GF_VEC(struct py_spec) spec_vec;

static const struct {
    gf_slice text;
    enum py_op op;
} OPS[] = {
    { { "===", 3 }, PY_ARBITRARY }, { { "==", 2 }, PY_EQ }, { { "~=", 2 }, PY_COMPATIBLE }, { { "!=", 2 }, PY_NE },
    { { "<=", 2 }, PY_LE },         { { ">=", 2 }, PY_GE }, { { "<", 1 }, PY_LT },          { { ">", 1 }, PY_GT },
};

static bool take_op(gf_slice *s, enum py_op *ret, gf_slice *ret_text)
{
    for (size_t i = 0; i < sizeof OPS / sizeof *OPS; i++)
        if (gf_try_lit(s, OPS[i].text)) {
            *ret = OPS[i].op;
            *ret_text = OPS[i].text;
            return true;
        }
    return false;
}

static bool arbitrary_byte(unsigned char c) { return c && !gf_is_space(c) && c != ';' && c != ')'; }

static bool parse_arbitrary(struct gf_arena *a, gf_slice text, struct py_spec *ret)
{
    gf_slice rest = text, got = gf_take_while(&rest, arbitrary_byte);
    if (!got.n || rest.n) return false;
    ret->arbitrary = gf_arena_str(a, got);
    return true;
}

/* A ".*" may follow a bare release only: no suffixes, no local part. */
static bool bare_release(const struct py_version *v) { return !v->pre && !v->has_post && !v->has_dev && !v->nlocal; }

static bool fits_op(const struct py_spec *s)
{
    if (s->wildcard && (!bare_release(&s->v) || (s->op != PY_EQ && s->op != PY_NE))) return false;
    if (s->v.nlocal && s->op != PY_EQ && s->op != PY_NE) return false;
    return s->op != PY_COMPATIBLE || s->v.nrelease > 1;
}

bool py_spec_make(enum py_op op, const struct py_version *v, struct py_spec *ret)
{
    struct py_spec s = { .op = op, .v = *v };
    if (op == PY_ARBITRARY || !fits_op(&s)) return false;
    *ret = s;
    return true;
}

/* The version behind the operator. Old metadata holds "1.0.*" behind ordered operators and "1.0*" for "1.0.*". */
static bool parse_version(struct gf_arena *a, gf_slice *text, bool lenient, struct py_spec *s)
{
    if (gf_slice_ends(*text, GF_S(".*")) || (lenient && gf_slice_ends(*text, GF_S("*")))) {
        text->n -= gf_slice_ends(*text, GF_S(".*")) ? 2 : 1;
        s->wildcard = !lenient || s->op == PY_EQ || s->op == PY_NE;
    }
    if (text->n && gf_is_space((unsigned char)text->p[text->n - 1])) return false;
    return py_version_parse(a, *text, &s->v) && fits_op(s);
}

static bool parse_one(struct gf_arena *a, gf_slice item, bool lenient, struct py_spec *ret)
{
    struct py_spec s = { 0 };
    gf_slice op, text = item;
    if (!take_op(&text, &s.op, &op)) return false;
    bool tilde = lenient && s.op == PY_NE && gf_try_char(&text, '~'); /* "!=~1.0" means "!=1.0.*" */
    text = gf_slice_trim(text);
    if (!(s.op == PY_ARBITRARY ? parse_arbitrary(a, text, &s) : parse_version(a, &text, lenient, &s))) return false;
    s.wildcard |= tilde && bare_release(&s.v);
    s.text = gf_arena_printf(a, "%.*s%.*s%s", GF_FMT(op), GF_FMT(text), s.wildcard ? ".*" : "");
    *ret = s;
    return true;
}

/* The end of the first specifier in s where commas were forgotten: the next operator that follows a version. */
static size_t one_length(gf_slice s)
{
    size_t i = 0;
    while (i < s.n && strchr("=<>!~ \t", s.p[i])) i++;
    while (i < s.n && !strchr("=<>!~", s.p[i])) i++;
    while (i < s.n && s.p[i] == '!' && i + 1 < s.n && gf_is_digit((unsigned char)s.p[i + 1])) /* an epoch */
        for (i++; i < s.n && !strchr("=<>!~", s.p[i]);) i++;
    return i;
}

static bool parse_item(struct gf_arena *a, gf_slice item, bool lenient, spec_vec *out)
{
    struct py_spec s;
    if (!lenient || gf_slice_starts(item, GF_S("==="))) {
        if (!parse_one(a, item, lenient, &s)) return false;
        gf_vec_push(out, s);
        return true;
    }
    while (item.n) {
        size_t n = one_length(item);
        if (!parse_one(a, gf_slice_trim(gf_slice_sub(item, 0, n)), true, &s)) return false;
        gf_vec_push(out, s);
        item = gf_slice_trim(gf_slice_from(item, n));
    }
    return true;
}

/* Takes off what old metadata puts around: (…) and quotes. */
static gf_slice mend_set(struct gf_arena *a, gf_slice text)
{
    if (gf_slice_starts(text, GF_S("(")) && gf_slice_ends(text, GF_S(")"))) text = gf_slice_trim(gf_slice_sub(text, 1, text.n - 2));
    if (gf_slice_chr(text, '\'') < 0 && gf_slice_chr(text, '"') < 0) return text;
    char *copy = gf_arena_str(a, text);
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] != '\'' && text.p[i] != '"') copy[n++] = text.p[i];
    copy[n] = '\0';
    return gf_slice_trim(gf_slice_n(copy, n));
}

bool py_specset_parse(struct gf_arena *a, gf_slice text, bool lenient, struct py_specset *ret)
{
    spec_vec specs = { 0 };
    bool good = true;
    if (!text.p) text = GF_S("");
    text = gf_slice_trim(text);
    if (lenient) text = mend_set(a, text);
    if (lenient && gf_slice_is(text, "*")) text = GF_S("");
    for (gf_slice item; good && gf_slice_field(&text, ',', &item);) {
        item = gf_slice_trim(item);
        if (item.n) good = parse_item(a, item, lenient, &specs);
    }
    if (good) *ret = (struct py_specset){ specs.n ? gf_arena_memdup(a, specs.v, specs.n * sizeof *specs.v) : NULL, (uint32_t)specs.n };
    gf_vec_free(&specs);
    return good;
}

/* The first n parts of the release agree, missing ones being 0. */
static bool same_prefix(const struct py_version *a, const struct py_version *v, uint32_t n)
{
    if (a->epoch != v->epoch) return false;
    for (uint32_t i = 0; i < n; i++)
        if ((i < a->nrelease ? a->release[i] : 0) != (i < v->nrelease ? v->release[i] : 0)) return false;
    return true;
}

static bool same_release(const struct py_version *a, const struct py_version *b)
{
    return same_prefix(a, b, a->nrelease > b->nrelease ? a->nrelease : b->nrelease);
}

static bool equal(const struct py_spec *s, const struct py_version *v)
{
    if (s->wildcard) return same_prefix(&s->v, v, s->v.nrelease);
    return s->v.nlocal ? py_version_cmp(v, &s->v) == 0 : py_version_cmp_public(v, &s->v) == 0;
}

/* <V leaves out the pre-releases of V unless V is one itself. */
static bool less(const struct py_spec *s, const struct py_version *v)
{
    if (py_version_is_pre(&s->v)) return py_version_cmp(v, &s->v) < 0;
    struct py_version first = s->v;
    first.has_dev = true;
    first.dev_n = 0;
    return py_version_cmp(v, &first) < 0;
}

/* >V leaves out the local versions of V, and its post-releases unless V is one itself. */
static bool greater(const struct py_spec *s, const struct py_version *v)
{
    if (py_version_cmp_public(v, &s->v) <= 0) return false;
    if (s->v.has_post || s->v.has_dev) return true;
    return !(same_release(&s->v, v) && s->v.pre == v->pre && s->v.pre_n == v->pre_n);
}

static bool arbitrary_equal(const struct py_spec *s, const struct py_version *v)
{
    return gf_slice_ieq(gf_slice_of(s->arbitrary), gf_slice_of(v->text));
}

bool py_spec_contains(const struct py_spec *s, const struct py_version *v)
{
    switch (s->op) {
    case PY_EQ: return equal(s, v);
    case PY_NE: return !equal(s, v);
    case PY_LE: return py_version_cmp_public(v, &s->v) <= 0;
    case PY_GE: return py_version_cmp(v, &s->v) >= 0;
    case PY_LT: return less(s, v);
    case PY_GT: return greater(s, v);
    case PY_COMPATIBLE: return py_version_cmp(v, &s->v) >= 0 && same_prefix(&s->v, v, s->v.nrelease - 1);
    case PY_ARBITRARY: return arbitrary_equal(s, v);
    }
    return false;
}

bool py_specset_contains(const struct py_specset *s, const struct py_version *v)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (!py_spec_contains(&s->v[i], v)) return false;
    return true;
}

static bool asks_pre(const struct py_spec *s)
{
    if (s->op == PY_NE || s->wildcard) return false;
    if (s->op != PY_ARBITRARY) return py_version_is_pre(&s->v);
    struct py_version_room room;
    struct py_version v;
    return py_version_parse_room(&room, gf_slice_of(s->arbitrary), &v) && py_version_is_pre(&v);
}

bool py_specset_asks_pre(const struct py_specset *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (asks_pre(&s->v[i])) return true;
    return false;
}

bool py_specset_is_exact(const struct py_specset *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->v[i].op == PY_ARBITRARY || (s->v[i].op == PY_EQ && !s->v[i].wildcard)) return true;
    return false;
}

static int by_text(const void *a, const void *b) { return strcmp(((const struct py_spec *)a)->text, ((const struct py_spec *)b)->text); }

/* ">1.0" and ">1.0.0" are one; with "~=" and ".*" the number of parts counts. */
static bool means_same(const struct py_spec *a, const struct py_spec *b)
{
    if (a->op != b->op || a->wildcard != b->wildcard) return false;
    if (a->op == PY_ARBITRARY || a->wildcard) return !strcmp(a->text, b->text);
    return a->op == PY_COMPATIBLE ? !strcmp(a->v.text, b->v.text) : py_version_cmp(&a->v, &b->v) == 0;
}

static bool among(const struct py_spec *s, const struct py_spec *v, size_t n)
{
    enum { LOOK_BACK = 100 }; /* equal ones stand close together */
    for (size_t i = n > LOOK_BACK ? n - LOOK_BACK : 0; i < n; i++)
        if (means_same(s, &v[i])) return true;
    return false;
}

char *py_specset_text(struct gf_arena *a, const struct py_specset *s)
{
    struct py_spec *sorted = s->n ? gf_arena_memdup(a, s->v, s->n * sizeof *sorted) : NULL;
    GF_BUF_SCOPE struct gf_buf out;
    gf_buf_init(&out, GF_CAP_OUTPUT);
    if (s->n) qsort(sorted, s->n, sizeof *sorted, by_text);
    for (size_t i = 0; i < s->n; i++)
        if (!among(&sorted[i], sorted, i)) gf_buf_addf(&out, "%s%s", out.n ? "," : "", sorted[i].text);
    return gf_arena_str(a, gf_buf_slice(&out));
}
