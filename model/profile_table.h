/* Within model/: one table says what a profile document holds; the reader, the writer and the setters by key all walk it. */
#ifndef MDL_PROFILE_TABLE_H
#define MDL_PROFILE_TABLE_H
#include "model/profile.h"

enum mdl_row_kind { MDL_R_SCHEMA, MDL_R_STR, MDL_R_TRI, MDL_R_BOOL, MDL_R_INT64, MDL_R_INT, MDL_R_STRINGS, MDL_R_STRUCTS, MDL_R_GROUP, MDL_R_RAW, MDL_R_ORIGINS };
struct mdl_row {
    const char *key;
    enum mdl_row_kind kind;
    size_t at, count;       /* offsets: the value, the number of elements */
    size_t known;           /* offset of an enum mdl_known, plus one; 0: none */
    const struct mdl_row *sub;  /* members of a group, of each element */
    size_t nsub, size;      /* size of an element */
    bool empty_is_absent;
};

extern const struct mdl_row mdl_rows[]; /* of the document, in the order on paper */
extern const size_t mdl_nrows;
const struct mdl_row *mdl_find_row(const struct mdl_row *table, size_t n, gf_slice key);
bool mdl_row_has_value(const void *base, const struct mdl_row *r); /* known in any way */

static inline void *mdl_field(const void *base, size_t at) { return (char *)(uintptr_t)base + at; }
static inline const char **mdl_str_at(const void *base, const struct mdl_row *r) { return mdl_field(base, r->at); }
static inline size_t *mdl_count_at(const void *base, const struct mdl_row *r) { return mdl_field(base, r->count); }
static inline enum mdl_known *mdl_known_at(const void *base, const struct mdl_row *r) { return r->known ? mdl_field(base, r->known - 1) : NULL; }


size_t mdl_room_for(size_t n); /* arrays hold a power of two of elements, so that n alone tells when one is full */

#endif
