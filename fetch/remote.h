/* A remote file as a reader: blocks are fetched by range requests when they are first read, neighbours together. For looking into a file (a wheel's
 * directory, a few members) without fetching it whole; reading waits for the network. */
#ifndef NET_REMOTE_H
#define NET_REMOTE_H
#include "base/reader.h"
#include "fetch/client.h"

/* Borrows c. size: what the index says, -1 unknown (asked of the server with the last block). A server without ranges is an error (GF_E_NETWORK), so is one
 * whose file has another size (GF_E_INTEGRITY). */
int net_remote_open(struct net_client *c, const char *url, int64_t size, struct gf_reader **ret, struct gf_err *err);

#endif
