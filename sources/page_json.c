/* PEP 691 pages, with size and upload-time (PEP 700), yanked (PEP 592) and core metadata (PEP 658, 714). */
#include "base/jsonscan.h"
#include "fetch/client.h"
#include "fetch/url.h"
#include "sources/page.h"

enum key { FILENAME, URL, HASHES, REQUIRES_PYTHON, YANKED, SIZE, UPLOAD_TIME, CORE, CORE_OLD, CORE_OLDEST, KEYS };

static const gf_slice key_names[KEYS] = {
    { "filename", 8 }, { "url", 3 }, { "hashes", 6 }, { "requires-python", 15 }, { "yanked", 6 }, { "size", 4 }, { "upload-time", 11 },
    { "core-metadata", 13 }, { "dist-info-metadata", 18 }, { "data-dist-info-metadata", 23 },
};

struct page {
    struct gf_js js;
    struct src_page_builder *b;
    const char *base;
};

struct advertised { bool yes; gf_slice sha256; };

/* The sha256 of an object of digests. */
static gf_slice read_digests(struct gf_js *js)
{
    gf_slice key, found = GF_NONE;
    if (gf_js_peek(js) != GF_JSON_OBJECT) {
        gf_js_skip(js);
        return GF_NONE;
    }
    gf_js_obj(js);
    while (gf_js_key(js, &key))
        if (gf_slice_is(key, "sha256")) found = gf_js_str(js);
        else gf_js_skip(js);
    return found;
}

/* true, or an object of digests. */
static struct advertised read_core_metadata(struct gf_js *js)
{
    struct advertised a = { gf_js_peek(js) == GF_JSON_OBJECT, GF_NONE };
    if (a.yes) a.sha256 = read_digests(js);
    else gf_js_bool(js, &a.yes);
    return a;
}

static gf_slice read_yanked(struct gf_js *js)
{
    bool yes = false;
    if (gf_js_peek(js) == GF_JSON_STRING) return gf_js_str(js);
    return gf_js_bool(js, &yes) && yes ? GF_S("") : GF_NONE;
}

static bool holds(gf_slice s, char c) { return memchr(s.p, c, s.n) != NULL; }

static bool is_ascii(gf_slice s)
{
    uint64_t high = 0, w;
    for (; s.n >= 8; s = gf_slice_n(s.p + 8, s.n - 8)) {
        memcpy(&w, s.p, 8);
        high |= w;
    }
    for (size_t i = 0; i < s.n; i++) high |= (unsigned char)s.p[i];
    return (high & UINT64_C(0x8080808080808080)) == 0;
}

/* A whole URL that joining would give back unchanged: the usual case. (Control bytes never come out of the JSON reader unescaped.) */
static bool is_plain(gf_slice url, bool escaped)
{
    gf_slice rest = url;
    if (escaped || (!gf_try_lit(&rest, GF_S("https://")) && !gf_try_lit(&rest, GF_S("http://")))) return false;
    if (gf_slice_chr(rest, '/') <= 0 || !is_ascii(rest)) return false;
    if (holds(rest, ' ') || holds(rest, '#') || holds(rest, '@') || holds(rest, 127)) return false;
    for (const char *p = rest.p, *end = rest.p + rest.n; (p = memchr(p, '/', (size_t)(end - p))); p++)
        if (p + 1 < end && p[1] == '.') return false;
    return true;
}

static gf_slice whole_url(struct page *p, gf_slice ref)
{
    bool escaped = ref.p && (ref.p < p->js.start || ref.p >= p->js.end);
    if (!ref.p || is_plain(ref, escaped)) return ref;
    GF_FREE char *text = gf_xstrndup(ref), *joined = net_url_join(p->base, text);
    if (!joined) return GF_NONE;
    GF_FREE char *url = net_url_without_fragment(joined);
    return gf_slice_of(gf_arena_strz(src_page_arena(p->b), url));
}

static enum key key_of(gf_slice name)
{
    for (int i = 0; i < KEYS; i++)
        if (gf_slice_eq(name, key_names[i])) return (enum key)i;
    return KEYS;
}

static void read_value(struct page *p, enum key key, struct src_row *row, struct advertised core[3])
{
    struct gf_js *js = &p->js;
    switch (key) {
    case FILENAME: row->filename = gf_js_str(js); break;
    case URL: row->url = whole_url(p, gf_js_str(js)); break;
    case HASHES: row->sha256 = read_digests(js); break;
    case REQUIRES_PYTHON: row->requires_python = gf_js_str(js); break;
    case YANKED: row->yanked = read_yanked(js); break;
    case UPLOAD_TIME: row->uploaded = src_time_parse(gf_js_str(js)); break;
    case SIZE:
        if (!gf_js_int(js, &row->size) || row->size < 0) row->size = -1;
        break;
    case CORE:
    case CORE_OLD:
    case CORE_OLDEST: core[key - CORE] = read_core_metadata(js); break;
    case KEYS: gf_js_skip(js); break;
    }
}

static int read_file(struct page *p, const char *label, struct gf_err *err)
{
    struct src_row row = { .size = -1, .uploaded = -1, .stays = true };
    struct advertised core[3] = { { false, GF_NONE }, { false, GF_NONE }, { false, GF_NONE } };
    unsigned seen = 0;
    gf_slice name;
    if (gf_js_peek(&p->js) != GF_JSON_OBJECT) {
        gf_js_skip(&p->js);
        src_page_skip(p->b);
        return 0;
    }
    gf_js_obj(&p->js);
    while (gf_js_key(&p->js, &name)) {
        enum key key = key_of(name);
        if (key != KEYS && (seen >> key & 1))
            return gf_fail(err, GF_E_PARSE, "'%s': the key \"%.*s\" stands twice in one object", label, GF_FMT(name));
        seen |= 1u << key;
        read_value(p, key, &row, core);
    }
    for (int i = 2; i >= 0; i--)
        if (core[i].yes) row.core_metadata = true, row.core_metadata_sha256 = core[i].sha256;
    src_page_add(p->b, &row);
    return 0;
}

static int read_files(struct page *p, const char *label, struct gf_err *err)
{
    if (gf_js_peek(&p->js) != GF_JSON_ARRAY)
        return gf_fail(err, GF_E_PARSE, "'%s' is no index page: \"files\" is not a list", label);
    gf_js_arr(&p->js);
    while (gf_js_item(&p->js))
        if (read_file(p, label, err)) return -1;
    return 0;
}

static int read_meta(struct gf_js *js, const char *label, struct gf_err *err)
{
    gf_slice key, version = GF_NONE;
    if (gf_js_peek(js) != GF_JSON_OBJECT) {
        gf_js_skip(js);
        return 0;
    }
    gf_js_obj(js);
    while (gf_js_key(js, &key))
        if (gf_slice_is(key, "api-version")) version = gf_js_str(js);
        else gf_js_skip(js);
    if (!version.p || gf_slice_starts(version, GF_S("1."))) return 0;
    return gf_fail(err, GF_E_PARSE, "'%s' is written in version %.*s of the index format; version 1 is understood", label, GF_FMT(version));
}

int src_page_read_json(gf_slice text, const char *url, const char *label, struct src_page_builder *b, struct gf_err *err)
{
    struct page p = { .b = b, .base = url };
    gf_js_init(&p.js, text, label, src_page_arena(b));
    bool files = false;
    gf_slice key;
    if (gf_js_obj(&p.js)) {
        while (gf_js_key(&p.js, &key)) {
            bool is_files = gf_slice_is(key, "files"), is_meta = gf_slice_is(key, "meta");
            if (is_files && files) return gf_fail(err, GF_E_PARSE, "'%s': the key \"files\" stands twice in one object", label);
            files = files || is_files;
            if (is_files ? read_files(&p, label, err) : is_meta ? read_meta(&p.js, label, err) : 0) return -1;
            if (!is_files && !is_meta) gf_js_skip(&p.js);
        }
    }
    if (gf_js_end(&p.js, err)) return -1;
    return files ? 0 : gf_fail(err, GF_E_PARSE, "'%s' is no index page: it has no \"files\"", label);
}
