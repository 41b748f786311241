/* The files that a lock names, each with its place in the bundle and its URL. */
#ifndef BND_ITEMS_H
#define BND_ITEMS_H
#include "base/vec.h"
#include "model/lock.h"

struct bnd_item {
    const char *name, *version;
    const char *folder, *file;  /* "python", "torch-….whl": a wheel variant without its label, since pip takes no other names (PEP 825 is a draft) */
    const char *label;          /* of a wheel variant; NULL */
    const char *url;            /* may hold credentials: show bnd_shown_url */
    const char **sha256;        /* in the lock: completed in place */
    int64_t *size;
    bool installer;             /* not of the stack: installs or builds it */
    struct mdl_strings targets; /* that it is for; empty: all */
    const char *licence;        /* as the file itself names it; NULL until bnd_read_licences, or not told */
};
struct bnd_items { GF_VEC(struct bnd_item) list; };
/* Strings live in the lock. GF_E_PARSE when a source is not listed or a path gives no safe name. */
int bnd_items_of(struct mdl_lock *lock, struct bnd_items *ret, struct gf_err *err);
void bnd_items_completed(struct mdl_lock *l); /* after digests and sizes were completed: rows that name one file say the same */
void bnd_items_release(struct bnd_items *items);
/* The name that a file has in the bundle. */
const char *bnd_file_of(struct gf_arena *a, const struct mdl_lock_python *p);
bool bnd_is_installer(const struct mdl_lock_python *p);
/* The fixed time of all members: SOURCE_DATE_EPOCH, else the youngest "as_of" of the sources, else 2026-01-01. */
int64_t bnd_time_of(const struct mdl_lock *lock);

#endif
