/* Texts of core metadata: cut down to what a plan needs, found in archives, made from what old source archives hold. */
#ifndef SRC_METADATA_TEXT_H
#define SRC_METADATA_TEXT_H
#include "archive/zip.h"
#include "base/buf.h"

/* The headers that decide (names, versions, requirements, extras, licence), in their order; the description and the rest are dropped. */
void src_metadata_reduce(gf_slice text, struct gf_buf *ret);
/* *.dist-info/METADATA of a wheel: the one whose folder is named like the file; NULL and an error otherwise. */
const struct arc_zip_member *src_metadata_member(const struct arc_zip *z, const char *filename, const char *label, struct gf_err *err);
/* METADATA of a whole wheel, or PKG-INFO of a whole source archive (with the requirements of requires.txt, marked as dynamic, where PKG-INFO does
 * not vouch for its own; behind them how it is built, see sources/sdist_build.h). Appends a reduced text. */
int src_metadata_of_wheel(struct gf_reader *r, const char *filename, struct gf_buf *ret, struct gf_err *err);
int src_metadata_of_sdist(struct gf_reader *r, const char *filename, struct gf_buf *ret, struct gf_err *err);
/* PKG-INFO and requires.txt (GF_NONE: absent) put together; exposed for tests. */
void src_metadata_join(gf_slice pkg_info, gf_slice requires_txt, struct gf_buf *ret);

#endif
