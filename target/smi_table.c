/* The tables of nvidia-smi, R295 to R610: a header with versions, two or three lines for each GPU, a second table for MIG devices. Told apart by
 * what the lines hold, not by columns, since names are cut, columns get wider with each branch and pastes break them. */
#include "target/paste.h"

static const char TOOL[] = "nvidia-smi";

struct smi_table {
    struct tgt_gpus gpus;
    struct mdl_gpu *last; /* the GPU whose further lines follow */
    bool seen, mig_table;
};

static void versions(struct tgt_paste *s, gf_slice line)
{
    static const char *const driver_labels[] = { "Driver Version:", "KMD Version:", "Driver Version " };
    static const char *const cuda_labels[] = { "CUDA Version:", "CUDA UMD Version:" };
    gf_slice rest, own = GF_NONE, driver = GF_NONE;
    if (tgt_after(line, GF_S("NVIDIA-SMI"), &rest)) own = tgt_number(rest);
    for (size_t i = 0; i < 3 && !driver.n; i++)
        if (tgt_after(line, gf_slice_of(driver_labels[i]), &rest)) driver = tgt_number(rest);
    tgt_fact(s, "driver.version", driver, TOOL);
    for (size_t i = 0; i < 2; i++)
        if (tgt_after(line, gf_slice_of(cuda_labels[i]), &rest) && tgt_number(rest).n) tgt_fact(s, "driver.cuda", tgt_number(rest), TOOL);
    /* Linux's tool (three numbers) over Windows' driver (two): only WSL does that */
    gf_slice a = own, b = driver, part;
    unsigned na = 0, nb = 0;
    while (gf_slice_field(&a, '.', &part)) na++;
    while (gf_slice_field(&b, '.', &part)) nb++;
    if (na == 3 && nb == 2 && gf_dotted_cmp(own, GF_S("470")) >= 0) tgt_fact_tri(s, "os.wsl", true, TOOL);
}

static bool is_mode(gf_slice w)
{
    static const char *const modes[] = { "On", "Off", "N/A", "WDDM", "TCC", "MCDM", "Enabled", "Disabled", "ERR!" };
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
        if (gf_slice_ieq(w, gf_slice_of(modes[i]))) return true;
    return false;
}

static gf_slice last_word(gf_slice s)
{
    ptrdiff_t at = gf_slice_rchr(s, ' ');
    return at < 0 ? s : gf_slice_from(s, (size_t)at + 1);
}

/* "|   0  GeForce GTX 680     Off  | 0000:03:00.0 …": the number, the name, and what else stands before the bus id. */
static bool gpu_line(struct tgt_paste *s, struct smi_table *t, gf_slice line)
{
    size_t at, end;
    if (!tgt_bus_id(line, &at, &end)) return false;
    gf_slice head = gf_slice_sub(line, 0, at);
    ptrdiff_t bar = gf_slice_chr(head, '|');
    if (bar >= 0) head = gf_slice_from(head, (size_t)bar + 1);
    gf_take_ws(&head);
    gf_slice number = tgt_number(head);
    uint64_t index;
    if (!number.n || !gf_slice_u64(number, &index) || (number.n < head.n && head.p[number.n] != ' ')) return false;
    head = gf_slice_rtrim(gf_slice_from(head, number.n));
    while (head.n && (head.p[head.n - 1] == '|' || head.p[head.n - 1] == ' ')) head.n--;
    struct mdl_gpu *g = tgt_gpus_at(&t->gpus, index);
    if (!g) return false;
    gf_slice mode = last_word(head);
    if (!t->seen && !is_mode(mode)) return false;
    if (is_mode(mode)) head = gf_slice_rtrim(gf_slice_sub(head, 0, head.n - mode.n));
    if (gf_slice_ieq(mode, GF_S("WDDM")) || gf_slice_ieq(mode, GF_S("TCC")) || gf_slice_ieq(mode, GF_S("MCDM"))) tgt_fact(s, "os.id", GF_S("windows"), TOOL);
    *g = (struct mdl_gpu){ .vendor = "nvidia" };
    tgt_name_gpu(s, g, head);
    if (gf_slice_has(line, GF_S("ERR!"))) tgt_error_line(s, line);
    t->last = g;
    t->seen = true;
    return true;
}

/* "9MiB / 4095MiB" anywhere in the line: the second. */
static int64_t total_memory(gf_slice line)
{
    for (ptrdiff_t at; (at = gf_slice_chr(line, '/')) >= 0; line = gf_slice_from(line, (size_t)at + 1)) {
        gf_slice before = gf_slice_rtrim(gf_slice_sub(line, 0, (size_t)at)), rest = gf_slice_from(line, (size_t)at + 1);
        bool unit = gf_slice_ends(before, GF_S("MiB")) || gf_slice_ends(before, GF_S("MB"));
        int64_t n = unit ? tgt_mib(rest) : 0;
        if (n) return n;
    }
    return 0;
}

static void mig_cell(struct tgt_paste *s, struct smi_table *t, gf_slice line)
{
    gf_slice cell = line;
    while (cell.n && (cell.p[cell.n - 1] == '|' || cell.p[cell.n - 1] == ' ')) cell.n--;
    if (cell.n && cell.p[cell.n - 1] == '*') cell.n--;
    cell = last_word(cell);
    if (gf_slice_is(cell, "Enabled")) t->last->mig = gf_arena_str(&s->p->mem, GF_S("enabled"));
}

/* "|  1    3   0   0  |  14366MiB / 19968MiB | 28 …": four numbers, then memory. */
static bool mig_line(struct tgt_paste *s, struct smi_table *t, gf_slice line)
{
    gf_slice cell = line, word;
    ptrdiff_t bar = gf_slice_chr(cell, '|');
    if (bar >= 0) cell = gf_slice_from(cell, (size_t)bar + 1);
    bar = gf_slice_chr(cell, '|');
    if (bar < 0) return false;
    cell = gf_slice_sub(cell, 0, (size_t)bar);
    uint64_t n[4];
    for (size_t i = 0; i < 4; i++)
        if (!gf_slice_word(&cell, &word) || !gf_slice_u64(word, &n[i])) return false;
    int64_t memory = total_memory(line);
    if (!memory) return false;
    struct mdl_gpu *g = tgt_gpus_at(&t->gpus, n[0]);
    if (!g) return false;
    if (!g->vendor) g->vendor = "nvidia";
    tgt_add_mig(s, g, gf_slice_of(gf_arena_printf(&s->p->mem, "%lldMiB", (long long)memory)));
    return true;
}

/* The second line holds the memory, the one behind it the MIG mode; a ruler ends the GPU. */
static bool further_line(struct tgt_paste *s, struct smi_table *t, gf_slice line)
{
    if (!t->last) return false;
    if (gf_slice_has(line, GF_S("---")) || gf_slice_has(line, GF_S("==="))) t->last = NULL;
    else if (!t->last->memory_mib) t->last->memory_mib = total_memory(line);
    else mig_cell(s, t, line);
    return true;
}

static void begin(struct tgt_paste *s, struct smi_table *t)
{
    tgt_gpus_flush(s, &t->gpus, TOOL);
    *t = (struct smi_table){ .seen = true };
}

static bool failure(struct tgt_paste *s, gf_slice line)
{
    static const char *const texts[] = { "NVIDIA-SMI has failed", "Failed to initialize NVML", "No devices were found", "NVML library version:", "Unable to determine the device handle",
                                         "couldn't find libnvidia-ml.so", "NVIDIA-SMI couldn't find", "NVIDIA-SMI couldn't communicate", "nvidia-smi: command not found" };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (gf_slice_ifind(line, gf_slice_of(texts[i])) >= 0) {
            tgt_error_line(s, line);
            return true;
        }
    return false;
}

static bool header(struct tgt_paste *s, struct smi_table *t, gf_slice line)
{
    gf_slice rest;
    bool own = tgt_after(line, GF_S("NVIDIA-SMI"), &rest) && tgt_number(rest).n;
    bool box = gf_slice_chr(line, '|') >= 0 && (gf_slice_has(line, GF_S("Driver Version:")) || gf_slice_has(line, GF_S("KMD Version:")));
    if (!own && !box) return false;
    begin(s, t);
    versions(s, line);
    return true;
}

static bool table_line(struct tgt_paste *s, void *state, gf_slice line)
{
    struct smi_table *t = state;
    if (gf_slice_has(line, GF_S("NVIDIA-SMI")) || gf_slice_has(line, GF_S("NVML")) || gf_slice_has(line, GF_S("evice")) || gf_slice_has(line, GF_S("nvidia-smi")))
        if (failure(s, line)) return true;
    if (header(s, t, line)) return true;
    if (gf_slice_has(line, GF_S("MIG devices:"))) {
        t->mig_table = t->seen = true;
        t->last = NULL;
        return true;
    }
    if (gf_slice_has(line, GF_S("Driver-Model")) || gf_slice_has(line, GF_S("TCC/WDDM"))) tgt_fact(s, "os.id", GF_S("windows"), TOOL);
    if (gf_slice_has(line, GF_S("Persistence-M")) || gf_slice_has(line, GF_S("Disp.A"))) t->seen = true;
    if (t->mig_table) return mig_line(s, t, line) || gf_slice_chr(line, '|') >= 0;
    return gpu_line(s, t, line) || (t->seen && (further_line(s, t, line) || gf_slice_chr(line, '|') >= 0));
}

static void table_end(struct tgt_paste *s, void *state)
{
    struct smi_table *t = state;
    tgt_gpus_flush(s, &t->gpus, TOOL);
    *t = (struct smi_table){ 0 };
}

const struct tgt_format tgt_smi_table = { "nvidia-smi", sizeof(struct smi_table), table_line, table_end };
