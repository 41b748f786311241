/* One request: copying it, setting a curl handle up for a try, and taking the body as it comes. What the end of a try means is in fetch/outcome.c. */
#include "fetch/transfer.h"
#include "fetch/url.h"
#include <stdlib.h>
#include <sys/stat.h>

#define SMALL_BUFFER (64L << 10)
#define BULK_BUFFER (512L << 10)
#define CONNECT_TIMEOUT_MS 10000L
#define STALL_TIMEOUT_MS 30000L
#define SMALL_STALL_TIMEOUT_MS 10000L /* pages and tails come at once or the connection is dead: a fresh one is sooner tried */
#define REDIRECTS_MOST 10L

/* A query may carry a token: messages show that there is one, not what it says. */
static const char *for_messages(struct gf_arena *mem, const char *url)
{
    GF_FREE char *plain = net_url_without_credentials(url);
    size_t n = strcspn(plain, "?#");
    const char *more = plain[n] == '?' ? "?…" : "";
    if (n > NET_SHOWN_URL) return gf_arena_printf(mem, "%.*s…", NET_SHOWN_URL, plain);
    return gf_arena_printf(mem, "%.*s%s", (int)n, plain, more);
}

static bool is_file(const struct net_transfer *t) { return gf_slice_starts(gf_slice_of(t->r.url), GF_S("file:")); }

/* A local file has no headers: its size is asked of the file system. */
static void place_in_file(struct net_transfer *t)
{
    GF_FREE char *path = net_url_file_path(t->r.url);
    struct stat st;
    if (!path || stat(path, &st) != 0) return;
    t->total = (int64_t)st.st_size;
    if (t->r.range_suffix) t->base = (uint64_t)st.st_size > t->r.range_len ? (uint64_t)st.st_size - t->r.range_len : 0;
}

struct net_transfer *net_transfer_new(struct net_client *c, const struct net_request *r)
{
    struct net_transfer *t = gf_xcalloc(1, sizeof *t);
    t->client = c;
    gf_arena_init(&t->mem);
    t->r = *r;
    const char *user = r->user, *password = r->password;
    GF_FREE char *url_user = NULL, *url_password = NULL, *plain = net_url_without_credentials(r->url);
    net_url_credentials(r->url, &url_user, &url_password);
    if (!user && url_user) user = url_user, password = url_password;
    if (!user) net_client_credentials(c, r->url, &user, &password);
    t->r.url = gf_arena_strz(&t->mem, plain);
    t->r.user = gf_arena_strz(&t->mem, user);
    t->r.password = gf_arena_strz(&t->mem, password);
    t->r.accept = gf_arena_strz(&t->mem, r->accept);
    t->r.if_none_match = gf_arena_strz(&t->mem, r->if_none_match);
    t->r.if_modified_since = gf_arena_strz(&t->mem, r->if_modified_since);
    if (!t->r.max_bytes) t->r.max_bytes = GF_CAP_PAGE;
    t->shown = for_messages(&t->mem, r->url);
    t->base = r->ranged && !r->range_suffix ? r->range_from : 0;
    t->total = t->head.length = -1;
    gf_buf_init(&t->body, (size_t)t->r.max_bytes);
    if (is_file(t)) place_in_file(t);
    return t;
}

void net_transfer_free(struct net_transfer *t)
{
    if (!t) return;
    if (t->headers) net_curl.slist_free_all(t->headers);
    gf_buf_release(&t->body);
    gf_arena_release(&t->mem);
    free(t);
}

static int changed_meanwhile(struct net_transfer *t)
{
    return gf_fail(&t->err, GF_E_NETWORK, "'%s' changed on the server while it was being read (%llu bytes had come): run again", t->shown,
                   (unsigned long long)t->got);
}

/* A 206: it must be the range that was asked for, of the resource that was begun. */
static int begin_part(struct net_transfer *t)
{
    const struct net_head *h = &t->head;
    bool suffix = t->r.range_suffix && !t->resumed;
    uint64_t from = t->base + t->got;
    if (suffix && h->has_range && h->range_first >= 0) t->base = from = (uint64_t)h->range_first;
    bool placed = h->has_range && h->range_first >= 0 && h->range_last >= h->range_first && (uint64_t)h->range_first == from;
    uint64_t end = suffix ? t->base + t->r.range_len : t->r.ranged && t->r.range_len ? t->r.range_from + t->r.range_len : UINT64_MAX;
    if (t->r.range_suffix && t->resumed) end = UINT64_MAX;
    if (!placed || (uint64_t)h->range_last >= end || (!t->r.ranged && !t->resumed))
        return gf_fail(&t->err, GF_E_NETWORK, "'%s' answered bytes %lld-%lld where bytes from %llu were asked for", t->shown,
                       (long long)h->range_first, (long long)h->range_last, (unsigned long long)from);
    if (t->total >= 0 && h->range_total >= 0 && t->total != h->range_total) return changed_meanwhile(t);
    t->total = h->range_total;
    t->from_range = t->r.ranged;
    return 0;
}

/* A 200: the whole resource, also where only a part of it was asked for. */
static int begin_whole(struct net_transfer *t)
{
    const struct net_head *h = &t->head;
    int64_t total = h->content_encoding ? -1 : h->length;
    t->from_range = false;
    if (!t->r.sink) {
        gf_buf_clear(&t->body);
        t->got = t->at_start = 0;
        t->base = 0;
    } else if (t->got && ((t->first_etag && h->etag && strcmp(t->first_etag, h->etag) != 0) || (t->total >= 0 && total >= 0 && total != t->total))) {
        return changed_meanwhile(t);
    } else {
        t->skip = t->base + t->got;
    }
    t->total = total;
    return 0;
}

static int begin_body(struct net_transfer *t)
{
    t->begun = true;
    const struct net_head *h = &t->head;
    if (is_file(t)) {
        t->from_range = t->r.ranged;
        return 0;
    }
    if (h->status >= 300) return 0;
    if (h->status == 206 ? begin_part(t) : begin_whole(t)) return -1;
    if (!t->first_etag) t->first_etag = h->etag;
    uint64_t coming = h->length > 0 && !h->content_encoding ? (uint64_t)h->length : 0;
    if (coming > t->skip && coming - t->skip > t->r.max_bytes - (t->got < t->r.max_bytes ? t->got : t->r.max_bytes))
        return gf_fail(&t->err, GF_E_LIMIT, "'%s' is %llu bytes long, the most that is read of it is %llu", t->shown,
                       (unsigned long long)(t->got + coming), (unsigned long long)t->r.max_bytes);
    if (!t->r.sink && coming) gf_buf_reserve(&t->body, (size_t)coming);
    return 0;
}

static int deliver(struct net_transfer *t, const char *p, size_t n)
{
    size_t pass = t->skip < n ? (size_t)t->skip : n;
    t->skip -= pass;
    p += pass;
    n -= pass;
    if (t->r.sink && t->r.ranged && t->r.range_len && n > t->r.range_len - t->got) n = (size_t)(t->r.range_len - t->got);
    if (n == 0) return 0;
    if (n > t->r.max_bytes - t->got)
        return gf_fail(&t->err, GF_E_LIMIT, "'%s' goes on beyond %llu bytes, the most that is read of it", t->shown,
                       (unsigned long long)t->r.max_bytes);
    if (t->r.sink) {
        if (t->r.sink(t->r.arg, t->got, p, n, &t->err)) {
            if (t->err.code == GF_OK) gf_fail(&t->err, GF_E_IO, "'%s' could not be taken in", t->shown);
            return -1;
        }
    } else {
        gf_buf_add(&t->body, p, n);
    }
    t->got += n;
    return 0;
}

static size_t on_body(char *p, size_t size, size_t count, void *arg)
{
    struct net_transfer *t = arg;
    size_t n = size * count;
    net_client_count_bytes(t->client, n);
    if (!t->begun && begin_body(t)) return 0;
    if (t->head.status >= 300) return n;
    return deliver(t, p, n) ? 0 : n;
}

static size_t on_header(char *p, size_t size, size_t count, void *arg)
{
    struct net_transfer *t = arg;
    net_head_line(&t->head, &t->mem, gf_slice_n(p, size * count));
    return size * count;
}

static void add_header(struct net_transfer *t, const char *name, const char *value)
{
    if (!value || strpbrk(value, "\r\n")) return;
    GF_FREE char *line = gf_xasprintf("%s: %s", name, value);
    struct curl_slist *more = net_curl.slist_append(t->headers, line);
    if (more) t->headers = more;
}

static void set_headers(struct net_transfer *t)
{
    net_curl.slist_free_all(t->headers);
    t->headers = NULL;
    add_header(t, "Accept", t->r.accept);
    add_header(t, "If-None-Match", t->r.if_none_match);
    add_header(t, "If-Modified-Since", t->r.if_modified_since);
    if (t->resumed && t->first_etag && strncmp(t->first_etag, "W/", 2) != 0) add_header(t, "If-Range", t->first_etag);
    if (t->headers) net_curl.easy_setopt(t->easy, CURLOPT_HTTPHEADER, t->headers);
}

static void set_range(struct net_transfer *t)
{
    const struct net_request *r = &t->r;
    bool known = !r->range_suffix || t->from_range; /* where the wanted part begins */
    t->resumed = t->got > 0 && known && !t->head.content_encoding;
    if (!r->ranged && !t->resumed) return;
    unsigned long long from = t->base + t->got, end = r->ranged && r->range_len && !r->range_suffix ? r->range_from + r->range_len : 0;
    char text[64];
    if (r->range_suffix && !t->resumed) snprintf(text, sizeof text, "-%llu", (unsigned long long)r->range_len);
    else if (end) snprintf(text, sizeof text, "%llu-%llu", from, end - 1);
    else snprintf(text, sizeof text, "%llu-", from);
    net_curl.easy_setopt(t->easy, CURLOPT_RANGE, text);
}

static void set_trust(struct net_transfer *t)
{
    const struct net_settings *s = net_client_settings(t->client);
    if (s->hashed_folder) {
        net_curl.easy_setopt(t->easy, CURLOPT_CAINFO, NULL);
        net_curl.easy_setopt(t->easy, CURLOPT_CAPATH, s->hashed_folder);
    } else {
        if (s->ca_file) net_curl.easy_setopt(t->easy, CURLOPT_CAINFO, s->ca_file);
        if (s->ca_file || s->ca_folder) net_curl.easy_setopt(t->easy, CURLOPT_CAPATH, s->ca_folder); /* a file alone is trusted alone */
    }
    net_curl.easy_setopt(t->easy, CURLOPT_USERAGENT, s->user_agent);
    if (t->r.user) {
        net_curl.easy_setopt(t->easy, CURLOPT_USERNAME, t->r.user);
        net_curl.easy_setopt(t->easy, CURLOPT_PASSWORD, t->r.password ? t->r.password : "");
    } else if (s->netrc) {
        net_curl.easy_setopt(t->easy, CURLOPT_NETRC, (long)CURL_NETRC_OPTIONAL);
        net_curl.easy_setopt(t->easy, CURLOPT_NETRC_FILE, s->netrc);
    }
    bool secure = gf_slice_starts(gf_slice_of(t->r.url), GF_S("https:"));
    net_curl.easy_setopt(t->easy, CURLOPT_PROTOCOLS_STR, "http,https,file");
    net_curl.easy_setopt(t->easy, CURLOPT_REDIR_PROTOCOLS_STR, secure ? "https" : "http,https"); /* never from https down to http */
    net_curl.easy_setopt(t->easy, CURLOPT_FOLLOWLOCATION, 1L);
    net_curl.easy_setopt(t->easy, CURLOPT_MAXREDIRS, REDIRECTS_MOST);
}

static void set_times(struct net_transfer *t, const struct net_config *cfg)
{
    long connect_ms = t->r.connect_timeout_ms ? t->r.connect_timeout_ms : cfg->connect_timeout_ms ? cfg->connect_timeout_ms : CONNECT_TIMEOUT_MS;
    long stall_ms = cfg->stall_timeout_ms ? cfg->stall_timeout_ms : t->r.bulk ? STALL_TIMEOUT_MS : SMALL_STALL_TIMEOUT_MS;
    net_curl.easy_setopt(t->easy, CURLOPT_CONNECTTIMEOUT_MS, connect_ms);
    net_curl.easy_setopt(t->easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
    net_curl.easy_setopt(t->easy, CURLOPT_LOW_SPEED_TIME, (stall_ms + 999) / 1000);
    net_curl.easy_setopt(t->easy, CURLOPT_NOSIGNAL, 1L);
}

void net_transfer_prepare(struct net_transfer *t, const struct net_config *cfg)
{
    t->begun = false;
    t->skip = 0;
    t->tries++;
    t->err = (struct gf_err)GF_ERR_INIT;
    t->curl_text[0] = '\0';
    CURL *e = t->easy;
    net_curl.easy_setopt(e, CURLOPT_URL, t->r.url);
    net_curl.easy_setopt(e, CURLOPT_PRIVATE, t);
    net_curl.easy_setopt(e, CURLOPT_ERRORBUFFER, t->curl_text);
    net_curl.easy_setopt(e, CURLOPT_WRITEFUNCTION, on_body);
    net_curl.easy_setopt(e, CURLOPT_WRITEDATA, t);
    net_curl.easy_setopt(e, CURLOPT_HEADERFUNCTION, on_header);
    net_curl.easy_setopt(e, CURLOPT_HEADERDATA, t);
    net_curl.easy_setopt(e, CURLOPT_BUFFERSIZE, t->r.bulk ? BULK_BUFFER : SMALL_BUFFER);
    net_curl.easy_setopt(e, CURLOPT_HTTP_VERSION, t->r.bulk ? (long)CURL_HTTP_VERSION_1_1 : (long)CURL_HTTP_VERSION_2TLS);
    if (!t->r.bulk) net_curl.easy_setopt(e, CURLOPT_PIPEWAIT, 1L);
    if (t->r.head) net_curl.easy_setopt(e, CURLOPT_NOBODY, 1L);
    if (t->fresh) net_curl.easy_setopt(e, CURLOPT_FRESH_CONNECT, 1L);
    set_range(t);
    t->at_start = t->got;
    if (!t->r.ranged && !t->r.bulk && !t->r.sink) net_curl.easy_setopt(e, CURLOPT_ACCEPT_ENCODING, "");
    t->head = (struct net_head){ .length = -1, .range_first = -1, .range_last = -1, .range_total = -1, .retry_after_ms = -1 };
    set_headers(t);
    set_trust(t);
    set_times(t, cfg);
}
