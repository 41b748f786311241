/* Why two things do not go together: one record per cause, numbered; the solver carries the numbers, the explanation reads the records. */
#ifndef RSV_REASON_H
#define RSV_REASON_H
#include "matrix/matrix.h"
#include "resolver/solver.h"

enum rsv_reason_kind {
    RSV_R_REQUEST,      /* text: the request as written */
    RSV_R_CONSTRAINT,   /* a constraints file says so */
    RSV_R_METADATA,     /* text: the requirement; pkg needs dep */
    RSV_R_RULE,         /* rule of the matrix; text: the term */
    RSV_R_PROVIDES,     /* pkg is what provides dep, or dep is provided by pkg */
    RSV_R_SAME_EXTRA,   /* an extra has its distribution's version */
    RSV_R_VARIANT,      /* one family, one variant */
    RSV_R_POLICY,       /* needs a policy to say yes */
    RSV_R_PYTHON,       /* refused: another Python */
    RSV_R_ABI, RSV_R_PLATFORM, RSV_R_ARCH,
    RSV_R_LIBC,         /* needs a newer libc */
    RSV_R_YANKED,
    RSV_R_SDIST,        /* only a source archive, and those are refused */
    RSV_R_NO_VARIANT,   /* text: why none of its wheel variants fits, and it has no other file */
    RSV_R_BINARY,       /* only wheels, and the request refuses them */
    RSV_R_HASH,         /* none of the digests that the request gives */
    RSV_R_NO_EXTRA,     /* text: an extra that newer versions have and this one has not */
    RSV_R_URL,          /* text: a requirement from a URL, which only the request itself may ask for */
    RSV_R_NOT_FOUND,    /* no source has the project */
    RSV_R_METADATA_BAD, /* the metadata cannot be read */
    RSV_R_BUILD,        /* text: why the source archive cannot be built on the target */
    RSV_R_GPU,          /* no code for a GPU of the target */
    RSV_R_GPU_UNKNOWN,  /* the matrix does not know the GPU code of this build */
    RSV_R_PTX,          /* only as PTX that the driver cannot compile */
    RSV_R_CPU_BUILD,    /* a CPU build for a GPU target */
    RSV_R_DRIVER,       /* the target's driver; none there */
    RSV_R_DRIVER_GPU,   /* a driver that does not serve a GPU of the target */
    RSV_R_FACT          /* a fact of the target against a rule: glibc, kernel, cpu … */
};

struct rsv_reason {
    enum rsv_reason_kind kind;
    rsv_pkg pkg, dep;           /* RSV_NONE when there is none */
    const char *text;           /* see kind; in the universe's arena */
    const char *why;            /* a sentence of the data; NULL */
    const struct mtx_rule *rule;
    const char *source;         /* id of data/sources.json; NULL */
    const char *unit;           /* what could be freed: "fact:python"; NULL: not removable */
};

#endif
