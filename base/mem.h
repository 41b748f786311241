/* Memory. The gf_x functions never return NULL: when the system has no memory left the program ends at once with
 * exit status 6 and one line, the one place where a library may do so. No half-written file can look whole
 * after it (base/file.h writes aside). An arena frees all that one phase made in one call. */
#ifndef GF_MEM_H
#define GF_MEM_H
#include "base/slice.h"
#include <stdarg.h>

void *gf_xmalloc(size_t n);
void *gf_xcalloc(size_t count, size_t size);
void *gf_xrealloc(void *p, size_t n);
void *gf_xreallocarray(void *p, size_t count, size_t size);
char *gf_xstrdup(const char *s);
char *gf_xstrndup(gf_slice s);
char *gf_xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

struct gf_arena {
    struct gf_arena_block *head;
    size_t used;  /* bytes handed out */
};

#define GF_ARENA_INIT { NULL, 0 }
void gf_arena_init(struct gf_arena *a);
void gf_arena_release(struct gf_arena *a);
void *gf_arena_alloc(struct gf_arena *a, size_t n); /* aligned for any type, not cleared */
void *gf_arena_zalloc(struct gf_arena *a, size_t n);
void *gf_arena_array(struct gf_arena *a, size_t count, size_t size); /* cleared */
void *gf_arena_memdup(struct gf_arena *a, const void *p, size_t n);
char *gf_arena_str(struct gf_arena *a, gf_slice s); /* NUL-terminated copy; NULL for GF_NONE */
char *gf_arena_strz(struct gf_arena *a, const char *s); /* NULL for NULL */
char *gf_arena_printf(struct gf_arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
#define GF_NEW(arena, type) ((type *)gf_arena_zalloc((arena), sizeof(type)))
#define GF_NEW_ARRAY(arena, type, n) ((type *)gf_arena_array((arena), (n), sizeof(type)))

/* scope cleanup: GF_FREE char *s = …; */
void gf_cleanup_free(void *pp);
#define GF_FREE __attribute__((cleanup(gf_cleanup_free)))
#define GF_ARENA_SCOPE __attribute__((cleanup(gf_arena_release)))

#endif
