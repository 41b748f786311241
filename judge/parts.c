#include "judge/parts.h"

static size_t stem_of(const char *name)
{
    size_t n = strlen(name);
    while (n && gf_is_digit((unsigned char)name[n - 1])) n--;
    return n;
}

bool jdg_is_part(const char *name)
{
    static const char *const stems[] = { "cuda", "cudnn", "nccl", "tensorrt", "cann", "rocm" };
    size_t n = stem_of(name);
    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++)
        if (strlen(stems[i]) == n && strncmp(name, stems[i], n) == 0) return name[n] != 0;
    return false;
}

const char *jdg_part_text(struct jdg *j, const char *component)
{
    size_t n = stem_of(component);
    if (strncmp(component, "cudnn", 5) == 0) return jdg_text(j, "cuDNN %s", component + n);
    if (strncmp(component, "cuda", 4) == 0) return jdg_text(j, "CUDA %s", component + n);
    if (strncmp(component, "tensorrt", 8) == 0) return jdg_text(j, "TensorRT %s", component + n);
    return component;
}

/* One sighting of the component's family: the same major settles it, another one is remembered. */
static void seen(struct jdg *j, struct jdg_part *part, const char *component, const char *version, const char *from, bool by_package)
{
    size_t n = stem_of(component);
    bool same = jdg_cuda_major(version) == jdg_cuda_major(component + n);
    if (same && part->there != PY_YES) *part = (struct jdg_part){ PY_YES, by_package, version, from, NULL };
    else if (!same && part->there != PY_YES && !part->other) {
        part->there = PY_NO;
        part->by_package = by_package;
        part->other = jdg_text(j, "%s", from);
    }
}

static void from_rules(struct jdg *j, struct jdg_part *part, const char *component)
{
    size_t n = stem_of(component);
    for (size_t i = 0; i < j->pkgs.n; i++) {
        const struct jdg_pkg *pkg = &j->pkgs.v[i];
        const struct mtx_rule *const *rules;
        size_t nrules = mtx_rules_for(j->m, pkg->name, &rules);
        for (size_t k = 0; k < nrules; k++) {
            if (rules[k]->kind != MTX_PROVIDES || rules[k]->private_) continue;
            if (rules[k]->versions.n && (!pkg->has_version || !py_specset_contains(&rules[k]->versions, &pkg->version))) continue;
            for (size_t t = 0; t < rules[k]->nterms; t++) {
                const char *name = rules[k]->terms[t].name;
                if (strncmp(name, component, n) != 0 || stem_of(name) != n) continue;
                const char *version = pkg->has_version && rules[k]->terms[t].text ? mtx_provided_version(j->a, rules[k]->terms[t].text, &pkg->version) : NULL;
                seen(j, part, component, version && gf_is_digit((unsigned char)*version) ? version : name + n, pkg->label, true);
            }
        }
    }
}

struct jdg_part jdg_part_of(struct jdg *j, const char *component)
{
    struct jdg_part part = { .there = PY_UNKNOWN };
    const struct mdl_profile *p = j->p;
    const struct jdg_pkg *torch = jdg_pkg(j, "torch");
    bool cuda = strncmp(component, "cuda", 4) == 0, cudnn = strncmp(component, "cudnn", 5) == 0;
    from_rules(j, &part, component);
    if (torch && torch->variant && strcmp(torch->variant, "cpu") != 0) {
        if (cuda && torch->cuda) seen(j, &part, component, torch->cuda, jdg_text(j, "CUDA %s of %s", torch->cuda, torch->label), true);
        if (cudnn && torch->build && torch->build->cudnn)
            seen(j, &part, component, torch->build->cudnn, jdg_text(j, "cuDNN %s of %s", torch->build->cudnn, torch->label), true);
    }
    if (cuda && p->nvcc) seen(j, &part, component, p->nvcc, jdg_text(j, "CUDA %s of the system", p->nvcc), false);
    if (cudnn && p->cudnn) seen(j, &part, component, p->cudnn, jdg_text(j, "cuDNN %s of the system", p->cudnn), false);
    if (part.there != PY_UNKNOWN || !j->list_complete) return part;
    if (cuda && p->nvcc_known == MDL_ABSENT) part.there = PY_NO;
    if (cudnn && p->cudnn_known == MDL_ABSENT) part.there = PY_NO;
    return part;
}
