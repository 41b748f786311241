#include "bundler/sign.h"
#include "base/digest.h"
#include "base/file.h"
#include <openssl/evp.h>
#include <openssl/pem.h>

enum { ID = 8, PUBLIC = 32, SIGNATURE = 64, KEY_FILE_MOST = 16384 };
#define SECRET_FILE 158u /* bytes of a minisign secret key */
#define PUBLIC_FILE 42u
#define SIGNATURE_FILE 74u

struct key {
    unsigned char id[ID];
    EVP_PKEY *pkey;
};

/* ---- base64, strict ---- */

static bool unbase64(gf_slice text, unsigned char *out, size_t want)
{
    GF_FREE unsigned char *bytes = gf_xmalloc(text.n + 4);
    if (text.n == 0 || text.n % 4 || text.n > KEY_FILE_MOST) return false;
    int n = EVP_DecodeBlock(bytes, (const unsigned char *)text.p, (int)text.n);
    if (n < 0) return false;
    size_t padding = (size_t)(text.p[text.n - 1] == '=') + (size_t)(text.p[text.n - 2] == '=');
    if ((size_t)n - padding != want) return false;
    memcpy(out, bytes, want);
    return true;
}

static void add_base64(struct gf_buf *out, const unsigned char *p, size_t n)
{
    GF_FREE unsigned char *text = gf_xmalloc(n * 2 + 8);
    EVP_EncodeBlock(text, p, (int)n);
    gf_buf_adds(out, (const char *)text);
    gf_buf_addc(out, '\n');
}

static size_t blake2b(gf_slice text, unsigned char out[GF_HASH_MAX])
{
    struct gf_digest *d = gf_digest_new(GF_BLAKE2B_512);
    gf_digest_add(d, text.p, text.n);
    return gf_digest_end(d, out);
}

/* ---- keys ---- */

static int unusable(const char *path, const char *what, struct gf_err *err)
{
    return gf_fail(err, GF_E_USAGE, "'%s' is no key that can be used: %s", path, what);
}

/* libsodium's choice of scrypt's parameters for the limits that the key file names (crypto_pwhash_scryptsalsa208sha256). */
static bool scrypt_parameters(uint64_t ops, uint64_t mem, uint64_t *ret_n, uint64_t *ret_p)
{
    const uint64_t r = 8;
    if (ops < 32768) ops = 32768;
    bool few = ops < mem / 32;
    uint64_t most = few ? ops / (r * 4) : mem / (r * 128), n = 2;
    while (n <= most / 2 && n < (uint64_t)1 << 30) n *= 2;
    uint64_t rp = ops / 4 / n;
    if (rp > 0x3fffffff) rp = 0x3fffffff;
    *ret_n = n;
    *ret_p = few ? 1 : rp / r;
    return *ret_p > 0 && n <= (uint64_t)1 << 22; /* at most 4 GiB of memory */
}

static uint64_t little64(const unsigned char *p)
{
    uint64_t v = 0;
    for (int i = 7; i >= 0; i--) v = v << 8 | p[i];
    return v;
}

static int open_sealed(const char *path, unsigned char *blob, const char *password, struct gf_err *err)
{
    uint64_t n, p;
    unsigned char stream[104];
    if (!password) return unusable(path, "it is protected by a password; give it in GPUFERRY_KEY_PASSWORD", err);
    if (!scrypt_parameters(little64(blob + 38), little64(blob + 46), &n, &p)) return unusable(path, "its password limits are out of range", err);
    if (EVP_PBE_scrypt(password, strlen(password), blob + 6, 32, n, 8, p, (uint64_t)5 << 30, stream, sizeof stream) != 1)
        return unusable(path, "its password could not be worked on (not enough memory?)", err);
    for (size_t i = 0; i < sizeof stream; i++) blob[54 + i] ^= stream[i];
    return 0;
}

static int secret_from_minisign(const char *path, gf_slice line, const char *password, struct key *ret, struct gf_err *err)
{
    unsigned char blob[SECRET_FILE], public_key[PUBLIC];
    size_t n = sizeof public_key;
    if (!unbase64(line, blob, sizeof blob) || memcmp(blob, "Ed", 2) != 0) return unusable(path, "it is not a minisign secret key", err);
    if (memcmp(blob + 2, "Sc", 2) == 0) {
        if (open_sealed(path, blob, password, err)) return -1;
    } else if (blob[2] || blob[3]) return unusable(path, "its kind of password protection is not known", err);
    memcpy(ret->id, blob + 54, ID);
    ret->pkey = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, blob + 62, 32);
    bool good = ret->pkey && EVP_PKEY_get_raw_public_key(ret->pkey, public_key, &n) == 1 && memcmp(public_key, blob + 94, PUBLIC) == 0;
    OPENSSL_cleanse(blob, sizeof blob);
    if (good) return 0;
    EVP_PKEY_free(ret->pkey);
    return unusable(path, "its halves do not belong together: wrong password, or a damaged file", err);
}

static int no_prompt(char *buf, int size, int rwflag, void *arg)
{
    const char *password = arg;
    (void)rwflag;
    if (!password || (int)strlen(password) >= size) return -1;
    memcpy(buf, password, strlen(password));
    return (int)strlen(password);
}

/* A PEM key has no id: it gets the first bytes of the blake2b of its public half. */
static int from_pem(const char *path, gf_slice text, bool secret, const char *password, struct key *ret, struct gf_err *err)
{
    BIO *bio = BIO_new_mem_buf(text.p, (int)text.n);
    GF_FREE char *given = password ? gf_xstrdup(password) : NULL;
    ret->pkey = secret ? PEM_read_bio_PrivateKey(bio, NULL, no_prompt, given) : PEM_read_bio_PUBKEY(bio, NULL, no_prompt, NULL);
    BIO_free(bio);
    unsigned char public_key[PUBLIC], hash[GF_HASH_MAX];
    size_t n = sizeof public_key;
    if (!ret->pkey) return unusable(path, "its PEM text cannot be read", err);
    if (EVP_PKEY_base_id(ret->pkey) != EVP_PKEY_ED25519 || EVP_PKEY_get_raw_public_key(ret->pkey, public_key, &n) != 1) {
        EVP_PKEY_free(ret->pkey);
        return unusable(path, "it is not an ed25519 key", err);
    }
    blake2b(gf_slice_n((const char *)public_key, n), hash);
    memcpy(ret->id, hash, ID);
    return 0;
}

/* The first line that is neither empty nor a comment. */
static gf_slice key_line(gf_slice text)
{
    gf_slice line;
    while (gf_slice_line(&text, &line)) {
        line = gf_slice_trim(line);
        if (line.n && !gf_slice_starts(line, GF_S("untrusted comment:"))) return line;
    }
    return GF_S("");
}

static int read_secret(const char *path, const char *password, struct key *ret, struct gf_err *err)
{
    struct gf_buf text;
    if (gf_file_read(path, KEY_FILE_MOST, &text, err)) return -1;
    bool pem = gf_slice_has(gf_buf_slice(&text), GF_S("-----BEGIN "));
    int rc = pem ? from_pem(path, gf_buf_slice(&text), true, password, ret, err)
                 : secret_from_minisign(path, key_line(gf_buf_slice(&text)), password, ret, err);
    OPENSSL_cleanse(text.p, text.n);
    gf_buf_release(&text);
    return rc;
}

static int public_from_minisign(const char *path, gf_slice line, struct key *ret, struct gf_err *err)
{
    unsigned char blob[PUBLIC_FILE];
    if (!unbase64(line, blob, sizeof blob) || memcmp(blob, "Ed", 2) != 0) return unusable(path, "it is neither a minisign nor a PEM public key", err);
    memcpy(ret->id, blob + 2, ID);
    ret->pkey = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, blob + 2 + ID, PUBLIC);
    return ret->pkey ? 0 : unusable(path, "libcrypto refuses it", err);
}

static int read_public(const char *given, struct key *ret, struct gf_err *err)
{
    unsigned char blob[PUBLIC_FILE];
    if (!gf_path_exists(given) && unbase64(gf_slice_of(given), blob, sizeof blob)) return public_from_minisign(given, gf_slice_of(given), ret, err);
    struct gf_buf text;
    if (gf_file_read(given, KEY_FILE_MOST, &text, err)) return -1;
    bool pem = gf_slice_has(gf_buf_slice(&text), GF_S("-----BEGIN "));
    int rc = pem ? from_pem(given, gf_buf_slice(&text), false, NULL, ret, err) : public_from_minisign(given, key_line(gf_buf_slice(&text)), ret, err);
    gf_buf_release(&text);
    return rc;
}

/* ---- signing and checking ---- */

static bool sign(EVP_PKEY *key, const unsigned char *p, size_t n, unsigned char out[SIGNATURE])
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    size_t len = SIGNATURE;
    bool ok = ctx && EVP_DigestSignInit(ctx, NULL, NULL, NULL, key) == 1 && EVP_DigestSign(ctx, out, &len, p, n) == 1 && len == SIGNATURE;
    EVP_MD_CTX_free(ctx);
    return ok;
}

static bool valid(EVP_PKEY *key, const unsigned char *p, size_t n, const unsigned char *signature)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    bool ok = ctx && EVP_DigestVerifyInit(ctx, NULL, NULL, NULL, key) == 1 && EVP_DigestVerify(ctx, signature, SIGNATURE, p, n) == 1;
    EVP_MD_CTX_free(ctx);
    return ok;
}

/* What the second signature covers: the first one and the trusted comment. */
static unsigned char *global_text(const unsigned char *signature, gf_slice comment)
{
    unsigned char *text = gf_xmalloc(SIGNATURE + comment.n);
    memcpy(text, signature, SIGNATURE);
    memcpy(text + SIGNATURE, comment.p, comment.n);
    return text;
}

int bnd_sign(const char *key, const char *password, gf_slice message, const char *comment, struct gf_buf *out, struct gf_err *err)
{
    struct key k = { .pkey = NULL };
    if (read_secret(key, password, &k, err)) return -1;
    unsigned char hash[GF_HASH_MAX], blob[SIGNATURE_FILE] = "ED", global[SIGNATURE];
    size_t n = blake2b(message, hash), ncomment = strlen(comment);
    memcpy(blob + 2, k.id, ID);
    bool ok = sign(k.pkey, hash, n, blob + 2 + ID);
    GF_FREE unsigned char *covered = global_text(blob + 2 + ID, gf_slice_of(comment));
    ok = ok && sign(k.pkey, covered, SIGNATURE + ncomment, global);
    EVP_PKEY_free(k.pkey);
    if (!ok) return gf_fail(err, GF_E_IO, "libcrypto could not sign with '%s'", key);
    gf_buf_adds(out, "untrusted comment: signature of a gpuferry bundle\n");
    add_base64(out, blob, sizeof blob);
    gf_buf_addf(out, "trusted comment: %s\n", comment);
    add_base64(out, global, sizeof global);
    return 0;
}

static int judge(const struct key *k, gf_slice message, gf_slice text, gf_slice *ret_comment, struct gf_err *err)
{
    unsigned char blob[SIGNATURE_FILE], global[SIGNATURE], hash[GF_HASH_MAX];
    gf_slice first, second, third, fourth;
    if (!gf_slice_line(&text, &first) || !gf_slice_line(&text, &second) || !gf_slice_line(&text, &third) || !gf_slice_line(&text, &fourth) ||
        !gf_try_lit(&third, GF_S("trusted comment: ")) || !unbase64(second, blob, sizeof blob) || !unbase64(fourth, global, sizeof global) ||
        gf_slice_trim(text).n)
        return gf_fail(err, GF_E_INTEGRITY, "the signature is not in minisign's format");
    if (memcmp(blob + 2, k->id, ID) != 0) return gf_fail(err, GF_E_INTEGRITY, "the signature was made with another key (its id is not the one of the public key)");
    bool prehashed = memcmp(blob, "ED", 2) == 0;
    if (!prehashed && memcmp(blob, "Ed", 2) != 0) return gf_fail(err, GF_E_INTEGRITY, "the signature uses an algorithm that is not known");
    size_t n = blake2b(message, hash);
    const unsigned char *p = prehashed ? hash : (const unsigned char *)message.p;
    if (!valid(k->pkey, p, prehashed ? n : message.n, blob + 2 + ID)) return gf_fail(err, GF_E_INTEGRITY, "the signature does not match the text");
    GF_FREE unsigned char *covered = global_text(blob + 2 + ID, third);
    if (!valid(k->pkey, covered, SIGNATURE + third.n, global)) return gf_fail(err, GF_E_INTEGRITY, "the comment of the signature was changed");
    *ret_comment = third;
    return 0;
}

int bnd_check_signature(const char *pubkey, gf_slice message, gf_slice signature, char **ret_comment, struct gf_err *err)
{
    struct key k = { .pkey = NULL };
    if (read_public(pubkey, &k, err)) return -1;
    gf_slice comment = GF_NONE;
    int rc = judge(&k, message, signature, &comment, err);
    EVP_PKEY_free(k.pkey);
    if (!rc) *ret_comment = gf_xstrndup(comment);
    return rc;
}
