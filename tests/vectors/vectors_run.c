/* Runs the hand-written vectors of this folder: each .txt tells its form at its head. */
#include "base/file.h"
#include "python/platform.h"
#include <stdio.h>

static struct gf_arena arena;
static struct py_platform target;
static unsigned passed, failed;
static const char *file;
static size_t number;

static bool check(bool good, gf_slice line, const char *ours)
{
    if (good) passed++;
    else failed++;
    if (!good) printf("%s:%zu: %.*s   (ours: %s)\n", file, number, GF_FMT(line), ours);
    return good;
}

/* "A op B" at the first op that stands between blanks. */
static bool split(gf_slice line, const char *op, gf_slice *a, gf_slice *b)
{
    GF_FREE char *spaced = gf_xasprintf(" %s ", op);
    ptrdiff_t at = gf_slice_find(line, gf_slice_of(spaced));
    if (at < 0) return false;
    *a = gf_slice_trim(gf_slice_sub(line, 0, (size_t)at));
    *b = gf_slice_trim(gf_slice_from(line, (size_t)at + strlen(spaced)));
    return true;
}

static bool version_line(gf_slice line)
{
    gf_slice l, r;
    struct py_version a, b;
    if (*line.p == '!') return check(!py_version_parse(&arena, gf_slice_from(line, 1), &a), line, "a version");
    if (split(line, "->", &l, &r)) {
        bool good = py_version_parse(&arena, l, &a);
        return check(good && gf_slice_is(r, a.text), line, good ? a.text : "no version");
    }
    static const char *const ops[] = { "<", "==", ">" };
    for (int want = -1; want <= 1; want++) {
        if (!split(line, ops[want + 1], &l, &r)) continue;
        if (!py_version_parse(&arena, l, &a) || !py_version_parse(&arena, r, &b)) return check(false, line, "no version");
        int c = py_version_cmp(&a, &b), back = py_version_cmp(&b, &a);
        return check((c > 0) - (c < 0) == want && c == -back, line, ops[(c > 0) - (c < 0) + 1]);
    }
    return check(false, line, "not understood");
}

static bool holds(gf_slice line, const struct py_specset *s, gf_slice versions, bool want)
{
    struct py_version v;
    bool all = true;
    for (gf_slice one; gf_slice_word(&versions, &one);) {
        char *text = gf_arena_str(&arena, one);
        all &= check(py_version_parse(&arena, one, &v) && py_specset_contains(s, &v) == want, line, text);
    }
    return all;
}

static bool specifier_line(gf_slice line)
{
    gf_slice l, r, in, out;
    struct py_specset s;
    if (*line.p == '!' && gf_slice_find(line, GF_S(" : ")) < 0) return check(!py_specset_parse(&arena, gf_slice_from(line, 1), false, &s), line, "a specifier");
    if (*line.p == '~' && gf_slice_find(line, GF_S(" ->")) > 0) {
        gf_slice rest = gf_slice_from(line, 1);
        size_t at = (size_t)gf_slice_find(rest, GF_S(" ->"));
        r = gf_slice_trim(gf_slice_from(rest, at + 3));
        bool good = py_specset_parse(&arena, gf_slice_sub(rest, 0, at), true, &s);
        const char *ours = good ? py_specset_text(&arena, &s) : "no specifier";
        return check(good && gf_slice_is(r, ours), line, ours);
    }
    if (!split(line, ":", &l, &r) || !split(r, "/", &in, &out) || !py_specset_parse(&arena, l, false, &s)) return check(false, line, "not understood");
    return holds(line, &s, in, true) & holds(line, &s, out, false);
}

static bool set_libc(gf_slice value, enum py_libc libc)
{
    target.libc = libc;
    target.libc_major = (unsigned)gf_take_u64(&value);
    target.libc_minor = gf_take_char(&value, '.') ? (unsigned)gf_take_u64(&value) : 0;
    return value.p != NULL;
}

static bool target_line(gf_slice line)
{
    target = (struct py_platform){ 0 };
    line = gf_slice_sub(line, 1, line.n - 2);
    for (gf_slice word, key; gf_slice_word(&line, &word);) {
        if (!gf_slice_cut(&word, '=', &key)) return false;
        if (gf_slice_is(key, "python") && !py_platform_set_python(&target, word)) return false;
        if (gf_slice_is(key, "glibc") && !set_libc(word, PY_LIBC_GLIBC)) return false;
        if (gf_slice_is(key, "musl") && !set_libc(word, PY_LIBC_MUSL)) return false;
        if (gf_slice_is(key, "os")) target.os = gf_slice_is(word, "linux") ? PY_OS_LINUX : gf_slice_is(word, "windows") ? PY_OS_WINDOWS : PY_OS_MACOS;
        if (gf_slice_is(key, "machine")) target.machine = gf_arena_str(&arena, word);
        if (gf_slice_is(key, "release")) target.release = gf_arena_str(&arena, word);
    }
    return true;
}

static bool marker_line(gf_slice line)
{
    static const char *const names[] = { "no", "yes", "unknown" };
    const struct py_marker *m;
    struct gf_err err = GF_ERR_INIT;
    gf_slice word, rest = line;
    if (*line.p == '[') return check(target_line(line), line, "not understood");
    if (*line.p == '!') return check(py_marker_parse(&arena, gf_slice_from(line, 1), PY_MARKER_PEP508, &m, &err) != 0, line, "a marker");
    gf_slice_cut(&rest, ' ', &word);
    if (py_marker_parse(&arena, rest, PY_MARKER_PEP508, &m, &err)) return check(false, line, err.text);
    struct py_env env = py_platform_env(&target);
    const char *ours = names[py_marker_eval(m, &env, GF_NONE)];
    return check(gf_slice_is(word, ours), line, ours);
}

static bool wheel_line(gf_slice line)
{
    static const char *const names[] = { "fits", "python", "abi", "platform", "libc", "arch" };
    struct py_wheel a, b;
    gf_slice l, r = line;
    if (*line.p == '[') return check(target_line(line), line, "not understood");
    if (*line.p == '!') return check(!py_wheel_parse(&arena, gf_slice_from(line, 1), &a), line, "a wheel");
    struct py_tags *t = py_tags_new(&target);
    bool good;
    if (split(line, "before", &l, &r)) {
        bool both = py_wheel_parse(&arena, l, &a) && py_wheel_parse(&arena, r, &b) && py_tags_rank(t, &a) >= 0;
        good = check(both && py_tags_rank(t, &a) < py_tags_rank(t, &b), line, "the other way");
    } else {
        gf_slice_cut(&r, ' ', &l);
        const char *ours = py_wheel_parse(&arena, r, &a) ? names[py_wheel_misfit(t, &a)] : "no wheel";
        good = check(gf_slice_is(l, ours), line, ours);
    }
    py_tags_free(t);
    return good;
}

static void run(const char *path, bool (*each)(gf_slice line))
{
    struct gf_err err = GF_ERR_INIT;
    struct gf_buf text;
    gf_buf_init(&text, GF_CAP_METADATA);
    file = path;
    number = 0;
    if (gf_file_read(path, GF_CAP_METADATA, &text, &err)) check(false, gf_slice_of(path), err.text);
    gf_slice rest = gf_buf_slice(&text);
    for (gf_slice line; gf_slice_line(&rest, &line);) {
        number++;
        if (line.n && *line.p != '#') each(line);
    }
    gf_buf_release(&text);
    gf_arena_release(&arena);
}

int main(void)
{
    run("tests/vectors/pep440.txt", version_line);
    run("tests/vectors/specifiers.txt", specifier_line);
    run("tests/vectors/markers.txt", marker_line);
    run("tests/vectors/wheels.txt", wheel_line);
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0 || !passed;
}
