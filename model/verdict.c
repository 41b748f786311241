/* Collecting findings and writing them down; see model/verdict.h. */
#include "model/verdict.h"
#include <stdlib.h>

static const char *const level_names[] = { "error", "warning", "note" };
static const char *const kind_names[] = { "incompatible", "misconfigured", "unavailable", "broken_host", "slow", "false_alarm", "info" };
static const char *const outcome_names[] = { "works", "broken", "unknown" };

const char *mdl_level_name(enum mdl_level level) { return level_names[level]; }
const char *mdl_kind_name(enum mdl_kind kind) { return kind_names[kind]; }
const char *mdl_outcome_name(enum mdl_outcome outcome) { return outcome_names[outcome]; }

struct mdl_verdict *mdl_verdict_new(void)
{
    struct mdl_verdict *v = gf_xcalloc(1, sizeof *v);
    gf_arena_init(&v->mem);
    v->outcome = MDL_UNDECIDED;
    return v;
}

void mdl_verdict_free(struct mdl_verdict *v)
{
    if (!v) return;
    gf_arena_release(&v->mem);
    free(v->findings);
    free(v);
}

struct mdl_finding *mdl_verdict_add(struct mdl_verdict *v, struct mdl_finding f)
{
    if (v->nfindings == v->cap) {
        v->cap = v->cap ? 2 * v->cap : 16;
        v->findings = gf_xreallocarray(v->findings, v->cap, sizeof *v->findings);
    }
    v->findings[v->nfindings] = f;
    return &v->findings[v->nfindings++];
}

void mdl_verdict_miss(struct mdl_verdict *v, const char *fact)
{
    struct mdl_strings *list = &v->missing_facts;
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->v[i], fact) == 0) return;
    const char **grown = gf_arena_alloc(&v->mem, (list->n + 1) * sizeof *grown);
    if (list->n) memcpy(grown, list->v, list->n * sizeof *grown);
    grown[list->n] = gf_arena_strz(&v->mem, fact);
    *list = (struct mdl_strings){ grown, list->n + 1 };
}

/* Stable: errors, then warnings, then notes, each in the order they were found. */
static void order_findings(struct mdl_verdict *v)
{
    for (size_t i = 1; i < v->nfindings; i++) {
        struct mdl_finding f = v->findings[i];
        size_t at = i;
        for (; at && v->findings[at - 1].level > f.level; at--) v->findings[at] = v->findings[at - 1];
        v->findings[at] = f;
    }
}

void mdl_verdict_settle(struct mdl_verdict *v)
{
    order_findings(v);
    if (v->nfindings && v->findings[0].level == MDL_ERROR) v->outcome = MDL_BROKEN;
    else v->outcome = v->undecided ? MDL_UNDECIDED : MDL_WORKS;
}

static void write_strings(struct gf_jw *w, const char *key, const struct mdl_strings *list)
{
    gf_jw_key(w, key);
    gf_jw_arr(w);
    for (size_t i = 0; i < list->n; i++) gf_jw_cstr(w, list->v[i]);
    gf_jw_end_arr(w);
}

static void write_fix(struct gf_jw *w, const struct mdl_finding *f)
{
    if (!f->fix_text && !f->fix_commands.n) return;
    gf_jw_key(w, "fix");
    gf_jw_obj(w);
    gf_jw_kstr_opt(w, "text", f->fix_text);
    write_strings(w, "commands", &f->fix_commands);
    gf_jw_kbool(w, "proven", f->fix_proven);
    gf_jw_end_obj(w);
}

static void write_finding(struct gf_jw *w, const struct mdl_finding *f)
{
    gf_jw_obj(w);
    gf_jw_kstr(w, "level", level_names[f->level]);
    gf_jw_kstr(w, "rule", f->rule);
    gf_jw_kstr(w, "kind", kind_names[f->kind]);
    gf_jw_kstr_opt(w, "about", f->about);
    gf_jw_kstr(w, "cause", f->cause);
    write_strings(w, "facts", &f->facts);
    write_strings(w, "sources", &f->sources);
    gf_jw_kstr(w, "confidence", f->confidence ? f->confidence : "high");
    write_strings(w, "next", &f->next);
    write_fix(w, f);
    gf_jw_end_obj(w);
}

void mdl_verdict_write(const struct mdl_verdict *v, struct gf_jw *w)
{
    gf_jw_obj(w);
    gf_jw_kstr(w, "schema", "gpuferry.verdict/1");
    gf_jw_kstr_opt(w, "about", v->about);
    gf_jw_kstr(w, "verdict", outcome_names[v->outcome]);
    gf_jw_key(w, "findings");
    gf_jw_arr(w);
    for (size_t i = 0; i < v->nfindings; i++) write_finding(w, &v->findings[i]);
    gf_jw_end_arr(w);
    write_strings(w, "missing_facts", &v->missing_facts);
    gf_jw_end_obj(w);
}

int mdl_verdict_exit(const struct mdl_verdict *v) { return v->outcome == MDL_WORKS ? 0 : v->outcome == MDL_BROKEN ? 1 : 3; }
