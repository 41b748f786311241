/* The directory of a zip archive: APPNOTE.TXT 6.3.10, sections 4.3.12 to 4.3.16 and 4.5.3. */
#include "archive/zip.h"
#include "archive/zip_private.h"
#include "base/file.h"
#include <stdlib.h>

#define END_SIZE 22u
#define LOCATOR_SIZE 20u
#define END64_SIZE 56u
#define ENTRY_SIZE 46u
#define COMMENT_MOST 65535u
#define FIRST_LOOK 1024u

#define SIG_ENTRY 0x02014b50u
#define SIG_END 0x06054b50u
#define SIG_LOCATOR 0x07064b50u
#define SIG_END64 0x06064b50u

struct directory {
    uint64_t offset, size, count;
    uint64_t end; /* what comes behind the directory begins here */
};

static int not_zip(const struct arc_zip *z, const char *why, struct gf_err *err)
{
    return gf_fail(err, GF_E_PARSE, "'%s' is not a sound zip archive: %s", z->reader->label, why);
}

/* The last place in tail where an end record begins that reaches exactly to the end; -1 none. */
static ptrdiff_t find_end(const unsigned char *tail, size_t n)
{
    for (size_t i = n < END_SIZE ? 0 : n - END_SIZE + 1; i-- > 0;)
        if (arc_u32(tail + i) == SIG_END && arc_u16(tail + i + 20) == n - i - END_SIZE) return (ptrdiff_t)i;
    return -1;
}

static int read_end64(struct arc_zip *z, uint64_t end_at, struct directory *d, struct gf_err *err)
{
    unsigned char b[END64_SIZE];
    if (end_at < LOCATOR_SIZE + END64_SIZE) return not_zip(z, "its zip64 records are missing", err);
    if (z->reader->pread(z->reader, end_at - LOCATOR_SIZE, b, LOCATOR_SIZE, err)) return -1;
    uint64_t at = arc_u64(b + 8);
    if (arc_u32(b) != SIG_LOCATOR || at > end_at - LOCATOR_SIZE - END64_SIZE) return not_zip(z, "its zip64 locator is wrong", err);
    if (z->reader->pread(z->reader, at, b, END64_SIZE, err)) return -1;
    if (arc_u32(b) != SIG_END64) return not_zip(z, "its zip64 end record is wrong", err);
    d->count = arc_u64(b + 32);
    d->size = arc_u64(b + 40);
    d->offset = arc_u64(b + 48);
    d->end = at;
    return 0;
}

static int read_end(struct arc_zip *z, size_t look, struct directory *d, bool *ret_found, struct gf_err *err)
{
    uint64_t size = z->reader->size;
    size_t n = size < look ? (size_t)size : look;
    GF_FREE unsigned char *tail = gf_xmalloc(n + 1);
    if (z->reader->pread(z->reader, size - n, tail, n, err)) return -1;
    ptrdiff_t i = find_end(tail, n);
    *ret_found = i >= 0;
    if (i < 0) return 0;
    const unsigned char *e = tail + i;
    uint64_t at = size - n + (uint64_t)i;
    *d = (struct directory){ arc_u32(e + 16), arc_u32(e + 12), arc_u16(e + 10), at };
    bool wide = d->offset == UINT32_MAX || d->size == UINT32_MAX || d->count == UINT16_MAX;
    return wide ? read_end64(z, at, d, err) : 0;
}

static int locate(struct arc_zip *z, struct directory *d, struct gf_err *err)
{
    bool found = false;
    if (read_end(z, FIRST_LOOK, d, &found, err)) return -1;
    if (!found && read_end(z, END_SIZE + COMMENT_MOST, d, &found, err)) return -1;
    if (!found) return not_zip(z, "it has no end record (it may be cut short)", err);
    if (d->size > d->end || d->offset != d->end - d->size) return not_zip(z, "its directory is not where the end record says", err);
    if (d->size > GF_CAP_ZIP_DIRECTORY)
        return gf_fail(err, GF_E_LIMIT, "'%s' has a directory of %llu bytes, the most that is read is %u", z->reader->label,
                       (unsigned long long)d->size, GF_CAP_ZIP_DIRECTORY);
    if (d->count > d->size / ENTRY_SIZE) return not_zip(z, "it says that it has more members than its directory holds", err);
    return 0;
}

/* The zip64 extra field holds, in this order, those of the values that did not fit. */
static bool widen(struct arc_zip_member *m, const unsigned char *extra, size_t n)
{
    uint64_t *const values[] = { &m->size, &m->packed, &m->offset };
    bool want = m->size == UINT32_MAX || m->packed == UINT32_MAX || m->offset == UINT32_MAX;
    while (want && n >= 4) {
        size_t len = arc_u16(extra + 2);
        if (len > n - 4) return false;
        if (arc_u16(extra) == 1) {
            const unsigned char *p = extra + 4;
            for (size_t i = 0; i < 3; i++) {
                if (*values[i] != UINT32_MAX) continue;
                if (len < 8) return false;
                *values[i] = arc_u64(p);
                p += 8;
                len -= 8;
            }
            return true;
        }
        extra += 4 + len;
        n -= 4 + len;
    }
    return !want;
}

static bool name_is_safe(gf_slice name, bool folder)
{
    if (folder) name.n--;
    return gf_path_safe(name);
}

/* One entry of the directory; number of bytes it takes, 0 when it is not sound. The name stays where it is, moved down by one byte over fields that
 * have been read, so that a NUL fits behind it: a directory of 20,000 entries needs no copies. */
static size_t read_entry(unsigned char *p, size_t n, struct arc_zip_member *m)
{
    if (n < ENTRY_SIZE || arc_u32(p) != SIG_ENTRY) return 0;
    size_t name = arc_u16(p + 28), extra = arc_u16(p + 30), comment = arc_u16(p + 32), all = ENTRY_SIZE + name + extra + comment;
    if (all > n || name == 0 || memchr(p + ENTRY_SIZE, '\0', name)) return 0;
    gf_slice text = gf_slice_n((const char *)p + ENTRY_SIZE, name);
    *m = (struct arc_zip_member){
        .name = (const char *)p + ENTRY_SIZE - 1,
        .offset = arc_u32(p + 42),
        .packed = arc_u32(p + 20),
        .size = arc_u32(p + 24),
        .crc = arc_u32(p + 16),
        .method = arc_u16(p + 10),
        .mode = p[5] == 3 ? (uint16_t)(arc_u32(p + 38) >> 16) : 0,
        .encrypted = arc_u16(p + 8) & 1,
        .folder = text.p[name - 1] == '/',
    };
    m->safe = name_is_safe(text, m->folder);
    if (!widen(m, p + ENTRY_SIZE + name, extra)) return 0;
    memmove(p + ENTRY_SIZE - 1, p + ENTRY_SIZE, name);
    p[ENTRY_SIZE - 1 + name] = '\0';
    return all;
}

static int read_directory(struct arc_zip *z, struct gf_err *err)
{
    struct directory d = { 0, 0, 0, 0 };
    if (locate(z, &d, err)) return -1;
    unsigned char *bytes = z->bytes = gf_xmalloc((size_t)d.size + 1);
    if (z->reader->pread(z->reader, d.offset, bytes, (size_t)d.size, err)) return -1;
    z->directory = d.offset;
    z->members = GF_NEW_ARRAY(&z->mem, struct arc_zip_member, (size_t)d.count);
    size_t at = 0;
    for (; z->n < d.count; z->n++) {
        size_t took = read_entry(bytes + at, (size_t)d.size - at, &z->members[z->n]);
        if (!took) return not_zip(z, "its directory is damaged", err);
        if (z->members[z->n].offset >= d.offset || z->members[z->n].packed > d.offset - z->members[z->n].offset)
            return not_zip(z, "a member lies outside of it", err);
        at += took;
    }
    return 0;
}

int arc_zip_open(struct gf_reader *r, struct arc_zip **ret, struct gf_err *err)
{
    struct arc_zip *z = gf_xcalloc(1, sizeof *z);
    gf_arena_init(&z->mem);
    z->reader = r;
    if (read_directory(z, err)) {
        arc_zip_free(z);
        return -1;
    }
    *ret = z;
    return 0;
}

void arc_zip_free(struct arc_zip *z)
{
    if (!z) return;
    gf_arena_release(&z->mem);
    free(z->bytes);
    free(z);
}

size_t arc_zip_count(const struct arc_zip *z) { return z->n; }
const struct arc_zip_member *arc_zip_get(const struct arc_zip *z, size_t i) { return &z->members[i]; }
uint64_t arc_zip_directory_offset(const struct arc_zip *z) { return z->directory; }

const struct arc_zip_member *arc_zip_find(const struct arc_zip *z, gf_slice name)
{
    for (size_t i = z->n; i-- > 0;)
        if (gf_slice_is(name, z->members[i].name)) return &z->members[i];
    return NULL;
}

void arc_zip_span(const struct arc_zip *z, const struct arc_zip_member *m, uint64_t *ret_offset, uint64_t *ret_length)
{
    uint64_t next = z->directory;
    for (size_t i = 0; i < z->n; i++)
        if (z->members[i].offset > m->offset && z->members[i].offset < next) next = z->members[i].offset;
    *ret_offset = m->offset;
    *ret_length = next - m->offset;
}
