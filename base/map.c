#include "base/map.h"
#include <stdlib.h>

uint64_t gf_hash64(const void *p, size_t n)
{
    const unsigned char *s = p;
    uint64_t h = 0xcbf29ce484222325u ^ n, w;
    for (; n >= 8; s += 8, n -= 8) {
        memcpy(&w, s, 8);
        h = (h ^ w) * 0x9fb21c651e98df25u;
        h ^= h >> 32;
    }
    for (w = 0; n; n--) w = w << 8 | s[n - 1];
    h = (h ^ w) * 0xff51afd7ed558ccdu;
    h ^= h >> 33;
    h *= 0xc4ceb9fe1a85ec53u;
    return h ^ (h >> 33);
}

void gf_names_init(struct gf_names *t) { *t = (struct gf_names){ .text = GF_ARENA_INIT }; }

void gf_names_release(struct gf_names *t)
{
    gf_arena_release(&t->text);
    free(t->names);
    free(t->slots);
    gf_names_init(t);
}

static uint32_t *slot_of(const struct gf_names *t, gf_slice name)
{
    uint32_t mask = t->nslots - 1;
    for (uint32_t i = (uint32_t)gf_hash64(name.p, name.n) & mask;; i = (i + 1) & mask) {
        uint32_t *slot = &t->slots[i];
        if (*slot == GF_NO_ID || gf_slice_eq(t->names[*slot], name)) return slot;
    }
}

uint32_t gf_names_find(const struct gf_names *t, gf_slice name) { return t->nslots ? *slot_of(t, name) : GF_NO_ID; }

static void rehash(struct gf_names *t, uint32_t nslots)
{
    free(t->slots);
    t->slots = gf_xreallocarray(NULL, nslots, sizeof *t->slots);
    t->nslots = nslots;
    memset(t->slots, 0xff, nslots * sizeof *t->slots);
    for (uint32_t id = 0; id < t->n; id++) *slot_of(t, t->names[id]) = id;
}

uint32_t gf_names_add(struct gf_names *t, gf_slice name, bool *ret_new)
{
    if (t->n * 2 >= t->nslots) rehash(t, t->nslots ? t->nslots * 2 : 64);
    if (!name.p) name = GF_S("");
    uint32_t *slot = slot_of(t, name);
    if (ret_new) *ret_new = *slot == GF_NO_ID;
    if (*slot != GF_NO_ID) return *slot;
    if (t->n == t->cap) {
        t->cap = t->cap ? t->cap * 2 : 32;
        t->names = gf_xreallocarray(t->names, t->cap, sizeof *t->names);
    }
    t->names[t->n] = gf_slice_n(gf_arena_str(&t->text, name), name.n);
    *slot = t->n;
    return t->n++;
}
