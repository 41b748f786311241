/* PEP 691 pages, with size and upload-time (PEP 700), yanked (PEP 592) and core metadata (PEP 658, 714). */
#include "base/json.h"
#include "fetch/url.h"
#include "sources/page.h"
#include <stdlib.h>

static gf_slice own_digest(const gf_json *hashes) { return gf_json_get_str(hashes, "sha256"); }

/* true, or an object of digests; the older key is still sent. */
static void read_core_metadata(const gf_json *file, struct src_row *row)
{
    static const char *const keys[] = { "core-metadata", "dist-info-metadata", "data-dist-info-metadata" };
    for (size_t i = 0; i < sizeof keys / sizeof *keys && !row->core_metadata; i++) {
        const gf_json *v = gf_json_get(file, keys[i]);
        bool yes = false;
        if (gf_json_bool(v, &yes)) row->core_metadata = yes;
        else if (gf_json_type(v) == GF_JSON_OBJECT) {
            row->core_metadata = true;
            row->core_metadata_sha256 = own_digest(v);
        }
    }
}

static gf_slice read_yanked(const gf_json *v)
{
    bool yes = false;
    if (gf_json_bool(v, &yes)) return yes ? GF_S("") : GF_NONE;
    return gf_json_str(v);
}

static void read_file(const gf_json *file, const char *base, struct src_page_builder *b)
{
    const char *ref = gf_json_cstr(gf_json_get(file, "url"));
    GF_FREE char *joined = ref ? net_url_join(base, ref) : NULL;
    GF_FREE char *url = joined ? net_url_without_fragment(joined) : NULL;
    struct src_row row = {
        .filename = gf_json_get_str(file, "filename"),
        .url = gf_slice_of(url),
        .sha256 = own_digest(gf_json_get(file, "hashes")),
        .requires_python = gf_json_get_str(file, "requires-python"),
        .yanked = read_yanked(gf_json_get(file, "yanked")),
        .core_metadata_sha256 = GF_NONE,
        .size = -1,
        .uploaded = src_time_parse(gf_json_get_str(file, "upload-time")),
    };
    if (!gf_json_int(gf_json_get(file, "size"), &row.size) || row.size < 0) row.size = -1;
    read_core_metadata(file, &row);
    src_page_add(b, &row);
}

static int check_version(const gf_json *root, const char *label, struct gf_err *err)
{
    gf_slice v = gf_json_get_str(gf_json_get(root, "meta"), "api-version");
    if (!v.p || gf_slice_starts(v, GF_S("1."))) return 0;
    return gf_fail(err, GF_E_PARSE, "'%s' is written in version %.*s of the index format; version 1 is understood", label, GF_FMT(v));
}

int src_page_read_json(gf_slice text, const char *url, const char *label, struct src_page_builder *b, struct gf_err *err)
{
    struct gf_json_doc *doc GF_JSON_SCOPE = NULL;
    if (gf_json_parse(text, label, &doc, err)) return -1;
    const gf_json *files = gf_json_get(gf_json_root(doc), "files");
    if (check_version(gf_json_root(doc), label, err)) return -1;
    if (gf_json_type(files) != GF_JSON_ARRAY)
        return gf_fail(err, GF_E_PARSE, "'%s' is no index page: \"files\" is %s, a list was expected", label, gf_json_type_name(files));
    for (const gf_json *f = gf_json_first(files); f; f = gf_json_next(f)) read_file(f, url, b);
    return 0;
}
