/* A scenario: a solve as a small text file (*.case). Lines, # comments, a line that begins with blanks continues the one before:
 *
 *   target  gpu=8.6,6.1 driver=535.309.01|any|none os=debian-12 arch=x86_64 python=3.12 glibc=2.36 kernel=6.1 cpu=2 flavour=open wsl=yes accelerator=any
 *             gcc=12.2|none nvcc=12.8|none
 *   data    case | full          the facts: drivers, CUDA, GPUs and what the file says; or the whole embedded data set
 *   option  pre  pip  prefer=oldest  unknown=refuse  sdist=allow  only-binary=NAME  no-binary=NAME
 *   pkg     NAME VERSION [KEYWORD VALUE…]…   a distribution, or a component or variant's build of one. Keywords:
 *             requires REQ | REQ | …    extra:NAME REQ | …    python SPEC    tags TAGS    build N    yanked [REASON]    sdist
 *             builds-with REQ | REQ   tool NAME WHAT WAS SEEN | NAME …   (of an sdist: what its build needs)
 *             label LABEL NS::FEATURE::VALUE …   (a wheel variant; variants.json of its version lists it, namespaces in the order of the lines. A label
 *             without properties is not listed there, but for null)
 *             carries 8.0 8.6 9.0a ptx:9.0   variant cu126   index pytorch-cu126   size BYTES   sha256 HEX   unread
 *   family  NAME PACKAGE…        distributions that must be of one variant
 *   rule    {…}                  a row of the matrix's rules, source and evidence may be left out
 *   want    REQ | REQ            requests in order;  constrain REQ | …   override REQ | …
 *   show    passed warnings assumes reasons requires
 *   expect  plan | refusal | error
 *     lines                      the outcome, verbatim
 *
 * A requirement on driver, on a component (cuda12, cudnn9, lib….so.N) or a fact (glibc, kernel, cpu) in `requires` is a rule of the matrix. */
#ifndef RSV_SCENARIO_H
#define RSV_SCENARIO_H
#include "resolver/plan.h"

struct rsv_scenario {
    struct gf_arena mem;
    struct rsv_problem problem;  /* owns profile and matrix */
    struct rsv_supply supply;
    const char *show;            /* words of the show lines */
    gf_slice before, expected;   /* the text up to and with the line "expect …"'s first word; the lines below it */
    struct scenario_universe *universe; /* internal */
    struct mdl_profile *profile;
    struct mtx *matrix;
    struct py_formats formats;
};
/* text and label must outlive the scenario. */
int rsv_scenario_read(gf_slice text, const char *label, struct rsv_scenario *ret, struct gf_err *err);
void rsv_scenario_release(struct rsv_scenario *s);
/* Solves and writes the outcome as the expect part would say it, "expect plan\n  …". */
void rsv_scenario_run(struct rsv_scenario *s, struct gf_buf *out);
#endif
