/* Within target/: what the ways to learn a target's facts share. */
#ifndef TGT_FACTS_H
#define TGT_FACTS_H
#include "target/target.h"

/* ID of os-release for a name as people write it: "Red Hat" → "rhel". In the arena. */
const char *tgt_os_id(struct gf_arena *a, gf_slice text);
const char *tgt_mtx_os(const struct mdl_profile *p); /* "linux" or "windows", as the matrix names it */

/* --gpu: NAME, sm_86, 8.6, gfx90a, PCI id, each one GPU of p (which loses those it had). GF_E_USAGE for an unknown one, with the nearest names, and for a
 * name whose products differ in capability, with the PCI ids. Notes are strings of the profile's arena. */
int tgt_take_gpus(struct mtx *m, const char *const *texts, size_t n, struct mdl_profile *p, const char ***notes, size_t *nnotes, struct gf_err *err);
/* Compute capability of an integrated GPU by the name its driver gives; NULL for other names. Static. */
const char *tgt_tegra_cc(gf_slice name);

#endif
