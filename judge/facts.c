/* The facts of a profile as variables of conditions: os, arch, gpu, driver, cuda, python, … and any package by its name (- written _). */
#include "judge/facts.h"

static const char *tri_word(enum py_tri t) { return t == PY_YES ? "yes" : t == PY_NO ? "no" : NULL; }

static const char *any_geforce(const struct jdg *j)
{
    enum py_tri any = PY_NO;
    for (size_t i = 0; i < j->gpus.n; i++) any = py_or(any, j->gpus.v[i].geforce);
    return j->gpus.n ? tri_word(any) : NULL;
}

static const char *gpu_vendor(const struct jdg *j)
{
    for (size_t i = 0; i < j->gpus.n; i++) {
        if (j->gpus.v[i].nvidia) return "nvidia";
        if (j->gpus.v[i].g->gfx) return "amd";
        if (j->gpus.v[i].g->vendor) return j->gpus.v[i].g->vendor;
        if (gf_slice_ifind(gf_slice_of(j->gpus.v[i].g->name), GF_S("ascend")) >= 0) return "huawei";
    }
    return j->p->gpus_known == MDL_ABSENT ? "none" : NULL;
}

static const char *from_profile(struct jdg *j, gf_slice name)
{
    const struct mdl_profile *p = j->p;
    const struct { const char *name, *value; } table[] = {
        { "os", j->os_unknown ? NULL : j->os },
        { "distro", p->os_id },
        { "distro_version", p->os_version },
        { "arch", p->arch },
        { "libc", p->libc_name },
        { "glibc", p->libc_name && strcmp(p->libc_name, "glibc") != 0 ? NULL : j->glibc },
        { "kernel", p->kernel },
        { "driver", p->driver_known == MDL_ABSENT ? "none" : j->driver },
        { "flavour", j->flavour },
        { "cuda", j->driver_cuda },
        { "python", p->python_version },
        { "nvcc", p->nvcc },
        { "cudnn", p->cudnn },
        { "rocm", p->rocm },
        { "cann", p->cann },
        { "gcc", p->gcc },
        { "wsl", tri_word(p->wsl) },
        { "container", j->image ? "yes" : tri_word(p->container) },
        { "tegra", j->tegra ? "yes" : j->gpus.n || p->kernel ? "no" : NULL },
        { "geforce", any_geforce(j) },
        { "vendor", gpu_vendor(j) },
        { "secure_boot", tri_word(p->secure_boot) },
        { "nouveau", tri_word(p->nouveau) },
        { "nvswitch", tri_word(p->nvswitch) },
        { "runtime", p->container_runtime },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (gf_slice_is(name, table[i].name)) return table[i].value;
    return NULL;
}

static const char *numbers(struct jdg *j, gf_slice name)
{
    if (gf_slice_is(name, "gpus")) return j->gpus.n ? jdg_text(j, "%zu", j->gpus.n) : j->p->gpus_known == MDL_ABSENT ? "0" : NULL;
    if (gf_slice_is(name, "packages")) return jdg_text(j, "%zu", j->pkgs.n);
    if (gf_slice_is(name, "cpu")) return j->p->cpu_level ? jdg_text(j, "%d", j->p->cpu_level) : NULL;
    if (gf_slice_is(name, "page_size")) return j->p->page_size ? jdg_text(j, "%lld", (long long)j->p->page_size) : NULL;
    return NULL;
}

/* torch → its public version; torch_variant; torch_cuda; has_torch is yes or (with a complete list) no. */
static const char *from_packages(struct jdg *j, gf_slice name)
{
    gf_slice base = name;
    bool has = gf_try_lit(&base, GF_S("has_"));
    bool variant = !has && gf_slice_ends(base, GF_S("_variant")), cuda = !has && gf_slice_ends(base, GF_S("_cuda"));
    if (variant) base.n -= strlen("_variant");
    else if (cuda) base.n -= strlen("_cuda");
    const struct jdg_pkg *pkg = jdg_pkg(j, py_name_normalize(j->a, base));
    if (has) return pkg ? "yes" : j->list_complete ? "no" : NULL;
    if (!pkg) return NULL;
    if (variant) return pkg->variant;
    if (cuda) return pkg->cuda;
    return pkg->has_version ? py_version_public(j->a, &pkg->version) : NULL;
}

struct lookup {
    struct jdg *j;
    const struct jdg_gpu *gpu; /* the one asked about; NULL: the only capability there is */
    const struct jdg_captures *caps;
};

static bool capability(const struct lookup *l, gf_slice *ret)
{
    const struct jdg_gpu *gpu = l->gpu;
    for (size_t i = 0; !gpu && i < l->j->gpus.n; i++)
        if (l->j->gpus.v[i].has_cc) gpu = &l->j->gpus.v[i];
    if (!gpu || !gpu->has_cc) return false;
    *ret = gf_slice_of(jdg_text(l->j, "%u.%u", gpu->major, gpu->minor));
    return true;
}

static bool look_up(const void *arg, gf_slice name, gf_slice *ret)
{
    const struct lookup *l = arg;
    gf_slice key = name;
    for (size_t i = 0; l->caps && i < l->caps->n; i++)
        if (gf_slice_eq(l->caps->v[i].name, name)) {
            *ret = l->caps->v[i].value;
            return true;
        }
    if (gf_slice_is(name, "gpu")) return capability(l, ret);
    const char *value = from_profile(l->j, name);
    if (!value) value = numbers(l->j, name);
    if (!value && gf_try_lit(&key, GF_S("host_"))) value = jdg_host(l->j, gf_arena_str(l->j->a, key));
    else if (!value && gf_try_lit(&key, GF_S("image_"))) value = jdg_image(l->j, gf_arena_str(l->j->a, key));
    else if (!value) value = from_packages(l->j, name);
    if (!value) return false;
    *ret = gf_slice_of(value);
    return true;
}

enum py_tri jdg_eval(struct jdg *j, const struct py_marker *when, const struct jdg_captures *caps)
{
    if (!when) return PY_YES;
    struct lookup l = { j, NULL, caps };
    struct py_env env = { .lookup = look_up, .arg = &l };
    if (!py_marker_mentions(when, GF_S("gpu")) || j->gpus.n < 2) return py_marker_eval(when, &env, GF_NONE);
    enum py_tri all = PY_YES;
    for (size_t i = 0; i < j->gpus.n; i++) {
        l.gpu = &j->gpus.v[i];
        all = py_and(all, py_marker_eval(when, &env, GF_NONE));
    }
    return all;
}

const char *jdg_variable(struct jdg *j, const char *name, const struct jdg_captures *caps)
{
    struct lookup l = { j, NULL, caps };
    gf_slice value;
    return look_up(&l, gf_slice_of(name), &value) ? gf_arena_str(j->a, value) : NULL;
}
