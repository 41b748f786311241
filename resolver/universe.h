/* The world of one solve: distributions with their extras, components, the driver, variants and policies as packages with frozen candidate
 * lists, filled from the supply, the matrix and the target's facts. Internal to resolver/. */
#ifndef RSV_UNIVERSE_H
#define RSV_UNIVERSE_H
#include "base/map.h"
#include "base/vec.h"
#include "python/platform.h"
#include "python/wheel.h"
#include "resolver/problem.h"
#include "resolver/reason.h"

enum rsv_python_fit { RSV_PYTHON_FITS, RSV_PYTHON_ABOVE, RSV_PYTHON_MISFIT }; /* ABOVE: only an upper bound is passed */
enum rsv_kind { RSV_ROOT, RSV_DIST, RSV_EXTRA, RSV_COMPONENT, RSV_DRIVER, RSV_VARIANT, RSV_POLICY };

struct rsv_candidate {
    struct py_version version;
    const struct src_file *file;  /* the wheel or archive that would be installed; the nearest one when refused */
    uint32_t refused;             /* reason; RSV_NONE: may be chosen */
    uint16_t source;
    bool sdist, pre, unknown_code, ptx, newer_python, replaces_by; /* replaces_by: stands for another distribution (provider) that takes this one's place */
    /* newer_python: the target's Python is above what its metadata was written for, and nothing else is in the way */
    bool newer_cuda;              /* built with a CUDA above the driver's: minor-version compatibility */
    bool newer_part;              /* a library of a CUDA above the driver's */
    const char *variant;          /* NULL unknown or none */
    const char *ptx_cuda;         /* the driver must know this CUDA; NULL */
    const struct mtx_build *build;
    rsv_pkg provider;             /* of a component's candidate; RSV_NONE */
    uint32_t provider_at;
    const char *note;             /* of a driver candidate: label of its branch */
    const struct rsv_choice *choice; /* of a version that has wheel variants (variants.h); NULL */
    const char *shown;            /* how its maker writes the version, when that is not PEP 440's way; NULL */
};

struct rsv_pending { rsv_pkg pkg; rsv_set set; struct py_specset specs; bool inside; uint32_t reason; };
struct rsv_known_set { const char *text; rsv_set set; };

struct rsv_package {
    enum rsv_kind kind;
    const char *name;             /* "torch", "cuda12", "driver" */
    const char *extra;            /* of RSV_EXTRA */
    rsv_pkg base;                 /* distribution of an extra; itself otherwise */
    bool provided;                /* of RSV_EXTRA: a version that has it was seen */
    bool loaded, published, missing; /* the list is there; what it refuses is told to the solver */
    uint32_t age;                 /* order in which the solve named it; 0: not yet */
    uint32_t guessed;             /* candidate whose dependencies were asked for ahead; RSV_NONE */
    uint32_t awaited, stops;      /* candidate whose metadata was waited for last, RSV_NONE; how many were */
    const struct py_specset *hint; /* the first specifiers it was asked for with */
    bool direct, wants_pre, pins_yanked;
    uint32_t request;             /* place among the requests, RSV_NONE */
    struct rsv_candidate *c;
    uint32_t n;
    uint32_t *order;              /* candidates, best first */
    GF_VEC(struct rsv_pending) pending; /* "only if present" terms that wait for this list */
    GF_VEC(struct rsv_known_set) sets;
    const char *unreachable;      /* vendor indexes that did not answer */
};

struct rsv_choice;

struct rsv_tag_answer { int rank, verdict; const char *need; };

struct rsv_build_tool { const char *name, *needs, *evidence; }; /* "nvcc", ">=12,<13", "12 files of CUDA" */
struct rsv_build {            /* of one chosen source archive */
    rsv_pkg pkg;
    struct mdl_strings needs; /* "setuptools==80.9.0": the whole environment */
    struct rsv_build_tool *tools;
    uint32_t ntools;
};
struct rsv_build_file {       /* a wheel that only builds need */
    const char *name;
    struct rsv_candidate candidate; /* text of its version, file and source alone */
    GF_VEC(const char *) archives; /* names of the archives that it builds */
};

struct rsv_universe {
    struct gf_arena mem;
    const struct rsv_problem *p;
    struct rsv_supply supply;
    struct py_platform platform;
    struct py_env env;
    struct py_tags *tags;
    struct py_version python;
    const char *os, *driver_os, *build_platform, *driver_cuda; /* "linux"; whose numbers the driver has: "windows" inside WSL; "linux_x86_64"; "12.2" or NULL */
    struct gf_names names;        /* package keys */
    GF_VEC(struct rsv_package) pkg;
    GF_VEC(struct rsv_reason) reasons;
    struct gf_names variants;
    struct gf_names python_specs; /* requires-python texts and their answers */
    GF_VEC(enum rsv_python_fit) python_fits;
    struct gf_names tag_texts;    /* "cp312-cp312-manylinux_2_28_x86_64" and what it is worth here */
    GF_VEC(struct rsv_tag_answer) tag_answers;
    struct rsv_solver *solver;
    uint32_t skipped_files, untold_variants, ages; /* untold: versions whose wheel variants could not be judged */
    GF_VEC(struct rsv_build) builds; /* of the finished solve: build.h */
    GF_VEC(struct rsv_build_file) build_files;
};

int rsv_universe_init(struct rsv_universe *u, const struct rsv_problem *p, struct rsv_supply supply, struct gf_err *err);
void rsv_universe_release(struct rsv_universe *u);
/* Forgets the solve, keeps the lists: the next one may have other requests (p's requests were changed), not other facts. */
void rsv_universe_restart(struct rsv_universe *u);

/* How a candidate's version is shown. */
static inline const char *rsv_shown(const struct rsv_candidate *c) { return c->shown ? c->shown : c->version.text; }

/* universe.c */
rsv_pkg rsv_package(struct rsv_universe *u, enum rsv_kind kind, const char *name, const char *extra);
rsv_pkg rsv_find_package(const struct rsv_universe *u, enum rsv_kind kind, const char *name, const char *extra); /* RSV_NONE */
rsv_pkg rsv_distribution(struct rsv_universe *u, const char *name);
bool rsv_is_freed(const struct rsv_universe *u, const char *unit);
uint32_t rsv_reason_add(struct rsv_universe *u, struct rsv_reason r); /* equal ones share a number */
/* What markers see of the target, and of the variant that the candidate's wheel is. */
struct py_env rsv_env_of(const struct rsv_universe *u, const struct rsv_candidate *c); /* variants.c */
bool rsv_has_extra(const struct py_metadata *m, const char *extra); /* expand.c */
/* Candidates of a package that hold all specifiers; only for loaded packages. */
rsv_set rsv_set_of_specs(struct rsv_universe *u, rsv_pkg pkg, const struct py_specset *specs, const char *text);
enum rsv_state rsv_load_list(struct rsv_universe *u, rsv_pkg pkg, struct gf_err *err); /* the list alone, in any order of calls */
enum rsv_state rsv_load(struct rsv_universe *u, rsv_pkg pkg, struct gf_err *err);      /* and makes it known to the solver, in the solve's order */
/* pkg never goes with other's candidates (inside: that hold the specifiers; else: that do not). Waits for other's list. set: of pkg; RSV_NONE: always. */
void rsv_add_when_present(struct rsv_universe *u, rsv_pkg other, struct rsv_pending w);
uint32_t rsv_pick_of(struct rsv_universe *u, rsv_pkg pkg, rsv_set allowed);

/* candidates.c */
enum rsv_state rsv_load_distribution(struct rsv_universe *u, rsv_pkg pkg, const struct src_project *project, struct gf_err *err);
void rsv_refuse(struct rsv_universe *u, rsv_pkg pkg, struct rsv_candidate *c, int verdict, const char *need); /* verdict: an enum rsv_reason_kind, or 0: not refused */
void rsv_judge(struct rsv_universe *u, rsv_pkg pkg, struct rsv_candidate *c);
void rsv_order_candidates(struct rsv_universe *u, struct rsv_package *p);
/* The libc version in the lowest of a wheel's platform tags: "2.28"; NULL without one. */
const char *rsv_libc_of_tags(struct gf_arena *a, const char *tags);
void rsv_publish_refusals(struct rsv_universe *u, rsv_pkg pkg);
/* gpu.c */
void rsv_judge_gpu(struct rsv_universe *u, struct rsv_package *p, struct rsv_candidate *c);
void rsv_judge_part(struct rsv_universe *u, struct rsv_package *p, struct rsv_candidate *c);
void rsv_judge_facts(struct rsv_universe *u, struct rsv_package *p, struct rsv_candidate *c);
struct py_env rsv_facts_env(const struct rsv_universe *u);
bool rsv_rule_applies(struct rsv_universe *u, const struct mtx_rule *r, const struct rsv_candidate *c);
bool rsv_is_fact(const char *name);
/* components.c */
enum rsv_state rsv_load_component(struct rsv_universe *u, rsv_pkg pkg, struct gf_err *err);
void rsv_tie_providers(struct rsv_universe *u, rsv_pkg pkg);
void rsv_load_driver(struct rsv_universe *u, rsv_pkg pkg);
rsv_set rsv_driver_between(struct rsv_universe *u, rsv_pkg driver, const char *low, const char *high); /* own CUDA at least low, below high; NULL: no bound */
rsv_set rsv_driver_with_cuda(struct rsv_universe *u, rsv_pkg driver, const char *cuda);
enum rsv_kind rsv_kind_of_term(struct rsv_universe *u, const char *name);
/* expand.c */
enum rsv_state rsv_expand(void *arg, struct rsv_solver *s, rsv_pkg pkg, uint32_t candidate, struct gf_err *err);
/* speculate.c: asks the supply now for what the solve will most likely need. */
void rsv_ask_ahead(struct rsv_universe *u); /* by the matrix, before anything is known of the request */
void rsv_speculate(struct rsv_universe *u);

#endif
