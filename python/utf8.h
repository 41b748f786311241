/* One Unicode scalar value as UTF-8 at out (up to 4 bytes); where the next byte goes. */
#ifndef PY_UTF8_H
#define PY_UTF8_H
#include <stdint.h>

static inline char *py_put_utf8(char *out, uint32_t c)
{
    if (c < 0x80) {
        *out++ = (char)c;
        return out;
    }
    unsigned n = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    *out++ = (char)((0xFF80u >> n & 0xFF) | c >> (6 * n));
    while (n--) *out++ = (char)(0x80 | (c >> (6 * n) & 0x3F));
    return out;
}

#endif
