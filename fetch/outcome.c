/* What the end of a try means: done, failed, or once more. One message per cause. */
#include "fetch/transfer.h"
#include <stdlib.h>

#define PROGRESS_WORTH_A_TRY (1u << 20) /* bytes: a transfer that moves on is given its tries anew */

static const char *many_tries(const struct net_transfer *t, char *text, size_t n)
{
    text[0] = '\0';
    if (t->tries > 1) snprintf(text, n, ", tried %u times", t->tries);
    return text;
}

static const char *status_words(long status)
{
    switch (status) {
    case 401: return "it wants a user and a password, or other ones than it was given: put them into ~/.netrc";
    case 403: return "it refuses this request: check credentials and that the mirror serves this path";
    case 407: return "the proxy wants a user and a password: put them into https_proxy";
    case 408: return "it waited too long for the request";
    case 416: return "it has no such range of bytes: the resource is shorter than said";
    case 429: return "it wants fewer requests: wait, or use a mirror";
    default: return status >= 500 ? "the server failed: try later, or use a mirror" : "the request is refused";
    }
}

static bool worth_repeating(long status) { return status == 408 || status == 429 || (status >= 500 && status != 501 && status != 505); }

/* Returns whether another try may help. */
static bool judge_status(struct net_transfer *t)
{
    long status = t->head.status;
    char tries[48];
    if (status < 400) return false;
    if (status == 404 || status == 410) {
        gf_fail(&t->err, GF_E_NOT_FOUND, "'%s' does not exist (the server answered %ld)", t->shown, status);
        return false;
    }
    gf_fail(&t->err, GF_E_NETWORK, "'%s' answered %ld%s: %s", t->shown, status, many_tries(t, tries, sizeof tries), status_words(status));
    return worth_repeating(status);
}

static const char *cause(const struct net_transfer *t, CURLcode code) { return t->curl_text[0] ? t->curl_text : net_curl.easy_strerror(code); }

static void fail_connection(struct net_transfer *t, CURLcode code, const char *advice)
{
    char tries[48];
    gf_fail(&t->err, GF_E_NETWORK, "'%s' cannot be reached%s: %s; %s", t->shown, many_tries(t, tries, sizeof tries), cause(t, code), advice);
}

/* A body that ends early is a broken transfer and said to be one: nobody shall look for tampering. */
static void fail_cut_short(struct net_transfer *t, CURLcode code)
{
    char tries[48], of[40] = "";
    if (t->total >= 0) snprintf(of, sizeof of, " of %lld", (long long)t->total);
    gf_fail(&t->err, GF_E_NETWORK, "'%s' was cut short after %llu%s bytes%s (a broken transfer, not a changed file): %s", t->shown,
            (unsigned long long)(t->base + t->got), of, many_tries(t, tries, sizeof tries), cause(t, code));
}

static bool judge_transport(struct net_transfer *t, CURLcode code)
{
    switch (code) {
    case CURLE_COULDNT_RESOLVE_PROXY: fail_connection(t, code, "check http_proxy and https_proxy"); return true;
    case CURLE_COULDNT_RESOLVE_HOST: fail_connection(t, code, "check the name and the network, or use --offline with what is cached"); return true;
    case CURLE_COULDNT_CONNECT: fail_connection(t, code, "check the network and the proxy settings, or use --offline with what is cached"); return true;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE: fail_connection(t, code, "name the certificates to trust by SSL_CERT_FILE or pip's 'cert' setting"); return false;
    case CURLE_SSL_CONNECT_ERROR: fail_connection(t, code, "check proxies that look into TLS"); return true;
    case CURLE_TOO_MANY_REDIRECTS: fail_connection(t, code, "the server sends its clients round in a circle"); return false;
    case CURLE_UNSUPPORTED_PROTOCOL: fail_connection(t, code, "only http, https (never from https down to http) and local files are read"); return false;
    case CURLE_URL_MALFORMAT: fail_connection(t, code, "it is not a URL that can be read"); return false;
    case CURLE_FILE_COULDNT_READ_FILE: gf_fail(&t->err, GF_E_NOT_FOUND, "'%s' cannot be read: there is no such file", t->shown); return false;
    case CURLE_OUT_OF_MEMORY: gf_fail(&t->err, GF_E_IO, "no memory left while reading '%s'", t->shown); return false;
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
    case CURLE_OPERATION_TIMEDOUT:
        if (t->begun) fail_cut_short(t, code);
        else fail_connection(t, code, "the server or something on the way to it is at fault: try again");
        return true;
    default: fail_connection(t, code, "libcurl gave up"); return false;
    }
}

static unsigned tries_allowed(const struct net_transfer *t, const struct net_config *cfg)
{
    return t->r.max_tries ? t->r.max_tries : cfg->retries + 1;
}

enum net_outcome net_transfer_end(struct net_transfer *t, CURLcode code, const struct net_config *cfg, int64_t now_ms)
{
    if (t->err.code != GF_OK) return NET_DONE; /* the sink, or a cap */
    if (code == CURLE_PEER_FAILED_VERIFICATION && net_client_may_widen_trust(t->client, t->tries)) {
        gf_fail(&t->err, GF_E_NETWORK, "'%s' has a certificate that the folder of certificates does not know: the whole bundle is read now", t->shown);
        t->due_ms = now_ms;
        return NET_AGAIN;
    }
    bool again = code == CURLE_OK ? judge_status(t) : judge_transport(t, code);
    t->fresh = code != CURLE_OK;
    if (t->got - t->at_start >= PROGRESS_WORTH_A_TRY) t->tries = 1;
    if (!again || t->tries >= tries_allowed(t, cfg)) return NET_DONE;
    t->due_ms = now_ms + net_backoff_ms(t->tries, t->head.retry_after_ms);
    return NET_AGAIN;
}

void net_transfer_report(struct net_transfer *t)
{
    struct net_reply reply = {
        .status = t->head.status,
        .content_type = t->head.content_type,
        .etag = t->head.etag,
        .cache_control = t->head.cache_control,
        .last_modified = t->head.last_modified,
        .content_length = t->head.status == 416 ? t->head.range_total : t->total,
        .body = gf_buf_slice(&t->body),
        .from_range = t->from_range,
    };
    const char *last = NULL;
    if (t->easy) net_curl.easy_getinfo(t->easy, CURLINFO_EFFECTIVE_URL, &last);
    GF_FREE char *final_url = net_url_without_credentials(last && *last ? last : t->r.url);
    reply.final_url = final_url;
    if (t->r.done) t->r.done(t->r.arg, &reply, &t->err);
}
