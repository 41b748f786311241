/* Inside judge/: the rows of data/doctor. */
#ifndef JDG_KNOWLEDGE_H
#define JDG_KNOWLEDGE_H
#include "judge/judge.h"
#include "python/marker.h"

/* What a message means: of a row itself, or of one of its cases, whose absent parts are the row's. */
struct jdg_meaning {
    const struct py_marker *when;  /* NULL always; for a case: the facts under which it is meant */
    const char *rule, *cause;
    enum mdl_kind kind;
    const char *sure;              /* high | medium | low: how sure the cause is, given the message (and the facts of the case) */
    enum py_tri proves;            /* YES: the message alone (with the case's facts) shows that something is broken, and why */
    bool harmless;                 /* nothing is broken */
    struct mdl_strings next;       /* what to look at to be surer; missing facts when nothing decides */
    const char *fix_text;
    struct mdl_strings fix_commands;
};
struct jdg_row {
    const char *id, *source;
    struct jdg_meaning meaning;
    const struct jdg_meaning *cases;
    size_t ncases;
    struct mdl_strings explained_by; /* rules whose finding explains the message; holds the rows' own rules */
    bool symptom;                    /* says that something does not work, not why */
};
struct jdg_knowledge {
    struct gf_arena mem;
    struct jdg_row *rows;
    size_t nrows;
    const struct jdg_pattern **patterns; /* all of them */
    uint32_t *row_of;                    /* by pattern */
    size_t npatterns;
    struct jdg_scan *scan;
};

struct jdg_hit {
    const struct jdg_row *row;
    uint64_t count, line_number;   /* of the first */
    const char *line;              /* the first, at most 300 bytes */
    size_t weight;                 /* bytes that the best pattern asks for */
    struct jdg_captures caps;
};
struct jdg_reading {
    const struct jdg_knowledge *k;
    struct gf_arena mem;
    struct jdg_hit *hits;          /* by row; count 0: not seen */
    struct jdg_stream *stream;
    uint64_t lines, matched_line;
    uint64_t matched_lines;        /* lines with at least one meaning */
    bool blank;                    /* the current line has nothing but blanks so far */
};
#define JDG_HITS(r, hit) (const struct jdg_hit *hit = (r)->hits; hit < (r)->hits + (r)->k->nrows; hit++) if (hit->count)

#endif
