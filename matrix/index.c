/* Which file speaks of which package, found in its text without parsing it: each row stands on one line. A filter may name a file too many, never one too few. */
#include "matrix/table.h"

static bool speaks_of_packages(gf_slice path)
{
    static const char *const places[] = { "frameworks/", "packages/", "systems/", "nvidia/runtime.json", "nvidia/parts.json", "nvidia/cudnn.json", "nvidia/nccl.json", "nvidia/tensorrt.json",
                                          "amd/rocm.json", "ascend/cann.json" };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (gf_slice_starts(path, gf_slice_of(places[i]))) return true;
    return false;
}

static bool name_char(unsigned char c) { return gf_is_alnum(c) || c == '-' || c == '_' || c == '.'; }

static void set(struct mtx_bloom *b, uint64_t h) { b->bits[(h & (MTX_BLOOM - 1)) / 64] |= UINT64_C(1) << (h & 63); }
static bool get(const struct mtx_bloom *b, uint64_t h) { return b->bits[(h & (MTX_BLOOM - 1)) / 64] >> (h & 63) & 1; }

static void add(struct mtx_bloom *b, uint64_t h)
{
    set(b, h);
    set(b, h >> 20);
}

uint64_t mtx_bloom_hash(gf_slice name) { return gf_hash64(name.p, name.n); }

bool mtx_bloom_has(const struct mtx_bloom *b, uint64_t h)
{
    return get(b, h) && get(b, h >> 20);
}

/* The next string of the line: the name at its front; false at the end. */
static bool next_name(const char **at, const char *end, gf_slice *ret)
{
    const char *p = memchr(*at, '"', (size_t)(end - *at));
    if (!p) return false;
    const char *start = ++p;
    while (p < end && name_char((unsigned char)*p)) p++;
    *ret = gf_slice_n(start, (size_t)(p - start));
    while (p < end && *p != '"') p += *p == '\\' && p + 1 < end ? 2 : 1;
    *at = p < end ? p + 1 : end;
    return true;
}

/* A line with one "package" or "name" that neither provides nor lists packages is a row of that one only; any other may be a row of each name in it. */
static void index_line(struct mtx_file *f, gf_slice line)
{
    enum { MOST = 64 };
    uint64_t hashes[MOST], subject = 0;
    size_t n = 0, subjects = 0;
    bool whole = false, is_subject = false;
    gf_slice name;
    for (const char *at = line.p, *end = line.p + line.n; next_name(&at, end, &name);) {
        if (!name.n) continue;
        uint64_t h = gf_hash64(name.p, name.n);
        add(f->names, h);
        if (n < MOST) hashes[n++] = h;
        else add(f->rows, h);
        if (is_subject) subject = h, subjects++;
        is_subject = gf_slice_is(name, "package") || gf_slice_is(name, "name");
        whole |= name.p[0] == 'p' && (gf_slice_is(name, "provides") || gf_slice_is(name, "providers") || gf_slice_is(name, "packages"));
    }
    if (subjects == 1 && !whole) add(f->rows, subject);
    else
        for (size_t i = 0; i < n; i++) add(f->rows, hashes[i]);
}

void mtx_index(struct mtx *m)
{
    if (m->indexed) return;
    m->indexed = true;
    for (size_t i = 0; i < m->files.n; i++) {
        struct mtx_file *f = &m->files.v[i];
        if (!(f->speaks = speaks_of_packages(f->path))) continue;
        f->rows = GF_NEW(&m->mem, struct mtx_bloom);
        f->names = GF_NEW(&m->mem, struct mtx_bloom);
        gf_slice text = f->text, line;
        while (gf_slice_line(&text, &line)) index_line(f, line);
    }
}
