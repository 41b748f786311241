/* pylock.toml: what is valid is written, read back and written the same; selecting ends. */
#include "python/pylock.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gf_arena a = GF_ARENA_INIT;
    struct gf_err err;
    struct py_pylock l, again;
    struct py_pylock_pick *v;
    struct py_platform p = { .major = 3, .minor = 12, .libc = PY_LIBC_GLIBC, .libc_major = 2, .libc_minor = 28, .machine = "x86_64" };
    size_t n;
    if (!py_pylock_parse(&a, gf_slice_n((const char *)data, size), "p", &l, &err)) {
        struct gf_buf once, twice;
        gf_buf_init(&once, 1 << 26);
        gf_buf_init(&twice, 1 << 26);
        py_pylock_write(&l, &once);
        if (!py_pylock_parse(&a, gf_buf_slice(&once), "q", &again, &err)) { /* a marker's literal may not be expressible */
            py_pylock_write(&again, &twice);
            if (strcmp(gf_buf_str(&once), gf_buf_str(&twice))) abort();
        }
        (void)py_pylock_select(&a, &l, &p, &(struct py_selection){ 0 }, &v, &n, &err);
        gf_buf_release(&once);
        gf_buf_release(&twice);
    }
    gf_arena_release(&a);
    return 0;
}
