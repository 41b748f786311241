/* First byte: what the rest is (h HTML, j JSON, f the flat form of the cache). Whatever was read must survive its own flat form. */
#include "sources/page.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t read_all(const struct src_file *f)
{
    const char *const texts[] = { f->filename, f->url, f->sha256, f->requires_python, f->yanked, f->core_metadata_sha256 };
    size_t n = 0;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) n += texts[i] ? strlen(texts[i]) : 0;
    return n;
}

static void open_flat(gf_slice flat, bool must)
{
    struct gf_arena a = GF_ARENA_INIT;
    const struct src_file *files = NULL;
    uint32_t n = 0;
    bool good = src_page_open(flat, &a, 0, &files, &n);
    if (must && !good) abort();
    for (uint32_t i = 0; good && i < n; i++) read_all(&files[i]);
    for (uint32_t i = 1; must && i < n; i++)
        if (strcmp(files[i - 1].filename, files[i].filename) >= 0) abort();
    gf_arena_release(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    gf_slice text = gf_slice_n((const char *)data + 1, size - 1);
    if (*data == 'f') {
        open_flat(text, false);
        return 0;
    }
    struct gf_err err;
    struct src_page_builder *b = src_page_builder_new();
    int rc = *data == 'j' ? src_page_read_json(text, "https://h/simple/x/", "x", b, &err) : src_page_read_html(text, "https://h/simple/x/", "x", b, &err);
    GF_BUF_SCOPE struct gf_buf flat;
    gf_buf_init(&flat, 64u << 20);
    src_page_build(b, &flat);
    if (!rc && !gf_buf_failed(&flat)) open_flat(gf_buf_slice(&flat), true);
    src_page_builder_free(b);
    return 0;
}
