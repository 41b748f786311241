#include "sources/metadata_text.h"
#include <stdlib.h>

/* Headers kept; what is dropped (authors, classifiers, URLs, the description) is most of the text and decides nothing. */
static bool wanted(gf_slice name)
{
    static const char *const names[] = { "Metadata-Version", "Name", "Version", "Requires-Python", "Requires-Dist", "Provides-Extra", "Dynamic",
                                         "Summary", "License", "License-Expression" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (gf_slice_ieq(name, gf_slice_of(names[i]))) return true;
    return false;
}

/* Some archives begin with a byte order mark. */
static gf_slice without_mark(gf_slice text)
{
    gf_try_lit(&text, GF_S("\xef\xbb\xbf"));
    return text;
}

void src_metadata_reduce(gf_slice text, struct gf_buf *ret)
{
    gf_slice line, rest = without_mark(text);
    bool keep = false;
    while (gf_slice_line(&rest, &line) && line.n) {
        gf_slice value = line, name;
        bool goes_on = *line.p == ' ' || *line.p == '\t';
        if (!goes_on) keep = gf_slice_cut(&value, ':', &name) && wanted(name);
        if (!keep || (goes_on && gf_slice_trim(line).n == 0)) continue;
        gf_buf_addsl(ret, line);
        gf_buf_addc(ret, '\n');
    }
}

static bool letter_eq(char a, char b)
{
    a = a == '-' || a == '.' ? '_' : gf_lower(a);
    b = b == '-' || b == '.' ? '_' : gf_lower(b);
    return a == b;
}

/* Both "name-version", compared as PEP 503 and 440 would see the common spellings. */
static bool same_stem(gf_slice folder, gf_slice file)
{
    if (folder.n > file.n || (folder.n < file.n && file.p[folder.n] != '-')) return false;
    for (size_t i = 0; i < folder.n; i++)
        if (!letter_eq(folder.p[i], file.p[i])) return false;
    return true;
}

static gf_slice top_folder(const char *name, gf_slice tail)
{
    gf_slice n = gf_slice_of(name);
    if (!gf_slice_ends(n, tail)) return GF_NONE;
    n.n -= tail.n;
    return gf_slice_chr(n, '/') >= 0 ? GF_NONE : n;
}

const struct arc_zip_member *src_metadata_member(const struct arc_zip *z, const char *filename, const char *label, struct gf_err *err)
{
    const struct arc_zip_member *only = NULL;
    size_t found = 0;
    for (size_t i = 0; i < arc_zip_count(z); i++) {
        const struct arc_zip_member *m = arc_zip_get(z, i);
        gf_slice folder = top_folder(m->name, GF_S(".dist-info/METADATA"));
        if (!folder.p) continue;
        if (same_stem(folder, gf_slice_of(filename))) return m;
        only = m;
        found++;
    }
    if (found == 1) return only;
    gf_fail(err, GF_E_PARSE, "'%s' is no sound wheel: %s", label,
            found ? "several .dist-info folders hold METADATA and none is named like the file" : "it holds no .dist-info/METADATA");
    return NULL;
}

int src_metadata_of_wheel(struct gf_reader *r, const char *filename, struct gf_buf *ret, struct gf_err *err)
{
    struct arc_zip *z = NULL;
    if (arc_zip_open(r, &z, err)) return -1;
    GF_BUF_SCOPE struct gf_buf text;
    gf_buf_init(&text, GF_CAP_METADATA);
    const struct arc_zip_member *m = src_metadata_member(z, filename, r->label, err);
    int rc = m ? arc_zip_read(z, m, &text, err) : -1;
    if (!rc) src_metadata_reduce(gf_buf_slice(&text), ret);
    arc_zip_free(z);
    return rc;
}
