#include "cli/command.h"

static void row(struct gf_buf *out, const char *label, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void row(struct gf_buf *out, const char *label, const char *fmt, ...)
{
    va_list ap;
    gf_buf_addf(out, "%s%-13s%s ", out_color(OUT_BOLD), label, out_color(OUT_RESET));
    va_start(ap, fmt);
    gf_buf_vaddf(out, fmt, ap);
    va_end(ap);
    gf_buf_addc(out, '\n');
}

static void add_system(const struct mdl_profile *p, struct gf_buf *out)
{
    if (p->label) row(out, "label", "%s", p->label);
    row(out, "system", "%s %s%s%s%s%s", p->os_id ? p->os_id : "unknown", p->os_version ? p->os_version : "", p->arch ? ", " : "", p->arch ? p->arch : "", p->wsl == PY_YES ? ", WSL" : "",
        p->container == PY_YES ? ", in a container" : "");
    if (p->kernel) row(out, "kernel", "%s%s", p->kernel, p->secure_boot == PY_YES ? ", Secure Boot on" : p->secure_boot == PY_NO ? ", Secure Boot off" : "");
    if (p->libc_version) row(out, "libc", "%s %s%s%s", p->libc_name ? p->libc_name : "libc", p->libc_version, p->libstdcxx ? ", " : "", p->libstdcxx ? p->libstdcxx : "");
    if (p->cpu_level) row(out, "CPU", "x86-64-v%d", p->cpu_level);
}

static void add_gpus(const struct mdl_profile *p, struct gf_buf *out)
{
    if (p->gpus_known == MDL_ABSENT) row(out, "GPU", "none");
    if (p->gpus_known == MDL_UNKNOWN) row(out, "GPU", "unknown");
    for (size_t i = 0; i < p->ngpus; i++) {
        const struct mdl_gpu *g = &p->gpus[i];
        gf_buf_addf(out, "%s%-13s%s %s", out_color(OUT_BOLD), i ? "" : "GPU", out_color(OUT_RESET), g->name ? g->name : g->pci ? g->pci : "without a name");
        if (g->cc) gf_buf_addf(out, ", compute capability %s", g->cc);
        if (g->gfx) gf_buf_addf(out, ", %s", g->gfx);
        if (g->memory_mib) gf_buf_addf(out, ", %lld MiB", (long long)g->memory_mib);
        if (g->mig) gf_buf_addf(out, ", MIG %s", g->mig);
        if (g->vgpu) gf_buf_addf(out, ", vGPU %s", g->vgpu);
        gf_buf_addc(out, '\n');
    }
}

static void add_driver(const struct mdl_profile *p, struct gf_buf *out)
{
    if (p->driver_known == MDL_ABSENT) row(out, "driver", "none loaded%s", p->nouveau == PY_YES ? ", nouveau is" : "");
    else if (!p->driver_version) row(out, "driver", "unknown");
    else row(out, "driver", "%s%s%s%s%s", p->driver_version, p->driver_flavour ? ", " : "", p->driver_flavour ? p->driver_flavour : "", p->driver_cuda ? ", up to CUDA " : "", p->driver_cuda ? p->driver_cuda : "");
}

static void add_software(const struct mdl_profile *p, struct gf_buf *out)
{
    if (p->python_known == MDL_ABSENT) row(out, "Python", "none");
    else row(out, "Python", "%s%s", p->python_version ? p->python_version : "unknown", p->ninterpreters > 1 ? ", others too" : "");
    if (p->nvcc) row(out, "CUDA toolkit", "%s", p->nvcc);
    if (p->cudnn) row(out, "cuDNN", "%s", p->cudnn);
    if (p->rocm) row(out, "ROCm", "%s", p->rocm);
    if (p->cann) row(out, "CANN", "%s", p->cann);
    if (p->gcc) row(out, "gcc", "%s", p->gcc);
    if (p->npackages) row(out, "packages", "%zu distributions", p->npackages);
    for (size_t i = 0; i < p->npackages; i++) {
        const struct mdl_package *k = &p->packages[i];
        static const char *const shown[] = { "torch", "tensorflow", "paddlepaddle-gpu", "onnxruntime-gpu", "jax", "vllm" };
        for (size_t s = 0; s < sizeof shown / sizeof shown[0]; s++)
            if (strcmp(k->name, shown[s]) == 0) row(out, "", "%s %s%s%s%s", k->name, k->version ? k->version : "", k->build ? " (" : "", k->build ? k->build : "", k->build ? ")" : "");
    }
}

static void add_rest(const struct mdl_profile *p, struct gf_buf *out)
{
    for (size_t i = 0; i < p->ndisks; i++) row(out, i ? "" : "free", "%s %.1f GiB", p->disks[i].mount, (double)p->disks[i].free_mib / 1024);
    for (size_t i = 0; i < p->nerrors; i++) row(out, i ? "" : "errors", "%s", p->errors[i]);
    for (size_t i = 0; i < p->nconflicts; i++) row(out, i ? "" : "contradicts", "%s", p->conflicts[i]);
}

int opt_print_profile(const struct mdl_profile *p, bool as_text, struct gf_err *err)
{
    GF_BUF_SCOPE struct gf_buf out;
    gf_buf_init(&out, GF_CAP_OUTPUT);
    if (as_text) {
        add_system(p, &out);
        add_gpus(p, &out);
        add_driver(p, &out);
        add_software(p, &out);
        add_rest(p, &out);
    } else {
        struct gf_jw w;
        gf_jw_init(&w, &out, false);
        mdl_profile_write(p, &w);
        gf_buf_addc(&out, '\n');
    }
    return out_result(gf_buf_slice(&out), err);
}
