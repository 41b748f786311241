/* Wheel variants (PEP 825): of the files of one version the one whose properties the target's facts fit best. Nothing from a package runs: what a provider
 * plugin would find out on the machine is told from the facts. Internal to resolver/. */
#ifndef RSV_VARIANTS_H
#define RSV_VARIANTS_H
#include "resolver/universe.h"

struct rsv_entry {           /* one file, read */
    const struct src_file *file;
    const char *need;        /* what it needs: ">=3.10", "2.28" */
    const char *build_rest;  /* "" without a build tag */
    uint64_t build_n;        /* 0 without one, else the number + 1 */
    uint32_t version;        /* place in the list of versions, rising once they are sorted */
    int rank;                /* of its tags, lower is better */
    int verdict;             /* 0: fits; else the enum rsv_reason_kind that refuses it */
    uint16_t source;
    bool sdist, newer_python, variant;
};
struct rsv_variant_list { struct rsv_entry *v; uint32_t n; }; /* wheels of one version of one source whose tags fit */

struct rsv_other { const char *label, *why; }; /* a variant that was not taken */
struct rsv_choice {          /* of a version that has wheel variants */
    const char *label;       /* of the chosen one; NULL: an ordinary file */
    const char *variant;     /* "cu128", "cpu": as builds of other indexes are named; NULL */
    const struct mtx_build *build; /* NULL: its GPU code is not told */
    const char *low, *high;  /* the driver's CUDA must be at least, must be below; NULL */
    uint32_t place;          /* among the files of its version: 0 is preferred */
    bool beyond;             /* the driver is out of these bounds, and runs it all the same */
    const char *list;        /* name of variants.json; NULL */
    const char *trouble;     /* why no variant could be judged; NULL */
    struct py_marker_variant marker; /* what its requirements see */
    struct rsv_other *others;
    uint32_t nothers;
};

/* What stands behind the last dash of a wheel's name. */
const char *rsv_label_of(struct rsv_universe *u, const struct src_file *f);
/* Asks for variants.json of every version that requests and constraints leave possible. RSV_READY: all answers are there. */
enum rsv_state rsv_await_variants(struct rsv_universe *u, rsv_pkg pkg, const struct src_project *project, const struct rsv_entry *wheels, size_t n,
                                  const struct py_version *versions, struct gf_err *err);
/* From a candidate whose file is the best that is no variant (plain: may be refused, verdict RSV_R_NO_VARIANT when there is none) to one for each file that fits, judged,
 * the preferred one first; so that families can agree on a variant that is nobody's first. out holds the candidate and has room for wheels.n more. Returns how many they are. */
uint32_t rsv_choose_variant(struct rsv_universe *u, rsv_pkg pkg, struct rsv_candidate *out, const struct rsv_entry *plain, struct rsv_variant_list wheels,
                            const struct src_project *project);

/* variant_facts.c: what the target supports. */
struct rsv_variant_facts {
    struct rsv_universe *u;
    const struct py_variant *variant; /* the one that is looked at */
    bool beyond;             /* a driver out of the bounds counts when it runs that CUDA */
    bool alone;              /* a single value is asked about: enough when one GPU uses it */
};
struct py_variant_target rsv_variant_target(const struct rsv_variant_facts *f);
/* What is not supported, as a sentence without subject: "needs CUDA 13.0 of the driver, which knows 12.2". */
const char *rsv_variant_lacks(const struct rsv_variant_facts *f);
const char *rsv_variant_bound(const struct py_variant *v, bool low); /* the CUDA bound that it states; NULL */
const struct mtx_carries *rsv_variant_carries(struct rsv_universe *u, const struct py_variant *v); /* of its sm_arch; NULL: not told */
#endif
