/* Markers against the facts of a target. */
#include "python/marker_ast.h"

struct eval {
    const struct py_env *env;
    const struct py_selection *sel;
    bool one_extra; /* "extra" is a string, so that all operators have a meaning */
};

static enum py_tri tri(bool b) { return b ? PY_YES : PY_NO; }

/* Value against one specifier; a value that is no version fits nothing but an equal ===. */
static enum py_tri by_spec(const struct py_spec *spec, gf_slice value)
{
    struct py_version_room room;
    struct py_version v;
    if (spec->op == PY_ARBITRARY) return tri(gf_slice_ieq(gf_slice_of(spec->arbitrary), gf_slice_trim(value)));
    return tri(py_version_parse_room(&room, value, &v) && py_spec_contains(spec, &v));
}

static enum py_tri as_strings(unsigned op, gf_slice l, gf_slice r)
{
    switch (op) {
    case PY_EQ:
    case PY_LE:
    case PY_GE: return tri(gf_slice_eq(l, r));
    case PY_NE: return tri(!gf_slice_eq(l, r));
    case PY_LT:
    case PY_GT: return PY_NO;
    case PY_M_IN: return tri(gf_slice_has(r, l));
    case PY_M_NOT_IN: return tri(!gf_slice_has(r, l));
    default: return PY_UNKNOWN; /* ~= and === say nothing about strings */
    }
}

static bool has_word(gf_slice list, gf_slice word)
{
    while (list.n) {
        size_t n = 0;
        while (n < list.n && list.p[n] != ',' && !gf_is_space((unsigned char)list.p[n])) n++;
        if (gf_slice_eq(gf_slice_sub(list, 0, n), word)) return true;
        list = gf_slice_from(list, n + 1);
    }
    return false;
}

static bool starts_with_digit(gf_slice s) { return s.n && gf_is_digit((unsigned char)*s.p); }

static enum py_tri by_order(unsigned op, int c)
{
    switch (op) {
    case PY_LT: return tri(c < 0);
    case PY_LE: return tri(c <= 0);
    case PY_GT: return tri(c > 0);
    case PY_GE: return tri(c >= 0);
    default: return PY_UNKNOWN;
    }
}

/* Both sides as versions, when they are. */
static bool as_versions(unsigned op, gf_slice l, gf_slice r, enum py_tri *ret)
{
    struct py_version_room room;
    struct py_version v;
    struct py_spec spec;
    if (op >= PY_ARBITRARY || !py_version_parse_room(&room, r, &v) || !py_spec_make((enum py_op)op, &v, &spec)) return false;
    *ret = by_spec(&spec, l);
    return true;
}

static bool is_version(gf_slice s)
{
    struct py_version_room room;
    struct py_version v;
    return py_version_parse_room(&room, s, &v);
}

static enum py_tri as_facts(const struct py_marker *m, gf_slice l, gf_slice r)
{
    enum py_tri t;
    if (m->op == PY_M_IN || m->op == PY_M_NOT_IN) return tri(has_word(r, l) == (m->op == PY_M_IN));
    if (m->op == PY_ARBITRARY) return tri(gf_slice_eq(l, r));
    if (is_version(l)) {
        if (m->spec) return by_spec(&m->spec->v[0], l);
        if (as_versions(m->op, l, r, &t)) return t;
    }
    if (m->op == PY_EQ || m->op == PY_NE) return tri(gf_slice_eq(l, r) == (m->op == PY_EQ));
    return starts_with_digit(l) && starts_with_digit(r) ? by_order(m->op, gf_dotted_cmp(l, r)) : PY_UNKNOWN;
}

static bool contains(const gf_slice *set, size_t n, gf_slice name)
{
    for (size_t i = 0; i < n; i++)
        if (gf_slice_eq(set[i], name)) return true;
    return false;
}

/* extra == 'x' asks whether x is among those selected; without any, extra is the empty string. */
static enum py_tri by_extra(const struct py_marker *m, const struct py_selection *sel, bool one)
{
    bool left = m->left.variable;
    gf_slice literal = left ? m->right.text : m->left.text;
    static const gf_slice none = { "", 0 };
    const gf_slice *set = sel->nextras ? sel->extras : &none;
    size_t n = sel->nextras ? sel->nextras : 1;
    if (m->op == PY_EQ || m->op == PY_NE) return tri(contains(set, n, literal) == (m->op == PY_EQ));
    if (!one) return PY_UNKNOWN;
    return left ? as_strings(m->op, set[0], literal) : as_strings(m->op, literal, set[0]);
}

static enum py_tri by_set(const struct py_marker *m, const struct py_selection *sel)
{
    bool extras = gf_slice_is(m->right.text, "extras");
    if (m->left.variable || (m->op != PY_M_IN && m->op != PY_M_NOT_IN)) return PY_UNKNOWN;
    bool in = extras ? contains(sel->extras, sel->nextras, m->left.text) : contains(sel->groups, sel->ngroups, m->left.text);
    return tri(in == (m->op == PY_M_IN));
}

static bool is_set_variable(const struct py_marker_side *s)
{
    return s->variable && (gf_slice_is(s->text, "extras") || gf_slice_is(s->text, "dependency_groups"));
}

/* "nvidia :: sm_arch" against the first parts of "nvidia::sm_arch::90_real", blanks around the colons apart. */
static bool is_property(gf_slice literal, gf_slice property, unsigned parts)
{
    for (unsigned i = 0; i < parts; i++) {
        ptrdiff_t at = gf_slice_find(literal, GF_S("::")), end = gf_slice_find(property, GF_S("::"));
        if ((at < 0) != (i + 1 == parts)) return false;
        gf_slice l = gf_slice_sub(literal, 0, at < 0 ? literal.n : (size_t)at), p = gf_slice_sub(property, 0, end < 0 ? property.n : (size_t)end);
        if (!gf_slice_eq(gf_slice_trim(l), p)) return false;
        literal = at < 0 ? GF_S("") : gf_slice_from(literal, (size_t)at + 2);
        property = end < 0 ? GF_S("") : gf_slice_from(property, (size_t)end + 2);
    }
    return true;
}

/* variant_label, variant_properties, variant_features and variant_namespaces: of the wheel that the requirement belongs to. */
static enum py_tri by_variant(const struct py_marker *m, const struct py_marker_side *var, const struct py_marker_variant *v)
{
    bool left = var == &m->left;
    if (gf_slice_is(var->text, "variant_label")) {
        gf_slice label = gf_slice_of(v ? v->label : "");
        return left ? as_strings(m->op, label, m->right.text) : as_strings(m->op, m->left.text, label);
    }
    if (left || (m->op != PY_M_IN && m->op != PY_M_NOT_IN)) return PY_UNKNOWN;
    unsigned parts = gf_slice_is(var->text, "variant_properties") ? 3 : gf_slice_is(var->text, "variant_features") ? 2 : 1;
    bool in = false;
    for (uint32_t i = 0; v && i < v->n && !in; i++) in = is_property(m->left.text, gf_slice_of(v->properties[i]), parts);
    return tri(in == (m->op == PY_M_IN));
}

/* One side names the fact, the right one when none is a variable; the other is text, even where it looks like a variable. */
static enum py_tri compare(const struct py_marker *m, const struct eval *e)
{
    const struct py_marker_side *var = m->left.variable ? &m->left : &m->right;
    gf_slice value, l = m->left.text, r = m->right.text;
    if (m->dialect == PY_MARKER_PEP508 && var->variable) {
        if (is_set_variable(&m->left) || is_set_variable(&m->right)) return by_set(m, e->sel);
        if (gf_slice_is(var->text, "extra")) return by_extra(m, e->sel, e->one_extra);
        if (*var->text.p == 'v') return by_variant(m, var, e->env->variant);
    }
    if (!e->env->lookup(e->env->arg, var->text, &value) || !value.p) return PY_UNKNOWN;
    if (var == &m->left) l = value;
    else r = value;
    if (m->dialect == PY_MARKER_FACTS) return as_facts(m, l, r);
    enum py_tri t;
    if (m->spec) return by_spec(&m->spec->v[0], l);
    if (var == &m->right && py_marker_is_version_variable(var->text) && as_versions(m->op, l, r, &t)) return t;
    return as_strings(m->op, l, r);
}

static enum py_tri eval(const struct py_marker *m, const struct eval *e)
{
    if (!m->n) return compare(m, e);
    enum py_tri any = PY_NO, all = PY_YES;
    for (uint32_t i = 0; i < m->n; i++) {
        if (i && m->or_before[i]) {
            any = py_or(any, all);
            all = PY_YES;
        }
        if (any == PY_YES) break;
        if (all != PY_NO) all = py_and(all, eval(m->item[i], e));
    }
    return py_or(any, all);
}

static enum py_tri run(const struct py_marker *m, const struct py_env *env, const struct py_selection *sel, bool one_extra)
{
    struct eval e = { env, sel, one_extra };
    return m ? eval(m, &e) : PY_YES;
}

enum py_tri py_marker_eval_selection(const struct py_marker *m, const struct py_env *env, const struct py_selection *sel)
{
    return run(m, env, sel, sel->nextras == 0);
}

enum py_tri py_marker_eval_set(const struct py_marker *m, const struct py_env *env, const gf_slice *extras, size_t n)
{
    struct py_selection sel = { .extras = extras, .nextras = n };
    return py_marker_eval_selection(m, env, &sel);
}

enum py_tri py_marker_eval(const struct py_marker *m, const struct py_env *env, gf_slice extra)
{
    struct py_selection sel = { .extras = &extra, .nextras = extra.p ? 1 : 0 };
    return run(m, env, &sel, true);
}
