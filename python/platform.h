/* The target as Python sees it: marker variables and wheel tags (PEP 425, 600, 656) computed from facts, never from this machine. */
#ifndef PY_PLATFORM_H
#define PY_PLATFORM_H
#include "python/marker.h"
#include "python/wheel.h"

enum py_os { PY_OS_LINUX, PY_OS_WINDOWS, PY_OS_MACOS };
enum py_libc { PY_LIBC_UNKNOWN, PY_LIBC_GLIBC, PY_LIBC_MUSL };

struct py_platform {
    unsigned major, minor, micro;     /* of Python; X.Y alone means micro 0 */
    bool free_threaded;               /* cp313t */
    const char *implementation;       /* "cpython", "pypy"; NULL is cpython */
    enum py_os os;
    enum py_libc libc;
    unsigned libc_major, libc_minor;  /* 0.0: unknown; for macOS the system version */
    const char *machine;              /* platform.machine(): "x86_64", "aarch64", "AMD64" */
    const char *release, *version;    /* platform.release(), platform.version(); NULL unknown */
};

/* An environment over p; borrows it. Unknown facts are unknown (NULL release…). */
struct py_env py_platform_env(const struct py_platform *p);
/* "3.12", "3.12.4", "3.13t"; false on anything else. */
bool py_platform_set_python(struct py_platform *p, gf_slice text);

/* All supported tags in order of preference, as packaging.tags.sys_tags() would give on that machine. */
struct py_tags;
struct py_tags *py_tags_new(const struct py_platform *p);
void py_tags_free(struct py_tags *t);
size_t py_tags_count(const struct py_tags *t);
const char *py_tags_get(const struct py_tags *t, size_t i); /* "cp312-cp312-manylinux_2_28_x86_64" */
/* Best (lowest) rank of any of the wheel's tags, -1 when none fits. */
int py_tags_rank(const struct py_tags *t, const struct py_wheel *w);

enum py_misfit { PY_FITS, PY_MISFIT_PYTHON, PY_MISFIT_ABI, PY_MISFIT_PLATFORM, PY_MISFIT_LIBC, PY_MISFIT_ARCH };
/* Why a wheel does not fit, the nearest of its tags judged: libc means "the same but for a newer glibc". */
enum py_misfit py_wheel_misfit(const struct py_tags *t, const struct py_wheel *w);

#endif
