/* Looks for many patterns at once in a stream of any size: an automaton over their longest literals (Aho, Corasick 1975) finds the lines worth matching.
 * Colour codes and carriage returns are dropped, UTF-16 is read, typographic quotes become plain ones, runs of blanks become one. */
#ifndef JDG_SCAN_H
#define JDG_SCAN_H
#include "judge/pattern.h"

struct jdg_scan; /* holds no pattern itself: the array given must outlive it */
struct jdg_scan *jdg_scan_new(const struct jdg_pattern *const *patterns, size_t n);
void jdg_scan_free(struct jdg_scan *s);

/* Called once per line and pattern that matches. line and captures live until it returns. */
typedef void jdg_on_match(void *arg, size_t pattern, uint64_t line_number, gf_slice line, const struct jdg_captures *caps);
struct jdg_stream;
struct jdg_stream *jdg_stream_new(const struct jdg_scan *s, jdg_on_match *fn, void *arg);
void jdg_stream_add(struct jdg_stream *t, gf_slice bytes); /* chunks of any size */
void jdg_stream_end(struct jdg_stream *t);                 /* the last line; frees t */

#endif
