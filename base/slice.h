/* Borrowed text by value, and a parser's cursor: the take verbs consume from the front, and on a mismatch set the
 * slice to NULL and leave it NULL, so that one check at the end of a parse is enough. A slice never owns. */
#ifndef GF_SLICE_H
#define GF_SLICE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct gf_slice {
    const char *p; /* NULL: no value, or a failed parse */
    size_t n;
} gf_slice;

#define GF_S(lit) ((gf_slice){ "" lit, sizeof(lit) - 1 })
#define GF_NONE ((gf_slice){ NULL, 0 })
#define GF_FMT(s) (int)(s).n, ((s).p ? (s).p : "") /* for "%.*s" */

static inline gf_slice gf_slice_of(const char *s) { return (gf_slice){ s, s ? strlen(s) : 0 }; }
static inline gf_slice gf_slice_n(const char *p, size_t n) { return (gf_slice){ p, n }; }
static inline bool gf_slice_ok(gf_slice s) { return s.p != NULL; }

bool gf_slice_eq(gf_slice a, gf_slice b);
bool gf_slice_is(gf_slice a, const char *s);
bool gf_slice_ieq(gf_slice a, gf_slice b);             /* ASCII letters without case */
int gf_slice_cmp(gf_slice a, gf_slice b);              /* bytes, then length; <0, 0, >0 */
bool gf_slice_starts(gf_slice s, gf_slice prefix);
bool gf_slice_ends(gf_slice s, gf_slice suffix);
bool gf_slice_has(gf_slice s, gf_slice needle);
ptrdiff_t gf_slice_find(gf_slice s, gf_slice needle);  /* offset of the first, -1 none */
ptrdiff_t gf_slice_ifind(gf_slice s, gf_slice needle); /* the same, ASCII letters without case */
ptrdiff_t gf_slice_chr(gf_slice s, char c);            /* offset of the first c, -1 none */
ptrdiff_t gf_slice_rchr(gf_slice s, char c);
gf_slice gf_slice_sub(gf_slice s, size_t from, size_t n); /* clamped */
gf_slice gf_slice_from(gf_slice s, size_t from);          /* clamped */
gf_slice gf_slice_trim(gf_slice s);                       /* space, tab, CR, LF, VT, FF at both ends */
gf_slice gf_slice_rtrim(gf_slice s);

/* Splits at the first sep: *ret_head before it, *s after it; false (and *s untouched, *ret_head = all) without one. */
bool gf_slice_cut(gf_slice *s, char sep, gf_slice *ret_head);
/* The next line without its LF or CRLF; false at the end. */
bool gf_slice_line(gf_slice *s, gf_slice *ret_line);
/* The next run of bytes that are not blanks; false when only blanks are left. */
bool gf_slice_word(gf_slice *s, gf_slice *ret_word);
/* The next field between seps (empty ones too); false at the end: for (f; gf_slice_field(&s, ',', &f);) */
bool gf_slice_field(gf_slice *s, char sep, gf_slice *ret_field);

void gf_take_ws(gf_slice *s);               /* never fails */
bool gf_take_char(gf_slice *s, char c);     /* fails (NULL) unless it is there */
bool gf_take_lit(gf_slice *s, gf_slice lit);
bool gf_try_char(gf_slice *s, char c);      /* consumes if there, never fails */
bool gf_try_lit(gf_slice *s, gf_slice lit);
uint64_t gf_take_u64(gf_slice *s);          /* decimal digits, at least one; overflow fails */
gf_slice gf_take_while(gf_slice *s, bool (*pred)(unsigned char)); /* may be empty */

/* The whole slice as a decimal number; false when it is anything else or overflows. */
bool gf_slice_u64(gf_slice s, uint64_t *ret);
/* dotted numbers "535.309.01" compared part by part, missing parts are 0; letters end the comparison of a part. */
int gf_dotted_cmp(gf_slice a, gf_slice b);

static inline bool gf_is_digit(unsigned char c) { return c >= '0' && c <= '9'; }
static inline bool gf_is_alpha(unsigned char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }
static inline bool gf_is_alnum(unsigned char c) { return gf_is_digit(c) || gf_is_alpha(c); }
static inline bool gf_is_space(unsigned char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static inline char gf_lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }

#endif
