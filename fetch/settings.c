/* Certificates, netrc and the rest of what curl, pip and requests users have set in their environment. */
#include "fetch/transfer.h"
#include <dirent.h>
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

static bool hex_digit(char c) { return gf_is_digit((unsigned char)c) || (c >= 'a' && c <= 'f'); }

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

/* "3513523f.0" */
static bool is_hash_name(const char *name)
{
    size_t n = 0;
    while (hex_digit(name[n])) n++;
    return n == 8 && strcmp(name + n, ".0") == 0;
}

static bool has_hashes(const char *folder)
{
    DIR *d = opendir(folder);
    bool found = false;
    for (struct dirent *e; d && !found && (e = readdir(d));) found = is_hash_name(e->d_name);
    if (d) closedir(d);
    return found;
}

/* Only of the bundle that the system keeps together with its folder: another file that somebody names is taken alone. */
static char *find_hashed_folder(const struct net_settings *s)
{
    const curl_version_info_data *v = net_curl.version_info(CURLVERSION_NOW);
    if (v->age < CURLVERSION_SEVENTH || !v->cainfo || !v->capath) return NULL;
    if (s->ca_file && strcmp(s->ca_file, v->cainfo) != 0) return NULL;
    if (s->ca_folder && strcmp(s->ca_folder, v->capath) != 0) return NULL;
    return has_hashes(v->capath) ? gf_xstrdup(v->capath) : NULL;
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
    s->hashed_folder = find_hashed_folder(s);
    s->netrc = find_netrc();
    s->user_agent = cfg->user_agent ? cfg->user_agent : "gpuferry/" GPUFERRY_VERSION;
}
