#include "cli/planning.h"
#include "base/file.h"
#include <limits.h>

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
    { 'r', "requirement", "FILE", OPT_LIST, CHOICE(requirements), "requirements file, repeatable" },
    { 'c', "constraint", "FILE", OPT_LIST, CHOICE(constraints), "constraints file: versions of what is there, adds nothing" },
    { 0, "override", "FILE", OPT_LIST, CHOICE(overrides), "overrides file: replaces what packages require" },
    { 0, "unknown", "allow|avoid|refuse", OPT_STR, CHOICE(unknown), "builds whose GPU code the data does not know (avoid)" },
    { 0, "sdist", "allow|avoid|refuse", OPT_STR, CHOICE(sdist), "source archives, which the target must build (avoid)" },
    { 0, "only-binary", "NAME|:all:", OPT_LIST, CHOICE(only_binary), "no source archives of this package" },
    { 0, "no-binary", "NAME|:all:", OPT_LIST, CHOICE(no_binary), "no wheels of this package" },
    { 0, "prefer", "newest|oldest|installed", OPT_STR, CHOICE(prefer), "which of the versions that fit (newest)" },
    { 0, "pre", NULL, OPT_FLAG, CHOICE(pre), "take pre-releases like releases" },
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

static int add_request(struct planning *p, req_list *list, gf_slice text, const char *where, struct gf_err *err)
{
    struct py_req r;
    if (py_req_parse(&p->mem, text, true, &r, err)) return where ? gf_wrap(err, "%s", where) : -1;
    gf_vec_push(list, r);
    return 0;
}

static const struct py_req *keep(struct planning *p, req_list *list, size_t *ret_n)
{
    const struct py_req *kept = list->n ? gf_arena_memdup(&p->mem, list->v, list->n * sizeof *list->v) : NULL;
    *ret_n = list->n;
    gf_vec_free(list);
    return kept;
}

static int read_file(struct planning *p, const char *path, req_list *list, struct gf_err *err)
{
    GF_BUF_SCOPE struct gf_buf text;
    gf_buf_init(&text, GF_CAP_LOCK);
    if (gf_file_read(path, GF_CAP_LOCK, &text, err)) return -1;
    gf_slice rest = gf_slice_n(gf_arena_str(&p->mem, gf_buf_slice(&text)), text.n), line;
    for (unsigned number = 1; gf_slice_line(&rest, &line); number++) {
        ptrdiff_t hash = gf_slice_find(line, GF_S(" #"));
        if (hash >= 0) line = gf_slice_sub(line, 0, (size_t)hash);
        line = gf_slice_trim(line);
        if (!line.n || line.p[0] == '#') continue;
        if (add_request(p, list, line, gf_arena_printf(&p->mem, "%s line %u", path, number), err)) return -1;
    }
    return 0;
}

static int read_files(struct planning *p, const struct opt_list *files, req_list *list, struct gf_err *err)
{
    for (size_t i = 0; i < files->n; i++)
        if (read_file(p, files->v[i], list, err)) return -1;
    return 0;
}

static int read_requests(struct planning *p, const struct opt_choice *c, const struct opt_list *words, struct gf_err *err)
{
    req_list requests = { 0 }, constraints = { 0 }, overrides = { 0 };
    int rc = 0;
    for (size_t i = 0; !rc && words && i < words->n; i++) rc = add_request(p, &requests, gf_slice_of(words->v[i]), NULL, err);
    if (!rc) rc = read_files(p, &c->requirements, &requests, err);
    if (!rc) rc = read_files(p, &c->constraints, &constraints, err);
    if (!rc) rc = read_files(p, &c->overrides, &overrides, err);
    p->problem.requests = keep(p, &requests, &p->problem.nrequests);
    p->problem.constraints = keep(p, &constraints, &p->problem.nconstraints);
    p->problem.overrides = keep(p, &overrides, &p->problem.noverrides);
    if (!rc && !p->problem.nrequests) return gf_fail(err, GF_E_USAGE, "nothing was asked for: name a package (gpuferry plan torch) or give a file (-r requirements.txt)");
    return rc;
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

static const char *const *names_of(struct planning *p, const struct opt_list *list, size_t *ret_n)
{
    const char **out = GF_NEW_ARRAY(&p->mem, const char *, list->n + 1);
    for (size_t i = 0; i < list->n; i++) out[i] = list->v[i][0] == ':' ? list->v[i] : py_name_normalize(&p->mem, gf_slice_of(list->v[i]));
    *ret_n = list->n;
    return out;
}

static int set_problem(struct planning *p, const struct opt_choice *c, struct gf_err *err)
{
    static const char *const policies[] = { "allow", "avoid", "refuse", NULL }, *const preferences[] = { "newest", "oldest", "installed", NULL };
    const char *accelerator = p->target.profile->accelerator;
    int unknown, sdist, prefer;
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
    p->problem.pre = c->pre;
    p->problem.only_binary = names_of(p, &c->only_binary, &p->problem.nonly_binary);
    p->problem.no_binary = names_of(p, &c->no_binary, &p->problem.nno_binary);
    p->problem.log = out_log();
    return 0;
}

int opt_planning_open(struct planning *p, const struct opt_common *common, const struct opt_target *target, const struct opt_sources *sources,
                      const struct opt_choice *choice, const struct opt_list *words, struct gf_err *err)
{
    *p = (struct planning){ .mem = GF_ARENA_INIT };
    if (read_requests(p, choice, words, err)) return -1;
    if (opt_open_target(target, &p->matrix, &p->target, err)) return -1;
    p->has_target = true;
    if (set_problem(p, choice, err)) return -1;
    write_request(p, sources, choice);
    if (opt_sources_config(&p->mem, p->matrix, &p->target, common, sources, &p->config, err)) return -1;
    struct net_config net = { .offline = common->offline, .retries = UINT_MAX, .log = out_log() };
    if (net_client_new(&net, &p->net, err)) return -1;
    return src_set_new(&p->config, p->net, &p->sources, err);
}

void opt_planning_close(struct planning *p)
{
    src_set_free(p->sources);
    net_client_free(p->net);
    if (p->has_target) tgt_target_release(&p->target);
    mtx_free(p->matrix);
    gf_arena_release(&p->mem);
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
    int rc = rsv_plan(&p->problem, rsv_supply_of_sources(p->sources), &o, ret, err);
    out_progress_end(&bar);
    if (!rc && ret->skipped_files) gf_note(out_log(), 1, "%u files with names that cannot be read were skipped", ret->skipped_files);
    return rc;
}
