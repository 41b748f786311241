/* Digests by OpenSSL (SHA-NI where the processor has it). */
#ifndef GF_DIGEST_H
#define GF_DIGEST_H
#include "base/err.h"
#include "base/slice.h"

enum gf_hash { GF_SHA256, GF_SHA512, GF_SHA384, GF_SHA1, GF_MD5, GF_BLAKE2B_512 };
#define GF_HASH_MAX 64
#define GF_SHA256_HEX 65

struct gf_digest; /* a running digest */
struct gf_digest *gf_digest_new(enum gf_hash kind);
void gf_digest_add(struct gf_digest *d, const void *p, size_t n);
size_t gf_digest_end(struct gf_digest *d, unsigned char out[GF_HASH_MAX]); /* bytes written; frees d */
void gf_digest_free(struct gf_digest *d);

void gf_sha256_hex(gf_slice bytes, char out[GF_SHA256_HEX]);
void gf_hex(const unsigned char *p, size_t n, char *out); /* out has 2n+1 bytes, lower case */
bool gf_unhex(gf_slice hex, unsigned char *out, size_t n); /* exactly n bytes */
int gf_sha256_file(const char *path, char out[GF_SHA256_HEX], uint64_t *ret_size, struct gf_err *err);
bool gf_is_sha256_hex(gf_slice s);

#endif
