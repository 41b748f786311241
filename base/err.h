/* Errors. A function that can fail takes `struct gf_err *err` last and returns 0, or -1 with *err filled (for functions that return a pointer: NULL).
 * *err is untouched on success. The text says what was seen, what was expected, where, and what to do.
 * Codes, names and exit status come from one list. */
#ifndef GF_ERR_H
#define GF_ERR_H
#include "base/limits.h"
#include <stdarg.h>
#include <stdbool.h>

/* name, exit status */
#define GF_ERROR_CODES(X)                                                                           \
    X(GF_OK, 0)                                                                                     \
    X(GF_E_NO, 1)        /* broken, no solution */                                                  \
    X(GF_E_USAGE, 2)     /* the request itself is wrong: unknown name, bad option */                \
    X(GF_E_PARSE, 2)     /* input that cannot be read as what it claims to be */                    \
    X(GF_E_UNKNOWN, 3)   /* deciding facts are missing */                                           \
    X(GF_E_NETWORK, 4)   /* a source or the network failed */                                       \
    X(GF_E_NOT_FOUND, 4) /* a source answered: not there */                                         \
    X(GF_E_INTEGRITY, 5) /* digest, size, signature or seal do not match */                         \
    X(GF_E_IO, 6)        /* local files, memory */                                                  \
    X(GF_E_LIMIT, 6)     /* a cap was reached */                                                    \
    X(GF_E_INTERRUPTED, 130)

enum gf_code {
#define X(name, status) name,
    GF_ERROR_CODES(X)
#undef X
};

struct gf_err {
    enum gf_code code;
    char text[GF_CAP_ERROR]; /* complete sentence(s), no final newline; cut with "…" when too long */
};
#define GF_ERR_INIT { GF_OK, { 0 } }

/* Fill and return -1: return gf_fail(err, GF_E_INTEGRITY, "'%s' has sha256 %s, the lock says %s", …); err may be NULL. */
int gf_fail(struct gf_err *err, enum gf_code code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int gf_vfail(struct gf_err *err, enum gf_code code, const char *fmt, va_list ap) __attribute__((format(printf, 3, 0)));
/* The same with ": strerror(errnum)" behind it; code is GF_E_IO. */
int gf_fail_errno(struct gf_err *err, int errnum, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Puts context in front: "reading 'x': …". Returns -1. */
int gf_wrap(struct gf_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int gf_exit_status(enum gf_code code);
const char *gf_code_name(enum gf_code code); /* "GF_E_IO" */

/* Notices from libraries (which never print): level 0 warning, 1 note (-v), 2 detail (-vv). fn may be NULL. */
struct gf_log {
    void (*fn)(void *arg, int level, const char *text);
    void *arg;
};
void gf_note(const struct gf_log *log, int level, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
