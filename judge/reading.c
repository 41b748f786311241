/* A log of any size, read into the meanings it holds. */
#include "judge/knowledge.h"
#include <stdlib.h>

enum { KEPT_LINE = 300 };

static size_t weight_of(const struct jdg_pattern *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->npieces; i++)
        for (size_t k = 0; k < p->pieces[i].natoms; k++)
            if (!p->pieces[i].atoms[k].capture) n += p->pieces[i].atoms[k].text.n;
    return n;
}

static void keep(struct jdg_reading *r, struct jdg_hit *hit, uint64_t number, gf_slice line, const struct jdg_captures *caps)
{
    hit->line_number = number;
    hit->line = gf_arena_str(&r->mem, gf_slice_trim(gf_slice_sub(line, 0, KEPT_LINE)));
    hit->caps.n = caps->n;
    for (size_t i = 0; i < caps->n; i++)
        hit->caps.v[i] = (struct jdg_capture){ caps->v[i].name, gf_slice_of(gf_arena_str(&r->mem, caps->v[i].value)) };
}

static void on_match(void *arg, size_t pattern, uint64_t number, gf_slice line, const struct jdg_captures *caps)
{
    struct jdg_reading *r = arg;
    uint32_t row = r->k->row_of[pattern];
    struct jdg_hit *hit = &r->hits[row];
    size_t weight = weight_of(r->k->patterns[pattern]);
    if (number != r->matched_line) r->matched_lines++;
    r->matched_line = number;
    hit->row = &r->k->rows[row];
    if (!hit->count || (caps->n > hit->caps.n)) keep(r, hit, number, line, caps);
    if (weight > hit->weight) hit->weight = weight;
    hit->count++;
}

struct jdg_reading *jdg_reading_new(const struct jdg_knowledge *k)
{
    struct jdg_reading *r = gf_xcalloc(1, sizeof *r);
    r->k = k;
    gf_arena_init(&r->mem);
    r->hits = gf_xcalloc(k->nrows ? k->nrows : 1, sizeof *r->hits);
    r->stream = jdg_stream_new(k->scan, on_match, r);
    r->blank = true;
    return r;
}

void jdg_reading_add(struct jdg_reading *r, gf_slice bytes)
{
    gf_slice rest = bytes;
    while (rest.n) { /* what is not blank counts as a line */
        const char *end = memchr(rest.p, '\n', rest.n);
        size_t n = end ? (size_t)(end - rest.p) : rest.n;
        for (size_t i = 0; i < n && r->blank; i++) r->blank = gf_is_space((unsigned char)rest.p[i]);
        if (end) {
            r->lines += !r->blank;
            r->blank = true;
        }
        rest = gf_slice_from(rest, n + (end != NULL));
    }
    jdg_stream_add(r->stream, bytes);
}

void jdg_reading_end(struct jdg_reading *r)
{
    jdg_stream_end(r->stream);
    r->stream = NULL;
    r->lines += !r->blank;
    r->blank = true;
}

void jdg_reading_free(struct jdg_reading *r)
{
    if (!r) return;
    if (r->stream) jdg_stream_end(r->stream);
    gf_arena_release(&r->mem);
    free(r->hits);
    free(r);
}

size_t jdg_reading_count(const struct jdg_reading *r)
{
    size_t n = 0;
    for JDG_HITS(r, hit) n += hit->count > 0;
    return n;
}

uint64_t jdg_reading_lines(const struct jdg_reading *r) { return r->lines; }
