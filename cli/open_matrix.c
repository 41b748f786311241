#include "base/file.h"
#include "cli/command.h"
#include <stdlib.h>

char *opt_installed_matrix(void)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    if (data && *data == '/') return gf_xasprintf("%s/gpuferry/matrix", data);
    return gf_xasprintf("%s/.local/share/gpuferry/matrix", home && *home ? home : "");
}

int opt_open_matrix(const char *given, struct mtx **ret, struct gf_err *err)
{
    GF_FREE char *path = opt_installed_matrix();
    if (given || !gf_path_exists(path)) return mtx_open(given, ret, err);
    struct mtx *installed, *built_in;
    if (mtx_open_installed(path, &installed, err)) return gf_wrap(err, "the installed data set (remove it, or run 'gpuferry matrix update' again)");
    if (mtx_open(NULL, &built_in, err)) return mtx_free(installed), -1;
    bool newer = gf_dotted_cmp(gf_slice_of(mtx_version(installed)), gf_slice_of(mtx_version(built_in))) > 0;
    mtx_free(newer ? built_in : installed);
    *ret = newer ? installed : built_in;
    return 0;
}
