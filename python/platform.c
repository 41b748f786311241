/* Marker variables of a target (PEP 508 "Environment markers"). */
#include "python/platform.h"
#include <stdio.h>

static const char *const SYS_PLATFORM[] = { "linux", "win32", "darwin" };
static const char *const PLATFORM_SYSTEM[] = { "Linux", "Windows", "Darwin" };

static bool is_cpython(const struct py_platform *p) { return !p->implementation || !strcmp(p->implementation, "cpython"); }

static const char *implementation_title(const struct py_platform *p)
{
    if (is_cpython(p)) return "CPython";
    if (!strcmp(p->implementation, "pypy")) return "PyPy";
    if (!strcmp(p->implementation, "graalpy")) return "GraalVM";
    return NULL;
}

static const char *short_version(const struct py_platform *p)
{
    static _Thread_local char text[32];
    snprintf(text, sizeof text, "%u.%u", p->major, p->minor);
    return p->major ? text : NULL;
}

static const char *full_version(const struct py_platform *p)
{
    static _Thread_local char text[48];
    snprintf(text, sizeof text, "%u.%u.%u", p->major, p->minor, p->micro);
    return p->major ? text : NULL;
}

static const char *value_of(const struct py_platform *p, gf_slice name)
{
    if (gf_slice_is(name, "python_version")) return short_version(p);
    if (gf_slice_is(name, "python_full_version")) return full_version(p);
    if (gf_slice_is(name, "os_name")) return p->os == PY_OS_WINDOWS ? "nt" : "posix";
    if (gf_slice_is(name, "sys_platform")) return SYS_PLATFORM[p->os];
    if (gf_slice_is(name, "platform_system")) return PLATFORM_SYSTEM[p->os];
    if (gf_slice_is(name, "platform_machine")) return p->machine;
    if (gf_slice_is(name, "platform_release")) return p->release;
    if (gf_slice_is(name, "platform_version")) return p->version;
    if (gf_slice_is(name, "platform_python_implementation")) return implementation_title(p);
    if (gf_slice_is(name, "implementation_name")) return is_cpython(p) ? "cpython" : p->implementation;
    if (gf_slice_is(name, "implementation_version")) return is_cpython(p) ? full_version(p) : NULL;
    return NULL;
}

static bool lookup(const void *arg, gf_slice name, gf_slice *ret)
{
    const char *value = value_of(arg, name);
    if (!value) return false;
    *ret = gf_slice_of(value);
    return true;
}

struct py_env py_platform_env(const struct py_platform *p) { return (struct py_env){ .lookup = lookup, .arg = p }; }

static bool take_small(gf_slice *s, unsigned *ret)
{
    uint64_t n = gf_take_u64(s);
    if (!s->p || n > 999) return false;
    *ret = (unsigned)n;
    return true;
}

bool py_platform_set_python(struct py_platform *p, gf_slice text)
{
    unsigned major, minor, micro = 0;
    if (!take_small(&text, &major) || !major || !gf_take_char(&text, '.') || !take_small(&text, &minor)) return false;
    if (gf_try_char(&text, '.') && !take_small(&text, &micro)) return false;
    bool threaded = gf_try_char(&text, 't');
    if (text.n) return false;
    p->major = major;
    p->minor = minor;
    p->micro = micro;
    p->free_threaded = threaded;
    return true;
}
