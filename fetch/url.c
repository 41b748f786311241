#include "fetch/url.h"
#include "base/buf.h"
#include "fetch/client.h"
#include <stdlib.h>

#define CAP_URL 16384 /* bytes */

static bool scheme_byte(unsigned char c) { return gf_is_alnum(c) || c == '+' || c == '-' || c == '.'; }

/* Cuts the part behind mark off the end of *s. */
static gf_slice cut_tail(gf_slice *s, char mark)
{
    ptrdiff_t at = gf_slice_chr(*s, mark);
    if (at < 0) return GF_NONE;
    gf_slice tail = gf_slice_from(*s, (size_t)at + 1);
    s->n = (size_t)at;
    return tail;
}

static gf_slice take_scheme(gf_slice *s)
{
    size_t n = 0;
    while (n < s->n && scheme_byte((unsigned char)s->p[n])) n++;
    if (n == 0 || n >= s->n || s->p[n] != ':' || !gf_is_alpha((unsigned char)s->p[0])) return GF_NONE;
    gf_slice scheme = gf_slice_sub(*s, 0, n);
    *s = gf_slice_from(*s, n + 1);
    return scheme;
}

/* A reference: like a URL, but the scheme and the host may be missing. */
static struct net_url split_reference(gf_slice s)
{
    struct net_url u = { GF_NONE, GF_NONE, GF_NONE, GF_NONE, GF_NONE, GF_NONE };
    u.fragment = cut_tail(&s, '#');
    u.query = cut_tail(&s, '?');
    u.scheme = take_scheme(&s);
    if (gf_slice_starts(s, GF_S("//"))) {
        s = gf_slice_from(s, 2);
        ptrdiff_t slash = gf_slice_chr(s, '/');
        u.host = slash < 0 ? s : gf_slice_sub(s, 0, (size_t)slash);
        s = slash < 0 ? gf_slice_from(s, s.n) : gf_slice_from(s, (size_t)slash);
        ptrdiff_t at = gf_slice_rchr(u.host, '@');
        if (at >= 0) {
            u.userinfo = gf_slice_sub(u.host, 0, (size_t)at);
            u.host = gf_slice_from(u.host, (size_t)at + 1);
        }
    }
    u.path = s;
    return u;
}

static bool clean(gf_slice s)
{
    if (!s.p || s.n > CAP_URL) return false;
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] <= ' ' || s.p[i] == 127) return false;
    return true;
}

bool net_url_split(gf_slice text, struct net_url *ret)
{
    if (!clean(text)) return false;
    struct net_url u = split_reference(text);
    if (!u.scheme.p) return false;
    *ret = u;
    return true;
}

static bool known_scheme(gf_slice s)
{
    return gf_slice_ieq(s, GF_S("https")) || gf_slice_ieq(s, GF_S("http")) || gf_slice_ieq(s, GF_S("file"));
}

/* RFC 3986 section 5.2.4, over one growing text. */
static void add_path_without_dots(struct gf_buf *out, gf_slice path)
{
    size_t from = out->n;
    gf_slice part;
    bool first = true;
    while (gf_slice_field(&path, '/', &part)) {
        bool last = path.p == NULL;
        bool up = gf_slice_is(part, ".."), here = gf_slice_is(part, ".");
        size_t n = out->n;
        while (up && n > from && out->p[--n] != '/') {}
        gf_buf_truncate(out, n);
        if (up || here) {
            if (last) gf_buf_addc(out, '/');
        } else if (!first || part.n) {
            gf_buf_addc(out, '/');
            gf_buf_addsl(out, part);
        }
        first = false;
    }
}

static char *put_together(const struct net_url *u, gf_slice merged)
{
    bool file = gf_slice_ieq(u->scheme, GF_S("file"));
    if ((!file && u->host.n == 0) || gf_slice_chr(u->host, '\\') >= 0) return NULL;
    GF_BUF_SCOPE struct gf_buf out;
    gf_buf_init(&out, CAP_URL);
    for (size_t i = 0; i < u->scheme.n; i++) gf_buf_addc(&out, gf_lower(u->scheme.p[i]));
    gf_buf_adds(&out, "://");
    if (u->userinfo.p) {
        gf_buf_addsl(&out, u->userinfo);
        gf_buf_addc(&out, '@');
    }
    gf_buf_addsl(&out, u->host);
    size_t from = out.n;
    add_path_without_dots(&out, merged);
    if (out.n == from) gf_buf_addc(&out, '/');
    if (u->query.p) {
        gf_buf_addc(&out, '?');
        gf_buf_addsl(&out, u->query);
    }
    if (u->fragment.p) {
        gf_buf_addc(&out, '#');
        gf_buf_addsl(&out, u->fragment);
    }
    return gf_buf_failed(&out) ? NULL : gf_buf_steal(&out);
}

/* Pages hold spaces and bytes beyond ASCII where a URL must not: they are escaped, control bytes are refused. */
static bool escape_reference(gf_slice ref, struct gf_buf *out)
{
    for (size_t i = 0; i < ref.n; i++) {
        unsigned char c = (unsigned char)ref.p[i];
        if (c < ' ' || c == 127) return false;
        if (c == ' ' || c >= 128) gf_buf_addf(out, "%%%02X", c);
        else gf_buf_addc(out, (char)c);
    }
    return !gf_buf_failed(out);
}

static char *merge_path(const struct net_url *base, const struct net_url *ref)
{
    if (ref->path.n && ref->path.p[0] == '/') return gf_xstrndup(ref->path);
    ptrdiff_t slash = gf_slice_rchr(base->path, '/');
    return gf_xasprintf("%.*s%.*s", slash < 0 ? 0 : (int)slash + 1, base->path.p, GF_FMT(ref->path));
}

static char *resolve(const struct net_url *base, struct net_url *ref)
{
    bool base_is_file = gf_slice_ieq(base->scheme, GF_S("file"));
    if (ref->scheme.p) {
        bool file = gf_slice_ieq(ref->scheme, GF_S("file"));
        if (!known_scheme(ref->scheme) || (file && !base_is_file)) return NULL;
        return put_together(ref, ref->path);
    }
    ref->scheme = base->scheme;
    if (ref->host.p) return put_together(ref, ref->path);
    ref->userinfo = base->userinfo;
    ref->host = base->host;
    if (ref->path.n == 0) {
        if (!ref->query.p) ref->query = base->query;
        return put_together(ref, base->path);
    }
    GF_FREE char *path = merge_path(base, ref);
    return put_together(ref, gf_slice_of(path));
}

char *net_url_join(const char *base, const char *ref)
{
    GF_BUF_SCOPE struct gf_buf from, to;
    gf_buf_init(&from, CAP_URL);
    gf_buf_init(&to, CAP_URL);
    if (!escape_reference(gf_slice_of(base), &from) || !escape_reference(gf_slice_trim(gf_slice_of(ref)), &to)) return NULL;
    struct net_url b, r = split_reference(gf_buf_slice(&to));
    return net_url_split(gf_buf_slice(&from), &b) && known_scheme(b.scheme) ? resolve(&b, &r) : NULL;
}

char *net_url_without_credentials(const char *url)
{
    struct net_url u;
    if (!net_url_split(gf_slice_of(url), &u) || !u.userinfo.p) return gf_xstrdup(url);
    size_t before = (size_t)(u.userinfo.p - url);
    return gf_xasprintf("%.*s%s", (int)before, url, u.host.p);
}

static gf_slice host_name(const struct net_url *u, gf_slice *ret_port)
{
    gf_slice host = u->host;
    ptrdiff_t colon = gf_slice_rchr(host, ':'), bracket = gf_slice_rchr(host, ']');
    *ret_port = gf_slice_ieq(u->scheme, GF_S("https")) ? GF_S("443") : GF_S("80");
    if (colon < 0 || colon < bracket) return host;
    if ((size_t)colon + 1 < host.n) *ret_port = gf_slice_from(host, (size_t)colon + 1);
    return gf_slice_sub(host, 0, (size_t)colon);
}

bool net_url_same_origin(const char *a, const char *b)
{
    struct net_url x, y;
    if (!net_url_split(gf_slice_of(a), &x) || !net_url_split(gf_slice_of(b), &y)) return false;
    gf_slice xport, yport, xhost = host_name(&x, &xport), yhost = host_name(&y, &yport);
    return gf_slice_ieq(x.scheme, y.scheme) && gf_slice_ieq(xhost, yhost) && gf_slice_eq(xport, yport);
}

char *net_url_decode(gf_slice s)
{
    char *out = gf_xmalloc(s.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        static const char hex[] = "0123456789abcdef";
        const char *hi = i + 2 < s.n && s.p[i] == '%' ? memchr(hex, gf_lower(s.p[i + 1]), 16) : NULL;
        const char *lo = hi ? memchr(hex, gf_lower(s.p[i + 2]), 16) : NULL;
        if (lo) i += 2;
        out[n] = lo ? (char)((hi - hex) * 16 + (lo - hex)) : s.p[i];
        if (out[n++] == '\0') {
            free(out);
            return NULL;
        }
    }
    out[n] = '\0';
    return out;
}

void net_url_credentials(const char *url, char **ret_user, char **ret_password)
{
    *ret_user = *ret_password = NULL;
    struct net_url u;
    if (!net_url_split(gf_slice_of(url), &u) || !u.userinfo.p) return;
    gf_slice password = u.userinfo, user;
    bool both = gf_slice_cut(&password, ':', &user);
    *ret_user = net_url_decode(user);
    *ret_password = both ? net_url_decode(password) : gf_xstrdup("");
}

char *net_url_file_path(const char *url)
{
    struct net_url u;
    if (!net_url_split(gf_slice_of(url), &u) || !gf_slice_ieq(u.scheme, GF_S("file"))) return NULL;
    if (u.host.n && !gf_slice_ieq(u.host, GF_S("localhost"))) return NULL;
    return u.path.n ? net_url_decode(u.path) : NULL;
}

char *net_url_of_path(const char *path)
{
    GF_BUF_SCOPE struct gf_buf out;
    gf_buf_init(&out, CAP_URL);
    gf_buf_adds(&out, "file://");
    for (const unsigned char *at = (const unsigned char *)path; *at; at++) {
        if (gf_is_alnum(*at) || strchr("/-._~+!$&'()*,;=:@", *at)) gf_buf_addc(&out, (char)*at);
        else gf_buf_addf(&out, "%%%02X", *at);
    }
    return gf_buf_failed(&out) ? NULL : gf_buf_steal(&out);
}

char *net_url_file_name(gf_slice url)
{
    struct net_url u = split_reference(url);
    gf_slice name = gf_slice_from(u.path, (size_t)(gf_slice_rchr(u.path, '/') + 1));
    return name.n ? net_url_decode(name) : NULL;
}

char *net_url_without_fragment(const char *url) { return gf_xstrndup(gf_slice_n(url, strcspn(url, "#"))); }
