/* nvidia-smi -q -x. Tags may stand one a line or all on one line. */
#include "target/paste.h"

static const char TOOL[] = "nvidia-smi -q -x";

struct smi_xml {
    bool in, in_fb;
    struct tgt_gpus gpus;
};

static char *pci_of(struct tgt_paste *s, gf_slice id)
{
    gf_try_lit(&id, GF_S("0x"));
    if (id.n != 8) return NULL;
    char *pci = gf_arena_printf(&s->p->mem, "%.4s:%.4s", id.p + 4, id.p);
    for (char *c = pci; *c; c++) *c = gf_lower(*c);
    return pci;
}

static void value(struct tgt_paste *s, struct smi_xml *x, gf_slice tag, gf_slice text)
{
    struct mdl_gpu *g = x->gpus.n ? &x->gpus.v[x->gpus.n - 1] : NULL;
    if (gf_slice_is(tag, "driver_version") || gf_slice_is(tag, "kmd_version")) tgt_fact(s, "driver.version", tgt_number(text), TOOL);
    else if (gf_slice_is(tag, "cuda_version") || gf_slice_is(tag, "cuda_umd_version")) tgt_fact(s, "driver.cuda", tgt_number(text), TOOL);
    else if (!g) return;
    else if (gf_slice_is(tag, "product_name")) tgt_name_gpu(s, g, text);
    else if (gf_slice_is(tag, "pci_device_id")) g->pci = pci_of(s, text);
    else if (gf_slice_is(tag, "total") && x->in_fb) g->memory_mib = tgt_mib(text);
    else if (gf_slice_is(tag, "current_mig") && gf_slice_is(text, "Enabled")) g->mig = "enabled";
    else if ((gf_slice_is(tag, "current_dm") || gf_slice_is(tag, "current_driver_model")) && !tgt_says_nothing(text)) tgt_fact(s, "os.id", GF_S("windows"), TOOL);
}

static void open_tag(struct smi_xml *x, gf_slice tag)
{
    if (gf_slice_starts(tag, GF_S("gpu id="))) {
        struct mdl_gpu *g = tgt_gpus_at(&x->gpus, x->gpus.n);
        if (g) *g = (struct mdl_gpu){ .vendor = "nvidia" };
    }
    if (gf_slice_is(tag, "fb_memory_usage")) x->in_fb = true;
    if (gf_slice_is(tag, "/fb_memory_usage")) x->in_fb = false;
    if (gf_slice_is(tag, "/nvidia_smi_log")) x->in = false;
}

static bool xml_line(struct tgt_paste *s, void *state, gf_slice line)
{
    struct smi_xml *x = state;
    if (gf_slice_has(line, GF_S("<nvidia_smi_log"))) {
        tgt_gpus_flush(s, &x->gpus, TOOL);
        *x = (struct smi_xml){ .in = true };
    }
    if (!x->in) return false;
    gf_slice before, tag, text;
    while (gf_slice_cut(&line, '<', &before) && gf_slice_cut(&line, '>', &tag)) {
        gf_slice ahead = line;
        open_tag(x, tag);
        if (tag.n && tag.p[0] != '/' && gf_slice_cut(&ahead, '<', &text)) value(s, x, tag, gf_slice_trim(text));
    }
    return true;
}

static void xml_end(struct tgt_paste *s, void *state)
{
    struct smi_xml *x = state;
    tgt_gpus_flush(s, &x->gpus, TOOL);
    x->in = false;
}

const struct tgt_format tgt_smi_xml = { "nvidia-smi -q -x", sizeof(struct smi_xml), xml_line, xml_end };
