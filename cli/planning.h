/* What plan and why share: sources from the user's configuration and the data, requests from words and files, the problem built of them. */
#ifndef CMD_PLANNING_H
#define CMD_PLANNING_H
#include "cli/command.h"
#include "python/reqfile.h"
#include "resolver/record.h"
#include "sources/pipconf.h"

struct opt_sources {
    const char *index_url, *exclude_newer, *sources;
    struct opt_list extra_index_urls, find_links;
    bool no_index, refresh, strict;
};
struct opt_choice {
    struct opt_list requirements, constraints, overrides, extras, groups, only_binary, no_binary;
    const char *unknown, *prefer, *sdist, *save_case;
    bool pre, no_installer;
};
extern const struct opt_row opt_source_rows[], opt_choice_rows[];
enum { OPT_SOURCE_ROWS = 8, OPT_CHOICE_ROWS = 13 };

/* projects.c: TOML files among the requests. */
struct opt_pythons { const char *file; struct py_specset specs; const char *text; };
struct opt_projects {
    GF_VEC(struct py_req) requests;
    GF_VEC(struct rsv_hashes) hashes;
    GF_VEC(struct opt_pythons) pythons; /* requires-python of each file */
    GF_VEC(const char *) locks;         /* pylock files, taken once the target is known */
};
bool opt_is_toml(const char *path);
/* A pyproject.toml adds its dependencies, the extras and the dependency groups that are asked for; a pylock.toml is kept for opt_projects_select. */
int opt_projects_add(struct gf_arena *a, struct opt_projects *p, const char *path, const struct opt_choice *c, struct gf_err *err);
/* Is the target's Python one that the files allow. */
int opt_projects_fit(struct gf_arena *a, const struct opt_projects *p, const struct mdl_profile *target, struct gf_err *err);
/* What the pylock files install on the target, each package as its very file. */
int opt_projects_select(struct gf_arena *a, struct opt_projects *p, const struct mdl_profile *target, const struct opt_choice *c, struct gf_err *err);
void opt_projects_release(struct opt_projects *p);

/* Everything of one planning run; released together. */
struct planning {
    struct gf_arena mem;
    struct mtx *matrix;
    struct tgt_target target;
    struct src_set *sources;
    struct net_client *net;
    struct src_config config;
    struct rsv_problem problem;
    const char *save_case;       /* NULL: not asked for */
    struct rsv_record *record;
    struct py_reqfile files;     /* what the requirement files hold */
    struct opt_projects projects; /* what pyproject.toml and pylock.toml ask for */
    char *request_json;
    bool has_target;
};
int opt_planning_open(struct planning *p, const struct opt_common *common, const struct opt_target *target, struct opt_sources *sources,
                      const struct opt_choice *choice, const struct opt_list *words, struct gf_err *err);
void opt_planning_close(struct planning *p);
/* Solves, with progress on a terminal. */
int opt_planning_solve(struct planning *p, const struct rsv_plan_options *o, struct rsv_result *ret, struct gf_err *err);

/* Sets what depends on the target: call again after p->target was changed. */
int opt_planning_retarget(struct planning *p, const struct opt_choice *choice, struct gf_err *err);

/* Makes the profile the lock's only target (a copy) and fills the tool's version. */
int opt_lock_target(struct mdl_lock *l, const struct mdl_profile *profile, struct gf_err *err);

/* GF_E_NETWORK when a source that was asked could not be reached, by its name. */
int opt_strict_sources(const struct mdl_lock *l, struct gf_err *err);

/* fleet.c: is it more than one target: several --target, or a folder of profiles. */
bool opt_is_fleet(const struct opt_target *t);
/* Plans every target, each shape once; a lock for each below the folder that output names, or one for all in the file of that name, which is not
 * written when one was refused. output NULL: locks, gpuferry.lock. 0, 1 when one was refused, -1. */
struct opt_fleet { struct opt_common common; struct opt_target target; struct opt_sources sources; struct opt_choice choice; const char *output; bool one_for_all; };
int opt_fleet_run(struct opt_fleet *f, const struct opt_list *words, struct gf_err *err);

/* sources.c */
int opt_sources_config(struct gf_arena *a, struct mtx *m, const struct tgt_target *t, const struct opt_common *common, const struct opt_sources *o,
                       const struct py_req *requests, size_t nrequests, struct src_config *ret, struct gf_err *err);
const char *opt_mirror_of(struct gf_arena *a, const char *id, const char *url);
/* render.c */
void out_plan_text(const struct planning *p, const struct rsv_result *r, const struct mdl_lock *l, struct gf_buf *out);

#endif
