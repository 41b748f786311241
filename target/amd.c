/* AMD: rocm-smi (ROCm 1.9 to 7), amd-smi, rocminfo. */
#include "target/paste.h"

/* --- rocm-smi and amd-smi ------------------------------------------------------------------------------------------------- */
static const char ROCM_SMI[] = "rocm-smi", AMD_SMI[] = "amd-smi";

struct rocm {
    bool rocm_smi, rows, amd_table, amd_list;
    bool amdgpu; /* the next VERSION is the driver's */
    struct mdl_gpu *last; /* of amd-smi's table: its second line follows */
    struct tgt_gpus gpus, listed, table;
};

static bool is_hex4(gf_slice s)
{
    if (s.n != 6 || !gf_slice_starts(s, GF_S("0x"))) return false;
    for (size_t i = 2; i < 6; i++)
        if (!gf_is_digit((unsigned char)s.p[i]) && !strchr("abcdefABCDEF", s.p[i])) return false;
    return true;
}

static char *amd_pci(struct tgt_paste *s, gf_slice id)
{
    char *pci = gf_arena_printf(&s->p->mem, "1002:%.*s", GF_FMT(gf_slice_from(id, 2)));
    for (char *c = pci; *c; c++) *c = gf_lower(*c);
    return pci;
}

/* "0   2   0x75a0,  24959  60.0°C …" or "1    24.0c  3.0W …": a number first; the device id where there is one. */
static void concise_row(struct tgt_paste *s, struct rocm *r, gf_slice line)
{
    gf_slice word;
    uint64_t index;
    if (!gf_slice_word(&line, &word) || !gf_slice_u64(word, &index)) return;
    struct mdl_gpu *g = tgt_gpus_at(&r->gpus, index);
    if (!g) return;
    g->vendor = "amd";
    while (gf_slice_word(&line, &word)) {
        if (gf_slice_ends(word, GF_S(","))) word.n--;
        if (is_hex4(word) && !g->pci) g->pci = amd_pci(s, word);
    }
}

/* "GPU[0]  : Card series:  AMD Instinct MI250X" */
static bool show_row(struct tgt_paste *s, struct rocm *r, gf_slice line)
{
    gf_slice t = gf_slice_trim(line), key;
    if (!gf_try_lit(&t, GF_S("GPU["))) return false;
    uint64_t index = gf_take_u64(&t);
    gf_take_char(&t, ']');
    gf_take_ws(&t);
    if (!gf_take_char(&t, ':') || !gf_slice_cut(&t, ':', &key)) return true;
    struct mdl_gpu *g = tgt_gpus_at(&r->gpus, index);
    if (!g) return true;
    key = gf_slice_trim(key);
    t = gf_slice_trim(t);
    g->vendor = "amd";
    if (gf_slice_ieq(key, GF_S("Card series")) && !is_hex4(t)) g->name = tgt_keep(s, t);
    else if (gf_slice_ieq(key, GF_S("Device Name")) && !g->name) g->name = tgt_keep(s, t);
    else if (gf_slice_ieq(key, GF_S("Card model")) || gf_slice_ieq(key, GF_S("GPU ID")) || gf_slice_ieq(key, GF_S("Device ID"))) g->pci = is_hex4(t) ? amd_pci(s, t) : g->pci;
    else if (gf_slice_ieq(key, GF_S("GFX Version"))) g->gfx = tgt_keep(s, t);
    else if (gf_slice_ieq(key, GF_S("VRAM Total Memory (B)"))) g->memory_mib = (int64_t)(gf_take_u64(&t) >> 20);
    return true;
}

static bool rocm_smi_line(struct tgt_paste *s, struct rocm *r, gf_slice line)
{
    gf_slice v;
    if (gf_slice_has(line, GF_S("System Management Interface"))) {
        tgt_gpus_flush(s, &r->gpus, ROCM_SMI);
        r->rocm_smi = true;
        r->rows = false;
        return true;
    }
    if (show_row(s, r, line)) return true;
    if (!r->rocm_smi) return false;
    if (gf_slice_has(line, GF_S("End of ROCm SMI"))) r->rocm_smi = false;
    else if (tgt_key(line, GF_S("Driver version"), &v)) tgt_fact(s, "driver.version", tgt_number(v), ROCM_SMI);
    else if (gf_slice_has(line, GF_S("SCLK")) && gf_slice_has(line, GF_S("Perf"))) r->rows = true;
    else if (r->rows) concise_row(s, r, line);
    return true;
}

static bool amd_header(struct tgt_paste *s, struct rocm *r, gf_slice line)
{
    gf_slice rest;
    bool table = tgt_after(line, GF_S("AMD-SMI "), &rest) && tgt_number(rest).n, tool = tgt_after(line, GF_S("AMDSMI Tool:"), &rest);
    if (!table && !tool) return false;
    if (table) tgt_gpus_flush(s, &r->table, AMD_SMI);
    r->amd_table = table;
    r->last = NULL;
    if (tgt_after(line, GF_S("ROCm version:"), &rest)) tgt_fact(s, "toolkit.rocm", tgt_number(rest), AMD_SMI);
    if (tgt_after(line, GF_S("amdgpu version:"), &rest)) tgt_fact(s, "driver.version", tgt_number(rest), AMD_SMI);
    return true;
}

static int64_t usage_total(gf_slice line)
{
    ptrdiff_t mb = gf_slice_find(line, GF_S(" MB"));
    if (mb <= 0) return 0;
    gf_slice head = gf_slice_sub(line, 0, (size_t)mb);
    ptrdiff_t slash = gf_slice_rchr(head, '/');
    uint64_t n;
    return slash >= 0 && gf_slice_u64(gf_slice_trim(gf_slice_from(head, (size_t)slash + 1)), &n) && n < (1u << 30) ? (int64_t)n : 0;
}

static void amd_table_row(struct tgt_paste *s, struct rocm *r, gf_slice line)
{
    size_t at, end;
    if (r->last && !r->last->memory_mib && usage_total(line)) {
        r->last->memory_mib = usage_total(line);
        return;
    }
    if (!tgt_bus_id(line, &at, &end)) return;
    gf_slice name = gf_slice_from(line, end);
    ptrdiff_t bar = gf_slice_chr(name, '|');
    if (bar >= 0) name = gf_slice_sub(name, 0, (size_t)bar);
    r->last = tgt_gpus_at(&r->table, r->table.n);
    if (!r->last) return;
    r->last->vendor = "amd";
    r->last->name = tgt_keep(s, name);
}

/* amd-smi list and static: "GPU: 0" and indented keys below it. */
static bool amd_list_line(struct tgt_paste *s, struct rocm *r, gf_slice line)
{
    gf_slice v;
    uint64_t index;
    if (gf_slice_starts(line, GF_S("GPU: ")) && gf_slice_u64(gf_slice_trim(gf_slice_from(line, 5)), &index)) {
        struct mdl_gpu *g = tgt_gpus_at(&r->listed, index);
        if (g) g->vendor = "amd";
        r->amd_list = true;
        return true;
    }
    if (!r->amd_list || !r->listed.n) return false;
    if (!line.n || line.p[0] != ' ') {
        r->amd_list = false;
        return false;
    }
    struct mdl_gpu *g = &r->listed.v[r->listed.n - 1];
    if (tgt_key(line, GF_S("MARKET_NAME"), &v)) g->name = tgt_keep(s, v);
    else if (tgt_key(line, GF_S("DEVICE_ID"), &v) && is_hex4(v)) g->pci = amd_pci(s, v);
    else if (tgt_key(line, GF_S("TARGET_GRAPHICS_VERSION"), &v)) g->gfx = tgt_keep(s, v);
    else if (tgt_key(line, GF_S("NAME"), &v)) r->amdgpu = gf_slice_is(v, "amdgpu");
    else if (r->amdgpu && tgt_key(line, GF_S("VERSION"), &v)) {
        tgt_fact(s, "driver.version", tgt_number(v), AMD_SMI);
        r->amdgpu = false;
    } else if (tgt_key(line, GF_S("SIZE"), &v) && gf_slice_ends(v, GF_S("MB")) && tgt_mib(v) > 255) g->memory_mib = tgt_mib(v);
    return true;
}

static bool rocm_line(struct tgt_paste *s, void *state, gf_slice line)
{
    struct rocm *r = state;
    if (line.n > 4000) return false;
    if (rocm_smi_line(s, r, line) || amd_header(s, r, line)) return true;
    if (r->amd_table && line.n && (line.p[0] == '|' || line.p[0] == '+')) {
        if (gf_slice_has(line, GF_S("Processes:"))) r->amd_table = false;
        else amd_table_row(s, r, line);
        return true;
    }
    return amd_list_line(s, r, line);
}

static void rocm_end(struct tgt_paste *s, void *state)
{
    struct rocm *r = state;
    tgt_gpus_flush(s, &r->gpus, ROCM_SMI);
    tgt_gpus_flush(s, &r->table, AMD_SMI);
    tgt_gpus_flush(s, &r->listed, AMD_SMI);
    r->rocm_smi = r->rows = r->amd_table = r->amd_list = false;
    r->last = NULL;
}

const struct tgt_format tgt_rocm = { "rocm-smi", sizeof(struct rocm), rocm_line, rocm_end };

/* --- rocminfo ---------------------------------------------------------------------------------------------------------------- */
static const char ROCMINFO[] = "rocminfo";

struct rocminfo {
    bool in, is_gpu, in_pool;
    char *name, *marketing;
    struct tgt_gpus gpus;
};

static void agent_value(struct tgt_paste *s, struct rocminfo *r, gf_slice line)
{
    gf_slice v;
    struct mdl_gpu *g = r->is_gpu && r->gpus.n ? &r->gpus.v[r->gpus.n - 1] : NULL;
    if (!g && tgt_key(line, GF_S("Name"), &v)) r->name = tgt_keep(s, v);
    else if (!g && tgt_key(line, GF_S("Marketing Name"), &v)) r->marketing = tgt_keep(s, v);
    else if (tgt_key(line, GF_S("Device Type"), &v) && gf_slice_is(v, "GPU")) {
        g = tgt_gpus_at(&r->gpus, r->gpus.n);
        r->is_gpu = g != NULL;
        if (!g) return;
        g->vendor = "amd";
        g->name = r->marketing;
        g->gfx = r->name && strncmp(r->name, "gfx", 3) == 0 ? r->name : NULL;
    } else if (g && tgt_key(line, GF_S("Chip ID"), &v)) {
        gf_slice hex;
        if (tgt_after(v, GF_S("(0x"), &hex) && hex.n >= 4) g->pci = gf_arena_printf(&s->p->mem, "1002:%.4s", hex.p);
    } else if (g && tgt_key(line, GF_S("Size"), &v) && gf_slice_has(v, GF_S("KB")) && r->in_pool && !g->memory_mib) {
        g->memory_mib = (int64_t)(gf_take_u64(&v) / 1024);
    }
}

static bool rocminfo_line(struct tgt_paste *s, void *state, gf_slice line)
{
    struct rocminfo *r = state;
    gf_slice rest, t = gf_slice_trim(line);
    if (tgt_after(line, GF_S("ROCk module version"), &rest)) {
        tgt_fact(s, "driver.version", tgt_number(rest), ROCMINFO);
        return true;
    }
    if (gf_slice_has(line, GF_S("HSA System Attributes")) || gf_slice_has(line, GF_S("HSA Agents"))) {
        r->in = true;
        return true;
    }
    if (!r->in) return false;
    if (gf_slice_starts(t, GF_S("Agent "))) {
        r->is_gpu = r->in_pool = false;
        r->name = r->marketing = NULL;
    } else if (gf_slice_has(t, GF_S("*** Done ***"))) {
        r->in = false;
    } else if (gf_slice_starts(t, GF_S("Pool Info:"))) r->in_pool = true;
    else if (gf_slice_starts(t, GF_S("ISA Info:"))) r->in_pool = false;
    else agent_value(s, r, line);
    return true;
}

static void rocminfo_end(struct tgt_paste *s, void *state)
{
    struct rocminfo *r = state;
    tgt_gpus_flush(s, &r->gpus, ROCMINFO);
    r->in = r->is_gpu = false;
}

const struct tgt_format tgt_rocminfo = { "rocminfo", sizeof(struct rocminfo), rocminfo_line, rocminfo_end };
