/* Random access to bytes that may be a file, memory, or a remote file read by range requests. */
#ifndef GF_READER_H
#define GF_READER_H
#include "base/err.h"
#include "base/slice.h"

struct gf_reader {
    /* Reads exactly n bytes at off into buf, else fails. */
    int (*pread)(struct gf_reader *r, uint64_t off, void *buf, size_t n, struct gf_err *err);
    void (*close)(struct gf_reader *r); /* frees r */
    uint64_t size;
    const char *label; /* for messages: path or URL, without credentials */
};

int gf_reader_open(const char *path, struct gf_reader **ret, struct gf_err *err);
struct gf_reader *gf_reader_memory(gf_slice bytes, const char *label); /* borrows bytes and label */
static inline void gf_reader_close(struct gf_reader *r)
{
    if (r) r->close(r);
}

#endif
