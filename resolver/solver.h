/* PubGrub (Natalie Weizenbaum, "PubGrub: Next-Generation Version Solving", 2018): conflict-driven, lazy, able to tell why. Knows packages,
 * candidate numbers and sets of them; no strings, no clock, no I/O. What it needs of a package it asks of the world, which answers, or says
 * "wait". The order in which answers arrive never decides anything. */
#ifndef RSV_SOLVER_H
#define RSV_SOLVER_H
#include "base/err.h"
#include "resolver/set.h"

typedef uint32_t rsv_pkg; /* dense; 0 is the root, its only candidate is 0 */

struct rsv_term {
    rsv_pkg pkg;
    bool positive; /* chosen, and in set; else: not chosen, or not in set */
    rsv_set set;
};

enum rsv_cause_kind {
    RSV_CAUSE_ROOT,      /* the root must be chosen */
    RSV_CAUSE_EDGE,      /* terms[0] needs the negation of terms[1] */
    RSV_CAUSE_EXTERNAL,  /* the world says that these terms do not go together */
    RSV_CAUSE_NO_CHOICE, /* no candidate is in that set */
    RSV_CAUSE_DERIVED
};
struct rsv_incompat {
    const struct rsv_term *terms;
    uint32_t nterms;
    enum rsv_cause_kind kind;
    uint32_t reason;      /* the world's number for it; RSV_NONE */
    uint32_t left, right; /* of a derived one */
};

enum { RSV_WAIT = UINT32_MAX - 1 };
enum rsv_state { RSV_READY, RSV_WAITING, RSV_ERROR };

struct rsv_solver;
struct rsv_world {
    void *arg;
    /* The best candidate within the set: a number, RSV_NONE when there is none, RSV_WAIT when its list is not there yet. */
    uint32_t (*pick)(void *arg, rsv_pkg pkg, rsv_set allowed);
    /* Larger is decided earlier; ties by the smaller package number. */
    uint64_t (*priority)(void *arg, rsv_pkg pkg, rsv_set allowed, uint32_t conflicts);
    /* Tells all that follows from choosing this candidate, by rsv_add_edge and rsv_add_external. Called until it says READY, then never again
     * for it; it must add nothing before it is READY. */
    enum rsv_state (*expand)(void *arg, struct rsv_solver *s, rsv_pkg pkg, uint32_t candidate, struct gf_err *err);
};

struct rsv_solver *rsv_solver_new(const struct rsv_world *world);
void rsv_solver_free(struct rsv_solver *s);
/* pkg within set needs dep within dep_set. Edges of one package to the same dep_set with the same reason are merged. */
void rsv_add_edge(struct rsv_solver *s, rsv_pkg pkg, rsv_set set, rsv_pkg dep, rsv_set dep_set, uint32_t reason);
/* These do not hold together. */
void rsv_add_external(struct rsv_solver *s, const struct rsv_term *terms, uint32_t nterms, uint32_t reason);

enum rsv_outcome { RSV_SOLVED, RSV_UNSOLVABLE, RSV_NEEDS, RSV_FAILED };
/* Runs until it is done or must wait. RSV_FAILED: *err is filled. */
enum rsv_outcome rsv_step(struct rsv_solver *s, struct gf_err *err);

struct gf_arena *rsv_solver_arena(struct rsv_solver *s);
uint32_t rsv_decided(const struct rsv_solver *s, rsv_pkg pkg); /* RSV_NONE when it is not */
bool rsv_wanted(const struct rsv_solver *s, rsv_pkg pkg, rsv_set *ret_allowed); /* a positive term stands for it */
rsv_pkg rsv_package_count(const struct rsv_solver *s);
uint32_t rsv_refusal(const struct rsv_solver *s); /* after RSV_UNSOLVABLE: number of the final incompatibility */
const struct rsv_incompat *rsv_incompat_at(const struct rsv_solver *s, uint32_t i);
void rsv_counts(const struct rsv_solver *s, uint32_t *ret_decisions, uint32_t *ret_conflicts);

#endif
