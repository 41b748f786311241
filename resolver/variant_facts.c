/* What the target supports of the properties of wheel variants. The namespaces are those of the providers nvidia-variant-provider, provider-variant-x86-64 and
 * provider-variant-aarch64, whose README files say what a property means; features stand in the order of their output. */
#include "resolver/variants.h"

enum { NO = -1, MOST_ARCHS = 1000, BY_PTX = 100 };

static bool is(const struct py_variant_feature *f, const char *space, const char *name) { return strcmp(f->space, space) == 0 && strcmp(f->name, name) == 0; }

/* --- nvidia -------------------------------------------------------------------------------------------------------- */

/* NULL, or why no property of NVIDIA's can hold there. */
static const char *no_nvidia(const struct rsv_universe *u)
{
    const struct mdl_profile *f = u->p->profile;
    if (!u->p->gpu_rules) return "is for NVIDIA GPUs, and nothing is planned for a GPU";
    if (!f->ngpus) return "is for NVIDIA GPUs, and none of the target is known";
    for (size_t i = 0; i < f->ngpus; i++)
        if (f->gpus[i].vendor && strcmp(f->gpus[i].vendor, "nvidia") != 0) return "is for NVIDIA GPUs, and the target has another one";
    if (u->p->driver == RSV_DRIVER_NONE) return "needs NVIDIA's driver, and the target has none";
    return NULL;
}

/* "12.8" or "12" as a number that grows with it, "12" just below "12.0". */
static bool number_of(const char *value, int *ret)
{
    gf_slice s = gf_slice_of(value);
    uint64_t major = gf_take_u64(&s), minor = 0;
    bool has_minor = s.p && gf_try_char(&s, '.');
    if (has_minor) minor = gf_take_u64(&s);
    if (!s.p || s.n || major > 99 || minor > 99) return false;
    *ret = (int)major * 1000 + (int)minor * 2 + (has_minor ? 1 : 0);
    return true;
}

/* Does the driver run what was built with that CUDA, though it knows another itself. */
static bool runs_beyond(const struct rsv_universe *u, const char *cuda)
{
    const char *driver = u->p->profile->driver_version;
    return driver && mtx_driver_runs_cuda(u->p->matrix, u->driver_os, gf_slice_of(driver), gf_slice_of(cuda)).value == PY_YES;
}

static int place_of_bound(const struct rsv_variant_facts *f, const char *value, bool low)
{
    enum { HIGHEST = 100000 };
    const struct rsv_universe *u = f->u;
    int n;
    if (!number_of(value, &n)) return NO;
    if (u->p->driver == RSV_DRIVER_ANY) return HIGHEST - n;
    if (!u->driver_cuda) return NO;
    int order = gf_dotted_cmp(gf_slice_of(value), gf_slice_of(u->driver_cuda));
    if (low ? order <= 0 : order > 0) return HIGHEST - n;
    if (!f->beyond) return NO;
    if (!low) return 2 * HIGHEST - n;
    return runs_beyond(u, value) ? 2 * HIGHEST + n : NO; /* the nearest first */
}

/* "90_real" → sm_90, "120_virtual" → compute_120: as CMake names architectures. */
static const struct mtx_carries *carries_of(struct rsv_universe *u, const char *const *values, uint32_t n, const char *cuda)
{
    const char **list = GF_NEW_ARRAY(&u->mem, const char *, n + 1);
    size_t known = 0;
    for (uint32_t i = 0; i < n && known < MOST_ARCHS; i++) {
        gf_slice rest = gf_slice_of(values[i]), arch;
        if (!gf_slice_cut(&rest, '_', &arch)) continue;
        if (gf_slice_is(rest, "real")) list[known++] = gf_arena_printf(&u->mem, "sm_%.*s", GF_FMT(arch));
        else if (gf_slice_is(rest, "virtual")) list[known++] = gf_arena_printf(&u->mem, "compute_%.*s", GF_FMT(arch));
    }
    return mtx_carries_of_list(&u->mem, list, known, gf_slice_of(cuda));
}

/* How well one card is served: the nearest native code first, then what the driver compiles. */
static int place_of_card(const struct rsv_variant_facts *f, const struct py_variant_feature *arch, const struct mdl_gpu *g)
{
    struct rsv_universe *u = f->u;
    unsigned major, minor;
    if (!g->cc || !mtx_cc_parse(gf_slice_of(g->cc), &major, &minor)) return NO;
    const struct mtx_carries *all = carries_of(u, arch->values, arch->n, rsv_variant_bound(f->variant, true));
    struct mtx_coverage cover = mtx_covers(u->p->matrix, all, major, minor, gf_slice_of(u->driver_cuda));
    bool open = cover.runs == PY_UNKNOWN && u->p->driver == RSV_DRIVER_ANY;
    if (cover.how == MTX_PTX) return (cover.runs == PY_YES || open) && !f->beyond ? BY_PTX : NO;
    if (cover.runs != PY_YES) return NO;
    int best = BY_PTX - 1;
    for (uint32_t i = 0; i < arch->n; i++) {
        gf_slice s = gf_slice_of(arch->values[i]);
        uint64_t n = gf_take_u64(&s);
        if (!s.p || n / 10 != major || n % 10 > minor || !gf_slice_ends(s, GF_S("_real"))) continue;
        if ((int)(minor - n % 10) < best) best = (int)(minor - n % 10);
    }
    return best;
}

/* All cards must be served, and the one that is served worst counts. */
static int place_of_arch(const struct rsv_variant_facts *f, const struct py_variant_feature *arch)
{
    int worst = NO;
    for (size_t i = 0; i < f->u->p->profile->ngpus; i++) {
        int one = place_of_card(f, arch, &f->u->p->profile->gpus[i]);
        if (f->alone && one != NO) return one;
        if (!f->alone && one == NO) return NO;
        if (one > worst) worst = one;
    }
    return worst;
}

static int place_of_nvidia(const struct rsv_variant_facts *f, const struct py_variant_feature *x)
{
    bool low = is(x, "nvidia", "cuda_version_lower_bound"), high = is(x, "nvidia", "cuda_version_upper_bound");
    if (no_nvidia(f->u)) return NO;
    if (is(x, "nvidia", "sm_arch")) return place_of_arch(f, x);
    int best = NO;
    for (uint32_t i = 0; (low || high) && i < x->n; i++) {
        int one = place_of_bound(f, x->values[i], low);
        if (one != NO && (best == NO || one < best)) best = one;
    }
    return best;
}

/* --- CPUs -------------------------------------------------------------------------------------------------------- */

/* What the levels of x86-64 ask for (x86-64 psABI), by the names that Linux gives. */
static const struct { const char *flag; int level; } level_flags[] = {
    { "avx512f", 4 }, { "avx512bw", 4 }, { "avx512cd", 4 }, { "avx512dq", 4 }, { "avx512vl", 4 }, { "avx", 3 },    { "avx2", 3 },   { "bmi1", 3 },  { "bmi2", 3 },   { "f16c", 3 },
    { "fma", 3 },     { "abm", 3 },      { "lzcnt", 3 },    { "movbe", 3 },    { "xsave", 3 },    { "cx16", 2 },   { "lahf_lm", 2 }, { "popcnt", 2 }, { "pni", 2 },    { "sse3", 2 },
    { "ssse3", 2 },   { "sse4_1", 2 },   { "sse4_2", 2 },   { "sse", 1 },      { "sse2", 1 },     { "cmov", 1 },   { "mmx", 1 },
};
enum { NFLAGS = sizeof level_flags / sizeof level_flags[0] };

static int flag_number(const char *flag)
{
    int i = 0;
    while (i < NFLAGS && strcmp(level_flags[i].flag, flag) != 0) i++;
    return i;
}

/* A level that is not known is the first: all of them have it. */
static int level_of(const struct rsv_universe *u) { return u->p->profile->cpu_level ? u->p->profile->cpu_level : 1; }

static bool has_flag(const struct rsv_universe *u, const char *flag, bool x86)
{
    const struct mdl_profile *f = u->p->profile;
    for (size_t i = 0; i < f->ncpu_flags; i++)
        if (strcmp(f->cpu_flags[i], flag) == 0) return true;
    int n = flag_number(flag);
    return x86 && n < NFLAGS && level_flags[n].level <= level_of(u);
}

static int place_of_cpu(const struct rsv_variant_facts *f, const struct py_variant_feature *x, bool x86)
{
    const struct rsv_universe *u = f->u;
    if (!u->p->profile->arch || strcmp(u->p->profile->arch, x86 ? "x86_64" : "aarch64") != 0) return NO;
    int best = NO;
    for (uint32_t i = 0; i < x->n; i++) {
        const char *v = x->values[i];
        int one = NO;
        if (x86 && strcmp(x->name, "level") == 0 && v[0] == 'v' && v[1] >= '1' && v[1] <= '4' && !v[2] && v[1] - '0' <= level_of(u)) one = '4' - v[1];
        else if (!x86 && strcmp(x->name, "version") == 0 && strcmp(v, "8a") == 0) one = 0; /* what every aarch64 is; more is not among the facts */
        else if (strcmp(v, "on") == 0 && has_flag(u, x->name, x86)) one = 0;
        if (one != NO && (best == NO || one < best)) best = one;
    }
    return best;
}

/* --- what is asked -------------------------------------------------------------------------------------------------- */

static int place_of_value(const void *arg, const struct py_variant_feature *x)
{
    const struct rsv_variant_facts *f = arg;
    if (strcmp(x->space, "nvidia") == 0) return place_of_nvidia(f, x);
    bool x86 = strcmp(x->space, "x86_64") == 0;
    return x86 || strcmp(x->space, "aarch64") == 0 ? place_of_cpu(f, x, x86) : NO;
}

static int place_of_feature(const void *arg, const char *space, const char *name)
{
    static const char *const nvidia[] = { "cuda_version_lower_bound", "cuda_version_upper_bound", "sm_arch" };
    (void)arg;
    for (int i = 0; strcmp(space, "nvidia") == 0 && i < 3; i++)
        if (strcmp(name, nvidia[i]) == 0) return i;
    if (strcmp(name, "level") == 0 || strcmp(name, "version") == 0) return 0;
    return 1 + flag_number(name);
}

struct py_variant_target rsv_variant_target(const struct rsv_variant_facts *f) { return (struct py_variant_target){ place_of_value, place_of_feature, f }; }

const char *rsv_variant_bound(const struct py_variant *v, bool low)
{
    const char *best = NULL;
    for (uint32_t i = 0; i < v->n; i++)
        for (uint32_t k = 0; is(&v->features[i], "nvidia", low ? "cuda_version_lower_bound" : "cuda_version_upper_bound") && k < v->features[i].n; k++) {
            const char *value = v->features[i].values[k];
            int c = best ? gf_dotted_cmp(gf_slice_of(value), gf_slice_of(best)) : 0;
            if (!best || (low ? c < 0 : c > 0)) best = value;
        }
    return best;
}

const struct mtx_carries *rsv_variant_carries(struct rsv_universe *u, const struct py_variant *v)
{
    for (uint32_t i = 0; i < v->n; i++)
        if (is(&v->features[i], "nvidia", "sm_arch")) return carries_of(u, v->features[i].values, v->features[i].n, rsv_variant_bound(v, true));
    return NULL;
}

/* --- what is lacking --------------------------------------------------------------------------------------------- */

static char *joined(struct gf_arena *a, const struct py_variant_feature *x)
{
    GF_BUF_SCOPE struct gf_buf out;
    gf_buf_init(&out, 400);
    for (uint32_t i = 0; i < x->n && out.n < 300; i++) gf_buf_addf(&out, "%s%s", i ? ", " : "", x->values[i]);
    return gf_arena_str(a, gf_buf_slice(&out));
}

static const char *lacks_nvidia(const struct rsv_variant_facts *f, const struct py_variant_feature *x)
{
    struct rsv_universe *u = f->u;
    const char *none = no_nvidia(u);
    bool low = is(x, "nvidia", "cuda_version_lower_bound");
    if (none) return none;
    if (low || is(x, "nvidia", "cuda_version_upper_bound")) {
        if (!u->driver_cuda) return "states bounds for the driver's CUDA, which is not known";
        return gf_arena_printf(&u->mem, low ? "needs CUDA %s of the driver, which knows %s" : "is for drivers below CUDA %s, the target's knows %s", joined(&u->mem, x), u->driver_cuda);
    }
    for (size_t i = 0; is(x, "nvidia", "sm_arch") && i < u->p->profile->ngpus; i++) {
        const struct mdl_gpu *g = &u->p->profile->gpus[i];
        if (place_of_card(f, x, g) == NO) return gf_arena_printf(&u->mem, "has code for %s, none of which runs on %s", joined(&u->mem, x), g->cc ? g->cc : "a GPU of unknown capability");
    }
    return gf_arena_printf(&u->mem, "needs nvidia :: %s, whose meaning is not known here", x->name);
}

static const char *lacks(const struct rsv_variant_facts *f, const struct py_variant_feature *x)
{
    struct rsv_universe *u = f->u;
    bool x86 = strcmp(x->space, "x86_64") == 0;
    if (strcmp(x->space, "nvidia") == 0) return lacks_nvidia(f, x);
    if (!x86 && strcmp(x->space, "aarch64") != 0) return gf_arena_printf(&u->mem, "needs %s :: %s, and what '%s' means is not known here", x->space, x->name, x->space);
    if (!u->p->profile->arch || strcmp(u->p->profile->arch, x->space) != 0) return gf_arena_printf(&u->mem, "is for %s", x->space);
    if (x86 && strcmp(x->name, "level") == 0 && u->p->profile->cpu_level)
        return gf_arena_printf(&u->mem, "needs a CPU of x86-64-%s, the target's is v%d", joined(&u->mem, x), u->p->profile->cpu_level);
    return gf_arena_printf(&u->mem, "needs %s :: %s :: %s of the CPU, which is not known of the target", x->space, x->name, joined(&u->mem, x));
}

const char *rsv_variant_lacks(const struct rsv_variant_facts *f)
{
    for (uint32_t i = 0; i < f->variant->n; i++)
        if (place_of_value(f, &f->variant->features[i]) == NO) return lacks(f, &f->variant->features[i]);
    return NULL;
}
