#include "base/buf.h"
#include <stdio.h>
#include <stdlib.h>

void gf_buf_init(struct gf_buf *b, size_t max) { *b = (struct gf_buf){ .max = max }; }

void gf_buf_release(struct gf_buf *b)
{
    free(b->p);
    gf_buf_init(b, b->max);
}

void gf_buf_clear(struct gf_buf *b)
{
    gf_buf_truncate(b, 0);
    b->failed = false;
}

/* Makes room for n more bytes and the NUL; false when the maximum is in the way. */
static bool make_room(struct gf_buf *b, size_t n)
{
    if (b->failed) return false;
    if (n > b->max || b->n > b->max - n) {
        b->failed = true;
        return false;
    }
    size_t need = b->n + n + 1;
    if (need > b->cap) {
        size_t cap = b->cap ? b->cap * 2 : 256;
        if (cap < need) cap = need;
        b->p = gf_xrealloc(b->p, cap);
        b->cap = cap;
    }
    return true;
}

void gf_buf_reserve(struct gf_buf *b, size_t n)
{
    if (n <= b->max && b->n <= b->max - n) make_room(b, n);
}

void gf_buf_add(struct gf_buf *b, const void *p, size_t n)
{
    if (!make_room(b, n)) return;
    if (n) memcpy(b->p + b->n, p, n);
    b->n += n;
    b->p[b->n] = '\0';
}

void gf_buf_adds(struct gf_buf *b, const char *s) { gf_buf_add(b, s, strlen(s)); }
void gf_buf_addsl(struct gf_buf *b, gf_slice s) { gf_buf_add(b, s.p, s.n); }
void gf_buf_addc(struct gf_buf *b, char c) { gf_buf_add(b, &c, 1); }

void gf_buf_vaddf(struct gf_buf *b, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    if (n < 0) b->failed = true;
    else if (make_room(b, (size_t)n)) {
        vsnprintf(b->p + b->n, (size_t)n + 1, fmt, again);
        b->n += (size_t)n;
    }
    va_end(again);
}

void gf_buf_addf(struct gf_buf *b, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    gf_buf_vaddf(b, fmt, ap);
    va_end(ap);
}

void gf_buf_truncate(struct gf_buf *b, size_t n)
{
    if (n > b->n) return;
    b->n = n;
    if (b->p) b->p[n] = '\0';
}

const char *gf_buf_str(const struct gf_buf *b) { return b->p ? b->p : ""; }
gf_slice gf_buf_slice(const struct gf_buf *b) { return (gf_slice){ gf_buf_str(b), b->n }; }

char *gf_buf_steal(struct gf_buf *b)
{
    char *p = b->p ? b->p : gf_xstrdup("");
    gf_buf_init(b, b->max);
    return p;
}
