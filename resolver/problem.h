/* What is to be planned: the facts, the requests, the policies, and where candidates come from. Borrowed for the length of the solve. */
#ifndef RSV_PROBLEM_H
#define RSV_PROBLEM_H
#include "matrix/matrix.h"
#include "model/lock.h"
#include "python/formats.h"
#include "sources/source.h"

/* Candidates by name, metadata by file: src_set's functions, or a scenario's. */
struct rsv_supply {
    void *arg;
    void (*want_project)(void *arg, const char *name);
    enum src_state (*project)(void *arg, const char *name, const struct src_project **ret, struct gf_err *err);
    void (*want_metadata)(void *arg, const struct src_file *f);
    enum src_state (*metadata)(void *arg, const struct src_file *f, const struct py_metadata **ret, struct gf_err *err);
    void (*want_variants)(void *arg, const struct src_file *f);
    enum src_state (*variants)(void *arg, const struct src_file *f, const struct py_variants **ret, struct gf_err *err);
    int (*wait)(void *arg, struct gf_err *err);
    const struct src_index *(*index)(void *arg, size_t i); /* NULL beyond the last */
    enum src_use (*use)(void *arg, size_t i, const char **ret_why);
};
struct rsv_supply rsv_supply_of_sources(struct src_set *s);

enum rsv_policy { RSV_ALLOW, RSV_AVOID, RSV_REFUSE };
enum rsv_driver_mode { RSV_DRIVER_KEEP, RSV_DRIVER_ANY, RSV_DRIVER_NONE };
enum rsv_prefer { RSV_NEWEST, RSV_OLDEST, RSV_INSTALLED };

struct rsv_hashes { const char *name; const char *const *v; size_t n; }; /* "sha256:…" */

struct rsv_problem {
    const struct mdl_profile *profile;
    struct mtx *matrix;
    enum rsv_driver_mode driver;
    bool gpu_rules;              /* accelerator is neither cpu nor any */
    const struct py_req *requests;
    size_t nrequests;
    const struct py_req *constraints, *overrides;
    size_t nconstraints, noverrides;
    enum rsv_policy unknown;     /* builds whose GPU code the matrix does not know */
    enum rsv_policy sdist;       /* source archives, which the target must build */
    const struct py_formats *formats; /* --only-binary, --no-binary; NULL: no wish */
    const struct rsv_hashes *hashes; /* files of these names must have one of these digests */
    size_t nhashes;
    bool require_hashes;         /* and names without a row cannot be taken */
    bool plain_pip;              /* what is planned is installed by a pip of today, which reads no markers of wheel variants */
    bool pre;                    /* --pre */
    enum rsv_prefer prefer;
    const char *const *freed;    /* units that do not count: "fact:python", "request:0", "rule:R-DRV-MAJOR" … */
    size_t nfreed;
    const struct gf_log *log;
};

#endif
