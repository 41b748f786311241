/* Rules, compiled once: a row that says several things (requires and adds) becomes one rule for each. */
#include "matrix/table.h"

struct rule_row {
    const char *id, *package, *versions, *when, *variant, *why, *source;
    gf_slice provides, requires, adds, constrains, excludes, replaces, needs_at_run, often;
    bool private_;
    enum mtx_evidence evidence;
};

static const struct mtx_key keys[] = {
    MTX_KEY(struct rule_row, id, MTX_STR, false),         MTX_KEY(struct rule_row, package, MTX_STR, true),
    MTX_KEY(struct rule_row, versions, MTX_STR, false),   MTX_KEY(struct rule_row, when, MTX_STR, false),
    MTX_KEY(struct rule_row, variant, MTX_STR, false),    MTX_KEY(struct rule_row, why, MTX_STR, false),
    MTX_KEY(struct rule_row, source, MTX_STR, true),      MTX_KEY(struct rule_row, evidence, MTX_EVIDENCE, true),
    MTX_KEY(struct rule_row, provides, MTX_JSON, false),  MTX_KEY(struct rule_row, requires, MTX_JSON, false),
    MTX_KEY(struct rule_row, adds, MTX_JSON, false),      MTX_KEY(struct rule_row, constrains, MTX_JSON, false),
    MTX_KEY(struct rule_row, excludes, MTX_JSON, false),  MTX_KEY(struct rule_row, replaces, MTX_JSON, false),
    MTX_KEY(struct rule_row, needs_at_run, MTX_JSON, false), MTX_KEY(struct rule_row, often, MTX_JSON, false),
    { "private", MTX_BOOL, false, offsetof(struct rule_row, private_) },
};

/* "nvidia-cudnn-cu12>=9" → name and range; a name alone means any version. */
static void split(struct mtx *m, const char *text, const char **ret_name, const char **ret_specs)
{
    size_t n = strcspn(text, " <>=!~");
    *ret_name = gf_arena_str(&m->mem, gf_slice_n(text, n));
    while (text[n] == ' ') n++;
    *ret_specs = text + n;
}

static int term(struct mtx *m, const struct mtx_at *at, const char *key, enum mtx_rule_kind kind, const char *name, const char *specs, struct mtx_term *ret, struct gf_err *err)
{
    *ret = (struct mtx_term){ name, { NULL, 0 }, specs };
    if (!*name) return mtx_bad(at, key, err, "a name is expected in front of '%s'", specs);
    if (kind == MTX_PROVIDES) return strchr(specs, '{') || py_specset_parse(&m->mem, GF_S(">=0"), false, &ret->specs) ? 0 : -1;
    if (strcmp(specs, "*") == 0 || !*specs || kind == MTX_NEEDS_AT_RUN || kind == MTX_OFTEN) return 0;
    if (!py_specset_parse(&m->mem, gf_slice_of(specs), false, &ret->specs)) return mtx_bad(at, key, err, "'%s' is not a range of versions like >=1.0,<2 (for %s)", specs, name);
    return 0;
}

static int terms(struct mtx *m, const struct mtx_at *at, const char *key, gf_slice text, struct mtx_rule *r, struct gf_err *err)
{
    struct mtx_pair *v;
    size_t n;
    if (mtx_read_pairs(m, at, key, text, &v, &n, err)) return -1;
    struct mtx_term *t = GF_NEW_ARRAY(&m->mem, struct mtx_term, n + 1);
    for (size_t i = 0; i < n; i++) {
        if (!v[i].key) split(m, v[i].value, &v[i].key, &v[i].value);
        if (term(m, at, key, r->kind, v[i].key, v[i].value, &t[r->nterms++], err)) return -1;
    }
    r->terms = t;
    return 0;
}

/* Kept in the order of the data, whatever was read first. */
#define hang_on(vec, r)                                                                             \
    do {                                                                                            \
        gf_vec_push((vec), (r));                                                                    \
        for (size_t i_ = (vec)->n - 1; i_ && (vec)->v[i_ - 1]->order > (r)->order; i_--)            \
            (vec)->v[i_] = (vec)->v[i_ - 1], (vec)->v[i_ - 1] = (r);                                \
    } while (0)

static void hang(struct mtx *m, const struct mtx_rule *r)
{
    struct mtx_package *of = mtx_package_add(m, r->package);
    hang_on(&of->rules, r);
    if (r->kind == MTX_OFTEN) return; /* names to ask for ahead: nothing is known of them by that */
    for (size_t i = 0; i < r->nterms; i++) {
        struct mtx_package *p = mtx_package_add(m, r->terms[i].name);
        if (r->kind != MTX_PROVIDES && r->kind != MTX_NEEDS_AT_RUN) hang_on(&p->about, r);
        if (r->kind != MTX_PROVIDES) continue;
        p->component = true;
        if (!r->private_) mtx_provider_add(p, r->order + (UINT64_C(1) << 63), r->package);
    }
}

static int compile(struct mtx *m, const struct mtx_at *at, const struct rule_row *x, struct mtx_rule *base, struct gf_err *err)
{
    if (x->versions && !py_specset_parse(&m->mem, gf_slice_of(x->versions), false, &base->versions))
        return mtx_bad(at, "versions", err, "'%s' is not a range of versions like >=1.0,<2", x->versions);
    struct gf_err why = GF_ERR_INIT;
    if (x->when && py_marker_parse(&m->mem, gf_slice_of(x->when), PY_MARKER_FACTS, &base->when, &why)) return mtx_bad(at, "when", err, "%s", why.text);
    return 0;
}

int mtx_read_rule(struct mtx *m, const struct mtx_at *at, struct gf_js *row, struct gf_err *err)
{
    struct rule_row x = { 0 };
    if (MTX_READ(m, at, row, keys, &x, err)) return -1;
    struct mtx_rule base = { .id = x.id, .package = x.package, .variant = x.variant, .private_ = x.private_, .why = x.why, .evidence = x.evidence, .source = x.source, .order = mtx_order(m, at) };
    if (compile(m, at, &x, &base, err)) return -1;
    if (!base.id) base.id = gf_arena_printf(&m->mem, "%s:%zu", at->file, at->row);
    const struct { const char *key; gf_slice v; enum mtx_rule_kind kind; } says[] = {
        { "provides", x.provides, MTX_PROVIDES }, { "requires", x.requires, MTX_REQUIRES },       { "adds", x.adds, MTX_ADDS },
        { "constrains", x.constrains, MTX_CONSTRAINS }, { "excludes", x.excludes, MTX_EXCLUDES }, { "replaces", x.replaces, MTX_REPLACES },
        { "needs_at_run", x.needs_at_run, MTX_NEEDS_AT_RUN },
        { "often", x.often, MTX_OFTEN },
    };
    size_t said = 0;
    for (size_t i = 0; i < sizeof says / sizeof *says; i++) {
        if (!says[i].v.n) continue;
        struct mtx_rule *r = GF_NEW(&m->mem, struct mtx_rule);
        *r = base;
        r->kind = says[i].kind;
        if (r->kind == MTX_OFTEN) r->often = says[i].v; /* hundreds of names, read when they are asked for */
        if ((r->kind != MTX_OFTEN || m->strict) && terms(m, at, says[i].key, says[i].v, r, err)) return -1;
        gf_vec_push(&m->rules, r);
        hang(m, r);
        said++;
    }
    m->evidence[MTX_T_PACKAGES][x.evidence]++;
    return said ? 0 : mtx_bad(at, NULL, err, "a rule says one of provides, requires, adds, constrains, excludes, replaces, needs_at_run, often; this one says nothing");
}

size_t mtx_often(struct mtx *m, const struct mtx_rule *r, const struct mtx_pair **ret)
{
    const struct mtx_at at = { "often", r->id, 0 };
    struct gf_err ignored = GF_ERR_INIT;
    struct mtx_pair *v = NULL;
    size_t n = 0;
    if (mtx_read_pairs(m, &at, "often", r->often, &v, &n, &ignored)) n = 0;
    *ret = v;
    return n;
}

size_t mtx_rules_for(struct mtx *m, const char *package, const struct mtx_rule *const **ret)
{
    const struct mtx_package *p = mtx_package_get(m, package, false);
    *ret = p ? p->rules.v : NULL;
    return p ? p->rules.n : 0;
}

size_t mtx_rules_about(struct mtx *m, const char *package, const struct mtx_rule *const **ret)
{
    const struct mtx_package *p = mtx_package_get(m, package, true);
    *ret = p ? p->about.v : NULL;
    return p ? p->about.n : 0;
}

const char *mtx_provided_version(struct gf_arena *a, const char *pattern, const struct py_version *v)
{
    GF_BUF_SCOPE struct gf_buf b;
    gf_buf_init(&b, GF_CAP_VERSION_TEXT);
    for (const char *p = pattern; *p;) {
        static const struct { const char *name; unsigned parts; } holes[] = { { "{version}", 99 }, { "{major.minor.patch}", 3 }, { "{major.minor}", 2 }, { "{major}", 1 } };
        size_t i = 0;
        while (i < 4 && strncmp(p, holes[i].name, strlen(holes[i].name))) i++;
        if (i == 4) {
            gf_buf_addc(&b, *p++);
            continue;
        }
        for (unsigned k = 0; k < holes[i].parts && (k < v->nrelease || holes[i].parts < 99); k++)
            gf_buf_addf(&b, "%s%llu", k ? "." : "", (unsigned long long)(k < v->nrelease ? v->release[k] : 0));
        p += strlen(holes[i].name);
    }
    return gf_arena_str(a, gf_buf_slice(&b));
}
