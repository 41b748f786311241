/* What a file is that says what to install: by its name where that is the custom, else by what stands in it. */
#include "judge/manifest.h"
#include "python/requirement.h"

enum { MOST_LINES = 400 };

static enum jdg_manifest by_name(gf_slice name)
{
    bool yaml = gf_slice_ends(name, GF_S(".yml")) || gf_slice_ends(name, GF_S(".yaml"));
    if (gf_slice_is(name, "uv.lock")) return JDG_UV_LOCK;
    if (gf_slice_is(name, "pyproject.toml")) return JDG_PYPROJECT;
    if (gf_slice_starts(name, GF_S("pylock")) && gf_slice_ends(name, GF_S(".toml"))) return JDG_PYLOCK;
    if (yaml && (gf_slice_has(name, GF_S("environment")) || gf_slice_has(name, GF_S("conda")) || gf_slice_is(name, "env.yml") || gf_slice_is(name, "env.yaml"))) return JDG_CONDA;
    if (gf_slice_starts(name, GF_S("Dockerfile")) || gf_slice_starts(name, GF_S("Containerfile")) || gf_slice_ends(name, GF_S(".dockerfile"))) return JDG_DOCKERFILE;
    bool text = gf_slice_ends(name, GF_S(".txt")) || gf_slice_ends(name, GF_S(".in"));
    if (text && (gf_slice_has(name, GF_S("require")) || gf_slice_has(name, GF_S("constraint")))) return JDG_REQUIREMENTS;
    return JDG_NO_MANIFEST;
}

/* "[[package]]" and the like at the start of a line. */
static bool has_table(gf_slice text, const char *table)
{
    gf_slice line, want = gf_slice_of(table);
    while (gf_slice_line(&text, &line))
        if (gf_slice_starts(gf_slice_trim(line), want)) return true;
    return false;
}

static bool is_conda(gf_slice text)
{
    gf_slice line;
    bool inside = false;
    while (gf_slice_line(&text, &line)) {
        gf_slice s = gf_slice_trim(line);
        if (gf_slice_starts(line, GF_S("dependencies:"))) inside = true;
        else if (inside && s.n && *s.p != '#') return gf_slice_starts(s, GF_S("- "));
    }
    return false;
}

/* The first instruction is FROM, or ARG before it. */
static bool is_dockerfile(gf_slice text)
{
    gf_slice line, word;
    while (gf_slice_line(&text, &line)) {
        gf_slice s = gf_slice_trim(line);
        if (!s.n || *s.p == '#') continue;
        if (!gf_slice_word(&s, &word) || !gf_slice_trim(s).n) return false;
        if (gf_slice_ieq(word, GF_S("FROM"))) return true;
        if (!gf_slice_ieq(word, GF_S("ARG"))) return false;
    }
    return false;
}

static bool is_reqfile_option(gf_slice s)
{
    static const char *const options[] = { "-r ", "-c ", "-i ", "-f ", "--requirement", "--constraint", "--index-url", "--extra-index-url", "--find-links", "--no-index",
                                           "--pre", "--only-binary", "--no-binary", "--require-hashes", "--hash", "--trusted-host", "--prefer-binary" };
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (gf_slice_starts(s, gf_slice_of(options[i]))) return true;
    return false;
}

/* Each line a requirement, an option of such files or a comment. Names alone are a list from two on: one may be any word. */
static bool is_requirements(gf_slice text)
{
    struct gf_arena mem = GF_ARENA_INIT;
    gf_slice line;
    unsigned names = 0, told = 0;
    bool fits = true;
    for (unsigned n = 0; fits && n < MOST_LINES && gf_slice_line(&text, &line); n++) {
        gf_slice s = gf_slice_trim(line);
        struct py_req r;
        if (s.n && s.p[s.n - 1] == '\\') s = gf_slice_trim(gf_slice_sub(s, 0, s.n - 1));
        ptrdiff_t cut = gf_slice_find(s, GF_S(" #"));
        if (cut < 0) cut = gf_slice_find(s, GF_S(" --hash"));
        if (cut > 0) s = gf_slice_trim(gf_slice_sub(s, 0, (size_t)cut));
        if (!s.n || *s.p == '#') continue;
        if (is_reqfile_option(s)) told++;
        else if (py_req_parse(&mem, s, true, &r, NULL) == 0) r.specs.n || r.url || r.nextras ? told++ : names++;
        else fits = false;
    }
    gf_arena_release(&mem);
    return fits && (told || names > 1);
}

enum jdg_manifest jdg_manifest_kind(const char *path, gf_slice head)
{
    gf_slice name = gf_slice_of(path);
    ptrdiff_t slash = gf_slice_rchr(name, '/');
    if (slash >= 0) name = gf_slice_from(name, (size_t)slash + 1);
    enum jdg_manifest kind = by_name(name);
    if (kind != JDG_NO_MANIFEST) return kind;
    if (has_table(head, "[[packages]]") && gf_slice_has(head, GF_S("lock-version"))) return JDG_PYLOCK;
    if (has_table(head, "[[package]]") && has_table(head, "requires-python")) return JDG_UV_LOCK; /* other tools' locks have [[package]] too */
    if (has_table(head, "[project]") || has_table(head, "[dependency-groups]")) return JDG_PYPROJECT;
    if (is_conda(head)) return JDG_CONDA;
    if (is_dockerfile(head)) return JDG_DOCKERFILE;
    return is_requirements(head) ? JDG_REQUIREMENTS : JDG_NO_MANIFEST;
}
