#include "judge/scan.h"
#include "base/limits.h"
#include "base/vec.h"
#include <stdlib.h>

enum { CLASSES = 64 };

struct node {
    uint32_t next[CLASSES];
    uint32_t fail, first; /* first: 1 + index into ends, 0 none */
    uint32_t up;          /* nearest node on the fail path with ends */
};
struct end { uint32_t pattern, next; };

struct jdg_scan {
    const struct jdg_pattern *const *patterns;
    size_t npatterns;
    GF_VEC(struct node) nodes;
    GF_VEC(struct end) ends;
    unsigned char class_of[256];
};

/* Bytes that stand in some key have a class of their own, as far as there are classes; all others share class 0 or the last one: then a hit is
 * only a reason to look, the pattern itself decides. */
static void number_classes(struct jdg_scan *s)
{
    unsigned next = 1;
    for (size_t i = 0; i < s->npatterns; i++)
        for (size_t k = 0; k < s->patterns[i]->key.n; k++) {
            unsigned char c = (unsigned char)s->patterns[i]->key.p[k];
            if (s->class_of[c]) continue;
            s->class_of[c] = (unsigned char)next;
            if (next < CLASSES - 1) next++;
        }
    for (unsigned c = 'A'; c <= 'Z'; c++) s->class_of[c] = s->class_of[c + 32];
}

static void add_key(struct jdg_scan *s, uint32_t pattern)
{
    gf_slice key = s->patterns[pattern]->key;
    uint32_t at = 0;
    for (size_t i = 0; i < key.n; i++) {
        unsigned c = s->class_of[(unsigned char)key.p[i]];
        if (!s->nodes.v[at].next[c]) {
            uint32_t made = (uint32_t)s->nodes.n;
            gf_vec_push(&s->nodes, (struct node){ .first = 0 });
            s->nodes.v[at].next[c] = made;
        }
        at = s->nodes.v[at].next[c];
    }
    gf_vec_push(&s->ends, (struct end){ pattern, s->nodes.v[at].first });
    s->nodes.v[at].first = (uint32_t)s->ends.n;
}

/* Breadth first: fail links, then missing edges filled so that a step is one table look-up. */
static void link_nodes(struct jdg_scan *s)
{
    GF_VEC(uint32_t) queue = { 0 };
    struct node *v = s->nodes.v;
    for (unsigned c = 0; c < CLASSES; c++)
        if (v[0].next[c]) gf_vec_push(&queue, v[0].next[c]);
    for (size_t i = 0; i < queue.n; i++) {
        uint32_t at = queue.v[i];
        uint32_t fail = v[at].fail;
        v[at].up = v[fail].first ? fail : v[fail].up;
        for (unsigned c = 0; c < CLASSES; c++) {
            uint32_t child = v[at].next[c];
            if (!child) {
                v[at].next[c] = v[fail].next[c];
                continue;
            }
            v[child].fail = v[fail].next[c];
            gf_vec_push(&queue, child);
        }
    }
    gf_vec_free(&queue);
}

struct jdg_scan *jdg_scan_new(const struct jdg_pattern *const *patterns, size_t n)
{
    struct jdg_scan *s = gf_xcalloc(1, sizeof *s);
    s->patterns = patterns;
    s->npatterns = n;
    gf_vec_push(&s->nodes, (struct node){ .first = 0 });
    number_classes(s);
    for (size_t i = 0; i < n; i++) add_key(s, (uint32_t)i);
    link_nodes(s);
    return s;
}

void jdg_scan_free(struct jdg_scan *s)
{
    if (!s) return;
    gf_vec_free(&s->nodes);
    gf_vec_free(&s->ends);
    free(s);
}

enum escape { PLAIN, AFTER_ESC, IN_CSI, IN_OSC };

struct jdg_stream {
    const struct jdg_scan *s;
    jdg_on_match *fn;
    void *arg;
    char *line;             /* GF_CAP_TEXT_LINE bytes */
    size_t n;
    uint64_t number;
    uint32_t state;
    GF_VEC(uint32_t) hits;
    enum escape escape;
    unsigned char utf8[3];  /* a quote that may be typographic, until it is whole */
    unsigned nutf8;
    uint64_t taken;
    enum { UTF8, UTF16LE, UTF16BE } encoding;
    unsigned char half;     /* of a UTF-16 unit */
    bool has_half;
};

struct jdg_stream *jdg_stream_new(const struct jdg_scan *s, jdg_on_match *fn, void *arg)
{
    struct jdg_stream *t = gf_xcalloc(1, sizeof *t);
    t->s = s;
    t->fn = fn;
    t->arg = arg;
    t->number = 1;
    t->line = gf_xmalloc(GF_CAP_TEXT_LINE);
    return t;
}

static void note_hits(struct jdg_stream *t)
{
    const struct node *v = t->s->nodes.v;
    for (uint32_t at = v[t->state].first ? t->state : v[t->state].up; at; at = v[at].up)
        for (uint32_t e = v[at].first; e; e = t->s->ends.v[e - 1].next) {
            uint32_t p = t->s->ends.v[e - 1].pattern;
            bool seen = false;
            for (size_t i = 0; i < t->hits.n && !seen; i++) seen = t->hits.v[i] == p;
            if (!seen) gf_vec_push(&t->hits, p);
        }
}

static void end_line(struct jdg_stream *t)
{
    for (size_t i = 0; i < t->hits.n; i++) {
        struct jdg_captures caps;
        uint32_t p = t->hits.v[i];
        if (jdg_pattern_match(t->s->patterns[p], gf_slice_n(t->line, t->n), &caps)) t->fn(t->arg, p, t->number, gf_slice_n(t->line, t->n), &caps);
    }
    t->hits.n = 0;
    t->state = 0;
    t->n = 0;
}

static void put_byte(struct jdg_stream *t, unsigned char c)
{
    if (c == '\n') {
        end_line(t);
        t->number++;
        return;
    }
    if (c == '\r' || c == 0) return;
    if (c == '\t' || c == '\v' || c == '\f') c = ' ';
    if (c == ' ' && t->n && t->line[t->n - 1] == ' ') return;
    if (t->n == GF_CAP_TEXT_LINE) end_line(t); /* a line without an end: judged in parts */
    t->line[t->n++] = (char)c;
    t->state = t->s->nodes.v[t->state].next[t->s->class_of[c]];
    if (t->s->nodes.v[t->state].first || t->s->nodes.v[t->state].up) note_hits(t);
}

/* U+2018/2019 and U+201C/201D are E2 80 98/99/9C/9D. */
static void put_quotes(struct jdg_stream *t, unsigned char c)
{
    if ((t->nutf8 == 0 && c == 0xe2) || (t->nutf8 == 1 && c == 0x80)) {
        t->utf8[t->nutf8++] = c;
        return;
    }
    if (t->nutf8 == 2 && (c == 0x98 || c == 0x99 || c == 0x9c || c == 0x9d)) {
        t->nutf8 = 0;
        put_byte(t, c <= 0x99 ? '\'' : '"');
        return;
    }
    unsigned kept = t->nutf8;
    t->nutf8 = 0;
    for (unsigned i = 0; i < kept; i++) put_byte(t, t->utf8[i]);
    if (c == 0xe2) t->utf8[t->nutf8++] = c;
    else put_byte(t, c);
}

static void put_escapes(struct jdg_stream *t, unsigned char c)
{
    switch (t->escape) {
    case PLAIN:
        if (c == 0x1b) t->escape = AFTER_ESC;
        else put_quotes(t, c);
        break;
    case AFTER_ESC: t->escape = c == '[' ? IN_CSI : c == ']' ? IN_OSC : PLAIN; break;
    case IN_CSI:
        if (c == '\n') put_quotes(t, c);
        if (c >= 0x40 || c == '\n') t->escape = PLAIN;
        break;
    case IN_OSC:
        if (c == '\n') put_quotes(t, c);
        if (c == 7 || c == '\n' || c == '\\') t->escape = PLAIN;
        break;
    }
}

/* A UTF-16 unit: ASCII as it is, quotes made plain, everything else one '?'. */
static void put_unit(struct jdg_stream *t, unsigned u)
{
    if (u == 0xfeff) return;
    if (u == 0x2018 || u == 0x2019) u = '\'';
    if (u == 0x201c || u == 0x201d) u = '"';
    put_escapes(t, u < 128 ? (unsigned char)u : '?');
}

static void put_encoded(struct jdg_stream *t, unsigned char c)
{
    if (t->encoding == UTF8) {
        put_escapes(t, c);
        return;
    }
    if (!t->has_half) {
        t->half = c;
        t->has_half = true;
        return;
    }
    t->has_half = false;
    put_unit(t, t->encoding == UTF16LE ? t->half | (unsigned)c << 8 : c | (unsigned)t->half << 8);
}

/* Printable ASCII outside of escapes, the bulk of every log, in one loop. Returns how many bytes it took. */
static size_t put_plain(struct jdg_stream *t, const char *p, size_t n)
{
    const struct node *v = t->s->nodes.v;
    uint32_t state = t->state;
    size_t i = 0, at = t->n;
    if (t->taken < 2 || t->encoding != UTF8 || t->escape != PLAIN || t->nutf8) return 0;
    for (; i < n && at < GF_CAP_TEXT_LINE; i++) {
        unsigned char c = (unsigned char)p[i];
        if (c < ' ' || c > '~') break;
        if (c == ' ' && at && t->line[at - 1] == ' ') continue;
        t->line[at++] = (char)c;
        state = v[state].next[t->s->class_of[c]];
        if (v[state].first | v[state].up) {
            t->state = state;
            note_hits(t);
        }
    }
    t->state = state;
    t->n = at;
    return i;
}

void jdg_stream_add(struct jdg_stream *t, gf_slice bytes)
{
    for (size_t i = 0; i < bytes.n; i++, t->taken++) {
        size_t plain = put_plain(t, bytes.p + i, bytes.n - i);
        i += plain;
        t->taken += plain;
        if (i == bytes.n) break;
        unsigned char c = (unsigned char)bytes.p[i];
        if (t->taken == 0 && (c == 0xff || c == 0xfe)) t->half = c;
        else if (t->taken == 1 && t->half + c == 0xff + 0xfe && t->half != c) t->encoding = t->half == 0xff ? UTF16LE : UTF16BE;
        else put_encoded(t, c);
    }
}

void jdg_stream_end(struct jdg_stream *t)
{
    if (!t) return;
    for (unsigned i = 0; i < t->nutf8; i++) put_byte(t, t->utf8[i]);
    end_line(t);
    free(t->line);
    gf_vec_free(&t->hits);
    free(t);
}
