#include "resolver/record.h"
#include "base/map.h"
#include "python/wheel.h"
#include "resolver/scenario.h"

enum { MOST_TRIES = 24 }; /* solves that make a case smaller */

struct answer { const struct src_file *file; const struct py_metadata *metadata; }; /* NULL: it could not be read */
struct rsv_record {
    struct rsv_supply supply;
    struct gf_names names;                     /* of projects, in the order in which they were asked for */
    GF_VEC(const struct src_project *) pages;  /* of each name; NULL: there is none */
    GF_VEC(struct answer) answers;
};

/* --- listening ------------------------------------------------------------------------------------------------------- */

static void want_project(void *arg, const char *name)
{
    struct rsv_record *r = arg;
    r->supply.want_project(r->supply.arg, name);
}

static enum src_state project(void *arg, const char *name, const struct src_project **ret, struct gf_err *err)
{
    struct rsv_record *r = arg;
    enum src_state state = r->supply.project(r->supply.arg, name, ret, err);
    bool is_new;
    if (state != SRC_READY && state != SRC_ABSENT) return state;
    gf_names_add(&r->names, gf_slice_of(name), &is_new);
    if (is_new) gf_vec_push(&r->pages, state == SRC_READY ? *ret : NULL);
    return state;
}

static void want_metadata(void *arg, const struct src_file *f)
{
    struct rsv_record *r = arg;
    r->supply.want_metadata(r->supply.arg, f);
}

static const struct answer *answer_for(const struct rsv_record *r, const struct src_file *f)
{
    for (size_t i = 0; i < r->answers.n; i++)
        if (r->answers.v[i].file == f) return &r->answers.v[i];
    return NULL;
}

static enum src_state metadata(void *arg, const struct src_file *f, const struct py_metadata **ret, struct gf_err *err)
{
    struct rsv_record *r = arg;
    enum src_state state = r->supply.metadata(r->supply.arg, f, ret, err);
    if ((state == SRC_READY || state == SRC_ABSENT || state == SRC_FAILED) && !answer_for(r, f))
        gf_vec_push(&r->answers, (struct answer){ f, state == SRC_READY ? *ret : NULL });
    return state;
}

static void want_variants(void *arg, const struct src_file *f)
{
    struct rsv_record *r = arg;
    r->supply.want_variants(r->supply.arg, f);
}

static enum src_state variants(void *arg, const struct src_file *f, const struct py_variants **ret, struct gf_err *err)
{
    struct rsv_record *r = arg;
    return r->supply.variants(r->supply.arg, f, ret, err);
}

static int wait_any(void *arg, struct gf_err *err)
{
    struct rsv_record *r = arg;
    return r->supply.wait(r->supply.arg, err);
}

static const struct src_index *index_at(void *arg, size_t i)
{
    struct rsv_record *r = arg;
    return r->supply.index(r->supply.arg, i);
}

static enum src_use use_of(void *arg, size_t i, const char **ret_why)
{
    struct rsv_record *r = arg;
    return r->supply.use(r->supply.arg, i, ret_why);
}

struct rsv_record *rsv_record_new(struct rsv_supply supply)
{
    struct rsv_record *r = gf_xcalloc(1, sizeof *r);
    r->supply = supply;
    gf_names_init(&r->names);
    return r;
}

void rsv_record_free(struct rsv_record *r)
{
    if (!r) return;
    gf_names_release(&r->names);
    gf_vec_free(&r->pages);
    gf_vec_free(&r->answers);
    free(r);
}

struct rsv_supply rsv_record_supply(struct rsv_record *r)
{
    return (struct rsv_supply){ r, want_project, project, want_metadata, metadata, want_variants, variants, wait_any, index_at, use_of };
}

/* --- telling --------------------------------------------------------------------------------------------------------- */

/* What can be left out of a page: files whose metadata nobody read. */
struct telling { struct rsv_record *r; const struct rsv_problem *p; bool *slim; };

static int add_gpus(const struct mdl_profile *f, struct gf_buf *out, struct gf_err *err)
{
    for (size_t i = 0; i < f->ngpus; i++) {
        if (!f->gpus[i].cc) return gf_fail(err, GF_E_USAGE, "a case cannot hold '%s': it has no compute capability", f->gpus[i].name ? f->gpus[i].name : "a GPU");
        gf_buf_addf(out, "%s%s", i ? "," : " gpu=", f->gpus[i].cc);
    }
    return 0;
}

static int add_target(const struct rsv_problem *p, struct gf_buf *out, struct gf_err *err)
{
    const struct mdl_profile *f = p->profile;
    gf_buf_adds(out, "target ");
    if (add_gpus(f, out, err)) return -1;
    gf_buf_addf(out, " driver=%s", p->driver == RSV_DRIVER_ANY ? "any" : p->driver == RSV_DRIVER_NONE ? "none" : f->driver_version ? f->driver_version : "any");
    if (f->os_id) gf_buf_addf(out, " os=%s%s%s", f->os_id, f->os_version ? "-" : "", f->os_version ? f->os_version : "");
    gf_buf_addf(out, " arch=%s python=%s", f->arch, f->python_version);
    if (f->libc_version) gf_buf_addf(out, " %s=%s", f->libc_name && strcmp(f->libc_name, "musl") == 0 ? "musl" : "glibc", f->libc_version);
    if (f->kernel) gf_buf_addf(out, " kernel=%.*s", (int)strcspn(f->kernel, " "), f->kernel);
    if (f->cpu_level) gf_buf_addf(out, " cpu=%d", f->cpu_level);
    if (f->driver_flavour) gf_buf_addf(out, " flavour=%s", f->driver_flavour);
    if (f->wsl == PY_YES) gf_buf_adds(out, " wsl=yes");
    if (f->gcc || f->gcc_known == MDL_ABSENT) gf_buf_addf(out, " gcc=%s", f->gcc ? f->gcc : "none");
    if (f->nvcc || f->nvcc_known == MDL_ABSENT) gf_buf_addf(out, " nvcc=%s", f->nvcc ? f->nvcc : "none");
    if (f->driver_cuda) gf_buf_addf(out, " cuda=%s", f->driver_cuda);
    if (f->accelerator) gf_buf_addf(out, " accelerator=%s", f->accelerator);
    gf_buf_adds(out, "\ndata    full\n");
    return 0;
}

static void add_options(const struct rsv_problem *p, struct gf_buf *out)
{
    static const char *const policies[] = { "allow", "avoid", "refuse" };
    gf_buf_addf(out, "option  unknown=%s sdist=%s%s%s%s", policies[p->unknown], policies[p->sdist], p->pre ? " pre" : "", p->plain_pip ? " pip" : "", p->prefer == RSV_OLDEST ? " prefer=oldest" : "");
    for (size_t i = 0; p->formats && i < p->formats->only.n; i++) gf_buf_addf(out, " only-binary=%s", p->formats->only.v[i]);
    for (size_t i = 0; p->formats && i < p->formats->no.n; i++) gf_buf_addf(out, " no-binary=%s", p->formats->no.v[i]);
    gf_buf_addc(out, '\n');
}

/* A bare name could be read as a keyword of the line; a URL goes without what lets its owner in. */
static void add_requirement(const struct py_req *r, struct gf_buf *out)
{
    struct gf_arena a = GF_ARENA_INIT;
    GF_FREE char *url = r->url ? net_url_without_credentials(r->url) : NULL;
    struct py_req plain = *r;
    plain.url = url;
    char *text = py_req_text(&a, &plain);
    gf_buf_addf(out, "%s%s", text, strcmp(text, r->name) == 0 ? ">=0" : "");
    gf_arena_release(&a);
}

static int add_list(const char *head, const struct py_req *v, size_t n, struct gf_buf *out, struct gf_err *err)
{
    for (size_t i = 0; i < n; i++) {
        if (v[i].url) return gf_fail(err, GF_E_USAGE, "a case cannot hold '%s': it is a direct URL", v[i].text);
        gf_buf_addf(out, "%s%s", i ? " | " : head, v[i].text);
    }
    if (n) gf_buf_addc(out, '\n');
    return 0;
}

static void add_word(const char *key, const char *value, struct gf_buf *out)
{
    if (!value || !*value) return;
    gf_buf_addf(out, " %s ", key);
    for (const char *c = value; *c; c++) gf_buf_addc(out, *c == '\n' || *c == '\r' || *c == '|' ? ' ' : *c);
}

static void add_metadata(const struct answer *answer, struct gf_buf *out)
{
    const struct py_metadata *m = answer ? answer->metadata : NULL;
    if (!m) {
        gf_buf_adds(out, " unread");
        return;
    }
    for (uint32_t i = 0; i < m->nextras; i++) gf_buf_addf(out, " extra:%s", m->extras[i]);
    for (uint32_t i = 0; i < m->nrequires; i++) {
        gf_buf_adds(out, i ? " | " : "\n    requires ");
        add_requirement(&m->requires[i], out);
    }
    if (m->build_backend && !m->nbuild_requires) gf_buf_adds(out, "\n    builds-with");
    for (uint32_t i = 0; i < m->nbuild_requires; i++) {
        gf_buf_adds(out, i ? " | " : "\n    builds-with ");
        add_requirement(&m->build_requires[i], out);
    }
    for (uint32_t i = 0; i < m->nbuild_tools; i++) gf_buf_addf(out, "%s%s", i ? " | " : "\n    tool ", m->build_tools[i]);
}

/* What variants.json of this wheel's version says; NULL: it was not read. */
static const struct py_variants *variants_of(const struct telling *t, const struct src_project *page, const struct src_file *f, const struct py_wheel *w)
{
    for (uint32_t i = 0; i < page->nfiles; i++) {
        gf_slice rest = gf_slice_of(page->files[i].filename), name;
        const struct py_variants *all = NULL;
        struct gf_err ignored = GF_ERR_INIT;
        struct py_version_room room;
        struct py_version v;
        if (page->files[i].source != f->source || !src_is_variants_file(rest) || !gf_slice_cut(&rest, '-', &name)) continue;
        rest.n -= strlen("-variants.json");
        if (!py_version_parse_room(&room, rest, &v) || py_version_cmp(&v, &w->version) != 0) continue;
        return t->r->supply.variants(t->r->supply.arg, &page->files[i], &all, &ignored) == SRC_READY ? all : NULL;
    }
    return NULL;
}

static void add_label(const struct py_variants *all, const char *label, struct gf_buf *out)
{
    const struct py_variant *v = all ? py_variants_find(all, gf_slice_of(label)) : NULL;
    gf_buf_addf(out, " label %s", label);
    for (uint32_t s = 0; v && s < all->nspaces; s++)
        for (uint32_t i = 0; i < v->n; i++)
            for (uint32_t k = 0; strcmp(v->features[i].space, all->spaces[s]) == 0 && k < v->features[i].n; k++)
                gf_buf_addf(out, " %s::%s::%s", v->features[i].space, v->features[i].name, v->features[i].values[k]);
}

static void add_file(const struct telling *t, const struct src_project *page, const struct src_file *f, struct gf_buf *out)
{
    struct gf_arena a = GF_ARENA_INIT;
    const char *name = page->name, *label = NULL;
    struct py_wheel w;
    struct py_version v;
    const struct src_index *index = t->r->supply.index(t->r->supply.arg, f->source);
    gf_slice file = gf_slice_of(f->filename);
    bool wheel = gf_slice_ends(file, GF_S(".whl"));
    if (wheel ? py_wheel_parse_variant(&a, file, &w, &label) : py_sdist_parse(&a, file, gf_slice_of(name), &v)) {
        gf_buf_addf(out, "pkg %s %s", name, wheel ? w.version.text : v.text);
        if (wheel) gf_buf_addf(out, " tags %s-%s-%s", w.py_tag, w.abi_tag, w.platform_tag);
        else gf_buf_adds(out, " sdist");
        if (wheel && w.has_build) gf_buf_addf(out, " build %llu", (unsigned long long)w.build_n);
        if (label) add_label(variants_of(t, page, f, &w), label, out);
        add_word("python", f->requires_python, out);
        if (f->yanked) gf_buf_adds(out, " yanked"); /* its reason is free text, which a line of a case is not */
        add_word("sha256", f->sha256, out);
        if (index && index->vendor) add_word("index", index->id, out);
        add_metadata(answer_for(t->r, f), out);
        gf_buf_addc(out, '\n');
    }
    gf_arena_release(&a);
}

static void add_pages(const struct telling *t, struct gf_buf *out)
{
    for (size_t i = 0; i < t->r->pages.n; i++) {
        const struct src_project *page = t->r->pages.v[i];
        for (uint32_t k = 0; page && k < page->nfiles; k++)
            if (!t->slim[i] || answer_for(t->r, &page->files[k])) add_file(t, page, &page->files[k], out);
    }
}

/* Everything up to the outcome. */
static int write_case(const struct telling *t, struct gf_buf *out, struct gf_err *err)
{
    const struct rsv_problem *p = t->p;
    gf_buf_clear(out);
    gf_buf_adds(out, "# saved from a run\n");
    if (p->prefer == RSV_INSTALLED || p->nhashes || p->require_hashes)
        return gf_fail(err, GF_E_USAGE, "a case cannot hold %s", p->prefer == RSV_INSTALLED ? "--prefer installed" : "digests");
    if (add_target(p, out, err)) return -1;
    add_options(p, out);
    add_pages(t, out);
    if (add_list("want    ", p->requests, p->nrequests, out, err) || add_list("constrain ", p->constraints, p->nconstraints, out, err) ||
        add_list("override ", p->overrides, p->noverrides, out, err))
        return -1;
    return gf_buf_failed(out) ? gf_fail(err, GF_E_LIMIT, "the case is larger than %zu bytes", (size_t)GF_CAP_LOCK) : 0;
}

static int outcome_of(const struct gf_buf *text, struct gf_buf *outcome, struct gf_err *err)
{
    struct rsv_scenario s;
    gf_buf_clear(outcome);
    if (rsv_scenario_read(gf_buf_slice(text), "case", &s, err)) return -1;
    rsv_scenario_run(&s, outcome);
    rsv_scenario_release(&s);
    return 0;
}

/* Leaves out, page by page, what nobody read, where the outcome stays the same without it: all at once if that goes. */
static int slim_down(struct telling *t, struct gf_buf *text, struct gf_buf *outcome, struct gf_err *err)
{
    struct gf_buf now;
    gf_buf_init(&now, GF_CAP_LOCK);
    int rc = 0, tries = 0;
    size_t n = t->r->pages.n;
    for (size_t step = n ? n : 1; !rc && step; step = step == 1 ? 0 : (step + 3) / 4)
        for (size_t i = 0; !rc && i < n && tries < MOST_TRIES; i += step) {
            GF_FREE bool *before = gf_xreallocarray(NULL, n + 1, sizeof *before);
            memcpy(before, t->slim, n * sizeof *before);
            for (size_t k = i; k < n && k < i + step; k++) t->slim[k] = true;
            if (memcmp(before, t->slim, n * sizeof *before) == 0) continue;
            tries++;
            rc = write_case(t, text, err) || outcome_of(text, &now, err) ? -1 : 0;
            if (!gf_slice_eq(gf_buf_slice(&now), gf_buf_slice(outcome))) memcpy(t->slim, before, n * sizeof *before);
        }
    gf_buf_release(&now);
    return rc ? rc : write_case(t, text, err);
}

/* Is the outcome that of the run: the same versions, or a refusal as well. */
static bool same_as(const struct rsv_result *ran, gf_slice outcome)
{
    gf_slice line;
    gf_slice_line(&outcome, &line);
    if (!ran->lock) return gf_slice_is(line, "expect refusal");
    if (!gf_slice_is(line, "expect plan")) return false;
    for (size_t i = 0; i < ran->lock->npython; i++) {
        const struct mdl_lock_python *p = &ran->lock->python[i];
        GF_FREE char *want = gf_xasprintf("  %s %s", p->name, p->version);
        bool installer = p->required_by.n == 1 && strcmp(p->required_by.v[0], "(installer)") == 0, found = installer;
        gf_slice rest = outcome;
        while (!found && gf_slice_line(&rest, &line)) found = gf_slice_starts(line, gf_slice_of(want));
        if (!found) return false;
    }
    return true;
}

int rsv_record_write(struct rsv_record *r, const struct rsv_problem *p, const struct rsv_result *ran, struct gf_buf *out, struct gf_err *err)
{
    struct telling t = { r, p, gf_xcalloc(r->pages.n + 1, sizeof *t.slim) };
    struct gf_buf outcome;
    gf_buf_init(&outcome, GF_CAP_LOCK);
    int rc = write_case(&t, out, err) || outcome_of(out, &outcome, err) ? -1 : 0;
    if (!rc && !same_as(ran, gf_buf_slice(&outcome)))
        rc = gf_fail(err, GF_E_USAGE, "this run cannot be told as a case: solved from the case it comes out otherwise (%.*s …)", (int)(outcome.n < 200 ? outcome.n : 200), outcome.p);
    if (!rc) rc = slim_down(&t, out, &outcome, err);
    if (!rc) gf_buf_addsl(out, gf_buf_slice(&outcome));
    free(t.slim);
    gf_buf_release(&outcome);
    return rc;
}
