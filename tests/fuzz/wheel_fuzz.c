/* A file name as a wheel's and as a source archive's: the rank of its tags and the reason for a misfit agree. */
#include "python/platform.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct py_tags *tags;
    struct py_platform p = { .major = 3, .minor = 12, .libc = PY_LIBC_GLIBC, .libc_major = 2, .libc_minor = 28, .machine = "x86_64" };
    if (!tags) tags = py_tags_new(&p);
    gf_slice name = gf_slice_n((const char *)data, size);
    struct gf_arena a = GF_ARENA_INIT;
    struct py_wheel w;
    struct py_version v;
    if (py_wheel_parse(&a, name, &w)) {
        int rank = py_tags_rank(tags, &w);
        if (rank >= (int)py_tags_count(tags) || (rank >= 0) != (py_wheel_misfit(tags, &w) == PY_FITS)) abort();
        if (py_wheel_build_cmp(&w, &w)) abort();
    }
    const char *label = NULL;
    bool plain = py_wheel_parse(&a, name, &w), any = py_wheel_parse_variant(&a, name, &w, &label);
    if (plain != (any && !label)) abort();
    if (any && !py_wheel_parse(&a, gf_slice_of(py_wheel_plain_name(&a, name)), &w)) abort(); /* what is left is a name that every installer takes */
    (void)py_sdist_parse(&a, name, GF_NONE, &v);
    (void)py_sdist_parse(&a, name, GF_S("a-b"), &v);
    gf_arena_release(&a);
    return 0;
}
