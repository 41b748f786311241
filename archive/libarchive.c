#include "archive/libarchive.h"
#include <dlfcn.h>
#include <string.h>

#define LIBRARY "libarchive.so.13"

struct arc_libarchive arc_lib;

static int take(void *library, const char *name, void *into, struct gf_err *err)
{
    void *at = dlsym(library, name);
    if (!at) return gf_fail(err, GF_E_IO, LIBRARY " has no '%s': version 3.3 or newer is needed", name);
    memcpy(into, &at, sizeof at);
    return 0;
}

int arc_libarchive_load(struct gf_err *err)
{
    if (arc_lib.read_new) return 0;
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library) return gf_fail(err, GF_E_IO, "libarchive cannot be loaded (%s): install it (Debian: libarchive13, Fedora: libarchive)", dlerror());
    struct arc_libarchive all;
#define X(name)                                                                                                                                      \
    if (take(library, "archive_" #name, &all.name, err)) return -1;
    ARC_FUNCTIONS(X)
#undef X
    arc_lib = all;
    return 0;
}
