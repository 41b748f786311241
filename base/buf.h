/* A text or byte buffer that must be given a maximum. The first overflow is remembered: check gf_buf_failed once at
 * the end. Always NUL-terminated. Owned by the holder: gf_buf_release. */
#ifndef GF_BUF_H
#define GF_BUF_H
#include "base/err.h"
#include "base/mem.h"

struct gf_buf {
    char *p; /* never NULL after the first add; use gf_buf_str for a safe "" */
    size_t n, cap, max;
    bool failed;
};

void gf_buf_init(struct gf_buf *b, size_t max);
void gf_buf_release(struct gf_buf *b);
void gf_buf_clear(struct gf_buf *b); /* keeps the memory, forgets the failure */
void gf_buf_reserve(struct gf_buf *b, size_t n); /* n more bytes will come; a guess, no promise, beyond the maximum it does nothing */
void gf_buf_add(struct gf_buf *b, const void *p, size_t n);
void gf_buf_adds(struct gf_buf *b, const char *s);
void gf_buf_addsl(struct gf_buf *b, gf_slice s);
void gf_buf_addc(struct gf_buf *b, char c);
void gf_buf_addf(struct gf_buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void gf_buf_vaddf(struct gf_buf *b, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
void gf_buf_truncate(struct gf_buf *b, size_t n);
const char *gf_buf_str(const struct gf_buf *b);
gf_slice gf_buf_slice(const struct gf_buf *b);
char *gf_buf_steal(struct gf_buf *b); /* malloc'd, caller frees; the buffer is empty after */
static inline bool gf_buf_failed(const struct gf_buf *b) { return b->failed; }
#define GF_BUF_SCOPE __attribute__((cleanup(gf_buf_release)))

#endif
