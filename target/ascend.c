/* npu-smi info of Huawei Ascend, drivers 21 to 26: a header with the driver's version, two lines for each chip. */
#include "target/paste.h"

static const char TOOL[] = "npu-smi";

struct npu {
    bool in, processes;
    char *name; /* of the line above */
    struct tgt_gpus gpus;
};

static bool header(struct tgt_paste *s, struct npu *n, gf_slice line)
{
    gf_slice rest, word;
    if (!tgt_after(line, GF_S("npu-smi "), &rest) || !tgt_number(rest).n) return false;
    tgt_gpus_flush(s, &n->gpus, TOOL);
    *n = (struct npu){ .in = true };
    if (tgt_after(rest, GF_S("Version:"), &rest) && gf_slice_word(&rest, &word)) tgt_fact(s, "driver.version", word, TOOL);
    return true;
}

static gf_slice first_cell(gf_slice line)
{
    gf_slice before, cell;
    if (!gf_slice_cut(&line, '|', &before)) return GF_NONE;
    gf_slice_cut(&line, '|', &cell);
    return gf_slice_trim(cell);
}

/* The last "used / total" of the line: HBM where there is some, else the chip's memory. */
static int64_t last_total(gf_slice line)
{
    ptrdiff_t slash = gf_slice_rchr(line, '/');
    if (slash < 0) return 0;
    gf_slice rest = gf_slice_from(line, (size_t)slash + 1);
    gf_take_ws(&rest);
    uint64_t n = gf_take_u64(&rest);
    return gf_slice_ok(rest) && n < (1u << 30) ? (int64_t)n : 0;
}

static void row(struct tgt_paste *s, struct npu *n, gf_slice line)
{
    size_t at, end;
    gf_slice cell = first_cell(line), word;
    uint64_t number;
    if (!gf_slice_word(&cell, &word) || !gf_slice_u64(word, &number)) return;
    if (!tgt_bus_id(line, &at, &end)) {
        n->name = gf_slice_word(&cell, &word) ? tgt_keep(s, word) : NULL;
        return;
    }
    struct mdl_gpu *g = tgt_gpus_at(&n->gpus, n->gpus.n);
    if (!g) return;
    *g = (struct mdl_gpu){ .vendor = "huawei", .name = n->name, .memory_mib = last_total(line) };
}

static bool npu_line(struct tgt_paste *s, void *state, gf_slice line)
{
    struct npu *n = state;
    if (header(s, n, line)) return true;
    if (!n->in || !line.n || (line.p[0] != '|' && line.p[0] != '+')) return false;
    if (gf_slice_has(line, GF_S("Process id"))) n->processes = true;
    else if (gf_slice_has(line, GF_S("NPU ")) && gf_slice_has(line, GF_S("Health"))) n->processes = false;
    else if (!n->processes) row(s, n, line);
    return true;
}

static void npu_end(struct tgt_paste *s, void *state)
{
    struct npu *n = state;
    tgt_gpus_flush(s, &n->gpus, TOOL);
    n->in = false;
}

const struct tgt_format tgt_npu = { "npu-smi", sizeof(struct npu), npu_line, npu_end };
