/* How a source archive is built, read from what lies in it: pyproject.toml, the imports of setup.py, and of which languages its files are. Nothing of it runs. */
#ifndef SRC_SDIST_BUILD_H
#define SRC_SDIST_BUILD_H
#include "base/buf.h"
#include "base/map.h"

struct src_build_seen {
    gf_slice pyproject, setup_py; /* GF_NONE: not there */
    struct gf_names top;          /* names right below the top folder, as a module of theirs would be imported: "torch" for torch/ and torch.py */
    uint32_t c, cxx, cuda;        /* files of C and Cython, of C++, of CUDA */
};

/* A member of the archive, its path without the top folder. */
void src_build_note(struct src_build_seen *s, gf_slice path);
/* Appends headers of the reduced form: Build-Backend (always), Build-Requires (one requirement each), Build-Tool ("nvcc" and, behind a blank, what was seen).
 * A pyproject.toml that cannot be read counts as none: pip refuses it too, and then says so itself. */
void src_build_describe(const struct src_build_seen *s, struct gf_buf *ret);

#endif
