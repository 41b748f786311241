/* What the wheels themselves say about their licence, for the bill of materials. */
#ifndef BND_LICENCES_H
#define BND_LICENCES_H
#include "bundler/items.h"
#include "bundler/layout.h"

/* Fills licence of each Python item whose wheel tells one, from the bytes in fd. What cannot be read is left NULL: it is no error here. */
void bnd_read_licences(struct bnd_items *items, const struct bnd_layout *l, int fd, struct gf_arena *mem);

#endif
