/* The matrix: what no package metadata says, each row with its source. Loaded strictly, tables parsed when first asked for, rules compiled once.
 * Takes plain values, knows no profile. What it hands out lives as long as the matrix. A question it has no row for answers PY_UNKNOWN.
 * One thread at a time. */
#ifndef MTX_MATRIX_H
#define MTX_MATRIX_H
#include "base/json.h"
#include "python/marker.h"
#include "python/version.h"

struct mtx;
/* path: folder, single data-set file, or NULL for the data embedded in the program. */
int mtx_open(const char *path, struct mtx **ret, struct gf_err *err); /* with a path every table is read and checked at once */
int mtx_check(struct mtx *m, struct gf_err *err); /* the same for the embedded data, before anything else was asked: strict, duplicates and sources too */
const struct gf_err *mtx_error(const struct mtx *m); /* NULL, or why a table could not be read (its answers are then unknown) */
bool mtx_file_at(struct mtx *m, size_t i, gf_slice *ret_path, gf_slice *ret_text); /* the files of the set in order of their paths; false past the last */
gf_slice mtx_file_text(struct mtx *m, const char *path); /* a file of the set, "doctor/patterns.json"; GF_NONE: none such */
/* The same from the text of a pack (copied); label for messages. */
int mtx_open_pack(gf_slice pack, const char *label, struct mtx **ret, struct gf_err *err);
/* A packed file that was checked when it was installed: its tables are read when asked for. */
int mtx_open_installed(const char *path, struct mtx **ret, struct gf_err *err);
void mtx_free(struct mtx *m);
const char *mtx_version(const struct mtx *m); /* data/VERSION */
const char *mtx_sha256(struct mtx *m);        /* of the whole data set in canonical order */

/* in rising order */
enum mtx_evidence { MTX_REPORTED, MTX_DOCUMENTED, MTX_MEASURED, MTX_RUN };
struct mtx_source { const char *id, *title, *where, *date; };
const struct mtx_source *mtx_source(struct mtx *m, const char *id); /* NULL: none such */

/* --- GPUs ------------------------------------------------------------------------------------------------------- */
struct mtx_gpu {
    enum mtx_evidence evidence;
    const char *vendor;     /* nvidia, amd, huawei, … */
    const char *pci;        /* "10de:2204"; NULL for those without one */
    const char *name;       /* "GeForce RTX 3090"; NULL for ids without a product name */
    const char *chip, *cc;  /* "GA102", "8.6"; cc NULL when not NVIDIA */
    const char *gfx;        /* AMD */
    const char *klass;      /* datacenter, workstation, geforce, tegra; NULL unknown */
    int64_t memory_mib;     /* 0 unknown */
    const char *source;
};
size_t mtx_gpu_count(struct mtx *m);
const struct mtx_gpu *mtx_gpu_at(struct mtx *m, size_t i);
const struct mtx_gpu *mtx_gpu_by_pci(struct mtx *m, gf_slice pci); /* "10de:2204", "0x220410de", "2204" */
/* Products a name may mean, best first; exact (normalized) matches exclude others: "RTX 3090" does not match "RTX 3090 Ti". Returns how many, at most cap. */
size_t mtx_gpu_by_name(struct mtx *m, gf_slice name, const struct mtx_gpu **ret, size_t cap);
size_t mtx_gpu_nearest(struct mtx *m, gf_slice name, const struct mtx_gpu **ret, size_t cap); /* for "did you mean" */
bool mtx_cc_parse(gf_slice text, unsigned *ret_major, unsigned *ret_minor); /* "8.6", "sm_86", "sm_120", "86" */
bool mtx_cc_is_tegra(unsigned major, unsigned minor);
const char *mtx_cc_generation(struct mtx *m, unsigned major, unsigned minor); /* "Ampere"; NULL */
bool mtx_cc_known(struct mtx *m, unsigned major, unsigned minor);

/* --- drivers ------------------------------------------------------------------------------------------------------ */
struct mtx_branch {
    const char *branch;       /* "580" */
    const char *os;           /* linux, windows */
    const char *first, *latest; /* versions */
    const char *label, *released; /* "LTSB", "PB", "NFB" …; date */
    bool lts;
    const char *eol;          /* YYYY-MM-DD, NULL unknown */
    const char *cuda;         /* "13.0": what nvidia-smi prints; NULL unknown */
    const char *min_cc, *max_cc; /* generations served; max_cc NULL: no known bound */
    const char *flavours;     /* "open,proprietary" */
    const char *source;
};
size_t mtx_branches(struct mtx *m, const char *os, const struct mtx_branch *const **ret); /* newest first */
const struct mtx_branch *mtx_branch_of(struct mtx *m, const char *os, gf_slice driver_version); /* by its first number; nearest older when not listed: NULL */
const char *mtx_driver_cuda(struct mtx *m, const char *os, gf_slice driver_version); /* "12.2"; NULL unknown */

struct mtx_answer {           /* an answer with its reason */
    enum py_tri value;
    const char *why;          /* sentence fragment; lives as long as the matrix; NULL */
    const char *source;       /* id; NULL */
    const char *rule;         /* "R-DRV-GPU" … */
};
/* Does the branch still/already serve a GPU of this capability. */
struct mtx_answer mtx_driver_serves_gpu(struct mtx *m, const char *os, gf_slice driver_version, unsigned major, unsigned minor);
/* First driver of its series that lists this device id; NO below it within the series. */
struct mtx_answer mtx_driver_knows_device(struct mtx *m, gf_slice driver_version, gf_slice pci);
/* flavour: open|proprietary. */
struct mtx_answer mtx_flavour_serves_gpu(struct mtx *m, gf_slice flavour, gf_slice driver_version, unsigned major, unsigned minor);

/* Linux kernel floor of a driver; kernel "3.10.0-1160.el7.x86_64". */
struct mtx_kernel_floor { struct py_specset drivers, kernel; const char *text, *source; };
struct mtx_answer mtx_driver_runs_kernel(struct mtx *m, gf_slice driver_version, gf_slice kernel);

/* --- CUDA ----------------------------------------------------------------------------------------------------------- */
struct mtx_cuda_floor { const char *major, *linux_driver, *windows_driver; bool strict; const char *source; }; /* strict: ≤ 10.2, per minor */
const struct mtx_cuda_floor *mtx_cuda_floor(struct mtx *m, gf_slice cuda_version); /* "12.8" → the row of 12; "10.2" → its own */
struct mtx_toolkit {
    const char *cuda;         /* "12.8" */
    const char *driver, *windows_driver; /* shipped with it; NULL */
    const char *branch;       /* driver branch that reports it; NULL unknown */
    const char *ptx_isa;      /* newest PTX version it writes, "8.7"; NULL unknown */
    const char *const *sm;    /* "75", "90a", "100f" */
    size_t nsm;
    const char *gcc_max, *source;
};
const struct mtx_toolkit *mtx_toolkit(struct mtx *m, gf_slice cuda_version); /* major.minor */
size_t mtx_toolkits(struct mtx *m, const struct mtx_toolkit **ret); /* newest first */
/* Does this driver run binaries of that CUDA (minor-version compatibility counted); cubins only. */
struct mtx_answer mtx_driver_runs_cuda(struct mtx *m, const char *os, gf_slice driver_version, gf_slice cuda_version);
/* Does this driver compile PTX made by that CUDA. */
struct mtx_answer mtx_driver_runs_ptx(struct mtx *m, const char *os, gf_slice driver_version, gf_slice cuda_version);

/* --- GPU code -------------------------------------------------------------------------------------------------------- */
struct mtx_carry { const char *target; unsigned count; }; /* "7.0", "9.0a", "10.0f"; how many fat binaries hold it (1 when only listed) */
struct mtx_library {
    const char *name;          /* "libtorch_cuda.so"; "*" when only a list of the package is known */
    const struct mtx_carry *cubin, *ptx;
    size_t ncubin, nptx;
};
struct mtx_carries {
    const struct mtx_library *libraries;
    size_t nlibraries;
    const char *cuda;          /* toolkit that made it; NULL unknown */
    enum mtx_evidence evidence;
    const char *source;
};
enum mtx_how { MTX_NO_CODE, MTX_CUBIN, MTX_PTX, MTX_PARTLY }; /* PARTLY: the main library is served, a helper is not */
struct mtx_coverage {
    enum py_tri runs;          /* UNKNOWN: PTX only and the driver's CUDA unknown */
    enum mtx_how how;
    const char *ptx_needs_cuda; /* with MTX_PTX: driver CUDA needed, "12.8"; NULL unknown */
    const char *why, *source;
};
/* One GPU against one build. driver_cuda: what the driver supports ("12.2"), GF_NONE unknown. */
struct mtx_coverage mtx_covers(struct mtx *m, const struct mtx_carries *c, unsigned major, unsigned minor, gf_slice driver_cuda);
/* An arch list as frameworks print it ("sm_80 compute_90"), made into carries in the arena. */
const struct mtx_carries *mtx_carries_of_list(struct gf_arena *a, const char *const *list, size_t n, gf_slice cuda);

/* --- builds: what is known of one build of one package ------------------------------------------------------------------ */
struct mtx_build {
    const char *package, *version; /* public version */
    const char *variant;       /* cu128, cpu, rocm6.4; NULL none */
    const char *index;         /* "default", "pytorch", "paddle" …; NULL any */
    const char *platform;      /* linux_x86_64, linux_aarch64, windows; NULL any */
    const char *cuda, *cudnn;  /* "12.8", "9.10"; NULL */
    const char *const *sha256; /* of the files it was measured from */
    size_t nsha256;
    const struct mtx_carries *carries; /* NULL unknown */
    enum mtx_evidence evidence;
    const char *source;
};
/* The row for a file: by sha256, else by version, variant, index and platform. version is the full one (with local part); index is the source id's family. */
const struct mtx_build *mtx_build_of(struct mtx *m, const char *package, const struct py_version *version, const char *index, const char *platform, const char *sha256);
bool mtx_holds_gpu_code(struct mtx *m, const char *package); /* named by the matrix as one that holds GPU code: unknown builds are avoided */
size_t mtx_builds(struct mtx *m, const char *package, const struct mtx_build *const **ret); /* newest first */

/* --- rules ------------------------------------------------------------------------------------------------------------- */
struct mtx_pair { const char *key, *value; };
enum mtx_rule_kind { MTX_PROVIDES, MTX_REQUIRES, MTX_ADDS, MTX_CONSTRAINS, MTX_EXCLUDES, MTX_REPLACES, MTX_NEEDS_AT_RUN, MTX_OFTEN };
struct mtx_term { const char *name; struct py_specset specs; const char *text; }; /* "driver" ">=525.60.13"; text as written */
struct mtx_rule {
    const char *id;            /* "R-DRV-MAJOR", or table:row when the row has no name */
    enum mtx_rule_kind kind;
    const char *package;       /* a distribution or a component: "cuda12" */
    struct py_specset versions;
    const struct py_marker *when; /* PY_MARKER_FACTS; NULL always */
    const char *variant;       /* holds for this build variant only; NULL any */
    const struct mtx_term *terms; /* provides: component and version ("{major.minor}" in text is filled by mtx_provided_version);
                                 requires: components, driver, kernel, glibc, cpu, gpu, sonames; adds/constrains/excludes/replaces: distributions */
    size_t nterms;
    bool private_;             /* provides inside the wheel, not for others */
    const char *why;           /* one sentence for people; NULL */
    enum mtx_evidence evidence;
    const char *source;
    uint64_t order;            /* of its row in the data: rules are handed out in this order */
    gf_slice often;            /* of MTX_OFTEN, unread: mtx_often */
};
/* Distributions that a plan of the rule's package mostly holds, each with the extra by which it comes (""): worth to be asked for ahead. */
size_t mtx_often(struct mtx *m, const struct mtx_rule *r, const struct mtx_pair **ret);
size_t mtx_rules_for(struct mtx *m, const char *package, const struct mtx_rule *const **ret);
/* Rules that speak about package in their terms (constrains, excludes). */
size_t mtx_rules_about(struct mtx *m, const char *package, const struct mtx_rule *const **ret);
/* "{major.minor}" of 12.8.90 → "12.8". In the arena. */
const char *mtx_provided_version(struct gf_arena *a, const char *pattern, const struct py_version *v);
bool mtx_is_component(struct mtx *m, const char *name);  /* cuda12, cudnn9, driver, … : not a distribution */
/* Distributions that provide a component, most usual first. */
size_t mtx_providers(struct mtx *m, const char *component, const char *const **ret);

/* --- families, routes and packages ------------------------------------------------------------------------------------------- */
const char *mtx_family_of(struct mtx *m, const char *package);  /* "torch" for torchvision…; NULL */
/* variant of a file: local part when it is one (cu128), else the matrix's build row; NULL unknown. */
const char *mtx_variant_of(struct mtx *m, const char *package, const struct py_version *v, const char *index, const char *platform);
const char *mtx_variant_cuda(struct gf_arena *a, gf_slice variant);   /* "cu128" → "12.8", "cu92" → "9.2"; NULL */
/* id "pytorch-cu126"; index "pytorch", as in mtx_build.index */
struct mtx_route { const char *id, *index, *url, *variant, *family; const char *const *packages; size_t npackages; const char *source; };
size_t mtx_routes(struct mtx *m, const struct mtx_route **ret); /* vendors' indexes */

/* --- what people ask about by name: systems, packages, tools -------------------------------------------------------------------------- */
struct mtx_about { const char *name, *title, *kind, *see, *text; const char *const *aliases; size_t naliases; enum mtx_evidence evidence; const char *source; };
const struct mtx_about *mtx_about_of(struct mtx *m, const char *name); /* by name or alias; NULL: not in the data */
size_t mtx_abouts(struct mtx *m, const struct mtx_about **ret);
/* One release of something with what belongs to it, as pairs: "cuda" "12.5", "python" "3.10-3.13". */
struct mtx_release { const char *name, *version, *date; const struct mtx_pair *with; size_t nwith; enum mtx_evidence evidence; const char *source; };
size_t mtx_releases(struct mtx *m, const struct mtx_release **ret); /* of all names, in the order of the data */
struct mtx_fact { const char *name, *topic, *text, *versions; enum mtx_evidence evidence; const char *source; };
size_t mtx_facts(struct mtx *m, const struct mtx_fact **ret);

/* --- operating systems --------------------------------------------------------------------------------------------------------- */
struct mtx_distro { const char *id, *version, *glibc, *kernel, *gcc, *python, *name, *libstdcxx, *source; };
const struct mtx_distro *mtx_distro(struct mtx *m, gf_slice id, gf_slice version); /* NULL unknown; "12" finds "12", "12.5" too */
size_t mtx_distros(struct mtx *m, const struct mtx_distro **ret);

/* --- reports -------------------------------------------------------------------------------------------------------------------- */
/* Counts by table and evidence, contradictions, gaps; before anything else was asked of an embedded set. */
int mtx_lint(struct mtx *m, struct gf_buf *report, size_t *ret_errors, struct gf_err *err);
void mtx_lint_json(struct mtx *m, size_t errors, const char *report, struct gf_jw *w); /* after mtx_lint, with what it found */

#endif
