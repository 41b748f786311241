/* Requirement, constraint and override files with pip's syntax: what a lock can honour is read, what it cannot (-e, VCS URLs, source folders)
 * is refused by name, never passed over. Nothing is read but through the caller. */
#ifndef PY_REQFILE_H
#define PY_REQFILE_H
#include "base/buf.h"
#include "python/formats.h"
#include "python/requirement.h"

enum py_reqfile_role { PY_REQUIREMENTS, PY_CONSTRAINTS, PY_OVERRIDES };

struct py_reqfile_line {
    struct py_req req;          /* url: also a local path, as written; its name then comes from the file name or #egg= */
    const char *const *hashes;  /* "sha256:…", lower case; any of them will do */
    uint32_t nhashes;
    const char *file;           /* where it stands */
    unsigned line;
};

struct py_reqfile {
    struct gf_arena mem;
    GF_VEC(struct py_reqfile_line) lines[3]; /* by role */
    const char *index_url;                   /* the last one given; NULL */
    GF_VEC(const char *) extra_index_urls, find_links;
    struct py_formats formats;
    bool no_index, pre, prefer_binary;
    bool require_hashes;                     /* asked for, or some requirement has a hash: then all need one */
    uint32_t nignored;                       /* options without a meaning here, named through log */
};

struct py_reqfile_io {
    /* The text of a file or http(s) URL, appended to out. */
    int (*read)(void *arg, const char *path, struct gf_buf *out, struct gf_err *err);
    const char *(*env)(void *arg, const char *name); /* ${NAME}; NULL for a variable that is not set: then it stays as written */
    void *arg;
    const struct gf_log *log;
};

void py_reqfile_init(struct py_reqfile *f);
void py_reqfile_release(struct py_reqfile *f);
/* Adds what path holds, and what it includes, to *into; "-" is whatever read takes it for. Paths of -r and -c are relative to the file they stand in. */
int py_reqfile_load(struct py_reqfile *into, const char *path, enum py_reqfile_role role, const struct py_reqfile_io *io, struct gf_err *err);
/* One requirement as it may stand on a command line: a PEP 508 one, a URL, a path of a wheel or source archive. */
int py_req_parse_any(struct gf_arena *a, gf_slice text, struct py_req *ret, struct gf_err *err);

#endif
