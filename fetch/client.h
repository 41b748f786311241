/* HTTP by libcurl multi: many requests in flight over few kept connections, HTTP/2 multiplexed for small ones, retries with
 * back-off, caps on size and time, proxies, netrc and CA settings as curl users expect them. One thread: callbacks run inside net_step. */
#ifndef NET_CLIENT_H
#define NET_CLIENT_H
#include "base/buf.h"
#include "base/err.h"

struct net_client;
struct net_config {
    bool offline;                 /* every request that is not answered from the cache fails with GF_E_NETWORK */
    unsigned max_connections;     /* per host; 0: default */
    unsigned retries;             /* after the first try; default 3 when UINT_MAX */
    long connect_timeout_ms, stall_timeout_ms; /* 0: defaults 10 s; without a byte 10 s, bulk 30 s */
    const char *ca_bundle;        /* NULL: SSL_CERT_FILE, REQUESTS_CA_BUNDLE, pip's cert, else libcurl's */
    const char *user_agent;       /* NULL: gpuferry/VERSION */
    const struct gf_log *log;
};
int net_client_new(const struct net_config *cfg, struct net_client **ret, struct gf_err *err);
void net_client_free(struct net_client *c); /* aborts what is in flight, its done callbacks are not called */

struct net_reply {
    long status;                  /* HTTP status; 0: none came */
    const char *final_url;        /* after redirects */
    const char *content_type, *etag, *cache_control, *last_modified; /* NULL when absent */
    int64_t content_length;       /* of the whole resource when known (Content-Range counted), else -1 */
    gf_slice body;                /* what came, when no sink was given */
    bool from_range;              /* a 206 */
};

struct net_request {
    const char *url;              /* http, https or file */
    const char *accept;           /* NULL: any */
    const char *if_none_match;    /* NULL */
    const char *if_modified_since; /* NULL; a Last-Modified as it came */
    const char *user, *password;  /* NULL: URL's own, those of net_client_add_credentials, netrc */
    bool ranged;
    uint64_t range_from, range_len; /* range_len 0: to the end */
    bool range_suffix;            /* the last range_len bytes */
    uint64_t max_bytes;           /* cap of the body; 0: GF_CAP_PAGE */
    bool head;                    /* the answer's head alone */
    bool bulk;                    /* a large body: HTTP/1.1, several connections; else HTTP/2 preferred */
    int priority;                 /* higher first when connections are scarce */
    long connect_timeout_ms;      /* 0: the client's */
    unsigned max_tries;           /* 0: the client's retries and the first try; 1: no retry */
    /* body bytes as they come (offset counted from range_from, continues after a resumed retry); NULL: kept in reply.body. Nonzero aborts
     * the request with *err filled. */
    int (*sink)(void *arg, uint64_t offset, const void *p, size_t n, struct gf_err *err);
    /* exactly once; err->code GF_OK and a reply with any final HTTP status < 400, or an error (404/410: GF_E_NOT_FOUND). reply may hold status on error too. */
    void (*done)(void *arg, const struct net_reply *reply, const struct gf_err *err);
    void *arg;
};
void net_submit(struct net_client *c, const struct net_request *r); /* copies r and its strings */
/* Has a connection to the URL's server made, by asking for its head alone: the next request to it finds the connection open or on its way. Nobody waits for
 * the answer, and what it says counts for nothing. */
void net_connect(struct net_client *c, const char *url);
/* Remembers user and password of a URL for every request to the same scheme, host and port; a URL without them is no error. */
void net_client_add_credentials(struct net_client *c, const char *url);
size_t net_pending(const struct net_client *c);
void net_client_counts(const struct net_client *c, uint64_t *ret_requests, uint64_t *ret_bytes); /* sent so far; body bytes received */
/* Waits up to timeout_ms for something to happen and handles it. Returns 0, or -1 when interrupted (SIGINT seen by net_interrupt) or libcurl failed. */
int net_step(struct net_client *c, int timeout_ms, struct gf_err *err);
void net_interrupt(void); /* async-signal-safe: the next net_step fails with GF_E_INTERRUPTED */
char *net_url_without_credentials(const char *url); /* malloc'd */
char *net_url_join(const char *base, const char *ref); /* RFC 3986; malloc'd; NULL when it cannot be a http(s) or file URL */

#endif
