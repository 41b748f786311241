/* PKG-INFO, a line "----", requires.txt; then, each behind a line "====", pyproject.toml, setup.py, and paths of members. */
#include "python/requirement.h"
#include "sources/metadata_text.h"
#include "sources/sdist_build.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What stands up to the mark; *rest is what stands behind it, GF_NONE without one. */
static gf_slice part(gf_slice *rest, gf_slice mark)
{
    gf_slice head = *rest;
    ptrdiff_t cut = head.p ? gf_slice_find(head, mark) : -1;
    *rest = cut < 0 ? GF_NONE : gf_slice_from(head, (size_t)cut + mark.n);
    return cut < 0 ? head : gf_slice_sub(head, 0, (size_t)cut);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gf_slice text = gf_slice_n((const char *)data, size), path, rest = part(&text, GF_S("====\n"));
    GF_BUF_SCOPE struct gf_buf joined;
    gf_buf_init(&joined, GF_CAP_METADATA);
    struct src_build_seen seen = { .pyproject = part(&text, GF_S("====\n")), .setup_py = part(&text, GF_S("====\n")) };
    gf_slice pkg_info = part(&rest, GF_S("----\n"));
    src_metadata_join(pkg_info, rest, &joined);
    gf_names_init(&seen.top);
    while (text.p && gf_slice_line(&text, &path)) src_build_note(&seen, path);
    src_build_describe(&seen, &joined);
    gf_names_release(&seen.top);
    struct gf_arena a = GF_ARENA_INIT;
    struct py_metadata m;
    struct gf_log log = { NULL, NULL };
    struct gf_err err;
    (void)!py_metadata_parse(&a, gf_buf_slice(&joined), "x", &log, &m, &err);
    gf_arena_release(&a);
    return 0;
}
