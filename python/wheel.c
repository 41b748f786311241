/* Names of distributions and of their files. */
#include "python/wheel.h"
#include "base/limits.h"

static bool is_sep(char c) { return c == '-' || c == '_' || c == '.'; }

char *py_name_normalize(struct gf_arena *a, gf_slice name)
{
    char *out = gf_arena_alloc(a, name.n + 1), *p = out;
    for (size_t i = 0; i < name.n; i++) {
        if (!is_sep(name.p[i])) *p++ = gf_lower(name.p[i]);
        else if (i == 0 || !is_sep(name.p[i - 1])) *p++ = '-';
    }
    *p = '\0';
    return out;
}

bool py_name_is_normalized(gf_slice name)
{
    if (!py_name_valid(name)) return false;
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        if (c == '_' || c == '.' || c != gf_lower(c) || (c == '-' && name.p[i - 1] == '-')) return false;
    }
    return true;
}

bool py_name_valid(gf_slice name)
{
    if (!name.n || !gf_is_alnum((unsigned char)name.p[0]) || !gf_is_alnum((unsigned char)name.p[name.n - 1])) return false;
    for (size_t i = 0; i < name.n; i++)
        if (!gf_is_alnum((unsigned char)name.p[i]) && !is_sep(name.p[i])) return false;
    return true;
}

/* PEP 427's escaped name: letters, digits, "_" and "." (bytes beyond ASCII are taken for letters), no "__". */
static bool wheel_name_ok(gf_slice s)
{
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (!gf_is_alnum(c) && c != '_' && c != '.' && c < 128) return false;
        if (c == '_' && i && s.p[i - 1] == '_') return false;
    }
    return s.n > 0;
}

/* Every part between the dots holds something; of a Python tag it is an identifier. */
static bool tag_ok(gf_slice tag, bool identifier)
{
    for (gf_slice part; gf_slice_field(&tag, '.', &part);) {
        if (!part.n) return false;
        if (!identifier) continue;
        if (gf_is_digit((unsigned char)*part.p)) return false;
        for (size_t i = 0; i < part.n; i++) {
            unsigned char c = (unsigned char)part.p[i];
            if (!gf_is_alnum(c) && c != '_' && c < 128) return false;
        }
    }
    return true;
}

static bool parse_build(gf_slice s, struct py_wheel *w)
{
    size_t n = 0;
    while (n < s.n && gf_is_digit((unsigned char)s.p[n])) n++;
    if (!gf_slice_u64(gf_slice_sub(s, 0, n), &w->build_n)) return false;
    w->has_build = true;
    w->build_rest = s.p + n;
    return true;
}

/* Splits at dashes; 0 when there are more than max parts. */
static size_t split_dashes(gf_slice s, gf_slice *parts, size_t max)
{
    size_t n = 0;
    for (gf_slice part; gf_slice_field(&s, '-', &part);) {
        if (n == max) return 0;
        parts[n++] = part;
    }
    return n;
}

static bool printable(gf_slice s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] < ' ' || s.p[i] == 127) return false;
    return true;
}

bool py_wheel_label_valid(gf_slice label)
{
    for (size_t i = 0; i < label.n; i++) {
        unsigned char c = (unsigned char)label.p[i];
        if (!gf_is_digit(c) && !(c >= 'a' && c <= 'z') && c != '_' && c != '.') return false;
    }
    return label.n > 0;
}

/* A build tag begins with a digit and a Python tag does not: by that the third part tells whether the last one is a label. */
static bool has_label(const gf_slice *part, size_t n)
{
    bool build = n > 5 && part[2].n && gf_is_digit((unsigned char)*part[2].p);
    return n == (build ? 7 : 6);
}

/* The name's stem, its label cut off; false when the name is none of a wheel or the label none. */
static bool cut_stem(gf_slice filename, gf_slice *ret_stem, gf_slice *ret_label)
{
    gf_slice part[7];
    if (filename.n > GF_CAP_WHEEL_NAME || !gf_slice_ends(filename, GF_S(".whl")) || !printable(filename)) return false;
    *ret_stem = gf_slice_sub(filename, 0, filename.n - 4);
    *ret_label = GF_NONE;
    size_t n = split_dashes(*ret_stem, part, 7);
    if (!has_label(part, n)) return n >= 5;
    *ret_label = part[n - 1];
    ret_stem->n -= part[n - 1].n + 1;
    return py_wheel_label_valid(*ret_label);
}

static bool parse_stem(struct gf_arena *a, gf_slice stem, struct py_wheel *ret)
{
    gf_slice part[6];
    size_t n = split_dashes(stem, part, 6);
    if (n < 5 || !wheel_name_ok(part[0]) || !tag_ok(part[n - 3], true) || !tag_ok(part[n - 2], false) || !tag_ok(part[n - 1], false)) return false;
    struct py_wheel w = { 0 };
    if (!py_version_parse(a, part[1], &w.version)) return false;
    w.name = py_name_normalize(a, part[0]);
    char *copy = gf_arena_str(a, stem); /* one copy, cut into strings at its dashes */
    for (size_t i = 0; i < stem.n; i++) copy[i] = copy[i] == '-' ? '\0' : gf_lower(copy[i]);
    for (size_t i = 0; i < n; i++) part[i].p = copy + (part[i].p - stem.p);
    w.build_rest = "";
    if (n == 6 && !parse_build(part[2], &w)) return false;
    w.py_tag = part[n - 3].p;
    w.abi_tag = part[n - 2].p;
    w.platform_tag = part[n - 1].p;
    *ret = w;
    return true;
}

bool py_wheel_parse(struct gf_arena *a, gf_slice filename, struct py_wheel *ret)
{
    gf_slice stem, label;
    return cut_stem(filename, &stem, &label) && !label.p && parse_stem(a, stem, ret);
}

bool py_wheel_parse_variant(struct gf_arena *a, gf_slice filename, struct py_wheel *ret, const char **ret_label)
{
    gf_slice stem, label;
    if (!cut_stem(filename, &stem, &label) || !parse_stem(a, stem, ret)) return false;
    *ret_label = label.p ? gf_arena_str(a, label) : NULL;
    return true;
}

char *py_wheel_plain_name(struct gf_arena *a, gf_slice filename)
{
    gf_slice stem, label;
    struct py_wheel w;
    if (!cut_stem(filename, &stem, &label) || !label.p || !parse_stem(a, stem, &w)) return gf_arena_str(a, filename);
    return gf_arena_printf(a, "%.*s.whl", GF_FMT(stem));
}

int py_wheel_build_cmp(const struct py_wheel *a, const struct py_wheel *b)
{
    if (a->has_build != b->has_build) return a->has_build ? 1 : -1;
    if (a->build_n != b->build_n) return a->build_n < b->build_n ? -1 : 1;
    return strcmp(a->build_rest, b->build_rest);
}

/* The stem up to some dash is the project's name in whatever spelling; what is behind that dash is the version. */
static bool stem_version(struct gf_arena *a, gf_slice stem, size_t dash, gf_slice expect, struct py_version *ret)
{
    gf_slice name = gf_slice_sub(stem, 0, dash);
    if (!name.n || (expect.p && !gf_slice_is(expect, py_name_normalize(a, name)))) return false;
    return py_version_parse(a, gf_slice_from(stem, dash + 1), ret);
}

bool py_sdist_parse(struct gf_arena *a, gf_slice filename, gf_slice expect, struct py_version *ret)
{
    static const gf_slice ends[] = { { ".tar.gz", 7 }, { ".zip", 4 }, { ".tar.bz2", 8 }, { ".tgz", 4 }, { ".tar.xz", 7 } };
    size_t i = 0;
    while (i < sizeof ends / sizeof *ends && !gf_slice_ends(filename, ends[i])) i++;
    if (i == sizeof ends / sizeof *ends) return false;
    gf_slice stem = gf_slice_sub(filename, 0, filename.n - ends[i].n);
    if (!expect.p) {
        ptrdiff_t dash = gf_slice_rchr(stem, '-');
        return dash > 0 && stem_version(a, stem, (size_t)dash, expect, ret);
    }
    for (size_t dash = 0; dash < stem.n; dash++)
        if (stem.p[dash] == '-' && stem_version(a, stem, dash, expect, ret)) return true;
    return false;
}
