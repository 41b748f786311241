/* Shared by the files that read zip archives. */
#ifndef ARC_ZIP_PRIVATE_H
#define ARC_ZIP_PRIVATE_H
#include "archive/zip.h"
#include "base/mem.h"

struct arc_zip {
    struct gf_arena mem;
    struct gf_reader *reader;
    unsigned char *bytes; /* of the directory; names point into it */
    struct arc_zip_member *members;
    size_t n;
    uint64_t directory;
};

static inline uint16_t arc_u16(const unsigned char *p) { return (uint16_t)(p[0] | p[1] << 8); }
static inline uint32_t arc_u32(const unsigned char *p) { return arc_u16(p) | (uint32_t)arc_u16(p + 2) << 16; }
static inline uint64_t arc_u64(const unsigned char *p) { return arc_u32(p) | (uint64_t)arc_u32(p + 4) << 32; }

#endif
