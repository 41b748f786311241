/* First line: a pattern; the rest: a log. The scanner must find exactly the lines that the pattern itself matches after cleaning. */
#include "judge/scan.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void note(void *arg, size_t pattern, uint64_t number, gf_slice line, const struct jdg_captures *caps)
{
    const struct jdg_pattern *p = arg;
    (void)pattern;
    (void)number;
    if (!jdg_pattern_match(p, line, NULL)) abort();
    for (size_t i = 0; i < caps->n; i++)
        if (caps->v[i].value.p < line.p || caps->v[i].value.p + caps->v[i].value.n > line.p + line.n) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gf_slice text = gf_slice_n((const char *)data, size), pattern;
    if (!size || !gf_slice_line(&text, &pattern)) return 0;
    struct gf_arena mem = GF_ARENA_INIT;
    struct jdg_pattern p;
    struct gf_err err;
    if (jdg_pattern_compile(&mem, pattern, &p, &err) == 0) {
        const struct jdg_pattern *all[] = { &p };
        struct jdg_scan *scan = jdg_scan_new(all, 1);
        struct jdg_stream *t = jdg_stream_new(scan, note, &p);
        for (size_t at = 0; at < text.n; at += 13) jdg_stream_add(t, gf_slice_sub(text, at, 13));
        jdg_stream_end(t);
        jdg_scan_free(scan);
    }
    gf_arena_release(&mem);
    return 0;
}
