/* Digests behind the writer: threads read what has been written (it is still in memory) in order and hash it, so that the one
 * who writes never waits for it. */
#ifndef BND_CHECK_H
#define BND_CHECK_H
#include "bundler/layout.h"

struct bnd_checker;
/* Watches the payload members of l, whose bytes lie in fd at their offsets. */
struct bnd_checker *bnd_checker_new(struct bnd_layout *l, int fd);
void bnd_checker_free(struct bnd_checker *c); /* stops at once */
void bnd_checker_have(struct bnd_checker *c, struct bnd_member *m, uint64_t have); /* more is in place */
void bnd_checker_reset(struct bnd_checker *c, struct bnd_member *m); /* nothing of m is in place any more */
/* A member whose last byte went through the digest since the last call (m->good or m->bad is set), NULL: none at the moment.
 * wait: until there is one, for members whose bytes are all in place. */
struct bnd_member *bnd_checker_take(struct bnd_checker *c, bool wait, struct gf_err *err);

#endif
