/* Requirements files: options, includes, hashes. */
#include "base/digest.h"
#include "base/file.h"
#include "python/reqfile_line.h"
#include <stdlib.h>

enum { MAX_DEPTH = 32, MAX_FILES = 1000 };

struct loader {
    struct py_reqfile *into;
    const struct py_reqfile_io *io;
    struct gf_err *err;
    const char *open[MAX_DEPTH]; /* the files being read, to see a circle */
    unsigned nopen, nfiles;
};
struct place {
    const char *file;
    unsigned line;
    enum py_reqfile_role role;
};

void py_reqfile_init(struct py_reqfile *f) { *f = (struct py_reqfile){ 0 }; }

void py_reqfile_release(struct py_reqfile *f)
{
    for (int i = 0; i < 3; i++) gf_vec_free(&f->lines[i]);
    gf_vec_free(&f->extra_index_urls);
    gf_vec_free(&f->find_links);
    py_formats_release(&f->formats);
    gf_arena_release(&f->mem);
    py_reqfile_init(f);
}

static int load(struct loader *l, const char *path, enum py_reqfile_role role);

static bool is_url(const char *s) { return strstr(s, "://") != NULL; }

/* A path beside the file it stands in; URLs and absolute paths stay. */
static const char *beside(struct gf_arena *a, const char *file, const char *path)
{
    const char *slash = strrchr(file, '/');
    if (is_url(path) || *path == '/' || !slash) return path;
    return gf_arena_printf(a, "%.*s%s", (int)(slash + 1 - file), file, path);
}

static int wrong(struct loader *l, const struct place *at, const char *what, const char *word)
{
    return gf_fail(l->err, GF_E_PARSE, "%s:%u: %s '%s'", at->file, at->line, what, word);
}

/* The value of an option: behind "=", behind a short option's letter, or the next word. NULL with *err filled without one. */
static const char *value_of(struct loader *l, const struct place *at, const char *word, const char *inline_value, gf_slice *rest)
{
    const char *value = inline_value;
    if (!value && !py_reqfile_word(&l->into->mem, rest, &value)) {
        wrong(l, at, "a value is missing behind", word);
        return NULL;
    }
    return value;
}

static int add_hash(struct loader *l, const struct place *at, struct py_reqfile_line *line, const char *value)
{
    static const struct { const char *name; size_t hex; } kinds[] = { { "sha256", 64 }, { "sha384", 96 }, { "sha512", 128 } };
    struct gf_arena *a = &l->into->mem;
    char *lower = gf_arena_strz(a, value);
    for (char *c = lower; *c; c++) *c = gf_lower(*c);
    gf_slice hex = gf_slice_of(lower), kind;
    unsigned char bytes[GF_HASH_MAX];
    bool good = gf_slice_cut(&hex, ':', &kind);
    size_t i = 0;
    while (good && i < 3 && !gf_slice_is(kind, kinds[i].name)) i++;
    if (!good || i == 3 || hex.n != kinds[i].hex || !gf_unhex(hex, bytes, hex.n / 2))
        return wrong(l, at, "expected --hash=sha256:HEX (or sha384, sha512), found", value);
    const char **all = GF_NEW_ARRAY(a, const char *, line->nhashes + 1);
    for (uint32_t k = 0; k < line->nhashes; k++) all[k] = line->hashes[k];
    all[line->nhashes++] = lower;
    line->hashes = all;
    return 0;
}

/* Options behind a requirement: hashes; those that only a build would need are named and ignored. */
static int read_line_options(struct loader *l, const struct place *at, struct py_reqfile_line *line, gf_slice rest)
{
    for (const char *word; py_reqfile_word(&l->into->mem, &rest, &word);) {
        const char *equals = strchr(word, '=');
        size_t n = equals ? (size_t)(equals - word) : strlen(word);
        gf_slice name = gf_slice_n(word, n);
        bool hash = gf_slice_is(name, "--hash");
        bool build = gf_slice_is(name, "--global-option") || gf_slice_is(name, "--config-settings") || gf_slice_is(name, "--config-setting") || gf_slice_is(name, "-C");
        if (!hash && !build) return wrong(l, at, "unknown option behind a requirement:", word);
        const char *value = value_of(l, at, word, equals ? equals + 1 : NULL, &rest);
        if (!value) return -1;
        if (hash && add_hash(l, at, line, value)) return -1;
        if (build) gf_note(l->io->log, 0, "%s:%u: %.*s is ignored: nothing is built here", at->file, at->line, GF_FMT(name));
        if (build) l->into->nignored++;
    }
    return 0;
}

static int add_requirement(struct loader *l, const struct place *at, gf_slice args, gf_slice options)
{
    struct py_reqfile_line line = { .file = at->file, .line = at->line };
    if (py_req_parse_any(&l->into->mem, args, &line.req, l->err)) return gf_wrap(l->err, "%s:%u", at->file, at->line);
    if (at->role == PY_CONSTRAINTS && line.req.nextras) return wrong(l, at, "a constraint cannot have extras:", line.req.text);
    if (read_line_options(l, at, &line, options)) return -1;
    if (line.nhashes && at->role == PY_REQUIREMENTS) l->into->require_hashes = true;
    gf_vec_push(&l->into->lines[at->role], line);
    return 0;
}

enum option { OPT_INDEX, OPT_EXTRA, OPT_NO_INDEX, OPT_REQ, OPT_CONSTRAINT, OPT_EDITABLE, OPT_LINKS, OPT_NO_BINARY, OPT_ONLY_BINARY, OPT_PREFER, OPT_HASHES, OPT_PRE, OPT_IGNORED };

static const struct {
    const char *name;
    bool value;
    enum option id;
} OPTIONS[] = {
    { "-i", true, OPT_INDEX }, { "--index-url", true, OPT_INDEX }, { "--extra-index-url", true, OPT_EXTRA }, { "--no-index", false, OPT_NO_INDEX },
    { "-r", true, OPT_REQ }, { "--requirement", true, OPT_REQ }, { "-c", true, OPT_CONSTRAINT }, { "--constraint", true, OPT_CONSTRAINT },
    { "-e", true, OPT_EDITABLE }, { "--editable", true, OPT_EDITABLE }, { "-f", true, OPT_LINKS }, { "--find-links", true, OPT_LINKS },
    { "--no-binary", true, OPT_NO_BINARY }, { "--only-binary", true, OPT_ONLY_BINARY }, { "--prefer-binary", false, OPT_PREFER },
    { "--require-hashes", false, OPT_HASHES }, { "--pre", false, OPT_PRE }, { "--trusted-host", true, OPT_IGNORED }, { "--use-feature", true, OPT_IGNORED },
};
enum { NOPTIONS = sizeof OPTIONS / sizeof *OPTIONS };

/* The row that word is, and the value in it: --name=value, -xvalue. NOPTIONS for none. */
static size_t find_option(const char *word, const char **ret_value)
{
    *ret_value = NULL;
    bool is_long = word[1] == '-';
    const char *equals = is_long ? strchr(word, '=') : NULL;
    size_t n = equals ? (size_t)(equals - word) : strlen(word);
    gf_slice name = gf_slice_n(word, is_long || n < 2 ? n : 2);
    for (size_t i = 0; i < NOPTIONS; i++)
        if (gf_slice_is(name, OPTIONS[i].name)) {
            if (equals) *ret_value = equals + 1;
            else if (!is_long && word[2]) *ret_value = word + 2;
            return i;
        }
    return NOPTIONS;
}

static int include(struct loader *l, const struct place *at, const char *value, enum py_reqfile_role role)
{
    if (!strncmp(value, "file://", 7)) value += 7;
    if (load(l, beside(&l->into->mem, at->file, value), role)) return gf_wrap(l->err, "%s:%u", at->file, at->line);
    return 0;
}

static const char *links_place(struct gf_arena *a, const struct place *at, const char *value)
{
    const char *near_file = beside(a, at->file, value);
    return !is_url(value) && gf_path_exists(near_file) ? near_file : value;
}

static int apply(struct loader *l, const struct place *at, enum option id, const char *value)
{
    struct py_reqfile *f = l->into;
    switch (id) {
    case OPT_INDEX: f->index_url = value; return 0;
    case OPT_EXTRA: gf_vec_push(&f->extra_index_urls, value); return 0;
    case OPT_NO_INDEX: f->no_index = true; return 0;
    case OPT_REQ: return include(l, at, value, at->role == PY_CONSTRAINTS ? PY_REQUIREMENTS : at->role); /* as pip does */
    case OPT_CONSTRAINT: return include(l, at, value, PY_CONSTRAINTS);
    case OPT_EDITABLE: return wrong(l, at, "an editable install needs its source tree on the target and cannot be locked; build a wheel and name it instead of -e", value);
    case OPT_LINKS: gf_vec_push(&f->find_links, links_place(&f->mem, at, value)); return 0;
    case OPT_NO_BINARY: py_formats_add(&f->mem, &f->formats, false, gf_slice_of(value)); return 0;
    case OPT_ONLY_BINARY: py_formats_add(&f->mem, &f->formats, true, gf_slice_of(value)); return 0;
    case OPT_PREFER: f->prefer_binary = true; return 0;
    case OPT_HASHES: f->require_hashes = true; return 0;
    case OPT_PRE: f->pre = true; return 0;
    case OPT_IGNORED: break;
    }
    f->nignored++;
    return 0;
}

static int read_options(struct loader *l, const struct place *at, gf_slice rest)
{
    for (const char *word, *value; py_reqfile_word(&l->into->mem, &rest, &word);) {
        size_t i = *word == '-' ? find_option(word, &value) : NOPTIONS;
        if (i == NOPTIONS) return wrong(l, at, "unknown option", word);
        if (!OPTIONS[i].value && value) return wrong(l, at, "no value is expected in", word);
        if (OPTIONS[i].value && !(value = value_of(l, at, word, value, &rest))) return -1;
        if (OPTIONS[i].id == OPT_IGNORED) gf_note(l->io->log, 0, "%s:%u: %s is ignored", at->file, at->line, OPTIONS[i].name);
        if (apply(l, at, OPTIONS[i].id, value)) return -1;
    }
    return 0;
}

static int read_text(struct loader *l, const char *path, enum py_reqfile_role role, gf_slice text)
{
    struct place at = { path, 1, role };
    unsigned count;
    if (gf_slice_starts(text, GF_S("\xFF\xFE")) || gf_slice_starts(text, GF_S("\xFE\xFF")) || (text.n && memchr(text.p, '\0', text.n)))
        return gf_fail(l->err, GF_E_PARSE, "%s: this is no UTF-8 text: save it as UTF-8", path);
    gf_try_lit(&text, GF_S("\xEF\xBB\xBF"));
    for (gf_slice line, options; py_reqfile_next(&l->into->mem, &text, l->io, &line, &count); at.line += count) {
        gf_slice args = py_reqfile_args(line, &options);
        if (args.n ? add_requirement(l, &at, args, options) : read_options(l, &at, options)) return -1;
    }
    return 0;
}

static int load(struct loader *l, const char *path, enum py_reqfile_role role)
{
    for (unsigned i = 0; i < l->nopen; i++)
        if (!strcmp(l->open[i], path)) return gf_fail(l->err, GF_E_PARSE, "'%s' includes itself", path);
    if (l->nopen == MAX_DEPTH) return gf_fail(l->err, GF_E_LIMIT, "'%s' is included through more than %d files", path, MAX_DEPTH);
    if (l->nfiles++ == MAX_FILES) return gf_fail(l->err, GF_E_LIMIT, "'%s': more than %d files are included", path, MAX_FILES);
    GF_BUF_SCOPE struct gf_buf text;
    gf_buf_init(&text, GF_CAP_METADATA);
    if (l->io->read(l->io->arg, path, &text, l->err)) return -1;
    l->open[l->nopen++] = path;
    int rc = read_text(l, path, role, gf_buf_slice(&text));
    l->nopen--;
    return rc;
}

int py_reqfile_load(struct py_reqfile *into, const char *path, enum py_reqfile_role role, const struct py_reqfile_io *io, struct gf_err *err)
{
    struct loader l = { .into = into, .io = io, .err = err };
    return load(&l, gf_arena_strz(&into->mem, path), role);
}
