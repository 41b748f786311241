/* A small pattern language for messages, linear in the text. Letters match without case; a run of blanks in a pattern matches any run of blanks.
 *   *        any text within the line
 *   {name}   one word of letters, digits and "._+-" (at most 64), remembered under that name; not at the start of a piece
 *   \x       the byte x itself
 * A pattern matches when its pieces (between the stars) follow each other anywhere in the line. */
#ifndef JDG_PATTERN_H
#define JDG_PATTERN_H
#include "base/err.h"
#include "base/mem.h"

#define JDG_CAPTURES 6
struct jdg_capture { gf_slice name, value; };
struct jdg_captures { struct jdg_capture v[JDG_CAPTURES]; size_t n; };

struct jdg_atom { bool capture; gf_slice text; };       /* literal in lower case, or the name of a capture */
struct jdg_piece { const struct jdg_atom *atoms; size_t natoms; };
struct jdg_pattern {
    const struct jdg_piece *pieces;
    size_t npieces;
    gf_slice key;                                       /* its longest literal, in lower case: no match without it */
};

int jdg_pattern_compile(struct gf_arena *a, gf_slice text, struct jdg_pattern *ret, struct gf_err *err);
/* caps may be NULL; its values borrow from line. line is one line, blanks already single. */
bool jdg_pattern_match(const struct jdg_pattern *p, gf_slice line, struct jdg_captures *caps);

#endif
