/* Signatures in minisign's format: ed25519 over the blake2b-512 of the text. https://jedisct1.github.io/minisign/ */
#ifndef BND_SIGN_H
#define BND_SIGN_H
#include "base/buf.h"

/* The text of a .minisig of message. key: a minisign secret key (with password: one protected by it) or an ed25519 key in PEM. */
int bnd_sign(const char *key, const char *password, gf_slice message, const char *comment, struct gf_buf *out, struct gf_err *err);
/* 0: signature is the one of message by that key (a file, or the base64 text itself); GF_E_INTEGRITY when not, *ret_comment malloc'd. */
int bnd_check_signature(const char *pubkey, gf_slice message, gf_slice signature, char **ret_comment, struct gf_err *err);

#endif
