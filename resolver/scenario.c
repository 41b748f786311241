#include "resolver/scenario.h"
#include "resolver/scenario_data.h"

struct reading { struct rsv_scenario *s; const char *label; unsigned line; struct gf_err *err; };

static int bad(struct reading *r, const char *what, gf_slice seen)
{
    return gf_fail(r->err, GF_E_PARSE, "%s line %u: %s, found '%.*s'", r->label, r->line, what, GF_FMT(seen));
}

/* --- target ------------------------------------------------------------------------------------------------------------ */

static void add_gpus(struct rsv_scenario *s, gf_slice list)
{
    gf_slice one;
    while (gf_slice_field(&list, ',', &one)) {
        char *cc = gf_arena_str(&s->profile->mem, one);
        mdl_profile_add_gpu(s->profile, (struct mdl_gpu){ .vendor = "nvidia", .cc = cc });
    }
    s->profile->gpus_known = MDL_PRESENT;
}

static void set_driver(struct rsv_scenario *s, gf_slice v, const char *text)
{
    s->problem.driver = gf_slice_is(v, "any") ? RSV_DRIVER_ANY : gf_slice_is(v, "none") ? RSV_DRIVER_NONE : RSV_DRIVER_KEEP;
    if (s->problem.driver != RSV_DRIVER_KEEP) return;
    s->profile->driver_known = MDL_PRESENT;
    s->profile->driver_version = text;
}

static void set_os(struct mdl_profile *p, gf_slice v)
{
    gf_slice id;
    bool has_version = gf_slice_cut(&v, '-', &id);
    p->os_id = gf_arena_str(&p->mem, id);
    if (has_version) p->os_version = gf_arena_str(&p->mem, v);
}

static void set_tool(gf_slice v, const char *text, const char **ret, enum mdl_known *ret_known)
{
    bool none = gf_slice_is(v, "none");
    *ret = none ? NULL : text;
    *ret_known = none ? MDL_ABSENT : MDL_PRESENT;
}

static int set_fact(struct reading *r, gf_slice key, gf_slice v)
{
    struct rsv_scenario *s = r->s;
    struct mdl_profile *p = s->profile;
    char *text = gf_arena_str(&p->mem, v);
    if (gf_slice_is(key, "gpu")) add_gpus(s, v);
    else if (gf_slice_is(key, "driver")) set_driver(s, v, text);
    else if (gf_slice_is(key, "os")) set_os(p, v);
    else if (gf_slice_is(key, "arch")) p->arch = text;
    else if (gf_slice_is(key, "python")) p->python_known = MDL_PRESENT, p->python_version = text;
    else if (gf_slice_is(key, "glibc")) p->libc_name = "glibc", p->libc_version = text;
    else if (gf_slice_is(key, "musl")) p->libc_name = "musl", p->libc_version = text;
    else if (gf_slice_is(key, "kernel")) p->kernel = text;
    else if (gf_slice_is(key, "cpu")) p->cpu_level = v.n == 1 ? v.p[0] - '0' : 0;
    else if (gf_slice_is(key, "flavour")) p->driver_flavour = text;
    else if (gf_slice_is(key, "wsl")) p->wsl = gf_slice_is(v, "yes") ? PY_YES : PY_NO;
    else if (gf_slice_is(key, "cuda")) p->driver_cuda = text;
    else if (gf_slice_is(key, "gcc")) set_tool(v, text, &p->gcc, &p->gcc_known);
    else if (gf_slice_is(key, "nvcc")) set_tool(v, text, &p->nvcc, &p->nvcc_known);
    else if (gf_slice_is(key, "accelerator")) {
        p->accelerator = text;
        s->problem.gpu_rules = strcmp(text, "any") != 0 && strcmp(text, "cpu") != 0;
    } else return bad(r, "a fact of the target was expected (gpu, driver, os, arch, python, glibc, musl, kernel, cpu, flavour, wsl, cuda, gcc, nvcc, accelerator)", key);
    return 0;
}

static int read_target(struct reading *r, gf_slice rest)
{
    gf_slice word, key;
    while (gf_slice_word(&rest, &word)) {
        if (!gf_slice_cut(&word, '=', &key)) return bad(r, "KEY=VALUE was expected", word);
        if (set_fact(r, key, word)) return -1;
    }
    return 0;
}

/* --- options --------------------------------------------------------------------------------------------------------------- */

static bool policy(gf_slice v, enum rsv_policy *ret)
{
    *ret = gf_slice_is(v, "allow") ? RSV_ALLOW : gf_slice_is(v, "refuse") ? RSV_REFUSE : RSV_AVOID;
    return *ret != RSV_AVOID || gf_slice_is(v, "avoid");
}

static int read_option(struct reading *r, gf_slice rest)
{
    struct rsv_problem *p = &r->s->problem;
    gf_slice word;
    while (gf_slice_word(&rest, &word)) {
        gf_slice value = word, key;
        gf_slice_cut(&value, '=', &key);
        bool ok = true;
        if (gf_slice_is(word, "pre")) p->pre = true;
        else if (gf_slice_is(word, "pip")) p->plain_pip = true;
        else if (gf_slice_is(key, "prefer")) p->prefer = gf_slice_is(value, "oldest") ? RSV_OLDEST : RSV_NEWEST;
        else if (gf_slice_is(key, "unknown")) ok = policy(value, &p->unknown);
        else if (gf_slice_is(key, "sdist")) ok = policy(value, &p->sdist);
        else if (gf_slice_is(key, "only-binary")) py_formats_add(&r->s->mem, &r->s->formats, true, value);
        else if (gf_slice_is(key, "no-binary")) py_formats_add(&r->s->mem, &r->s->formats, false, value);
        else ok = false;
        if (!ok) return bad(r, "an option was expected (pre, pip, prefer=, unknown=, sdist=, only-binary=, no-binary=)", word);
    }
    return 0;
}

/* --- packages ---------------------------------------------------------------------------------------------------------------- */

static bool is_keyword(gf_slice w)
{
    static const char *const words[] = { "requires", "carries", "python", "tags", "build", "yanked", "sdist", "variant", "index", "size", "sha256", "unread", "builds-with", "tool", "label" };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (gf_slice_is(w, words[i])) return true;
    return gf_slice_starts(w, GF_S("extra:"));
}

/* All up to the next keyword, trimmed. */
static gf_slice value_of(gf_slice *rest)
{
    gf_slice start = *rest, word, ahead = *rest;
    size_t n = 0;
    while (gf_slice_word(&ahead, &word)) {
        if (is_keyword(word)) break;
        n = (size_t)(word.p + word.n - start.p);
        *rest = ahead;
    }
    return gf_slice_trim(gf_slice_sub(start, 0, n));
}

static int set_keyword(struct reading *r, struct scenario_pkg *p, gf_slice key, gf_slice v)
{
    struct gf_arena *a = &r->s->mem;
    if (gf_slice_is(key, "requires")) p->requires = v;
    else if (gf_slice_is(key, "carries")) p->carries = v;
    else if (gf_slice_is(key, "python")) p->python = gf_arena_str(a, v);
    else if (gf_slice_is(key, "tags")) p->tags = gf_arena_str(a, v);
    else if (gf_slice_is(key, "build")) p->build = gf_take_u64(&v);
    else if (gf_slice_is(key, "size")) p->size = gf_take_u64(&v);
    else if (gf_slice_is(key, "yanked")) p->yanked = gf_arena_str(a, v);
    else if (gf_slice_is(key, "variant")) p->variant = gf_arena_str(a, v);
    else if (gf_slice_is(key, "sha256")) p->sha256 = gf_arena_str(a, v);
    else if (gf_slice_is(key, "index")) p->index = gf_arena_str(a, v);
    else if (gf_slice_is(key, "builds-with")) p->builds_with = v;
    else if (gf_slice_is(key, "label")) p->label = v;
    else if (gf_slice_is(key, "tool")) p->tools = v;
    else if (gf_slice_is(key, "sdist")) p->sdist = true;
    else if (gf_slice_is(key, "unread")) p->unread = true;
    else {
        gf_try_lit(&key, GF_S("extra:"));
        if (!key.n) return bad(r, "extra:NAME was expected", GF_S("extra:"));
        gf_vec_push(&p->extras, gf_slice_of(gf_arena_printf(a, "%.*s %.*s", GF_FMT(key), GF_FMT(v))));
    }
    return v.p || !key.p ? 0 : bad(r, "a number was expected", key);
}

static int read_pkg(struct reading *r, gf_slice rest)
{
    gf_slice name = GF_NONE, version = GF_NONE, key;
    if (!gf_slice_word(&rest, &name) || !gf_slice_word(&rest, &version)) return bad(r, "pkg NAME VERSION was expected", rest);
    struct scenario_pkg *p = GF_NEW(&r->s->mem, struct scenario_pkg);
    gf_vec_push(&r->s->universe->pkgs, p);
    p->name = rsv_scenario_is_component(gf_arena_str(&r->s->mem, name)) ? gf_arena_str(&r->s->mem, name) : py_name_normalize(&r->s->mem, name);
    p->version = gf_arena_str(&r->s->mem, version);
    while (gf_slice_word(&rest, &key)) {
        if (!is_keyword(key)) return bad(r, "a keyword of pkg was expected (requires, extra:NAME, carries, python, tags, build, yanked, sdist, variant, index, size, sha256, unread, builds-with, tool, label)", key);
        if (set_keyword(r, p, key, value_of(&rest))) return -1;
    }
    return 0;
}

/* --- requests ------------------------------------------------------------------------------------------------------------------ */

static int read_requests(struct reading *r, gf_slice rest, const struct py_req **list, size_t *n)
{
    gf_slice one;
    while (gf_slice_field(&rest, '|', &one)) {
        struct py_req *longer = GF_NEW_ARRAY(&r->s->mem, struct py_req, *n + 1);
        if (*n) memcpy(longer, *list, *n * sizeof *longer);
        if (py_req_parse(&r->s->mem, gf_slice_trim(one), true, &longer[*n], r->err)) return gf_wrap(r->err, "%s line %u", r->label, r->line);
        ++*n;
        *list = longer;
    }
    return 0;
}

static int read_rule(struct reading *r, gf_slice rest)
{
    struct gf_json_doc *doc = NULL;
    if (gf_json_parse(rest, "rule", &doc, r->err)) return gf_wrap(r->err, "%s line %u", r->label, r->line);
    gf_json_free(doc);
    gf_vec_push(&r->s->universe->rules, rest);
    return 0;
}

static int read_line(struct reading *r, gf_slice line)
{
    struct rsv_scenario *s = r->s;
    gf_slice rest = line, word;
    if (!gf_slice_word(&rest, &word)) return 0;
    rest = gf_slice_trim(rest);
    if (gf_slice_is(word, "target")) return read_target(r, rest);
    if (gf_slice_is(word, "option")) return read_option(r, rest);
    if (gf_slice_is(word, "pkg")) return read_pkg(r, rest);
    if (gf_slice_is(word, "rule")) return read_rule(r, rest);
    if (gf_slice_is(word, "want")) return read_requests(r, rest, &s->problem.requests, &s->problem.nrequests);
    if (gf_slice_is(word, "constrain")) return read_requests(r, rest, &s->problem.constraints, &s->problem.nconstraints);
    if (gf_slice_is(word, "override")) return read_requests(r, rest, &s->problem.overrides, &s->problem.noverrides);
    if (gf_slice_is(word, "data")) s->universe->full_data = gf_slice_is(rest, "full");
    else if (gf_slice_is(word, "family")) gf_vec_push(&s->universe->families, rest);
    else if (gf_slice_is(word, "show")) s->show = gf_arena_str(&s->mem, rest);
    else return bad(r, "target, data, option, pkg, family, rule, want, constrain, override, show or expect was expected", word);
    return 0;
}

/* A line and those that continue it, joined. */
static bool next_line(struct rsv_scenario *s, gf_slice *text, gf_slice *ret, unsigned *line)
{
    gf_slice one;
    if (!gf_slice_line(text, &one)) return false;
    ++*line;
    while (text->n && (text->p[0] == ' ' || text->p[0] == '\t') && !gf_slice_starts(one, GF_S("expect"))) {
        gf_slice more;
        gf_slice_line(text, &more);
        ++*line;
        one = gf_slice_of(gf_arena_printf(&s->mem, "%.*s %.*s", GF_FMT(one), GF_FMT(more)));
    }
    *ret = one;
    return true;
}

static int read_lines(struct reading *r, gf_slice text)
{
    gf_slice rest = text, line;
    r->s->before = text;
    while (next_line(r->s, &rest, &line, &r->line)) {
        if (line.n && line.p[0] == '#') continue;
        if (gf_slice_starts(line, GF_S("expect"))) {
            r->s->before = gf_slice_sub(text, 0, (size_t)(line.p - text.p));
            r->s->expected = gf_slice_from(text, r->s->before.n);
            return 0;
        }
        if (read_line(r, line)) return -1;
    }
    return 0;
}

int rsv_scenario_read(gf_slice text, const char *label, struct rsv_scenario *ret, struct gf_err *err)
{
    *ret = (struct rsv_scenario){ .mem = GF_ARENA_INIT, .show = "" };
    ret->universe = gf_xcalloc(1, sizeof *ret->universe);
    ret->profile = mdl_profile_new();
    ret->profile->arch = "x86_64";
    ret->problem = (struct rsv_problem){ .driver = RSV_DRIVER_ANY, .gpu_rules = true, .unknown = RSV_AVOID, .sdist = RSV_AVOID };
    struct reading r = { ret, label, 0, err };
    if (read_lines(&r, text) || rsv_scenario_open_matrix(ret, label, err) || rsv_scenario_build_supply(ret, label, err)) {
        rsv_scenario_release(ret);
        return -1;
    }
    if (!ret->profile->python_version) ret->profile->python_version = "3.12", ret->profile->python_known = MDL_PRESENT;
    if (!ret->profile->libc_version) ret->profile->libc_name = "glibc", ret->profile->libc_version = "2.36";
    if (!ret->profile->os_id) ret->profile->os_id = "debian";
    ret->problem.profile = ret->profile;
    ret->problem.matrix = ret->matrix;
    ret->problem.formats = &ret->formats;
    return 0;
}

void rsv_scenario_release(struct rsv_scenario *s)
{
    struct scenario_universe *u = s->universe;
    for (size_t i = 0; u && i < u->pkgs.n; i++) gf_vec_free(&u->pkgs.v[i]->extras);
    if (u) {
        gf_vec_free(&u->pkgs);
        gf_vec_free(&u->rules);
        gf_vec_free(&u->families);
        gf_vec_free(&u->projects);
        gf_vec_free(&u->variants);
        gf_vec_free(&u->index);
    }
    free(u);
    py_formats_release(&s->formats);
    mtx_free(s->matrix);
    mdl_profile_free(s->profile);
    gf_arena_release(&s->mem);
    *s = (struct rsv_scenario){ .mem = GF_ARENA_INIT };
}

/* --- the outcome -------------------------------------------------------------------------------------------------------------------- */

/* " (variant cu128)" of a wheel variant. */
static void add_label(const char *file, struct gf_buf *out)
{
    GF_ARENA_SCOPE struct gf_arena a = GF_ARENA_INIT;
    struct py_wheel w;
    const char *label = NULL;
    if (py_wheel_parse_variant(&a, gf_slice_of(file), &w, &label) && label) gf_buf_addf(out, " (variant %s)", label);
}

static void add_plan(const struct rsv_scenario *s, const struct mdl_lock *l, struct gf_buf *out)
{
    gf_buf_adds(out, "expect plan\n");
    for (size_t i = 0; i < l->nstack; i++) {
        const struct mdl_lock_item *c = &l->stack[i];
        if (c->provided_by || (c->origin && strcmp(c->origin, "plan") == 0)) gf_buf_addf(out, "  %s %s\n", c->name, c->version);
    }
    for (size_t i = 0; i < l->npython; i++) {
        if (gf_slice_ends(gf_slice_of(l->python[i].name), GF_S("-provider"))) continue;
        gf_buf_addf(out, "  %s %s%s", l->python[i].name, l->python[i].version, strcmp(l->python[i].kind, "sdist") == 0 ? " (source archive)" : "");
        add_label(l->python[i].file, out);
        for (size_t k = 0; strstr(s->show, "requires") && k < l->python[i].required_by.n; k++) gf_buf_addf(out, "%s%s", k ? ", " : "  for ", l->python[i].required_by.v[k]);
        gf_buf_addc(out, '\n');
    }
    for (size_t i = 0; i < l->nbuild; i++) gf_buf_addf(out, "  %s %s  to build %s\n", l->build[i].name, l->build[i].version, l->build[i].required_by.v[0]);
    for (size_t i = 0; strstr(s->show, "passed") && i < l->npassed_over; i++)
        gf_buf_addf(out, "  passed over %s %s: %s\n", l->passed_over[i].name, l->passed_over[i].version, l->passed_over[i].reason.text);
    for (size_t i = 0; strstr(s->show, "assumes") && i < l->nassumes; i++) gf_buf_addf(out, "  assumes %s %s\n", l->assumes[i].about, l->assumes[i].needs);
    for (size_t i = 0; strstr(s->show, "reasons") && i < l->nreasons; i++) gf_buf_addf(out, "  because %s\n", l->reasons[i].text);
    for (size_t i = 0; strstr(s->show, "warnings") && i < l->warnings.n; i++) gf_buf_addf(out, "  warning: %s\n", l->warnings.v[i]);
}

static void add_refusal(const struct rsv_refused *r, struct gf_buf *out)
{
    gf_buf_adds(out, "expect refusal\n");
    for (size_t i = 0; i < r->nfacts; i++) gf_buf_addf(out, "  %s\n", r->facts[i].text);
    for (size_t i = 0; i < r->nchanges; i++) gf_buf_addf(out, "  works %s: %s\n", r->changes[i].what, r->changes[i].gives);
}

void rsv_scenario_run(struct rsv_scenario *s, struct gf_buf *out)
{
    struct rsv_plan_options o = { .passed_over = strstr(s->show, "passed") != NULL, .changes = true };
    struct rsv_result r;
    struct gf_err err = GF_ERR_INIT;
    if (rsv_plan(&s->problem, s->supply, &o, &r, &err)) gf_buf_addf(out, "expect error\n  %s\n", err.text);
    else if (r.lock) add_plan(s, r.lock, out);
    else add_refusal(r.refused, out);
    rsv_result_release(&r);
}
