#include "cli/planning.h"
#include "base/file.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#define SOURCES(member) offsetof(struct opt_sources, member)
const struct opt_row opt_source_rows[OPT_SOURCE_ROWS] = {
    { 'i', "index-url", "URL", OPT_STR, SOURCES(index_url), "default Python index (else: the one pip is set up with)" },
    { 0, "extra-index-url", "URL", OPT_LIST, SOURCES(extra_index_urls), "further index, asked before the default one; the first that has a name wins" },
    { 'f', "find-links", "DIR|URL", OPT_LIST, SOURCES(find_links), "folder or page of files" },
    { 0, "no-index", NULL, OPT_FLAG, SOURCES(no_index), "only --find-links" },
    { 0, "sources", "NAME,...", OPT_STR, SOURCES(sources), "ask only these sources: default, extra-1, links-1, pytorch, pytorch-cu126 ..." },
    { 0, "exclude-newer", "DATE", OPT_STR, SOURCES(exclude_newer), "leave out files uploaded after DATE" },
    { 0, "refresh", NULL, OPT_FLAG, SOURCES(refresh), "ask the sources again, whatever the cache holds" },
    { 0, "strict-sources", NULL, OPT_FLAG, SOURCES(strict), "refuse when a source that was asked could not be reached" },
};
#define CHOICE(member) offsetof(struct opt_choice, member)
const struct opt_row opt_choice_rows[OPT_CHOICE_ROWS] = {
    { 'r', "requirement", "FILE", OPT_LIST, CHOICE(requirements), "requirements file, pyproject.toml or pylock.toml, repeatable" },
    { 0, "extra", "NAME", OPT_LIST, CHOICE(extras), "optional dependencies of the pyproject.toml or pylock.toml, repeatable" },
    { 0, "group", "NAME", OPT_LIST, CHOICE(groups), "dependency group of the pyproject.toml or pylock.toml, repeatable" },
    { 'c', "constraint", "FILE", OPT_LIST, CHOICE(constraints), "constraints file: versions of what is there, adds nothing" },
    { 0, "override", "FILE", OPT_LIST, CHOICE(overrides), "overrides file: replaces what packages require" },
    { 0, "unknown", "allow|avoid|refuse", OPT_STR, CHOICE(unknown), "builds whose GPU code the data does not know (avoid)" },
    { 0, "sdist", "allow|avoid|refuse", OPT_STR, CHOICE(sdist), "source archives, which the target must build (avoid)" },
    { 0, "only-binary", "NAME|:all:", OPT_LIST, CHOICE(only_binary), "no source archives of this package" },
    { 0, "no-binary", "NAME|:all:", OPT_LIST, CHOICE(no_binary), "no wheels of this package" },
    { 0, "prefer", "newest|oldest|installed", OPT_STR, CHOICE(prefer), "which of the versions that fit (newest)" },
    { 0, "pre", NULL, OPT_FLAG, CHOICE(pre), "take pre-releases like releases" },
    { 0, "save-case", "FILE", OPT_STR, CHOICE(save_case), "write this run as a small scenario that reproduces it without the network" },
    { 0, "no-installer", NULL, OPT_FLAG, CHOICE(no_installer), "leave out the pip wheel that the bundle installs with" },
};

static int one_of(const char *option, const char *value, const char *const *names, int fallback, int *ret, struct gf_err *err)
{
    *ret = fallback;
    for (int i = 0; value && names[i]; i++)
        if (strcmp(names[i], value) == 0) {
            *ret = i;
            return 0;
        }
    if (!value) return 0;
    return gf_fail(err, GF_E_USAGE, "%s '%s': one of %s, %s, %s was expected", option, value, names[0], names[1], names[2]);
}

/* --- requests ----------------------------------------------------------------------------------------------------- */

typedef GF_VEC(struct py_req) req_list;

static int read_text(void *arg, const char *path, struct gf_buf *out, struct gf_err *err)
{
    (void)arg;
    if (strstr(path, "://") && strncmp(path, "file://", 7) != 0)
        return gf_fail(err, GF_E_USAGE, "'%s': requirement files are read from this machine only; fetch it first (curl -LO …) and name the file", path);
    GF_BUF_SCOPE struct gf_buf text;
    gf_buf_init(&text, GF_CAP_LOCK);
    if (gf_file_read(path, GF_CAP_LOCK, &text, err)) return -1;
    gf_buf_addsl(out, gf_buf_slice(&text));
    return gf_buf_failed(out) ? gf_fail(err, GF_E_LIMIT, "'%s' is too large for a requirements file", path) : 0;
}

static const char *read_env(void *arg, const char *name)
{
    (void)arg;
    return getenv(name);
}

static int load_files(struct planning *p, const struct opt_list *files, enum py_reqfile_role role, struct gf_err *err)
{
    struct py_reqfile_io io = { read_text, read_env, NULL, out_log() };
    for (size_t i = 0; i < files->n; i++)
        if (!(role == PY_REQUIREMENTS && opt_is_toml(files->v[i])) && py_reqfile_load(&p->files, files->v[i], role, &io, err)) return -1;
    return 0;
}

static int load_projects(struct planning *p, const struct opt_choice *c, struct gf_err *err)
{
    size_t n = 0;
    for (size_t i = 0; i < c->requirements.n; i++) {
        if (!opt_is_toml(c->requirements.v[i])) continue;
        n++;
        if (opt_projects_add(&p->mem, &p->projects, c->requirements.v[i], c, err)) return -1;
    }
    if (!n && (c->extras.n || c->groups.n))
        return gf_fail(err, GF_E_USAGE, "--%s '%s' is one of a pyproject.toml or pylock.toml: name that file with -r", c->extras.n ? "extra" : "group", c->extras.n ? c->extras.v[0] : c->groups.v[0]);
    return 0;
}

/* A local path becomes a file URL. */
static int settle_url(struct planning *p, struct py_req *r, struct gf_err *err)
{
    if (!r->url || strstr(r->url, "://")) return 0;
    char *whole = realpath(r->url, NULL);
    if (!whole) return gf_fail_errno(err, errno, "cannot find the file '%s' that is asked for", r->url);
    r->url = gf_arena_printf(&p->mem, "file://%s", whole);
    free(whole);
    return 0;
}

static int settle_list(struct planning *p, req_list *list, const struct py_req **ret, size_t *ret_n, struct gf_err *err)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < list->n; i++) rc = settle_url(p, &list->v[i], err);
    *ret = list->n ? gf_arena_memdup(&p->mem, list->v, list->n * sizeof *list->v) : NULL;
    *ret_n = list->n;
    gf_vec_free(list);
    return rc;
}

static void take_lines(struct planning *p, enum py_reqfile_role role, req_list *list)
{
    for (size_t i = 0; i < p->files.lines[role].n; i++) gf_vec_push(list, p->files.lines[role].v[i].req);
}

static void take_hashes(struct planning *p)
{
    GF_VEC(struct rsv_hashes) list = { 0 };
    for (size_t i = 0; i < p->files.lines[PY_REQUIREMENTS].n; i++) {
        const struct py_reqfile_line *l = &p->files.lines[PY_REQUIREMENTS].v[i];
        if (l->nhashes) gf_vec_push(&list, (struct rsv_hashes){ l->req.name, l->hashes, l->nhashes });
    }
    p->problem.hashes = list.n ? gf_arena_memdup(&p->mem, list.v, list.n * sizeof *list.v) : NULL;
    p->problem.nhashes = list.n;
    p->problem.require_hashes = p->files.require_hashes;
    gf_vec_free(&list);
}

static void *joined(struct gf_arena *a, const void *v, size_t n, const void *more, size_t nmore, size_t size)
{
    char *all = gf_arena_alloc(a, (n + nmore) * size + 1);
    if (n) memcpy(all, v, n * size);
    if (nmore) memcpy(all + n * size, more, nmore * size);
    return all;
}

/* What the project files ask for, behind the rest. */
static void take_projects(struct planning *p)
{
    struct opt_projects *x = &p->projects;
    struct rsv_problem *b = &p->problem;
    b->requests = joined(&p->mem, b->requests, b->nrequests, x->requests.v, x->requests.n, sizeof *b->requests);
    b->nrequests += x->requests.n;
    b->hashes = joined(&p->mem, b->hashes, b->nhashes, x->hashes.v, x->hashes.n, sizeof *b->hashes);
    b->nhashes += x->hashes.n;
}

static int read_requests(struct planning *p, const struct opt_choice *c, const struct opt_list *words, struct gf_err *err)
{
    req_list requests = { 0 }, constraints = { 0 }, overrides = { 0 };
    py_reqfile_init(&p->files);
    int rc = 0;
    for (size_t i = 0; !rc && words && i < words->n; i++) {
        struct py_req r;
        rc = py_req_parse_any(&p->mem, gf_slice_of(words->v[i]), &r, err);
        if (!rc) gf_vec_push(&requests, r);
    }
    if (!rc) rc = load_files(p, &c->requirements, PY_REQUIREMENTS, err);
    if (!rc) rc = load_projects(p, c, err);
    if (!rc) rc = load_files(p, &c->constraints, PY_CONSTRAINTS, err);
    if (!rc) rc = load_files(p, &c->overrides, PY_OVERRIDES, err);
    take_lines(p, PY_REQUIREMENTS, &requests);
    take_lines(p, PY_CONSTRAINTS, &constraints);
    take_lines(p, PY_OVERRIDES, &overrides);
    take_hashes(p);
    if (settle_list(p, &requests, &p->problem.requests, &p->problem.nrequests, rc ? NULL : err)) rc = -1;
    if (settle_list(p, &constraints, &p->problem.constraints, &p->problem.nconstraints, rc ? NULL : err)) rc = -1;
    if (settle_list(p, &overrides, &p->problem.overrides, &p->problem.noverrides, rc ? NULL : err)) rc = -1;
    if (!rc && !p->problem.nrequests && !p->projects.requests.n && !p->projects.locks.n) return gf_fail(err, GF_E_USAGE, "nothing was asked for: name a package (gpuferry plan torch) or give a file (-r requirements.txt)");
    return rc;
}

/* What the files say of sources counts where the command line says nothing. */
static struct opt_sources with_files(struct planning *p, const struct opt_sources *given)
{
    struct opt_sources o = *given;
    if (!o.index_url) o.index_url = p->files.index_url;
    o.no_index |= p->files.no_index;
    for (size_t i = 0; i < p->files.extra_index_urls.n; i++) gf_vec_push(&o.extra_index_urls, p->files.extra_index_urls.v[i]);
    for (size_t i = 0; i < p->files.find_links.n; i++) gf_vec_push(&o.find_links, p->files.find_links.v[i]);
    return o;
}

/* The request for the lock: what was asked, without anything secret. */
static void write_request(struct planning *p, const struct opt_sources *s, const struct opt_choice *c)
{
    GF_BUF_SCOPE struct gf_buf out;
    gf_buf_init(&out, GF_CAP_LOCK);
    struct gf_jw w;
    gf_jw_init(&w, &out, true);
    gf_jw_obj(&w);
    gf_jw_key(&w, "requirements");
    gf_jw_arr(&w);
    for (size_t i = 0; i < p->problem.nrequests; i++) gf_jw_cstr(&w, p->problem.requests[i].text);
    gf_jw_end_arr(&w);
    if (p->problem.nconstraints) {
        gf_jw_key(&w, "constraints");
        gf_jw_arr(&w);
        for (size_t i = 0; i < p->problem.nconstraints; i++) gf_jw_cstr(&w, p->problem.constraints[i].text);
        gf_jw_end_arr(&w);
    }
    gf_jw_kstr_opt(&w, "accelerator", p->target.profile->accelerator);
    gf_jw_kstr_opt(&w, "sources", s->sources);
    gf_jw_kstr_opt(&w, "exclude_newer", s->exclude_newer);
    gf_jw_kstr_opt(&w, "unknown", c->unknown);
    gf_jw_kstr_opt(&w, "prefer", c->prefer);
    if (c->pre) gf_jw_kbool(&w, "pre", true);
    gf_jw_end_obj(&w);
    p->request_json = gf_arena_str(&p->mem, gf_buf_slice(&out));
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

int opt_planning_retarget(struct planning *p, const struct opt_choice *c, struct gf_err *err)
{
    static const char *const policies[] = { "allow", "avoid", "refuse", NULL }, *const preferences[] = { "newest", "oldest", "installed", NULL };
    const char *accelerator = p->target.profile->accelerator;
    int unknown, sdist, prefer;
    tgt_assume_glibc(&p->target);
    if (opt_projects_fit(&p->mem, &p->projects, p->target.profile, err)) return -1;
    if (one_of("--unknown", c->unknown, policies, RSV_AVOID, &unknown, err) || one_of("--sdist", c->sdist, policies, RSV_AVOID, &sdist, err) ||
        one_of("--prefer", c->prefer, preferences, RSV_NEWEST, &prefer, err))
        return -1;
    p->problem.profile = p->target.profile;
    p->problem.matrix = p->matrix;
    p->problem.driver = p->target.driver == TGT_DRIVER_KEEP ? RSV_DRIVER_KEEP : p->target.driver == TGT_DRIVER_NONE ? RSV_DRIVER_NONE : RSV_DRIVER_ANY;
    p->problem.gpu_rules = !accelerator || (strcmp(accelerator, "any") != 0 && strcmp(accelerator, "cpu") != 0);
    p->problem.unknown = (enum rsv_policy)unknown;
    p->problem.sdist = (enum rsv_policy)sdist;
    p->problem.prefer = (enum rsv_prefer)prefer;
    p->problem.plain_pip = !c->no_installer;
    p->problem.pre = c->pre || p->files.pre;
    p->problem.formats = &p->files.formats;
    p->problem.log = out_log();
    return 0;
}

int opt_planning_open(struct planning *p, const struct opt_common *common, const struct opt_target *target, struct opt_sources *sources,
                      const struct opt_choice *choice, const struct opt_list *words, struct gf_err *err)
{
    *p = (struct planning){ .mem = GF_ARENA_INIT, .save_case = choice->save_case };
    if (read_requests(p, choice, words, err)) return -1;
    if (opt_open_target(target, &p->matrix, &p->target, err)) return -1;
    p->has_target = true;
    if (opt_projects_select(&p->mem, &p->projects, p->target.profile, choice, err)) return -1;
    take_projects(p);
    for (size_t i = 0; i < choice->only_binary.n; i++) py_formats_add(&p->mem, &p->files.formats, true, gf_slice_of(choice->only_binary.v[i]));
    for (size_t i = 0; i < choice->no_binary.n; i++) py_formats_add(&p->mem, &p->files.formats, false, gf_slice_of(choice->no_binary.v[i]));
    if (opt_planning_retarget(p, choice, err)) return -1;
    *sources = with_files(p, sources);
    write_request(p, sources, choice);
    if (opt_sources_config(&p->mem, p->matrix, &p->target, common, sources, p->problem.requests, p->problem.nrequests, &p->config, err)) return -1;
    struct net_config net = { .offline = common->offline, .retries = UINT_MAX, .log = out_log() };
    if (net_client_new(&net, &p->net, err)) return -1;
    return src_set_new(&p->config, p->net, &p->sources, err);
}

void opt_planning_close(struct planning *p)
{
    rsv_record_free(p->record);
    src_set_free(p->sources);
    net_client_free(p->net);
    if (p->has_target) tgt_target_release(&p->target);
    mtx_free(p->matrix);
    py_reqfile_release(&p->files);
    opt_projects_release(&p->projects);
    gf_arena_release(&p->mem);
}

static int write_case(struct planning *p, const struct rsv_result *r, struct gf_err *err)
{
    GF_BUF_SCOPE struct gf_buf text;
    gf_buf_init(&text, GF_CAP_LOCK);
    if (rsv_record_write(p->record, &p->problem, r, &text, err) || gf_file_write_atomic(p->save_case, gf_buf_slice(&text), 0644, err)) return gf_wrap(err, "--save-case");
    out_talk("written: %s", p->save_case);
    return 0;
}

static void show_progress(void *arg, size_t known, size_t read)
{
    struct out_progress *bar = arg;
    bar->total = known;
    out_progress_set(bar, read);
}

int opt_planning_solve(struct planning *p, const struct rsv_plan_options *given, struct rsv_result *ret, struct gf_err *err)
{
    struct out_progress bar;
    struct rsv_plan_options o = *given;
    out_progress_begin(&bar, "reading metadata", 0, false);
    o.progress = show_progress;
    o.progress_arg = &bar;
    o.request_json = p->request_json;
    struct rsv_supply supply = rsv_supply_of_sources(p->sources);
    if (p->save_case) supply = rsv_record_supply(p->record = rsv_record_new(supply));
    int rc = rsv_plan(&p->problem, supply, &o, ret, err);
    out_progress_end(&bar);
    if (!rc && p->save_case) rc = write_case(p, ret, err);
    if (!rc && ret->skipped_files) gf_note(out_log(), 1, "%u files with names that cannot be read were skipped", ret->skipped_files);
    if (!rc && ret->untold_variants) gf_note(out_log(), 0, "the wheel variants of %u version%s could not be judged and are not considered; -v says which and why", ret->untold_variants,
                                             ret->untold_variants == 1 ? "" : "s");
    return rc;
}
