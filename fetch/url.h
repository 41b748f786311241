/* URLs taken apart and put together (RFC 3986), for http, https and file. */
#ifndef NET_URL_H
#define NET_URL_H
#include "base/mem.h"

struct net_url { /* parts of the text it was split from; GF_NONE when absent */
    gf_slice scheme, userinfo, host, path, query, fragment; /* host with its port; path is never GF_NONE */
};
bool net_url_split(gf_slice text, struct net_url *ret); /* false: no scheme, or bytes that no URL has */
/* "https://host:port" of two URLs are the same (case of letters and default ports aside). */
bool net_url_same_origin(const char *a, const char *b);
/* User and password of the URL, percent-decoded, NULL when it has none; malloc'd. */
void net_url_credentials(const char *url, char **ret_user, char **ret_password);
char *net_url_decode(gf_slice s);                       /* %XX; malloc'd; NULL when a decoded byte is NUL */
char *net_url_file_path(const char *url);               /* of a file URL, decoded; malloc'd; NULL for anything else */
char *net_url_of_path(const char *path);                /* file:///…; the path must be absolute; malloc'd */
char *net_url_file_name(gf_slice url);                  /* the last part of its path, decoded; malloc'd; NULL when it has none */
char *net_url_without_fragment(const char *url);        /* malloc'd */

#endif
