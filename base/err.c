#include "base/err.h"
#include "base/mem.h"
#include <stdio.h>

static void cut_mark(char *text, size_t cap)
{
    static const char mark[] = "…";
    size_t at = cap - sizeof mark;
    while (at && ((unsigned char)text[at] & 0xc0) == 0x80) at--; /* not in the middle of a character */
    memcpy(text + at, mark, sizeof mark);
}

int gf_vfail(struct gf_err *err, enum gf_code code, const char *fmt, va_list ap)
{
    if (!err) return -1;
    err->code = code;
    int n = vsnprintf(err->text, sizeof err->text, fmt, ap);
    if (n < 0) err->text[0] = '\0';
    else if ((size_t)n >= sizeof err->text) cut_mark(err->text, sizeof err->text);
    return -1;
}

int gf_fail(struct gf_err *err, enum gf_code code, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    gf_vfail(err, code, fmt, ap);
    va_end(ap);
    return -1;
}

int gf_fail_errno(struct gf_err *err, int errnum, const char *fmt, ...)
{
    if (!err) return -1;
    va_list ap;
    va_start(ap, fmt);
    gf_vfail(err, GF_E_IO, fmt, ap);
    va_end(ap);
    size_t n = strlen(err->text);
    int m = snprintf(err->text + n, sizeof err->text - n, ": %s", strerror(errnum));
    if (m >= 0 && (size_t)m >= sizeof err->text - n) cut_mark(err->text, sizeof err->text);
    return -1;
}

int gf_wrap(struct gf_err *err, const char *fmt, ...)
{
    if (!err) return -1;
    char head[GF_CAP_ERROR];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(head, sizeof head, fmt, ap);
    va_end(ap);
    if (n < 0) return -1;
    GF_FREE char *all = gf_xasprintf("%s: %s", head, err->text);
    if ((size_t)snprintf(err->text, sizeof err->text, "%s", all) >= sizeof err->text) cut_mark(err->text, sizeof err->text);
    return -1;
}

int gf_exit_status(enum gf_code code)
{
    switch (code) {
#define X(name, status)                                                                             \
    case name: return status;
        GF_ERROR_CODES(X)
#undef X
    }
    return 6;
}

const char *gf_code_name(enum gf_code code)
{
    switch (code) {
#define X(name, status)                                                                             \
    case name: return #name;
        GF_ERROR_CODES(X)
#undef X
    }
    return "GF_E_?";
}

void gf_note(const struct gf_log *log, int level, const char *fmt, ...)
{
    if (!log || !log->fn) return;
    char text[GF_CAP_ERROR];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    log->fn(log->arg, level, text);
}
