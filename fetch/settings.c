/* Certificates, netrc and the rest of what curl, pip and requests users have set in their environment. */
#include "fetch/transfer.h"
#include <stdlib.h>
#include <sys/stat.h>

#ifndef GPUFERRY_VERSION
#define GPUFERRY_VERSION "unversioned"
#endif

static const char *environment(const char *name)
{
    const char *v = getenv(name);
    return v && *v ? v : NULL;
}

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static void find_certificates(struct net_settings *s, const char *given)
{
    static const char *const names[] = { "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE" };
    for (size_t i = 0; !given && i < sizeof names / sizeof *names; i++) given = environment(names[i]);
    if (given && is_folder(given)) s->ca_folder = given;
    else s->ca_file = given;
    if (!s->ca_folder) s->ca_folder = environment("SSL_CERT_DIR");
}

/* $NETRC, else ~/.netrc; malloc'd or NULL when there is no such file. */
static char *find_netrc(void)
{
    const char *given = environment("NETRC"), *home = environment("HOME");
    char *path = given ? gf_xstrdup(given) : home ? gf_xasprintf("%s/.netrc", home) : NULL;
    struct stat st;
    if (path && stat(path, &st) == 0 && S_ISREG(st.st_mode)) return path;
    free(path);
    return NULL;
}

void net_settings_find(struct net_settings *s, const struct net_config *cfg)
{
    find_certificates(s, cfg->ca_bundle);
    s->netrc = find_netrc();
    s->user_agent = cfg->user_agent ? cfg->user_agent : "gpuferry/" GPUFERRY_VERSION;
}
