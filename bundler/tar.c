/* ustar headers with pax records where a field is too small: POSIX.1-2017, pax, "ustar Interchange Format". */
#include "bundler/tar.h"
#include "base/file.h"
#include <stdio.h>

#define MEMBERS_MOST 1000000u
#define RECORDS_MOST (64u << 10) /* bytes of one pax or long name header */

struct ustar {
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type, link[100], magic[6], version[2], user[32], group[32], major[8],
        minor[8], prefix[155], pad[12];
};
_Static_assert(sizeof(struct ustar) == BND_TAR_BLOCK, "a ustar header is one block");

static void octal(char *field, size_t n, uint64_t v)
{
    field[n - 1] = '\0';
    for (size_t i = n - 1; i--; v /= 8) field[i] = (char)('0' + v % 8);
}

static bool octal_read(const char *field, size_t n, uint64_t *ret)
{
    uint64_t v = 0;
    size_t i = 0;
    while (i < n && field[i] == ' ') i++;
    size_t from = i;
    for (; i < n && field[i] >= '0' && field[i] <= '7'; i++) {
        if (v >> 60) return false;
        v = v * 8 + (uint64_t)(field[i] - '0');
    }
    if (i == from) return false;
    for (; i < n; i++)
        if (field[i] != '\0' && field[i] != ' ') return false;
    *ret = v;
    return true;
}

static uint64_t sum_of(const struct ustar *h)
{
    const unsigned char *p = (const unsigned char *)h;
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof *h; i++) sum += i >= offsetof(struct ustar, sum) && i < offsetof(struct ustar, type) ? ' ' : p[i];
    return sum;
}

static void finish_header(struct ustar *h, char type, uint64_t size, unsigned mode, int64_t mtime)
{
    octal(h->mode, sizeof h->mode, mode);
    octal(h->uid, sizeof h->uid, 0);
    octal(h->gid, sizeof h->gid, 0);
    octal(h->size, sizeof h->size, size);
    octal(h->mtime, sizeof h->mtime, mtime < 0 ? 0 : (uint64_t)mtime);
    h->type = type;
    memcpy(h->magic, "ustar", 6);
    memcpy(h->version, "00", 2);
    octal(h->major, sizeof h->major, 0);
    octal(h->minor, sizeof h->minor, 0);
    octal(h->sum, 7, sum_of(h));
    h->sum[7] = ' ';
}

/* "LENGTH key=value\n" where LENGTH counts itself. */
static size_t pax_record(char *out, size_t cap, const char *key, const char *value)
{
    size_t body = strlen(key) + strlen(value) + 3, n = body + 1;
    for (size_t digits = 1, ten = 10; digits < 8; digits++, ten *= 10) {
        n = body + digits;
        if (n < ten) break;
    }
    snprintf(out, cap, "%zu %s=%s\n", n, key, value);
    return n;
}

static bool fits_name(struct ustar *h, gf_slice path)
{
    if (path.n <= sizeof h->name) {
        memcpy(h->name, path.p, path.n);
        return true;
    }
    for (size_t cut = path.n - 1; cut-- > 0;)
        if (path.p[cut] == '/' && cut <= sizeof h->prefix && path.n - cut - 1 <= sizeof h->name) {
            memcpy(h->prefix, path.p, cut);
            memcpy(h->name, path.p + cut + 1, path.n - cut - 1);
            return true;
        }
    return false;
}

size_t bnd_tar_header(const char *path, uint64_t size, unsigned mode, int64_t mtime, unsigned char out[BND_TAR_HEADER_MAX])
{
    memset(out, 0, BND_TAR_HEADER_MAX);
    struct ustar h = { .type = 0 };
    char records[BND_TAR_HEADER_MAX - 2 * BND_TAR_BLOCK], digits[24];
    size_t n = 0, at = 0;
    bool large = size >= (uint64_t)1 << 33; /* 11 octal digits */
    if (!fits_name(&h, gf_slice_of(path))) {
        n += pax_record(records, sizeof records, "path", path);
        memcpy(h.name, path, sizeof h.name);
    }
    if (large) {
        snprintf(digits, sizeof digits, "%llu", (unsigned long long)size);
        n += pax_record(records + n, sizeof records - n, "size", digits);
    }
    if (n) {
        struct ustar x = { .type = 0 };
        snprintf(x.name, sizeof x.name, "PaxHeaders/%.80s", path);
        finish_header(&x, 'x', n, 0644, mtime);
        memcpy(out, &x, sizeof x);
        memcpy(out + BND_TAR_BLOCK, records, n);
        at = BND_TAR_BLOCK + (size_t)bnd_tar_padded(n);
    }
    finish_header(&h, '0', large ? 0 : size, mode, mtime);
    memcpy(out + at, &h, sizeof h);
    return at + BND_TAR_BLOCK;
}

/* ---- reading ---- */

void bnd_tar_reader_init(struct bnd_tar_reader *t, struct gf_reader *r)
{
    *t = (struct bnd_tar_reader){ .r = r };
    gf_buf_init(&t->path, GF_CAP_PATH);
    gf_buf_init(&t->long_path, RECORDS_MOST);
}

void bnd_tar_reader_release(struct bnd_tar_reader *t)
{
    gf_buf_release(&t->path);
    gf_buf_release(&t->long_path);
}

static int damaged(const struct bnd_tar_reader *t, uint64_t at, const char *what, struct gf_err *err)
{
    if (!t->path.n) return gf_fail(err, GF_E_INTEGRITY, "'%s' is not a bundle: %s at byte %llu", t->r->label, what, (unsigned long long)at);
    return gf_fail(err, GF_E_INTEGRITY, "'%s' is damaged: %s at byte %llu, behind the member '%s'", t->r->label, what, (unsigned long long)at,
                   gf_buf_str(&t->path));
}

static bool all_zero(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i]) return false;
    return true;
}

static int only_zeros(struct bnd_tar_reader *t, uint64_t from, uint64_t to, const char *what, struct gf_err *err)
{
    char chunk[4096];
    while (from < to) {
        size_t n = to - from < sizeof chunk ? (size_t)(to - from) : sizeof chunk;
        if (t->r->pread(t->r, from, chunk, n, err)) return -1;
        if (!all_zero(chunk, n)) return damaged(t, from, what, err);
        from += n;
    }
    return 0;
}

/* Values of "path" and "size" out of pax records. */
static bool read_records(gf_slice text, struct gf_buf *path, bool *ret_has_size, uint64_t *ret_size)
{
    while (text.n) {
        gf_slice at = text;
        uint64_t n = gf_take_u64(&at);
        if (!gf_take_char(&at, ' ') || n > text.n || n < 5 || text.p[n - 1] != '\n') return false;
        gf_slice record = gf_slice_n(at.p, (size_t)n - 1 - (size_t)(at.p - text.p)), key;
        if ((size_t)(at.p - text.p) > n - 1 || !gf_slice_cut(&record, '=', &key)) return false;
        if (gf_slice_is(key, "path")) {
            gf_buf_clear(path);
            gf_buf_addsl(path, record);
        } else if (gf_slice_is(key, "size")) {
            if (!gf_slice_u64(record, ret_size)) return false;
            *ret_has_size = true;
        }
        text = gf_slice_from(text, (size_t)n);
    }
    return true;
}

struct extended { /* what headers before the file's own say about it */
    bool has_size, has_path;
    uint64_t size;
};

static int read_extension(struct bnd_tar_reader *t, char type, uint64_t size, struct extended *x, struct gf_err *err)
{
    if (size > RECORDS_MOST || size > t->r->size - t->at) return damaged(t, t->at, "a header that is too long", err);
    GF_FREE char *text = gf_xmalloc((size_t)size + 1);
    if (t->r->pread(t->r, t->at, text, (size_t)size, err)) return -1;
    bool ok = true;
    if (type == 'L') {
        gf_buf_clear(&t->long_path);
        gf_buf_add(&t->long_path, text, strnlen(text, (size_t)size));
        x->has_path = true;
    } else if (type == 'x') {
        gf_buf_clear(&t->long_path);
        ok = read_records(gf_slice_n(text, (size_t)size), &t->long_path, &x->has_size, &x->size);
        x->has_path = x->has_path || t->long_path.n > 0;
    }
    if (!ok) return damaged(t, t->at, "a pax record that cannot be read", err);
    if (only_zeros(t, t->at + size, t->at + bnd_tar_padded(size), "padding that is not zero", err)) return -1;
    t->at += bnd_tar_padded(size);
    return 0;
}

static void take_path(struct bnd_tar_reader *t, const struct ustar *h, const struct extended *x)
{
    gf_buf_clear(&t->path);
    if (x->has_path) gf_buf_addsl(&t->path, gf_buf_slice(&t->long_path));
    else {
        size_t prefix = memcmp(h->magic, "ustar\0", 6) == 0 ? strnlen(h->prefix, sizeof h->prefix) : 0;
        gf_buf_add(&t->path, h->prefix, prefix);
        if (prefix) gf_buf_addc(&t->path, '/');
        gf_buf_add(&t->path, h->name, strnlen(h->name, sizeof h->name));
    }
}

static int finish_member(struct bnd_tar_reader *t, const struct ustar *h, uint64_t size, uint64_t header, struct bnd_tar_member *ret, struct gf_err *err)
{
    gf_slice path = gf_buf_slice(&t->path);
    bool folder = h->type == '5';
    if (h->type != '0' && h->type != '\0' && !folder)
        return gf_fail(err, GF_E_INTEGRITY, "'%s': the member '%.*s' is a link or a device (type '%c'), bundles hold plain files only", t->r->label,
                       GF_FMT(path), h->type >= 32 && h->type < 127 ? h->type : '?');
    while (gf_try_lit(&path, GF_S("./"))) {}
    if (folder && gf_slice_ends(path, GF_S("/"))) path.n--;
    if (gf_buf_failed(&t->path) || (!(folder && (path.n == 0 || gf_slice_is(path, "."))) && !gf_path_safe(path)))
        return gf_fail(err, GF_E_INTEGRITY, "'%s': the member '%.*s' at byte %llu has a path that bundles may not have", t->r->label, GF_FMT(path),
                       (unsigned long long)header);
    if (folder) size = 0;
    if (size > t->r->size - t->at)
        return gf_fail(err, GF_E_INTEGRITY, "'%s' was cut short: the member '%.*s' should have %llu bytes, %llu are left", t->r->label, GF_FMT(path),
                       (unsigned long long)size, (unsigned long long)(t->r->size - t->at));
    if (t->r->size - t->at < bnd_tar_padded(size)) return damaged(t, t->at + size, "the padding is missing", err);
    if (only_zeros(t, t->at + size, t->at + bnd_tar_padded(size), "padding that is not zero", err)) return -1;
    GF_FREE char *clean = gf_xstrndup(path);
    gf_buf_clear(&t->path);
    gf_buf_adds(&t->path, clean);
    *ret = (struct bnd_tar_member){ gf_buf_str(&t->path), size, t->at, folder };
    t->at += bnd_tar_padded(size);
    return 1;
}

static int at_end(struct bnd_tar_reader *t, struct gf_err *err)
{
    if (t->r->size - t->at < BND_TAR_BLOCK) return damaged(t, t->at, "the end is missing", err);
    if (only_zeros(t, t->at, t->r->size, "bytes behind the end", err)) return -1;
    return 0;
}

int bnd_tar_next(struct bnd_tar_reader *t, struct bnd_tar_member *ret, struct gf_err *err)
{
    struct extended x = { .has_size = false };
    for (;;) {
        struct ustar h;
        uint64_t header = t->at, sum, size;
        if (++t->members > MEMBERS_MOST) return damaged(t, header, "more members than a bundle may have", err);
        if (t->r->size < header || t->r->size - header < BND_TAR_BLOCK) return damaged(t, header, "the file ends where a header should be", err);
        if (t->r->pread(t->r, header, &h, sizeof h, err)) return -1;
        t->at += BND_TAR_BLOCK;
        if (all_zero((const char *)&h, sizeof h)) return at_end(t, err);
        if (!octal_read(h.sum, sizeof h.sum, &sum) || sum != sum_of(&h) || memcmp(h.magic, "ustar", 5) != 0 || !octal_read(h.size, sizeof h.size, &size))
            return damaged(t, header, "a header whose check sum is wrong", err);
        if (h.type == 'x' || h.type == 'L' || h.type == 'g') {
            if (read_extension(t, h.type, size, &x, err)) return -1;
            continue;
        }
        take_path(t, &h, &x);
        return finish_member(t, &h, x.has_size ? x.size : size, header, ret, err);
    }
}
