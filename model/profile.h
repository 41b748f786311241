/* The facts of a target. A fact is unknown, known to be absent, or present; an absent key of the document is unknown, null is known to be absent.
 * Everything lives in the profile's arena. Strings are NULL when unknown. */
#ifndef MDL_PROFILE_H
#define MDL_PROFILE_H
#include "base/json.h"
#include "python/platform.h"

enum mdl_known { MDL_UNKNOWN = 0, MDL_ABSENT, MDL_PRESENT };

struct mdl_gpu {
    const char *vendor;  /* "nvidia", "amd", "huawei", … lower case; NULL unknown */
    const char *name, *pci; /* pci "10de:2204", lower case */
    const char *cc, *gfx;   /* "8.6"; "gfx90a" */
    int64_t memory_mib;     /* 0 unknown */
    const char *mig, *vgpu; /* MIG: the profiles of its instances "3g.40gb,1g.10gb", or the memory of each "40192MiB,9728MiB", or "enabled"; vGPU type */
};

struct mdl_package {
    const char *name;     /* normalized */
    const char *version;  /* NULL: there, version unknown */
    const char *build;    /* "cu121" when only that is known */
    const char *const *arch_list; /* "sm_80", "compute_90" … */
    size_t narch;
    enum mdl_known cxx11abi_known; /* MDL_PRESENT: cxx11abi holds */
    bool cxx11abi;
    const char *origin;   /* pip, conda, dpkg, NULL */
};

struct mdl_interpreter { const char *version, *abi, *path; bool has_venv, has_pip; };
struct mdl_disk { const char *mount; int64_t free_mib; };
struct mdl_origin { const char *key, *from; }; /* "driver.version" came from "nvidia-smi" */

struct mdl_profile {
    struct gf_arena mem;
    const char *label, *arch;                 /* arch: x86_64, aarch64 */
    const char *libc_name, *libc_version;     /* glibc, musl */
    const char *libstdcxx;                    /* newest GLIBCXX symbol version */
    const char *os_id, *os_version, *kernel;  /* os-release ID and VERSION_ID; "windows", "macos" too */
    enum py_tri wsl, container;
    const char *const *cpu_flags;
    size_t ncpu_flags;
    int cpu_level;                            /* x86-64-vN; 0 unknown */
    int64_t page_size;                        /* 0 unknown */
    enum mdl_known gpus_known;                /* MDL_ABSENT: looked, none there */
    struct mdl_gpu *gpus;
    size_t ngpus;
    enum mdl_known driver_known;
    const char *driver_version, *driver_cuda, *driver_flavour, *driver_origin; /* flavour open|proprietary */
    enum mdl_known python_known;
    const char *python_version, *python_impl, *python_abi;
    struct mdl_interpreter *interpreters;
    size_t ninterpreters;
    enum mdl_known packages_known;            /* MDL_PRESENT: the list is what is there */
    struct mdl_package *packages;
    size_t npackages;
    struct mdl_package *os_packages;
    size_t nos_packages;
    const char *nvcc, *rocm, *cann;           /* toolkit */
    const char *cudnn, *gcc, *dkms;
    const char *const *headers;               /* kernel releases whose headers are there */
    size_t nheaders;
    enum py_tri secure_boot, nouveau, nvswitch;
    const char *container_runtime, *container_toolkit;
    struct mdl_disk *disks;
    size_t ndisks;
    const char *const *errors;                /* error lines that came with the facts */
    size_t nerrors;
    struct mdl_origin *origins;
    size_t norigins;
    const char *const *conflicts;             /* facts that contradict, one sentence each */
    size_t nconflicts;
    const char *accelerator;                  /* cuda|rocm|cann|cpu|any when the user said so; not in the document */
    const char *image_json, *host_json;       /* compact JSON of those objects, passed through */
    enum mdl_known nvcc_known, cudnn_known, gcc_known, dkms_known, headers_known, runtime_known; /* absent: looked, not there */
};

struct mdl_profile *mdl_profile_new(void);
void mdl_profile_free(struct mdl_profile *p);
/* Strict: unknown keys and wrong types are errors that name the JSON pointer. */
int mdl_profile_parse(gf_slice text, const char *label, struct mdl_profile **ret, struct gf_err *err);
int mdl_profile_from_json(const gf_json *v, const char *label, struct mdl_profile **ret, struct gf_err *err);
int mdl_profile_copy(const struct mdl_profile *p, struct mdl_profile **ret, struct gf_err *err); /* by way of its document */
void mdl_profile_write(const struct mdl_profile *p, struct gf_jw *w); /* stable key order */
/* What Python planning needs; false and *ret_missing ("python", "arch") when a fact for it is missing. A Linux target without libc facts gets
 * libc 0.0. Strings are borrowed. */
bool mdl_profile_platform(const struct mdl_profile *p, struct py_platform *ret, const char **ret_missing);
void mdl_profile_add_gpu(struct mdl_profile *p, struct mdl_gpu gpu);
void mdl_profile_add_package(struct mdl_profile *p, struct mdl_package pkg);
void mdl_profile_add_error(struct mdl_profile *p, const char *text);
void mdl_profile_set_origin(struct mdl_profile *p, const char *key, const char *from); /* a later one replaces */
const char *mdl_profile_origin(const struct mdl_profile *p, const char *key);          /* NULL without one */
void mdl_profile_add_conflict(struct mdl_profile *p, const char *sentence);            /* once each */
/* One text fact by its key in the document ("driver.version", "os.id", "libc.version" …), seen at `from`. Unknown becomes known; a value that says the
 * same more exactly ("12.4" then "12.4.131") replaces; another value is kept out and listed in conflicts. False when nothing was taken. */
bool mdl_profile_put(struct mdl_profile *p, const char *key, gf_slice value, const char *from);
bool mdl_profile_put_tri(struct mdl_profile *p, const char *key, bool value, const char *from); /* "os.wsl", "nouveau" … */
/* Marks a fact with a known-ness ("gpus", "driver", "packages", "gcc" …) as looked for and not there; a conflict when it is there. */
void mdl_profile_put_absent(struct mdl_profile *p, const char *key, const char *from);
/* Room for one more behind the n elements of an array of the profile: the array, moved when it was full. Its memory is the profile's. */
void *mdl_profile_grow(struct mdl_profile *p, void *array, size_t n, size_t size);
/* A list of all GPUs that one source saw, laid over what is known: the same ones get more exact, a longer list extends a shorter one whose members it
 * holds, others are kept out and listed in conflicts. Copied. */
void mdl_profile_merge_gpus(struct mdl_profile *p, const struct mdl_gpu *v, size_t n, const char *from);
/* One installed distribution, name normalized or not; another version of one already there is kept out and listed in conflicts. Copied. */
void mdl_profile_merge_package(struct mdl_profile *p, const struct mdl_package *pkg, const char *from);
void mdl_profile_add_os_package(struct mdl_profile *p, struct mdl_package pkg); /* copied; by name once */
/* Every fact of from, put into p as above; lists are joined without doubles. from keeps its own. */
void mdl_profile_merge(struct mdl_profile *p, const struct mdl_profile *from);

#endif
