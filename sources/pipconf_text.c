#include "sources/pipconf_text.h"
#include "base/buf.h"

static bool is_key(gf_slice key, const char *name)
{
    gf_slice want = gf_slice_of(name);
    if (key.n != want.n) return false;
    for (size_t i = 0; i < key.n; i++)
        if (gf_lower(key.p[i] == '_' ? '-' : key.p[i]) != want.p[i]) return false;
    return true;
}

static bool is_true(gf_slice v)
{
    static const char *const yes[] = { "1", "y", "yes", "t", "true", "on" };
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        if (gf_slice_ieq(v, gf_slice_of(yes[i]))) return true;
    return false;
}

void src_pip_settings_set(struct gf_arena *a, struct src_pip_settings *s, gf_slice key, gf_slice value)
{
    struct { const char *name, **to; } const texts[] = {
        { "index-url", &s->index_url }, { "extra-index-url", &s->extra_index_url }, { "find-links", &s->find_links }, { "cert", &s->cert },
    };
    value = gf_slice_trim(value);
    if (!value.n) return;
    if (is_key(key, "no-index")) s->no_index = is_true(value);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (is_key(key, texts[i].name)) *texts[i].to = gf_arena_str(a, value);
}

enum section { GLOBAL, INSTALL, DOWNLOAD, SECTIONS, OTHER };

static enum section section_of(gf_slice name)
{
    static const char *const names[SECTIONS] = { "global", "install", "download" };
    for (int i = 0; i < SECTIONS; i++)
        if (gf_slice_is(name, names[i])) return (enum section)i;
    return OTHER;
}

struct parser {
    struct gf_arena *a;
    struct src_pip_settings *s;
    enum section want, now;
    gf_slice key;
    struct gf_buf value;
};

static void end_value(struct parser *p)
{
    if (p->key.p && p->now == p->want) src_pip_settings_set(p->a, p->s, p->key, gf_buf_slice(&p->value));
    p->key = GF_NONE;
    gf_buf_clear(&p->value);
}

static int wrong_line(gf_slice line, unsigned number, const char *label, struct gf_err *err)
{
    return gf_fail(err, GF_E_PARSE, "'%s' line %u: '%.*s' is neither a [section] nor 'name = value'", label, number,
                   (int)(line.n < 200 ? line.n : 200), line.p);
}

static int begin_value(struct parser *p, gf_slice line, unsigned number, const char *label, struct gf_err *err)
{
    size_t n = 0;
    while (n < line.n && line.p[n] != '=' && line.p[n] != ':') n++;
    gf_slice key = gf_slice_trim(gf_slice_sub(line, 0, n));
    if (n == line.n || !key.n) return wrong_line(key, number, label, err);
    p->key = key;
    gf_buf_addsl(&p->value, gf_slice_trim(gf_slice_from(line, n + 1)));
    return 0;
}

static int take_line(struct parser *p, gf_slice line, unsigned number, const char *label, struct gf_err *err)
{
    gf_slice text = gf_slice_trim(line);
    if (text.n && (*text.p == '#' || *text.p == ';')) return 0;
    if (!text.n) return 0;
    bool indented = gf_is_space((unsigned char)*line.p);
    if (indented && p->key.p) { /* the value goes on */
        gf_buf_addc(&p->value, '\n');
        gf_buf_addsl(&p->value, text);
        return 0;
    }
    end_value(p);
    if (*text.p != '[') return begin_value(p, text, number, label, err);
    if (text.p[text.n - 1] != ']') return wrong_line(text, number, label, err);
    p->now = section_of(gf_slice_sub(text, 1, text.n - 2));
    return 0;
}

static int read_section(struct parser *p, gf_slice text, const char *label, struct gf_err *err)
{
    gf_slice line;
    p->now = OTHER;
    for (unsigned number = 1; gf_slice_line(&text, &line); number++)
        if (take_line(p, line, number, label, err)) return -1;
    end_value(p);
    return 0;
}

int src_pip_settings_read(struct gf_arena *a, gf_slice text, const char *label, struct src_pip_settings *s, struct gf_err *err)
{
    struct parser p = { .a = a, .s = s, .key = GF_NONE };
    gf_buf_init(&p.value, GF_CAP_TEXT_LINE);
    gf_try_lit(&text, GF_S("\xef\xbb\xbf"));
    int rc = 0;
    for (int i = 0; i < SECTIONS && !rc; i++) {
        p.want = (enum section)i;
        p.key = GF_NONE;
        gf_buf_clear(&p.value);
        rc = read_section(&p, text, label, err);
    }
    gf_buf_release(&p.value);
    return rc;
}
