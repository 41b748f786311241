/* gpuferry why: from a lock, who needs a package and what was passed over; for a target, why a request gets what it gets, or nothing. */
#include "base/file.h"
#include "base/map.h"
#include "cli/planning.h"

struct options {
    struct opt_common common;
    struct opt_target target;
    struct opt_sources sources;
    struct opt_choice choice;
    const char *lock;
};

static void add_list(struct gf_buf *out, const char *head, const struct mdl_strings *s)
{
    if (!s->n) return;
    gf_buf_adds(out, head);
    for (size_t i = 0; i < s->n; i++) gf_buf_addf(out, "%s%s", i ? ", " : " ", s->v[i]);
    gf_buf_addc(out, '\n');
}

static const struct mdl_lock_python *entry_of(const struct mdl_lock *l, const char *name)
{
    for (size_t i = 0; i < l->npython; i++)
        if (strcmp(l->python[i].name, name) == 0) return &l->python[i];
    for (size_t i = 0; i < l->nbuild; i++)
        if (strcmp(l->build[i].name, name) == 0) return &l->build[i];
    return NULL;
}

static bool is_for_building(const struct mdl_lock *l, const struct mdl_lock_python *e) { return e >= l->build && e < l->build + l->nbuild; }

struct chain { GF_VEC(const char *) v; };

/* From a request down to the package: one shortest chain. Names in out, the package last; false when nothing leads there. */
static bool chain_to(const struct mdl_lock *l, const char *name, struct chain *ret)
{
    GF_VEC(struct { const struct mdl_lock_python *e; size_t from; }) queue = { 0 };
    gf_vec_reserve(&queue, l->npython + 1);
    queue.v[0].e = entry_of(l, name);
    queue.v[0].from = SIZE_MAX;
    queue.n = queue.v[0].e ? 1 : 0;
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < queue.n && found == SIZE_MAX; i++)
        for (size_t k = 0; k < queue.v[i].e->required_by.n; k++) {
            const char *by = queue.v[i].e->required_by.v[k];
            if (strcmp(by, "(request)") == 0) found = i;
            const struct mdl_lock_python *e = entry_of(l, by);
            bool seen = !e;
            for (size_t q = 0; q < queue.n && !seen; q++) seen = queue.v[q].e == e;
            if (seen) continue;
            queue.v[queue.n].e = e;
            queue.v[queue.n++].from = i;
        }
    for (size_t i = found; i != SIZE_MAX; i = queue.v[i].from) gf_vec_push(&ret->v, queue.v[i].e->name);
    gf_vec_free(&queue);
    return found != SIZE_MAX;
}

static void explain_entry(const struct mdl_lock *l, const struct mdl_lock_python *e, struct gf_buf *out)
{
    gf_buf_addf(out, "%s %s  (%s, from %s)\n", e->name, e->version, e->file, e->source ? e->source : "?");
    add_list(out, is_for_building(l, e) ? "  builds, and is not installed:" : "  needed by:", &e->required_by);
    add_list(out, "  is built with:", &e->build);
    struct chain chain = { 0 };
    if (chain_to(l, e->name, &chain) && chain.v.n > 1) {
        gf_buf_adds(out, "  because you asked for");
        for (size_t i = 0; i < chain.v.n; i++) gf_buf_addf(out, "%s%s", i ? " -> " : " ", chain.v.v[i]);
        gf_buf_addc(out, '\n');
    }
    gf_vec_free(&chain.v);
    add_list(out, "  needs:", &e->requires);
}

static void explain_stack(const struct mdl_lock *l, const char *name, bool *known, struct gf_buf *out)
{
    for (size_t i = 0; i < l->nstack; i++) {
        const struct mdl_lock_item *s = &l->stack[i];
        if (strcmp(s->name, name) != 0) continue;
        if (s->variant) gf_buf_addf(out, "  build: %s\n", s->variant);
        if (s->provided_by) gf_buf_addf(out, "%s %s  from %s\n", s->name, s->version, s->provided_by);
        else if (s->origin) gf_buf_addf(out, "%s %s  %s\n", s->name, s->version, strcmp(s->origin, "target") == 0 ? "on the target" : "to be installed");
        *known = true;
    }
    for (size_t i = 0; i < l->nassumes; i++)
        if (strcmp(l->assumes[i].about, name) == 0) {
            gf_buf_addf(out, "  the plan stands on %s %s  [%s]\n", name, l->assumes[i].needs, l->assumes[i].source);
            *known = true;
        }
}

static bool mentions(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    size_t n = strlen(name);
    return at && (at == text || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0');
}

static void explain_reasons(const struct mdl_lock *l, const char *name, struct gf_buf *out)
{
    for (size_t i = 0; i < l->nreasons; i++)
        if (mentions(l->reasons[i].text, name)) {
            gf_buf_addf(out, "  %s", l->reasons[i].text);
            add_list(out, "  [source:", &l->reasons[i].sources);
            if (out->p[out->n - 1] == '\n' && l->reasons[i].sources.n) gf_buf_truncate(out, out->n - 1), gf_buf_adds(out, "]\n");
            else gf_buf_addc(out, '\n');
        }
    for (size_t i = 0; i < l->npassed_over; i++)
        if (strcmp(l->passed_over[i].name, name) == 0) gf_buf_addf(out, "  passed over %s: %s\n", l->passed_over[i].version, l->passed_over[i].reason.text);
    for (size_t i = 0; i < l->warnings.n; i++)
        if (mentions(l->warnings.v[i], name)) gf_buf_addf(out, "  warning: %s\n", l->warnings.v[i]);
}

/* targets: of a union lock; NULL: the answer is the same for all. */
static void write_answer(const struct mdl_lock *l, const char *name, const struct mdl_strings *targets, struct gf_jw *w)
{
    const struct mdl_lock_python *e = entry_of(l, name);
    gf_jw_obj(w);
    gf_jw_kstr(w, "name", name);
    gf_jw_key(w, "version");
    gf_jw_cstr(w, e ? e->version : NULL);
    gf_jw_key(w, "required_by");
    gf_jw_arr(w);
    for (size_t k = 0; e && k < e->required_by.n; k++) gf_jw_cstr(w, e->required_by.v[k]);
    gf_jw_end_arr(w);
    gf_jw_key(w, "passed_over");
    gf_jw_arr(w);
    for (size_t k = 0; k < l->npassed_over; k++) {
        if (strcmp(l->passed_over[k].name, name) != 0) continue;
        gf_jw_obj(w);
        gf_jw_kstr(w, "version", l->passed_over[k].version);
        gf_jw_kstr(w, "id", l->passed_over[k].reason.id);
        gf_jw_kstr(w, "text", l->passed_over[k].reason.text);
        gf_jw_end_obj(w);
    }
    gf_jw_end_arr(w);
    if (targets) {
        gf_jw_key(w, "for");
        gf_jw_arr(w);
        for (size_t k = 0; k < targets->n; k++) gf_jw_cstr(w, targets->v[k]);
        gf_jw_end_arr(w);
    }
    gf_jw_end_obj(w);
}

/* What the lock says of one name; false when it is not in the plan. */
static bool explain(const struct mdl_lock *l, const char *name, struct gf_buf *out)
{
    const struct mdl_lock_python *e = entry_of(l, name);
    bool known = e != NULL;
    if (e) explain_entry(l, e, out);
    explain_stack(l, name, &known, out);
    explain_reasons(l, name, out);
    if (!known) gf_buf_addf(out, "%s is not in this plan: nothing that was asked for needs it\n", name);
    return known;
}

/* The targets of a union lock that get the same answer. */
struct answer { const struct mdl_lock *view; GF_VEC(const char *) labels; };
typedef GF_VEC(struct answer) answer_list;

/* One answer for each text that the targets get for this name, in the order of the targets; true when it is in the plan of one of them. */
static bool answers_of(struct mdl_lock *const *views, size_t n, const char *name, struct gf_names *texts, answer_list *ret)
{
    bool known = false;
    GF_BUF_SCOPE struct gf_buf text;
    gf_buf_init(&text, GF_CAP_OUTPUT);
    for (size_t i = 0; i < n; i++) {
        bool fresh;
        gf_buf_clear(&text);
        known |= explain(views[i], name, &text);
        uint32_t id = gf_names_add(texts, gf_buf_slice(&text), &fresh);
        if (fresh) gf_vec_push(ret, (struct answer){ .view = views[i] });
        if (n > 1) gf_vec_push(&ret->v[id].labels, views[i]->targets[0]->label);
    }
    return known;
}

static void put_text(const struct gf_names *texts, const answer_list *answers, const char *name, struct gf_buf *out)
{
    for (size_t i = 0; i < answers->n; i++) {
        gf_slice rest = gf_names_get(texts, (uint32_t)i), line;
        if (answers->n > 1) {
            struct mdl_strings labels = { answers->v[i].labels.v, answers->v[i].labels.n };
            GF_FREE char *head = gf_xasprintf("%s for", name);
            add_list(out, head, &labels);
        }
        while (gf_slice_line(&rest, &line)) gf_buf_addf(out, "%s%.*s\n", answers->n > 1 ? "  " : "", GF_FMT(line));
    }
}

static void put_json(const answer_list *answers, const char *name, struct gf_jw *w)
{
    for (size_t i = 0; i < answers->n; i++) {
        struct mdl_strings labels = { answers->v[i].labels.v, answers->v[i].labels.n };
        write_answer(answers->v[i].view, name, answers->n > 1 ? &labels : NULL, w);
    }
}

static int why_in_views(struct mdl_lock *const *views, size_t n, const struct opt_list *names, bool json, struct gf_err *err)
{
    GF_BUF_SCOPE struct gf_buf out;
    gf_buf_init(&out, GF_CAP_OUTPUT);
    struct gf_jw w;
    gf_jw_init(&w, &out, false);
    if (json) gf_jw_arr(&w);
    int rc = 0;
    for (size_t i = 0; i < names->n; i++) {
        struct gf_names texts;
        answer_list answers = { 0 };
        gf_names_init(&texts);
        if (!answers_of(views, n, names->v[i], &texts, &answers)) rc = 1;
        if (json) put_json(&answers, names->v[i], &w);
        else put_text(&texts, &answers, names->v[i], &out);
        for (size_t k = 0; k < answers.n; k++) gf_vec_free(&answers.v[k].labels);
        gf_vec_free(&answers);
        gf_names_release(&texts);
    }
    if (json) gf_jw_end_arr(&w);
    return out_result(gf_buf_slice(&out), err) ? -1 : rc;
}

static int why_in_lock(const char *path, const struct opt_list *names, bool json, struct gf_err *err)
{
    struct mdl_lock *l = NULL;
    if (mdl_lock_load(path, &l, err)) return -1;
    struct mdl_lock **views = gf_xcalloc(l->ntargets + 1, sizeof *views);
    size_t n = 0;
    int rc = 0;
    for (; l->ntargets > 1 && n < l->ntargets && !rc; n++) rc = mdl_lock_view(l, l->targets[n]->label, &views[n], err);
    if (!rc) rc = n ? why_in_views(views, n, names, json, err) : why_in_views(&l, 1, names, json, err);
    while (n) mdl_lock_free(views[--n]);
    free(views);
    mdl_lock_free(l);
    return rc;
}

static int why_for_target(struct options *o, const struct opt_list *args, struct gf_err *err)
{
    struct planning p;
    struct rsv_result r = { 0 };
    struct rsv_plan_options how = { .passed_over = true, .changes = true };
    GF_BUF_SCOPE struct gf_buf out;
    gf_buf_init(&out, GF_CAP_OUTPUT);
    int rc = opt_planning_open(&p, &o->common, &o->target, &o->sources, &o->choice, args, err);
    if (!rc) rc = opt_planning_solve(&p, &how, &r, err);
    struct gf_jw w;
    gf_jw_init(&w, &out, false);
    if (!rc && r.lock && o->common.json) rc = mdl_lock_write(r.lock, &out, err);
    else if (!rc && r.lock) out_plan_text(&p, &r, r.lock, &out);
    else if (!rc && o->common.json) rsv_refused_json(r.refused, &w);
    else if (!rc) rsv_refused_text(r.refused, &out);
    if (!rc && out_result(gf_buf_slice(&out), err)) rc = -1;
    if (!rc && !r.lock) rc = 1;
    rsv_result_release(&r);
    opt_planning_close(&p);
    return rc;
}

/* What asks the sources anew and says nothing to a lock that is there: the first of it, as written. */
static const char *asks_anew(const struct options *o)
{
    const struct opt_sources *s = &o->sources;
    const struct opt_choice *c = &o->choice;
    if (opt_target_given(&o->target)) return "a target (--gpu, --driver, --os, --python, --target …)";
    if (s->index_url || s->extra_index_urls.n || s->find_links.n || s->no_index || s->sources || s->exclude_newer || s->refresh || s->strict) return "a source option";
    if (c->requirements.n) return "--requirement";
    if (c->constraints.n || c->overrides.n || c->extras.n || c->groups.n || c->unknown || c->sdist || c->prefer || c->pre || c->only_binary.n || c->no_binary.n || c->save_case ||
        c->no_installer)
        return "an option of the choice";
    return NULL;
}

static int run(void *opts, const struct opt_list *args, struct gf_err *err)
{
    struct options *o = opts;
    if (args->n == 0 && !o->choice.requirements.n) return gf_fail(err, GF_E_USAGE, "why what? name a package: 'gpuferry why torch' reads gpuferry.lock; with --gpu, --os … it asks the sources");
    const char *path = o->lock ? o->lock : "gpuferry.lock";
    const char *anew = asks_anew(o);
    if (o->lock && anew) return gf_fail(err, GF_E_USAGE, "--lock explains what was chosen, %s asks anew: give one or the other", anew);
    if (!o->lock && (anew || !gf_path_exists(path))) return why_for_target(o, args, err);
    struct gf_arena a = GF_ARENA_INIT;
    struct opt_list names = { 0 };
    for (size_t i = 0; i < args->n; i++) {
        struct py_req r;
        if (py_req_parse(&a, gf_slice_of(args->v[i]), true, &r, err)) break;
        if (r.specs.n || r.url) {
            gf_fail(err, GF_E_USAGE, "'%s': in %s each package has one version, name it alone ('gpuferry why %s'); to ask about another version give a target (--gpu, --os …)", args->v[i], path, r.name);
            break;
        }
        gf_vec_push(&names, r.name);
    }
    int rc = names.n == args->n ? why_in_lock(path, &names, o->common.json, err) : -1;
    gf_vec_free(&names);
    gf_arena_release(&a);
    return rc;
}

static const struct opt_row rows[] = {
    { 'l', "lock", "FILE", OPT_STR, offsetof(struct options, lock), "the lock to explain (gpuferry.lock when there is one and no target is given)" },
};
static const struct opt_group groups[] = {
    OPT_ROWS("Options", rows),
    { "Choice", opt_choice_rows, OPT_CHOICE_ROWS, offsetof(struct options, choice) },
    { "Sources", opt_source_rows, OPT_SOURCE_ROWS, offsetof(struct options, sources) },
    OPT_TARGET(struct options, target),
    OPT_COMMON(struct options, common),
};
const struct cmd cmd_why = { "why", "why REQ... [-l LOCK]", "explain a choice or a refusal", groups, sizeof groups / sizeof groups[0], sizeof(struct options), run };
