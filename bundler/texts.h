/* The small files of a bundle, made from the lock alone: same lock, same bytes. */
#ifndef BND_TEXTS_H
#define BND_TEXTS_H
#include "bundler/items.h"
#include "bundler/layout.h"

/* Of a lock for one target. folder: of the bundle, where the file stands: "", "targets/LABEL/". */
void bnd_write_requirements(const struct mdl_lock *lock, const char *folder, struct gf_buf *out);
void bnd_write_pylock(const struct mdl_lock *lock, const char *folder, struct gf_buf *out);
/* What the scripts need to know, as sh assignments, every value quoted. */
void bnd_write_facts(const struct mdl_lock *lock, const struct bnd_items *items, const char *seal, struct gf_buf *out);
/* The same of a lock for several targets: which there are, and the seals of their own locks. */
void bnd_write_target_list(const struct mdl_lock *lock, const char *seal, const char *const *seals, struct gf_buf *out);
void bnd_write_sbom(const struct mdl_lock *lock, const struct bnd_items *items, const char *seal, int64_t time, struct gf_buf *out);
/* seals: of the targets' own locks, for a bundle that serves several; else NULL. */
void bnd_write_manifest(const struct bnd_layout *l, const struct mdl_lock *lock, const char *seal, const char *const *seals, struct gf_buf *out);
void bnd_write_sums(const struct bnd_layout *l, struct gf_buf *out); /* of all members placed or added, sorted by path */
/* several.c: targets/LABEL/ for each target: its lock, requirements, pylock, facts. Digests and sizes must be known. seals live in the layout. */
bool bnd_serves_several(const struct mdl_lock *lock);
int bnd_add_targets(const struct mdl_lock *lock, struct bnd_layout *l, const char *const **ret_seals, struct gf_err *err);
#define BND_TARGETS "targets/"
void bnd_shell_quote(struct gf_buf *out, const char *text);

struct bnd_script { const char *path; gf_slice text; unsigned mode; };
struct bnd_script bnd_script_at(size_t i);
extern const size_t bnd_nscripts;

#endif
