/* What torch itself says when it does not fit the GPU: three generations of one warning. They name the GPU, its capability and what torch was built for. */
#include "target/paste.h"

static const char TOOL[] = "torch's warning";

struct warning {
    struct tgt_gpus gpus;
};

static void add_arch(struct tgt_paste *s, const char **list, size_t *n, gf_slice word)
{
    if (*n < 64 && word.n < 24) list[(*n)++] = gf_arena_str(&s->p->mem, word);
}

static bool is_arch(gf_slice w) { return gf_slice_starts(w, GF_S("sm_")) || gf_slice_starts(w, GF_S("compute_")); }

void tgt_arch_list(struct tgt_paste *s, gf_slice text, const char *tool)
{
    const char *list[64];
    size_t n = 0;
    gf_slice word;
    while (gf_slice_word(&text, &word)) {
        while (word.n && !gf_is_alnum((unsigned char)word.p[word.n - 1])) word.n--;
        while (word.n && !gf_is_alnum((unsigned char)word.p[0])) word = gf_slice_from(word, 1);
        if (is_arch(word)) add_arch(s, list, &n, word);
    }
    if (n) tgt_fact_package(s, (struct mdl_package){ .name = "torch", .arch_list = list, .narch = n }, tool);
}

static void take_gpu(struct tgt_paste *s, struct warning *w, uint64_t index, gf_slice name, gf_slice cc)
{
    unsigned major, minor;
    struct mdl_gpu *g = tgt_gpus_at(&w->gpus, index);
    if (!g || !name.n) return;
    g->vendor = "nvidia";
    tgt_name_gpu(s, g, name);
    if (mtx_cc_parse(cc, &major, &minor)) g->cc = gf_arena_printf(&s->p->mem, "%u.%u", major, minor);
}

static gf_slice word_of(gf_slice s)
{
    gf_slice word;
    if (!gf_slice_word(&s, &word)) return GF_NONE;
    while (word.n && (word.p[word.n - 1] == '.' || word.p[word.n - 1] == ',')) word.n--;
    return word;
}

static uint64_t free_index(const struct warning *w, gf_slice name)
{
    for (size_t i = 0; i < w->gpus.n; i++)
        if (w->gpus.v[i].name && gf_slice_is(name, w->gpus.v[i].name)) return i; /* said again */
    return w->gpus.n;
}

/* "NVIDIA GeForce RTX 5090 D with CUDA capability sm_120 is not compatible with the current PyTorch installation." */
static bool sentence_of_2(struct tgt_paste *s, struct warning *w, gf_slice line)
{
    gf_slice rest;
    ptrdiff_t at = gf_slice_find(line, GF_S(" with CUDA capability "));
    if (at <= 0 || !tgt_after(line, GF_S(" with CUDA capability "), &rest)) return false;
    gf_slice name = gf_slice_trim(gf_slice_sub(line, 0, (size_t)at));
    ptrdiff_t warning = gf_slice_rchr(name, ':');
    if (warning >= 0) name = gf_slice_trim(gf_slice_from(name, (size_t)warning + 1));
    take_gpu(s, w, free_index(w, name), name, word_of(rest));
    tgt_error_line(s, gf_slice_trim(line));
    return true;
}

/* "Found GPU0 Tesla V100-PCIE-32GB which is of compute capability (CC) 7.0.", "Found GPU0 Tesla K40c which is of cuda capability 3.5." */
static bool sentence_of_found(struct tgt_paste *s, struct warning *w, gf_slice line)
{
    gf_slice rest, cc;
    if (!tgt_after(line, GF_S("Found GPU"), &rest)) return false;
    uint64_t index = gf_take_u64(&rest);
    ptrdiff_t at = gf_slice_find(rest, GF_S(" which is of "));
    if (!gf_slice_ok(rest) || at <= 0) return false;
    gf_slice name = gf_slice_trim(gf_slice_sub(rest, 0, (size_t)at));
    if (!tgt_after(rest, GF_S("(CC)"), &cc) && !tgt_after(rest, GF_S("capability"), &cc)) return false;
    take_gpu(s, w, index, name, tgt_number(cc));
    tgt_error_line(s, gf_slice_trim(gf_slice_from(line, (size_t)gf_slice_find(line, GF_S("Found GPU")))));
    return true;
}

/* "- 8.0 which supports hardware CC >=8.0,<9.0 except {8.7}" */
static bool list_item(struct tgt_paste *s, gf_slice line)
{
    unsigned major, minor;
    gf_slice t = gf_slice_trim(line);
    if (!gf_try_lit(&t, GF_S("- ")) || !gf_slice_has(t, GF_S("which supports hardware CC"))) return false;
    if (!mtx_cc_parse(tgt_number(t), &major, &minor)) return true;
    const char *one = gf_arena_printf(&s->p->mem, "sm_%u%u", major, minor);
    for (size_t i = 0; i < s->p->npackages; i++) {
        struct mdl_package *p = &s->p->packages[i];
        if (strcmp(p->name, "torch") != 0) continue;
        const char **list = gf_arena_array(&s->p->mem, p->narch + 1, sizeof *list);
        for (size_t k = 0; k < p->narch; k++) {
            if (strcmp(p->arch_list[k], one) == 0) return true;
            list[k] = p->arch_list[k];
        }
        list[p->narch++] = one;
        p->arch_list = list;
        return true;
    }
    tgt_fact_package(s, (struct mdl_package){ .name = "torch", .arch_list = &one, .narch = 1 }, TOOL);
    return true;
}

static bool warning_line(struct tgt_paste *s, void *state, gf_slice line)
{
    struct warning *w = state;
    gf_slice rest;
    if (line.n < 12 || line.n > 4000) return false;
    if (tgt_after(line, GF_S("PyTorch install supports CUDA capabilities"), &rest)) {
        tgt_arch_list(s, rest, TOOL);
        return true;
    }
    return sentence_of_2(s, w, line) || sentence_of_found(s, w, line) || list_item(s, line);
}

static void warning_end(struct tgt_paste *s, void *state) { tgt_gpus_flush(s, &((struct warning *)state)->gpus, TOOL); }

const struct tgt_format tgt_torch_warning = { "torch warning", sizeof(struct warning), warning_line, warning_end };
