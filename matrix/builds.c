/* Builds: what is known of the files of one version of one package. */
#include "matrix/table.h"

static int read_targets(struct mtx *m, const struct mtx_at *at, struct gf_js *js, const struct mtx_carry **ret, size_t *ret_n, struct gf_err *err)
{
    enum gf_json_type t = gf_js_peek(js);
    bool counted = t == GF_JSON_OBJECT;
    if (!counted && t != GF_JSON_ARRAY) return mtx_bad(at, "carries", err, "expected targets as a list or with counts, found %s", mtx_type_name(t));
    GF_VEC(struct mtx_carry) v = { 0 };
    int64_t count = 1;
    gf_slice name;
    struct mtx_target target;
    int rc = 0;
    if (counted) gf_js_obj(js);
    else gf_js_arr(js);
    while (!rc && (counted ? gf_js_key(js, &name) : gf_js_item(js))) {
        if (!counted) name = gf_js_str(js);
        if (!mtx_target_parse(name, &target)) rc = mtx_bad(at, "carries", err, "expected a target like 7.0, 9.0a or 10.0f, found '%.*s'", GF_FMT(name));
        else if (counted && (!gf_js_int(js, &count) || count < 1 || count > 1000000)) rc = mtx_bad(at, "carries", err, "expected a count of fat binaries for %.*s", GF_FMT(name));
        else gf_vec_push(&v, (struct mtx_carry){ gf_arena_str(&m->mem, name), (unsigned)count });
    }
    *ret = v.n ? gf_arena_memdup(&m->mem, v.v, v.n * sizeof *v.v) : NULL;
    *ret_n = v.n;
    gf_vec_free(&v);
    return rc;
}

static int read_library(struct mtx *m, const struct mtx_at *at, struct gf_js *js, struct mtx_library *x, struct gf_err *err)
{
    gf_slice key;
    if (gf_js_peek(js) != GF_JSON_OBJECT) return mtx_bad(at, "carries", err, "expected { cubin, ptx } for %s", x->name);
    gf_js_obj(js);
    while (gf_js_key(js, &key)) {
        int rc;
        if (gf_slice_is(key, "cubin")) rc = read_targets(m, at, js, &x->cubin, &x->ncubin, err);
        else if (gf_slice_is(key, "ptx")) rc = read_targets(m, at, js, &x->ptx, &x->nptx, err);
        else return mtx_bad(at, "carries", err, "unknown key '%.*s' for %s; cubin and ptx are known", GF_FMT(key), x->name);
        if (rc) return -1;
    }
    return 0;
}

int mtx_read_carries(struct mtx *m, const struct mtx_at *at, const struct mtx_build_row *b, const struct mtx_carries **ret, struct gf_err *err)
{
    struct gf_js js = mtx_js(m, b->carries);
    if (gf_js_peek(&js) != GF_JSON_OBJECT) return mtx_bad(at, "carries", err, "expected library: { cubin, ptx }, found %s", mtx_type_name(gf_js_peek(&js)));
    GF_VEC(struct mtx_library) v = { 0 };
    gf_slice name;
    int rc = 0;
    gf_js_obj(&js);
    while (!rc && gf_js_key(&js, &name)) {
        struct mtx_library l = { .name = gf_arena_str(&m->mem, name) };
        rc = read_library(m, at, &js, &l, err);
        gf_vec_push(&v, l);
    }
    struct mtx_carries *c = GF_NEW(&m->mem, struct mtx_carries);
    *c = (struct mtx_carries){ v.n ? gf_arena_memdup(&m->mem, v.v, v.n * sizeof *v.v) : NULL, v.n, b->cuda, b->evidence, b->source };
    gf_vec_free(&v);
    *ret = c;
    return rc;
}

int mtx_read_build(struct mtx *m, const struct mtx_at *at, struct gf_js *row, struct gf_err *err)
{
    static const struct mtx_key keys[] = {
        MTX_KEY(struct mtx_build_row, package, MTX_STR, true),   MTX_KEY(struct mtx_build_row, versions, MTX_STRS, true),
        MTX_KEY(struct mtx_build_row, variant, MTX_STR, false),  MTX_KEY(struct mtx_build_row, index, MTX_STR, false),
        MTX_KEY(struct mtx_build_row, platform, MTX_STR, false), MTX_KEY(struct mtx_build_row, cuda, MTX_STR, false),
        MTX_KEY(struct mtx_build_row, cudnn, MTX_STR, false),    MTX_KEY(struct mtx_build_row, sha256, MTX_STRS, false),
        MTX_KEY(struct mtx_build_row, carries, MTX_JSON, false), MTX_KEY(struct mtx_build_row, source, MTX_STR, true),
        MTX_KEY(struct mtx_build_row, evidence, MTX_EVIDENCE, true),
    };
    struct mtx_build_row b = { 0 };
    const struct mtx_carries *carries = NULL;
    if (MTX_READ(m, at, row, keys, &b, err) || (b.carries.n && mtx_read_carries(m, at, &b, &carries, err))) return -1;
    struct mtx_package *p = mtx_package_add(m, b.package);
    for (size_t i = 0; i < b.versions.n; i++) {
        struct mtx_build *x = GF_NEW(&m->mem, struct mtx_build);
        *x = (struct mtx_build){ b.package, b.versions.v[i], b.variant, b.index, b.platform, b.cuda, b.cudnn, b.sha256.v, b.sha256.n, carries, b.evidence, b.source };
        if (mtx_unique(m, at, err, "%s %s %s %s %s", x->package, x->version, x->variant ? x->variant : "-", x->index ? x->index : "-", x->platform ? x->platform : "-")) return -1;
        gf_vec_push(&p->builds, x);
        gf_vec_push(&m->builds, x);
        m->evidence[MTX_T_PACKAGES][b.evidence]++;
    }
    return 0;
}

/* What one file is, against a row: index "pytorch" also names the source "pytorch-cu126". */
struct file { gf_slice public_, local; const char *index, *platform; };

static bool index_is(const char *row, const char *index)
{
    size_t n = strlen(row);
    return index && strncmp(row, index, n) == 0 && (index[n] == 0 || index[n] == '-');
}

static bool matches(const struct mtx_build *b, const struct file *f)
{
    if (!gf_slice_is(f->public_, b->version)) return false;
    if (b->platform && f->platform && strcmp(b->platform, f->platform)) return false;
    if (f->local.n) return b->variant && gf_slice_is(f->local, b->variant) && (!b->index || index_is("default", b->index) == false);
    /* a file without a local part is the default index's build, from wherever it was copied, unless another index has its own */
    return !b->index || index_is(b->index, f->index) || (index_is("default", b->index));
}

struct dated { const struct mtx_build *build; struct py_version version; bool read; size_t place; };

static int newest_first(const void *a, const void *b)
{
    const struct dated *l = a, *r = b;
    int c = l->read && r->read ? py_version_cmp(&r->version, &l->version) : (int)r->read - (int)l->read;
    if (!c) c = strcmp(r->build->variant ? r->build->variant : "", l->build->variant ? l->build->variant : "");
    return c ? c : (l->place > r->place) - (l->place < r->place);
}

static void sort_builds(struct mtx_package *p)
{
    GF_ARENA_SCOPE struct gf_arena a = GF_ARENA_INIT;
    struct dated *v = GF_NEW_ARRAY(&a, struct dated, p->builds.n + 1);
    for (size_t i = 0; i < p->builds.n; i++) {
        v[i].build = p->builds.v[i];
        v[i].read = py_version_parse(&a, gf_slice_of(v[i].build->version), &v[i].version);
        v[i].place = i;
    }
    qsort(v, p->builds.n, sizeof *v, newest_first);
    for (size_t i = 0; i < p->builds.n; i++) p->builds.v[i] = v[i].build;
    p->sorted = true;
}

size_t mtx_builds(struct mtx *m, const char *package, const struct mtx_build *const **ret)
{
    struct mtx_package *p = mtx_package_get(m, package, false);
    *ret = NULL;
    if (!p) return 0;
    if (!p->sorted) sort_builds(p);
    *ret = p->builds.v;
    return p->builds.n;
}

static const struct mtx_build *by_sha256(const struct mtx_package *p, gf_slice version, const char *sha256)
{
    const struct mtx_build *found = NULL; /* a row of several versions names the files of all of them */
    for (size_t i = 0; sha256 && i < p->builds.n; i++)
        for (size_t k = 0; k < p->builds.v[i]->nsha256; k++)
            if (strcmp(p->builds.v[i]->sha256[k], sha256) == 0 && (!found || gf_slice_is(version, p->builds.v[i]->version))) found = p->builds.v[i];
    return found;
}

const struct mtx_build *mtx_build_of(struct mtx *m, const char *package, const struct py_version *version, const char *index, const char *platform, const char *sha256)
{
    const struct mtx_package *p = mtx_package_get(m, package, false);
    if (!p) return NULL;
    GF_ARENA_SCOPE struct gf_arena a = GF_ARENA_INIT;
    struct file f = { gf_slice_of(py_version_public(&a, version)), py_version_local(version), index, platform };
    const struct mtx_build *best = by_sha256(p, f.public_, sha256);
    if (best) return best;
    for (size_t i = 0; i < p->builds.n; i++) {
        const struct mtx_build *b = p->builds.v[i];
        if (!matches(b, &f)) continue;
        bool better = !best || (!f.local.n && b->index && index_is(b->index, index) && !(best->index && index_is(best->index, index))) || b->evidence > best->evidence;
        if (better) best = b;
    }
    return best;
}

const char *mtx_variant_of(struct mtx *m, const char *package, const struct py_version *v, const char *index, const char *platform)
{
    const struct mtx_build *b = mtx_build_of(m, package, v, index, platform, NULL);
    if (b) return b->variant;
    gf_slice local = py_version_local(v);
    bool is_one = gf_slice_is(local, "cpu") || gf_slice_is(local, "xpu") || (gf_slice_starts(local, GF_S("cu")) && local.n > 2 && gf_is_digit((unsigned char)local.p[2])) ||
                  gf_slice_starts(local, GF_S("rocm"));
    return is_one && mtx_family_of(m, package) ? gf_arena_str(&m->mem, local) : NULL;
}

const char *mtx_variant_cuda(struct gf_arena *a, gf_slice variant)
{
    if (!gf_try_lit(&variant, GF_S("cu")) || variant.n < 2 || variant.n > 3) return NULL;
    for (size_t i = 0; i < variant.n; i++)
        if (!gf_is_digit((unsigned char)variant.p[i])) return NULL;
    return gf_arena_printf(a, "%.*s.%c", (int)variant.n - 1, variant.p, variant.p[variant.n - 1]);
}
