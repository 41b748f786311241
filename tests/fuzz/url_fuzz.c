/* First line: a base; the rest: a reference. What comes out is a URL that joins with itself to itself. */
#include "fetch/client.h"
#include "fetch/url.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gf_slice text = gf_slice_n((const char *)data, size), line;
    if (!size || !gf_slice_line(&text, &line)) return 0;
    GF_FREE char *base = gf_xstrndup(line), *ref = gf_xstrndup(text);
    GF_FREE char *joined = net_url_join(base, ref);
    free(net_url_without_credentials(ref));
    free(net_url_file_name(text));
    free(net_url_file_path(ref));
    if (!joined) return 0;
    GF_FREE char *again = net_url_join(joined, joined);
    if (!again || strcmp(again, joined) != 0) abort();
    GF_FREE char *plain = net_url_without_credentials(joined);
    char *user = NULL, *password = NULL;
    net_url_credentials(plain, &user, &password);
    if (user) abort();
    return 0;
}
