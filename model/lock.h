/* gpuferry.lock: the stack written down. What the resolver writes and the bundler reads; the only thing that crosses between them.
 * Stable order, byte-identical for the same inputs, sealed by the sha256 of its canonical rest. See doc/ for the keys. */
#ifndef MDL_LOCK_H
#define MDL_LOCK_H
#include "base/digest.h"
#include "model/profile.h"

struct mdl_strings { const char *const *v; size_t n; };

struct mdl_lock_source {
    const char *id, *kind;  /* kind: simple, find-links, vendor … */
    const char *base;       /* URL without credentials, or folder */
    const char *state;      /* used | unreachable | not-asked */
    const char *as_of;      /* NULL */
    const char *could_change; /* what an unreachable source could have changed; NULL */
};
/* targets of a row: the labels that it is for, sorted; empty: all of the lock's. Only a union lock has any. */
struct mdl_lock_item { const char *name, *version, *slot, *variant, *origin, *provided_by; struct mdl_strings targets; }; /* optional ones NULL */
struct mdl_lock_assume { const char *about, *needs, *rule, *source; struct mdl_strings targets; };
/* What a package has for some of its row's targets besides what it has for all of them. */
struct mdl_lock_also { struct mdl_strings targets, extras, requires, required_by, build; };
struct mdl_lock_python {
    const char *name, *version;
    struct mdl_strings extras;
    const char *file, *kind;         /* kind: wheel | sdist */
    const char *source;              /* id of a source */
    const char *path;                /* URL or path, relative to the source's base where it is below it */
    const char *sha256;              /* NULL: the source gives none, the bundler completes it */
    int64_t size;                    /* bytes; -1 unknown */
    struct mdl_strings requires;     /* "name==version" of the packages it pulled in */
    struct mdl_strings required_by;  /* names; "(request)" for what the user asked for */
    struct mdl_strings targets;
    struct mdl_lock_also *also;
    size_t nalso;
    struct mdl_strings build;        /* of a source archive: "name==version" of all that it is built with; they are in python or in build */
};
struct mdl_lock_file { const char *name, *version, *arch, *source, *path, *sha256, *role; int64_t size; struct mdl_strings targets; }; /* os and vendor files; role, arch may be NULL */
struct mdl_reason_arg { const char *key, *value; };
struct mdl_reason {
    const char *id, *text;           /* "cuda-needs-driver", its English form */
    const struct mdl_reason_arg *args;
    size_t nargs;
    struct mdl_strings sources;      /* ids of data/sources.json, or "metadata of torch 2.11.0" */
    struct mdl_strings targets;      /* of a row of its own; unused inside mdl_passed_over */
};
struct mdl_passed_over { const char *name, *version; struct mdl_reason reason; struct mdl_strings targets; };
struct mdl_lock_warning { const char *text; struct mdl_strings targets; };
/* Machines that are alike in all that decides: the target's profile is that of one of them. A target without such a row is one machine, its label. */
struct mdl_lock_machines { const char *target; struct mdl_strings names; };

struct mdl_lock {
    struct gf_arena mem;
    const char *tool_version, *matrix_version, *matrix_sha256;
    struct mdl_profile **targets;
    size_t ntargets;
    struct mdl_lock_machines *machines;  size_t nmachines;
    const char *request_json;        /* compact JSON object: requirements, options; as given */
    struct mdl_lock_source *sources;     size_t nsources;
    struct mdl_lock_item *stack;         size_t nstack;
    struct mdl_lock_assume *assumes;     size_t nassumes;
    struct mdl_lock_python *python;      size_t npython;
    struct mdl_lock_python *build;       size_t nbuild; /* wheels that only builds need; required_by: the archives that they build */
    struct mdl_lock_file *os;            size_t nos;
    struct mdl_lock_file *files;         size_t nfiles;
    struct mdl_reason *reasons;          size_t nreasons;
    struct mdl_passed_over *passed_over; size_t npassed_over;
    struct mdl_strings warnings;         /* for all targets */
    struct mdl_lock_warning *warnings_for; size_t nwarnings_for; /* for some */
};

struct mdl_lock *mdl_lock_new(void);
void mdl_lock_free(struct mdl_lock *l);
/* The document with its seal. */
int mdl_lock_write(const struct mdl_lock *l, struct gf_buf *out, struct gf_err *err);
/* The document without its target: written once for many that differ in nothing else. What l has for targets does not count. */
struct mdl_lock_frame { struct gf_buf whole, text; size_t whole_at, text_at; };
int mdl_lock_frame_init(struct mdl_lock_frame *f, const struct mdl_lock *l, struct gf_err *err); /* released also when it failed */
int mdl_lock_frame_write(const struct mdl_lock_frame *f, const struct mdl_profile *target, struct gf_buf *out, struct gf_err *err); /* as mdl_lock_write with that one target */
void mdl_lock_frame_release(struct mdl_lock_frame *f);
/* Strict: schema and seal first (GF_E_INTEGRITY when the seal does not match), then every key and type, errors name the JSON pointer. What comes
 * out is safe to build paths and scripts from: names, versions and file names hold no blanks, quotes or slashes, digests are 64 hex
 * digits, no file name stands twice; the targets of a lock for several have labels of letters, digits and "._-", each once, and rows name no others. */
int mdl_lock_parse(gf_slice text, const char *label, struct mdl_lock **ret, struct gf_err *err);
int mdl_lock_load(const char *path, struct mdl_lock **ret, struct gf_err *err);
/* sha256 of the document, compact, without its "seal". */
void mdl_lock_seal(const gf_json *document, char out[GF_SHA256_HEX]);

/* ---- one lock for several targets (union.c) ---- */

/* A label that may stand in paths and scripts: letters, digits and "._-", not first a dot, at most 100 bytes. */
bool mdl_label_safe(gf_slice label);
/* One lock out of several, each for one target with a label of its own, of one request and one data set. Rows that are equal become one; the order of
 * the parts is that of the targets in the document and decides nothing else. GF_E_USAGE when they cannot stand in one document: a label twice, two
 * files of one name. What comes out borrows from the parts, which must live as long. */
int mdl_lock_union(struct mdl_lock *const *parts, size_t n, struct mdl_lock **ret, struct gf_err *err);
/* What the lock says for the target, or for the machine, of that name, as a lock of its own: of a union, the very part. Borrows from l; digests
 * and sizes are those that l has now. GF_E_USAGE when l has no such target. */
int mdl_lock_view(const struct mdl_lock *l, const char *name, struct mdl_lock **ret, struct gf_err *err);
const char *mdl_lock_target_of(const struct mdl_lock *l, const char *name); /* label of the target that the name is or belongs to; NULL */
bool mdl_strings_has(const struct mdl_strings *s, const char *text);
bool mdl_is_for(const struct mdl_strings *targets, const char *label); /* is a row with these targets, sorted, for the one of that label */

#endif
