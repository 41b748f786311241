/* The pieces of a scenario between its reader, its data set and its supply. Internal to resolver/. */
#ifndef RSV_SCENARIO_DATA_H
#define RSV_SCENARIO_DATA_H
#include "base/vec.h"
#include "resolver/scenario.h"

struct scenario_pkg {        /* one pkg line */
    const char *name, *version, *python, *tags, *yanked, *variant, *index, *sha256;
    gf_slice requires, carries, builds_with, tools;
    gf_slice label;          /* and the properties behind it */
    GF_VEC(gf_slice) extras; /* "NAME REQ | REQ" */
    uint64_t build, size;
    bool sdist, unread;
    struct src_file file;    /* the supply's */
    struct py_metadata metadata;
};
struct scenario_variants { struct src_file file; struct py_variants all; };
struct scenario_project { const char *name; struct src_project page; };
struct scenario_universe {
    GF_VEC(struct scenario_pkg *) pkgs;
    GF_VEC(gf_slice) rules, families;
    GF_VEC(struct scenario_project) projects;
    GF_VEC(struct scenario_variants *) variants;
    GF_VEC(struct src_index) index;
    bool full_data;
};

bool rsv_scenario_is_component(const char *name);
/* A requirement that the matrix states rather than metadata. */
bool rsv_scenario_is_rule(gf_slice requirement);
int rsv_scenario_open_matrix(struct rsv_scenario *s, const char *label, struct gf_err *err);
/* variants.json of every version that has wheels with labels. */
int rsv_scenario_build_variants(struct rsv_scenario *s, struct gf_err *err);
int rsv_scenario_build_supply(struct rsv_scenario *s, const char *label, struct gf_err *err);

#endif
