/* Many targets in one call: one pass over the metadata, targets with the same deciding facts planned once; a lock for each, or one for all. */
#include "base/file.h"
#include "base/map.h"
#include "cli/planning.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

struct member { const char *path, *label; struct tgt_target target; uint32_t shape; };
struct fleet {
    struct gf_arena mem;
    struct planning p;
    struct opt_fleet *o;
    const char *folder; /* of the locks, one for each */
    GF_VEC(const char *) paths;
    GF_VEC(struct member) members;
    struct gf_names shapes, labels;
    GF_VEC(struct rsv_result) results; /* by shape */
    unsigned refused;
};

static bool is_folder(const char *path)
{
    struct stat st;
    return strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool opt_is_fleet(const struct opt_target *t) { return t->targets.n > 1 || (t->targets.n == 1 && is_folder(t->targets.v[0])); }

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static int list_folder(struct fleet *f, const char *folder, struct gf_err *err)
{
    DIR *d = opendir(folder);
    if (!d) return gf_fail_errno(err, errno, "cannot read the folder of profiles '%s'", folder);
    size_t first = f->paths.n;
    for (struct dirent *e; (e = readdir(d));) {
        const char *path = gf_arena_printf(&f->mem, "%s/%s", folder, e->d_name);
        if (e->d_name[0] != '.' && !is_folder(path)) gf_vec_push(&f->paths, path);
    }
    closedir(d);
    if (f->paths.n > first) qsort(f->paths.v + first, f->paths.n - first, sizeof *f->paths.v, by_text);
    return 0;
}

static int list_targets(struct fleet *f, struct gf_err *err)
{
    for (size_t i = 0; i < f->o->target.targets.n; i++) {
        const char *path = f->o->target.targets.v[i];
        if (!is_folder(path)) gf_vec_push(&f->paths, path);
        else if (list_folder(f, path, err)) return -1;
    }
    return f->paths.n ? 0 : gf_fail(err, GF_E_USAGE, "no profile is in the folder that --target names");
}

/* The profile's label, else the file's name without its ending; made unique, fit for a file name. */
static const char *label_of(struct fleet *f, const char *path, const struct mdl_profile *p)
{
    const char *slash = strrchr(path, '/');
    char *name = gf_arena_strz(&f->mem, p->label ? p->label : slash ? slash + 1 : path);
    char *dot = p->label ? NULL : strrchr(name, '.');
    if (dot && dot != name) *dot = '\0';
    for (char *c = name; *c; c++)
        if (!gf_is_alnum((unsigned char)*c) && !strchr("-_.", *c)) *c = '-';
    if (!*name || *name == '.') name = gf_arena_printf(&f->mem, "target%s", name);
    bool fresh;
    const char *unique = name;
    for (unsigned n = 2; gf_names_add(&f->labels, gf_slice_of(unique), &fresh), !fresh; n++) unique = gf_arena_printf(&f->mem, "%s-%u", name, n);
    return unique;
}

/* All that decides a plan, as text: the profile without its label, origins, disks and errors. */
static uint32_t shape_of(struct fleet *f, const struct tgt_target *t)
{
    struct mdl_profile bare = *t->profile;
    bare.label = NULL;
    bare.norigins = bare.ndisks = bare.nerrors = bare.nconflicts = bare.nos_packages = 0;
    GF_BUF_SCOPE struct gf_buf text;
    gf_buf_init(&text, GF_CAP_PROFILE);
    gf_buf_addf(&text, "%d %s ", (int)t->driver, bare.accelerator ? bare.accelerator : "");
    struct gf_jw w;
    gf_jw_init(&w, &text, true);
    mdl_profile_write(&bare, &w);
    return gf_names_add(&f->shapes, gf_buf_slice(&text), NULL);
}

static int read_member(struct fleet *f, const char *path, struct gf_err *err)
{
    const char *one[] = { path };
    struct opt_target o = f->o->target;
    o.targets = (struct opt_list){ one, 1, 1 };
    struct member m = { .path = path };
    if (opt_target_with(&o, f->p.matrix, NULL, &m.target, err)) return gf_wrap(err, "target '%s'", path);
    tgt_assume_glibc(&m.target); /* here, so that all machines of a shape have it */
    m.label = label_of(f, path, m.target.profile);
    m.target.profile->label = gf_arena_strz(&m.target.profile->mem, m.label);
    m.shape = shape_of(f, &m.target);
    gf_vec_push(&f->members, m);
    return 0;
}

/* Plans the shape with the member's target. */
static int plan_shape(struct fleet *f, const struct member *m, struct gf_err *err)
{
    struct rsv_plan_options how = { .installer = !f->o->choice.no_installer, .passed_over = true,
                                    .changes = f->o->common.json }; /* the text names the fact in the way only */
    struct rsv_result r = { 0 };
    struct tgt_target own = f->p.target;
    f->p.target = m->target;
    int rc = opt_planning_retarget(&f->p, &f->o->choice, err);
    if (!rc) rc = opt_planning_solve(&f->p, &how, &r, err);
    f->p.target = own;
    if (rc) return gf_wrap(err, "target '%s'", m->label);
    gf_vec_push(&f->results, r);
    return 0;
}

static int by_shape(const void *a, const void *b)
{
    const struct member *x = *(const struct member *const *)a, *y = *(const struct member *const *)b;
    return x->shape != y->shape ? (x->shape < y->shape ? -1 : 1) : x < y ? -1 : x > y;
}

/* The members, those of one shape together. */
static const struct member **by_shapes(struct fleet *f)
{
    const struct member **all = gf_xreallocarray(NULL, f->members.n + 1, sizeof *all);
    for (size_t i = 0; i < f->members.n; i++) all[i] = &f->members.v[i];
    qsort(all, f->members.n, sizeof *all, by_shape);
    all[f->members.n] = NULL;
    return all;
}

/* The locks of one shape's members, which differ in the target only. */
static int write_shape(const struct mdl_lock *lock, const struct member **m, size_t n, struct gf_batch *batch, struct gf_err *err)
{
    struct mdl_lock_frame frame;
    int rc = mdl_lock_frame_init(&frame, lock, err);
    GF_BUF_SCOPE struct gf_buf text;
    gf_buf_init(&text, GF_CAP_LOCK);
    for (size_t i = 0; i < n && !rc; i++) {
        GF_FREE char *name = gf_xasprintf("%s.lock", m[i]->label);
        gf_buf_clear(&text);
        rc = mdl_lock_frame_write(&frame, m[i]->target.profile, &text, err) || gf_batch_add(batch, name, gf_buf_slice(&text), err) ? -1 : 0;
    }
    mdl_lock_frame_release(&frame);
    return rc;
}

/* Aside first, all to the disk at once, then each in its place. */
static int write_locks(struct fleet *f, struct gf_err *err)
{
    struct gf_batch batch;
    if (gf_mkdirs(f->folder, 0755, err) || gf_batch_open(&batch, f->folder, err)) return -1;
    GF_FREE const struct member **all = by_shapes(f);
    int rc = 0;
    for (size_t i = 0, n; i < f->members.n && !rc; i += n) {
        for (n = 1; all[i + n] && all[i + n]->shape == all[i]->shape;) n++;
        struct mdl_lock *lock = f->results.v[all[i]->shape].lock;
        if (lock) rc = write_shape(lock, all + i, n, &batch, err);
    }
    return gf_batch_close(&batch, rc == 0, rc ? NULL : err) || rc ? -1 : 0;
}

/* ---- one lock for all ---- */

static int by_label(const void *a, const void *b) { return strcmp((*(const struct member *const *)a)->label, (*(const struct member *const *)b)->label); }

/* The shape's lock for those machines: the profile is that of the one whose label comes first, whatever the order in which they were named. */
static int as_part(struct mdl_lock *lock, const struct member **m, size_t n, struct gf_err *err)
{
    qsort(m, n, sizeof *m, by_label);
    if (opt_lock_target(lock, m[0]->target.profile, err)) return -1;
    if (n == 1) return 0;
    const char **names = GF_NEW_ARRAY(&lock->mem, const char *, n);
    for (size_t i = 0; i < n; i++) names[i] = m[i]->label;
    lock->machines = GF_NEW(&lock->mem, struct mdl_lock_machines);
    *lock->machines = (struct mdl_lock_machines){ m[0]->label, { names, n } };
    lock->nmachines = 1;
    return 0;
}

static int join(struct fleet *f, struct mdl_lock **ret, struct gf_err *err)
{
    GF_FREE const struct member **all = by_shapes(f);
    GF_FREE struct mdl_lock **parts = gf_xreallocarray(NULL, f->results.n + 1, sizeof(struct mdl_lock *));
    size_t nparts = 0;
    for (size_t i = 0, n; i < f->members.n; i += n) { /* shapes are numbered as they came */
        for (n = 1; all[i + n] && all[i + n]->shape == all[i]->shape;) n++;
        parts[nparts] = f->results.v[all[i]->shape].lock;
        if (as_part(parts[nparts++], all + i, n, err)) return -1;
    }
    return mdl_lock_union(parts, nparts, ret, err);
}

static int write_union(struct fleet *f, const char *path, bool to_stdout, struct gf_err *err)
{
    struct mdl_lock *whole = NULL;
    GF_BUF_SCOPE struct gf_buf text;
    gf_buf_init(&text, GF_CAP_LOCK);
    int rc = join(f, &whole, err) || mdl_lock_write(whole, &text, err) ? -1 : 0;
    mdl_lock_free(whole);
    if (!rc && !to_stdout) rc = gf_file_write_atomic(path, gf_buf_slice(&text), 0644, err);
    return rc || !(to_stdout || f->o->common.json) ? rc : out_result(gf_buf_slice(&text), err);
}

/* ---- what came of it ---- */

static void add_stack(struct fleet *f, const struct rsv_result *r, struct gf_jw *w)
{
    gf_jw_key(w, "stack");
    gf_jw_arr(w);
    for (size_t k = 0; r->lock && k < r->lock->nstack; k++) gf_jw_cstr(w, gf_arena_printf(&f->mem, "%s %s", r->lock->stack[k].name, r->lock->stack[k].version));
    gf_jw_end_arr(w);
    if (!r->refused) return;
    gf_jw_key(w, "refusal");
    rsv_refused_json(r->refused, w);
}

static int report_json(struct fleet *f, struct gf_err *err)
{
    GF_BUF_SCOPE struct gf_buf out;
    gf_buf_init(&out, GF_CAP_OUTPUT);
    struct gf_jw w;
    gf_jw_init(&w, &out, false);
    gf_jw_arr(&w);
    for (size_t i = 0; i < f->members.n; i++) {
        gf_jw_obj(&w);
        gf_jw_kstr(&w, "label", f->members.v[i].label);
        gf_jw_kint(&w, "shape", f->members.v[i].shape);
        add_stack(f, &f->results.v[f->members.v[i].shape], &w);
        gf_jw_end_obj(&w);
    }
    gf_jw_end_arr(&w);
    return out_result(gf_buf_slice(&out), err);
}

/* written: "locks in x/". */
static int report_text(struct fleet *f, const char *written, struct gf_err *err)
{
    GF_BUF_SCOPE struct gf_buf out;
    gf_buf_init(&out, GF_CAP_OUTPUT);
    for (size_t i = 0; i < f->members.n; i++) {
        const struct member *m = &f->members.v[i];
        const struct rsv_result *r = &f->results.v[m->shape];
        gf_buf_addf(&out, "%-32s ", m->label);
        for (size_t k = 0; r->lock && k < r->lock->nstack; k++) gf_buf_addf(&out, "%s%s %s", k ? ", " : "", r->lock->stack[k].name, r->lock->stack[k].version);
        if (r->refused) gf_buf_addf(&out, "no plan: %s", r->refused->nfacts ? r->refused->facts[r->refused->nfacts - 1].text : "refused");
        gf_buf_addc(&out, '\n');
    }
    gf_buf_addf(&out, "%zu targets of %u shapes: %u refused; %s\n", f->members.n, f->shapes.n, f->refused, written);
    return out_result(gf_buf_slice(&out), err);
}

static int finish_each(struct fleet *f, struct gf_err *err)
{
    f->folder = f->o->output ? f->o->output : "locks";
    GF_FREE char *written = gf_xasprintf("locks in %s/", f->folder);
    if (write_locks(f, err)) return -1;
    return f->o->common.json ? report_json(f, err) : report_text(f, written, err);
}

/* "no lock was written: node3, node7 and 4 more have no plan". */
static const char *why_none(struct fleet *f)
{
    enum { NAMED = 5 };
    GF_BUF_SCOPE struct gf_buf out;
    unsigned n = 0;
    gf_buf_init(&out, GF_CAP_OUTPUT);
    for (size_t i = 0; i < f->members.n; i++)
        if (!f->results.v[f->members.v[i].shape].lock && n++ < NAMED) gf_buf_addf(&out, "%s%s", n > 1 ? ", " : "", f->members.v[i].label);
    if (n > NAMED) gf_buf_addf(&out, " and %u more", n - NAMED);
    return gf_arena_printf(&f->mem, "no lock was written, for %s there is no plan and one for all was asked for: leave %s out, or plan without --union", gf_buf_str(&out),
                           n > 1 ? "them" : "it");
}

/* Half of what was asked for is none: with one target refused nothing is written. */
static int finish_union(struct fleet *f, struct gf_err *err)
{
    const char *path = f->o->output ? f->o->output : "gpuferry.lock";
    bool json = f->o->common.json, to_stdout = strcmp(path, "-") == 0 || (json && !f->o->output);
    if (f->refused) return json ? report_json(f, err) : report_text(f, why_none(f), err);
    if (write_union(f, path, to_stdout, err)) return -1;
    if (json || to_stdout) return 0;
    GF_FREE char *written = gf_xasprintf("one lock for all: %s", path);
    if (report_text(f, written, err)) return -1;
    out_talk("\nnext: gpuferry bundle %s -o NAME.tar", path);
    return 0;
}

static int run_all(struct fleet *f, const struct opt_list *words, struct gf_err *err)
{
    struct opt_target widest = f->o->target; /* the sources of every target: no driver rules a variant's index out */
    const char *first[] = { f->paths.v[0] };
    widest.targets = (struct opt_list){ first, 1, 1 };
    if (!widest.driver) widest.driver = "any";
    if (opt_planning_open(&f->p, &f->o->common, &widest, &f->o->sources, &f->o->choice, words, err)) return -1;
    if (f->p.projects.locks.n)
        return gf_fail(err, GF_E_USAGE, "'%s' names the files of one target, and several are asked for: plan from what it was made of, or each target by itself", f->p.projects.locks.v[0]);
    for (size_t i = 0; i < f->paths.n; i++)
        if (read_member(f, f->paths.v[i], err)) return -1;
    for (size_t i = 0; i < f->members.n; i++)
        if (f->members.v[i].shape == f->results.n && plan_shape(f, &f->members.v[i], err)) return -1;
    for (size_t i = 0; i < f->results.n; i++) {
        struct mdl_lock *lock = f->results.v[i].lock;
        if (!lock) continue;
        lock->tool_version = GPUFERRY_VERSION;
        if (f->o->sources.strict && opt_strict_sources(lock, err)) return -1;
    }
    for (size_t i = 0; i < f->members.n; i++) f->refused += f->results.v[f->members.v[i].shape].lock == NULL;
    if (f->o->one_for_all ? finish_union(f, err) : finish_each(f, err)) return -1;
    return f->refused ? 1 : 0;
}

/* Found out before anything is asked of the network. */
static int check_output(const struct opt_fleet *o, struct gf_err *err)
{
    if (!o->output) return 0;
    if (o->one_for_all && is_folder(o->output)) return gf_fail(err, GF_E_USAGE, "-o '%s' is a folder, and --union writes one lock: name a file, as in -o fleet.lock", o->output);
    if (!o->one_for_all && strcmp(o->output, "-") == 0)
        return gf_fail(err, GF_E_USAGE, "-o -: several targets get a lock each, in a folder; with --union they get one, which standard output can take");
    return 0;
}

int opt_fleet_run(struct opt_fleet *o, const struct opt_list *words, struct gf_err *err)
{
    struct fleet f = { .mem = GF_ARENA_INIT, .o = o };
    gf_names_init(&f.shapes);
    gf_names_init(&f.labels);
    int rc = check_output(o, err) || list_targets(&f, err) ? -1 : run_all(&f, words, err);
    for (size_t i = 0; i < f.results.n; i++) rsv_result_release(&f.results.v[i]);
    for (size_t i = 0; i < f.members.n; i++) tgt_target_release(&f.members.v[i].target);
    gf_vec_free(&f.results);
    gf_vec_free(&f.members);
    gf_vec_free(&f.paths);
    gf_names_release(&f.shapes);
    gf_names_release(&f.labels);
    opt_planning_close(&f.p);
    gf_arena_release(&f.mem);
    return rc;
}
