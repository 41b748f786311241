/* The data set of a scenario: the embedded facts about drivers, CUDA, GPUs and distributions, and the scenario's own rows in place of the packages'. */
#include "resolver/scenario_data.h"

static bool is_component_name(gf_slice n)
{
    static const char *const heads[] = { "cuda", "cudnn", "nccl", "tensorrt", "rocm", "cann" };
    if (gf_slice_is(n, "driver")) return true;
    if (gf_slice_has(n, GF_S(".so"))) return true;
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        gf_slice rest = n;
        if (!gf_try_lit(&rest, gf_slice_of(heads[i])) || !rest.n) continue;
        size_t k = 0;
        while (k < rest.n && gf_is_digit((unsigned char)rest.p[k])) k++;
        if (k == rest.n) return true;
    }
    return false;
}

bool rsv_scenario_is_component(const char *name) { return is_component_name(gf_slice_of(name)); }

static gf_slice name_of(gf_slice requirement)
{
    size_t n = 0;
    while (n < requirement.n && !memchr(" <>=!~;[", requirement.p[n], 8)) n++;
    return gf_slice_sub(requirement, 0, n);
}

bool rsv_scenario_is_rule(gf_slice requirement)
{
    static const char *const facts[] = { "glibc", "kernel", "cpu", "gpu", "gcc", "nvcc", "libstdcxx" };
    gf_slice name = name_of(requirement);
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
        if (gf_slice_is(name, facts[i])) return true;
    return is_component_name(name);
}

static void row_begin(struct gf_jw *w, const char *package, const char *version, const char *variant)
{
    GF_FREE char *exact = version ? gf_xasprintf("==%s", version) : NULL;
    gf_jw_obj(w);
    gf_jw_kstr(w, "package", package);
    gf_jw_kstr_opt(w, "versions", exact);
    gf_jw_kstr_opt(w, "variant", variant);
}

static void row_end(struct gf_jw *w)
{
    gf_jw_kstr(w, "source", "case");
    gf_jw_kstr(w, "evidence", "reported");
    gf_jw_end_obj(w);
}

/* The rule requirements of a line as one row. */
static void add_requires(struct gf_jw *w, const struct scenario_pkg *p)
{
    gf_slice rest = p->requires, one;
    bool any = false;
    while (gf_slice_field(&rest, '|', &one)) {
        one = gf_slice_trim(one);
        if (!one.n || !rsv_scenario_is_rule(one)) continue;
        if (!any) {
            row_begin(w, p->name, p->version, NULL);
            gf_jw_key(w, "requires");
            gf_jw_arr(w);
        }
        any = true;
        gf_jw_str(w, one);
    }
    if (!any) return;
    gf_jw_end_arr(w);
    row_end(w);
}

static void add_provider(struct gf_jw *w, const struct scenario_pkg *p)
{
    if (!rsv_scenario_is_component(p->name)) return;
    GF_FREE char *provider = gf_xasprintf("%s-provider", p->name);
    row_begin(w, provider, p->version, NULL);
    gf_jw_key(w, "provides");
    gf_jw_obj(w);
    gf_jw_kstr(w, p->name, p->version);
    gf_jw_end_obj(w);
    row_end(w);
}

static void add_rules(struct rsv_scenario *s, struct gf_jw *w)
{
    struct scenario_universe *u = s->universe;
    gf_jw_key(w, "rules");
    gf_jw_arr(w);
    for (size_t i = 0; i < u->pkgs.n; i++) {
        add_requires(w, u->pkgs.v[i]);
        add_provider(w, u->pkgs.v[i]);
    }
    for (size_t i = 0; i < u->rules.n; i++) {
        struct gf_json_doc *doc = NULL;
        if (gf_json_parse(u->rules.v[i], "rule", &doc, NULL)) continue; /* checked when it was read */
        gf_jw_obj(w);
        for (const gf_json *c = gf_json_first(gf_json_root(doc)); c; c = gf_json_next(c)) {
            gf_jw_key(w, gf_json_key(c));
            gf_jw_value(w, c);
        }
        if (!gf_json_get(gf_json_root(doc), "source")) gf_jw_kstr(w, "source", "case");
        if (!gf_json_get(gf_json_root(doc), "evidence")) gf_jw_kstr(w, "evidence", "reported");
        gf_jw_end_obj(w);
        gf_json_free(doc);
    }
    gf_jw_end_arr(w);
}

static void add_codes(struct gf_jw *w, gf_slice carries, bool ptx)
{
    gf_slice one;
    gf_jw_arr(w);
    while (gf_slice_word(&carries, &one))
        if (gf_try_lit(&one, GF_S("ptx:")) == ptx && !gf_slice_has(one, GF_S(":"))) gf_jw_str(w, one);
    gf_jw_end_arr(w);
}

/* "cuda:12.8" among the codes: the toolkit that made them. */
static char *toolkit_of(struct gf_arena *a, gf_slice carries)
{
    gf_slice one;
    while (gf_slice_word(&carries, &one))
        if (gf_try_lit(&one, GF_S("cuda:"))) return gf_arena_str(a, one);
    return NULL;
}

static void add_builds(struct rsv_scenario *s, struct gf_jw *w)
{
    struct scenario_universe *u = s->universe;
    gf_jw_key(w, "builds");
    gf_jw_arr(w);
    for (size_t i = 0; i < u->pkgs.n; i++) {
        const struct scenario_pkg *p = u->pkgs.v[i];
        struct py_version v;
        if (!p->carries.p && !p->variant) continue;
        if (!py_version_parse(&s->mem, gf_slice_of(p->version), &v)) continue;
        gf_slice local = py_version_local(&v);
        const char *variant = p->variant ? p->variant : local.p ? gf_arena_str(&s->mem, local) : NULL;
        gf_jw_obj(w);
        gf_jw_kstr(w, "package", p->name);
        gf_jw_key(w, "versions");
        gf_jw_arr(w);
        gf_jw_cstr(w, py_version_public(&s->mem, &v));
        gf_jw_end_arr(w);
        gf_jw_kstr_opt(w, "variant", variant);
        if (p->carries.p) {
            gf_jw_kstr_opt(w, "cuda", toolkit_of(&s->mem, p->carries));
            gf_jw_key(w, "carries");
            gf_jw_obj(w);
            gf_jw_key(w, "*");
            gf_jw_obj(w);
            gf_jw_key(w, "cubin");
            add_codes(w, p->carries, false);
            gf_jw_key(w, "ptx");
            add_codes(w, p->carries, true);
            gf_jw_end_obj(w);
            gf_jw_end_obj(w);
        }
        row_end(w);
    }
    gf_jw_end_arr(w);
}

static bool said_before(struct rsv_scenario *s, size_t i, bool component)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(s->universe->pkgs.v[k]->name, s->universe->pkgs.v[i]->name) == 0 && (component || s->universe->pkgs.v[k]->carries.p)) return true;
    return false;
}

static void add_names(struct rsv_scenario *s, struct gf_jw *w)
{
    struct scenario_universe *u = s->universe;
    gf_jw_key(w, "gpu_code");
    gf_jw_arr(w);
    for (size_t i = 0; i < u->pkgs.n; i++) {
        if (!u->pkgs.v[i]->carries.p || said_before(s, i, false)) continue;
        gf_jw_obj(w);
        gf_jw_kstr(w, "package", u->pkgs.v[i]->name);
        row_end(w);
    }
    gf_jw_end_arr(w);
    gf_jw_key(w, "components");
    gf_jw_arr(w);
    gf_jw_obj(w);
    gf_jw_kstr(w, "name", "driver");
    row_end(w);
    gf_jw_end_arr(w);
    gf_jw_key(w, "families");
    gf_jw_arr(w);
    for (size_t i = 0; i < u->families.n; i++) {
        gf_slice rest = u->families.v[i], word = GF_S("");
        gf_slice_word(&rest, &word);
        gf_jw_obj(w);
        gf_jw_kstr(w, "name", gf_arena_str(&s->mem, word));
        gf_jw_key(w, "packages");
        gf_jw_arr(w);
        while (gf_slice_word(&rest, &word)) gf_jw_str(w, word);
        gf_jw_end_arr(w);
        row_end(w);
    }
    gf_jw_end_arr(w);
}

static void own_rows(struct rsv_scenario *s, struct gf_buf *out)
{
    struct gf_jw w;
    gf_jw_init(&w, out, true);
    gf_jw_obj(&w);
    add_names(s, &w);
    add_rules(s, &w);
    add_builds(s, &w);
    gf_jw_end_obj(&w);
}

static void with_case_source(gf_slice text, struct gf_buf *out)
{
    ptrdiff_t at = gf_slice_chr(text, '[');
    if (at < 0) return;
    gf_buf_addsl(out, gf_slice_sub(text, 0, (size_t)at + 1));
    gf_buf_adds(out, "{\"id\": \"case\", \"title\": \"the scenario\", \"where\": \"its own file\", \"date\": \"2026-12-01\"},");
    gf_buf_addsl(out, gf_slice_from(text, (size_t)at + 1));
}

static int own_pack(struct rsv_scenario *s, struct mtx *base, struct gf_buf *pack)
{
    static const char *const kept[] = { "VERSION", "nvidia/cuda.json", "nvidia/devices.json", "nvidia/driver.json", "nvidia/gpus.json", "os/distros.json" };
    GF_BUF_SCOPE struct gf_buf rows, sources;
    gf_buf_init(&rows, GF_CAP_JSON);
    gf_buf_init(&sources, GF_CAP_JSON);
    own_rows(s, &rows);
    with_case_source(mtx_file_text(base, "sources.json"), &sources);
    gf_buf_adds(pack, "gpuferry-data 1\n");
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) gf_buf_addf(pack, "%zu %s\n", mtx_file_text(base, kept[i]).n, kept[i]);
    gf_buf_addf(pack, "%zu packages/case.json\n%zu sources.json\n\n", rows.n, sources.n);
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) gf_buf_addsl(pack, mtx_file_text(base, kept[i]));
    gf_buf_addsl(pack, gf_buf_slice(&rows));
    gf_buf_addsl(pack, gf_buf_slice(&sources));
    return gf_buf_failed(pack) ? -1 : 0;
}

int rsv_scenario_open_matrix(struct rsv_scenario *s, const char *label, struct gf_err *err)
{
    struct mtx *base = NULL;
    if (mtx_open(NULL, &base, err)) return -1;
    if (s->universe->full_data) {
        s->matrix = base;
        return 0;
    }
    GF_BUF_SCOPE struct gf_buf pack;
    gf_buf_init(&pack, GF_CAP_JSON);
    int rc = own_pack(s, base, &pack);
    mtx_free(base);
    if (rc) return gf_fail(err, GF_E_LIMIT, "%s: the scenario is too large", label);
    return mtx_open_pack(gf_buf_slice(&pack), label, &s->matrix, err) ? gf_wrap(err, "%s", label) : 0;
}
