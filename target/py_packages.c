/* pip freeze, pip list, uv pip list, pip show, conda list. */
#include "target/paste.h"

struct packages {
    enum { NO_LIST, PIP_LIST, CONDA_LIST } list;
    char *shown; /* "Name:" of pip show, waiting for its version */
};

static bool is_version(gf_slice v)
{
    if (!v.n || v.n > 100 || !gf_is_digit((unsigned char)v.p[0])) return false;
    for (size_t i = 0; i < v.n; i++)
        if (!gf_is_alnum((unsigned char)v.p[i]) && !strchr(".+-_!", v.p[i])) return false;
    return true;
}

static bool take(struct tgt_paste *s, gf_slice name, gf_slice version, const char *origin, const char *tool)
{
    if (!py_name_valid(name) || !is_version(version)) return false;
    tgt_fact_package(s, (struct mdl_package){ .name = tgt_keep(s, name), .version = gf_arena_str(&s->p->mem, version), .origin = origin }, tool);
    return true;
}

/* "torch==2.5.1+cu121", nothing else on the line but a comment, a marker or a hash. */
static bool freeze_line(struct tgt_paste *s, gf_slice line)
{
    gf_slice t = gf_slice_trim(line);
    ptrdiff_t eq = gf_slice_find(t, GF_S("=="));
    if (eq <= 0 || eq > 100) return false;
    gf_slice name = gf_slice_trim(gf_slice_sub(t, 0, (size_t)eq)), version = gf_slice_from(t, (size_t)eq + 2), word;
    gf_try_char(&version, '=');
    ptrdiff_t extra = gf_slice_chr(name, '[');
    if (extra > 0) name = gf_slice_sub(name, 0, (size_t)extra);
    gf_slice rest = version;
    if (!gf_slice_word(&rest, &word)) return false;
    ptrdiff_t mark = gf_slice_chr(word, ';');
    if (mark > 0) word = gf_slice_sub(word, 0, (size_t)mark);
    rest = gf_slice_trim(rest);
    if (rest.n && mark < 0 && !strchr("#;\\-", rest.p[0])) return false; /* a sentence */
    return take(s, name, word, "pip", "pip freeze");
}

/* "torch @ https://…/torch-2.5.1%2Bcu121-cp312-cp312-linux_x86_64.whl": the version stands in the file's name. */
static bool freeze_url(struct tgt_paste *s, gf_slice line)
{
    ptrdiff_t at = gf_slice_find(line, GF_S(" @ "));
    if (at <= 0 || at > 100 || !gf_slice_has(line, GF_S(".whl"))) return false;
    gf_slice name = gf_slice_trim(gf_slice_sub(line, 0, (size_t)at));
    gf_slice file = gf_slice_from(line, (size_t)gf_slice_rchr(line, '/') + 1), version = file, part;
    if (!py_name_valid(name) || !gf_slice_field(&version, '-', &part) || !gf_slice_field(&version, '-', &part)) return false;
    GF_BUF_SCOPE struct gf_buf plain;
    gf_buf_init(&plain, 200);
    ptrdiff_t plus = gf_slice_ifind(part, GF_S("%2B"));
    if (plus > 0) gf_buf_addf(&plain, "%.*s+%.*s", GF_FMT(gf_slice_sub(part, 0, (size_t)plus)), GF_FMT(gf_slice_from(part, (size_t)plus + 3)));
    else gf_buf_addsl(&plain, part);
    return take(s, name, gf_buf_slice(&plain), "pip", "pip freeze");
}

/* --- conda --------------------------------------------------------------------------------------------------------------- */
/* "py3.10_cuda12.1_cudnn8.9.2_0" → "cu121"; "cpu_generic_…" → "cpu". */
static char *conda_build(struct tgt_paste *s, gf_slice build)
{
    gf_slice rest, n;
    if (!tgt_after(build, GF_S("cuda"), &rest)) return gf_slice_has(build, GF_S("cpu")) ? gf_arena_str(&s->p->mem, GF_S("cpu")) : NULL;
    n = tgt_number(rest);
    gf_slice minor = n, major;
    if (!gf_slice_cut(&minor, '.', &major)) return n.n == 3 ? gf_arena_printf(&s->p->mem, "cu%.*s", GF_FMT(n)) : NULL; /* cuda121 */
    return gf_arena_printf(&s->p->mem, "cu%.*s%.1s", GF_FMT(major), minor.p);
}

static bool conda_row(struct tgt_paste *s, gf_slice line)
{
    gf_slice name, version, build = GF_NONE, channel = GF_NONE;
    if (!gf_slice_word(&line, &name) || !gf_slice_word(&line, &version) || !is_version(version)) return false;
    gf_slice_word(&line, &build);
    gf_slice_word(&line, &channel);
    static const char TOOL[] = "conda list";
    if (gf_slice_is(name, "python")) return tgt_fact(s, "python.version", version, TOOL);
    if (!py_name_valid(name)) return false;
    bool torch = gf_slice_is(name, "pytorch") || gf_slice_is(name, "pytorch-gpu"), pip = gf_slice_starts(channel, GF_S("pypi"));
    struct mdl_package p = { .name = torch ? "torch" : tgt_keep(s, name), .version = gf_arena_str(&s->p->mem, version), .origin = pip ? "pip" : "conda" };
    if (torch) p.build = conda_build(s, build);
    tgt_fact_package(s, p, TOOL);
    return true;
}

/* --- lists ----------------------------------------------------------------------------------------------------------------- */
static bool is_pip_header(gf_slice line)
{
    gf_slice a, b;
    return gf_slice_word(&line, &a) && gf_slice_is(a, "Package") && gf_slice_word(&line, &b) && gf_slice_is(b, "Version");
}

static bool is_conda_header(gf_slice line)
{
    gf_slice rest;
    return gf_slice_starts(line, GF_S("# packages in environment")) || (gf_try_lit(&line, GF_S("#")) && tgt_after(line, GF_S("Name"), &rest) && gf_slice_starts(rest, GF_S("Version")));
}

static bool pip_row(struct tgt_paste *s, gf_slice line)
{
    gf_slice name, version;
    if (gf_slice_starts(gf_slice_trim(line), GF_S("---"))) return true;
    return gf_slice_word(&line, &name) && gf_slice_word(&line, &version) && take(s, name, version, "pip", "pip list");
}

/* "Name: torch" then "Version: 2.5.1". */
static bool show_line(struct tgt_paste *s, struct packages *l, gf_slice line)
{
    gf_slice v;
    if (line.n < 6 || (line.p[0] != 'N' && line.p[0] != 'V')) return false;
    if (tgt_key(line, GF_S("Name"), &v) && py_name_valid(v)) {
        l->shown = tgt_keep(s, v);
        return true;
    }
    if (!l->shown || !tgt_key(line, GF_S("Version"), &v)) return false;
    bool taken = take(s, gf_slice_of(l->shown), v, "pip", "pip show");
    l->shown = NULL;
    return taken;
}

static bool packages_line(struct tgt_paste *s, void *state, gf_slice line)
{
    struct packages *l = state;
    if (!line.n || line.n > 1000) return false;
    if (is_pip_header(line) || is_conda_header(line)) {
        l->list = line.p[0] == '#' ? CONDA_LIST : PIP_LIST;
        return true;
    }
    if (l->list == PIP_LIST && pip_row(s, line)) return true;
    if (l->list == CONDA_LIST && (line.p[0] == '#' || conda_row(s, line))) return true;
    l->list = NO_LIST;
    return freeze_line(s, line) || freeze_url(s, line) || show_line(s, l, line);
}

static void packages_end(struct tgt_paste *s, void *state)
{
    (void)s;
    *(struct packages *)state = (struct packages){ 0 };
}

const struct tgt_format tgt_py_packages = { "Python packages", sizeof(struct packages), packages_line, packages_end };
