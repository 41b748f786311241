/* gpuferry fit: will a model fit on a card, and which cards it fits on. */
#include "judge/fit.h"
#include "base/vec.h"
#include "cli/command.h"

struct options {
    struct opt_common common;
    const char *parameters, *model, *method, *format, *optimizer, *batch, *sequence, *kv, *rank, *zero, *offload, *cards, *memory, *matrix;
    const char *layers, *hidden, *heads, *kv_heads, *vocab;
    bool checkpointing, plain_attention;
    struct opt_list gpus;
};
#define AT(member) offsetof(struct options, member)
static const struct opt_row rows[] = {
    { 'p', "parameters", "N", OPT_STR, AT(parameters), "parameters of the model: 7B, 350M" },
    { 0, "model", "NAME", OPT_STR, AT(model), "a model of data/fit/models.json: llama-3-8b, qwen2.5-7b …" },
    { 0, "method", "WORD", OPT_STR, AT(method), "inference (default), full, lora or qlora" },
    { 0, "format", "NAME", OPT_STR, AT(format), "of the weights: bf16 (default), fp16, fp32, fp8, int8, nf4, gptq4, awq4, q4_k_m, q8_0 …" },
    { 0, "optimizer", "WORD", OPT_STR, AT(optimizer), "adamw (default), adamw8bit, sgd, momentum or adafactor" },
    { 'b', "batch", "N", OPT_STR, AT(batch), "sequences at a time on one card (default 1)" },
    { 's', "sequence", "N", OPT_STR, AT(sequence), "tokens of a sequence, prompt and answer together (default 2048)" },
    { 0, "kv", "NAME", OPT_STR, AT(kv), "format of the KV cache: fp16 (default), fp8, int8" },
    { 0, "rank", "N", OPT_STR, AT(rank), "rank of the LoRA adapters (default 16)" },
    { 0, "checkpointing", NULL, OPT_FLAG, AT(checkpointing), "activations are recomputed (gradient checkpointing)" },
    { 0, "plain-attention", NULL, OPT_FLAG, AT(plain_attention), "without flash attention: the matrix of attention is kept" },
    { 0, "cards", "N", OPT_STR, AT(cards), "how many cards share the work (default 1, or as many --gpu as given)" },
    { 0, "zero", "STAGE", OPT_STR, AT(zero), "ZeRO or FSDP stage of training on several cards: 0 to 3" },
    { 0, "offload", "WORD", OPT_STR, AT(offload), "what lies in host memory: none (default), optimizer, parameters" },
    { 0, "layers", "N", OPT_STR, AT(layers), "shape of the model, when it is not a known one" },
    { 0, "hidden", "N", OPT_STR, AT(hidden), "its width" },
    { 0, "heads", "N", OPT_STR, AT(heads), "its attention heads" },
    { 0, "kv-heads", "N", OPT_STR, AT(kv_heads), "its KV heads" },
    { 0, "vocab", "N", OPT_STR, AT(vocab), "its vocabulary" },
    { 0, "gpu", "NAME|PCI-ID", OPT_LIST, AT(gpus), "the card asked about; without one: which cards fit" },
    { 0, "memory", "GIB", OPT_STR, AT(memory), "memory of the card, when its name does not tell" },
    { 0, "matrix", "DIR|FILE", OPT_STR, AT(matrix), "use this data set instead of the one built in" },
};
static const struct opt_group groups[] = { OPT_ROWS("Options", rows), OPT_COMMON(struct options, common) };
static const double GIB = 1024.0 * 1024 * 1024;

static int number(const char *text, const char *option, double otherwise, double *ret, struct gf_err *err)
{
    *ret = otherwise;
    if (!text || jdg_fit_number(gf_slice_of(text), ret)) return 0;
    return gf_fail(err, GF_E_USAGE, "--%s: '%s' is not a number like 8, 2048 or 7B", option, text);
}

static int choice(const char *text, const char *option, const char *const *words, size_t n, unsigned *ret, struct gf_err *err)
{
    struct gf_buf all;
    for (size_t i = 0; text && i < n; i++)
        if (strcmp(text, words[i]) == 0) return *ret = (unsigned)i, 0;
    if (!text) return *ret = 0, 0;
    gf_buf_init(&all, 500);
    for (size_t i = 0; i < n; i++) gf_buf_addf(&all, "%s%s", i ? ", " : "", words[i]);
    gf_fail(err, GF_E_USAGE, "--%s: '%s' is none of: %s", option, text, gf_buf_str(&all));
    gf_buf_release(&all);
    return -1;
}

static int read_words(const struct options *o, struct jdg_fit *f, struct gf_err *err)
{
    static const char *const methods[] = { "inference", "full", "lora", "qlora" }, *const stages[] = { "0", "1", "2", "3" },
                      *const optimizers[] = { "adamw", "adamw8bit", "momentum", "sgd", "adafactor" }, *const offloads[] = { "none", "optimizer", "parameters" };
    unsigned method, optimizer, offload;
    if (choice(o->method, "method", methods, 4, &method, err) || choice(o->optimizer, "optimizer", optimizers, 5, &optimizer, err) ||
        choice(o->offload, "offload", offloads, 3, &offload, err) || choice(o->zero, "zero", stages, 4, &f->zero, err))
        return -1;
    f->method = (enum jdg_method)method;
    f->optimizer = (enum jdg_optimizer)optimizer;
    f->offload = (enum jdg_offload)offload;
    return 0;
}

static int read_shape(const struct options *o, struct mtx *m, struct jdg_fit *f, struct gf_err *err)
{
    if (!o->parameters == !o->model) return gf_fail(err, GF_E_USAGE, "say how large the model is: --parameters 7B, or --model NAME");
    if (o->model && jdg_fit_model(mtx_file_text(m, "fit/models.json"), gf_slice_of(o->model), &f->model, err)) return -1;
    const struct { const char *text, *option; double *at; } numbers[] = {
        { o->parameters, "parameters", &f->model.parameters }, { o->layers, "layers", &f->model.layers }, { o->hidden, "hidden", &f->model.hidden },
        { o->heads, "heads", &f->model.heads }, { o->kv_heads, "kv-heads", &f->model.kv_heads }, { o->vocab, "vocab", &f->model.vocab },
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (number(numbers[i].text, numbers[i].option, *numbers[i].at, numbers[i].at, err)) return -1;
    return 0;
}

static int read_request(const struct options *o, struct mtx *m, struct jdg_fit *f, struct gf_err *err)
{
    double cards;
    *f = (struct jdg_fit){ .checkpointing = o->checkpointing, .flash = !o->plain_attention };
    if (read_words(o, f, err) || read_shape(o, m, f, err)) return -1;
    if (number(o->batch, "batch", 1, &f->batch, err) || number(o->sequence, "sequence", 2048, &f->sequence, err) || number(o->rank, "rank", 16, &f->rank, err) ||
        number(o->cards, "cards", o->gpus.n > 1 ? (double)o->gpus.n : 1, &cards, err))
        return -1;
    const char *format = o->format ? o->format : f->method == JDG_QLORA ? "nf4" : "bf16";
    gf_slice formats = mtx_file_text(m, "fit/formats.json");
    if (jdg_fit_format(formats, gf_slice_of(format), &f->bits, err) || jdg_fit_format(formats, gf_slice_of(o->kv ? o->kv : "fp16"), &f->kv_bits, err)) return -1;
    f->cards = cards > 65536 ? 65536 : (unsigned)cards;
    f->full_precision = f->method != JDG_INFERENCE && f->bits >= 32;
    if (f->method == JDG_FULL && f->bits < 16) return gf_fail(err, GF_E_USAGE, "full training needs weights of 16 bits or more; %s is for lora, qlora and inference", format);
    return 0;
}

/* ---- cards ---- */

struct card { const char *name; double bytes; };
typedef GF_VEC(struct card) cards_t;

static int by_size(const void *a, const void *b)
{
    const struct card *x = a, *y = b;
    return x->bytes < y->bytes ? -1 : x->bytes > y->bytes ? 1 : strcmp(x->name, y->name);
}

static int asked_card(struct mtx *m, const char *name, double told, cards_t *cards, struct gf_err *err)
{
    const struct mtx_gpu *hits[16];
    gf_slice s = gf_slice_of(name);
    const struct mtx_gpu *one = mtx_gpu_by_pci(m, s);
    size_t n = one ? 1 : mtx_gpu_by_name(m, s, hits, 16);
    if (one) hits[0] = one;
    int64_t least = 0;
    for (size_t i = 0; i < n; i++)
        if (hits[i]->memory_mib && (!least || hits[i]->memory_mib < least)) least = hits[i]->memory_mib;
    double bytes = told ? told : (double)least * 1024 * 1024;
    if (!bytes)
        return gf_fail(err, n ? GF_E_UNKNOWN : GF_E_USAGE, n ? "the data does not say how much memory a '%s' has: add --memory GIB" : "there is no GPU '%s' in the data: name it as nvidia-smi does, or give --memory GIB", name);
    gf_vec_push(cards, (struct card){ name, bytes });
    return 0;
}

static void all_cards(struct mtx *m, cards_t *cards)
{
    for (size_t i = 0; i < mtx_gpu_count(m); i++) {
        const struct mtx_gpu *g = mtx_gpu_at(m, i);
        bool seen = !g->name || g->memory_mib <= 0;
        for (size_t k = 0; k < cards->n && !seen; k++) seen = strcmp(cards->v[k].name, g->name) == 0;
        if (!seen) gf_vec_push(cards, (struct card){ g->name, (double)g->memory_mib * 1024 * 1024 });
    }
    if (cards->n) qsort(cards->v, cards->n, sizeof *cards->v, by_size);
}

static const char *answer(const struct jdg_estimate *e, double bytes) { return bytes >= e->high ? "fits" : bytes >= e->low ? "doubtful" : "does not fit"; }

static void write_json(struct gf_buf *out, const struct jdg_fit *f, const struct jdg_estimate *e, const cards_t *cards)
{
    struct gf_jw w;
    gf_jw_init(&w, out, false);
    gf_jw_obj(&w);
    gf_jw_kstr(&w, "schema", "gpuferry.fit/1");
    gf_jw_key(&w, "parameters"), gf_jw_double(&w, f->model.parameters);
    gf_jw_key(&w, "trainable"), gf_jw_double(&w, e->trainable);
    gf_jw_kbool(&w, "shape_assumed", f->model.shape_assumed);
    gf_jw_kint(&w, "low_mib", (int64_t)(e->low / 1048576));
    gf_jw_kint(&w, "high_mib", (int64_t)(e->high / 1048576));
    gf_jw_key(&w, "parts");
    gf_jw_arr(&w);
    for (size_t i = 0; i < e->n; i++) {
        gf_jw_obj(&w);
        gf_jw_kstr(&w, "name", e->parts[i].name);
        gf_jw_kint(&w, "low_mib", (int64_t)(e->parts[i].low / 1048576));
        gf_jw_kint(&w, "high_mib", (int64_t)(e->parts[i].high / 1048576));
        gf_jw_kstr(&w, "how", e->parts[i].how);
        gf_jw_kstr(&w, "source", e->parts[i].source);
        gf_jw_end_obj(&w);
    }
    gf_jw_end_arr(&w);
    gf_jw_key(&w, "cards");
    gf_jw_arr(&w);
    for (size_t i = 0; i < cards->n; i++) {
        gf_jw_obj(&w);
        gf_jw_kstr(&w, "name", cards->v[i].name);
        gf_jw_kint(&w, "memory_mib", (int64_t)(cards->v[i].bytes / 1048576));
        gf_jw_kstr(&w, "answer", answer(e, cards->v[i].bytes));
        gf_jw_end_obj(&w);
    }
    gf_jw_end_arr(&w);
    gf_jw_end_obj(&w);
}

/* Cards that were asked about all; of all cards the smallest that fit, by memory. */
static void write_cards(struct gf_buf *out, const struct jdg_estimate *e, const cards_t *cards, bool asked)
{
    double last = 0;
    size_t sizes = 0;
    for (size_t i = 0; i < cards->n; i++) {
        double bytes = cards->v[i].bytes;
        if (asked) {
            gf_buf_addf(out, "%s (%.1f GiB): %s\n", cards->v[i].name, bytes / GIB, answer(e, bytes));
            continue;
        }
        if (bytes < e->low) continue;
        if (bytes != last && ++sizes > 4) break;
        gf_buf_addf(out, bytes == last ? ", %s" : "%s%.0f GiB (%s): %s", bytes == last ? cards->v[i].name : last > 0 ? "\n" : "", bytes / GIB, answer(e, bytes), cards->v[i].name);
        last = bytes;
    }
    if (!asked) gf_buf_adds(out, last > 0 ? "\n" : "no card in the data is large enough: more cards, offload, fewer bits, shorter sequences\n");
}

static void write_text(struct gf_buf *out, const struct jdg_fit *f, const struct jdg_estimate *e, const cards_t *cards, bool asked)
{
    gf_buf_addf(out, "%.1f to %.1f GiB on %s\n", e->low / GIB, e->high / GIB, f->cards > 1 ? "each card" : "one card");
    for (size_t i = 0; i < e->n; i++)
        gf_buf_addf(out, "  %-28s %8.2f to %8.2f GiB   %s  [%s]\n", e->parts[i].name, e->parts[i].low / GIB, e->parts[i].high / GIB, e->parts[i].how, e->parts[i].source);
    if (f->model.shape_assumed) gf_buf_addf(out, "assumed: %.0f layers of width %.0f, %.0f KV heads, vocabulary %.0f\n", f->model.layers, f->model.hidden, f->model.kv_heads, f->model.vocab);
    gf_buf_addc(out, '\n');
    write_cards(out, e, cards, asked);
}

static int exit_of(const struct jdg_estimate *e, const cards_t *cards, bool asked)
{
    double best = 0, least = cards->n ? cards->v[0].bytes : 0;
    for (size_t i = 0; i < cards->n; i++) {
        if (cards->v[i].bytes > best) best = cards->v[i].bytes;
        if (cards->v[i].bytes < least) least = cards->v[i].bytes;
    }
    double bytes = asked ? least : best;
    return bytes >= e->high ? 0 : bytes >= e->low ? gf_exit_status(GF_E_UNKNOWN) : gf_exit_status(GF_E_NO);
}

static int tell(const struct options *o, struct mtx *m, struct jdg_fit *f, struct gf_err *err)
{
    struct jdg_estimate e;
    cards_t cards = { 0 };
    double told = 0;
    bool asked = o->gpus.n || o->memory;
    int rc = number(o->memory, "memory", 0, &told, err);
    for (size_t i = 0; !rc && i < o->gpus.n; i++) rc = asked_card(m, o->gpus.v[i], told * GIB, &cards, err);
    if (!rc && !o->gpus.n && o->memory) gf_vec_push(&cards, (struct card){ "the card", told * GIB });
    if (!rc && !asked) all_cards(m, &cards);
    jdg_fit_estimate(f, &e);
    GF_BUF_SCOPE struct gf_buf out;
    gf_buf_init(&out, GF_CAP_OUTPUT);
    if (!rc) {
        if (out_json()) write_json(&out, f, &e, &cards);
        else write_text(&out, f, &e, &cards, asked);
        rc = out_result(gf_buf_slice(&out), err) ? -1 : exit_of(&e, &cards, asked);
    }
    gf_vec_free(&cards);
    return rc;
}

static int run(void *opts, const struct opt_list *args, struct gf_err *err)
{
    const struct options *o = opts;
    struct mtx *m = NULL;
    struct jdg_fit f;
    if (args->n) return gf_fail(err, GF_E_USAGE, "fit takes options only; '%s' is none", args->v[0]);
    if (opt_open_matrix(o->matrix, &m, err)) return -1;
    int rc = read_request(o, m, &f, err);
    if (!rc) rc = tell(o, m, &f, err);
    mtx_free(m);
    return rc;
}

const struct cmd cmd_fit = { "fit", "fit --parameters N|--model NAME [OPTIONS]", "Estimate whether a model fits on a card, with the parts of the sum, and which cards it fits on.", groups,
                             sizeof groups / sizeof groups[0], sizeof(struct options), run };
