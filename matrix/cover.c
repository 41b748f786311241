/* When code runs on a GPU: cubins within a major generation, discrete and Tegra apart; PTX when the driver can compile it; judged by library, a
 * target that only a few fat binaries of a library hold does not count for it. */
#include "matrix/table.h"

bool mtx_cc_parse(gf_slice text, unsigned *ret_major, unsigned *ret_minor)
{
    struct mtx_target t;
    if (!mtx_target_parse(text, &t) || t.kind) return false;
    *ret_major = t.major;
    *ret_minor = t.minor;
    return true;
}

bool mtx_target_parse(gf_slice text, struct mtx_target *ret)
{
    gf_slice s = gf_slice_trim(text);
    if (!gf_try_lit(&s, GF_S("sm_")) && !gf_try_lit(&s, GF_S("compute_"))) gf_try_lit(&s, GF_S("SM_"));
    uint64_t n = gf_take_u64(&s), minor = n % 10;
    if (!gf_slice_ok(s)) return false;
    if (gf_try_char(&s, '.')) minor = gf_take_u64(&s);
    else if (n < 10) return false;
    else n /= 10;
    char kind = 0;
    if (gf_try_char(&s, 'a')) kind = 'a';
    else if (gf_try_char(&s, 'f')) kind = 'f';
    if (!gf_slice_ok(s) || s.n || n < 1 || n > 99 || minor > 9) return false;
    *ret = (struct mtx_target){ (unsigned)n, (unsigned)minor, kind };
    return true;
}

bool mtx_cc_is_tegra(unsigned major, unsigned minor)
{
    static const unsigned tegra[] = { 32, 53, 62, 72, 87, 101, 110 };
    for (size_t i = 0; i < sizeof tegra / sizeof *tegra; i++)
        if (major * 10 + minor == tegra[i]) return true;
    return false;
}

/* Thor is 10.1 to CUDA 12.9 and 11.0 from 13.0 on: one chip. */
static void one_thor(unsigned *major, unsigned *minor)
{
    if (*major == 10 && *minor == 1) *major = 11, *minor = 0;
}

/* 10.7 (Rubin) is not taken as a member of 10.0's family: no source says so. */
static bool same_family(unsigned from, unsigned major, unsigned minor) { return !(major == 10 && minor == 7 && from != 7); }

bool mtx_cubin_runs(struct mtx_target t, unsigned major, unsigned minor)
{
    one_thor(&t.major, &t.minor);
    one_thor(&major, &minor);
    if (t.major != major || mtx_cc_is_tegra(t.major, t.minor) != mtx_cc_is_tegra(major, minor)) return false;
    if (t.kind == 'a') return t.minor == minor;
    return t.minor <= minor && (t.kind != 'f' || same_family(t.minor, major, minor));
}

bool mtx_ptx_runs(struct mtx_target t, unsigned major, unsigned minor)
{
    one_thor(&t.major, &t.minor);
    one_thor(&major, &minor);
    if (t.kind == 'a') return t.major == major && t.minor == minor;
    if (t.kind == 'f') return t.major == major && t.minor <= minor && same_family(t.minor, major, minor);
    return t.major < major || (t.major == major && t.minor <= minor);
}

enum { SHARE = 4 }; /* a target counts when at least one in four of the library's fat binaries holds it */

static unsigned most(const struct mtx_library *l)
{
    unsigned max = 0;
    for (size_t i = 0; i < l->ncubin; i++) max = l->cubin[i].count > max ? l->cubin[i].count : max;
    for (size_t i = 0; i < l->nptx; i++) max = l->ptx[i].count > max ? l->ptx[i].count : max;
    return max;
}

static bool served(const struct mtx_carry *v, size_t n, unsigned max, bool (*runs)(struct mtx_target, unsigned, unsigned), unsigned major, unsigned minor)
{
    unsigned best = 0;
    struct mtx_target t;
    for (size_t i = 0; i < n; i++)
        if (mtx_target_parse(gf_slice_of(v[i].target), &t) && runs(t, major, minor) && v[i].count > best) best = v[i].count;
    return best > 0 && best * SHARE >= max;
}

static enum mtx_how library_how(const struct mtx_library *l, unsigned major, unsigned minor)
{
    unsigned max = most(l);
    if (served(l->cubin, l->ncubin, max, mtx_cubin_runs, major, minor)) return MTX_CUBIN;
    return served(l->ptx, l->nptx, max, mtx_ptx_runs, major, minor) ? MTX_PTX : MTX_NO_CODE;
}

static void list_targets(const struct mtx_library *l, struct gf_buf *b)
{
    unsigned max = most(l);
    const char *sep = "";
    for (size_t i = 0; i < l->ncubin; i++)
        if (l->cubin[i].count * SHARE >= max) gf_buf_addf(b, "%s%s", sep, l->cubin[i].target), sep = " ";
    for (size_t i = 0; i < l->nptx; i++)
        if (l->ptx[i].count * SHARE >= max) gf_buf_addf(b, "%s%s+PTX", sep, l->ptx[i].target), sep = " ";
    if (!*sep) gf_buf_adds(b, "none");
}

static void by_ptx(struct mtx *m, const struct mtx_carries *c, const struct mtx_library *l, gf_slice driver_cuda, struct mtx_coverage *v)
{
    v->how = MTX_PTX;
    v->ptx_needs_cuda = c->cuda;
    const char *from = c->cuda ? c->cuda : "unknown";
    gf_slice have = driver_cuda.n ? driver_cuda : GF_S("unknown");
    if (!driver_cuda.n || !c->cuda) v->runs = PY_UNKNOWN;
    else v->runs = gf_dotted_cmp(driver_cuda, gf_slice_of(c->cuda)) >= 0 ? PY_YES : PY_NO;
    if (v->runs == PY_YES) v->why = gf_arena_printf(&m->mem, "%s holds PTX only, the driver compiles it at the first start", l->name);
    else v->why = gf_arena_printf(&m->mem, "%s holds PTX only for it, made by CUDA %s; the driver's CUDA is %.*s", l->name, from, GF_FMT(have));
}

struct mtx_coverage mtx_covers(struct mtx *m, const struct mtx_carries *c, unsigned major, unsigned minor, gf_slice driver_cuda)
{
    struct mtx_coverage v = { PY_UNKNOWN, MTX_NO_CODE, NULL, NULL, c ? c->source : NULL };
    if (!c) return v.why = "which GPU code it holds is not in the data", v;
    if (!c->nlibraries) return v.runs = PY_NO, v.why = "it is a build for the CPU only", v;
    const struct mtx_library *l = &c->libraries[0];
    enum mtx_how how = library_how(l, major, minor);
    if (how == MTX_NO_CODE) {
        GF_BUF_SCOPE struct gf_buf b;
        gf_buf_init(&b, GF_CAP_ERROR);
        list_targets(l, &b);
        v.runs = PY_NO;
        v.why = gf_arena_printf(&m->mem, "it holds code for %s, none of which runs on %u.%u", gf_buf_str(&b), major, minor);
        return v;
    }
    if (how == MTX_PTX) return by_ptx(m, c, l, driver_cuda, &v), v;
    v.runs = PY_YES;
    v.how = MTX_CUBIN;
    for (size_t i = 1; i < c->nlibraries; i++)
        if (library_how(&c->libraries[i], major, minor) == MTX_NO_CODE)
            return v.how = MTX_PARTLY, v.why = gf_arena_printf(&m->mem, "%s holds no code for %u.%u", c->libraries[i].name, major, minor), v;
    return v;
}

const struct mtx_carries *mtx_carries_of_list(struct gf_arena *a, const char *const *list, size_t n, gf_slice cuda)
{
    struct mtx_carry *cubin = GF_NEW_ARRAY(a, struct mtx_carry, n + 1), *ptx = GF_NEW_ARRAY(a, struct mtx_carry, n + 1);
    struct mtx_library *l = GF_NEW(a, struct mtx_library);
    struct mtx_carries *c = GF_NEW(a, struct mtx_carries);
    struct mtx_target t;
    *l = (struct mtx_library){ "*", cubin, ptx, 0, 0 };
    for (size_t i = 0; i < n; i++) {
        if (!mtx_target_parse(gf_slice_of(list[i]), &t)) continue;
        bool is_ptx = gf_slice_starts(gf_slice_of(list[i]), GF_S("compute_"));
        struct mtx_carry k = { gf_arena_printf(a, t.kind ? "%u.%u%c" : "%u.%u", t.major, t.minor, t.kind), 1 };
        if (is_ptx) ptx[l->nptx++] = k;
        else cubin[l->ncubin++] = k;
    }
    *c = (struct mtx_carries){ l, l->ncubin + l->nptx ? 1 : 0, gf_arena_str(a, cuda), MTX_RUN, NULL };
    return c;
}
