/* PEP 508 environment markers, three-valued: a variable whose value is not known makes the outcome unknown unless
 * the rest decides it. The matrix uses the same grammar over the target's facts (its variables are free names). */
#ifndef PY_MARKER_H
#define PY_MARKER_H
#include "base/err.h"
#include "base/mem.h"

enum py_tri { PY_NO = 0, PY_YES = 1, PY_UNKNOWN = 2 };
static inline enum py_tri py_and(enum py_tri a, enum py_tri b)
{
    return a == PY_NO || b == PY_NO ? PY_NO : a == PY_YES && b == PY_YES ? PY_YES : PY_UNKNOWN;
}
static inline enum py_tri py_or(enum py_tri a, enum py_tri b)
{
    return a == PY_YES || b == PY_YES ? PY_YES : a == PY_NO && b == PY_NO ? PY_NO : PY_UNKNOWN;
}

struct py_marker; /* immutable, in the arena it was parsed into */

/* Variables of PEP 508 (python_version … extra, extras, dependency_groups, those of PEP 825 and the dotted old forms) for PY_MARKER_PEP508; any
 * identifier for PY_MARKER_FACTS, where "=" is also accepted for "==" and bare words are strings (os=linux, cuda>=12.4). */
enum py_marker_dialect { PY_MARKER_PEP508, PY_MARKER_FACTS };
int py_marker_parse(struct gf_arena *a, gf_slice text, enum py_marker_dialect d, const struct py_marker **ret, struct gf_err *err);

/* How two values compare. PEP508: python_version, python_full_version, implementation_version and platform_release as versions when
 * the literal is one (a value that is none then fits nothing), all else as strings: "in" is a substring test, < and > of strings are
 * no, <= and >= mean equal, ~= and === are unknown. FACTS: as versions when both sides are ("==3.12.*" too), else dotted numbers
 * ("6.1.0-57-amd64" >= "4.4"), else strings, whose order is unknown; "in" looks for a whole word ('avx2' in cpu_flags). */
struct py_marker_variant {     /* PEP 825: of the wheel whose requirement it is */
    const char *label;
    const char *const *properties; /* "nvidia::sm_arch::90_real": those that the target supports */
    uint32_t n;
};
struct py_env {
    /* The value of a variable: true and *ret set; false: unknown. Not asked for "extra", "extras" and "dependency_groups". */
    bool (*lookup)(const void *arg, gf_slice name, gf_slice *ret);
    const void *arg;
    const struct py_marker_variant *variant; /* NULL: an ordinary wheel, whose label is empty like its sets */
};
/* extra: the normalized extra that is being looked through, GF_NONE for none (then extra == 'x' is no). */
enum py_tri py_marker_eval(const struct py_marker *m, const struct py_env *env, gf_slice extra);
/* Several extras at once ("extra" is any of them; only == and != are known then), as a set: used for the vectors and by PEP 751. */
enum py_tri py_marker_eval_set(const struct py_marker *m, const struct py_env *env, const gf_slice *extras, size_t n);
/* What a lock's installer was asked for (PEP 751): extra is any of the extras, extras and dependency_groups are the sets. */
struct py_selection {
    const gf_slice *extras; /* normalized */
    size_t nextras;
    const gf_slice *groups; /* normalized */
    size_t ngroups;
};
enum py_tri py_marker_eval_selection(const struct py_marker *m, const struct py_env *env, const struct py_selection *sel);
bool py_marker_asks_variant(const struct py_marker *m); /* uses a variable of PEP 825, which installers of today do not know */
bool py_marker_mentions(const struct py_marker *m, gf_slice variable);
char *py_marker_text(struct gf_arena *a, const struct py_marker *m); /* canonical, as packaging prints it */

#endif
