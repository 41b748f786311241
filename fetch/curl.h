/* libcurl, loaded when the first request needs the network: linked at start-up, its forty libraries cost every command 7 ms (measured). Private to fetch/. */
#ifndef NET_CURL_H
#define NET_CURL_H
#include "base/err.h"
#include <curl/curl.h>

#define NET_CURL_FUNCTIONS(X)                                                                                                                        \
    X(global_init) X(getdate) X(version_info) X(slist_append) X(slist_free_all)                                                                      \
    X(easy_init) X(easy_cleanup) X(easy_reset) X(easy_setopt) X(easy_getinfo) X(easy_strerror)                                                       \
    X(multi_init) X(multi_cleanup) X(multi_setopt) X(multi_add_handle) X(multi_remove_handle) X(multi_perform) X(multi_poll) X(multi_info_read)      \
    X(multi_fdset) X(multi_timeout) X(multi_strerror)

struct net_curl {
#define X(name) __typeof__(curl_##name) *name;
    NET_CURL_FUNCTIONS(X)
#undef X
};
extern struct net_curl net_curl; /* all NULL before net_curl_load */
int net_curl_load(struct gf_err *err); /* once; later calls do nothing */

#endif
