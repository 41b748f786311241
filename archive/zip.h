/* Zip archives (wheels) over a reader: the central directory, and members read one by one or as a stream. Zip64 is understood; methods are
 * stored and deflate. A member is checked against its own CRC and size; nothing is written anywhere. */
#ifndef ARC_ZIP_H
#define ARC_ZIP_H
#include "base/buf.h"
#include "base/reader.h"

struct arc_zip;
struct arc_zip_member {
    const char *name;        /* as written, folders with their final slash */
    uint64_t offset;         /* of the local header */
    uint64_t packed, size;   /* bytes in the archive, bytes when read */
    uint32_t crc;
    uint16_t method;         /* 0 stored, 8 deflate */
    uint16_t mode;           /* Unix permissions and type; 0 when the archive was not made on Unix */
    bool encrypted, folder;
    bool safe;               /* the name may become a path below a folder of ours */
};

/* Borrows r (it must outlive the zip) and reads the directory at once. Fails with GF_E_PARSE on what is not a zip, GF_E_LIMIT beyond caps. */
int arc_zip_open(struct gf_reader *r, struct arc_zip **ret, struct gf_err *err);
void arc_zip_free(struct arc_zip *z);
size_t arc_zip_count(const struct arc_zip *z);
const struct arc_zip_member *arc_zip_get(const struct arc_zip *z, size_t i); /* in the order of the directory */
const struct arc_zip_member *arc_zip_find(const struct arc_zip *z, gf_slice name); /* the last of that name; NULL */
uint64_t arc_zip_directory_offset(const struct arc_zip *z);
/* Where the bytes of a member lie, local header included, up to what comes behind it: what a remote reader should have before arc_zip_read. */
void arc_zip_span(const struct arc_zip *z, const struct arc_zip_member *m, uint64_t *ret_offset, uint64_t *ret_length);
/* The whole member; *ret must be initialised, its own maximum holds. */
int arc_zip_read(struct arc_zip *z, const struct arc_zip_member *m, struct gf_buf *ret, struct gf_err *err);

/* A member as a stream. At its end (0 bytes) size and CRC have been checked. */
struct arc_zip_stream;
int arc_zip_stream_open(struct arc_zip *z, const struct arc_zip_member *m, struct arc_zip_stream **ret, struct gf_err *err);
int arc_zip_stream_read(struct arc_zip_stream *s, void *buf, size_t n, size_t *ret_n, struct gf_err *err);
void arc_zip_stream_close(struct arc_zip_stream *s);

#endif
