/* The bundle while it is made: NAME.tar.part and, beside it, how far each file has come. Both stay after a failure; NAME.tar appears whole. */
#ifndef BND_PART_H
#define BND_PART_H
#include "bundler/layout.h"

struct bnd_part {
    int fd;
    char *out, *path, *state;
};
/* Opens or makes it, locks it against a second gpuferry, takes over what an earlier run with the same layout left (member's have, kept). */
int bnd_part_open(struct bnd_part *p, const char *out, struct bnd_layout *l, struct gf_err *err);
/* GF_E_IO unless the file system has room for a file of size bytes here, counting what is there already. */
int bnd_part_room(const struct bnd_part *p, uint64_t size, struct gf_err *err);
int bnd_part_write(const struct bnd_part *p, const void *bytes, size_t n, uint64_t off, struct gf_err *err);
int bnd_part_save(const struct bnd_part *p, const struct bnd_layout *l, struct gf_err *err);
/* Cuts to size, waits for the disk, gives it its name. */
int bnd_part_finish(struct bnd_part *p, uint64_t size, struct gf_err *err);
void bnd_part_close(struct bnd_part *p);

#endif
