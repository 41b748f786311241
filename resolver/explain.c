#include "resolver/explain.h"

static const char *component_title(const char *name)
{
    return strncmp(name, "cuda", 4) == 0 && gf_is_digit((unsigned char)name[4]) ? "CUDA" : strncmp(name, "cudnn", 5) == 0 ? "cuDNN" : NULL;
}

char *rsv_package_text(struct rsv_universe *u, struct gf_arena *a, rsv_pkg pkg)
{
    const struct rsv_package *p = &u->pkg.v[pkg];
    switch (p->kind) {
    case RSV_ROOT: return gf_arena_strz(a, "your request");
    case RSV_EXTRA: return gf_arena_printf(a, "%s[%s]", p->name, p->extra);
    case RSV_DRIVER: return gf_arena_strz(a, "the driver");
    case RSV_VARIANT: return gf_arena_printf(a, "the %s family's variant", p->name);
    case RSV_POLICY: return gf_arena_printf(a, "policy '%s'", p->name);
    case RSV_DIST:
    case RSV_COMPONENT: break;
    }
    return gf_arena_strz(a, component_title(p->name) ? component_title(p->name) : p->name);
}

/* One interval of candidates: "2.11.0", "2.11.0 to 2.15.0". */
static void add_interval(const struct rsv_package *p, uint32_t from, uint32_t to, struct gf_buf *out)
{
    gf_buf_adds(out, rsv_shown(&p->c[from]));
    if (to - from > 1 && strcmp(rsv_shown(&p->c[from]), rsv_shown(&p->c[to - 1])) != 0) gf_buf_addf(out, " to %s", rsv_shown(&p->c[to - 1]));
}

char *rsv_set_text(struct rsv_universe *u, struct gf_arena *a, rsv_pkg pkg, rsv_set set)
{
    const struct rsv_package *p = &u->pkg.v[u->pkg.v[pkg].base];
    char *name = rsv_package_text(u, a, pkg);
    uint32_t count = rsv_set_count(set, p->n);
    if (p->kind == RSV_ROOT || p->kind == RSV_VARIANT || p->kind == RSV_POLICY) return name;
    if (!p->n || rsv_set_is_full(set)) return name;
    if (count == 0) return gf_arena_printf(a, "%s in a version that does not exist", name);
    if (count == p->n && p->kind == RSV_COMPONENT && component_title(p->name)) return gf_arena_printf(a, "%s %s", name, p->name + strcspn(p->name, "0123456789"));
    if (count == p->n) return p->n == 1 ? gf_arena_printf(a, "%s %s", name, rsv_shown(&p->c[0])) : gf_arena_printf(a, "every version of %s", name);
    GF_BUF_SCOPE struct gf_buf out;
    gf_buf_init(&out, 4000);
    gf_buf_addf(&out, "%s ", name);
    unsigned shown = 0;
    for (uint32_t i = 0; i < set.n; i += 2) {
        uint32_t from = set.b[i], to = i + 1 < set.n && set.b[i + 1] < p->n ? set.b[i + 1] : p->n;
        if (from >= to) break;
        if (shown == 4) {
            gf_buf_adds(&out, " …");
            break;
        }
        if (shown++) gf_buf_adds(&out, ", ");
        add_interval(p, from, to, &out);
    }
    return gf_arena_str(a, gf_buf_slice(&out));
}

static const char *python_text(struct rsv_universe *u, struct gf_arena *a)
{
    return gf_arena_printf(a, "Python %u.%u", u->platform.major, u->platform.minor);
}

/* What stands on the target's side of a driver requirement. */
static char *driver_state(struct rsv_universe *u, struct gf_arena *a)
{
    const struct mdl_profile *f = u->p->profile;
    if (u->p->driver == RSV_DRIVER_NONE) return gf_arena_strz(a, "the target has no driver and none will be installed");
    if (u->p->driver == RSV_DRIVER_KEEP && f->driver_version) return gf_arena_printf(a, "the target has %s", f->driver_version);
    return gf_arena_strz(a, "the plan may choose one");
}

static char *not_found_text(struct rsv_universe *u, struct gf_arena *a, const struct rsv_package *p)
{
    GF_BUF_SCOPE struct gf_buf out;
    gf_buf_init(&out, 2000);
    gf_buf_addf(&out, "no source has a project named %s (asked:", p->name);
    for (size_t i = 0; u->supply.index(u->supply.arg, i); i++) gf_buf_addf(&out, "%s %s", i ? "," : "", u->supply.index(u->supply.arg, i)->id);
    gf_buf_adds(&out, ")");
    return gf_arena_str(a, gf_buf_slice(&out));
}

/* What the project has instead: its newest versions. */
static char *there_are(struct gf_arena *a, const struct rsv_package *p)
{
    GF_BUF_SCOPE struct gf_buf out;
    gf_buf_init(&out, 2000);
    gf_buf_adds(&out, p->n ? "; there is no such version, there are" : "; the project has no files");
    unsigned shown = 0;
    const char *last = NULL;
    for (uint32_t i = p->n; i-- > 0 && shown < 6;) {
        const char *v = rsv_shown(&p->c[i]);
        if (p->c[i].replaces_by || (last && strcmp(last, v) == 0)) continue;
        gf_buf_addf(&out, "%s %s", shown++ ? "," : "", v);
        last = v;
    }
    if (p->n > shown) gf_buf_adds(&out, " …");
    return gf_arena_str(a, gf_buf_slice(&out));
}

/* "needs" the other side, by metadata, request or rule. */
static char *edge_text(struct rsv_universe *u, struct gf_arena *a, const struct rsv_incompat *inc, const struct rsv_reason *r)
{
    char *who = rsv_set_text(u, a, inc->terms[0].pkg, inc->terms[0].set);
    const struct rsv_package *dep = r->dep != RSV_NONE ? &u->pkg.v[r->dep] : NULL;
    const struct rsv_package *list = dep ? &u->pkg.v[dep->base] : NULL;
    const char *tail = "";
    if (dep && dep->kind == RSV_DRIVER) tail = gf_arena_printf(a, "; %s", driver_state(u, a));
    else if (list && list->missing) tail = gf_arena_printf(a, "; %s", not_found_text(u, a, list));
    else if (list && list->published && inc->nterms == 1) tail = there_are(a, list);
    if (r->kind == RSV_R_REQUEST) return gf_arena_printf(a, "you asked for %s%s", r->text, tail);
    if (r->kind == RSV_R_METADATA) return gf_arena_printf(a, "%s requires %s%s", who, r->text, tail);
    gf_slice why = gf_slice_of(r->why);
    if (gf_slice_ends(why, GF_S("."))) why.n--;
    return gf_arena_printf(a, "%s needs %s%s%.*s%s%s", who, r->text ? r->text : "another part", why.n ? " (" : "", GF_FMT(why), why.n ? ")" : "", tail);
}

static char *refused_text(struct rsv_universe *u, struct gf_arena *a, const char *who, const struct rsv_reason *r)
{
    const char *why = r->why ? gf_arena_printf(a, ": %s", r->why) : "";
    switch (r->kind) {
    case RSV_R_PYTHON: return gf_arena_printf(a, "%s needs Python %s, the target has %u.%u.%u", who, r->text ? r->text : "of another version", u->platform.major,
                                              u->platform.minor, u->platform.micro);
    case RSV_R_ABI: return gf_arena_printf(a, "%s has no wheel for %s", who, python_text(u, a));
    case RSV_R_PLATFORM: return gf_arena_printf(a, "%s has no wheel for %s", who, u->os);
    case RSV_R_ARCH: return gf_arena_printf(a, "%s has no wheel for %s", who, u->p->profile->arch);
    case RSV_R_LIBC:
        return gf_arena_printf(a, "%s needs glibc %s or newer, the target has %u.%u", who, r->text ? r->text : "of a newer release", u->platform.libc_major,
                               u->platform.libc_minor);
    case RSV_R_YANKED: return gf_arena_printf(a, "%s was withdrawn by its authors%s%s", who, r->text && *r->text ? ": " : "", r->text ? r->text : "");
    case RSV_R_SDIST: return gf_arena_printf(a, "%s comes as a source archive only, which the target would have to build", who);
    case RSV_R_NO_VARIANT: return gf_arena_printf(a, "%s has no wheel variant for this target: %s", who, r->text);
    case RSV_R_BINARY: return gf_arena_printf(a, "%s comes as wheels only and the request refuses those", who);
    case RSV_R_HASH: return gf_arena_printf(a, "%s has none of the digests that the request gives (--hash)", who);
    case RSV_R_NO_EXTRA: return gf_arena_printf(a, "%s has no extra '%s', which other versions have", who, r->text);
    case RSV_R_URL: return gf_arena_printf(a, "%s requires '%s'; only what is asked for itself may come from a URL: add it to the request if it is trusted", who, r->text);
    case RSV_R_METADATA_BAD: return gf_arena_printf(a, "%s: %s", who, r->text);
    case RSV_R_BUILD: return gf_arena_printf(a, "%s is a source archive that cannot be built there: %s", who, r->text);
    case RSV_R_GPU: return gf_arena_printf(a, "%s has no code for %s%s", who, r->text, why);
    case RSV_R_PTX: return gf_arena_printf(a, "%s has only PTX for %s, which the driver cannot compile%s", who, r->text, why);
    case RSV_R_CPU_BUILD: return gf_arena_printf(a, "%s is a CPU build without GPU code", who);
    case RSV_R_DRIVER_GPU: return gf_arena_printf(a, "%s does not serve %s%s", who, r->text, why);
    case RSV_R_FACT: return gf_arena_printf(a, "%s needs %s%s", who, r->text, why);
    case RSV_R_GPU_UNKNOWN: return gf_arena_printf(a, "the GPU code of %s is not known to the data set", who);
    default: return gf_arena_printf(a, "%s cannot be taken", who);
    }
}

const char *rsv_refusal_words(struct rsv_universe *u, struct gf_arena *a, const struct rsv_reason *r) { return refused_text(u, a, "", r) + 1; }

static const char *id_of(enum rsv_reason_kind k)
{
    static const char *const ids[] = { "requested", "constraint", "requires", "rule", "provides", "same-extra", "one-variant", "policy", "python-version", "no-wheel-for-python",
                                       "no-wheel-for-platform", "no-wheel-for-arch", "glibc-too-old", "yanked", "source-only", "no-variant", "wheels-only", "hash", "no-extra", "url", "not-found", "metadata-unreadable", "cannot-be-built",
                                       "no-gpu-code", "gpu-code-unknown", "ptx-needs-driver", "cpu-build", "driver", "driver-gpu", "fact" };
    return ids[k];
}

static void set_sources(struct gf_arena *a, struct mdl_reason *ret, const char *source)
{
    if (!source) return;
    const char **v = GF_NEW_ARRAY(a, const char *, 1);
    v[0] = source;
    ret->sources = (struct mdl_strings){ v, 1 };
}

static const char *source_of(struct rsv_universe *u, struct gf_arena *a, const struct rsv_incompat *inc, const struct rsv_reason *r)
{
    if (r->source) return gf_arena_strz(a, r->source);
    if (r->kind == RSV_R_METADATA) return gf_arena_printf(a, "metadata of %s", rsv_set_text(u, a, inc->terms[0].pkg, inc->terms[0].set));
    if (r->kind == RSV_R_PYTHON || r->kind == RSV_R_YANKED || r->kind == RSV_R_LIBC || r->kind == RSV_R_ABI) return "index";
    return NULL;
}

static char *apart_text(struct rsv_universe *u, struct gf_arena *a, const struct rsv_incompat *inc, const char *who, const char *why)
{
    static const char every[] = "every version of ";
    const char *other = rsv_set_text(u, a, inc->terms[1].pkg, inc->terms[1].set), *colon = why ? ": " : "";
    if (!why) why = "";
    if (strncmp(other, every, sizeof every - 1) == 0) return gf_arena_printf(a, "no version of %s goes with %s%s%s", other + sizeof every - 1, who, colon, why);
    return gf_arena_printf(a, "%s does not go with %s%s%s", other, who, colon, why);
}

bool rsv_reason_text(struct rsv_universe *u, struct gf_arena *a, const struct rsv_incompat *inc, struct mdl_reason *ret)
{
    if (inc->reason == RSV_NONE) return false;
    const struct rsv_reason *r = &u->reasons.v[inc->reason];
    char *who = rsv_set_text(u, a, inc->terms[0].pkg, inc->terms[0].set);
    *ret = (struct mdl_reason){ .id = r->rule ? gf_arena_strz(a, r->rule->id) : id_of(r->kind) };
    set_sources(a, ret, source_of(u, a, inc, r));
    switch (r->kind) {
    case RSV_R_POLICY:
    case RSV_R_SAME_EXTRA: return false;
    case RSV_R_REQUEST:
    case RSV_R_METADATA: ret->text = edge_text(u, a, inc, r); return true;
    case RSV_R_CONSTRAINT: ret->text = gf_arena_printf(a, "a constraint says %s", r->text); return true;
    case RSV_R_PROVIDES:
        if (inc->nterms < 2) return false;
        ret->text = gf_arena_printf(a, "%s brings %s", who, rsv_set_text(u, a, inc->terms[1].pkg, inc->terms[1].set));
        return u->pkg.v[inc->terms[1].pkg].kind == RSV_COMPONENT;
    case RSV_R_VARIANT: ret->text = gf_arena_printf(a, "%s is a %s build, and all of a family must be of one variant", who, r->text); return true;
    case RSV_R_RULE:
        if (inc->kind == RSV_CAUSE_EXTERNAL && inc->nterms == 2)
            ret->text = apart_text(u, a, inc, who, r->why);
        else ret->text = edge_text(u, a, inc, r);
        return true;
    default: ret->text = refused_text(u, a, rsv_set_text(u, a, u->pkg.v[inc->terms[0].pkg].base, inc->terms[0].set), r); return true;
    }
}

void rsv_refusal_text(struct rsv_universe *u, struct gf_arena *a, rsv_pkg pkg, uint32_t candidate, struct mdl_reason *ret)
{
    const struct rsv_candidate *c = &u->pkg.v[pkg].c[candidate];
    const struct rsv_reason *r = &u->reasons.v[c->refused];
    char *who = gf_arena_printf(a, "%s %s", u->pkg.v[pkg].name, c->version.text);
    *ret = (struct mdl_reason){ .id = r->rule ? gf_arena_strz(a, r->rule->id) : id_of(r->kind), .text = refused_text(u, a, who, r) };
    struct rsv_incompat none = { 0 };
    if (r->kind != RSV_R_METADATA) set_sources(a, ret, source_of(u, a, &none, r));
}

/* --- the leaves of a derivation -------------------------------------------------------------------------------- */

struct walk { struct rsv_universe *u; GF_VEC(uint32_t) leaves; GF_VEC(uint32_t) seen; };

static void collect(struct walk *w, uint32_t id)
{
    const struct rsv_incompat *inc = rsv_incompat_at(w->u->solver, id);
    while (w->seen.n <= id / 32) gf_vec_push(&w->seen, 0);
    if (w->seen.v[id / 32] >> id % 32 & 1) return;
    w->seen.v[id / 32] |= 1u << id % 32;
    if (inc->kind != RSV_CAUSE_DERIVED) {
        gf_vec_push(&w->leaves, id);
        return;
    }
    collect(w, inc->left);
    inc = rsv_incompat_at(w->u->solver, id);
    collect(w, inc->right);
}

/* Requests first, then requirements, then what the data and the target say. */
static int weight_of_leaf(const struct rsv_universe *u, uint32_t id)
{
    const struct rsv_incompat *inc = rsv_incompat_at(u->solver, id);
    if (inc->reason == RSV_NONE) return 9;
    switch (u->reasons.v[inc->reason].kind) {
    case RSV_R_REQUEST: return 0;
    case RSV_R_CONSTRAINT: return 1;
    case RSV_R_METADATA: return 2;
    case RSV_R_PROVIDES: return 3;
    case RSV_R_RULE: return 4;
    default: return 5;
    }
}

uint32_t *rsv_refusal_leaves(struct rsv_universe *u, size_t *ret_n)
{
    struct walk w = { .u = u };
    collect(&w, rsv_refusal(u->solver));
    gf_vec_free(&w.seen);
    uint32_t *sorted = gf_xreallocarray(NULL, w.leaves.n + 1, sizeof *sorted);
    size_t n = 0;
    for (int weight = 0; weight < 10; weight++)
        for (size_t i = 0; i < w.leaves.n; i++)
            if (weight_of_leaf(u, w.leaves.v[i]) == weight) sorted[n++] = w.leaves.v[i];
    gf_vec_free(&w.leaves);
    *ret_n = n;
    return sorted;
}

static int telling(const struct rsv_universe *u, const struct rsv_incompat *inc)
{
    if (inc->reason == RSV_NONE) return 0;
    const struct rsv_reason *r = &u->reasons.v[inc->reason];
    switch (r->kind) {
    case RSV_R_RULE: return r->dep != RSV_NONE && u->pkg.v[r->dep].kind == RSV_DRIVER ? 100 : 90;
    case RSV_R_GPU:
    case RSV_R_PTX:
    case RSV_R_DRIVER_GPU: return 95;
    case RSV_R_VARIANT: return 40;
    case RSV_R_FACT: return 85;
    case RSV_R_GPU_UNKNOWN: return 80;
    case RSV_R_LIBC:
    case RSV_R_PYTHON:
    case RSV_R_ABI: return 50;
    case RSV_R_CONSTRAINT: return 30;
    case RSV_R_METADATA: return inc->nterms == 1 ? 60 : 20;
    case RSV_R_SDIST: return 55;
    case RSV_R_NO_VARIANT: return 94;
    case RSV_R_URL:
    case RSV_R_NO_EXTRA:
    case RSV_R_BUILD:
    case RSV_R_METADATA_BAD: return 58;
    case RSV_R_REQUEST: return 1; /* the version that is asked about */
    default: return 5;
    }
}

uint32_t rsv_telling_leaf(struct rsv_universe *u, const uint32_t *leaves, size_t n)
{
    uint32_t best = RSV_NONE;
    int most = 0;
    for (size_t i = 0; i < n; i++) {
        int t = telling(u, rsv_incompat_at(u->solver, leaves[i]));
        if (t > most) {
            most = t;
            best = leaves[i];
        }
    }
    return best;
}
