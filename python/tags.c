/* Wheel tags of a target: PEP 425 (order), 384 and 803 (stable ABI), 513/571/599/600 (manylinux), 656 (musllinux).
 * The list is a sequence of groups "python-abi", each with every platform or with "any": a rank is a group's base plus the platform's place. */
#include "base/map.h"
#include "base/vec.h"
#include "python/platform.h"

struct py_tags {
    struct gf_arena arena;
    const char *own;                    /* "cp312": what the interpreter itself is called */
    const char *machine;                /* arch as platform tags spell it */
    enum py_os os;
    struct gf_names platforms;          /* by preference */
    struct gf_names pairs, pairs_any;   /* "cp312-cp312": groups over the platforms, groups with "any" */
    const char **text;                  /* by rank, made when first asked for */
    size_t n;
};

static void add_platform(struct py_tags *t, const char *name) { gf_names_add(&t->platforms, gf_slice_of(name), NULL); }

static void add_manylinux_major(struct py_tags *t, const char *arch, unsigned major, unsigned newest, unsigned oldest)
{
    static const struct { unsigned minor; const char *name; } legacy[] = { { 17, "manylinux2014" }, { 12, "manylinux2010" }, { 5, "manylinux1" } };
    for (unsigned minor = newest + 1; minor-- > oldest;) {
        add_platform(t, gf_arena_printf(&t->arena, "manylinux_%u_%u_%s", major, minor, arch));
        for (size_t i = 0; major == 2 && i < 3; i++)
            if (legacy[i].minor == minor) add_platform(t, gf_arena_printf(&t->arena, "%s_%s", legacy[i].name, arch));
    }
}

static bool in_list(const char *s, const char *const *list)
{
    for (; *list; list++)
        if (!strcmp(s, *list)) return true;
    return false;
}

/* glibc is compatible downwards, across a new major too (2.50 is taken for the last 2.x then). Before 2.17 only x86 was ever built for. */
static void add_manylinux(struct py_tags *t, const struct py_platform *p, const char *arch, bool is_x86)
{
    unsigned oldest = is_x86 ? 5 : 17;
    for (unsigned major = p->libc_major; major >= 2; major--) {
        unsigned newest = major == p->libc_major ? p->libc_minor : 50;
        add_manylinux_major(t, arch, major, newest < 200 ? newest : 200, major == 2 ? oldest : 0);
    }
}

static void add_linux_arch(struct py_tags *t, const struct py_platform *p, const char *arch)
{
    static const char *const known[] = { "x86_64", "i686", "aarch64", "armv7l", "armv8l", "ppc64", "ppc64le", "s390x", "loongarch64", "riscv64", NULL };
    if (p->libc == PY_LIBC_GLIBC && in_list(arch, known) && p->libc_major < 10)
        add_manylinux(t, p, arch, !strcmp(arch, "x86_64") || !strcmp(arch, "i686"));
    if (p->libc == PY_LIBC_MUSL)
        for (unsigned minor = p->libc_minor < 200 ? p->libc_minor + 1 : 200; minor-- > 0;)
            add_platform(t, gf_arena_printf(&t->arena, "musllinux_%u_%u_%s", p->libc_major, minor, arch));
}

static void add_linux(struct py_tags *t, const struct py_platform *p)
{
    bool arm = !strcmp(t->machine, "armv8l");
    add_platform(t, gf_arena_printf(&t->arena, "linux_%s", t->machine));
    if (arm) add_platform(t, "linux_armv7l");
    add_linux_arch(t, p, t->machine);
    if (arm) add_linux_arch(t, p, "armv7l");
}

static void add_windows(struct py_tags *t)
{
    if (!strcmp(t->machine, "x86")) add_platform(t, "win32");
    else add_platform(t, gf_arena_printf(&t->arena, "win_%s", t->machine));
}

static void add_mac_formats(struct py_tags *t, unsigned major, unsigned minor)
{
    static const char *const intel[] = { "x86_64", "intel", "fat64", "fat3", "universal2", "universal", NULL };
    static const char *const arm[] = { "arm64", "universal2", NULL };
    bool x86 = !strcmp(t->machine, "x86_64");
    if (x86 && major == 10 && minor < 4) return;
    for (const char *const *f = x86 ? intel : arm; *f; f++) add_platform(t, gf_arena_printf(&t->arena, "macosx_%u_%u_%s", major, minor, *f));
}

/* Since macOS 11 the major number counts; Intel machines run what was built for 10.x, others its universal2 half. */
static void add_macos(struct py_tags *t, const struct py_platform *p)
{
    bool x86 = !strcmp(t->machine, "x86_64");
    unsigned major = p->libc_major < 200 ? p->libc_major : 200;
    if (major == 10) {
        for (unsigned minor = (p->libc_minor < 20 ? p->libc_minor : 20) + 1; minor-- > 0;) add_mac_formats(t, 10, minor);
        return;
    }
    for (; major > 10; major--) add_mac_formats(t, major, 0);
    for (unsigned minor = 16; p->libc_major > 10 && minor > 3; minor--) {
        if (x86) add_mac_formats(t, 10, minor);
        else add_platform(t, gf_arena_printf(&t->arena, "macosx_10_%u_universal2", minor));
    }
}

static const char *tag_machine(struct gf_arena *a, const struct py_platform *p)
{
    if (!p->machine) return "unknown";
    char *m = gf_arena_strz(a, p->machine);
    for (char *c = m; *c; c++) *c = *c == '.' || *c == '-' || *c == ' ' ? '_' : gf_lower(*c);
    if (p->os == PY_OS_WINDOWS && !strcmp(m, "x86_64")) return "amd64";
    if (p->os == PY_OS_WINDOWS && !strcmp(m, "aarch64")) return "arm64";
    if (p->os == PY_OS_WINDOWS && (!strcmp(m, "i386") || !strcmp(m, "i686"))) return "x86";
    if (p->os == PY_OS_MACOS && !strcmp(m, "aarch64")) return "arm64";
    return m;
}

static void add_pair(struct py_tags *t, struct gf_names *to, const char *py, const char *abi)
{
    gf_names_add(to, gf_slice_of(gf_arena_printf(&t->arena, "%s-%s", py, abi)), NULL);
}

static void add_cpython(struct py_tags *t, const struct py_platform *p)
{
    const char *flag = p->free_threaded ? "t" : p->major == 3 && p->minor < 8 ? "m" : "";
    const char *stable = p->free_threaded ? "abi3t" : "abi3";
    bool has_stable = p->major > 3 || (p->major == 3 && p->minor >= 2);
    add_pair(t, &t->pairs, t->own, gf_arena_printf(&t->arena, "%s%s", t->own, flag));
    if (has_stable) add_pair(t, &t->pairs, t->own, stable);
    add_pair(t, &t->pairs, t->own, "none");
    for (unsigned minor = p->minor; has_stable && minor-- > 2;)
        add_pair(t, &t->pairs, gf_arena_printf(&t->arena, "cp%u%u", p->major, minor), stable);
}

/* PyPy 7.3 (since 2019) has one ABI per Python version. */
static void add_pypy(struct py_tags *t, const struct py_platform *p)
{
    add_pair(t, &t->pairs, t->own, gf_arena_printf(&t->arena, "pypy%u%u_pp73", p->major, p->minor));
    add_pair(t, &t->pairs, t->own, "none");
}

static void add_pure(struct py_tags *t, const struct py_platform *p, struct gf_names *to)
{
    add_pair(t, to, gf_arena_printf(&t->arena, "py%u%u", p->major, p->minor), "none");
    add_pair(t, to, gf_arena_printf(&t->arena, "py%u", p->major), "none");
    for (unsigned minor = p->minor; minor-- > 0;) add_pair(t, to, gf_arena_printf(&t->arena, "py%u%u", p->major, minor), "none");
}

static void add_interpreter(struct py_tags *t, const struct py_platform *p)
{
    bool pypy = p->implementation && !strcmp(p->implementation, "pypy");
    t->own = gf_arena_printf(&t->arena, "%s%u%u", pypy ? "pp" : "cp", p->major, p->minor);
    if (pypy) add_pypy(t, p);
    else add_cpython(t, p);
    add_pure(t, p, &t->pairs);
    add_pair(t, &t->pairs_any, pypy ? "pp3" : t->own, "none");
    add_pure(t, p, &t->pairs_any);
}

struct py_tags *py_tags_new(const struct py_platform *p)
{
    struct py_tags *t = gf_xcalloc(1, sizeof *t);
    gf_names_init(&t->platforms);
    gf_names_init(&t->pairs);
    gf_names_init(&t->pairs_any);
    t->machine = tag_machine(&t->arena, p);
    t->os = p->os;
    if (p->os == PY_OS_LINUX) add_linux(t, p);
    else if (p->os == PY_OS_WINDOWS) add_windows(t);
    else add_macos(t, p);
    add_interpreter(t, p);
    t->n = (size_t)t->pairs.n * t->platforms.n + t->pairs_any.n;
    t->text = GF_NEW_ARRAY(&t->arena, const char *, t->n);
    return t;
}

void py_tags_free(struct py_tags *t)
{
    if (!t) return;
    gf_names_release(&t->platforms);
    gf_names_release(&t->pairs);
    gf_names_release(&t->pairs_any);
    gf_arena_release(&t->arena);
    free(t);
}

size_t py_tags_count(const struct py_tags *t) { return t->n; }

const char *py_tags_get(const struct py_tags *t, size_t i)
{
    struct py_tags *own = (struct py_tags *)(uintptr_t)t; /* fills the cache of texts, nothing else */
    size_t full = (size_t)t->pairs.n * t->platforms.n;
    if (i >= t->n) return NULL;
    if (!t->text[i] && i < full) {
        gf_slice pair = gf_names_get(&t->pairs, (uint32_t)(i / t->platforms.n)), platform = gf_names_get(&t->platforms, (uint32_t)(i % t->platforms.n));
        own->text[i] = gf_arena_printf(&own->arena, "%.*s-%.*s", GF_FMT(pair), GF_FMT(platform));
    } else if (!t->text[i]) {
        own->text[i] = gf_arena_printf(&own->arena, "%.*s-any", GF_FMT(gf_names_get(&t->pairs_any, (uint32_t)(i - full))));
    }
    return t->text[i];
}

/* Best place among the platforms of a compressed set, GF_NO_ID for none; *ret_any: "any" is among them. */
static uint32_t best_platform(const struct py_tags *t, const char *set, bool *ret_any)
{
    uint32_t best = GF_NO_ID;
    *ret_any = false;
    gf_slice rest = gf_slice_of(set);
    for (gf_slice one; gf_slice_field(&rest, '.', &one);) {
        uint32_t id = gf_names_find(&t->platforms, one);
        if (id < best) best = id;
        if (gf_slice_is(one, "any")) *ret_any = true;
    }
    return best;
}

static uint32_t find_pair(const struct gf_names *pairs, gf_slice py, gf_slice abi)
{
    char key[64];
    if (py.n + abi.n + 1 > sizeof key) return GF_NO_ID;
    memcpy(key, py.p, py.n);
    key[py.n] = '-';
    memcpy(key + py.n + 1, abi.p, abi.n);
    return gf_names_find(pairs, gf_slice_n(key, py.n + abi.n + 1));
}

/* The lowest group that one of the pairs python × abi of the wheel is in. */
static uint32_t best_pair(const struct gf_names *pairs, const struct py_wheel *w)
{
    uint32_t best = GF_NO_ID;
    gf_slice pys = gf_slice_of(w->py_tag);
    for (gf_slice py; gf_slice_field(&pys, '.', &py);) {
        gf_slice abis = gf_slice_of(w->abi_tag);
        for (gf_slice abi; gf_slice_field(&abis, '.', &abi);) {
            uint32_t id = find_pair(pairs, py, abi);
            if (id < best) best = id;
        }
    }
    return best;
}

int py_tags_rank(const struct py_tags *t, const struct py_wheel *w)
{
    bool any;
    uint32_t platform = best_platform(t, w->platform_tag, &any);
    uint32_t pair = platform == GF_NO_ID ? GF_NO_ID : best_pair(&t->pairs, w);
    if (pair != GF_NO_ID) return (int)(pair * t->platforms.n + platform);
    pair = any ? best_pair(&t->pairs_any, w) : GF_NO_ID;
    return pair == GF_NO_ID ? -1 : (int)(t->pairs.n * t->platforms.n + pair);
}

static bool is_for_os(gf_slice platform, enum py_os os)
{
    if (os == PY_OS_WINDOWS) return gf_slice_starts(platform, GF_S("win"));
    if (os == PY_OS_MACOS) return gf_slice_starts(platform, GF_S("macosx"));
    return gf_slice_starts(platform, GF_S("linux")) || gf_slice_starts(platform, GF_S("manylinux")) || gf_slice_starts(platform, GF_S("musllinux"));
}

static bool is_for_machine(gf_slice platform, const char *machine)
{
    gf_slice m = gf_slice_of(machine);
    return platform.n > m.n && gf_slice_ends(platform, m) && platform.p[platform.n - m.n - 1] == '_';
}

/* How near the platforms of a wheel come: PY_FITS, or what the nearest of them lacks. */
static enum py_misfit platform_misfit(const struct py_tags *t, const struct py_wheel *w)
{
    bool any;
    enum py_misfit nearest = PY_MISFIT_PLATFORM;
    if (best_platform(t, w->platform_tag, &any) != GF_NO_ID || any) return PY_FITS;
    gf_slice set = gf_slice_of(w->platform_tag);
    for (gf_slice one; gf_slice_field(&set, '.', &one);) {
        if (!is_for_os(one, t->os)) continue;
        if (is_for_machine(one, t->machine)) return PY_MISFIT_LIBC;
        nearest = PY_MISFIT_ARCH;
    }
    return nearest;
}

/* The wheel is for this interpreter (or any), but not for its ABI. */
static bool is_for_interpreter(const struct py_tags *t, const struct py_wheel *w)
{
    gf_slice pys = gf_slice_of(w->py_tag);
    for (gf_slice py; gf_slice_field(&pys, '.', &py);)
        if (gf_slice_is(py, t->own) || find_pair(&t->pairs, py, GF_S("none")) != GF_NO_ID) return true;
    return false;
}

enum py_misfit py_wheel_misfit(const struct py_tags *t, const struct py_wheel *w)
{
    if (py_tags_rank(t, w) >= 0) return PY_FITS;
    enum py_misfit platform = platform_misfit(t, w);
    if (platform == PY_MISFIT_PLATFORM || platform == PY_MISFIT_ARCH) return platform;
    bool any;
    bool pair = best_pair(&t->pairs, w) != GF_NO_ID;
    best_platform(t, w->platform_tag, &any);
    if (any) pair = best_pair(&t->pairs_any, w) != GF_NO_ID;
    if (!pair) return is_for_interpreter(t, w) ? PY_MISFIT_ABI : PY_MISFIT_PYTHON;
    return platform;
}
