/* Rajbhandari et al., ZeRO (2020): states of mixed-precision training and their division among cards. Korthikanti et al., Reducing activation
 * recomputation in large transformer models (2022): activations of a layer. Hu et al., LoRA (2021); Dettmers et al., QLoRA (2023). */
#include "judge/fit.h"
#include <math.h>

static const double GIB = 1024.0 * 1024 * 1024;

/* A decoder with feed-forward of four times its width has 12·L·h² parameters, and h is about 128·L: both are then known. */
static void assume_shape(struct jdg_model *m)
{
    if (!m->layers || !m->hidden) {
        m->shape_assumed = true;
        if (!m->layers && !m->hidden) m->layers = floor(cbrt(m->parameters / (12.0 * 128 * 128)) + 0.5);
        if (m->layers < 1) m->layers = 1;
        if (!m->hidden) m->hidden = sqrt(m->parameters / (12 * m->layers));
        else if (!m->layers) m->layers = m->parameters / (12 * m->hidden * m->hidden);
    }
    if (!m->heads) m->heads = fmax(1, floor(m->hidden / 128 + 0.5));
    if (!m->kv_heads) m->kv_heads = m->heads;
    if (!m->vocab) m->vocab = 50000;
}

static void add(struct jdg_estimate *e, const char *name, double low, double high, const char *how, const char *source)
{
    if (high <= 0 || e->n == JDG_FIT_PARTS) return;
    e->parts[e->n++] = (struct jdg_fit_part){ name, how, source, low, high };
    e->low += low;
    e->high += high;
}

/* Adapters on every linear layer of a block: rank × (width in + width out) each. */
static double adapter_parameters(const struct jdg_fit *f)
{
    const struct jdg_model *m = &f->model;
    double h = m->hidden, kv = h * m->kv_heads / m->heads;
    double attention = 2 * (h + h) + 2 * (h + kv);
    double mlp = m->intermediate ? 3 * (h + m->intermediate) : 2 * (h + 4 * h);
    return f->rank * m->layers * (attention + mlp);
}

static double optimizer_bytes(const struct jdg_fit *f)
{
    double master = f->full_precision ? 0 : 4;
    switch (f->optimizer) {
    case JDG_ADAMW: return master + 8;
    case JDG_ADAMW8: return master + 2;
    case JDG_SGD_MOMENTUM: return master + 4;
    case JDG_SGD: return master;
    case JDG_ADAFACTOR: return master + 0.1;
    }
    return 12;
}

static void training_states(struct jdg_fit *f, struct jdg_estimate *e)
{
    double n = f->model.parameters, cards = f->cards;
    bool adapters = f->method != JDG_FULL;
    double trainable = adapters ? adapter_parameters(f) : n;
    double weight = f->full_precision ? 4 : 2, of_weights = f->zero >= 3 ? cards : 1, of_gradients = f->zero >= 2 ? cards : 1, of_states = f->zero >= 1 ? cards : 1;
    bool away = f->offload == JDG_OFFLOAD_PARAMETERS;
    e->trainable = trainable;
    double base = adapters ? n * f->bits / 8 : n * weight;
    if (!away) add(e, "weights", base / of_weights, base / of_weights * (adapters && f->bits < 16 ? 1.08 : 1), "parameters × bytes of the format (ZeRO 3 divides by the cards)", "zero-paper");
    else add(e, "weights", base / f->model.layers, 2 * base / f->model.layers, "one or two layers at a time, the rest in host memory", "zero-paper");
    if (adapters) add(e, "adapters", trainable * weight, trainable * 4, "rank × (width in + width out) of every linear layer", "lora-paper");
    add(e, "gradients", trainable * weight / of_gradients, trainable * weight / of_gradients, "trainable parameters × bytes (ZeRO 2 divides by the cards)", "zero-paper");
    double states = f->offload == JDG_OFFLOAD_NONE ? trainable * optimizer_bytes(f) / of_states : 0;
    add(e, "optimizer states", states, states, "trainable parameters × bytes: fp32 copy and moments (ZeRO 1 divides by the cards)", "zero-paper");
}

/* Bytes of one layer at 16 bits: s·b·h·(34 + 5·a·s/h); without the attention matrix when it is not kept (flash, or recomputed). */
static double layer_activations(const struct jdg_fit *f)
{
    const struct jdg_model *m = &f->model;
    double sbh = f->sequence * f->batch * m->hidden;
    double bytes = 34 * sbh + (f->flash ? 0 : 5 * m->heads * f->sequence * f->sequence * f->batch);
    return f->full_precision ? 2 * bytes : bytes;
}

static void training_activations(struct jdg_fit *f, struct jdg_estimate *e)
{
    const struct jdg_model *m = &f->model;
    double layer = layer_activations(f), all = layer * m->layers, tokens = f->sequence * f->batch;
    if (f->checkpointing) all = 2 * tokens * m->hidden * m->layers * (f->full_precision ? 2 : 1) + layer;
    add(e, "activations", 0.7 * all, 1.3 * all, f->checkpointing ? "2·s·b·h each layer, and one layer whole" : "s·b·h·(34 + 5·a·s/h) each layer", "activation-paper");
    add(e, "logits", tokens * m->vocab * 4, tokens * m->vocab * 12, "s·b·vocabulary × 4 to 12 bytes: logits, their copy in fp32, their gradient", "activation-paper");
}

static void inference_parts(struct jdg_fit *f, struct jdg_estimate *e)
{
    const struct jdg_model *m = &f->model;
    double weights = m->parameters * f->bits / 8 / f->cards;
    if (f->offload == JDG_OFFLOAD_PARAMETERS) weights = 2 * weights / m->layers;
    add(e, "weights", weights, weights * (f->bits < 16 ? 1.05 : 1), "parameters × bits of the format / 8, divided by the cards", "llama.cpp-quantize");
    double kv = 2 * m->layers * m->kv_heads * (m->hidden / m->heads) * f->kv_bits / 8 * f->sequence * f->batch / f->cards;
    add(e, "KV cache", m->shape_assumed ? kv / 8 : kv, kv, "2 · layers · KV heads · head width · bytes · tokens · sequences", "paged-attention-paper");
    double one = layer_activations(f) / f->cards;
    add(e, "activations", 0.1 * one, one, "one layer while the prompt is read", "activation-paper");
}

void jdg_fit_estimate(struct jdg_fit *f, struct jdg_estimate *ret)
{
    struct jdg_estimate e = { .n = 0 };
    assume_shape(&f->model);
    if (!f->cards) f->cards = 1;
    if (f->method == JDG_INFERENCE) inference_parts(f, &e);
    else {
        training_states(f, &e);
        training_activations(f, &e);
    }
    double together = e.high;
    add(&e, "CUDA context and libraries", 0.3 * GIB, 1.2 * GIB, "an allowance, no formula: people report 0.3 to 1.2 GiB", "threads");
    if (f->method != JDG_INFERENCE) add(&e, "fragmentation", 0, 0.08 * together, "up to 8 % of the rest", "pytorch-cuda-notes");
    *ret = e;
}

bool jdg_fit_number(gf_slice text, double *ret)
{
    static const struct { char letter; double by; } units[] = { { 'k', 1e3 }, { 'm', 1e6 }, { 'b', 1e9 }, { 'g', 1e9 }, { 't', 1e12 } };
    gf_slice s = gf_slice_trim(text);
    double v = (double)gf_take_u64(&s), scale = 1;
    if (!s.p) return false;
    if (gf_try_char(&s, '.')) {
        if (!s.n || !gf_is_digit((unsigned char)*s.p)) return false;
        for (; s.n && gf_is_digit((unsigned char)*s.p); s = gf_slice_from(s, 1)) v += (*s.p - '0') * (scale /= 10);
    }
    for (size_t i = 0; s.n && i < sizeof units / sizeof *units; i++)
        if (gf_lower(*s.p) == units[i].letter) {
            v *= units[i].by;
            s = gf_slice_from(s, 1);
            break;
        }
    if (s.n || v <= 0 || v > 1e16) return false;
    *ret = v;
    return true;
}

static const gf_json *row_named(const gf_json *list, gf_slice name)
{
    for (const gf_json *c = gf_json_first(list); c; c = gf_json_next(c))
        if (gf_slice_ieq(gf_json_get_str(c, "name"), name)) return c;
    return NULL;
}

static int unknown_name(const gf_json *list, const char *what, gf_slice name, struct gf_err *err)
{
    struct gf_buf names;
    gf_buf_init(&names, 2000);
    for (const gf_json *c = gf_json_first(list); c; c = gf_json_next(c)) gf_buf_addf(&names, "%s%.*s", names.n ? " " : "", GF_FMT(gf_json_get_str(c, "name")));
    gf_fail(err, GF_E_USAGE, "there is no %s '%.*s'; known are: %s", what, GF_FMT(name), gf_buf_str(&names));
    gf_buf_release(&names);
    return -1;
}

static double number_of(const gf_json *row, const char *key)
{
    double v = 0;
    return gf_json_double(gf_json_get(row, key), &v) ? v : 0;
}

int jdg_fit_format(gf_slice formats, gf_slice name, double *ret_bits, struct gf_err *err)
{
    GF_JSON_SCOPE struct gf_json_doc *doc = NULL;
    if (gf_json_parse(formats, "fit/formats.json", &doc, err)) return -1;
    const gf_json *list = gf_json_get(gf_json_root(doc), "formats"), *row = row_named(list, name);
    if (!row) return unknown_name(list, "format", name, err);
    *ret_bits = number_of(row, "bits");
    return 0;
}

int jdg_fit_model(gf_slice models, gf_slice name, struct jdg_model *ret, struct gf_err *err)
{
    GF_JSON_SCOPE struct gf_json_doc *doc = NULL;
    if (gf_json_parse(models, "fit/models.json", &doc, err)) return -1;
    const gf_json *list = gf_json_get(gf_json_root(doc), "models"), *row = row_named(list, name);
    if (!row) return unknown_name(list, "model", name, err);
    *ret = (struct jdg_model){ .parameters = number_of(row, "parameters"), .layers = number_of(row, "layers"), .hidden = number_of(row, "hidden"),
                               .intermediate = number_of(row, "intermediate"), .heads = number_of(row, "heads"), .kv_heads = number_of(row, "kv_heads"), .vocab = number_of(row, "vocab") };
    return 0;
}
