/* What a source archive says about itself without running anything of it: PKG-INFO, and requires.txt where PKG-INFO does not vouch for its list. */
#include "archive/tar.h"
#include "sources/metadata_text.h"
#include "sources/sdist_build.h"
#include <stdlib.h>

#define UNPACKED_MOST (UINT64_C(4) << 30) /* bytes of all members together */

enum part { PART_PKG_INFO, PART_REQUIRES, PART_PYPROJECT, PART_SETUP_PY, PARTS };

struct found {
    struct gf_buf text[PARTS];
    bool has[PARTS];
    struct src_build_seen build;
};

static gf_slice header(gf_slice text, gf_slice name)
{
    gf_slice line;
    while (gf_slice_line(&text, &line) && line.n) {
        gf_slice value = line, head;
        if (gf_slice_cut(&value, ':', &head) && gf_slice_ieq(head, name)) return gf_slice_trim(value);
    }
    return GF_NONE;
}

static bool says_dynamic(gf_slice text, gf_slice field)
{
    gf_slice line;
    while (gf_slice_line(&text, &line) && line.n) {
        gf_slice value = line, head;
        if (gf_slice_cut(&value, ':', &head) && gf_slice_ieq(head, GF_S("Dynamic")) && gf_slice_ieq(gf_slice_trim(value), field)) return true;
    }
    return false;
}

/* PEP 643: from version 2.2 on, what is not named as dynamic holds for every wheel built of it. */
static bool vouched(gf_slice pkg_info)
{
    gf_slice version = header(pkg_info, GF_S("Metadata-Version"));
    return version.p && gf_dotted_cmp(version, GF_S("2.2")) >= 0 && !says_dynamic(pkg_info, GF_S("Requires-Dist"));
}

/* "[extra:marker]" of requires.txt. */
struct section { gf_slice extra, marker; };

static struct section read_section(gf_slice line)
{
    struct section s = { GF_NONE, GF_NONE };
    gf_slice inside = gf_slice_trim(gf_slice_sub(line, 1, line.n - 2));
    s.marker = inside;
    if (!gf_slice_cut(&s.marker, ':', &s.extra)) s.marker = GF_NONE;
    s.extra = gf_slice_trim(s.extra);
    if (!s.extra.n) s.extra = GF_NONE;
    if (s.marker.p && !gf_slice_trim(s.marker).n) s.marker = GF_NONE;
    return s;
}

/* A requirement may bring its own marker (behind ";"): all conditions hold together. */
static void add_requirement(struct gf_buf *out, gf_slice line, const struct section *s)
{
    gf_slice own = line, what;
    if (!gf_slice_cut(&own, ';', &what)) own = GF_NONE;
    gf_buf_addf(out, "Requires-Dist: %.*s", GF_FMT(gf_slice_trim(what)));
    const char *glue = " ; ";
    gf_slice markers[] = { gf_slice_trim(own), s->marker };
    for (size_t i = 0; i < 2; i++) {
        if (!markers[i].n) continue;
        gf_buf_addf(out, "%s(%.*s)", glue, GF_FMT(markers[i]));
        glue = " and ";
    }
    if (s->extra.p) gf_buf_addf(out, "%sextra == '%.*s'", glue, GF_FMT(s->extra));
    gf_buf_addc(out, '\n');
}

static void add_requires_txt(struct gf_buf *out, gf_slice text)
{
    struct section s = { GF_NONE, GF_NONE };
    gf_slice line;
    while (gf_slice_line(&text, &line)) {
        line = gf_slice_trim(line);
        if (!line.n || *line.p == '#') continue;
        if (*line.p != '[' || line.p[line.n - 1] != ']') {
            add_requirement(out, line, &s);
            continue;
        }
        s = read_section(line);
        if (s.extra.p) gf_buf_addf(out, "Provides-Extra: %.*s\n", GF_FMT(s.extra));
    }
}

static void add_without_requirements(struct gf_buf *out, gf_slice reduced)
{
    gf_slice line;
    while (gf_slice_line(&reduced, &line)) {
        gf_slice value = line, name;
        if (!gf_slice_cut(&value, ':', &name)) name = line;
        if (gf_slice_ieq(name, GF_S("Requires-Dist")) || gf_slice_ieq(name, GF_S("Provides-Extra"))) continue;
        gf_buf_addsl(out, line);
        gf_buf_addc(out, '\n');
    }
}

void src_metadata_join(gf_slice pkg_info, gf_slice requires_txt, struct gf_buf *ret)
{
    if (vouched(pkg_info)) {
        src_metadata_reduce(pkg_info, ret);
        return;
    }
    GF_BUF_SCOPE struct gf_buf reduced;
    gf_buf_init(&reduced, GF_CAP_METADATA);
    src_metadata_reduce(pkg_info, &reduced);
    if (requires_txt.p) {
        add_without_requirements(ret, gf_buf_slice(&reduced));
        add_requires_txt(ret, requires_txt);
    } else {
        gf_buf_addsl(ret, gf_buf_slice(&reduced));
    }
    if (!says_dynamic(pkg_info, GF_S("Requires-Dist"))) gf_buf_adds(ret, "Dynamic: Requires-Dist\n");
}

/* PKG-INFO, pyproject.toml and setup.py of the top folder, whose name is cut off already; ….egg-info/requires.txt, which may lie below src/ or lib/. */
static enum part part_of(gf_slice path)
{
    gf_slice depth = path, folder;
    if (gf_slice_is(path, "PKG-INFO")) return PART_PKG_INFO;
    if (gf_slice_is(path, "pyproject.toml")) return PART_PYPROJECT;
    if (gf_slice_is(path, "setup.py")) return PART_SETUP_PY;
    for (int i = 0; i < 3 && gf_slice_cut(&depth, '/', &folder); i++)
        if (gf_slice_is(depth, "requires.txt")) return gf_slice_ends(folder, GF_S(".egg-info")) ? PART_REQUIRES : PARTS;
    return PARTS;
}

/* Where the text of this member goes; NULL: it is none of the parts, or not the first. */
static struct gf_buf *place_for(struct found *f, gf_slice path)
{
    gf_slice top;
    if (!gf_slice_cut(&path, '/', &top)) return NULL;
    src_build_note(&f->build, path);
    enum part part = part_of(path);
    if (part == PARTS || f->has[part]) return NULL;
    f->has[part] = true;
    return &f->text[part];
}

static gf_slice text_of(const struct found *f, enum part part) { return f->has[part] ? gf_buf_slice(&f->text[part]) : GF_NONE; }

static int search_tar(struct gf_reader *r, struct found *f, struct gf_err *err)
{
    struct arc_tar *t = NULL;
    const struct arc_entry *e = NULL;
    int rc = arc_tar_open(r, UNPACKED_MOST, &t, err);
    if (rc) return rc;
    while ((rc = arc_tar_next(t, &e, err)) > 0) {
        struct gf_buf *into = e->kind == ARC_FILE ? place_for(f, gf_slice_of(e->path)) : NULL;
        if (into && (rc = arc_tar_read_all(t, into, err)) < 0) break;
    }
    arc_tar_close(t);
    return rc < 0 ? -1 : 0;
}

static int search_zip(struct gf_reader *r, struct found *f, struct gf_err *err)
{
    struct arc_zip *z = NULL;
    int rc = arc_zip_open(r, &z, err);
    for (size_t i = 0; !rc && i < arc_zip_count(z); i++) {
        const struct arc_zip_member *m = arc_zip_get(z, i);
        struct gf_buf *into = place_for(f, gf_slice_of(m->name));
        if (into) rc = arc_zip_read(z, m, into, err);
    }
    arc_zip_free(z);
    return rc;
}

int src_metadata_of_sdist(struct gf_reader *r, const char *filename, struct gf_buf *ret, struct gf_err *err)
{
    struct found f = { .has = { false } };
    gf_names_init(&f.build.top);
    for (size_t i = 0; i < PARTS; i++) gf_buf_init(&f.text[i], GF_CAP_METADATA);
    bool zip = gf_slice_ends(gf_slice_of(filename), GF_S(".zip"));
    int rc = zip ? search_zip(r, &f, err) : search_tar(r, &f, err);
    if (!rc && !f.has[PART_PKG_INFO])
        rc = gf_fail(err, GF_E_PARSE, "'%s' holds no PKG-INFO: what it requires cannot be known without running it", r->label);
    f.build.pyproject = text_of(&f, PART_PYPROJECT);
    f.build.setup_py = text_of(&f, PART_SETUP_PY);
    if (!rc) src_metadata_join(text_of(&f, PART_PKG_INFO), text_of(&f, PART_REQUIRES), ret);
    if (!rc) src_build_describe(&f.build, ret);
    for (size_t i = 0; i < PARTS; i++) gf_buf_release(&f.text[i]);
    gf_names_release(&f.build.top);
    return rc;
}
