/* From a lock to a bundle, and reading it back. The bundler never decides: what the lock says is what goes in, byte for byte. */
#ifndef BND_BUNDLE_H
#define BND_BUNDLE_H
#include "base/json.h"
#include "fetch/client.h"
#include "model/lock.h"

#define BND_INSTALLER "(installer)" /* required_by of a wheel that installs the others and is not installed itself: pip */

struct bnd_progress { /* fn may be NULL; called often, from the caller's thread */
    void (*fn)(void *arg, uint64_t done, uint64_t total);
    void *arg;
};
struct bnd_options {
    const char *out;       /* NAME.tar; beside it stand NAME.tar.part and NAME.tar.part.state until it is whole */
    const char *cache_dir; /* files by sha256 that need no download; NULL: none */
    const char *sign_key;  /* minisign secret key or an ed25519 key in PEM; NULL: not signed */
    const char *sign_password; /* of that key; NULL: it has none */
    int64_t mtime;         /* of every member; -1: SOURCE_DATE_EPOCH, else the youngest date in the lock */
    const struct gf_log *log;
    struct bnd_progress progress;
};
struct bnd_result {
    uint64_t bytes, files;        /* of the bundle; members */
    uint64_t fetched, reused;     /* bytes of payload that came over the network; that were there from an interrupted run or the cache */
};
/* Completes sizes and digests that the lock lacks. GF_E_NETWORK, GF_E_INTEGRITY name the file and its URL (never user or password);
 * GF_E_IO names the disk. After any failure the same call goes on from what is there. */
int bnd_make(struct mdl_lock *lock, const struct bnd_options *o, struct net_client *net, struct bnd_result *ret, struct gf_err *err);
/* Bytes that bnd_make will have to write, as far as the lock knows the sizes. */
uint64_t bnd_size_estimate(const struct mdl_lock *lock);

/* ---- reading back ---- */
enum bnd_problem_kind { BND_MISSING, BND_EXTRA, BND_CORRUPT, BND_UNREADABLE, BND_SIGNATURE };
struct bnd_problem { enum bnd_problem_kind kind; const char *file, *text; };
enum bnd_signature { BND_UNSIGNED, BND_SIGNED_UNCHECKED, BND_SIGNED_VALID, BND_SIGNED_INVALID };
struct bnd_report {
    struct gf_arena mem;
    struct bnd_problem *problems;
    size_t nproblems, cap;
    enum bnd_signature signature;
    const char *signed_comment;   /* trusted comment of a valid signature */
    const char *seal;             /* of the lock inside; NULL when that could not be read */
    const char **targets;         /* labels, when the bundle serves several */
    size_t ntargets;
    uint64_t files, bytes;        /* checked */
};
/* A tar or the folder it was unpacked into. Returns 0 with a report, also of a damaged bundle; -1 when it cannot be read at all. pubkey: a
 * file or the base64 text of a minisign or PEM public key, NULL: a signature is looked for but not checked. */
int bnd_verify(const char *path, const char *pubkey, const struct bnd_progress *progress, struct bnd_report *ret, struct gf_err *err);
void bnd_report_release(struct bnd_report *r);
const char *bnd_problem_name(enum bnd_problem_kind k); /* "missing" */
const char *bnd_signature_name(enum bnd_signature s);  /* "unchecked" */
void bnd_report_write(const struct bnd_report *r, const char *path, struct gf_jw *w);

#endif
