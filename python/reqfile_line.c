/* One line of a requirements file: joined, without its comment, its variables replaced; split into words as a shell would. */
#include "python/reqfile_line.h"

/* The next line with those that a backslash at its end joins to it. *ret_count: how many lines of the file it took. */
static bool next_joined(struct gf_buf *out, gf_slice *text, unsigned *ret_count)
{
    gf_slice line;
    *ret_count = 0;
    gf_buf_clear(out);
    while (gf_slice_line(text, &line)) {
        ++*ret_count;
        gf_slice start = line;
        gf_take_ws(&start);
        bool comment = gf_slice_starts(start, GF_S("#"));
        if (comment) gf_buf_addc(out, ' ');
        bool more = !comment && gf_slice_ends(line, GF_S("\\"));
        gf_buf_addsl(out, gf_slice_sub(line, 0, line.n - more));
        if (!more) return true;
    }
    return *ret_count > 0;
}

/* A comment begins with # at the start or behind a blank. */
static gf_slice without_comment(gf_slice s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] == '#' && (i == 0 || gf_is_space((unsigned char)s.p[i - 1]))) return gf_slice_sub(s, 0, i);
    return s;
}

static bool variable_byte(unsigned char c) { return gf_is_digit(c) || (c >= 'A' && c <= 'Z') || c == '_'; }

/* ${NAME} of capital letters, digits and underscores, where it is set. */
static void replace_variables(struct gf_buf *out, gf_slice s, const struct py_reqfile_io *io)
{
    while (s.n) {
        gf_slice rest = s, name = GF_NONE;
        if (gf_try_lit(&rest, GF_S("${"))) name = gf_take_while(&rest, variable_byte);
        const char *value = NULL;
        if (name.n && gf_try_char(&rest, '}') && io->env) {
            GF_FREE char *copy = gf_xstrndup(name);
            value = io->env(io->arg, copy);
        }
        if (value) {
            gf_buf_adds(out, value);
            s = rest;
        } else {
            gf_buf_addc(out, *s.p);
            s = gf_slice_from(s, 1);
        }
    }
}

bool py_reqfile_next(struct gf_arena *a, gf_slice *text, const struct py_reqfile_io *io, gf_slice *ret, unsigned *ret_count)
{
    GF_BUF_SCOPE struct gf_buf raw, out;
    gf_buf_init(&raw, GF_CAP_METADATA);
    gf_buf_init(&out, GF_CAP_METADATA);
    if (!next_joined(&raw, text, ret_count)) return false;
    replace_variables(&out, gf_slice_trim(without_comment(gf_buf_slice(&raw))), io);
    gf_slice line = gf_slice_trim(gf_buf_slice(&out));
    *ret = gf_slice_n(gf_arena_str(a, line.p ? line : GF_S("")), line.n);
    return true;
}

/* What stands before the first word that begins with "-" is a requirement, the rest options. */
gf_slice py_reqfile_args(gf_slice line, gf_slice *ret_options)
{
    for (size_t i = 0; i < line.n; i++)
        if (line.p[i] == '-' && (i == 0 || line.p[i - 1] == ' ' || line.p[i - 1] == '\t')) {
            *ret_options = gf_slice_from(line, i);
            return gf_slice_trim(gf_slice_sub(line, 0, i));
        }
    *ret_options = gf_slice_from(line, line.n);
    return line;
}

/* How many bytes the word at the front takes, quotes and backslashes included. */
static size_t word_length(gf_slice s)
{
    char quote = '\0';
    size_t i = 0;
    for (; i < s.n && (quote || !gf_is_space((unsigned char)s.p[i])); i++) {
        char c = s.p[i];
        if (c == '\\' && quote != '\'' && i + 1 < s.n) i++;
        else if (quote ? c == quote : (c == '"' || c == '\'')) quote = quote ? '\0' : c;
    }
    return i;
}

bool py_reqfile_word(struct gf_arena *a, gf_slice *s, const char **ret)
{
    gf_take_ws(s);
    if (!s->n) return false;
    gf_slice raw = gf_slice_sub(*s, 0, word_length(*s));
    char *out = gf_arena_alloc(a, raw.n + 1), *o = out, quote = '\0';
    for (size_t i = 0; i < raw.n; i++) {
        char c = raw.p[i];
        if (c == '\\' && quote != '\'' && i + 1 < raw.n) *o++ = raw.p[++i];
        else if (quote ? c == quote : (c == '"' || c == '\'')) quote = quote ? '\0' : c;
        else *o++ = c;
    }
    *o = '\0';
    *s = gf_slice_from(*s, raw.n);
    *ret = out;
    return true;
}
