/* Core metadata: the headers of METADATA and PKG-INFO, an e-mail-like form whose long values go on behind leading blanks. */
#include "python/requirement.h"
#include "base/vec.h"
#include "python/wheel.h"

struct reader {
    struct gf_arena *a;
    const char *label;
    const struct gf_log *log;
    struct gf_err *err;
    struct py_metadata *m;
    GF_VEC(struct py_req) requires, build;
    GF_VEC(const char *) extras, tools;
    const char *license_text;
};

static bool continues(gf_slice rest) { return rest.n && (*rest.p == ' ' || *rest.p == '\t'); }

/* The value with its continuation lines; *s moves behind them. Only copied when it has some. */
static gf_slice take_value(struct gf_arena *a, gf_slice *s, gf_slice first)
{
    if (!continues(*s)) return gf_slice_trim(first);
    const char *from = first.p;
    gf_slice line = first;
    while (continues(*s)) gf_slice_line(s, &line);
    size_t n = (size_t)(line.p + line.n - from);
    char *copy = gf_arena_str(a, gf_slice_n(from, n));
    return gf_slice_trim(gf_slice_n(copy, n));
}

static int add_requirement(struct reader *r, gf_slice value, bool build)
{
    struct py_req req;
    struct gf_err err = GF_ERR_INIT;
    char *flat = gf_arena_str(r->a, value);
    for (size_t i = 0; i < value.n; i++)
        if (flat[i] == '\n' || flat[i] == '\r') flat[i] = ' ';
    if (r->requires.n + r->build.n >= GF_CAP_REQUIREMENTS) return gf_fail(r->err, GF_E_LIMIT, "%s: more than %u requirements, at most that many are read", r->label, GF_CAP_REQUIREMENTS);
    if (!py_req_parse(r->a, gf_slice_n(flat, value.n), true, &req, &err)) {
        if (build) gf_vec_push(&r->build, req);
        else gf_vec_push(&r->requires, req);
        return 0;
    }
    if (!r->log) return gf_fail(r->err, err.code, "%s: %s", r->label, err.text);
    gf_note(r->log, 1, "%s: %s; skipped", r->label, err.text);
    r->m->skipped++;
    return 0;
}

static bool one_line(gf_slice s) { return s.n && s.n <= 120 && gf_slice_chr(s, '\n') < 0; }

static int field(struct reader *r, gf_slice name, gf_slice value)
{
    struct py_metadata *m = r->m;
    if (memchr(value.p, '\0', value.n)) return gf_fail(r->err, GF_E_PARSE, "%s: the field '%.*s' holds a NUL byte", r->label, GF_FMT(name));
    const struct {
        const char *name, **to;
    } texts[] = {
        { "metadata-version", &m->metadata_version }, { "name", &m->name }, { "version", &m->version }, { "summary", &m->summary },
        { "requires-python", &m->requires_python }, { "license-expression", &m->license },
        { "build-backend", &m->build_backend },
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (gf_slice_ieq(name, gf_slice_of(texts[i].name))) {
            if (!*texts[i].to) *texts[i].to = gf_arena_str(r->a, value);
            return 0;
        }
    if (gf_slice_ieq(name, GF_S("requires-dist"))) return add_requirement(r, value, false);
    if (gf_slice_ieq(name, GF_S("build-requires"))) return add_requirement(r, value, true);
    if (gf_slice_ieq(name, GF_S("build-tool")) && value.n) gf_vec_push(&r->tools, gf_arena_str(r->a, value));
    if (gf_slice_ieq(name, GF_S("provides-extra")) && value.n) gf_vec_push(&r->extras, py_name_normalize(r->a, value));
    if (gf_slice_ieq(name, GF_S("license")) && one_line(value)) r->license_text = gf_arena_str(r->a, value);
    if (gf_slice_ieq(name, GF_S("dynamic")) && gf_slice_ieq(value, GF_S("requires-dist"))) m->dynamic_requires = true;
    return 0;
}

/* Headers up to the first blank line. A line without a colon is passed over, as e-mail readers do. */
static int read_headers(struct reader *r, gf_slice text)
{
    gf_try_lit(&text, GF_S("\xEF\xBB\xBF"));
    for (gf_slice line, name; gf_slice_line(&text, &line) && line.n;) {
        gf_slice rest = line;
        if (!gf_slice_cut(&rest, ':', &name)) continue;
        gf_slice value = take_value(r->a, &text, rest);
        if (field(r, gf_slice_rtrim(name), value)) return -1;
    }
    return 0;
}

static int finish(struct reader *r)
{
    struct py_metadata *m = r->m;
    if (!m->name || !m->version)
        return gf_fail(r->err, GF_E_PARSE, "%s: no %s: field, so this is no package metadata", r->label, m->name ? "Version" : "Name");
    if (!m->license) m->license = r->license_text;
    m->nrequires = (uint32_t)r->requires.n;
    m->nextras = (uint32_t)r->extras.n;
    m->nbuild_requires = (uint32_t)r->build.n;
    m->nbuild_tools = (uint32_t)r->tools.n;
    if (m->nbuild_requires) m->build_requires = gf_arena_memdup(r->a, r->build.v, r->build.n * sizeof *r->build.v);
    if (m->nbuild_tools) m->build_tools = gf_arena_memdup(r->a, r->tools.v, r->tools.n * sizeof *r->tools.v);
    if (m->nrequires) m->requires = gf_arena_memdup(r->a, r->requires.v, r->requires.n * sizeof *r->requires.v);
    if (m->nextras) m->extras = gf_arena_memdup(r->a, r->extras.v, r->extras.n * sizeof *r->extras.v);
    return 0;
}

int py_metadata_parse(struct gf_arena *a, gf_slice text, const char *label, const struct gf_log *log, struct py_metadata *ret, struct gf_err *err)
{
    struct py_metadata m = { 0 };
    struct reader r = { .a = a, .label = label, .log = log, .err = err, .m = &m };
    if (text.n > GF_CAP_METADATA) return gf_fail(err, GF_E_LIMIT, "%s: %zu bytes of metadata, at most %u are read", label, text.n, GF_CAP_METADATA);
    int rc = read_headers(&r, text) ? -1 : finish(&r);
    if (!rc) *ret = m;
    gf_vec_free(&r.requires);
    gf_vec_free(&r.extras);
    gf_vec_free(&r.build);
    gf_vec_free(&r.tools);
    return rc;
}
