/* Which members a bundle has and where each lies in the tar. */
#ifndef BND_LAYOUT_H
#define BND_LAYOUT_H
#include "base/buf.h"
#include "base/digest.h"
#include "base/vec.h"
#include "bundler/tar.h"

enum bnd_place { BND_FRONT, BND_PAYLOAD, BND_TAIL }; /* tail members keep the order in which they were added */

struct bnd_member {
    const char *path;
    enum bnd_place place;
    unsigned mode;
    uint64_t size;
    const char *sha256;      /* 64 digits */
    const char *bytes;       /* content that is made here, NULL for payload */
    const char *url;         /* payload */
    uint64_t header, data;   /* offsets in the tar */
    /* Progress of a payload; guarded by the checker's lock (check.h). */
    uint64_t have, checked;  /* bytes in place without a gap; of those, how many went through the digest */
    uint64_t kept;           /* of have: from an earlier run, unproven until the digest is right */
    struct gf_digest *digest;
    bool busy, good, bad;
    char found[GF_SHA256_HEX]; /* the digest when bad */
};

struct bnd_layout {
    struct gf_arena mem;
    GF_VEC(struct bnd_member) m;
    int64_t mtime;
    uint64_t end;            /* first byte behind the members placed so far */
    size_t placed;
};

void bnd_layout_init(struct bnd_layout *l, int64_t mtime);
void bnd_layout_release(struct bnd_layout *l);
void bnd_layout_text(struct bnd_layout *l, enum bnd_place place, const char *path, unsigned mode, gf_slice bytes); /* copies */
void bnd_layout_payload(struct bnd_layout *l, const char *path, uint64_t size, const char *sha256, const char *url);
/* Sorts and gives offsets to the members added since the last call. GF_E_PARSE when two have one path. */
int bnd_layout_place(struct bnd_layout *l, struct gf_err *err);
/* What lies before the member's first byte: padding is the caller's, headers are this. */
size_t bnd_layout_header(const struct bnd_layout *l, const struct bnd_member *m, unsigned char out[BND_TAR_HEADER_MAX]);
uint64_t bnd_layout_file_size(const struct bnd_layout *l); /* with the end of the archive */

#endif
