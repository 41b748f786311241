/* PEP 503 pages: anchors with data-requires-python, data-yanked, data-core-metadata and the older data-dist-info-metadata, the digest in the
 * fragment. A tolerant reader: pages of vendors are written by hand and by scripts. */
#include "fetch/url.h"
#include "sources/page.h"
#include <stdlib.h>

#define ATTRIBUTES_MOST 32
#define ATTRIBUTE_MOST 65536u /* bytes of one value */

struct attribute { gf_slice name, value; };
struct tag {
    gf_slice name;
    struct attribute at[ATTRIBUTES_MOST];
    size_t n;
};

static bool name_byte(unsigned char c) { return !gf_is_space(c) && c != '>' && c != '/' && c != '=' && c != '<'; }

static gf_slice take_value(gf_slice *s)
{
    gf_take_ws(s);
    if (s->n && (*s->p == '"' || *s->p == '\'')) {
        char quote = *s->p;
        *s = gf_slice_from(*s, 1);
        ptrdiff_t end = gf_slice_chr(*s, quote);
        gf_slice v = gf_slice_sub(*s, 0, end < 0 ? s->n : (size_t)end);
        *s = gf_slice_from(*s, end < 0 ? s->n : (size_t)end + 1);
        return v;
    }
    size_t n = 0;
    while (n < s->n && !gf_is_space((unsigned char)s->p[n]) && s->p[n] != '>') n++;
    gf_slice v = gf_slice_sub(*s, 0, n);
    *s = gf_slice_from(*s, n);
    return v;
}

/* The inside of a tag up to and with its ">". */
static void take_tag(gf_slice *s, struct tag *t)
{
    t->n = 0;
    t->name = gf_take_while(s, name_byte);
    for (;;) {
        gf_take_ws(s);
        if (gf_try_char(s, '>') || s->n == 0) return;
        gf_slice name = gf_take_while(s, name_byte), value = GF_S("");
        if (name.n == 0) { /* a stray "/", "=" or "<" */
            *s = gf_slice_from(*s, 1);
            continue;
        }
        gf_take_ws(s);
        if (gf_try_char(s, '=')) value = take_value(s);
        if (t->n < ATTRIBUTES_MOST) t->at[t->n++] = (struct attribute){ name, value };
    }
}

static gf_slice attribute(const struct tag *t, const char *name)
{
    for (size_t i = 0; i < t->n; i++)
        if (gf_slice_ieq(t->at[i].name, gf_slice_of(name))) return t->at[i].value;
    return GF_NONE;
}

static void add_utf8(struct gf_buf *out, uint32_t c)
{
    if (c == 0 || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) c = 0xfffd;
    if (c < 0x80) gf_buf_addc(out, (char)c);
    else if (c < 0x800) {
        gf_buf_addc(out, (char)(0xc0 | c >> 6));
        gf_buf_addc(out, (char)(0x80 | (c & 63)));
    } else if (c < 0x10000) {
        gf_buf_addc(out, (char)(0xe0 | c >> 12));
        gf_buf_addc(out, (char)(0x80 | (c >> 6 & 63)));
        gf_buf_addc(out, (char)(0x80 | (c & 63)));
    } else {
        gf_buf_addc(out, (char)(0xf0 | c >> 18));
        gf_buf_addc(out, (char)(0x80 | (c >> 12 & 63)));
        gf_buf_addc(out, (char)(0x80 | (c >> 6 & 63)));
        gf_buf_addc(out, (char)(0x80 | (c & 63)));
    }
}

static int hex_value(char c)
{
    return gf_is_digit((unsigned char)c) ? c - '0' : gf_lower(c) >= 'a' && gf_lower(c) <= 'f' ? gf_lower(c) - 'a' + 10 : -1;
}

/* "#62;", "#x3e;": behind the "&". */
static bool take_numeric(gf_slice *s, struct gf_buf *out)
{
    gf_slice at = gf_slice_from(*s, 1);
    bool hex = at.n && gf_lower(*at.p) == 'x';
    if (hex) at = gf_slice_from(at, 1);
    uint32_t c = 0;
    size_t n = 0;
    for (; n < at.n; n++) {
        int v = hex ? hex_value(at.p[n]) : gf_is_digit((unsigned char)at.p[n]) ? at.p[n] - '0' : -1;
        if (v < 0) break;
        if (c <= 0x10ffff) c = c * (hex ? 16 : 10) + (uint32_t)v;
    }
    if (n == 0) return false;
    add_utf8(out, c);
    *s = gf_slice_from(at, n);
    gf_try_char(s, ';');
    return true;
}

static bool take_entity(gf_slice *s, struct gf_buf *out)
{
    static const struct { const char *name, *text; } known[] = {
        { "lt", "<" }, { "gt", ">" }, { "amp", "&" }, { "quot", "\"" }, { "apos", "'" }, { "nbsp", " " },
    };
    if (s->n > 1 && *s->p == '#') return take_numeric(s, out);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (gf_try_lit(s, gf_slice_of(known[i].name))) {
            gf_try_char(s, ';');
            gf_buf_adds(out, known[i].text);
            return true;
        }
    return false;
}

/* The value without character references; a text of out, which is emptied first. GF_NONE stays GF_NONE. */
static gf_slice unescape(gf_slice s, struct gf_buf *out)
{
    gf_buf_clear(out);
    if (!s.p) return GF_NONE;
    if (gf_slice_chr(s, '&') < 0) return s;
    while (s.n) {
        char c = *s.p;
        s = gf_slice_from(s, 1);
        if (c != '&' || !take_entity(&s, out)) gf_buf_addc(out, c);
    }
    return gf_buf_failed(out) ? GF_NONE : gf_buf_slice(out);
}

struct page {
    struct src_page_builder *b;
    char *base;
    bool based; /* the first <base> counts */
    struct gf_buf href, python, yanked, metadata;
};

static gf_slice fragment_sha256(gf_slice fragment)
{
    gf_slice part;
    while (gf_slice_field(&fragment, '&', &part))
        if (gf_try_lit(&part, GF_S("sha256="))) return part;
    return GF_NONE;
}

/* "true", or "sha256=…" */
static void read_core_metadata(struct page *p, const struct tag *t, struct src_row *row)
{
    gf_slice v = attribute(t, "data-core-metadata");
    if (!v.p) v = attribute(t, "data-dist-info-metadata");
    v = gf_slice_trim(unescape(v, &p->metadata));
    row->core_metadata = v.p && v.n && !gf_slice_ieq(v, GF_S("false"));
    if (row->core_metadata) row->core_metadata_sha256 = fragment_sha256(v);
}

static void read_anchor(struct page *p, const struct tag *t)
{
    GF_FREE char *ref = gf_xstrndup(unescape(attribute(t, "href"), &p->href));
    GF_FREE char *joined = *ref ? net_url_join(p->base, ref) : NULL;
    if (!joined) return;
    GF_FREE char *url = net_url_without_fragment(joined);
    GF_FREE char *name = net_url_file_name(gf_slice_of(url));
    if (!name) return; /* a folder, "../" */
    gf_slice fragment = gf_slice_from(gf_slice_of(joined), strlen(url) + 1);
    struct src_row row = { .filename = gf_slice_of(name), .url = gf_slice_of(url), .sha256 = fragment_sha256(fragment), .size = -1, .uploaded = -1,
                           .requires_python = unescape(attribute(t, "data-requires-python"), &p->python),
                           .yanked = unescape(attribute(t, "data-yanked"), &p->yanked), .core_metadata_sha256 = GF_NONE };
    read_core_metadata(p, t, &row);
    src_page_add(p->b, &row);
}

static void read_base(struct page *p, const struct tag *t)
{
    gf_slice href = unescape(attribute(t, "href"), &p->href);
    if (p->based || !href.p) return;
    GF_FREE char *ref = gf_xstrndup(href);
    char *joined = net_url_join(p->base, ref);
    if (!joined) return;
    free(p->base);
    p->base = joined;
    p->based = true;
}

static int check_version(const struct tag *t, const char *label, struct gf_err *err)
{
    gf_slice v = attribute(t, "content");
    if (!gf_slice_is(attribute(t, "name"), "pypi:repository-version") || !v.p || gf_slice_starts(v, GF_S("1."))) return 0;
    return gf_fail(err, GF_E_PARSE, "'%s' is written in version %.*s of the index format; version 1 is understood", label, GF_FMT(v));
}

static void skip_past(gf_slice *s, gf_slice end)
{
    ptrdiff_t at = gf_slice_ifind(*s, end);
    *s = gf_slice_from(*s, at < 0 ? s->n : (size_t)at + end.n);
}

static int read_tags(gf_slice s, struct page *p, const char *label, struct gf_err *err)
{
    struct tag t;
    for (ptrdiff_t lt; (lt = gf_slice_chr(s, '<')) >= 0;) {
        s = gf_slice_from(s, (size_t)lt + 1);
        if (gf_try_lit(&s, GF_S("!--"))) {
            skip_past(&s, GF_S("-->"));
            continue;
        }
        take_tag(&s, &t);
        if (gf_slice_ieq(t.name, GF_S("a"))) read_anchor(p, &t);
        else if (gf_slice_ieq(t.name, GF_S("base"))) read_base(p, &t);
        else if (gf_slice_ieq(t.name, GF_S("script"))) skip_past(&s, GF_S("</script"));
        else if (gf_slice_ieq(t.name, GF_S("style"))) skip_past(&s, GF_S("</style"));
        else if (gf_slice_ieq(t.name, GF_S("meta")) && check_version(&t, label, err)) return -1;
    }
    return 0;
}

int src_page_read_html(gf_slice text, const char *url, const char *label, struct src_page_builder *b, struct gf_err *err)
{
    struct page p = { .b = b, .base = gf_xstrdup(url) };
    struct gf_buf *const bufs[] = { &p.href, &p.python, &p.yanked, &p.metadata };
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++) gf_buf_init(bufs[i], ATTRIBUTE_MOST);
    int rc = read_tags(text, &p, label, err);
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++) gf_buf_release(bufs[i]);
    free(p.base);
    return rc;
}

static bool type_is(gf_slice type, const char *what)
{
    ptrdiff_t semicolon = gf_slice_chr(type, ';');
    return gf_slice_ieq(gf_slice_trim(gf_slice_sub(type, 0, semicolon < 0 ? type.n : (size_t)semicolon)), gf_slice_of(what));
}

int src_page_read(gf_slice text, const char *content_type, const char *url, const char *label, struct src_page_builder *b, struct gf_err *err)
{
    gf_slice type = gf_slice_of(content_type), first = gf_slice_trim(gf_slice_sub(text, 0, 512));
    if (type_is(type, "application/vnd.pypi.simple.v1+json") || type_is(type, "application/json")) return src_page_read_json(text, url, label, b, err);
    if (type_is(type, "application/vnd.pypi.simple.v1+html") || type_is(type, "text/html")) return src_page_read_html(text, url, label, b, err);
    if (gf_slice_starts(first, GF_S("{"))) return src_page_read_json(text, url, label, b, err);
    if (gf_slice_starts(first, GF_S("<"))) return src_page_read_html(text, url, label, b, err);
    return gf_fail(err, GF_E_PARSE, "'%s' is no index page: it is neither JSON nor HTML (content type '%s')", label, content_type ? content_type : "none");
}
