/* The rules of the matrix on what is installed: what a package needs of CUDA, cuDNN, Python, glibc, kernel, CPU and GPU, and which other
 * distributions it does not go with. */
#include "judge/facts.h"
#include "judge/parts.h"

/* A nightly of 2.10 counts as 2.10 too: it is judged by what its release will be. */
static bool within(const struct py_specset *specs, const struct py_version *v)
{
    if (py_specset_contains(specs, v)) return true;
    if (!py_version_is_pre(v)) return false;
    struct py_version base = *v;
    base.pre = PY_PRE_NONE;
    base.has_dev = false;
    return py_specset_contains(specs, &base);
}

static const char *rule_id(const struct mtx_rule *r, const char *otherwise) { return r->id && strncmp(r->id, "R-", 2) == 0 ? r->id : otherwise; }

/* The rules of GPU code have few names; a row may have another one of its own. */
static const char *gpu_rule(const struct mtx_rule *r)
{
    static const char *const names[] = { "R-ARCH", "R-EXT-ARCH", "R-PTXAS", "R-KNOWN-BAD", "R-EXT-VARIANT", "R-PTX", "R-TEGRA" };
    for (size_t i = 0; r->id && i < sizeof names / sizeof *names; i++)
        if (strcmp(r->id, names[i]) == 0) return names[i];
    return "R-EXT-ARCH";
}

static struct mdl_finding *report(struct jdg *j, const struct mtx_rule *r, enum mdl_kind kind, const char *rule, const char *about, const char *cause)
{
    struct mdl_finding *f = jdg_find(j, MDL_ERROR, kind, rule, about, "%s%s%s", cause, r->why ? ": " : "", r->why ? r->why : "");
    if (r->evidence == MTX_REPORTED) f->confidence = "medium";
    jdg_source(j, f, r->source);
    if (r->id && strncmp(r->id, "R-", 2) == 0 && strcmp(r->id, rule) != 0) jdg_fact(j, f, "rule %s", r->id);
    return f;
}

/* ---- what a package needs ---- */

static enum py_tri capability_in(struct jdg *j, const struct mtx_term *t, const struct jdg_gpu *gpu)
{
    struct py_version cc;
    if (!gpu->has_cc || !py_version_parse(j->a, gf_slice_of(jdg_text(j, "%u.%u", gpu->major, gpu->minor)), &cc)) return PY_UNKNOWN;
    return py_specset_contains(&t->specs, &cc) ? PY_YES : PY_NO;
}

static void needs_gpu(struct jdg *j, const struct mtx_rule *r, const struct mtx_term *t, const char *label)
{
    bool some = false;
    for (size_t i = 0; i < j->gpus.n; i++) some |= capability_in(j, t, &j->gpus.v[i]) == PY_YES;
    for (size_t i = 0; i < j->gpus.n; i++) {
        const struct jdg_gpu *gpu = &j->gpus.v[i];
        if (capability_in(j, t, gpu) != PY_NO) continue;
        const char *id = gpu_rule(r);
        if (some && strcmp(id, "R-ARCH") == 0) id = "R-ARCH-ANY";
        struct mdl_finding *f = report(j, r, MDL_INCOMPATIBLE, id, jdg_text(j, "%s on %s", label, gpu->label),
                                       jdg_text(j, "%s needs compute capability %s, %s has %u.%u", label, t->text, gpu->label, gpu->major, gpu->minor));
        f->fix_text = jdg_text(j, "a GPU of capability %s, or another release of the package", t->text);
        if (strcmp(id, "R-PTXAS") == 0 && !jdg_has_error(j, "ptxas-gpu-name")) f->level = MDL_WARNING; /* only what is compiled at run time needs it */
        return;
    }
    if (!j->gpus.n) mdl_verdict_miss(j->v, "GPU");
}

/* A number the profile gives as text ("3.10.0-1160.el7", "2.17"): its dotted digits as a version. */
static bool leading_version(struct jdg *j, const char *text, struct py_version *ret)
{
    size_t n = 0;
    while (text[n] && (gf_is_digit((unsigned char)text[n]) || text[n] == '.')) n++;
    while (n && text[n - 1] == '.') n--;
    return py_version_parse(j->a, gf_slice_n(text, n), ret);
}

static void needs_number(struct jdg *j, const struct mtx_rule *r, const struct mtx_term *t, const char *label, const char *have, const char *what, const char *rule)
{
    struct py_version v;
    if (!have) {
        mdl_verdict_miss(j->v, what);
        return;
    }
    if (!leading_version(j, have, &v) || py_specset_contains(&t->specs, &v)) return;
    struct mdl_finding *f = report(j, r, MDL_INCOMPATIBLE, rule_id(r, rule), label, jdg_text(j, "%s needs %s %s, there is %s", label, what, t->text, have));
    f->fix_text = jdg_text(j, "another release of %s, or %s %s", label, what, t->text);
}

/* What runs under this Python is made for it: only a file that could not be had is judged. */
static void needs_python(struct jdg *j, const struct mtx_rule *r, const struct mtx_term *t, const char *label)
{
    struct py_version v;
    if (!jdg_no_file(j) || !j->p->python_version || !leading_version(j, j->p->python_version, &v)) return;
    struct py_version minor = v;
    if (minor.nrelease > 2) minor.nrelease = 2;
    if (py_specset_contains(&t->specs, &minor)) return;
    struct mdl_finding *f = report(j, r, MDL_UNAVAILABLE, "R-PY-TAG", label, jdg_text(j, "%s has files for Python %s, there is %s", label, t->text, j->p->python_version));
    f->fix_text = jdg_text(j, "Python %s, or a release for Python %s", t->text, j->p->python_version);
}

/* A row about CUDA 12 does not speak of a build that says it is for CUDA 11. */
static bool of_other_build(const struct jdg_pkg *pkg, const struct mtx_term *t)
{
    if (!pkg || !pkg->variant_stated || !pkg->cuda || strncmp(t->name, "cuda", 4) != 0) return false;
    return jdg_cuda_major(pkg->cuda) != jdg_cuda_major(t->name + 4);
}

/* What links CUDA 12 runs on no driver older than CUDA 12, wherever the libraries come from. */
static void needs_driver_of(struct jdg *j, const struct mtx_rule *r, const struct mtx_term *t, const char *label)
{
    const char *major = t->name + 4;
    bool whole = j->driver && strchr(j->driver, '.') && !j->tegra;
    struct mtx_answer a = { .value = PY_UNKNOWN };
    if (whole) a = mtx_driver_runs_cuda(j->m, j->driver_os, gf_slice_of(j->driver), gf_slice_of(jdg_text(j, "%s.0", major)));
    else if (j->driver_cuda) a.value = jdg_cuda_major(j->driver_cuda) >= jdg_cuda_major(major) ? PY_YES : PY_NO;
    if (a.value != PY_NO || jdg_cuda_major(major) < 11) return;
    struct mdl_finding *f = report(j, r, MDL_INCOMPATIBLE, "R-DRV-MAJOR", jdg_text(j, "%s with driver %s", label, j->driver ? j->driver : "of unknown number"),
                                   jdg_text(j, "%s needs CUDA %s, which driver %s does not run", label, major, j->driver ? j->driver : j->driver_cuda));
    jdg_source(j, f, a.source);
    f->fix_text = jdg_text(j, "a driver for CUDA %s, or a release of %s for an older CUDA", major, r->package);
}

static void needs_part(struct jdg *j, const struct mtx_rule *r, const struct mtx_term *t, const char *label)
{
    struct jdg_part part = jdg_part_of(j, t->name);
    if (part.there == PY_UNKNOWN) {
        mdl_verdict_miss(j->v, jdg_text(j, "whether %s is there, which %s needs", jdg_part_text(j, t->name), label));
        return;
    }
    bool cudnn = strncmp(t->name, "cudnn", 5) == 0;
    const char *want = jdg_text(j, "%s%s%s", jdg_part_text(j, t->name), t->text && strcmp(t->text, "*") != 0 ? " " : "", t->text && strcmp(t->text, "*") != 0 ? t->text : "");
    struct py_version v;
    bool fits = part.there == PY_YES && (!t->specs.n || !part.version || !leading_version(j, part.version, &v) || py_specset_contains(&t->specs, &v));
    if (fits || (part.there == PY_YES && !cudnn)) return;
    struct mdl_finding *f = report(j, r, MDL_INCOMPATIBLE, cudnn && (part.there == PY_YES || part.other) ? "R-CUDNN" : "R-LIB", label,
                                   jdg_text(j, "%s needs %s; there is %s", label, want, part.other ? part.other : part.version ? part.version : "none"));
    if (strcmp(f->rule, "R-CUDNN") == 0 && !part.by_package && part.there == PY_NO) f->rule = "R-LIB";
    if (part.from) jdg_fact(j, f, "%s", part.from);
    const char *const *providers;
    size_t n = mtx_providers(j->m, t->name, &providers);
    if (n) jdg_command(j, f, "pip install %s", providers[0]);
    f->fix_text = jdg_text(j, "bring %s along, or take a release of %s made for what is there", want, r->package);
}

static void judge_needs(struct jdg *j, const struct mtx_rule *r, const struct jdg_pkg *pkg, const char *label)
{
    const struct mdl_profile *p = j->p;
    for (size_t i = 0; i < r->nterms; i++)
        if (of_other_build(pkg, &r->terms[i])) return;
    for (size_t i = 0; i < r->nterms; i++) {
        const struct mtx_term *t = &r->terms[i];
        if (strcmp(t->name, "driver") == 0) {
            if (strcmp(j->driver_os, j->os) == 0 && !j->tegra && !(pkg && pkg->cuda)) needs_number(j, r, t, label, j->driver, "driver", "R-DRV-MAJOR");
        } else if (strcmp(t->name, "gpu") == 0) needs_gpu(j, r, t, label);
        else if (strcmp(t->name, "glibc") == 0) needs_number(j, r, t, label, j->glibc, "glibc", "R-GLIBC");
        else if (strcmp(t->name, "kernel") == 0) needs_number(j, r, t, label, p->kernel, "kernel", "R-KERNEL");
        else if (strcmp(t->name, "python") == 0) needs_python(j, r, t, label);
        else if (strcmp(t->name, "cann") == 0) needs_number(j, r, t, label, p->cann, "CANN", "R-NPU-CANN");
        else if (strcmp(t->name, "cpu") == 0) needs_number(j, r, t, label, p->cpu_level ? jdg_text(j, "%d", p->cpu_level) : NULL, "CPU level x86-64-v", "R-CPU");
        else if (jdg_is_part(t->name)) {
            if (strncmp(t->name, "cuda", 4) == 0 && !(pkg && pkg->cuda) && !jdg_found(j, "R-DRV-MAJOR")) needs_driver_of(j, r, t, label);
            needs_part(j, r, t, label);
        }
    }
}

/* ---- what a package does not go with ---- */

static void judge_constraint(struct jdg *j, const struct mtx_rule *r, const struct mtx_term *t, const char *label)
{
    const struct jdg_pkg *other = jdg_pkg(j, t->name);
    if (!other || !other->has_version || within(&t->specs, &other->version)) return;
    bool library = strncmp(t->name, "nvidia-", 7) == 0;
    const char *rule = !library ? rule_id(r, "R-PAIR") : strncmp(t->name, "nvidia-cudnn", 12) == 0 ? "R-CUDNN" : "R-LIB";
    if (library && jdg_found(j, rule)) return;
    struct mdl_finding *f = report(j, r, MDL_INCOMPATIBLE, rule, jdg_text(j, "%s and %s", label, other->label),
                                   jdg_text(j, "%s goes with %s %s, there is %s", label, t->name, t->text ? t->text : "", other->label));
    f->fix_text = jdg_text(j, "install %s %s", t->name, t->text ? t->text : "");
    jdg_command(j, f, "pip install '%s%s'", t->name, t->text ? t->text : "");
}

static void judge_addition(struct jdg *j, const struct mtx_rule *r, const struct mtx_term *t, const char *label)
{
    if (jdg_pkg(j, t->name)) judge_constraint(j, r, t, label);
    else if (j->list_complete) {
        struct mdl_finding *f = report(j, r, MDL_INCOMPATIBLE, rule_id(r, "R-LIB"), label, jdg_text(j, "%s needs %s, which is not installed and no metadata asks for", label, t->name));
        if (j->p->nvcc || j->p->nvcc_known == MDL_UNKNOWN) f->level = MDL_WARNING; /* a toolkit of the system may hold it */
        f->fix_text = jdg_text(j, "install %s", t->name);
        jdg_command(j, f, "pip install '%s%s'", t->name, t->text && strcmp(t->text, "*") != 0 ? t->text : "");
    }
}

static void judge_exclusion(struct jdg *j, const struct mtx_rule *r, const struct mtx_term *t, const struct jdg_pkg *pkg)
{
    const struct jdg_pkg *other = jdg_pkg(j, t->name);
    if (!other) return;
    if (t->specs.n && (!other->has_version || !within(&t->specs, &other->version))) return;
    if (other == pkg) {
        struct mdl_finding *f = report(j, r, MDL_INCOMPATIBLE, rule_id(r, "R-KNOWN-BAD"), pkg->label, jdg_text(j, "%s is known not to work here", pkg->label));
        f->fix_text = jdg_text(j, "another release of %s", pkg->name);
        return;
    }
    if (jdg_found_pair(j, pkg->label, other->label)) return;
    struct mdl_finding *f = report(j, r, MDL_INCOMPATIBLE, "R-DIST-CONFLICT", jdg_text(j, "%s and %s", pkg->label, other->label),
                                   jdg_text(j, "%s and %s do not go into one environment", pkg->label, other->label));
    f->fix_text = jdg_text(j, "keep one of them: remove both, then install that one again");
    jdg_command(j, f, "pip uninstall -y %s %s", pkg->p->name, other->p->name);
    if (pkg->has_version) jdg_command(j, f, "pip install --force-reinstall --no-deps %s==%s", pkg->p->name, pkg->p->version);
}

bool jdg_found_pair(const struct jdg *j, const char *a, const char *b)
{
    for (size_t i = 0; i < j->v->nfindings; i++) {
        const char *about = j->v->findings[i].about;
        if (about && strstr(about, " and ") && strstr(about, a) && strstr(about, b)) return true;
    }
    return false;
}

static void judge_rule(struct jdg *j, const struct mtx_rule *r, const struct jdg_pkg *pkg, const char *label)
{
    switch (r->kind) {
    case MTX_REQUIRES: judge_needs(j, r, pkg, label); break;
    case MTX_CONSTRAINS:
        for (size_t i = 0; i < r->nterms; i++) judge_constraint(j, r, &r->terms[i], label);
        break;
    case MTX_ADDS:
        for (size_t i = 0; i < r->nterms; i++) judge_addition(j, r, &r->terms[i], label);
        break;
    case MTX_EXCLUDES:
    case MTX_REPLACES:
        for (size_t i = 0; pkg && i < r->nterms; i++) judge_exclusion(j, r, &r->terms[i], pkg);
        break;
    case MTX_PROVIDES:
    case MTX_NEEDS_AT_RUN:
    case MTX_OFTEN: break;
    }
}

static bool for_this(struct jdg *j, const struct mtx_rule *r, const struct jdg_pkg *pkg)
{
    if (r->versions.n && (!pkg->has_version || !within(&r->versions, &pkg->version))) return false;
    if (r->variant && (!pkg->variant || strcmp(r->variant, pkg->variant) != 0)) return false;
    return jdg_eval(j, r->when, NULL) == PY_YES;
}

void jdg_link_rules(struct jdg *j)
{
    for (size_t i = 0; i < j->pkgs.n; i++) {
        const struct jdg_pkg *pkg = &j->pkgs.v[i];
        const struct mtx_rule *const *rules;
        bool cpu = pkg->variant_stated && strcmp(pkg->variant, "cpu") == 0;
        size_t n = mtx_rules_for(j->m, pkg->name, &rules);
        for (size_t k = 0; k < n; k++)
            if (!(cpu && rules[k]->kind == MTX_REQUIRES) && for_this(j, rules[k], pkg)) judge_rule(j, rules[k], pkg, pkg->label);
    }
}
