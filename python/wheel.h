/* Names of distributions and their files: PEP 503 names, PEP 427 wheels with build tags, PEP 825 wheel variants, PEP 625 source archives. */
#ifndef PY_WHEEL_H
#define PY_WHEEL_H
#include "python/version.h"

/* PEP 503: lower case, runs of -_. become one "-". */
char *py_name_normalize(struct gf_arena *a, gf_slice name);
bool py_name_valid(gf_slice name); /* PEP 508 identifier, not normalized */
bool py_name_is_normalized(gf_slice name);

struct py_wheel {
    const char *name;        /* normalized */
    struct py_version version;
    bool has_build;
    uint64_t build_n;        /* leading digits of the build tag */
    const char *build_rest;  /* "" when nothing follows */
    const char *py_tag, *abi_tag, *platform_tag; /* lower case, dots compress sets */
};
bool py_wheel_parse(struct gf_arena *a, gf_slice filename, struct py_wheel *ret); /* *.whl only, no variants: what installers of today take */
/* Wheel variants too (PEP 825): *ret_label is what stands behind the platform, "cu128" or "null"; NULL for an ordinary name. */
bool py_wheel_parse_variant(struct gf_arena *a, gf_slice filename, struct py_wheel *ret, const char **ret_label);
bool py_wheel_label_valid(gf_slice label); /* digits, lower case letters, "_" and "." */
char *py_wheel_plain_name(struct gf_arena *a, gf_slice filename); /* without its label; any other name as it is */
int py_wheel_build_cmp(const struct py_wheel *a, const struct py_wheel *b); /* none < any; number, then text */
/* name-version.tar.gz or .zip (old: .tar.bz2, .tgz, .tar.xz); expect: the normalized project name, which tells where the version
 * begins, since old names hold dashes; GF_NONE: at the last dash. */
bool py_sdist_parse(struct gf_arena *a, gf_slice filename, gf_slice expect, struct py_version *ret);
#endif
