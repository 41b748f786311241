/* PEP 508 requirements and core metadata. Everything lives in the arena given. */
#ifndef PY_REQUIREMENT_H
#define PY_REQUIREMENT_H
#include "python/marker.h"
#include "python/version.h"

struct py_req {
    const char *name;             /* normalized */
    const char *written;          /* as written */
    const char *const *extras;    /* normalized */
    uint32_t nextras;
    struct py_specset specs;
    const char *url;              /* name @ url, else NULL */
    const struct py_marker *marker; /* NULL: always */
    const char *text;             /* the requirement as given, trimmed */
};

/* lenient: what old metadata holds and pip/uv accept ("foo (>=1.0)", ">=1.0.*", missing commas). */
int py_req_parse(struct gf_arena *a, gf_slice text, bool lenient, struct py_req *ret, struct gf_err *err);
char *py_req_text(struct gf_arena *a, const struct py_req *r); /* canonical */

struct py_metadata {
    const char *metadata_version, *name, *version; /* name as written */
    const char *requires_python;                   /* NULL when absent */
    const char *summary, *license;                 /* License-Expression, else License when it is one line; NULL when absent */
    const struct py_req *requires;
    uint32_t nrequires;
    const char *const *extras;                     /* Provides-Extra, normalized */
    uint32_t nextras;
    bool dynamic_requires;                         /* Dynamic: Requires-Dist, so the list is not to be trusted */
    uint32_t skipped;                              /* requirements that could not be read (named through log) */
    const char *build_backend;                     /* of a source archive: how it is built; NULL: not known, or a wheel */
    const struct py_req *build_requires;
    uint32_t nbuild_requires;
    const char *const *build_tools;                /* "nvcc 12 files of CUDA": the tool, a blank, what was seen */
    uint32_t nbuild_tools;
};
/* METADATA or PKG-INFO (headers up to the first blank line). Requirements that cannot be read are an error unless log != NULL: then skipped and named. */
int py_metadata_parse(struct gf_arena *a, gf_slice text, const char *label, const struct gf_log *log, struct py_metadata *ret, struct gf_err *err);

#endif
