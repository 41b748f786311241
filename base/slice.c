#include "base/slice.h"

bool gf_slice_eq(gf_slice a, gf_slice b)
{
    return a.n == b.n && (a.p != NULL) == (b.p != NULL) && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

bool gf_slice_is(gf_slice a, const char *s) { return a.p && gf_slice_eq(a, gf_slice_of(s)); }

bool gf_slice_ieq(gf_slice a, gf_slice b)
{
    if (a.n != b.n || (a.p != NULL) != (b.p != NULL)) return false;
    for (size_t i = 0; i < a.n; i++)
        if (gf_lower(a.p[i]) != gf_lower(b.p[i])) return false;
    return true;
}

int gf_slice_cmp(gf_slice a, gf_slice b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int c = n ? memcmp(a.p, b.p, n) : 0;
    if (c) return c;
    return a.n < b.n ? -1 : a.n > b.n;
}

bool gf_slice_starts(gf_slice s, gf_slice prefix)
{
    return s.p && s.n >= prefix.n && (prefix.n == 0 || memcmp(s.p, prefix.p, prefix.n) == 0);
}

bool gf_slice_ends(gf_slice s, gf_slice suffix)
{
    return s.p && s.n >= suffix.n && (suffix.n == 0 || memcmp(s.p + s.n - suffix.n, suffix.p, suffix.n) == 0);
}

ptrdiff_t gf_slice_find(gf_slice s, gf_slice needle)
{
    if (!s.p || needle.n > s.n) return -1;
    if (needle.n == 0) return 0;
    const char *hit = memmem(s.p, s.n, needle.p, needle.n);
    return hit ? hit - s.p : -1;
}

ptrdiff_t gf_slice_ifind(gf_slice s, gf_slice needle)
{
    if (!s.p || needle.n > s.n) return -1;
    char first = needle.n ? gf_lower(needle.p[0]) : '\0';
    for (size_t i = 0; i + needle.n <= s.n; i++)
        if ((!needle.n || gf_lower(s.p[i]) == first) && gf_slice_ieq(gf_slice_sub(s, i, needle.n), needle)) return (ptrdiff_t)i;
    return -1;
}

bool gf_slice_has(gf_slice s, gf_slice needle) { return gf_slice_find(s, needle) >= 0; }

ptrdiff_t gf_slice_chr(gf_slice s, char c)
{
    const char *hit = s.n ? memchr(s.p, c, s.n) : NULL;
    return hit ? hit - s.p : -1;
}

ptrdiff_t gf_slice_rchr(gf_slice s, char c)
{
    const char *hit = s.n ? memrchr(s.p, c, s.n) : NULL;
    return hit ? hit - s.p : -1;
}

gf_slice gf_slice_from(gf_slice s, size_t from)
{
    if (!s.p) return s;
    if (from > s.n) from = s.n;
    return (gf_slice){ s.p + from, s.n - from };
}

gf_slice gf_slice_sub(gf_slice s, size_t from, size_t n)
{
    s = gf_slice_from(s, from);
    if (n < s.n) s.n = n;
    return s;
}

gf_slice gf_slice_rtrim(gf_slice s)
{
    while (s.n && gf_is_space((unsigned char)s.p[s.n - 1])) s.n--;
    return s;
}

gf_slice gf_slice_trim(gf_slice s)
{
    gf_take_ws(&s);
    return gf_slice_rtrim(s);
}

bool gf_slice_cut(gf_slice *s, char sep, gf_slice *ret_head)
{
    ptrdiff_t at = gf_slice_chr(*s, sep);
    if (at < 0) {
        *ret_head = *s;
        return false;
    }
    *ret_head = gf_slice_sub(*s, 0, (size_t)at);
    *s = gf_slice_from(*s, (size_t)at + 1);
    return true;
}

bool gf_slice_line(gf_slice *s, gf_slice *ret_line)
{
    if (!s->p || s->n == 0) return false;
    gf_slice line;
    if (!gf_slice_cut(s, '\n', &line)) *s = gf_slice_from(*s, s->n);
    if (line.n && line.p[line.n - 1] == '\r') line.n--;
    *ret_line = line;
    return true;
}

bool gf_slice_word(gf_slice *s, gf_slice *ret_word)
{
    gf_take_ws(s);
    if (!s->p || s->n == 0) return false;
    size_t n = 0;
    while (n < s->n && !gf_is_space((unsigned char)s->p[n])) n++;
    *ret_word = gf_slice_sub(*s, 0, n);
    *s = gf_slice_from(*s, n);
    return true;
}

bool gf_slice_field(gf_slice *s, char sep, gf_slice *ret_field)
{
    if (!s->p) return false;
    if (!gf_slice_cut(s, sep, ret_field)) *s = GF_NONE;
    return true;
}

void gf_take_ws(gf_slice *s)
{
    while (s->n && gf_is_space((unsigned char)*s->p)) {
        s->p++;
        s->n--;
    }
}

bool gf_try_lit(gf_slice *s, gf_slice lit)
{
    if (!gf_slice_starts(*s, lit)) return false;
    *s = gf_slice_from(*s, lit.n);
    return true;
}

bool gf_take_lit(gf_slice *s, gf_slice lit)
{
    if (gf_try_lit(s, lit)) return true;
    *s = GF_NONE;
    return false;
}

bool gf_try_char(gf_slice *s, char c)
{
    if (!s->p || s->n == 0 || *s->p != c) return false;
    *s = gf_slice_from(*s, 1);
    return true;
}

bool gf_take_char(gf_slice *s, char c)
{
    if (gf_try_char(s, c)) return true;
    *s = GF_NONE;
    return false;
}

gf_slice gf_take_while(gf_slice *s, bool (*pred)(unsigned char))
{
    if (!s->p) return GF_NONE;
    size_t n = 0;
    while (n < s->n && pred((unsigned char)s->p[n])) n++;
    gf_slice got = gf_slice_sub(*s, 0, n);
    *s = gf_slice_from(*s, n);
    return got;
}

bool gf_slice_u64(gf_slice s, uint64_t *ret)
{
    if (!s.p || s.n == 0) return false;
    uint64_t v = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (!gf_is_digit((unsigned char)s.p[i])) return false;
        if (__builtin_mul_overflow(v, (uint64_t)10, &v) || __builtin_add_overflow(v, (uint64_t)(s.p[i] - '0'), &v)) return false;
    }
    *ret = v;
    return true;
}

uint64_t gf_take_u64(gf_slice *s)
{
    size_t n = 0;
    while (n < s->n && gf_is_digit((unsigned char)s->p[n])) n++;
    uint64_t v = 0;
    if (!gf_slice_u64(gf_slice_sub(*s, 0, n), &v)) {
        *s = GF_NONE;
        return 0;
    }
    *s = gf_slice_from(*s, n);
    return v;
}

static uint64_t dotted_part(gf_slice *s)
{
    gf_slice part;
    if (!gf_slice_field(s, '.', &part)) return 0;
    size_t n = 0;
    while (n < part.n && gf_is_digit((unsigned char)part.p[n])) n++;
    uint64_t v = 0;
    gf_slice_u64(gf_slice_sub(part, 0, n), &v);
    return v;
}

int gf_dotted_cmp(gf_slice a, gf_slice b)
{
    while (a.p || b.p) {
        uint64_t x = dotted_part(&a), y = dotted_part(&b);
        if (x != y) return x < y ? -1 : 1;
    }
    return 0;
}
