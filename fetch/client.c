/* The loop: requests wait by priority, run in two libcurl multis (small ones over HTTP/2, bulk over HTTP/1.1 connections), come back for another
 * try or are reported. Nothing of libcurl is made before the first request that needs the network. */
#include "fetch/client.h"
#include "base/vec.h"
#include "fetch/interrupt.h"
#include "fetch/transfer.h"
#include "fetch/url.h"
#include <limits.h>
#include <stdlib.h>
#include <sys/select.h>
#include <time.h>

#define DEFAULT_RETRIES 3
#define SMALL_CONNECTIONS 8L /* when a host has no HTTP/2 */
#define BULK_CONNECTIONS 4L  /* measured: more bring nothing, one HTTP/2 connection halves the rate */
#define SMALL_AT_ONCE 128u

enum { SMALL, BULK, LANES };

struct lane {
    CURLM *multi;
    unsigned running, most;
};

struct origin {
    char *url, *user, *password;
};

struct net_client {
    struct net_config cfg;
    char *ca_bundle, *user_agent; /* what cfg points to */
    struct net_settings settings; /* found with the first request */
    struct lane lanes[LANES];
    GF_VEC(struct net_transfer *) waiting; /* not running: new, or due later */
    GF_VEC(struct net_transfer *) running;
    GF_VEC(CURL *) idle;
    GF_VEC(struct origin) origins;
    bool widened; /* the whole bundle is trusted now, after a server that the hashed folder does not know */
    uint64_t submitted, requests, bytes;
};

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int net_client_new(const struct net_config *cfg, struct net_client **ret, struct gf_err *err)
{
    (void)err;
    struct net_client *c = gf_xcalloc(1, sizeof *c);
    c->cfg = *cfg;
    c->cfg.ca_bundle = c->ca_bundle = cfg->ca_bundle ? gf_xstrdup(cfg->ca_bundle) : NULL;
    c->cfg.user_agent = c->user_agent = cfg->user_agent ? gf_xstrdup(cfg->user_agent) : NULL;
    if (c->cfg.retries == UINT_MAX) c->cfg.retries = DEFAULT_RETRIES;
    c->lanes[SMALL].most = SMALL_AT_ONCE;
    c->lanes[BULK].most = cfg->max_connections ? cfg->max_connections : (unsigned)BULK_CONNECTIONS;
    *ret = c;
    return 0;
}

static struct lane *lane_of(struct net_client *c, const struct net_transfer *t) { return &c->lanes[t->r.bulk ? BULK : SMALL]; }

static void drop_handle(struct net_client *c, struct net_transfer *t)
{
    if (!t->easy) return;
    net_curl.multi_remove_handle(lane_of(c, t)->multi, t->easy);
    net_curl.easy_reset(t->easy);
    gf_vec_push(&c->idle, t->easy);
    t->easy = NULL;
}

void net_client_free(struct net_client *c)
{
    if (!c) return;
    for (size_t i = 0; i < c->running.n; i++) {
        drop_handle(c, c->running.v[i]);
        net_transfer_free(c->running.v[i]);
    }
    for (size_t i = 0; i < c->waiting.n; i++) net_transfer_free(c->waiting.v[i]);
    for (size_t i = 0; i < c->idle.n; i++) net_curl.easy_cleanup(c->idle.v[i]);
    for (size_t i = 0; i < LANES; i++)
        if (c->lanes[i].multi) net_curl.multi_cleanup(c->lanes[i].multi);
    for (size_t i = 0; i < c->origins.n; i++) {
        free(c->origins.v[i].url);
        free(c->origins.v[i].user);
        free(c->origins.v[i].password);
    }
    gf_vec_free(&c->running);
    gf_vec_free(&c->waiting);
    gf_vec_free(&c->idle);
    gf_vec_free(&c->origins);
    gf_cleanup_free(&c->settings.netrc);
    free(c->ca_bundle);
    free(c->user_agent);
    gf_cleanup_free(&c->settings.hashed_folder);
    free(c);
}

const struct net_settings *net_client_settings(const struct net_client *c) { return &c->settings; }

bool net_client_may_widen_trust(struct net_client *c, unsigned tries)
{
    bool narrow = c->settings.hashed_folder != NULL, was_narrow = narrow || (c->widened && tries == 1);
    gf_cleanup_free(&c->settings.hashed_folder);
    c->settings.hashed_folder = NULL;
    c->widened = c->widened || narrow;
    return was_narrow;
}

void net_client_count_bytes(struct net_client *c, size_t n) { c->bytes += n; }
size_t net_pending(const struct net_client *c) { return c->waiting.n + c->running.n; }

void net_client_counts(const struct net_client *c, uint64_t *ret_requests, uint64_t *ret_bytes)
{
    *ret_requests = c->requests;
    *ret_bytes = c->bytes;
}

void net_client_add_credentials(struct net_client *c, const char *url)
{
    struct origin o = { NULL, NULL, NULL };
    net_url_credentials(url, &o.user, &o.password);
    if (!o.user) return;
    o.url = net_url_without_credentials(url);
    gf_vec_push(&c->origins, o);
}

bool net_client_credentials(const struct net_client *c, const char *url, const char **ret_user, const char **ret_password)
{
    for (size_t i = 0; i < c->origins.n; i++) {
        if (!net_url_same_origin(c->origins.v[i].url, url)) continue;
        *ret_user = c->origins.v[i].user;
        *ret_password = c->origins.v[i].password;
        return true;
    }
    return false;
}

void net_submit(struct net_client *c, const struct net_request *r)
{
    struct net_transfer *t = net_transfer_new(c, r);
    t->order = c->submitted++;
    gf_vec_push(&c->waiting, t);
}

void net_connect(struct net_client *c, const char *url)
{
    if (!c->cfg.offline) net_submit(c, &(struct net_request){ .url = url, .head = true, .max_tries = 1 });
}

/* Number of the waiting transfer to run next in the lane, SIZE_MAX when none is due. */
static size_t next_due(const struct net_client *c, bool bulk, int64_t now)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < c->waiting.n; i++) {
        const struct net_transfer *t = c->waiting.v[i], *b = best == SIZE_MAX ? NULL : c->waiting.v[best];
        if (t->r.bulk != bulk || t->due_ms > now) continue;
        if (!b || t->r.priority > b->r.priority || (t->r.priority == b->r.priority && t->order < b->order)) best = i;
    }
    return best;
}

static struct net_transfer *take_waiting(struct net_client *c, size_t i)
{
    struct net_transfer *t = c->waiting.v[i];
    c->waiting.v[i] = c->waiting.v[--c->waiting.n];
    return t;
}

static int open_lane(struct net_client *c, struct lane *l, struct gf_err *err)
{
    if (l->multi) return 0;
    if (net_curl_load(err)) return -1;
    if (!c->settings.user_agent) net_settings_find(&c->settings, &c->cfg);
    l->multi = net_curl.multi_init();
    if (!l->multi) return gf_fail(err, GF_E_IO, "libcurl has no memory left");
    long connections = l == &c->lanes[BULK] ? (long)l->most : SMALL_CONNECTIONS;
    net_curl.multi_setopt(l->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
    net_curl.multi_setopt(l->multi, CURLMOPT_MAX_HOST_CONNECTIONS, connections);
    net_curl.multi_setopt(l->multi, CURLMOPT_MAX_CONCURRENT_STREAMS, (long)SMALL_AT_ONCE);
    return 0;
}

static int start(struct net_client *c, struct net_transfer *t, struct gf_err *err)
{
    struct lane *l = lane_of(c, t);
    if (open_lane(c, l, err)) return -1;
    t->easy = c->idle.n ? c->idle.v[--c->idle.n] : net_curl.easy_init();
    if (!t->easy) return gf_fail(err, GF_E_IO, "libcurl has no memory left");
    net_transfer_prepare(t, &c->cfg);
    if (net_curl.multi_add_handle(l->multi, t->easy) != CURLM_OK) return gf_fail(err, GF_E_IO, "libcurl refused a request");
    l->running++;
    c->requests++;
    gf_vec_push(&c->running, t);
    return 0;
}

static bool is_local(const struct net_transfer *t) { return strncmp(t->r.url, "file:", 5) == 0; }

/* Without a network every request has its answer already. */
static size_t refuse_offline(struct net_client *c)
{
    size_t told = 0;
    for (size_t i = 0; i < c->waiting.n;) {
        if (is_local(c->waiting.v[i])) {
            i++;
            continue;
        }
        struct net_transfer *t = take_waiting(c, i);
        gf_fail(&t->err, GF_E_NETWORK, "'%s' is not in the cache, and --offline forbids to fetch it", t->shown);
        net_transfer_report(t);
        net_transfer_free(t);
        told++;
    }
    return told;
}

static int start_due(struct net_client *c, struct gf_err *err)
{
    int64_t now = now_ms();
    for (int lane = 0; lane < LANES; lane++) {
        while (c->lanes[lane].running < c->lanes[lane].most) {
            size_t i = next_due(c, lane == BULK, now);
            if (i == SIZE_MAX) break;
            struct net_transfer *t = take_waiting(c, i);
            if (start(c, t, err) == 0) continue;
            gf_vec_push(&c->waiting, t);
            return -1;
        }
    }
    return 0;
}

static void forget_running(struct net_client *c, const struct net_transfer *t)
{
    for (size_t i = 0; i < c->running.n; i++)
        if (c->running.v[i] == t) {
            c->running.v[i] = c->running.v[--c->running.n];
            return;
        }
}

static size_t finish(struct net_client *c, struct net_transfer *t, CURLcode code)
{
    forget_running(c, t);
    lane_of(c, t)->running--;
    enum net_outcome o = net_transfer_end(t, code, &c->cfg, now_ms());
    if (o == NET_AGAIN) {
        gf_note(c->cfg.log, 2, "%s; trying again", t->err.text);
        drop_handle(c, t);
        gf_vec_push(&c->waiting, t);
        return 0;
    }
    net_transfer_report(t);
    drop_handle(c, t);
    net_transfer_free(t);
    return 1;
}

/* Reports what has ended; number of requests reported. */
static size_t collect(struct net_client *c)
{
    size_t told = 0;
    for (int lane = 0; lane < LANES; lane++) {
        int left;
        CURLMsg *m;
        while (c->lanes[lane].multi && (m = net_curl.multi_info_read(c->lanes[lane].multi, &left))) {
            struct net_transfer *t = NULL;
            if (m->msg != CURLMSG_DONE || net_curl.easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &t) != CURLE_OK || !t) continue;
            told += finish(c, t, m->data.result);
        }
    }
    return told;
}

static int perform(struct net_client *c, struct gf_err *err)
{
    for (int lane = 0; lane < LANES; lane++) {
        int running;
        CURLMcode code = c->lanes[lane].running ? net_curl.multi_perform(c->lanes[lane].multi, &running) : CURLM_OK;
        if (code != CURLM_OK) return gf_fail(err, GF_E_NETWORK, "libcurl failed: %s", net_curl.multi_strerror(code));
    }
    return 0;
}

/* The descriptors of the lane that is not polled itself. */
static unsigned other_fds(CURLM *multi, struct curl_waitfd *fds, unsigned cap)
{
    fd_set in, out, bad;
    FD_ZERO(&in);
    FD_ZERO(&out);
    FD_ZERO(&bad);
    int most = -1;
    unsigned n = 0;
    net_curl.multi_fdset(multi, &in, &out, &bad, &most);
    for (int fd = 0; fd <= most && n < cap; fd++) {
        short events = (short)((FD_ISSET(fd, &in) ? CURL_WAIT_POLLIN : 0) | (FD_ISSET(fd, &out) ? CURL_WAIT_POLLOUT : 0));
        if (events) fds[n++] = (struct curl_waitfd){ fd, events, 0 };
    }
    return n;
}

static int wait_ms(const struct net_client *c, int timeout_ms)
{
    int64_t now = now_ms(), wait = timeout_ms;
    for (size_t i = 0; i < c->waiting.n; i++) {
        int64_t due = c->waiting.v[i]->due_ms - now;
        if (c->waiting.v[i]->due_ms && due < wait) wait = due < 0 ? 0 : due;
    }
    const struct lane *other = c->lanes[SMALL].running ? &c->lanes[BULK] : NULL;
    long own = -1;
    if (other && other->running) net_curl.multi_timeout(other->multi, &own);
    return (int)(own >= 0 && own < wait ? own : wait);
}

static int poll_lanes(struct net_client *c, int timeout_ms, struct gf_err *err)
{
    const struct lane *small = &c->lanes[SMALL], *bulk = &c->lanes[BULK];
    struct curl_waitfd fds[64];
    unsigned n = small->running && bulk->running ? other_fds(bulk->multi, fds, 64) : 0;
    CURLM *polled = small->running ? small->multi : bulk->multi;
    int wait = wait_ms(c, timeout_ms), events;
    CURLMcode code = CURLM_OK;
    if (polled) code = net_curl.multi_poll(polled, n ? fds : NULL, n, wait, &events);
    else nanosleep(&(struct timespec){ wait / 1000, wait % 1000 * 1000000L }, NULL);
    return code == CURLM_OK ? 0 : gf_fail(err, GF_E_NETWORK, "libcurl failed: %s", net_curl.multi_strerror(code));
}

static int interrupted(struct gf_err *err)
{
    return net_interrupted() ? gf_fail(err, GF_E_INTERRUPTED, "interrupted") : 0;
}

int net_step(struct net_client *c, int timeout_ms, struct gf_err *err)
{
    if (interrupted(err)) return -1;
    if (c->cfg.offline && refuse_offline(c)) return 0;
    if (start_due(c, err) || perform(c, err)) return -1;
    if (collect(c) || net_pending(c) == 0) return 0;
    if (start_due(c, err) || poll_lanes(c, timeout_ms, err) || interrupted(err) || perform(c, err)) return -1;
    collect(c);
    return interrupted(err);
}
