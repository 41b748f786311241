/* The kinds of rows of a lock as tables: what the writer, the reader and the merging of locks walk. Internal to model/. */
#ifndef MDL_LOCK_ROWS_H
#define MDL_LOCK_ROWS_H
#include "model/lock.h"

enum kind {
    TEXT,      /* any text, must be there */
    TEXT_OPT,  /* left out when NULL */
    WORD,      /* letters, digits and "._-+!~:*@()": goes into paths, scripts and requirement files */
    WORD_OPT,
    FILE_NAME, /* one safe path component of such letters */
    DIGEST,    /* sha256 in hex, null when unknown */
    SIZE,      /* bytes, null when unknown (-1) */
    LIST,      /* strings */
    LIST_OPT,  /* left out when empty */
    REASON,    /* an object of its own, in place */
    ALSO       /* rows of mdl_lock_also, their number behind them; left out when there are none */
};
struct field {
    const char *key;
    enum kind kind;
    size_t offset;
};
struct rows { /* one array of the document */
    const char *key;
    const struct field *fields;
    size_t nfields, row_size;
    size_t array, count; /* offsets in struct mdl_lock */
    size_t targets;      /* offset in a row: whom it is for; SIZE_MAX: it does not say */
};
/* Those whose rows may be for some of the targets only, but for python's, whose files are merged by name. NULL ends them. */
extern const struct rows *const mdl_lock_merged[];

/* The row as compact JSON without its targets: equal rows have equal texts. */
void mdl_lock_row_text(const struct rows *rows, const void *row, struct gf_buf *out);

#endif
