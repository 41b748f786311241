/* One request on its way: its tries, the part of the body that has come, and what its end means. Private to fetch/. */
#ifndef NET_TRANSFER_H
#define NET_TRANSFER_H
#include "fetch/client.h"
#include "fetch/curl.h"

#define NET_SHOWN_URL 512 /* bytes of a URL in a message */

struct net_head { /* of the response that is coming in; reset by each status line */
    long status;
    char *content_type, *etag, *cache_control, *last_modified, *content_encoding; /* in the arena of the transfer */
    int64_t length;                       /* Content-Length, -1 */
    bool has_range;
    int64_t range_first, range_last, range_total; /* Content-Range; -1 unknown */
    int64_t retry_after_ms;               /* -1 */
};

struct net_transfer {
    struct net_transfer *next;
    struct net_client *client;
    struct gf_arena mem;
    struct net_request r;                 /* strings in mem */
    const char *shown;                    /* URL for messages */
    CURL *easy;
    struct curl_slist *headers;
    struct net_head head;
    struct gf_buf body;
    uint64_t got;                         /* bytes of the wanted part delivered, over all tries */
    uint64_t skip;                        /* bytes at the front of this response to pass over */
    uint64_t base;                        /* where the wanted part begins in the resource; known for a suffix once a 206 came */
    uint64_t at_start;                    /* got when this try began */
    bool begun, resumed;                  /* this try: body begun; asked for the rest only */
    bool from_range;
    bool fresh;                           /* the connection of the last try is suspect: make a new one */
    int64_t total;                        /* of the whole resource, -1 */
    char *first_etag;
    struct gf_err err;
    char curl_text[CURL_ERROR_SIZE];
    unsigned tries;
    int64_t due_ms;                       /* not before */
    uint64_t order;
};

enum net_outcome { NET_DONE, NET_AGAIN };

struct net_transfer *net_transfer_new(struct net_client *c, const struct net_request *r);
void net_transfer_free(struct net_transfer *t);
/* Sets all options of t->easy for the next try. */
void net_transfer_prepare(struct net_transfer *t, const struct net_config *cfg);
/* The try ended. NET_AGAIN: t->due_ms is set. NET_DONE: t->err tells. */
enum net_outcome net_transfer_end(struct net_transfer *t, CURLcode code, const struct net_config *cfg, int64_t now_ms);
void net_transfer_report(struct net_transfer *t); /* calls done */

/* Reads one header line of t's response (fetch/head.c). */
void net_head_line(struct net_head *h, struct gf_arena *mem, gf_slice line);
int64_t net_http_date(gf_slice text); /* unix seconds of an RFC 9110 date, -1 */
/* Delay before try number n (1 is the first repeat), with jitter; never below what the server asked for, capped. */
int64_t net_backoff_ms(unsigned n, int64_t retry_after_ms);

/* How this process trusts servers and whether it has a netrc, found once (fetch/settings.c). */
struct net_settings {
    const char *ca_file, *ca_folder, *netrc; /* NULL: libcurl's own, none */
    const char *user_agent;
    /* The folder beside the bundle, which holds the same certificates by the hashes of their names: only those are read that a server needs. A
     * bundle of 140 takes OpenSSL 50 ms. A server that it does not know is asked once more with the bundle. NULL: there is none. */
    char *hashed_folder;
};
const struct net_settings *net_client_settings(const struct net_client *c);
bool net_client_credentials(const struct net_client *c, const char *url, const char **ret_user, const char **ret_password);
/* After a server was not trusted at the first try: true when there is more to trust than was looked at; from now on all of it is. */
bool net_client_may_widen_trust(struct net_client *c, unsigned tries);
void net_settings_find(struct net_settings *s, const struct net_config *cfg);
void net_client_count_bytes(struct net_client *c, size_t n);

#endif
