/* gpuferry plan: choose the stack, write the lock. */
#include "cli/planning.h"
#include "base/file.h"

struct options {
    struct opt_common common;
    struct opt_target target;
    struct opt_sources sources;
    struct opt_choice choice;
    const char *output;
    bool one_for_all;
};

int opt_lock_target(struct mdl_lock *l, const struct mdl_profile *profile, struct gf_err *err)
{
    l->targets = GF_NEW_ARRAY(&l->mem, struct mdl_profile *, 1);
    if (mdl_profile_copy(profile, &l->targets[0], err)) return -1;
    l->ntargets = 1;
    l->tool_version = GPUFERRY_VERSION;
    return 0;
}

int opt_strict_sources(const struct mdl_lock *l, struct gf_err *err)
{
    for (size_t i = 0; i < l->nsources; i++)
        if (strcmp(l->sources[i].state, "unreachable") == 0)
            return gf_fail(err, GF_E_NETWORK, "the source '%s' could not be reached and --strict-sources was given; without it the plan would go on and name the source", l->sources[i].id);
    return 0;
}

static int write_lock(const struct options *o, const struct planning *p, struct rsv_result *r, struct gf_err *err)
{
    GF_BUF_SCOPE struct gf_buf lock, text;
    gf_buf_init(&lock, GF_CAP_LOCK);
    gf_buf_init(&text, GF_CAP_OUTPUT);
    if (opt_lock_target(r->lock, p->target.profile, err) || (o->sources.strict && opt_strict_sources(r->lock, err)) || mdl_lock_write(r->lock, &lock, err)) return -1;
    const char *path = o->output ? o->output : "gpuferry.lock";
    bool to_stdout = strcmp(path, "-") == 0 || (o->common.json && !o->output);
    if (!to_stdout && gf_file_write_atomic(path, gf_buf_slice(&lock), 0644, err)) return -1;
    if (to_stdout || o->common.json) return out_result(gf_buf_slice(&lock), err);
    out_plan_text(p, r, r->lock, &text);
    if (out_result(gf_buf_slice(&text), err)) return -1;
    out_talk("\nwritten: %s    next: gpuferry bundle %s -o NAME.tar", path, path);
    return 0;
}

static int say_refusal(const struct options *o, const struct planning *p, const struct rsv_refused *r, struct gf_err *err)
{
    GF_BUF_SCOPE struct gf_buf out;
    gf_buf_init(&out, GF_CAP_OUTPUT);
    if (o->common.json) {
        struct gf_jw w;
        gf_jw_init(&w, &out, false);
        rsv_refused_json(r, &w);
    } else {
        tgt_describe(&p->target, &out);
        if (out.p[out.n - 1] != '\n') gf_buf_addc(&out, '\n');
        rsv_refused_text(r, &out);
    }
    return out_result(gf_buf_slice(&out), err) ? -1 : 1;
}

static int run(void *opts, const struct opt_list *args, struct gf_err *err)
{
    struct options *o = opts;
    if (opt_is_fleet(&o->target)) {
        struct opt_fleet f = { o->common, o->target, o->sources, o->choice, o->output, o->one_for_all };
        int all = opt_fleet_run(&f, args, err);
        o->sources = f.sources;
        return all;
    }
    struct planning p;
    struct rsv_result r = { 0 };
    struct rsv_plan_options how = { .installer = !o->choice.no_installer, .passed_over = true, .changes = true };
    int rc = opt_planning_open(&p, &o->common, &o->target, &o->sources, &o->choice, args, err);
    if (!rc) rc = opt_planning_solve(&p, &how, &r, err);
    if (!rc) rc = r.lock ? write_lock(o, &p, &r, err) : say_refusal(o, &p, r.refused, err);
    gf_note(out_log(), 2, "%u decisions, %u conflicts", r.decisions, r.conflicts);
    rsv_result_release(&r);
    opt_planning_close(&p);
    return rc;
}

static const struct opt_row rows[] = {
    { 'o', "output", "FILE|-", OPT_STR, offsetof(struct options, output), "where the lock goes (gpuferry.lock; with --json only standard output); for several targets a folder (locks), with --union a file" },
    { 0, "union", NULL, OPT_FLAG, offsetof(struct options, one_for_all), "one lock that serves all the targets, instead of one for each" },
};
static const struct opt_group groups[] = {
    OPT_ROWS("Options", rows),
    { "Choice", opt_choice_rows, OPT_CHOICE_ROWS, offsetof(struct options, choice) },
    { "Sources", opt_source_rows, OPT_SOURCE_ROWS, offsetof(struct options, sources) },
    OPT_TARGET(struct options, target),
    OPT_COMMON(struct options, common),
};
const struct cmd cmd_plan = { "plan", "plan REQ... [-r FILE] [-o FILE]", "choose one consistent stack for a target and write the lock", groups,
                              sizeof groups / sizeof groups[0], sizeof(struct options), run };
