/* The GPU catalogue, by device id. */
#include "matrix/table.h"

static int read_gpu(struct mtx *m, const struct mtx_at *at, struct gf_js *row, struct gf_err *err)
{
    static const struct mtx_key keys[] = {
        MTX_KEY(struct mtx_gpu, vendor, MTX_STR, true),  MTX_KEY(struct mtx_gpu, pci, MTX_STR, false),
        MTX_KEY(struct mtx_gpu, name, MTX_STR, false),   MTX_KEY(struct mtx_gpu, chip, MTX_STR, false),
        MTX_KEY(struct mtx_gpu, cc, MTX_STR, false),     MTX_KEY(struct mtx_gpu, gfx, MTX_STR, false),
        MTX_KEY(struct mtx_gpu, memory_mib, MTX_INT, false), MTX_KEY(struct mtx_gpu, source, MTX_STR, true),
        MTX_KEY(struct mtx_gpu, evidence, MTX_EVIDENCE, true), { "class", MTX_STR, false, offsetof(struct mtx_gpu, klass) },
    };
    struct mtx_gpu g = { 0 };
    unsigned major, minor;
    if (MTX_READ(m, at, row, keys, &g, err)) return -1;
    if (g.cc && !mtx_cc_parse(gf_slice_of(g.cc), &major, &minor)) return mtx_bad(at, "cc", err, "expected a capability like 8.6, found '%s'", g.cc);
    if (!g.pci && !g.name) return mtx_bad(at, NULL, err, "expected 'pci' or 'name'");
    if (g.pci && (strlen(g.pci) != 9 || g.pci[4] != ':')) return mtx_bad(at, "pci", err, "expected vendor and device like 10de:2204, found '%s'", g.pci);
    if (mtx_unique(m, at, err, "%s %s", g.vendor, g.pci ? g.pci : g.name)) return -1;
    m->evidence[MTX_T_GPUS][g.evidence]++;
    if (g.pci) gf_vec_push(&m->by_pci, (uint32_t)m->gpus.n);
    gf_vec_push(&m->gpus, g);
    return 0;
}

/* Memory of products by their name, for those whose name does not say it. */
static int read_memory(struct mtx *m, const struct mtx_at *at, struct gf_js *row, struct gf_err *err)
{
    static const struct mtx_key keys[] = {
        MTX_KEY(struct mtx_memory, names, MTX_STRS, true), MTX_KEY(struct mtx_memory, memory_mib, MTX_INT, true),
        MTX_KEY(struct mtx_memory, source, MTX_STR, true), MTX_KEY(struct mtx_memory, evidence, MTX_EVIDENCE, true),
    };
    struct mtx_memory x = { 0 };
    if (MTX_READ(m, at, row, keys, &x, err)) return -1;
    for (size_t i = 0; i < x.names.n; i++)
        if (mtx_unique(m, at, err, "%s", x.names.v[i])) return -1;
    m->evidence[MTX_T_GPUS][x.evidence]++;
    gf_vec_push(&m->memory, x);
    return 0;
}

static void add_memory(struct mtx *m)
{
    struct gf_names names;
    GF_VEC(int64_t) sizes = { 0 };
    gf_names_init(&names);
    for (size_t i = 0; i < m->memory.n; i++)
        for (size_t k = 0; k < m->memory.v[i].names.n; k++) {
            bool fresh;
            gf_names_add(&names, gf_slice_of(m->memory.v[i].names.v[k]), &fresh);
            if (fresh) gf_vec_push(&sizes, m->memory.v[i].memory_mib);
        }
    for (size_t i = 0; i < m->gpus.n && names.n; i++) {
        struct mtx_gpu *g = &m->gpus.v[i];
        uint32_t id = g->name && !g->memory_mib ? gf_names_find(&names, gf_slice_of(g->name)) : GF_NO_ID;
        if (id != GF_NO_ID) g->memory_mib = sizes.v[id];
    }
    gf_names_release(&names);
    gf_vec_free(&sizes);
}

int mtx_load_gpus(struct mtx *m, struct gf_err *err)
{
    static const struct mtx_section sections[] = { { "gpus", read_gpu }, { "memory", read_memory } };
    static const gf_slice files[] = { { "nvidia/gpus.json", 16 }, { "amd/gpus.json", 13 }, { "ascend/products.json", 20 }, { "other/vendors.json", 18 } };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct mtx_file *f = mtx_files_find(&m->files, files[i]);
        if (f && mtx_read_file(m, f, sections, 2, err)) return -1;
    }
    add_memory(m);
    return 0;
}

size_t mtx_gpu_count(struct mtx *m) { return mtx_need(m, MTX_T_GPUS), m->gpus.n; }
const struct mtx_gpu *mtx_gpu_at(struct mtx *m, size_t i) { return mtx_need(m, MTX_T_GPUS), i < m->gpus.n ? &m->gpus.v[i] : NULL; }

static bool is_hex(unsigned char c) { return gf_is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'f'); }

/* "10de:2204", "0x220410de" (as nvidia-smi prints it), "2204", "10DE 2204" → "10de:2204". */
static bool normal_pci(gf_slice s, char out[10])
{
    char hex[9];
    size_t n = 0;
    s = gf_slice_trim(s);
    bool whole = gf_try_lit(&s, GF_S("0x")) || gf_try_lit(&s, GF_S("0X"));
    for (size_t i = 0; i < s.n; i++) {
        if (is_hex((unsigned char)s.p[i])) {
            if (n == 8) return false;
            hex[n++] = gf_lower(s.p[i]);
        } else if (n != 4 || i != 4 || whole) return false;
    }
    if (n == 4) memcpy(out, "10de", 4), memcpy(out + 5, hex, 4);
    else if (n == 8 && whole) memcpy(out, hex + 4, 4), memcpy(out + 5, hex, 4);
    else if (n == 8) memcpy(out, hex, 4), memcpy(out + 5, hex + 4, 4);
    else return false;
    out[4] = ':', out[9] = 0;
    return true;
}

const struct mtx_gpu *mtx_gpu_by_pci(struct mtx *m, gf_slice pci)
{
    mtx_need(m, MTX_T_GPUS);
    char id[10];
    if (!normal_pci(pci, id)) return NULL;
    for (size_t i = 0; i < m->by_pci.n; i++)
        if (memcmp(m->gpus.v[m->by_pci.v[i]].pci, id, 9) == 0) return &m->gpus.v[m->by_pci.v[i]];
    return NULL;
}
