/* What nvidia-smi prints on request: -q (indented keys), -L (one line each), --query-gpu (CSV, with or without its header line). */
#include "base/digest.h"
#include "target/paste.h"

/* --- nvidia-smi -q ------------------------------------------------------------------------------------------------------- */
static const char TOOL[] = "nvidia-smi -q";

struct query {
    bool in;
    char part[40]; /* "FB Memory Usage": the indented heading above */
    size_t part_n;
    struct tgt_gpus gpus;
};

static struct mdl_gpu *current(struct query *q) { return q->gpus.n ? &q->gpus.v[q->gpus.n - 1] : NULL; }

/* "0x220410DE", "220410DE": device above, vendor below. */
static char *pci_of_device_id(struct tgt_paste *s, gf_slice id)
{
    gf_try_lit(&id, GF_S("0x"));
    unsigned char b[4];
    if (id.n != 8 || !gf_unhex(id, b, 4)) return NULL;
    return gf_arena_printf(&s->p->mem, "%02x%02x:%02x%02x", b[2], b[3], b[0], b[1]);
}

static void query_value(struct tgt_paste *s, struct query *q, gf_slice key, gf_slice value)
{
    struct mdl_gpu *g = current(q);
    gf_slice part = gf_slice_n(q->part, q->part_n);
    if (gf_slice_is(key, "Driver Version") || gf_slice_is(key, "KMD Version")) tgt_fact(s, "driver.version", tgt_number(value), TOOL);
    else if (gf_slice_is(key, "CUDA Version") || gf_slice_is(key, "CUDA UMD Version")) tgt_fact(s, "driver.cuda", tgt_number(value), TOOL);
    else if (!g) return;
    else if (gf_slice_is(key, "Product Name")) tgt_name_gpu(s, g, value);
    else if (gf_slice_is(key, "Device Id")) g->pci = pci_of_device_id(s, value);
    else if (gf_slice_is(key, "Total") && gf_slice_starts(part, GF_S("FB Memory"))) g->memory_mib = tgt_mib(value);
    else if (gf_slice_is(key, "Total") && gf_slice_is(part, "Memory Usage") && !g->memory_mib) g->memory_mib = tgt_mib(value); /* R304 */
    else if (gf_slice_is(key, "Current") && gf_slice_is(part, "MIG Mode") && gf_slice_is(value, "Enabled")) g->mig = "enabled";
    else if (gf_slice_is(key, "Current") && gf_slice_is(part, "Driver Model") && !tgt_says_nothing(value)) tgt_fact(s, "os.id", GF_S("windows"), TOOL);
}

static bool query_begin(struct tgt_paste *s, struct query *q, gf_slice line)
{
    gf_slice v;
    if (!gf_slice_has(line, GF_S("NVSMI LOG")) && !tgt_key(line, GF_S("Attached GPUs"), &v)) return false;
    if (q->in && gf_slice_has(line, GF_S("NVSMI LOG"))) tgt_gpus_flush(s, &q->gpus, TOOL);
    q->in = true;
    return true;
}

static bool query_line(struct tgt_paste *s, void *state, gf_slice line)
{
    struct query *q = state;
    size_t at, end;
    if (query_begin(s, q, line)) return true;
    if (!q->in || !line.n) return q->in && !line.n;
    if (gf_slice_starts(line, GF_S("GPU ")) && tgt_bus_id(line, &at, &end)) {
        struct mdl_gpu *g = tgt_gpus_at(&q->gpus, q->gpus.n);
        if (g) g->vendor = "nvidia";
        return true;
    }
    gf_slice value = line, key;
    if (!gf_slice_cut(&value, ':', &key)) {
        key = gf_slice_trim(line);
        q->in = line.p[0] == ' '; /* a heading is indented; other text ends the log */
        q->part_n = key.n < sizeof q->part ? key.n : 0;
        memcpy(q->part, key.p, q->part_n);
        return q->in;
    }
    query_value(s, q, gf_slice_trim(key), gf_slice_trim(value));
    return true;
}

static void query_end(struct tgt_paste *s, void *state)
{
    struct query *q = state;
    tgt_gpus_flush(s, &q->gpus, TOOL);
    q->in = false;
}

const struct tgt_format tgt_smi_query = { "nvidia-smi -q", sizeof(struct query), query_line, query_end };

/* --- nvidia-smi -L and --query-gpu ----------------------------------------------------------------------------------------- */
static const char LIST[] = "nvidia-smi -L", CSV[] = "nvidia-smi --query-gpu";
enum column { COL_OTHER, COL_INDEX, COL_NAME, COL_DRIVER, COL_MEMORY, COL_CC, COL_PCI, COL_MIG };
#define MAX_COLUMNS 64

struct list {
    struct tgt_gpus gpus, rows;
    enum column columns[MAX_COLUMNS];
    size_t ncolumns;
};

static enum column column_of(gf_slice f)
{
    static const struct { const char *name; enum column c; } names[] = {
        { "index", COL_INDEX }, { "name", COL_NAME }, { "gpu_name", COL_NAME }, { "driver_version", COL_DRIVER }, { "memory.total", COL_MEMORY },
        { "compute_cap", COL_CC }, { "pci.device_id", COL_PCI }, { "mig.mode.current", COL_MIG },
    };
    f = gf_slice_trim(f);
    ptrdiff_t unit = gf_slice_chr(f, '[');
    if (unit > 0) f = gf_slice_trim(gf_slice_sub(f, 0, (size_t)unit));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (gf_slice_is(f, names[i].name)) return names[i].c;
    return COL_OTHER;
}

static bool csv_header(struct list *l, gf_slice line)
{
    enum column columns[MAX_COLUMNS];
    size_t n = 0, known = 0;
    gf_slice f, rest = line;
    while (n < MAX_COLUMNS && gf_slice_field(&rest, ',', &f)) {
        columns[n] = column_of(f);
        if (columns[n] == COL_OTHER && (tgt_find_number(f).n || gf_slice_chr(gf_slice_trim(f), ' ') > 0) && gf_slice_chr(f, '[') < 0) return false;
        if (columns[n] != COL_OTHER) known++;
        n++;
    }
    bool alone = n == 1 && (columns[0] == COL_DRIVER || columns[0] == COL_CC || columns[0] == COL_MEMORY || gf_slice_is(gf_slice_trim(line), "gpu_name"));
    if (!(known && n > 1 && (known > 1 || gf_slice_chr(line, '.') > 0 || gf_slice_chr(line, '_') > 0)) && !alone) return false;
    memcpy(l->columns, columns, n * sizeof columns[0]);
    l->ncolumns = n;
    return true;
}

static bool is_product_name(gf_slice f)
{
    static const char *const heads[] = { "NVIDIA ", "Tesla ", "GeForce ", "Quadro ", "GRID ", "TITAN ", "A100-", "H100" };
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        if (gf_slice_starts(f, gf_slice_of(heads[i]))) return true;
    return false;
}

static enum column guess_column(gf_slice f)
{
    gf_slice n = tgt_number(f);
    uint64_t major;
    gf_slice rest = n;
    if (is_product_name(f)) return COL_NAME;
    if (gf_slice_ends(f, GF_S("MiB"))) return COL_MEMORY;
    if (!n.n || n.n != f.n || gf_slice_chr(n, '.') < 0) return COL_OTHER;
    major = gf_take_u64(&rest);
    return major >= 300 ? COL_DRIVER : n.n <= 4 && major <= 15 ? COL_CC : COL_OTHER;
}

/* Rows without their header: one field is a product's name, another a driver, memory or capability. */
static bool csv_guess(struct list *l, gf_slice line)
{
    size_t n = 0, known = 0;
    bool named = false, memory = false;
    gf_slice f;
    while (n < MAX_COLUMNS && gf_slice_field(&line, ',', &f)) {
        enum column c = guess_column(gf_slice_trim(f));
        if (c == COL_MEMORY && memory) c = COL_OTHER; /* total, then used, free */
        memory |= c == COL_MEMORY;
        known += c != COL_OTHER;
        named |= c == COL_NAME;
        l->columns[n++] = c;
    }
    l->ncolumns = named && known > 1 ? n : 0;
    return l->ncolumns != 0;
}

static void csv_field(struct tgt_paste *s, struct mdl_gpu *g, enum column c, gf_slice v)
{
    switch (c) {
    case COL_NAME: tgt_name_gpu(s, g, v); break;
    case COL_DRIVER: tgt_fact(s, "driver.version", tgt_number(v), CSV); break;
    case COL_MEMORY: g->memory_mib = tgt_mib(v); break;
    case COL_CC: g->cc = tgt_number(v).n ? tgt_keep(s, tgt_number(v)) : NULL; break;
    case COL_PCI: g->pci = pci_of_device_id(s, v); break;
    case COL_MIG: g->mig = gf_slice_is(v, "Enabled") ? "enabled" : NULL; break;
    case COL_INDEX:
    case COL_OTHER: break;
    }
}

static bool csv_row(struct tgt_paste *s, struct list *l, gf_slice line)
{
    gf_slice rest = line, f;
    size_t n = 0;
    while (gf_slice_field(&rest, ',', &f)) n++;
    if (n != l->ncolumns || !line.n) return false;
    if (n == 1 && !tgt_number(line).n && !is_product_name(line)) return false;
    struct mdl_gpu *g = tgt_gpus_at(&l->rows, l->rows.n);
    if (!g) return false;
    g->vendor = "nvidia";
    for (size_t i = 0; i < n && gf_slice_field(&line, ',', &f); i++) csv_field(s, g, l->columns[i], gf_slice_trim(f));
    return true;
}

static void csv_flush(struct tgt_paste *s, struct list *l)
{
    tgt_gpus_flush(s, &l->rows, CSV);
    l->ncolumns = 0;
}

/* "GPU 0: NVIDIA A100 (UUID: …)" and below it "MIG 3g.20gb Device 0: (UUID: …)". */
static bool list_entry(struct tgt_paste *s, struct list *l, gf_slice line)
{
    gf_slice t = gf_slice_trim(line), word;
    if (gf_try_lit(&t, GF_S("MIG ")) && gf_slice_has(t, GF_S("Device")) && l->gpus.n && gf_slice_word(&t, &word)) {
        tgt_add_mig(s, &l->gpus.v[l->gpus.n - 1], word);
        return true;
    }
    t = gf_slice_trim(line);
    if (!gf_try_lit(&t, GF_S("GPU "))) return false;
    uint64_t index = gf_take_u64(&t);
    if (!gf_take_char(&t, ':') || !t.n) return false;
    ptrdiff_t uuid = gf_slice_find(t, GF_S("(UUID"));
    if (uuid < 0 && !is_product_name(gf_slice_trim(t))) return false;
    if (index == 0 && l->gpus.n) tgt_gpus_flush(s, &l->gpus, LIST); /* listed again */
    struct mdl_gpu *g = tgt_gpus_at(&l->gpus, index);
    if (!g) return true;
    g->vendor = "nvidia";
    tgt_name_gpu(s, g, uuid < 0 ? t : gf_slice_sub(t, 0, (size_t)uuid));
    ptrdiff_t next = uuid < 0 ? -1 : gf_slice_find(gf_slice_from(t, (size_t)uuid), GF_S("GPU ")); /* several on one line */
    if (next > 0) list_entry(s, l, gf_slice_from(t, (size_t)(uuid + next)));
    return true;
}

static bool list_line(struct tgt_paste *s, void *state, gf_slice line)
{
    struct list *l = state;
    if (list_entry(s, l, line)) return true;
    if (l->ncolumns && csv_row(s, l, line)) return true;
    if (!line.n || line.n > 2000) return false;
    if (csv_header(l, line)) {
        tgt_gpus_flush(s, &l->rows, CSV);
        return true;
    }
    if (gf_slice_chr(line, ',') < 0) return false;
    csv_flush(s, l);
    return csv_guess(l, line) && csv_row(s, l, line);
}

static void list_end(struct tgt_paste *s, void *state)
{
    struct list *l = state;
    tgt_gpus_flush(s, &l->gpus, LIST);
    csv_flush(s, l);
}

const struct tgt_format tgt_smi_list = { "nvidia-smi -L", sizeof(struct list), list_line, list_end };
