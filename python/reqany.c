/* Requirements that are a URL or a path instead of a name. */
#include "python/reqfile.h"
#include "base/digest.h"
#include "python/wheel.h"

static const gf_slice ARCHIVES[] = { { ".whl", 4 }, { ".tar.gz", 7 }, { ".zip", 4 }, { ".tar.bz2", 8 }, { ".tgz", 4 }, { ".tar.xz", 7 } };

static bool is_archive(gf_slice path)
{
    for (size_t i = 0; i < sizeof ARCHIVES / sizeof *ARCHIVES; i++)
        if (gf_slice_ends(path, ARCHIVES[i])) return true;
    return false;
}

static bool is_vcs(gf_slice s)
{
    static const char *const kinds[] = { "git+", "hg+", "svn+", "bzr+" };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (gf_slice_starts(s, gf_slice_of(kinds[i]))) return true;
    return false;
}

/* The name before any "@" would make it a PEP 508 requirement. */
static bool looks_like_place(gf_slice s)
{
    size_t n = 0;
    while (n < s.n && !gf_is_space((unsigned char)s.p[n]) && s.p[n] != '[' && s.p[n] != ';' && s.p[n] != '@') n++;
    gf_slice head = gf_slice_sub(s, 0, n);
    return gf_slice_find(head, GF_S("://")) > 0 || gf_slice_chr(head, '/') >= 0 || gf_slice_starts(head, GF_S(".")) || is_archive(head);
}

static gf_slice file_name(gf_slice place)
{
    gf_slice path, rest = place;
    gf_slice_cut(&rest, '#', &path);
    rest = path;
    gf_slice_cut(&rest, '?', &path);
    return gf_slice_from(path, (size_t)(gf_slice_rchr(path, '/') + 1));
}

static gf_slice egg_of(gf_slice place)
{
    gf_slice head, fragment = place, item;
    if (!gf_slice_cut(&fragment, '#', &head)) return GF_NONE;
    while (gf_slice_field(&fragment, '&', &item))
        if (gf_try_lit(&item, GF_S("egg="))) {
            size_t n = 0;
            while (n < item.n && item.p[n] != '[') n++;
            return gf_slice_sub(item, 0, n);
        }
    return GF_NONE;
}

/* "%2B" in the last part of a URL means "+". */
static gf_slice unquote(struct gf_arena *a, gf_slice s)
{
    char *out = gf_arena_str(a, s), *o = out;
    unsigned char byte;
    for (size_t i = 0; i < s.n; i++) {
        bool code = s.p[i] == '%' && s.n - i > 2 && gf_unhex(gf_slice_sub(s, i + 1, 2), &byte, 1) && byte >= ' ';
        *o++ = code ? (char)byte : s.p[i];
        i += code ? 2 : 0;
    }
    return gf_slice_n(out, (size_t)(o - out));
}

static const char *name_of_place(struct gf_arena *a, gf_slice place)
{
    struct py_wheel w;
    struct py_version v;
    gf_slice egg = egg_of(place), file = unquote(a, file_name(place));
    if (egg.p && py_name_valid(egg)) return py_name_normalize(a, egg);
    if (py_wheel_parse(a, file, &w)) return w.name;
    if (!gf_slice_ends(file, GF_S(".whl")) && py_sdist_parse(a, file, GF_NONE, &v))
        return py_name_normalize(a, gf_slice_sub(file, 0, (size_t)gf_slice_rchr(file, '-')));
    return NULL;
}

static int refuse_place(struct gf_err *err, gf_slice place)
{
    if (is_vcs(place))
        return gf_fail(err, GF_E_USAGE, "'%.*s' is a version control URL: what it gives is no file with a digest; name a wheel or source archive instead", GF_FMT(place));
    if (!is_archive(file_name(place)))
        return gf_fail(err, GF_E_USAGE, "'%.*s' is no wheel or source archive (.whl, .tar.gz, .zip): build a wheel of that folder first and name it", GF_FMT(place));
    return gf_fail(err, GF_E_USAGE, "'%.*s': its file name does not tell name and version, write NAME @ URL", GF_FMT(place));
}

/* The place ends where extras or a marker begin: "[" behind the archive's name, ";" behind a blank (of a path: anywhere). */
static size_t place_length(gf_slice s)
{
    bool url = gf_slice_find(s, GF_S("://")) > 0;
    for (size_t i = 0; i < s.n; i++) {
        if (gf_is_space((unsigned char)s.p[i]) || (s.p[i] == ';' && !url)) return i;
        if (s.p[i] == '[' && is_archive(file_name(gf_slice_sub(s, 0, i)))) return i;
    }
    return s.n;
}

int py_req_parse_any(struct gf_arena *a, gf_slice text, struct py_req *ret, struct gf_err *err)
{
    text = gf_slice_trim(text);
    if (!looks_like_place(text)) {
        if (py_req_parse(a, text, false, ret, err)) return -1;
        return ret->url && is_vcs(gf_slice_of(ret->url)) ? refuse_place(err, gf_slice_of(ret->url)) : 0;
    }
    gf_slice place = gf_slice_sub(text, 0, place_length(text)), rest = gf_slice_from(text, place.n);
    const char *name = is_vcs(place) || !is_archive(file_name(place)) ? NULL : name_of_place(a, place);
    if (!name) return refuse_place(err, place);
    struct py_req r;
    if (py_req_parse(a, gf_slice_of(gf_arena_printf(a, "%s%.*s", name, GF_FMT(rest))), false, &r, err)) return gf_wrap(err, "behind '%.*s'", GF_FMT(place));
    if (r.specs.n) return gf_fail(err, GF_E_PARSE, "'%.*s': a version cannot be asked for behind a URL or path", GF_FMT(text));
    r.url = gf_arena_str(a, place);
    r.text = gf_arena_str(a, text);
    *ret = r;
    return 0;
}
