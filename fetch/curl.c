#include "fetch/curl.h"
#include <dlfcn.h>
#include <string.h>

#define LIBRARY "libcurl.so.4"

struct net_curl net_curl;

static int take(void *library, const char *name, void *into, struct gf_err *err)
{
    void *at = dlsym(library, name);
    if (!at) return gf_fail(err, GF_E_IO, LIBRARY " has no '%s': version 7.85 or newer is needed", name);
    memcpy(into, &at, sizeof at);
    return 0;
}

int net_curl_load(struct gf_err *err)
{
    if (net_curl.multi_strerror) return 0;
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library) return gf_fail(err, GF_E_IO, "libcurl cannot be loaded (%s): install it (Debian: libcurl4, Fedora: libcurl)", dlerror());
    struct net_curl all;
#define X(name)                                                                                                                                      \
    if (take(library, "curl_" #name, &all.name, err)) return -1;
    NET_CURL_FUNCTIONS(X)
#undef X
    if (all.global_init(CURL_GLOBAL_SSL) != CURLE_OK) return gf_fail(err, GF_E_IO, "libcurl could not be started");
    net_curl = all;
    return 0;
}
