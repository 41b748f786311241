/* Inside matrix/: the data set as files, strict reading of rows, and the tables. Other folders include matrix/matrix.h only. */
#ifndef MTX_TABLE_H
#define MTX_TABLE_H
#include "base/buf.h"
#include "base/jsonscan.h"
#include "base/map.h"
#include "base/vec.h"
#include "matrix/matrix.h"

/* --- the data set as files: a pack holds them in canonical order ------------------------------------------------ */
/* names: which packages the file has rows of, and which it names at all, as Bloom filters over its text; for files that speak of packages. */
enum { MTX_BLOOM = 4096 };
struct mtx_bloom { uint64_t bits[MTX_BLOOM / 64]; };
struct mtx_file { gf_slice path, text; bool speaks, loaded; struct mtx_bloom *rows, *names; };
struct mtx_files {
    char *owned;            /* the pack's bytes when they are ours; NULL for the embedded one */
    gf_slice pack;
    struct mtx_file *v;     /* sorted by path */
    size_t n;
};
int mtx_files_of_folder(const char *path, struct mtx_files *ret, struct gf_err *err);
int mtx_files_of_pack(gf_slice pack, const char *label, struct mtx_files *ret, struct gf_err *err);
void mtx_files_release(struct mtx_files *f);
struct mtx_file *mtx_files_find(const struct mtx_files *f, gf_slice path);
gf_slice mtx_embedded(void); /* the pack inside the program */
const char *mtx_embedded_sha256(void); /* of that pack, as its file was when the program was built; "" not known */

/* --- rows, read by tables of their keys -------------------------------------------------------------------------- */
enum mtx_kind { MTX_STR, MTX_INT, MTX_BOOL, MTX_STRS, MTX_JSON, MTX_EVIDENCE }; /* MTX_JSON: a gf_slice of the value's text */
struct mtx_strs { const char *const *v; size_t n; };
struct mtx_key { const char *name; enum mtx_kind kind; bool needed; size_t off; };
/* Where in which file we are, for messages; pointers are joined only when something is wrong. */
struct mtx_at { const char *file, *table; size_t row; };
int mtx_bad(const struct mtx_at *at, const char *key, struct gf_err *err, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Fills a cleared row; unknown keys, wrong types, missing keys, a key twice are errors. Strings live in m->mem. */
int mtx_read_row(struct mtx *m, const struct mtx_at *at, struct gf_js *js, const struct mtx_key *keys, size_t nkeys, void *row, struct gf_err *err);
#define MTX_KEY(type, field, kind, needed) { #field, kind, needed, offsetof(type, field) }
#define MTX_READ(m, at, js, keys, row, err) mtx_read_row(m, at, js, keys, sizeof(keys) / sizeof((keys)[0]), row, err)

/* A value of a row that is an object of strings, or a list of strings (then key is NULL). A key twice is an error. */
int mtx_read_pairs(struct mtx *m, const struct mtx_at *at, const char *key, gf_slice text, struct mtx_pair **ret, size_t *ret_n, struct gf_err *err);
const char *mtx_type_name(enum gf_json_type t);
/* A reader over a value that a row gave as text, which is known to be JSON. */
struct gf_js mtx_js(struct mtx *m, gf_slice text);

/* The tables of a file: { "branches": [rows], … }; each name must be known. fn is called for each row. */
struct mtx_section { const char *name; int (*fn)(struct mtx *m, const struct mtx_at *at, struct gf_js *row, struct gf_err *err); };
int mtx_read_file(struct mtx *m, struct mtx_file *f, const struct mtx_section *sections, size_t n, struct gf_err *err);

/* --- tables --------------------------------------------------------------------------------------------------------- */
struct mtx_capability { const char *cc, *generation, *first, *last, *modules; enum mtx_evidence evidence; const char *source; unsigned major, minor; };
struct mtx_first { const char *pci, *from; struct mtx_strs branches; struct mtx_pair *first; size_t nfirst; enum mtx_evidence evidence; const char *source; };
struct mtx_series { const char *branch, *first, *beta; enum mtx_evidence evidence; const char *source; };
struct mtx_build_row { /* as written; one mtx_build for each version of it */
    const char *package, *variant, *index, *platform, *cuda, *cudnn;
    struct mtx_strs versions, sha256;
    gf_slice carries;
    enum mtx_evidence evidence;
    const char *source;
};

enum mtx_table { MTX_T_SOURCES, MTX_T_GPUS, MTX_T_DRIVER, MTX_T_FIRST, MTX_T_CUDA, MTX_T_PACKAGES, MTX_T_ROUTES, MTX_T_DISTROS, MTX_NTABLES };
struct mtx_provider { uint64_t order; const char *name; };
struct mtx_memory { struct mtx_strs names; int64_t memory_mib; enum mtx_evidence evidence; const char *source; };
struct mtx_package { /* by id of mtx.names */
    GF_VEC(const struct mtx_rule *) rules, about;
    GF_VEC(const struct mtx_build *) builds;
    GF_VEC(struct mtx_provider) providers; /* of a component */
    const char **provider_names;
    const char *family;
    bool gpu_code, component, sorted;
};

struct mtx {
    struct gf_arena mem;
    struct mtx_files files;
    char version[64], sha256[65];
    bool loaded[MTX_NTABLES];
    bool strict;                  /* duplicates and sources are looked for too */
    bool failed, indexed;
    size_t reading;               /* number of the file that is being read */
    struct gf_err err;            /* of the first table that could not be read */
    GF_VEC(struct gf_json_doc *) docs;
    struct gf_names seen;         /* keys of rows, to find two alike */
    gf_slice last[64];            /* by key of the table that is being read: the last row's text, which most rows repeat */
    size_t evidence[MTX_NTABLES][4];

    GF_VEC(struct mtx_source) sources;
    GF_VEC(struct mtx_gpu) gpus;
    GF_VEC(struct mtx_memory) memory;
    GF_VEC(uint32_t) by_pci;      /* rows of gpus with an id, sorted by it */
    GF_VEC(const struct mtx_branch *) branches[2]; /* linux, windows */
    GF_VEC(struct mtx_capability) capabilities;
    GF_VEC(struct mtx_kernel_floor) kernels;
    GF_VEC(struct mtx_first) firsts;
    GF_VEC(struct mtx_series) series;
    GF_VEC(struct mtx_cuda_floor) floors;
    GF_VEC(struct mtx_toolkit) toolkits;
    struct gf_names names;        /* packages and components */
    char asked[128];              /* the package that was asked for last: a resolver asks for one thousands of times; "" when a file was read since */
    struct mtx_package *answer;
    GF_VEC(struct mtx_package *) packages;
    GF_VEC(struct mtx_build *) builds;
    GF_VEC(struct mtx_rule *) rules;
    GF_VEC(struct mtx_about) abouts;
    GF_VEC(struct mtx_release) releases;
    GF_VEC(struct mtx_fact) facts;
    GF_VEC(struct mtx_route) routes;
    GF_VEC(struct mtx_distro) distros;
};

/* Reads a table when it was not yet; a failure is kept in m->err and the table stays empty. */
void mtx_need(struct mtx *m, enum mtx_table t);
int mtx_load_sources(struct mtx *m, struct gf_err *err);
int mtx_load_gpus(struct mtx *m, struct gf_err *err);
int mtx_load_driver(struct mtx *m, struct gf_err *err);
int mtx_load_first(struct mtx *m, struct gf_err *err);
int mtx_load_cuda(struct mtx *m, struct gf_err *err);
int mtx_load_packages(struct mtx *m, struct gf_err *err);
int mtx_load_routes(struct mtx *m, struct gf_err *err);
int mtx_load_distros(struct mtx *m, struct gf_err *err);
/* Two rows with one key are an error (only when m->strict). */
int mtx_unique(struct mtx *m, const struct mtx_at *at, struct gf_err *err, const char *fmt, ...) __attribute__((format(printf, 4, 5)));

int mtx_read_build(struct mtx *m, const struct mtx_at *at, struct gf_js *row, struct gf_err *err);
int mtx_read_rule(struct mtx *m, const struct mtx_at *at, struct gf_js *row, struct gf_err *err);
int mtx_read_carries(struct mtx *m, const struct mtx_at *at, const struct mtx_build_row *b, const struct mtx_carries **ret, struct gf_err *err);
struct mtx_package *mtx_package_add(struct mtx *m, const char *name);
/* Reads the files that have rows of the package (with about: that name it at all) when they were not yet; NULL: no row speaks of it. What hangs on the
 * package does not change after that. */
struct mtx_package *mtx_package_get(struct mtx *m, const char *name, bool about);
uint64_t mtx_order(const struct mtx *m, const struct mtx_at *at); /* of a row in the whole data set: the same whatever was read first */
void mtx_provider_add(struct mtx_package *p, uint64_t order, const char *name);
void mtx_index(struct mtx *m); /* fills the filters */
uint64_t mtx_bloom_hash(gf_slice name);
bool mtx_bloom_has(const struct mtx_bloom *b, uint64_t hash); /* perhaps, or surely not */
unsigned mtx_driver_branch_number(gf_slice version);
/* "12.8" against "12.10": numbers part by part */
static inline int mtx_cmp(const char *a, const char *b) { return gf_dotted_cmp(gf_slice_of(a), gf_slice_of(b)); }

/* "9.0a", "100f", "sm_86", "compute_120" → 9 0 'a'; kind 0 for plain. */
struct mtx_target { unsigned major, minor; char kind; };
bool mtx_target_parse(gf_slice text, struct mtx_target *ret);
bool mtx_cubin_runs(struct mtx_target t, unsigned major, unsigned minor);
bool mtx_ptx_runs(struct mtx_target t, unsigned major, unsigned minor);

#endif
