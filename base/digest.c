#include "base/digest.h"
#include "base/mem.h"
#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <unistd.h>

struct gf_digest {
    EVP_MD_CTX *ctx;
};

static const EVP_MD *method(enum gf_hash kind)
{
    switch (kind) {
    case GF_SHA256: return EVP_sha256();
    case GF_SHA512: return EVP_sha512();
    case GF_SHA384: return EVP_sha384();
    case GF_SHA1: return EVP_sha1();
    case GF_MD5: return EVP_md5();
    case GF_BLAKE2B_512: return EVP_blake2b512();
    }
    return EVP_sha256();
}

struct gf_digest *gf_digest_new(enum gf_hash kind)
{
    struct gf_digest *d = gf_xmalloc(sizeof *d);
    d->ctx = EVP_MD_CTX_new();
    if (!d->ctx || EVP_DigestInit_ex(d->ctx, method(kind), NULL) != 1) abort(); /* a libcrypto without the digest is not ours */
    return d;
}

void gf_digest_add(struct gf_digest *d, const void *p, size_t n) { EVP_DigestUpdate(d->ctx, p, n); }

size_t gf_digest_end(struct gf_digest *d, unsigned char out[GF_HASH_MAX])
{
    unsigned n = 0;
    EVP_DigestFinal_ex(d->ctx, out, &n);
    gf_digest_free(d);
    return n;
}

void gf_digest_free(struct gf_digest *d)
{
    if (!d) return;
    EVP_MD_CTX_free(d->ctx);
    free(d);
}

void gf_hex(const unsigned char *p, size_t n, char *out)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < n; i++) {
        out[2 * i] = digits[p[i] >> 4];
        out[2 * i + 1] = digits[p[i] & 15];
    }
    out[2 * n] = '\0';
}

static int hex_value(char c)
{
    if (gf_is_digit((unsigned char)c)) return c - '0';
    c = gf_lower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool gf_unhex(gf_slice hex, unsigned char *out, size_t n)
{
    if (hex.n != 2 * n) return false;
    for (size_t i = 0; i < n; i++) {
        int high = hex_value(hex.p[2 * i]), low = hex_value(hex.p[2 * i + 1]);
        if (high < 0 || low < 0) return false;
        out[i] = (unsigned char)(high << 4 | low);
    }
    return true;
}

bool gf_is_sha256_hex(gf_slice s)
{
    unsigned char bytes[32];
    return gf_unhex(s, bytes, sizeof bytes);
}

static void end_hex(struct gf_digest *d, char out[GF_SHA256_HEX])
{
    unsigned char bytes[GF_HASH_MAX];
    gf_hex(bytes, gf_digest_end(d, bytes), out);
}

void gf_sha256_hex(gf_slice bytes, char out[GF_SHA256_HEX])
{
    struct gf_digest *d = gf_digest_new(GF_SHA256);
    gf_digest_add(d, bytes.p, bytes.n);
    end_hex(d, out);
}

int gf_sha256_file(const char *path, char out[GF_SHA256_HEX], uint64_t *ret_size, struct gf_err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return gf_fail_errno(err, errno, "cannot read '%s'", path);
    enum { CHUNK = 1 << 18 };
    char *chunk = gf_xmalloc(CHUNK);
    struct gf_digest *d = gf_digest_new(GF_SHA256);
    uint64_t size = 0;
    ssize_t got;
    while ((got = read(fd, chunk, CHUNK)) > 0 || (got < 0 && errno == EINTR)) {
        if (got < 0) continue;
        gf_digest_add(d, chunk, (size_t)got);
        size += (uint64_t)got;
    }
    int problem = got < 0 ? errno : 0;
    close(fd);
    free(chunk);
    end_hex(d, out);
    if (problem) return gf_fail_errno(err, problem, "cannot read '%s'", path);
    if (ret_size) *ret_size = size;
    return 0;
}
