/* Which file speaks of which package, found in its text without parsing it: each row stands on one line. A filter may name a file too many, never one too few. */
#include "matrix/table.h"

static bool speaks_of_packages(gf_slice path)
{
    static const char *const places[] = { "frameworks/", "packages/", "systems/", "nvidia/runtime.json", "nvidia/cudnn.json", "nvidia/nccl.json", "nvidia/tensorrt.json",
                                          "amd/rocm.json", "ascend/cann.json" };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (gf_slice_starts(path, gf_slice_of(places[i]))) return true;
    return false;
}

static bool name_char(unsigned char c) { return gf_is_alnum(c) || c == '-' || c == '_' || c == '.'; }

static void bloom_add(struct mtx_bloom *b, gf_slice name)
{
    uint64_t h = gf_hash64(name.p, name.n);
    b->bits[(h & (MTX_BLOOM - 1)) / 64] |= UINT64_C(1) << (h & 63);
    h >>= 20;
    b->bits[(h & (MTX_BLOOM - 1)) / 64] |= UINT64_C(1) << (h & 63);
}

bool mtx_bloom_has(const struct mtx_bloom *b, gf_slice name)
{
    uint64_t h = gf_hash64(name.p, name.n), k = h >> 20;
    return b->bits[(h & (MTX_BLOOM - 1)) / 64] >> (h & 63) & 1 && b->bits[(k & (MTX_BLOOM - 1)) / 64] >> (k & 63) & 1;
}

/* The name at the front of each string of the line, keys too; to_rows: all of them, else the one behind "package". */
static void index_line(struct mtx_file *f, gf_slice line)
{
    bool whole = gf_slice_has(line, GF_S("\"provides\"")) || gf_slice_has(line, GF_S("\"providers\"")) || gf_slice_has(line, GF_S("\"packages\"")) || !gf_slice_has(line, GF_S("\"package\""));
    bool subject = false;
    for (const char *p = line.p, *end = line.p + line.n; (p = memchr(p, '"', (size_t)(end - p))) != NULL;) {
        const char *start = ++p;
        while (p < end && name_char((unsigned char)*p)) p++;
        gf_slice name = gf_slice_n(start, (size_t)(p - start));
        while (p < end && *p != '"') p += *p == '\\' && p + 1 < end ? 2 : 1;
        if (p < end) p++;
        if (!name.n) continue;
        bloom_add(f->names, name);
        if (whole || subject) bloom_add(f->rows, name);
        subject = gf_slice_is(name, "package");
    }
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
