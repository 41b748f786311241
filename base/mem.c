#include "base/mem.h"
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/mman.h>

static _Noreturn void out_of_memory(void)
{
    static const char line[] = "gpuferry: out of memory: nothing was finished, files written so far are complete or absent\n";
    ssize_t done = write(STDERR_FILENO, line, sizeof line - 1);
    (void)done;
    _exit(6);
}

void *gf_xmalloc(size_t n)
{
    void *p = malloc(n ? n : 1);
    if (!p) out_of_memory();
    return p;
}

void *gf_xcalloc(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size ? size : 1);
    if (!p) out_of_memory();
    return p;
}

void *gf_xrealloc(void *p, size_t n)
{
    p = realloc(p, n ? n : 1);
    if (!p) out_of_memory();
    return p;
}

void *gf_xreallocarray(void *p, size_t count, size_t size)
{
    size_t n;
    if (__builtin_mul_overflow(count, size, &n)) out_of_memory();
    return gf_xrealloc(p, n);
}

char *gf_xstrndup(gf_slice s)
{
    char *copy = gf_xmalloc(s.n + 1);
    if (s.n) memcpy(copy, s.p, s.n);
    copy[s.n] = '\0';
    return copy;
}

char *gf_xstrdup(const char *s) { return gf_xstrndup(gf_slice_of(s)); }

char *gf_xasprintf(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *text = NULL;
    int n = vasprintf(&text, fmt, ap);
    va_end(ap);
    if (n < 0) out_of_memory();
    return text;
}

struct gf_arena_block {
    struct gf_arena_block *next;
    size_t size, used;
    alignas(max_align_t) char data[];
};

enum { BLOCK_MIN = 16 * 1024, HUGE_PAGE = 2 * 1024 * 1024, BLOCK_MAX = HUGE_PAGE - 64 };

/* From half a huge page on a block is whole ones, if the system gives them: one fault for 512 (planning 199 packages from cache: 7,000 faults become 2,400). */
static struct gf_arena_block *new_block(size_t size)
{
    size_t n = sizeof(struct gf_arena_block) + size;
    if (size < BLOCK_MAX / 2) return gf_xmalloc(n);
    if (__builtin_add_overflow(n, HUGE_PAGE - 1, &n)) out_of_memory();
    n &= ~((size_t)HUGE_PAGE - 1);
    struct gf_arena_block *b = aligned_alloc(HUGE_PAGE, n);
    if (!b) out_of_memory();
    (void)madvise(b, n, MADV_HUGEPAGE); /* not there: pages as usual */
    return b;
}

void gf_arena_init(struct gf_arena *a) { *a = (struct gf_arena)GF_ARENA_INIT; }

void gf_arena_release(struct gf_arena *a)
{
    for (struct gf_arena_block *b = a->head, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    gf_arena_init(a);
}

void *gf_arena_alloc(struct gf_arena *a, size_t n)
{
    size_t need;
    if (__builtin_add_overflow(n, alignof(max_align_t) - 1, &need)) out_of_memory();
    need &= ~(alignof(max_align_t) - 1);
    struct gf_arena_block *b = a->head;
    if (!b || b->size - b->used < need) {
        size_t size = b ? b->size * 2 : BLOCK_MIN;
        if (size > BLOCK_MAX) size = BLOCK_MAX;
        if (size < need) size = need;
        struct gf_arena_block *fresh = new_block(size);
        fresh->size = size;
        fresh->used = 0;
        if (b && need > BLOCK_MAX / 2) { /* a large piece goes behind, the block in use stays in front */
            fresh->next = b->next;
            b->next = fresh;
        } else {
            fresh->next = b;
            a->head = fresh;
        }
        b = fresh;
    }
    void *p = b->data + b->used;
    b->used += need;
    a->used += need;
    return p;
}

void *gf_arena_zalloc(struct gf_arena *a, size_t n)
{
    void *p = gf_arena_alloc(a, n);
    memset(p, 0, n);
    return p;
}

void *gf_arena_array(struct gf_arena *a, size_t count, size_t size)
{
    size_t n;
    if (__builtin_mul_overflow(count, size, &n)) out_of_memory();
    return gf_arena_zalloc(a, n);
}

void *gf_arena_memdup(struct gf_arena *a, const void *p, size_t n)
{
    void *copy = gf_arena_alloc(a, n);
    if (n) memcpy(copy, p, n);
    return copy;
}

char *gf_arena_str(struct gf_arena *a, gf_slice s)
{
    if (!s.p) return NULL;
    char *copy = gf_arena_alloc(a, s.n + 1);
    memcpy(copy, s.p, s.n);
    copy[s.n] = '\0';
    return copy;
}

char *gf_arena_strz(struct gf_arena *a, const char *s) { return gf_arena_str(a, gf_slice_of(s)); }

char *gf_arena_printf(struct gf_arena *a, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n < 0) out_of_memory();
    char *text = gf_arena_alloc(a, (size_t)n + 1);
    vsnprintf(text, (size_t)n + 1, fmt, again);
    va_end(again);
    return text;
}

void gf_cleanup_free(void *pp)
{
    void **p = pp;
    free(*p);
    *p = NULL;
}
