/* PEP 440 versions. A version is a value whose parts live in the arena it was parsed into. */
#ifndef PY_VERSION_H
#define PY_VERSION_H
#include "base/mem.h"

enum py_pre { PY_PRE_NONE = 0, PY_PRE_A, PY_PRE_B, PY_PRE_RC };

struct py_local_part {
    bool numeric;
    uint64_t number;
    gf_slice text; /* lower case; numeric parts too */
};

struct py_version {
    uint64_t epoch;
    const uint64_t *release; /* at least one part, as written (trailing zeros kept) */
    uint32_t nrelease;
    enum py_pre pre;
    bool has_post, has_dev;
    uint64_t pre_n, post_n, dev_n;
    const struct py_local_part *local; /* nlocal 0: none */
    uint32_t nlocal;
    const char *text; /* canonical form, str(packaging.version.Version(x)) */
};

/* The whole slice (blanks around it allowed, a leading v too) or false. Numbers beyond 64 bits are refused. */
bool py_version_parse(struct gf_arena *a, gf_slice text, struct py_version *ret);
/* The same without an arena: the parts live in *room. For values that are looked at and dropped. */
#define PY_VERSION_PARTS 256
struct py_version_room {
    uint64_t release[PY_VERSION_PARTS];
    struct py_local_part local[PY_VERSION_PARTS];
    char text[528];
};
bool py_version_parse_room(struct py_version_room *room, gf_slice text, struct py_version *ret);
int py_version_cmp(const struct py_version *a, const struct py_version *b); /* total order of PEP 440, local part counted */
int py_version_cmp_public(const struct py_version *a, const struct py_version *b); /* local parts ignored */
static inline bool py_version_is_pre(const struct py_version *v) { return v->pre != PY_PRE_NONE || v->has_dev; }
const char *py_version_public(struct gf_arena *a, const struct py_version *v); /* without the local part */
gf_slice py_version_local(const struct py_version *v); /* "cu128" out of text, GF_NONE without one */

/* Specifiers: ">=1.0,<2,!=1.5.*". */
enum py_op { PY_EQ, PY_NE, PY_LE, PY_GE, PY_LT, PY_GT, PY_COMPATIBLE, PY_ARBITRARY };
struct py_spec {
    enum py_op op;
    bool wildcard;          /* ==1.0.* and !=1.0.* */
    struct py_version v;    /* not for PY_ARBITRARY */
    const char *arbitrary;  /* the text behind === */
    const char *text;       /* operator and version as written, without blanks: "==1.0.*" */
};
struct py_specset {
    const struct py_spec *v;
    uint32_t n; /* 0: anything goes */
};
/* A specifier of operator and version; false where PEP 440 does not allow that pair (~=1, >=1.0+local). text stays NULL. */
bool py_spec_make(enum py_op op, const struct py_version *v, struct py_spec *ret);
/* Strict PEP 440; with lenient, also what old metadata holds and uv accepts (">=1.0.*", "(>=1)", ">=1<2", "!=~1.0",
 * "==1.0*", stray quotes). Empty items between commas are skipped in both. */
bool py_specset_parse(struct gf_arena *a, gf_slice text, bool lenient, struct py_specset *ret);
bool py_spec_contains(const struct py_spec *s, const struct py_version *v);
/* All of them hold. Pre-releases are not filtered here: that is a policy of the choice. */
bool py_specset_contains(const struct py_specset *s, const struct py_version *v);
/* A specifier names a pre-release itself (==2.0rc1, >=2.0.dev0): then pre-releases of that package are wanted. */
bool py_specset_asks_pre(const struct py_specset *s);
bool py_specset_is_exact(const struct py_specset *s); /* holds == without * or === : a yanked file may be taken */
char *py_specset_text(struct gf_arena *a, const struct py_specset *s); /* sorted as packaging prints it, "" for any */

#endif
