#include "model/profile.h"

/* --- GPUs ------------------------------------------------------------------------------------------------------------ */
/* Letters and digits of a product name without the vendor's: "NVIDIA GeForce RTX 3090" and "GeForce RTX 3090" are one. */
struct plain_name {
    char p[96];
    size_t n;
    bool cut; /* a tool cut it: "Tesla V100-SXM2..." */
};

static gf_slice without(gf_slice s, gf_slice word) { return gf_slice_starts(s, word) ? gf_slice_from(s, word.n) : s; }

static struct plain_name plain(const char *name)
{
    gf_slice s = gf_slice_trim(gf_slice_of(name));
    struct plain_name out = { .n = 0 };
    if (gf_slice_ends(s, GF_S("...")) || gf_slice_ends(s, GF_S("…"))) {
        out.cut = true;
        s.n -= 3; /* both are three bytes long */
    }
    s = without(without(without(s, GF_S("NVIDIA ")), GF_S("AMD ")), GF_S("Tesla "));
    for (size_t i = 0; i < s.n && out.n < sizeof out.p; i++)
        if (gf_is_alnum((unsigned char)s.p[i])) out.p[out.n++] = gf_lower(s.p[i]);
    return out;
}

static bool names_agree(const char *a, const char *b)
{
    if (!a || !b) return true;
    struct plain_name x = plain(a), y = plain(b);
    size_t n = x.n < y.n ? x.n : y.n;
    if (memcmp(x.p, y.p, n) != 0) return false;
    return x.n == y.n || (x.n < y.n ? x.cut : y.cut);
}

static bool agree(const char *a, const char *b) { return !a || !b || strcmp(a, b) == 0; }

static bool memory_agrees(int64_t a, int64_t b)
{
    int64_t d = a > b ? a - b : b - a;
    return !a || !b || d <= (a > b ? a : b) / 8; /* tools differ in what they leave out */
}

static bool gpus_agree(const struct mdl_gpu *a, const struct mdl_gpu *b)
{
    return agree(a->vendor, b->vendor) && agree(a->pci, b->pci) && agree(a->cc, b->cc) && agree(a->gfx, b->gfx) && names_agree(a->name, b->name) &&
           memory_agrees(a->memory_mib, b->memory_mib);
}

static void fill_text(struct gf_arena *a, const char **to, const char *from)
{
    if (!*to && from) *to = gf_arena_strz(a, from);
}

/* "enabled" < the memory of each instance < their profiles */
static int mig_detail(const char *mig) { return !mig ? 0 : strcmp(mig, "enabled") == 0 ? 1 : strstr(mig, "MiB") ? 2 : 3; }

static void refine_gpu(struct gf_arena *a, struct mdl_gpu *to, const struct mdl_gpu *from)
{
    if (from->name && to->name && plain(to->name).cut && !plain(from->name).cut) to->name = NULL;
    fill_text(a, &to->name, from->name);
    fill_text(a, &to->vendor, from->vendor);
    fill_text(a, &to->pci, from->pci);
    fill_text(a, &to->cc, from->cc);
    fill_text(a, &to->gfx, from->gfx);
    if (mig_detail(from->mig) > mig_detail(to->mig)) to->mig = NULL;
    fill_text(a, &to->mig, from->mig);
    fill_text(a, &to->vgpu, from->vgpu);
    if (!to->memory_mib) to->memory_mib = from->memory_mib;
}

static struct mdl_gpu copy_gpu(struct gf_arena *a, const struct mdl_gpu *g)
{
    struct mdl_gpu to = { .memory_mib = g->memory_mib };
    refine_gpu(a, &to, g);
    return to;
}

#define MAX_GPUS 1024 /* of one machine; more is noise */

/* Each of the few gets one of the many, in order where that works; false when one finds none. ret[i] is the partner of few[i]. */
static bool pair_up(const struct mdl_gpu *few, size_t nfew, const struct mdl_gpu *many, size_t nmany, size_t ret[MAX_GPUS])
{
    bool taken[MAX_GPUS] = { false };
    for (size_t i = 0; i < nfew; i++) {
        size_t k = i;
        if (taken[k] || !gpus_agree(&few[i], &many[k]))
            for (k = 0; k < nmany && (taken[k] || !gpus_agree(&few[i], &many[k]));) k++;
        if (k == nmany) return false;
        taken[k] = true;
        ret[i] = k;
    }
    return true;
}

static void add_names(struct gf_buf *out, const struct mdl_gpu *v, size_t n, const char *from)
{
    for (size_t i = 0; i < n && i < 8; i++) gf_buf_addf(out, "%s%s", i ? " + " : "", v[i].name ? v[i].name : v[i].pci ? v[i].pci : v[i].cc ? v[i].cc : "a GPU");
    gf_buf_addf(out, "%s (%s)", n > 8 ? " …" : "", from ? from : "unknown");
}

static void gpus_clash(struct mdl_profile *p, const struct mdl_gpu *v, size_t n, const char *from)
{
    GF_BUF_SCOPE struct gf_buf s;
    gf_buf_init(&s, 8192);
    gf_buf_adds(&s, "gpus are ");
    if (p->ngpus) add_names(&s, p->gpus, p->ngpus, mdl_profile_origin(p, "gpus"));
    else gf_buf_addf(&s, "none (%s)", mdl_profile_origin(p, "gpus") ? mdl_profile_origin(p, "gpus") : "unknown");
    gf_buf_adds(&s, " and ");
    add_names(&s, v, n, from);
    mdl_profile_add_conflict(p, gf_buf_str(&s));
}

static void overlay(struct mdl_profile *p, const struct mdl_gpu *v, size_t n, const size_t *pair)
{
    for (size_t i = 0; i < n; i++) refine_gpu(&p->mem, &p->gpus[pair[i]], &v[i]);
}

/* The longer list in its own order, each refined by what was known of it. */
static void extend(struct mdl_profile *p, const struct mdl_gpu *v, size_t n, const size_t *pair, const char *from)
{
    struct mdl_gpu *old = p->gpus;
    size_t nold = p->ngpus;
    p->gpus = NULL;
    p->ngpus = 0;
    for (size_t i = 0; i < n; i++) mdl_profile_add_gpu(p, copy_gpu(&p->mem, &v[i]));
    overlay(p, old, nold, pair);
    if (from) mdl_profile_set_origin(p, "gpus", from);
}

void mdl_profile_merge_gpus(struct mdl_profile *p, const struct mdl_gpu *v, size_t n, const char *from)
{
    size_t pair[MAX_GPUS];
    if (n > MAX_GPUS) n = MAX_GPUS;
    if (!n) return;
    if (p->gpus_known == MDL_ABSENT || p->ngpus > MAX_GPUS) gpus_clash(p, v, n, from);
    if (n > p->ngpus && pair_up(p->gpus, p->ngpus, v, n, pair)) extend(p, v, n, pair, from);
    else if (n <= p->ngpus && pair_up(v, n, p->gpus, p->ngpus, pair)) overlay(p, v, n, pair);
    else gpus_clash(p, v, n, from);
}

/* --- packages ---------------------------------------------------------------------------------------------------------- */
static struct mdl_package copy_package(struct gf_arena *a, const struct mdl_package *p)
{
    struct mdl_package to = *p;
    const char **list = gf_arena_array(a, p->narch ? p->narch : 1, sizeof *list);
    for (size_t i = 0; i < p->narch; i++) list[i] = gf_arena_strz(a, p->arch_list[i]);
    to.arch_list = list;
    to.name = gf_arena_strz(a, p->name);
    to.version = gf_arena_strz(a, p->version);
    to.build = gf_arena_strz(a, p->build);
    to.origin = gf_arena_strz(a, p->origin);
    return to;
}

static bool more_exact(const char *have, const char *other)
{
    size_t n = strlen(have);
    return strncmp(have, other, n) == 0 && (other[n] == '+' || other[n] == '.');
}

static void refine_package(struct mdl_profile *p, struct mdl_package *to, const struct mdl_package *from, const char *seen)
{
    bool differ = to->version && from->version && strcmp(to->version, from->version) != 0;
    if (differ && !more_exact(to->version, from->version) && !more_exact(from->version, to->version)) {
        mdl_profile_add_conflict(p, gf_arena_printf(&p->mem, "%s is %s (%s) and %s (%s)", to->name, to->version, to->origin ? to->origin : "unknown", from->version,
                                                    seen ? seen : "unknown"));
        return;
    }
    struct mdl_package more = copy_package(&p->mem, from);
    if (!to->version || (differ && more_exact(to->version, from->version))) to->version = more.version;
    if (!to->build) to->build = more.build;
    if (!to->narch) {
        to->arch_list = more.arch_list;
        to->narch = more.narch;
    }
    if (to->cxx11abi_known == MDL_UNKNOWN) {
        to->cxx11abi_known = more.cxx11abi_known;
        to->cxx11abi = more.cxx11abi;
    }
    if (!to->origin) to->origin = more.origin;
}

void mdl_profile_merge_package(struct mdl_profile *p, const struct mdl_package *pkg, const char *from)
{
    struct mdl_package one = *pkg;
    one.name = py_name_normalize(&p->mem, gf_slice_of(pkg->name));
    for (size_t i = 0; i < p->npackages; i++)
        if (strcmp(p->packages[i].name, one.name) == 0) {
            refine_package(p, &p->packages[i], &one, from);
            return;
        }
    mdl_profile_add_package(p, copy_package(&p->mem, &one));
}

void mdl_profile_add_os_package(struct mdl_profile *p, struct mdl_package pkg)
{
    for (size_t i = 0; i < p->nos_packages; i++)
        if (strcmp(p->os_packages[i].name, pkg.name) == 0) return;
    p->os_packages = mdl_profile_grow(p, p->os_packages, p->nos_packages, sizeof pkg);
    p->os_packages[p->nos_packages++] = copy_package(&p->mem, &pkg);
}
