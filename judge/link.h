/* Inside judge/: one judgement under way. Each family of links is one file with one function that adds its findings. */
#ifndef JDG_LINK_H
#define JDG_LINK_H
#include "base/vec.h"
#include "judge/judge.h"

struct jdg_pkg {
    const struct mdl_package *p;
    const char *name;                  /* of the distribution it counts as: libtorch is torch */
    bool has_version;
    struct py_version version;
    const char *variant;               /* cu121, cu12, cpu, rocm6.2; NULL unknown */
    bool variant_stated;               /* in the version or the build, not concluded from the index it usually comes from */
    const char *cuda;                  /* "12.1", or "12" when only the major is known; NULL none or unknown */
    const struct mtx_build *build;     /* NULL: no row */
    const struct mtx_carries *carries; /* from its arch list, else of its build; NULL unknown */
    bool vendor_build;                 /* NVIDIA's own build (Jetson, containers): made for its machine */
    const char *label;                 /* "torch 2.5.0+cu121" */
};
struct jdg_gpu {
    const struct mdl_gpu *g;
    const struct mtx_gpu *row;         /* NULL: none, or several that differ */
    bool has_cc, nvidia;
    unsigned major, minor;
    enum py_tri geforce;               /* a card that may not use forward compatibility */
    const char *label;                 /* "RTX 5090 (sm_120)" */
};

struct jdg {
    struct mtx *m;
    const struct mdl_profile *p;
    struct mdl_verdict *v;
    struct gf_arena *a;                /* the verdict's */
    const char *os, *driver_os;        /* linux, windows, macos; driver_os: windows inside WSL */
    bool tegra, wsl;
    bool os_unknown;                   /* os is linux for want of better: conditions do not see it */
    const char *driver, *driver_cuda;  /* NULL unknown; driver_cuda concluded from the driver when not stated */
    const char *glibc;                 /* of the system, or of its distribution's release; NULL unknown */
    const char *flavour;               /* of the kernel modules: open, proprietary; NULL unknown */
    GF_VEC(struct jdg_pkg) pkgs;
    GF_VEC(struct jdg_gpu) gpus;
    bool list_complete;                /* the packages are all that is there, so that absence means something */
    struct gf_json_doc *host, *image;  /* NULL: none */
    const struct jdg_reading *errors;  /* NULL: none */
};

void jdg_open(struct jdg *j, struct mtx *m, const struct mdl_profile *p, struct mdl_verdict *v);
void jdg_close(struct jdg *j);
const struct jdg_pkg *jdg_pkg(const struct jdg *j, const char *name); /* NULL: not in the list */
bool jdg_version_in(struct jdg *j, const struct jdg_pkg *pkg, const char *specs); /* false when the version is unknown */
const char *jdg_text(struct jdg *j, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *jdg_host(struct jdg *j, const char *key);  /* text of a host fact, "true"/"false" for booleans; NULL */
const char *jdg_image(struct jdg *j, const char *key);
/* Error lines that say: no file to install. */
bool jdg_no_file(const struct jdg *j);
bool jdg_has_error(const struct jdg *j, const char *row);   /* an error line of the profile means this row of data/doctor */

/* A finding under way: the pointer is good until the next one is added. */
struct mdl_finding *jdg_find(struct jdg *j, enum mdl_level level, enum mdl_kind kind, const char *rule, const char *about, const char *cause_fmt, ...)
    __attribute__((format(printf, 6, 7)));
void jdg_fact(struct jdg *j, struct mdl_finding *f, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void jdg_source(struct jdg *j, struct mdl_finding *f, const char *id); /* NULL is ignored */
void jdg_next(struct jdg *j, struct mdl_finding *f, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void jdg_command(struct jdg *j, struct mdl_finding *f, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void jdg_add_string(struct jdg *j, struct mdl_strings *list, const char *text);
bool jdg_found(const struct jdg *j, const char *rule); /* an error with that rule stands already */
void jdg_undecided(struct jdg *j, const char *missing);

void jdg_links(struct jdg *j); /* all families, error lines aside */
/* The links. */
void jdg_link_gpu_code(struct jdg *j);
void jdg_link_driver(struct jdg *j);
void jdg_link_builds(struct jdg *j);
void jdg_link_rules(struct jdg *j);
void jdg_link_abi(struct jdg *j);
void jdg_link_releases(struct jdg *j);
void jdg_link_container(struct jdg *j);
void jdg_link_host(struct jdg *j);
void jdg_link_vendors(struct jdg *j); /* AMD, Ascend */
void jdg_link_errors(struct jdg *j, const struct jdg_knowledge *k);

/* The CUDA major of "12.1", "12", "cu12x"; 0 when it is none. */
unsigned jdg_cuda_major(const char *cuda);

#endif
