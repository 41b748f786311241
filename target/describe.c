#include "target/target.h"

static void add(struct gf_buf *out, const char *before, const char *text)
{
    if (text) gf_buf_addf(out, "%s%s", before, text);
}

static bool same_gpu(const struct mdl_gpu *a, const struct mdl_gpu *b)
{
    const char *const x[] = { a->name, a->cc, a->gfx }, *const y[] = { b->name, b->cc, b->gfx };
    for (size_t i = 0; i < 3; i++)
        if (x[i] != y[i] && (!x[i] || !y[i] || strcmp(x[i], y[i]) != 0)) return false;
    return true;
}

static void add_gpus(const struct mdl_profile *p, struct gf_buf *out)
{
    for (size_t i = 0, n; i < p->ngpus; i += n) {
        const struct mdl_gpu *g = &p->gpus[i];
        for (n = 1; i + n < p->ngpus && same_gpu(g, &p->gpus[i + n]);) n++;
        gf_buf_adds(out, ", ");
        if (n > 1) gf_buf_addf(out, "%zu x ", n);
        const char *arch = g->cc ? g->cc : g->gfx;
        gf_buf_adds(out, g->name ? g->name : arch ? arch : g->pci ? g->pci : "a GPU");
        if (g->name && arch) gf_buf_addf(out, " (%s)", arch);
    }
    if (p->gpus_known == MDL_ABSENT) gf_buf_adds(out, ", no GPU");
}

static void add_driver(const struct tgt_target *t, struct gf_buf *out)
{
    if (t->driver == TGT_DRIVER_NONE) gf_buf_adds(out, ", no driver");
    else if (t->driver == TGT_DRIVER_ANY) gf_buf_adds(out, ", driver open to choice");
    else add(out, ", driver ", t->profile->driver_version);
}

static void add_list(struct gf_buf *out, const char *head, struct mdl_strings list)
{
    for (size_t i = 0; i < list.n; i++) gf_buf_addf(out, "%s%s", i ? ", " : head, list.v[i]);
}

void tgt_describe(const struct tgt_target *t, struct gf_buf *out)
{
    const struct mdl_profile *p = t->profile;
    gf_buf_adds(out, "target: ");
    gf_buf_adds(out, p->arch ? p->arch : "unknown architecture");
    add(out, ", ", p->os_id);
    if (p->os_id) add(out, " ", p->os_version);
    if (p->libc_version) gf_buf_addf(out, ", %s %s", p->libc_name ? p->libc_name : "libc", p->libc_version);
    add(out, ", Python ", p->python_version);
    add_gpus(p, out);
    add_driver(t, out);
    add_list(out, "; assumed: ", t->assumed);
    add_list(out, "; unknown: ", t->unknown);
}
