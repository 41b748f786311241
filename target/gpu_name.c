#include "target/facts.h"

#define MAX_PRODUCTS 64

struct products {
    const struct mtx_gpu *v[MAX_PRODUCTS];
    size_t n;
};

static bool same(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

static bool one_capability(const struct products *f)
{
    for (size_t i = 1; i < f->n; i++)
        if (!same(f->v[0]->vendor, f->v[i]->vendor) || !same(f->v[0]->cc, f->v[i]->cc) || !same(f->v[0]->gfx, f->v[i]->gfx)) return false;
    return true;
}

static const char *capability(const struct mtx_gpu *g) { return g->cc ? g->cc : g->gfx ? g->gfx : "unknown"; }

static struct mdl_gpu from_row(struct gf_arena *a, const struct mtx_gpu *g)
{
    return (struct mdl_gpu){ .vendor = gf_arena_strz(a, g->vendor), .name = gf_arena_strz(a, g->name), .pci = gf_arena_strz(a, g->pci), .cc = gf_arena_strz(a, g->cc),
                             .gfx = gf_arena_strz(a, g->gfx), .memory_mib = g->memory_mib };
}

/* "sm_86", "8.6", "sm_120a": a capability in so many words. Bare "86" too, but "3090" is a name. */
static bool looks_like_cc(gf_slice s)
{
    if (gf_slice_starts(s, GF_S("sm_")) || gf_slice_starts(s, GF_S("compute_"))) return true;
    if (s.n > 4 || !s.n || !gf_is_digit((unsigned char)s.p[0])) return false;
    return gf_slice_chr(s, '.') > 0 || s.n <= 2;
}

static int take_cc(struct mtx *m, gf_slice text, struct mdl_profile *p, struct gf_err *err)
{
    unsigned major, minor;
    if (!mtx_cc_parse(text, &major, &minor) || !mtx_cc_known(m, major, minor))
        return gf_fail(err, GF_E_USAGE, "--gpu '%.*s': there is no GPU of that compute capability in the data; expected one like sm_86, 8.6 or sm_120", GF_FMT(text));
    mdl_profile_add_gpu(p, (struct mdl_gpu){ .vendor = "nvidia", .cc = gf_arena_printf(&p->mem, "%u.%u", major, minor) });
    return 0;
}

static void list_products(const struct products *f, struct gf_buf *out)
{
    for (size_t i = 0; i < f->n; i++)
        gf_buf_addf(out, "%s%s (%s%s%s)", i ? ", " : "", f->v[i]->pci ? f->v[i]->pci : f->v[i]->name, f->v[i]->chip ? f->v[i]->chip : "", f->v[i]->chip ? ", " : "", capability(f->v[i]));
}

static int several(gf_slice text, const struct products *f, struct gf_err *err)
{
    GF_BUF_SCOPE struct gf_buf list;
    gf_buf_init(&list, GF_CAP_ERROR);
    list_products(f, &list);
    return gf_fail(err, GF_E_USAGE, "--gpu '%.*s' names products that differ in compute capability: %s; give the PCI id of yours ('lspci -nn' or 'cat /sys/bus/pci/devices/*/device')",
                   GF_FMT(text), gf_buf_str(&list));
}

static int none_such(struct mtx *m, gf_slice text, struct gf_err *err)
{
    struct products near;
    near.n = mtx_gpu_nearest(m, text, near.v, 5);
    GF_BUF_SCOPE struct gf_buf list;
    gf_buf_init(&list, GF_CAP_ERROR);
    for (size_t i = 0; i < near.n; i++) gf_buf_addf(&list, "%s%s", i ? ", " : "", near.v[i]->name);
    return gf_fail(err, GF_E_USAGE, "there is no GPU '%.*s' in the catalogue%s%s; a PCI id (10de:2204) or a compute capability (sm_86) will do too", GF_FMT(text),
                   near.n ? "; the nearest names: " : "", gf_buf_str(&list));
}

static void note_choice(struct mdl_profile *p, gf_slice text, const struct products *f, const char ***notes, size_t *n)
{
    GF_BUF_SCOPE struct gf_buf s;
    gf_buf_init(&s, GF_CAP_ERROR);
    gf_buf_addf(&s, "'%.*s' names %zu products, all of %s: ", GF_FMT(text), f->n, capability(f->v[0]));
    for (size_t i = 0; i < f->n && i < 6; i++) gf_buf_addf(&s, "%s%s", i ? ", " : "", f->v[i]->pci ? f->v[i]->pci : f->v[i]->name);
    gf_buf_addf(&s, "%s; took the first", f->n > 6 ? " …" : "");
    *notes = mdl_profile_grow(p, (void *)*notes, *n, sizeof **notes);
    (*notes)[(*n)++] = gf_arena_str(&p->mem, gf_buf_slice(&s));
}

static int take_one(struct mtx *m, gf_slice text, struct mdl_profile *p, const char ***notes, size_t *nnotes, struct gf_err *err)
{
    if (!text.n) return gf_fail(err, GF_E_USAGE, "--gpu is empty; expected a name, a PCI id or a compute capability");
    if (looks_like_cc(text)) return take_cc(m, text, p, err);
    if (gf_slice_starts(text, GF_S("gfx"))) {
        mdl_profile_add_gpu(p, (struct mdl_gpu){ .vendor = "amd", .gfx = gf_arena_str(&p->mem, text) });
        return 0;
    }
    struct products found;
    found.n = mtx_gpu_by_name(m, text, found.v, MAX_PRODUCTS);
    const struct mtx_gpu *by_id = found.n ? NULL : mtx_gpu_by_pci(m, text);
    if (by_id) {
        found.v[0] = by_id;
        found.n = 1;
    }
    if (!found.n) return none_such(m, text, err);
    if (!one_capability(&found)) return several(text, &found, err);
    struct mdl_gpu g = from_row(&p->mem, found.v[0]);
    for (size_t i = 1; i < found.n; i++)
        if (found.v[i]->memory_mib != g.memory_mib) g.memory_mib = 0;
    mdl_profile_add_gpu(p, g);
    if (found.n > 1) note_choice(p, text, &found, notes, nnotes);
    return 0;
}

int tgt_take_gpus(struct mtx *m, const char *const *texts, size_t n, struct mdl_profile *p, const char ***notes, size_t *nnotes, struct gf_err *err)
{
    if (!n) return 0;
    p->ngpus = 0;
    p->gpus = NULL;
    for (size_t i = 0; i < n; i++)
        if (take_one(m, gf_slice_trim(gf_slice_of(texts[i])), p, notes, nnotes, err)) return -1;
    mdl_profile_set_origin(p, "gpus", "command line");
    return 0;
}

static void fill(struct gf_arena *a, struct mdl_gpu *g, const struct products *f)
{
    const struct mtx_gpu *first = f->v[0];
    if (!g->vendor) g->vendor = gf_arena_strz(a, first->vendor);
    if (!one_capability(f)) return;
    if (!g->cc) g->cc = gf_arena_strz(a, first->cc);
    if (!g->gfx) g->gfx = gf_arena_strz(a, first->gfx);
}

/* Integrated GPUs have no PCI id; their drivers name the chip: "Orin (nvgpu)". */
const char *tgt_tegra_cc(gf_slice name)
{
    static const char *const chips[][2] = { { "Thor", "11.0" }, { "Orin", "8.7" }, { "Xavier", "7.2" }, { "TX2", "6.2" }, { "X2", "6.2" }, { "TX1", "5.3" }, { "X1", "5.3" }, { "Jetson Nano", "5.3" } };
    static const char *const signs[] = { "nvgpu", "Jetson", "Tegra", "Orin", "Xavier", "Thor" };
    bool tegra = false;
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) tegra |= gf_slice_has(name, gf_slice_of(signs[i]));
    for (size_t i = 0; tegra && i < sizeof chips / sizeof chips[0]; i++)
        if (gf_slice_has(name, gf_slice_of(chips[i][0]))) return chips[i][1];
    return NULL;
}

/* A vGPU type begins with the board's name: "T4-4C", "A100D-80C" (the 80 GB board), "A100-4-20C" (on a MIG instance of four slices). */
static void find_board(struct mtx *m, gf_slice type, struct products *found)
{
    for (int tries = 0; tries < 3 && !found->n; tries++) {
        ptrdiff_t dash = gf_slice_rchr(type, '-');
        if (dash > 0) type.n = (size_t)dash;
        else if (type.n > 1 && gf_is_alpha((unsigned char)type.p[type.n - 1])) type.n--;
        found->n = mtx_gpu_by_name(m, type, found->v, MAX_PRODUCTS);
    }
}

static void find_products(struct mtx *m, const struct mdl_gpu *g, struct products *found)
{
    const struct mtx_gpu *row = g->pci ? mtx_gpu_by_pci(m, gf_slice_of(g->pci)) : NULL;
    found->n = 0;
    if (row) found->v[found->n++] = row;
    else if (g->vgpu) find_board(m, gf_slice_of(g->vgpu), found);
    else if (g->name) found->n = mtx_gpu_by_name(m, gf_slice_of(g->name), found->v, MAX_PRODUCTS);
    if (found->n == MAX_PRODUCTS) found->n = 0; /* so little is said that there may be more */
}

void tgt_fill_gpus(struct mtx *m, struct mdl_profile *p)
{
    for (size_t i = 0; i < p->ngpus; i++) {
        struct mdl_gpu *g = &p->gpus[i];
        struct products found;
        const char *tegra = g->name && !g->cc ? tgt_tegra_cc(gf_slice_of(g->name)) : NULL;
        if (tegra) g->cc = tegra;
        find_products(m, g, &found);
        if (!found.n || (g->vendor && found.v[0]->vendor && strcmp(g->vendor, found.v[0]->vendor) != 0)) continue;
        if (g->pci && !g->name) g->name = gf_arena_strz(&p->mem, found.v[0]->name);
        fill(&p->mem, g, &found);
    }
}
