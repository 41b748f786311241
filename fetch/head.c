/* What the header lines of a response say. */
#include "fetch/transfer.h"
#include <sys/random.h>
#include <time.h>

#define BACKOFF_FIRST_MS 250
#define BACKOFF_MOST_MS 8000
#define RETRY_AFTER_MOST_MS 60000

int64_t net_http_date(gf_slice text)
{
    GF_FREE char *copy = gf_xstrndup(text);
    if (net_curl_load(NULL)) return -1;
    time_t at = net_curl.getdate(copy, NULL);
    return at < 0 ? -1 : (int64_t)at;
}

static void status_line(struct net_head *h, gf_slice line)
{
    gf_slice word;
    uint64_t status = 0;
    *h = (struct net_head){ .length = -1, .range_first = -1, .range_last = -1, .range_total = -1, .retry_after_ms = -1 };
    if (gf_slice_word(&line, &word) && gf_slice_word(&line, &word) && gf_slice_u64(word, &status) && status < 1000) h->status = (long)status;
}

static int64_t number(gf_slice s)
{
    uint64_t v = 0;
    return gf_slice_u64(gf_slice_trim(s), &v) && v <= INT64_MAX ? (int64_t)v : -1;
}

/* "bytes 0-99/1234"; either side of the slash may be a star */
static void content_range(struct net_head *h, gf_slice v)
{
    gf_take_ws(&v);
    if (!gf_try_lit(&v, GF_S("bytes"))) return;
    gf_take_ws(&v);
    gf_slice range, first;
    if (!gf_slice_cut(&v, '/', &range)) return;
    h->has_range = true;
    h->range_first = h->range_last = -1;
    h->range_total = number(v);
    if (!gf_slice_cut(&range, '-', &first)) return;
    h->range_first = number(first);
    h->range_last = number(range);
}

static int64_t retry_after(gf_slice v)
{
    int64_t seconds = number(v);
    if (seconds >= 0) return seconds > RETRY_AFTER_MOST_MS / 1000 ? RETRY_AFTER_MOST_MS : seconds * 1000;
    int64_t at = net_http_date(v), now = (int64_t)time(NULL);
    if (at < 0) return -1;
    return at <= now ? 0 : at - now > RETRY_AFTER_MOST_MS / 1000 ? RETRY_AFTER_MOST_MS : (at - now) * 1000;
}

void net_head_line(struct net_head *h, struct gf_arena *mem, gf_slice line)
{
    line = gf_slice_trim(line);
    if (gf_slice_starts(line, GF_S("HTTP/"))) {
        status_line(h, line);
        return;
    }
    gf_slice name;
    if (!gf_slice_cut(&line, ':', &name)) return;
    gf_slice v = gf_slice_trim(line);
    if (gf_slice_ieq(name, GF_S("content-type"))) h->content_type = gf_arena_str(mem, v);
    else if (gf_slice_ieq(name, GF_S("etag"))) h->etag = gf_arena_str(mem, v);
    else if (gf_slice_ieq(name, GF_S("cache-control"))) h->cache_control = gf_arena_str(mem, v);
    else if (gf_slice_ieq(name, GF_S("last-modified"))) h->last_modified = gf_arena_str(mem, v);
    else if (gf_slice_ieq(name, GF_S("content-encoding"))) h->content_encoding = gf_arena_str(mem, v);
    else if (gf_slice_ieq(name, GF_S("content-length"))) h->length = number(v);
    else if (gf_slice_ieq(name, GF_S("content-range"))) content_range(h, v);
    else if (gf_slice_ieq(name, GF_S("retry-after"))) h->retry_after_ms = retry_after(v);
}

int64_t net_backoff_ms(unsigned n, int64_t retry_after_ms)
{
    int64_t wait = BACKOFF_FIRST_MS;
    while (--n && wait < BACKOFF_MOST_MS) wait *= 2;
    if (wait > BACKOFF_MOST_MS) wait = BACKOFF_MOST_MS;
    uint32_t dice = 0;
    if (getrandom(&dice, sizeof dice, GRND_NONBLOCK) != (ssize_t)sizeof dice) dice = UINT32_MAX / 2;
    wait = wait / 2 + (int64_t)dice % (wait / 2 + 1); /* half to whole: a crowd of clients spreads */
    return retry_after_ms > wait ? retry_after_ms : wait;
}
