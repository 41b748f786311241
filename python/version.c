/* PEP 440 versions: parsing as its appendix B says, the order of its "Summary of permitted suffixes and relative ordering". */
#include "python/version.h"
#include "base/limits.h"

struct cursor {
    const char *p, *end;
};

static bool at_digit(const struct cursor *c) { return c->p < c->end && gf_is_digit((unsigned char)*c->p); }
static bool is_sep(char ch) { return ch == '.' || ch == '-' || ch == '_'; }

static bool take_number(struct cursor *c, uint64_t *ret)
{
    if (!at_digit(c)) return false;
    uint64_t v = 0;
    for (; at_digit(c); c->p++)
        if (__builtin_mul_overflow(v, (uint64_t)10, &v) || __builtin_add_overflow(v, (uint64_t)(*c->p - '0'), &v)) return false;
    *ret = v;
    return true;
}

static bool try_word(struct cursor *c, const char *word)
{
    const char *p = c->p;
    for (; *word; word++, p++)
        if (p == c->end || gf_lower(*p) != *word) return false;
    c->p = p;
    return true;
}

/* separator? word separator? digits?: the shape of every suffix. False when none of the words is there; *bad on overflow. */
static bool try_suffix(struct cursor *c, const char *const *words, size_t nwords, size_t *ret_word, uint64_t *ret_n, bool *bad)
{
    struct cursor t = *c;
    if (t.p < t.end && is_sep(*t.p)) t.p++;
    size_t i = 0;
    while (i < nwords && !try_word(&t, words[i])) i++;
    if (i == nwords) return false;
    if (t.p < t.end && is_sep(*t.p)) t.p++;
    *ret_n = 0;
    if (at_digit(&t) && !take_number(&t, ret_n)) *bad = true;
    *ret_word = i;
    *c = t;
    return true;
}

static bool scan_release(struct cursor *c, struct py_version_room *room, struct py_version *v)
{
    uint64_t n;
    if (c->p < c->end && (*c->p == 'v' || *c->p == 'V')) c->p++;
    if (!take_number(c, &n)) return false;
    v->epoch = 0;
    if (c->p < c->end && *c->p == '!') {
        v->epoch = n;
        c->p++;
        if (!take_number(c, &n)) return false;
    }
    room->release[0] = n;
    v->nrelease = 1;
    while (c->end - c->p > 1 && *c->p == '.' && gf_is_digit((unsigned char)c->p[1])) {
        c->p++;
        if (v->nrelease == PY_VERSION_PARTS || !take_number(c, &room->release[v->nrelease++])) return false;
    }
    v->release = room->release;
    return true;
}

static bool scan_suffixes(struct cursor *c, struct py_version *v)
{
    static const char *const pre[] = { "alpha", "a", "beta", "b", "preview", "pre", "rc", "c" };
    static const enum py_pre kinds[] = { PY_PRE_A, PY_PRE_A, PY_PRE_B, PY_PRE_B, PY_PRE_RC, PY_PRE_RC, PY_PRE_RC, PY_PRE_RC };
    static const char *const post[] = { "post", "rev", "r" };
    static const char *const dev[] = { "dev" };
    bool bad = false;
    size_t word;
    if (c->p == c->end || *c->p == '+') return true; /* as most have none */
    if (try_suffix(c, pre, 8, &word, &v->pre_n, &bad)) v->pre = kinds[word];
    if (c->end - c->p > 1 && *c->p == '-' && gf_is_digit((unsigned char)c->p[1])) {
        c->p++;
        v->has_post = true;
        bad |= !take_number(c, &v->post_n);
    } else if (try_suffix(c, post, 3, &word, &v->post_n, &bad)) {
        v->has_post = true;
    }
    if (try_suffix(c, dev, 1, &word, &v->dev_n, &bad)) v->has_dev = true;
    return !bad;
}

/* One part of the local version; its text is put at *out, lower case, numbers without leading zeros. */
static bool scan_local_part(struct cursor *c, struct py_local_part *ret, char **out)
{
    const char *from = c->p;
    while (c->p < c->end && gf_is_alnum((unsigned char)*c->p)) c->p++;
    gf_slice raw = gf_slice_n(from, (size_t)(c->p - from));
    if (!raw.n) return false;
    size_t digits = 0;
    while (digits < raw.n && gf_is_digit((unsigned char)raw.p[digits])) digits++;
    ret->numeric = digits == raw.n;
    ret->number = 0;
    if (ret->numeric) {
        if (!gf_slice_u64(raw, &ret->number)) return false;
        while (raw.n > 1 && *raw.p == '0') raw = gf_slice_from(raw, 1);
    }
    ret->text = gf_slice_n(*out, raw.n);
    for (size_t i = 0; i < raw.n; i++) *(*out)++ = gf_lower(raw.p[i]);
    return true;
}

static bool scan_local(struct cursor *c, struct py_version_room *room, struct py_version *v, char **out)
{
    if (c->p == c->end) return true;
    if (*c->p != '+') return false;
    *(*out)++ = '+';
    do {
        if (v->nlocal) *(*out)++ = '.';
        c->p++;
        if (v->nlocal == PY_VERSION_PARTS || !scan_local_part(c, &room->local[v->nlocal++], out)) return false;
    } while (c->p < c->end && is_sep(*c->p));
    v->local = room->local;
    return c->p == c->end;
}

static char *put_u64(char *out, uint64_t n)
{
    char digits[20];
    size_t k = 0;
    do digits[k++] = (char)('0' + n % 10);
    while (n /= 10);
    while (k) *out++ = digits[--k];
    return out;
}

static char *put_word(char *out, const char *word, uint64_t n)
{
    while (*word) *out++ = *word++;
    return put_u64(out, n);
}

static char *put_public(char *out, const struct py_version *v)
{
    static const char *const pre[] = { "", "a", "b", "rc" };
    if (v->epoch) {
        out = put_u64(out, v->epoch);
        *out++ = '!';
    }
    for (uint32_t i = 0; i < v->nrelease; i++) {
        if (i) *out++ = '.';
        out = put_u64(out, v->release[i]);
    }
    if (v->pre) out = put_word(out, pre[v->pre], v->pre_n);
    if (v->has_post) out = put_word(out, ".post", v->post_n);
    if (v->has_dev) out = put_word(out, ".dev", v->dev_n);
    return out;
}

static size_t scan(struct py_version_room *room, gf_slice text, struct py_version *v)
{
    text = gf_slice_trim(text);
    *v = (struct py_version){ 0 };
    if (!text.n || text.n > GF_CAP_VERSION_TEXT) return 0;
    struct cursor c = { text.p, text.p + text.n };
    if (!scan_release(&c, room, v) || !scan_suffixes(&c, v)) return 0;
    char *out = put_public(room->text, v);
    if (!scan_local(&c, room, v, &out)) return 0;
    *out = '\0';
    v->text = room->text;
    return (size_t)(out - room->text);
}

bool py_version_parse_room(struct py_version_room *room, gf_slice text, struct py_version *ret)
{
    struct py_version v;
    if (!scan(room, text, &v)) return false;
    *ret = v;
    return true;
}

bool py_version_parse(struct gf_arena *a, gf_slice text, struct py_version *ret)
{
    struct py_version_room room;
    struct py_version v;
    size_t n = scan(&room, text, &v);
    if (!n) return false;
    size_t release = v.nrelease * sizeof *v.release, local = v.nlocal * sizeof *v.local;
    char *block = gf_arena_alloc(a, release + local + n + 1), *copy = block + release + local;
    memcpy(copy, room.text, n + 1);
    for (uint32_t i = 0; i < v.nlocal; i++) room.local[i].text.p = copy + (room.local[i].text.p - room.text);
    v.release = memcpy(block, room.release, release);
    if (v.nlocal) v.local = memcpy(block + release, room.local, local);
    v.text = copy;
    *ret = v;
    return true;
}

static int cmp_u64(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

static int cmp_release(const struct py_version *a, const struct py_version *b)
{
    uint32_t n = a->nrelease > b->nrelease ? a->nrelease : b->nrelease;
    for (uint32_t i = 0; i < n; i++) {
        int c = cmp_u64(i < a->nrelease ? a->release[i] : 0, i < b->nrelease ? b->release[i] : 0);
        if (c) return c;
    }
    return 0;
}

/* 1.0.dev1 stands before 1.0a1, 1.0 behind 1.0rc1. */
static unsigned pre_rank(const struct py_version *v)
{
    if (v->pre) return v->pre;
    return v->has_dev && !v->has_post ? 0 : PY_PRE_RC + 1;
}

int py_version_cmp_public(const struct py_version *a, const struct py_version *b)
{
    int c = cmp_u64(a->epoch, b->epoch);
    if (c || (c = cmp_release(a, b))) return c;
    if ((c = cmp_u64(pre_rank(a), pre_rank(b)))) return c;
    if ((c = cmp_u64(a->pre_n, b->pre_n))) return c;
    if ((c = (int)a->has_post - (int)b->has_post)) return c;
    if ((c = cmp_u64(a->post_n, b->post_n))) return c;
    if ((c = (int)b->has_dev - (int)a->has_dev)) return c;
    return cmp_u64(a->dev_n, b->dev_n);
}

static int cmp_local_part(const struct py_local_part *a, const struct py_local_part *b)
{
    if (a->numeric != b->numeric) return a->numeric ? 1 : -1;
    return a->numeric ? cmp_u64(a->number, b->number) : gf_slice_cmp(a->text, b->text);
}

int py_version_cmp(const struct py_version *a, const struct py_version *b)
{
    int c = py_version_cmp_public(a, b);
    for (uint32_t i = 0; !c && i < a->nlocal && i < b->nlocal; i++) c = cmp_local_part(&a->local[i], &b->local[i]);
    return c ? c : cmp_u64(a->nlocal, b->nlocal);
}

gf_slice py_version_local(const struct py_version *v)
{
    const char *plus = v->nlocal ? strchr(v->text, '+') : NULL;
    return plus ? gf_slice_of(plus + 1) : GF_NONE;
}

const char *py_version_public(struct gf_arena *a, const struct py_version *v)
{
    if (!v->nlocal) return v->text;
    gf_slice head, all = gf_slice_of(v->text);
    gf_slice_cut(&all, '+', &head);
    return gf_arena_str(a, head);
}
