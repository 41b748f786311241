/* One page of an index (or a flat page or folder) in its flat form: fixed records and one pool of NUL-terminated strings in one block, as it lies in the
 * cache. A page that was just fetched goes through the same form, so that fresh and cached answers are the same. Files are sorted by name. */
#ifndef SRC_PAGE_H
#define SRC_PAGE_H
#include "base/buf.h"
#include "base/mem.h"
#include "sources/source.h"

/* Rows are collected, then laid out. Strings are copied unless the row says that they stay until the page is built. */
struct src_row {
    gf_slice filename, url;      /* url absolute, without fragment */
    gf_slice sha256;             /* GF_NONE or 64 hex digits, any case */
    gf_slice requires_python, yanked, core_metadata_sha256; /* GF_NONE: absent */
    int64_t size, uploaded;      /* -1 unknown */
    bool core_metadata, stays;
};
struct src_page_builder;
struct src_page_builder *src_page_builder_new(void);
void src_page_builder_free(struct src_page_builder *b);
/* False when the row cannot be used (its name could leave a folder, or the cap is reached): counted as skipped. Of rows with one name the first stays. */
bool src_page_add(struct src_page_builder *b, const struct src_row *row);
void src_page_skip(struct src_page_builder *b); /* counts a row that could not even be read */
uint32_t src_page_skipped(const struct src_page_builder *b);
struct gf_arena *src_page_arena(struct src_page_builder *b); /* for strings that shall stay */
void src_page_build(struct src_page_builder *b, struct gf_buf *ret); /* appends the flat form */

/* Reads a flat form, which must be aligned to 8 and outlive the files. The array comes from the arena. False when the bytes are not a sound flat form. */
bool src_page_open(gf_slice flat, struct gf_arena *a, uint16_t source, const struct src_file **ret, uint32_t *ret_n);

/* Readers of what servers send; text must stay until the page is built. url: the final one, base of relative references; label: for messages. */
int src_page_read_json(gf_slice text, const char *url, const char *label, struct src_page_builder *b, struct gf_err *err);
int src_page_read_html(gf_slice text, const char *url, const char *label, struct src_page_builder *b, struct gf_err *err);
/* Chooses by content type, else by the first byte. */
int src_page_read(gf_slice text, const char *content_type, const char *url, const char *label, struct src_page_builder *b, struct gf_err *err);
/* A folder on this machine; files of other kinds are passed over when names are asked for. */
int src_page_read_folder(const char *path, struct src_page_builder *b, struct gf_err *err);

bool src_file_name_is(gf_slice filename, gf_slice name); /* filename is a wheel, source archive or variants.json of the project with this normalized name */
int64_t src_time_parse(gf_slice text); /* unix seconds of an ISO 8601 time in UTC, -1 */

#endif
