#include "python/variants.h"
#include "base/json.h"
#include "base/limits.h"
#include "python/wheel.h"
#include <stdlib.h>

enum { MOST_SPACES = 1000, MOST_VARIANTS = 10000, MOST_FEATURES = 1000, MOST_VALUES = 1000 };
static const uint32_t BEHIND_ORDER = 1u << 20; /* places of what the package gives no order */

struct reader { struct gf_arena *a; const char *label; struct gf_err *err; };

static int wrong(const struct reader *r, const char *where, const char *expected)
{
    return gf_fail(r->err, GF_E_PARSE, "'%s': /%s: expected %s", r->label, where, expected);
}

static bool is_name(gf_slice s, bool dots)
{
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (!gf_is_digit(c) && !(c >= 'a' && c <= 'z') && c != '_' && !(dots && c == '.')) return false;
    }
    return s.n > 0;
}

/* ".../v0.1.1.json": the version's first number. */
static int check_schema(const struct reader *r, gf_slice url)
{
    ptrdiff_t at = gf_slice_rchr(url, '/');
    gf_slice file = gf_slice_from(url, (size_t)(at + 1));
    uint64_t major = UINT64_MAX;
    if (url.p && gf_try_char(&file, 'v')) major = gf_take_u64(&file);
    if (!url.p || !file.p || !gf_try_char(&file, '.') || major > 1)
        return gf_fail(r->err, GF_E_PARSE, "'%s': $schema is \"%.*s\", expected version 0 or 1 of the format of wheel variants", r->label, GF_FMT(url));
    return 0;
}

/* A list of different names. */
static int read_names(const struct reader *r, const gf_json *list, const char *where, bool dots, uint32_t most, const char *const **ret, uint32_t *ret_n)
{
    size_t n = gf_json_type(list) == GF_JSON_ARRAY ? gf_json_count(list) : 0;
    if (!n || n > most) return wrong(r, where, n ? "fewer entries" : "a list that is not empty");
    const char **v = GF_NEW_ARRAY(r->a, const char *, n);
    uint32_t at = 0;
    for (const gf_json *c = gf_json_first(list); c; c = gf_json_next(c)) {
        gf_slice s = gf_json_str(c);
        if (!s.p || !is_name(s, dots)) return wrong(r, where, dots ? "values of a-z, 0-9, _ and ." : "names of a-z, 0-9 and _");
        v[at] = gf_arena_str(r->a, s);
        for (uint32_t i = 0; i < at; i++)
            if (strcmp(v[i], v[at]) == 0) return wrong(r, where, "each entry once");
        at++;
    }
    *ret = v;
    *ret_n = at;
    return 0;
}

static bool has_space(const struct py_variants *p, const char *space)
{
    for (uint32_t i = 0; i < p->nspaces; i++)
        if (strcmp(p->spaces[i], space) == 0) return true;
    return false;
}

static size_t count_below(const gf_json *spaces)
{
    size_t n = 0;
    for (const gf_json *s = gf_json_first(spaces); s; s = gf_json_next(s)) n += gf_json_count(s);
    return n;
}

/* {space: {feature: [value]}} */
static int read_features(const struct reader *r, const struct py_variants *p, const gf_json *spaces, const char *where, const struct py_variant_feature **ret, uint32_t *ret_n)
{
    if (gf_json_type(spaces) != GF_JSON_OBJECT) return wrong(r, where, "an object of namespaces");
    size_t n = count_below(spaces);
    if (n > MOST_FEATURES) return wrong(r, where, "fewer features");
    struct py_variant_feature *v = GF_NEW_ARRAY(r->a, struct py_variant_feature, n + 1), *f = v;
    for (const gf_json *s = gf_json_first(spaces); s; s = gf_json_next(s)) {
        if (gf_json_type(s) != GF_JSON_OBJECT) return wrong(r, where, "an object of features below each namespace");
        if (!has_space(p, gf_json_key(s))) return wrong(r, where, "namespaces of default-priorities/namespace only");
        for (const gf_json *c = gf_json_first(s); c; c = gf_json_next(c), f++) {
            if (!is_name(gf_slice_of(gf_json_key(c)), false)) return wrong(r, where, "features of a-z, 0-9 and _");
            f->space = gf_arena_strz(r->a, gf_json_key(s));
            f->name = gf_arena_strz(r->a, gf_json_key(c));
            if (read_names(r, c, where, true, MOST_VALUES, &f->values, &f->n)) return -1;
        }
    }
    *ret = v;
    *ret_n = (uint32_t)(f - v);
    return 0;
}

/* What drafts before PEP 825 add: {"feature": {space: [name]}, "property": {space: {feature: [value]}}}. */
static int read_order(const struct reader *r, const gf_json *priorities, struct py_variants *p)
{
    const gf_json *features = gf_json_get(priorities, "feature"), *values = gf_json_get(priorities, "property");
    const struct py_variant_feature *of_values = NULL;
    uint32_t nvalues = 0, n = 0;
    if (features && gf_json_type(features) != GF_JSON_OBJECT) return wrong(r, "default-priorities/feature", "an object of namespaces");
    if (values && read_features(r, p, values, "default-priorities/property", &of_values, &nvalues)) return -1;
    size_t most = count_below(features) + nvalues;
    if (most > MOST_FEATURES) return wrong(r, "default-priorities/feature", "fewer features");
    struct py_variant_feature *v = GF_NEW_ARRAY(r->a, struct py_variant_feature, most + 1);
    for (const gf_json *s = gf_json_first(features); s; s = gf_json_next(s)) {
        const char *const *names = NULL;
        uint32_t count = 0;
        if (gf_json_type(s) == GF_JSON_ARRAY && !gf_json_count(s)) continue;
        if (read_names(r, s, "default-priorities/feature", false, MOST_FEATURES, &names, &count)) return -1;
        for (uint32_t i = 0; i < count; i++) v[n++] = (struct py_variant_feature){ .space = gf_arena_strz(r->a, gf_json_key(s)), .name = names[i] };
    }
    if (nvalues) memcpy(v + n, of_values, nvalues * sizeof *v);
    p->order = v;
    p->norder = n + nvalues;
    return 0;
}

static int read_variants(const struct reader *r, const gf_json *all, struct py_variants *p)
{
    if (gf_json_type(all) != GF_JSON_OBJECT) return wrong(r, "variants", "an object of labels");
    size_t n = gf_json_count(all);
    if (n > MOST_VARIANTS) return wrong(r, "variants", "fewer labels");
    struct py_variant *v = GF_NEW_ARRAY(r->a, struct py_variant, n + 1);
    for (const gf_json *c = gf_json_first(all); c; c = gf_json_next(c), p->n++) {
        struct py_variant *one = &v[p->n];
        gf_slice label = gf_slice_of(gf_json_key(c));
        if (!py_wheel_label_valid(label)) return wrong(r, "variants", "labels of a-z, 0-9, _ and .");
        one->label = gf_arena_str(r->a, label);
        if (read_features(r, p, c, gf_arena_printf(r->a, "variants/%s", one->label), &one->features, &one->n)) return -1;
        if (gf_slice_is(label, "null") && one->n) return wrong(r, "variants/null", "no properties: it stands for the variant that always fits");
    }
    p->v = v;
    return 0;
}

static int read_document(const struct reader *r, const gf_json *root, struct py_variants *p)
{
    const gf_json *priorities = gf_json_get(root, "default-priorities");
    if (gf_json_type(root) != GF_JSON_OBJECT) return wrong(r, "", "an object");
    if (check_schema(r, gf_json_get_str(root, "$schema"))) return -1;
    if (read_names(r, gf_json_get(priorities, "namespace"), "default-priorities/namespace", false, MOST_SPACES, &p->spaces, &p->nspaces)) return -1;
    if (read_order(r, priorities, p)) return -1;
    return read_variants(r, gf_json_get(root, "variants"), p);
}

int py_variants_parse(struct gf_arena *a, gf_slice text, const char *label, struct py_variants *ret, struct gf_err *err)
{
    struct gf_json_doc *doc GF_JSON_SCOPE = NULL;
    struct reader r = { a, label, err };
    struct py_variants p = { 0 };
    if (text.n > GF_CAP_VARIANTS) return gf_fail(err, GF_E_LIMIT, "'%s' is longer than %u bytes", label, GF_CAP_VARIANTS);
    if (gf_json_parse(text, label, &doc, err) || read_document(&r, gf_json_root(doc), &p)) return -1;
    *ret = p;
    return 0;
}

const struct py_variant *py_variants_find(const struct py_variants *all, gf_slice label)
{
    for (uint32_t i = 0; i < all->n; i++)
        if (gf_slice_is(label, all->v[i].label)) return &all->v[i];
    return NULL;
}

/* --- order ------------------------------------------------------------------------------------------------------- */

static uint32_t place_of_space(const struct py_variants *all, const char *space)
{
    uint32_t i = 0;
    while (i < all->nspaces && strcmp(all->spaces[i], space) != 0) i++;
    return i;
}

static uint32_t place_of_feature(const struct py_variants *all, const struct py_variant_feature *f, const struct py_variant_target *t)
{
    for (uint32_t i = 0; i < all->norder; i++)
        if (!all->order[i].n && strcmp(all->order[i].space, f->space) == 0 && strcmp(all->order[i].name, f->name) == 0) return i;
    int place = t->feature(t->arg, f->space, f->name);
    return BEHIND_ORDER + (uint32_t)(place < 0 ? 0 : place);
}

static bool has_value(const struct py_variant_feature *f, const char *value)
{
    for (uint32_t i = 0; i < f->n; i++)
        if (strcmp(f->values[i], value) == 0) return true;
    return false;
}

/* The place of the best value: in the package's own order where it has one, else in the target's. */
static bool place_of_value(const struct py_variants *all, const struct py_variant_feature *f, const struct py_variant_target *t, uint32_t *ret)
{
    int place = t->value(t->arg, f);
    if (place < 0) return false;
    *ret = BEHIND_ORDER + (uint32_t)place;
    for (uint32_t i = 0; i < all->norder; i++) {
        const struct py_variant_feature *o = &all->order[i];
        if (!o->n || strcmp(o->space, f->space) != 0 || strcmp(o->name, f->name) != 0) continue;
        for (uint32_t k = 0; k < o->n; k++) {
            struct py_variant_feature one = { f->space, f->name, &o->values[k], 1 };
            if (!has_value(f, o->values[k]) || t->value(t->arg, &one) < 0) continue;
            *ret = k;
            return true;
        }
    }
    return true;
}

static int compare_keys(const void *pa, const void *pb)
{
    const struct py_variant_key *a = pa, *b = pb;
    if (a->space != b->space) return a->space < b->space ? -1 : 1;
    if (a->feature != b->feature) return a->feature < b->feature ? -1 : 1;
    return a->value < b->value ? -1 : a->value > b->value;
}

bool py_variant_rank(struct gf_arena *a, const struct py_variants *all, const struct py_variant *v, const struct py_variant_target *t, struct py_variant_rank *ret)
{
    struct py_variant_key *keys = GF_NEW_ARRAY(a, struct py_variant_key, v->n + 1);
    for (uint32_t i = 0; i < v->n; i++) {
        keys[i] = (struct py_variant_key){ .space = place_of_space(all, v->features[i].space), .feature = place_of_feature(all, &v->features[i], t) };
        if (!place_of_value(all, &v->features[i], t, &keys[i].value)) return false;
    }
    qsort(keys, v->n, sizeof *keys, compare_keys);
    *ret = (struct py_variant_rank){ v->label, keys, v->n };
    return true;
}

int py_variant_rank_cmp(const struct py_variant_rank *a, const struct py_variant_rank *b)
{
    for (uint32_t i = 0; i < a->n && i < b->n; i++) {
        int c = compare_keys(&a->keys[i], &b->keys[i]);
        if (c) return c;
    }
    if (a->n != b->n) return a->n > b->n ? -1 : 1;
    return strcmp(a->label, b->label);
}
