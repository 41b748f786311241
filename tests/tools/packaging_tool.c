/* usage: packaging_tool FILE: asks our functions what packaging_trace.py wrote down, prints where an answer differs, then one line per
 * kind and the sum. Exit 0 when all agree. */
#include "base/file.h"
#include "base/vec.h"
#include "python/platform.h"
#include "python/pylock.h"
#include "python/pyproject.h"
#include "python/requirement.h"
#include <stdio.h>

enum { MAX_FIELDS = 8, SHOWN = 20 };

struct row {
    struct gf_arena *a;
    gf_slice f[MAX_FIELDS]; /* behind the kind */
    size_t n;
    const char *ours; /* our answer, for the report */
};

enum outcome { SAME, DIFFERENT, BEYOND }; /* BEYOND: a limit of ours that is documented: numbers above 64 bits, versions of more than 512 bytes, blanks beyond ASCII */

static bool next(gf_slice *list, gf_slice *ret) { return gf_slice_field(list, '\x1f', ret); }

static gf_slice unescape(struct gf_arena *a, gf_slice s)
{
    static const char from[] = "\\tnr0", to[] = "\\\t\n\r";
    char *out = gf_arena_alloc(a, s.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        const char *hit = s.p[i] == '\\' && i + 1 < s.n ? strchr(from, s.p[i + 1]) : NULL;
        out[n++] = hit ? to[hit - from] : s.p[i];
        i += hit != NULL;
    }
    out[n] = '\0';
    return gf_slice_n(out, n);
}

static bool beyond(gf_slice s)
{
    uint64_t v;
    if (s.n > 512) return true;
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] > 126) return true;
    for (size_t i = 0, n; i < s.n; i += n ? n : 1) {
        for (n = 0; i + n < s.n && gf_is_digit((unsigned char)s.p[i + n]);) n++;
        if (n && !gf_slice_u64(gf_slice_sub(s, i, n), &v)) return true;
    }
    return false;
}

/* A refusal is "!", an answer "=" and its text. */
static enum outcome same_answer(struct row *r, const char *text)
{
    r->ours = text ? gf_arena_printf(r->a, "=%s", text) : "!";
    if (gf_slice_is(r->f[1], r->ours)) return SAME;
    return !text && beyond(r->f[0]) ? BEYOND : DIFFERENT;
}

static enum outcome same_truth(struct row *r, gf_slice theirs, bool ours)
{
    r->ours = ours ? "1" : "0";
    return gf_slice_is(theirs, r->ours) ? SAME : DIFFERENT;
}

static enum outcome ask_version(struct row *r)
{
    struct py_version v;
    return same_answer(r, py_version_parse(r->a, r->f[0], &v) ? v.text : NULL);
}

static enum outcome ask_order(struct row *r)
{
    struct py_version a, b;
    if (!py_version_parse(r->a, r->f[0], &a) || !py_version_parse(r->a, r->f[2], &b)) return beyond(r->f[0]) || beyond(r->f[2]) ? BEYOND : DIFFERENT;
    int c = py_version_cmp(&a, &b);
    const char *op = r->f[1].p;
    bool holds = op[0] == '<' ? c < 0 : op[0] == '>' ? c > 0 : op[0] == '!' ? c != 0 : false;
    if (op[0] != '!' && op[r->f[1].n - 1] == '=') holds |= c == 0;
    return same_truth(r, r->f[3], holds);
}

static enum outcome ask_specifiers(struct row *r)
{
    struct py_specset s;
    return same_answer(r, py_specset_parse(r->a, r->f[0], false, &s) ? py_specset_text(r->a, &s) : NULL);
}

static enum outcome ask_specifier(struct row *r)
{
    struct py_specset s;
    bool one = py_specset_parse(r->a, r->f[0], false, &s) && s.n == 1 && gf_slice_chr(r->f[0], ',') < 0;
    return same_answer(r, one ? s.v[0].text : NULL);
}

/* What is no version at all fits only a literal ===. */
static bool contains(struct row *r, const struct py_specset *s, gf_slice item, bool no_pre)
{
    struct py_version v;
    bool parsed = py_version_parse(r->a, item, &v), arbitrary = false;
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->v[i].op != PY_ARBITRARY) continue;
        arbitrary = true;
        if (!gf_slice_ieq(gf_slice_of(s->v[i].arbitrary), gf_slice_trim(item))) return false;
    }
    if (!parsed) return arbitrary ? s->n == 1 : s->n == 0;
    if (no_pre && py_version_is_pre(&v)) return false;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->v[i].op != PY_ARBITRARY && !py_spec_contains(&s->v[i], &v)) return false;
    return true;
}

static enum outcome ask_contains(struct row *r)
{
    struct py_specset s;
    if (!py_specset_parse(r->a, r->f[0], false, &s)) return beyond(r->f[0]) ? BEYOND : DIFFERENT;
    return same_truth(r, r->f[3], contains(r, &s, r->f[1], gf_slice_is(r->f[2], "1")));
}

static bool is_pre(struct row *r, gf_slice item)
{
    struct py_version v;
    return py_version_parse(r->a, item, &v) && py_version_is_pre(&v);
}

/* PEP 440: pre-releases only when nothing else fits, unless all are wanted. */
static enum outcome ask_filter(struct row *r)
{
    struct py_specset s;
    if (!py_specset_parse(r->a, r->f[0], false, &s)) return beyond(r->f[0]) ? BEYOND : DIFFERENT;
    bool all = gf_slice_is(r->f[1], "all"), none = gf_slice_is(r->f[1], "none"), any_final = false;
    gf_slice items = r->f[2];
    if (!items.n) items = GF_NONE;
    for (gf_slice rest = items, item; next(&rest, &item);)
        if (contains(r, &s, item, false) && !is_pre(r, item)) {
            struct py_version v;
            any_final |= py_version_parse(r->a, item, &v);
        }
    struct gf_buf out;
    gf_buf_init(&out, GF_CAP_OUTPUT);
    bool first = true;
    for (gf_slice rest = items, item; next(&rest, &item);) {
        if (!contains(r, &s, item, false) || (is_pre(r, item) && !all && (none || any_final))) continue;
        if (!first) gf_buf_addc(&out, '\x1f');
        gf_buf_addsl(&out, item);
        first = false;
    }
    r->ours = gf_arena_strz(r->a, gf_buf_str(&out));
    gf_buf_release(&out);
    if (gf_slice_is(r->f[3], r->ours)) return SAME;
    return beyond(r->f[2]) ? BEYOND : DIFFERENT;
}

static enum outcome ask_marker(struct row *r)
{
    const struct py_marker *m;
    return same_answer(r, py_marker_parse(r->a, r->f[0], PY_MARKER_PEP508, &m, NULL) ? NULL : py_marker_text(r->a, m));
}

static bool from_pairs(const void *arg, gf_slice name, gf_slice *ret)
{
    gf_slice pairs = *(const gf_slice *)arg, pair, key;
    while (next(&pairs, &pair))
        if (gf_slice_cut(&pair, '=', &key) && gf_slice_eq(key, name)) {
            *ret = pair;
            return true;
        }
    return false;
}

/* The members of a set, given as "name*=member". */
static size_t members(struct row *r, gf_slice pairs, const char *name, bool normalize, gf_slice *out)
{
    size_t n = 0;
    GF_FREE char *key = gf_xasprintf("%s*=", name);
    for (gf_slice pair; next(&pairs, &pair);)
        if (gf_try_lit(&pair, gf_slice_of(key)) && n < 16) out[n++] = normalize ? gf_slice_of(py_name_normalize(r->a, pair)) : pair;
    return n;
}

static enum outcome ask_evaluate(struct row *r)
{
    static const char *const names[] = { "0", "1", "U" };
    const struct py_marker *m;
    if (py_marker_parse(r->a, r->f[0], PY_MARKER_PEP508, &m, NULL)) return DIFFERENT;
    gf_slice extras[16], groups[16], extra;
    struct py_selection sel = { extras, members(r, r->f[1], "extra", false, extras), groups, members(r, r->f[1], "dependency_groups", true, groups) };
    if (py_marker_mentions(m, GF_S("extras"))) sel.nextras = members(r, r->f[1], "extras", true, extras);
    struct py_env env = { .lookup = from_pairs, .arg = &r->f[1] };
    bool single = from_pairs(&r->f[1], GF_S("extra"), &extra);
    enum py_tri t = single && !sel.nextras && !sel.ngroups ? py_marker_eval(m, &env, extra.n ? extra : GF_NONE) : py_marker_eval_selection(m, &env, &sel);
    r->ours = names[t];
    return gf_slice_is(r->f[2], r->ours) ? SAME : DIFFERENT;
}

static char *requirement_text(struct row *r, const struct py_req *q, char sep)
{
    struct gf_buf out;
    gf_buf_init(&out, GF_CAP_OUTPUT);
    gf_buf_addf(&out, "%s%c", q->name, sep);
    struct py_req only = { .name = "", .extras = q->extras, .nextras = q->nextras };
    gf_slice list = gf_slice_of(py_req_text(r->a, &only));
    if (list.n) gf_buf_addsl(&out, gf_slice_sub(list, 1, list.n - 2));
    gf_buf_addf(&out, "%c%s%c%s%c%s", sep, py_specset_text(r->a, &q->specs), sep, q->url ? q->url : "", sep, q->marker ? py_marker_text(r->a, q->marker) : "");
    char *text = gf_arena_strz(r->a, gf_buf_str(&out));
    gf_buf_release(&out);
    return text;
}

static enum outcome ask_requirement(struct row *r)
{
    struct py_req q;
    return same_answer(r, py_req_parse(r->a, r->f[0], false, &q, NULL) ? NULL : requirement_text(r, &q, '\x1f'));
}

static enum outcome ask_name(struct row *r) { return same_answer(r, py_name_normalize(r->a, r->f[0])); }
static enum outcome ask_normalized(struct row *r) { return same_answer(r, py_name_is_normalized(r->f[0]) ? "1" : "0"); }

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* Every tag of the compressed sets, sorted, each once. */
static void put_tags(struct row *r, struct gf_buf *out, const struct py_wheel *w)
{
    GF_VEC(const char *) all = { 0 };
    gf_slice pys = gf_slice_of(w->py_tag);
    for (gf_slice py; gf_slice_field(&pys, '.', &py);) {
        gf_slice abis = gf_slice_of(w->abi_tag);
        for (gf_slice abi; gf_slice_field(&abis, '.', &abi);) {
            gf_slice platforms = gf_slice_of(w->platform_tag);
            for (gf_slice p; gf_slice_field(&platforms, '.', &p);) gf_vec_push(&all, gf_arena_printf(r->a, "%.*s-%.*s-%.*s", GF_FMT(py), GF_FMT(abi), GF_FMT(p)));
        }
    }
    qsort(all.v, all.n, sizeof *all.v, by_text);
    for (size_t i = 0; i < all.n; i++)
        if (!i || strcmp(all.v[i], all.v[i - 1])) gf_buf_addf(out, "\x1f%s", all.v[i]);
    gf_vec_free(&all);
}

static enum outcome ask_wheel(struct row *r)
{
    struct py_wheel w;
    if (!py_wheel_parse(r->a, r->f[0], &w)) return same_answer(r, NULL);
    struct gf_buf out;
    gf_buf_init(&out, GF_CAP_OUTPUT);
    gf_buf_addf(&out, "%s\x1f%s\x1f", w.name, w.version.text);
    if (w.has_build) gf_buf_addf(&out, "%llu-%s", (unsigned long long)w.build_n, w.build_rest);
    put_tags(r, &out, &w);
    const char *text = gf_arena_strz(r->a, gf_buf_str(&out));
    gf_buf_release(&out);
    return same_answer(r, text);
}

/* Ours takes older endings too, and the name from the index; given theirs, both must find the same version. */
static enum outcome ask_sdist(struct row *r)
{
    struct py_version v;
    bool theirs = gf_slice_ends(r->f[0], GF_S(".tar.gz")) || gf_slice_ends(r->f[0], GF_S(".zip"));
    gf_slice name = gf_slice_from(r->f[1], 1), rest = name;
    bool refused = !gf_slice_cut(&rest, '\x1f', &name);
    if (!theirs || !py_sdist_parse(r->a, r->f[0], refused ? GF_NONE : name, &v)) return same_answer(r, NULL);
    return same_answer(r, gf_arena_printf(r->a, "%.*s\x1f%s", GF_FMT(name), v.text));
}

/* Where they understood all fields, ours must have read the same. */
static enum outcome ask_metadata(struct row *r)
{
    struct py_metadata m;
    struct gf_err err = GF_ERR_INIT;
    if (gf_slice_is(r->f[1], "=?")) return SAME;
    if (py_metadata_parse(r->a, r->f[0], "metadata", NULL, &m, &err)) {
        r->ours = gf_arena_strz(r->a, err.text);
        return DIFFERENT;
    }
    struct gf_buf out;
    gf_buf_init(&out, GF_CAP_OUTPUT);
    gf_buf_addf(&out, "%s\x1f%s\x1f%s", m.name, m.version, m.requires_python ? m.requires_python : "");
    for (uint32_t i = 0; i < m.nrequires; i++) gf_buf_addf(&out, "\x1f%s", requirement_text(r, &m.requires[i], '|'));
    const char *text = gf_arena_strz(r->a, gf_buf_str(&out));
    gf_buf_release(&out);
    return same_answer(r, text);
}

/* Each requirement once: a group that is included twice adds nothing. */
static enum outcome ask_group(struct row *r)
{
    struct py_pyproject p;
    struct py_reqs reqs;
    struct gf_err err = GF_ERR_INIT;
    if (py_pyproject_parse(r->a, r->f[0], "t", &p, &err) || py_pyproject_group(r->a, &p, r->f[1], &reqs, &err)) {
        r->ours = gf_arena_strz(r->a, err.text);
        return gf_slice_is(r->f[2], "!") ? SAME : DIFFERENT;
    }
    struct gf_buf out;
    gf_buf_init(&out, GF_CAP_OUTPUT);
    gf_buf_addc(&out, '=');
    for (uint32_t i = 0; i < reqs.n; i++) {
        char *text = requirement_text(r, &reqs.v[i], '|');
        bool seen = false;
        for (uint32_t k = 0; k < i && !seen; k++) seen = !strcmp(text, requirement_text(r, &reqs.v[k], '|'));
        if (!seen) gf_buf_addf(&out, "%s%s", i ? "\x1f" : "", text);
    }
    r->ours = gf_arena_strz(r->a, gf_buf_str(&out));
    gf_buf_release(&out);
    return gf_slice_is(r->f[2], r->ours) ? SAME : DIFFERENT;
}

/* Valid for both or for none; and what we write of it reads back. */
static enum outcome ask_pylock(struct row *r)
{
    struct py_pylock l, again;
    struct gf_err err = GF_ERR_INIT;
    if (py_pylock_parse(r->a, r->f[0], "t", &l, &err)) {
        r->ours = gf_arena_strz(r->a, err.text);
        return gf_slice_is(r->f[1], "!") ? SAME : DIFFERENT;
    }
    struct gf_buf out, copy;
    gf_buf_init(&out, GF_CAP_OUTPUT);
    gf_buf_init(&copy, GF_CAP_OUTPUT);
    gf_buf_addf(&out, "%u", l.npackages);
    for (uint32_t i = 0; i < l.npackages; i++) gf_buf_addf(&out, "\x1f%s", l.packages[i].name);
    enum outcome o = same_answer(r, gf_arena_strz(r->a, gf_buf_str(&out)));
    py_pylock_write(&l, &copy);
    if (o == SAME && (py_pylock_parse(r->a, gf_buf_slice(&copy), "written", &again, &err) || again.npackages != l.npackages)) {
        r->ours = gf_arena_strz(r->a, err.text);
        o = DIFFERENT;
    }
    gf_buf_release(&out);
    gf_buf_release(&copy);
    return o;
}

static bool set_libc(struct py_platform *p, gf_slice numbers)
{
    uint64_t major = gf_take_u64(&numbers), minor = gf_take_char(&numbers, '.') ? gf_take_u64(&numbers) : 0;
    p->libc_major = (unsigned)major;
    p->libc_minor = (unsigned)minor;
    return numbers.p != NULL;
}

static enum outcome same_tags(struct row *r, const struct py_platform *p, gf_slice theirs)
{
    struct py_tags *t = py_tags_new(p);
    size_t i = 0;
    enum outcome same = SAME;
    for (gf_slice tag; same == SAME && next(&theirs, &tag); i++) {
        const char *ours = i < py_tags_count(t) ? py_tags_get(t, i) : "(no more)";
        if (!gf_slice_is(tag, ours)) {
            r->ours = gf_arena_printf(r->a, "%s where they say %.*s", ours, GF_FMT(tag));
            same = DIFFERENT;
        }
    }
    if (same == SAME && i != py_tags_count(t)) {
        r->ours = gf_arena_printf(r->a, "%zu tags, theirs are %zu", py_tags_count(t), i);
        same = DIFFERENT;
    }
    py_tags_free(t);
    return same;
}

static enum outcome ask_tags(struct row *r)
{
    struct py_platform p = { .machine = gf_arena_str(r->a, r->f[2]) };
    gf_slice libc, numbers = r->f[3];
    gf_slice_cut(&numbers, ' ', &libc);
    p.libc = gf_slice_is(libc, "glibc") ? PY_LIBC_GLIBC : gf_slice_is(libc, "musl") ? PY_LIBC_MUSL : PY_LIBC_UNKNOWN;
    p.os = gf_slice_is(r->f[1], "linux") ? PY_OS_LINUX : gf_slice_is(r->f[1], "windows") ? PY_OS_WINDOWS : PY_OS_MACOS;
    if (!py_platform_set_python(&p, r->f[0]) || !set_libc(&p, numbers)) return DIFFERENT;
    return same_tags(r, &p, r->f[4]);
}

/* A platform list alone: those of ours that stand behind "cp312-cp312-", without the plain linux_ tag. */
static enum outcome same_platforms(struct row *r, enum py_os os, enum py_libc libc)
{
    struct py_platform p = { .os = os, .libc = libc, .machine = gf_arena_str(r->a, r->f[0]), .major = 3, .minor = 12 };
    if (!set_libc(&p, r->f[1])) return gf_slice_starts(r->f[1], GF_S("-1")) && !r->f[2].n ? SAME : DIFFERENT;
    struct py_tags *t = py_tags_new(&p);
    struct gf_buf out;
    gf_buf_init(&out, GF_CAP_OUTPUT);
    for (size_t i = 0; i < py_tags_count(t); i++) {
        gf_slice tag = gf_slice_of(py_tags_get(t, i));
        if (gf_try_lit(&tag, GF_S("cp312-cp312-")) && !gf_slice_starts(tag, GF_S("linux_"))) gf_buf_addf(&out, "%s%.*s", out.n ? "\x1f" : "", GF_FMT(tag));
    }
    r->ours = gf_arena_strz(r->a, gf_buf_str(&out));
    gf_buf_release(&out);
    py_tags_free(t);
    return gf_slice_is(r->f[2], r->ours) ? SAME : DIFFERENT;
}

static enum outcome ask_manylinux(struct row *r) { return same_platforms(r, PY_OS_LINUX, PY_LIBC_GLIBC); }
static enum outcome ask_musllinux(struct row *r) { return same_platforms(r, PY_OS_LINUX, PY_LIBC_MUSL); }
static enum outcome ask_macosx(struct row *r) { return same_platforms(r, PY_OS_MACOS, PY_LIBC_UNKNOWN); }

static struct kind {
    const char *name;
    enum outcome (*ask)(struct row *r);
    size_t fields;
    unsigned long count[3];
} kinds[] = {
    { "version", ask_version, 2, { 0 } },       { "order", ask_order, 4, { 0 } },           { "specifier", ask_specifier, 2, { 0 } },
    { "specifiers", ask_specifiers, 2, { 0 } }, { "contains", ask_contains, 4, { 0 } },     { "filter", ask_filter, 4, { 0 } },
    { "marker", ask_marker, 2, { 0 } },         { "evaluate", ask_evaluate, 3, { 0 } },     { "requirement", ask_requirement, 2, { 0 } },
    { "name", ask_name, 2, { 0 } },             { "normalized", ask_normalized, 2, { 0 } }, { "wheel", ask_wheel, 2, { 0 } },
    { "sdist", ask_sdist, 2, { 0 } },           { "metadata", ask_metadata, 2, { 0 } },     { "tags", ask_tags, 5, { 0 } },
    { "group", ask_group, 3, { 0 } },           { "pylock", ask_pylock, 2, { 0 } },
    { "manylinux", ask_manylinux, 3, { 0 } },   { "musllinux", ask_musllinux, 3, { 0 } },   { "macosx", ask_macosx, 3, { 0 } },
};
enum { NKINDS = sizeof kinds / sizeof *kinds };

static bool ask(gf_slice line)
{
    struct gf_arena a = GF_ARENA_INIT;
    struct row r = { .a = &a, .ours = "no answer" };
    gf_slice rest = line, name, field;
    gf_slice_field(&rest, '\t', &name);
    while (r.n < MAX_FIELDS && gf_slice_field(&rest, '\t', &field)) r.f[r.n++] = unescape(&a, field);
    struct kind *k = kinds;
    while (k < kinds + NKINDS && !gf_slice_is(name, k->name)) k++;
    bool known = k < kinds + NKINDS && r.n == k->fields;
    enum outcome o = known ? k->ask(&r) : DIFFERENT;
    if (known) k->count[o]++;
    if (!known) printf("not understood: %.*s\n", GF_FMT(line));
    else if (o == DIFFERENT && k->count[o] <= SHOWN) printf("%.*s\n    ours: %s\n", (int)(line.n < 1000 ? line.n : 1000), line.p, r.ours);
    gf_arena_release(&a);
    return known;
}

int main(int argc, char **argv)
{
    struct gf_err err = GF_ERR_INIT;
    struct gf_buf text;
    unsigned long sum[3] = { 0 }, alien = 0;
    gf_buf_init(&text, GF_CAP_OUTPUT);
    if (argc != 2 || gf_file_read(argv[1], GF_CAP_OUTPUT, &text, &err)) {
        fprintf(stderr, "%s\n", argc != 2 ? "usage: packaging_tool FILE" : err.text);
        return 2;
    }
    gf_slice rest = gf_buf_slice(&text);
    for (gf_slice line; gf_slice_line(&rest, &line);)
        if (line.n && *line.p != '#') alien += !ask(line);
    for (size_t i = 0; i < NKINDS; i++) {
        printf("%-12s %6lu agree", kinds[i].name, kinds[i].count[SAME]);
        if (kinds[i].count[BEYOND]) printf(", %lu beyond 64 bits, 512 bytes or ASCII are refused", kinds[i].count[BEYOND]);
        if (kinds[i].count[DIFFERENT]) printf(", %lu DIFFER", kinds[i].count[DIFFERENT]);
        printf("\n");
        for (int o = 0; o < 3; o++) sum[o] += kinds[i].count[o];
    }
    gf_buf_release(&text);
    printf("%lu answers are the same, %lu differ\n", sum[SAME] + sum[BEYOND], sum[DIFFERENT] + alien);
    return sum[DIFFERENT] || alien || !sum[SAME];
}
