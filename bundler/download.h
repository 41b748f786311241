/* Payload straight to its place in the unfinished bundle. */
#ifndef BND_DOWNLOAD_H
#define BND_DOWNLOAD_H
#include "bundler/bundle.h"
#include "bundler/items.h"
#include "bundler/part.h"

/* Every payload member of l in place and with the right digest, or an error. After an error net must not be stepped any more. */
int bnd_download(struct bnd_layout *l, struct bnd_part *p, const struct bnd_options *o, struct net_client *net, struct bnd_result *counts, struct gf_err *err);

/* Sizes and digests that the lock does not have: sizes are asked for, files without a digest are fetched into folder first (named by the
 * digest they turn out to have). */
int bnd_complete(struct bnd_items *items, const struct bnd_options *o, struct net_client *net, struct gf_arena *mem, struct gf_err *err);
/* Where a file of this digest lies in the store; malloc'd. */
char *bnd_stored(const struct bnd_options *o, const char *sha256);

#endif
