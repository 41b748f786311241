/* PEP 751 pylock.toml: read, written, and what of it an environment installs. */
#ifndef PY_PYLOCK_H
#define PY_PYLOCK_H
#include "python/platform.h"
#include "python/toml.h"

enum py_pylock_kind { PY_PYLOCK_FILES, PY_PYLOCK_VCS, PY_PYLOCK_DIRECTORY, PY_PYLOCK_ARCHIVE };

struct py_pylock_file {
    const char *name;            /* file name, from "name", else the end of path or url; NULL for an archive that tells none */
    const char *url, *path;      /* at least one */
    const char *upload_time;     /* as written; NULL */
    const char *subdirectory;    /* archives only; NULL */
    const char *const *hashes;   /* "sha256:…"; at least one */
    uint32_t nhashes;
    int64_t size;                /* -1 unknown */
};
struct py_pylock_package {
    const char *name;            /* normalized */
    const char *version;         /* as written; NULL */
    const struct py_marker *marker;   /* NULL: always */
    const char *requires_python; /* as written; NULL */
    struct py_specset python;    /* the same, parsed */
    const char *index;           /* NULL */
    enum py_pylock_kind kind;
    struct py_pylock_file *files; /* the wheels; then the sdist when has_sdist; of an archive: itself */
    uint32_t nwheels;
    bool has_sdist;
    const char *vcs_type, *vcs_commit, *place; /* of a VCS or directory: where it is */
    const char *const *dependencies; /* names, for people; writing only */
    uint32_t ndependencies;
};
struct py_pylock {
    const char *lock_version;    /* "1.0"; NULL when writing: "1.0" */
    const char *created_by;
    const char *requires_python; /* NULL */
    struct py_specset python;
    const struct py_marker **environments;
    uint32_t nenvironments;
    bool has_environments;       /* an empty list fits nothing */
    const char *const *extras, *const *groups, *const *default_groups; /* extras normalized */
    uint32_t nextras, ngroups, ndefault_groups;
    struct py_pylock_package *packages;
    uint32_t npackages;
    bool newer_minor;            /* a 1.x beyond 1.0: what it adds is not understood */
};

/* Strict as the PEP asks: names normalized, file names that tell the package's name and version, hashes present, one kind of source. */
int py_pylock_parse(struct gf_arena *a, gf_slice text, const char *label, struct py_pylock *ret, struct gf_err *err);
/* The document in a stable order. Texts are escaped; nothing else is checked. */
void py_pylock_write(const struct py_pylock *l, struct gf_buf *out);

struct py_pylock_pick {
    const struct py_pylock_package *package;
    const struct py_pylock_file *file; /* NULL for a VCS or directory */
};
/* What the environment installs, in the lock's order: PEP 751 "Installation". groups NULL: the default groups. A marker that cannot be decided, an
 * undeclared extra or group, two entries of one name, a Python that does not fit and a package without a fitting file are refused by name. */
int py_pylock_select(struct gf_arena *a, const struct py_pylock *l, const struct py_platform *p, const struct py_selection *sel, struct py_pylock_pick **ret,
                     size_t *ret_n, struct gf_err *err);

#endif
