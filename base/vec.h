/* A growing array of one type, by macros: struct { T *v; size_t n, cap; }. Owned by whoever holds it: gf_vec_free. */
#ifndef GF_VEC_H
#define GF_VEC_H
#include "base/mem.h"
#include <stdlib.h>

#define GF_VEC(T) struct { T *v; size_t n, cap; }
#define gf_vec_reserve(vec, want)                                                                   \
    do {                                                                                            \
        if ((vec)->cap < (want)) {                                                                  \
            size_t gf_cap_ = (vec)->cap ? (vec)->cap : 8;                                           \
            while (gf_cap_ < (want)) gf_cap_ *= 2;                                                  \
            (vec)->v = gf_xreallocarray((vec)->v, gf_cap_, sizeof *(vec)->v);                       \
            (vec)->cap = gf_cap_;                                                                   \
        }                                                                                           \
    } while (0)
#define gf_vec_push(vec, ...)                                                                       \
    do {                                                                                            \
        gf_vec_reserve((vec), (vec)->n + 1);                                                        \
        (vec)->v[(vec)->n++] = (__VA_ARGS__);                                                       \
    } while (0)
#define gf_vec_free(vec)                                                                            \
    do {                                                                                            \
        free((vec)->v);                                                                             \
        (vec)->v = NULL;                                                                            \
        (vec)->n = (vec)->cap = 0;                                                                  \
    } while (0)

#endif
