#include "bundler/items.h"
#include "base/file.h"
#include "bundler/bundle.h"
#include "fetch/client.h"
#include "python/wheel.h"
#include <time.h>

static const int64_t NO_DATE = 1767225600; /* 2026-01-01: nothing older is bundled, and tar warns of 1970 */

static const struct mdl_lock_source *source_by_id(const struct mdl_lock *l, const char *id)
{
    for (size_t i = 0; i < l->nsources; i++)
        if (strcmp(l->sources[i].id, id) == 0) return &l->sources[i];
    return NULL;
}

static char *as_url(struct gf_arena *a, const char *base)
{
    struct gf_buf url;
    gf_buf_init(&url, 4 * GF_CAP_PATH);
    if (base[0] == '/') gf_buf_adds(&url, "file://");
    for (const char *c = base; *c; c++) {
        if (base[0] == '/' && strchr("%?# ", *c)) gf_buf_addf(&url, "%%%02X", (unsigned)(unsigned char)*c);
        else gf_buf_addc(&url, *c);
    }
    char *copy = gf_arena_str(a, gf_buf_slice(&url));
    gf_buf_release(&url);
    return copy;
}

static int resolve(struct mdl_lock *l, const char *source, const char *path, const char *file, const char **ret, struct gf_err *err)
{
    const struct mdl_lock_source *s = source_by_id(l, source);
    if (!s) return gf_fail(err, GF_E_PARSE, "the lock says that '%s' comes from the source '%s', which it does not list; run 'gpuferry plan' again", file, source);
    const char *base = as_url(&l->mem, s->base);
    size_t n = strlen(base);
    if (!n || base[n - 1] != '/') base = gf_arena_printf(&l->mem, "%s/", base);
    GF_FREE char *url = net_url_join(base, path[0] == '/' ? as_url(&l->mem, path) : path);
    if (!url) return gf_fail(err, GF_E_PARSE, "the lock gives no address that can be fetched for '%s': \"%s\" at the source '%s'", file, path, source);
    *ret = gf_arena_strz(&l->mem, url);
    return 0;
}

bool bnd_is_installer(const struct mdl_lock_python *p)
{
    for (size_t i = 0; i < p->required_by.n; i++)
        if (strcmp(p->required_by.v[i], BND_INSTALLER) == 0) return p->required_by.n == 1;
    return false;
}

const char *bnd_file_of(struct gf_arena *a, const struct mdl_lock_python *p) { return py_wheel_plain_name(a, gf_slice_of(p->file)); }

/* A wheel that builds for one target and is installed on another is packed once, for all. */
static bool is_installed_elsewhere(struct bnd_items *items, const char *file)
{
    for (size_t i = 0; i < items->list.n; i++)
        if (strcmp(items->list.v[i].file, file) == 0) {
            items->list.v[i].targets = (struct mdl_strings){ NULL, 0 };
            return true;
        }
    return false;
}

void bnd_items_completed(struct mdl_lock *l)
{
    for (size_t i = 0; i < l->nbuild; i++)
        for (size_t k = 0; k < l->npython; k++)
            if (strcmp(l->build[i].file, l->python[k].file) == 0) l->build[i].sha256 = l->python[k].sha256, l->build[i].size = l->python[k].size;
}

static int add_distribution(struct mdl_lock *l, struct mdl_lock_python *p, bool installer, struct bnd_items *items, struct gf_err *err)
{
    struct bnd_item it = { .name = p->name, .version = p->version, .folder = "python", .file = bnd_file_of(&l->mem, p), .sha256 = &p->sha256, .size = &p->size, .installer = installer,
                           .targets = p->targets };
    struct py_wheel w;
    py_wheel_parse_variant(&l->mem, gf_slice_of(p->file), &w, &it.label);
    if (resolve(l, p->source, p->path, p->file, &it.url, err)) return -1;
    gf_vec_push(&items->list, it);
    return 0;
}

static int add_python(struct mdl_lock *l, struct bnd_items *items, struct gf_err *err)
{
    for (size_t i = 0; i < l->npython; i++)
        if (add_distribution(l, &l->python[i], bnd_is_installer(&l->python[i]) && !l->python[i].nalso, items, err)) return -1;
    for (size_t i = 0; i < l->nbuild; i++)
        if (!is_installed_elsewhere(items, l->build[i].file) && add_distribution(l, &l->build[i], true, items, err)) return -1;
    return 0;
}

static int add_files(struct mdl_lock *l, struct mdl_lock_file *files, size_t n, const char *folder, struct bnd_items *items, struct gf_err *err)
{
    for (size_t i = 0; i < n; i++) {
        struct mdl_lock_file *f = &files[i];
        gf_slice path = gf_slice_of(f->path);
        ptrdiff_t end = gf_slice_chr(path, '?'), slash;
        if (end >= 0) path.n = (size_t)end;
        slash = gf_slice_rchr(path, '/');
        gf_slice name = gf_slice_from(path, (size_t)(slash + 1));
        for (size_t k = 0; k < name.n; k++)
            if (!gf_is_alnum((unsigned char)name.p[k]) && !strchr("._-+~%", name.p[k])) name.n = 0;
        if (!gf_path_safe(name) || name.p[0] == '-')
            return gf_fail(err, GF_E_PARSE, "the lock gives '%s' the path \"%s\", whose last part is no safe file name", f->name, f->path);
        struct bnd_item it = { .name = f->name, .version = f->version, .folder = folder, .file = gf_arena_str(&l->mem, name), .sha256 = &f->sha256, .size = &f->size, .targets = f->targets };
        if (resolve(l, f->source, f->path, it.file, &it.url, err)) return -1;
        gf_vec_push(&items->list, it);
    }
    return 0;
}

int bnd_items_of(struct mdl_lock *lock, struct bnd_items *ret, struct gf_err *err)
{
    struct bnd_items items = { .list = { .v = NULL } };
    if (add_python(lock, &items, err) || add_files(lock, lock->os, lock->nos, "os", &items, err) ||
        add_files(lock, lock->files, lock->nfiles, "vendor", &items, err)) {
        bnd_items_release(&items);
        return -1;
    }
    *ret = items;
    return 0;
}

void bnd_items_release(struct bnd_items *items) { gf_vec_free(&items->list); }

/* "2026-12-01" with or without "T10:20:30Z" behind it; -1 otherwise. */
static int64_t read_date(gf_slice s)
{
    struct tm t = { .tm_year = 0 };
    t.tm_year = (int)(gf_take_u64(&s) % 10000) - 1900;
    gf_take_char(&s, '-');
    t.tm_mon = (int)(gf_take_u64(&s) % 100) - 1;
    gf_take_char(&s, '-');
    t.tm_mday = (int)(gf_take_u64(&s) % 100);
    if (s.p && gf_try_char(&s, 'T')) {
        t.tm_hour = (int)(gf_take_u64(&s) % 100);
        gf_take_char(&s, ':');
        t.tm_min = (int)(gf_take_u64(&s) % 100);
        gf_take_char(&s, ':');
        t.tm_sec = (int)(gf_take_u64(&s) % 100);
    }
    return s.p ? (int64_t)timegm(&t) : -1;
}

int64_t bnd_time_of(const struct mdl_lock *lock)
{
    uint64_t epoch;
    if (gf_slice_u64(gf_slice_of(getenv("SOURCE_DATE_EPOCH")), &epoch) && epoch < (uint64_t)1 << 33) return (int64_t)epoch;
    int64_t youngest = -1;
    for (size_t i = 0; i < lock->nsources; i++) {
        int64_t at = lock->sources[i].as_of ? read_date(gf_slice_of(lock->sources[i].as_of)) : -1;
        if (at > youngest) youngest = at;
    }
    return youngest >= 0 ? youngest : NO_DATE;
}
