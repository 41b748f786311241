/* A remote file of which some parts are here: a reader that fails outside of them and remembers what it lacked. */
#ifndef SRC_SPARSE_H
#define SRC_SPARSE_H
#include "base/mem.h"
#include "base/reader.h"

struct src_part { uint64_t offset; gf_slice bytes; };
struct src_sparse {
    struct gf_reader base;
    struct src_part *parts;  /* malloc'd, as are their bytes; may overlap */
    size_t n;
    bool missed;             /* a read failed for want of this range */
    uint64_t missed_offset, missed_length;
};
void src_sparse_init(struct src_sparse *s, const char *label); /* borrows the label; base.size is the caller's to set */
void src_sparse_release(struct src_sparse *s);
void src_sparse_add(struct src_sparse *s, uint64_t offset, gf_slice bytes); /* copies */
bool src_sparse_has(const struct src_sparse *s, uint64_t offset, uint64_t length);

#endif
