#include "sources/sdist_build.h"
#include "python/pyproject.h"

/* What setup.py may import at its top without its pyproject.toml saying so, by the distribution that has it. Only these are known: the name of a module is
 * not that of a distribution, and an unknown one would be anybody's. */
static const struct { const char *module, *requirement; } modules[] = {
    { "torch", "torch" },         { "numpy", "numpy" },         { "Cython", "cython" },       { "packaging", "packaging" }, { "pybind11", "pybind11" },
    { "ninja", "ninja" },         { "psutil", "psutil" },       { "cffi", "cffi" },           { "skbuild", "scikit-build" }, { "setuptools_scm", "setuptools-scm" },
    { "wheel", "wheel" },         { "pbr", "pbr" },             { "scipy", "scipy" },         { "jinja2", "jinja2" },       { "yaml", "pyyaml" },
    { "triton", "triton" },       { "requests", "requests" },   { "tqdm", "tqdm" },           { "six", "six" },             { "setuptools_rust", "setuptools-rust" },
    { "pkg_resources", "setuptools<82" }, /* setuptools 82 dropped it */
};

/* What the hooks of these back ends ask for besides (get_requires_for_build_wheel), and whether they are there to compile. */
static const struct { const char *backend, *requires[2]; bool compiles; } backends[] = {
    { "setuptools.build_meta", { "wheel" }, false }, /* of setuptools below 70.1 */
    { "mesonpy", { "ninja" }, true },
    { "scikit_build_core.build", { "cmake>=3.15", "ninja>=1.5" }, true },
    { "scikit_build_core.setuptools.build_meta", { "cmake>=3.15", "ninja>=1.5" }, true },
};

void src_build_note(struct src_build_seen *s, gf_slice path)
{
    s->c += gf_slice_ends(path, GF_S(".c")) || gf_slice_ends(path, GF_S(".pyx"));
    s->cxx += gf_slice_ends(path, GF_S(".cc")) || gf_slice_ends(path, GF_S(".cpp")) || gf_slice_ends(path, GF_S(".cxx"));
    s->cuda += gf_slice_ends(path, GF_S(".cu"));
    gf_slice head = path;
    bool folder = gf_slice_cut(&path, '/', &head);
    if (!folder && gf_slice_ends(head, GF_S(".py"))) head.n -= 3;
    else if (!folder) return;
    if (head.n && s->top.n < 10000) gf_names_add(&s->top, head, NULL);
}

static bool mentions(gf_slice text, const char *what) { return text.p && gf_slice_find(text, gf_slice_of(what)) >= 0; }

struct needs { struct gf_buf *out; unsigned n; };

/* One above the cap tells that they are too many. */
static void need(struct needs *x, const char *requirement)
{
    if (x->n++ <= GF_CAP_BUILD_REQUIRES) gf_buf_addf(x->out, "Build-Requires: %s\n", requirement);
}

/* "torch.utils.cpp_extension" → what brings torch; nothing for what Python or the archive itself has. */
static void need_module(const struct src_build_seen *s, gf_slice dotted, struct needs *out)
{
    gf_slice rest = gf_slice_trim(dotted), name;
    gf_slice_field(&rest, '.', &name);
    if (gf_names_find(&s->top, name) != GF_NO_ID) return;
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        if (gf_slice_is(name, modules[i].module)) need(out, modules[i].requirement);
}

/* "import a.b as c, d" and "from a.b import c" that begin a line; indented ones may be tried only. */
static void need_imports(const struct src_build_seen *s, struct needs *out)
{
    gf_slice text = s->setup_py, line, word, part;
    while (text.p && gf_slice_line(&text, &line)) {
        if (gf_try_lit(&line, GF_S("from "))) {
            if (gf_slice_word(&line, &word)) need_module(s, word, out);
        } else if (gf_try_lit(&line, GF_S("import "))) {
            while (gf_slice_field(&line, ',', &part))
                if (gf_slice_word(&part, &word)) need_module(s, word, out);
        }
    }
}

static void need_tools(const struct src_build_seen *s, bool compiles, struct gf_buf *out)
{
    bool extension = mentions(s->setup_py, "ext_modules") || mentions(s->setup_py, "Extension(") || mentions(s->pyproject, "ext-modules");
    bool cuda = s->cuda && (mentions(s->setup_py, "CUDAExtension") || mentions(s->setup_py, "nvcc") || compiles);
    if (cuda) gf_buf_addf(out, "Build-Tool: nvcc %u files of CUDA\n", s->cuda);
    if (!cuda && !(s->c + s->cxx && (extension || compiles))) return;
    if (s->c) gf_buf_addf(out, "Build-Tool: c-compiler %u files of C\n", s->c);
    else gf_buf_adds(out, "Build-Tool: c-compiler which Python's own tools call for other languages too\n");
    if (s->cxx) gf_buf_addf(out, "Build-Tool: c++-compiler %u files of C++\n", s->cxx);
    gf_buf_adds(out, "Build-Tool: python-headers for an extension module\n");
}

static bool is_rust(const struct py_pyproject *p)
{
    for (uint32_t i = 0; i < p->build_requires.n; i++)
        if (strcmp(p->build_requires.v[i].name, "maturin") == 0 || strcmp(p->build_requires.v[i].name, "setuptools-rust") == 0) return true;
    return false;
}

void src_build_describe(const struct src_build_seen *s, struct gf_buf *ret)
{
    GF_ARENA_SCOPE struct gf_arena a = GF_ARENA_INIT;
    struct py_pyproject p = { 0 };
    struct gf_err ignored = GF_ERR_INIT;
    if (!s->pyproject.p || py_pyproject_parse(&a, s->pyproject, "pyproject.toml", &p, &ignored)) py_pyproject_parse(&a, GF_S(""), "pyproject.toml", &p, &ignored);
    const char *backend = p.build_backend ? p.build_backend : "setuptools.build_meta:__legacy__";
    gf_slice whole = gf_slice_of(backend), module;
    gf_slice_field(&whole, ':', &module);
    bool compiles = false;
    gf_buf_addf(ret, "Build-Backend: %.*s\n", GF_FMT(module));
    struct needs needs = { ret, 0 };
    for (uint32_t i = 0; i < p.build_requires.n; i++) need(&needs, py_req_text(&a, &p.build_requires.v[i]));
    for (size_t i = 0; i < sizeof backends / sizeof *backends; i++) {
        if (!gf_slice_is(module, backends[i].backend)) continue;
        compiles = backends[i].compiles;
        for (size_t k = 0; k < 2 && backends[i].requires[k]; k++) need(&needs, backends[i].requires[k]);
    }
    need_imports(s, &needs);
    need_tools(s, compiles, ret);
    if (is_rust(&p)) gf_buf_adds(ret, "Build-Tool: cargo its back end compiles Rust\n");
}
