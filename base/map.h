/* Names to dense ids: the first name is 0, the next 1, … Copies the text. One table for names, one id for identity. */
#ifndef GF_MAP_H
#define GF_MAP_H
#include "base/mem.h"

#define GF_NO_ID UINT32_MAX

struct gf_names {
    struct gf_arena text;
    gf_slice *names; /* by id */
    uint32_t n, cap;
    uint32_t *slots;
    uint32_t nslots;
};

void gf_names_init(struct gf_names *t);
void gf_names_release(struct gf_names *t);
uint32_t gf_names_find(const struct gf_names *t, gf_slice name);              /* GF_NO_ID when absent */
uint32_t gf_names_add(struct gf_names *t, gf_slice name, bool *ret_new);      /* ret_new may be NULL */
static inline gf_slice gf_names_get(const struct gf_names *t, uint32_t id) { return t->names[id]; }
uint64_t gf_hash64(const void *p, size_t n); /* eight bytes at a time, of this machine's order; not for hostile collisions beyond slow lookups */

#endif
