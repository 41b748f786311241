/* The sources of a plan: what pip is set up with, what the command line says, and the vendors' indexes that the data knows. */
#include "cli/planning.h"
#include "base/file.h"
#include <time.h>

typedef GF_VEC(struct src_index) index_list;

/* "2026-01-31" or "2026-01-31T12:00:00Z" → unix seconds; a bare date means its end (UTC), as in uv. */
static bool parse_date(gf_slice text, int64_t *ret)
{
    struct tm t = { 0 };
    bool whole_day = true;
    t.tm_year = (int)gf_take_u64(&text) - 1900;
    gf_take_char(&text, '-');
    t.tm_mon = (int)gf_take_u64(&text) - 1;
    gf_take_char(&text, '-');
    t.tm_mday = (int)gf_take_u64(&text);
    if (text.p && (gf_try_char(&text, 'T') || gf_try_char(&text, ' '))) {
        whole_day = false;
        t.tm_hour = (int)gf_take_u64(&text);
        gf_take_char(&text, ':');
        t.tm_min = (int)gf_take_u64(&text);
        if (gf_try_char(&text, ':')) t.tm_sec = (int)gf_take_u64(&text);
        gf_try_char(&text, 'Z');
    }
    if (!text.p || text.n || t.tm_mon < 0 || t.tm_mon > 11 || t.tm_mday < 1 || t.tm_mday > 31) return false;
    *ret = (int64_t)timegm(&t) + (whole_day ? 86400 - 1 : 0);
    return true;
}

/* Is the source named by --sources: its id, or the part before the first dash ("pytorch" for "pytorch-cu126"). */
static bool wanted(const char *list, const char *id)
{
    gf_slice rest = gf_slice_of(list), one;
    while (list && gf_slice_field(&rest, ',', &one)) {
        one = gf_slice_trim(one);
        if (gf_slice_is(one, id)) return true;
        if (gf_slice_starts(gf_slice_of(id), one) && id[one.n] == '-') return true;
    }
    return !list;
}

static void add_index(index_list *list, const struct opt_sources *o, struct src_index index)
{
    if (wanted(o->sources, index.id)) gf_vec_push(list, index);
}

static bool is_cuda_variant(const char *v) { return strncmp(v, "cu", 2) == 0 && gf_is_digit((unsigned char)v[2]); }

/* Could a build of this variant run on the target at all: the others are not asked for. */
static bool variant_possible(struct gf_arena *a, struct mtx *m, const struct tgt_target *t, const char *variant)
{
    const struct mdl_profile *f = t->profile;
    const char *accelerator = f->accelerator ? f->accelerator : "cuda", *os = f->os_id && strcmp(f->os_id, "windows") == 0 ? "windows" : "linux";
    if (!variant) return true;
    if (strcmp(accelerator, "any") == 0) return false;
    if (strcmp(accelerator, "cpu") == 0 || strcmp(accelerator, "rocm") == 0) return strncmp(variant, accelerator, strlen(accelerator)) == 0;
    if (!is_cuda_variant(variant)) return false;
    const char *cuda = mtx_variant_cuda(a, gf_slice_of(variant));
    if (!cuda || t->driver != TGT_DRIVER_KEEP || !f->driver_version) return cuda != NULL;
    return mtx_driver_runs_cuda(m, os, gf_slice_of(f->driver_version), gf_slice_of(cuda)).value != PY_NO;
}

static void add_vendors(struct gf_arena *a, struct mtx *m, const struct tgt_target *t, const struct opt_sources *o, index_list *list)
{
    const struct mtx_route *routes = NULL;
    size_t n = mtx_routes(m, &routes);
    for (size_t i = 0; i < n; i++) {
        bool named = o->sources && wanted(o->sources, routes[i].id);
        if (!named && !variant_possible(a, m, t, routes[i].variant)) continue;
        add_index(list, o, (struct src_index){ .id = routes[i].id, .kind = SRC_SIMPLE, .url = opt_mirror_of(a, routes[i].id, routes[i].url), .variant = routes[i].variant,
                                               .routes = routes[i].packages, .nroutes = routes[i].npackages, .vendor = true });
    }
}

/* GPUFERRY_MIRROR_PYTORCH=https://mirror/whl stands for the part of the vendor's URLs before the variant. */
const char *opt_mirror_of(struct gf_arena *a, const char *id, const char *url)
{
    gf_slice rest = gf_slice_of(id), family;
    gf_slice_cut(&rest, '-', &family);
    char *name = gf_arena_printf(a, "GPUFERRY_MIRROR_%.*s", GF_FMT(family));
    for (char *c = name; *c; c++)
        if (*c >= 'a' && *c <= 'z') *c = (char)(*c - 32);
    const char *mirror = getenv(name);
    if (!mirror || !*mirror) return url;
    gf_slice whole = gf_slice_of(url), base = gf_slice_of(mirror);
    while (gf_slice_ends(whole, GF_S("/"))) whole.n--;
    while (gf_slice_ends(base, GF_S("/"))) base.n--;
    ptrdiff_t cut = gf_slice_rchr(whole, '/');
    gf_slice variant = gf_slice_from(whole, (size_t)(cut + 1));
    return gf_arena_printf(a, "%.*s/%.*s/", GF_FMT(base), GF_FMT(variant));
}

static int add_configured(struct gf_arena *a, const struct opt_sources *o, const char *cache_dir, index_list *list, struct gf_err *err)
{
    struct src_pipconf pip = { .no_index = true };
    bool need_pip = !o->no_index && wanted(o->sources, "default") && !o->index_url;
    if (need_pip && src_pipconf_read(a, cache_dir, &pip, err)) return -1;
    const char *index_url = o->index_url ? o->index_url : pip.index_url;
    for (size_t i = 0; i < o->find_links.n; i++)
        if (!strstr(o->find_links.v[i], "://") && !gf_path_exists(o->find_links.v[i]))
            return gf_fail(err, GF_E_IO, "--find-links '%s': there is no such folder or page", o->find_links.v[i]);
    for (size_t i = 0; i < o->find_links.n; i++)
        add_index(list, o, (struct src_index){ .id = gf_arena_printf(a, "links-%zu", i + 1), .kind = SRC_FIND_LINKS, .url = o->find_links.v[i] });
    for (size_t i = 0; need_pip && i < pip.nfind_links; i++)
        if (strstr(pip.find_links[i], "://") || gf_path_exists(pip.find_links[i]))
            add_index(list, o, (struct src_index){ .id = gf_arena_printf(a, "pip-links-%zu", i + 1), .kind = SRC_FIND_LINKS, .url = pip.find_links[i] });
    for (size_t i = 0; !o->no_index && i < o->extra_index_urls.n; i++)
        add_index(list, o, (struct src_index){ .id = gf_arena_printf(a, "extra-%zu", i + 1), .url = o->extra_index_urls.v[i] });
    for (size_t i = 0; need_pip && i < pip.nextra; i++)
        add_index(list, o, (struct src_index){ .id = gf_arena_printf(a, "pip-extra-%zu", i + 1), .url = pip.extra_index_urls[i] });
    if (index_url && !o->no_index && !(need_pip && pip.no_index)) add_index(list, o, (struct src_index){ .id = "default", .url = index_url, .files_url = o->index_url ? NULL : pip.files_url });
    return 0;
}

/* Each direct reference is a source of its own, the only one for its name. */
static void add_direct(struct gf_arena *a, const struct py_req *requests, size_t n, index_list *list)
{
    for (size_t i = 0; i < n; i++) {
        if (!requests[i].url) continue;
        const char **names = GF_NEW_ARRAY(a, const char *, 1);
        names[0] = requests[i].name;
        gf_vec_push(list, (struct src_index){ .id = gf_arena_printf(a, "direct-%s", requests[i].name), .kind = SRC_DIRECT, .url = requests[i].url, .routes = names, .nroutes = 1 });
    }
}

int opt_sources_config(struct gf_arena *a, struct mtx *m, const struct tgt_target *t, const struct opt_common *common, const struct opt_sources *o,
                       const struct py_req *requests, size_t nrequests, struct src_config *ret, struct gf_err *err)
{
    *ret = (struct src_config){ .exclude_newer = INT64_MAX, .offline = common->offline, .refresh = o->refresh, .log = out_log() };
    if (o->exclude_newer && !parse_date(gf_slice_of(o->exclude_newer), &ret->exclude_newer))
        return gf_fail(err, GF_E_USAGE, "--exclude-newer '%s' is not a date: YYYY-MM-DD, or YYYY-MM-DDTHH:MM:SSZ", o->exclude_newer);
    GF_FREE char *cache = gf_cache_dir();
    ret->cache_dir = gf_arena_strz(a, cache);
    index_list list = { 0 };
    if (add_configured(a, o, ret->cache_dir, &list, err)) {
        gf_vec_free(&list);
        return -1;
    }
    if (!o->no_index) add_vendors(a, m, t, o, &list);
    add_direct(a, requests, nrequests, &list);
    ret->nindexes = list.n;
    ret->indexes = list.n ? gf_arena_memdup(a, list.v, list.n * sizeof *list.v) : NULL;
    gf_vec_free(&list);
    if (ret->nindexes == 0)
        return gf_fail(err, GF_E_USAGE, o->sources ? "--sources '%s' names no source there is; 'gpuferry matrix show sources' lists the vendors', the others are default, extra-N, links-N"
                                                   : "no source is left to take candidates from%s: give --index-url or --find-links", o->sources ? o->sources : "");
    return 0;
}
