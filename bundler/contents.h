/* What a bundle holds, be it a tar or the folder it was unpacked into. */
#ifndef BND_CONTENTS_H
#define BND_CONTENTS_H
#include "base/buf.h"
#include "base/reader.h"
#include "base/vec.h"

struct bnd_file {
    const char *path;
    uint64_t size, data;  /* data: offset in the tar */
    const char *odd;      /* why it is no plain file of a bundle ("a symbolic link"); NULL: it is one */
};
struct bnd_contents {
    struct gf_arena mem;
    GF_VEC(struct bnd_file) files; /* sorted by path */
    struct gf_reader *tar;         /* NULL for a folder */
    const char *folder;
    struct gf_err damage;          /* the walk ended early: files holds what was seen until then */
};
int bnd_contents_open(const char *path, struct bnd_contents *ret, struct gf_err *err);
void bnd_contents_release(struct bnd_contents *c);
const struct bnd_file *bnd_contents_find(const struct bnd_contents *c, gf_slice path);
int bnd_contents_text(const struct bnd_contents *c, const struct bnd_file *f, size_t most, struct gf_buf *ret, struct gf_err *err);
/* A reader of one file; safe to use beside others in another thread. */
int bnd_contents_reader(const struct bnd_contents *c, const struct bnd_file *f, struct gf_reader **ret, uint64_t *ret_offset, struct gf_err *err);
void bnd_contents_done(const struct bnd_contents *c, struct gf_reader *r);

#endif
