/* Which build is installed, on which platform: CPU builds beside a GPU, CUDA builds where there is no CUDA, families from different indexes. */
#include "judge/link.h"

static const char *const torch_family[] = { "torchvision", "torchaudio", "torchtext" };
static const char *const cuda_extensions[] = { "xformers", "flash-attn", "vllm", "deepspeed", "mamba-ssm", "causal-conv1d", "auto-gptq", "autoawq",
                                               "exllamav2", "flashinfer", "flashinfer-python", "torch-tensorrt", "apex", "transformer-engine" };
static const char *const cuda_only[] = { "onnxruntime-gpu", "paddlepaddle-gpu", "tensorrt", "vllm", "flash-attn", "cupy-cuda11x", "cupy-cuda12x", "cupy-cuda13x",
                                         "faiss-gpu", "faiss-gpu-cu12", "nvidia-cudnn-cu11", "nvidia-cudnn-cu12", "nvidia-cuda-runtime-cu12" };
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct jdg_pkg *first_of(struct jdg *j, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct jdg_pkg *pkg = jdg_pkg(j, names[i]);
        if (pkg) return pkg;
    }
    return NULL;
}

static bool is_cpu(const struct jdg_pkg *pkg) { return pkg->variant && strcmp(pkg->variant, "cpu") == 0; }

static bool ascend(struct jdg *j)
{
    if (jdg_pkg(j, "torch-npu")) return true;
    for (size_t i = 0; i < j->gpus.n; i++)
        if (gf_slice_ifind(gf_slice_of(j->gpus.v[i].g->name), GF_S("ascend")) >= 0) return true;
    return false;
}

static const char *index_for(struct jdg *j)
{
    unsigned major = jdg_cuda_major(j->driver_cuda);
    const char *best = NULL;
    const struct mtx_route *routes;
    size_t n = mtx_routes(j->m, &routes);
    for (size_t i = 0; i < n; i++) {
        if (!routes[i].variant || !routes[i].family || strcmp(routes[i].family, "torch") != 0) continue;
        const char *cuda = mtx_variant_cuda(j->a, gf_slice_of(routes[i].variant));
        if (cuda && jdg_cuda_major(cuda) == (major > 11 ? major : 12)) best = routes[i].url;
    }
    return best;
}

static void report_cpu_build(struct jdg *j, const struct jdg_pkg *pkg, enum mdl_kind kind, const char *because, const char *confidence)
{
    struct mdl_finding *f = jdg_find(j, MDL_ERROR, kind, "R-CPU-BUILD", pkg->label, "%s is a build for the CPU%s: it cannot use a GPU, %s", pkg->label,
                                     pkg->variant_stated ? "" : " (what the default index holds for this platform)", because);
    f->confidence = confidence;
    const char *url = strcmp(pkg->name, "torch") == 0 ? index_for(j) : NULL;
    f->fix_text = "remove it, then install the build for this GPU from the vendor's index";
    jdg_command(j, f, "pip uninstall -y %s", pkg->p->name);
    if (url) jdg_command(j, f, "pip install %s%s%s --index-url %s", pkg->p->name, pkg->has_version ? "==" : "",
                         pkg->has_version ? py_version_public(j->a, &pkg->version) : "", url);
    jdg_next(j, f, "python -c 'import torch; print(torch.version.cuda)' prints None for a CPU build");
}

static void judge_cpu_build(struct jdg *j, const struct jdg_pkg *pkg)
{
    if (!is_cpu(pkg) || ascend(j) || j->p->gpus_known == MDL_ABSENT || (j->p->accelerator && strcmp(j->p->accelerator, "cpu") == 0)) return;
    const struct jdg_pkg *ext = first_of(j, cuda_extensions, COUNT(cuda_extensions));
    bool silent = jdg_has_error(j, "cuda-not-available") || jdg_has_error(j, "not-compiled-with-cuda");
    if (!pkg->variant_stated) {
        if (silent && j->gpus.n) report_cpu_build(j, pkg, MDL_MISCONFIGURED, "though the machine has one", "medium");
        else if (j->gpus.n) jdg_undecided(j, jdg_text(j, "build of %s (torch.version.cuda): the default index holds a CPU build for this platform", pkg->label));
        return;
    }
    if (ext && strcmp(pkg->name, "torch") == 0) report_cpu_build(j, pkg, MDL_INCOMPATIBLE, jdg_text(j, "and %s needs one", ext->label), "high");
    else if (j->gpus.n) report_cpu_build(j, pkg, MDL_MISCONFIGURED, jdg_text(j, "though the machine has %s", j->gpus.v[0].label), "high");
    else jdg_undecided(j, jdg_text(j, "GPU: %s is a CPU build, which is right where there is no GPU and wrong where there is one", pkg->label));
}

static void judge_family(struct jdg *j)
{
    const struct jdg_pkg *torch = jdg_pkg(j, "torch");
    for (size_t i = 0; torch && i < COUNT(torch_family); i++) {
        const struct jdg_pkg *other = jdg_pkg(j, torch_family[i]);
        if (!other || !torch->variant_stated || !other->variant_stated || strcmp(torch->variant, other->variant) == 0) continue;
        struct mdl_finding *f = jdg_find(j, MDL_ERROR, MDL_INCOMPATIBLE, "R-PAIR", jdg_text(j, "%s and %s", torch->label, other->label),
                                         "%s and %s are different builds (%s and %s); their operators do not find each other", torch->label, other->label, torch->variant,
                                         other->variant);
        f->fix_text = "install both in one command from one index";
        jdg_command(j, f, "pip install --force-reinstall --no-deps %s==%s+%s --index-url <the index of %s>", other->p->name,
                    other->has_version ? py_version_public(j->a, &other->version) : "<version>", torch->variant, torch->variant);
    }
}

static void judge_macos(struct jdg *j)
{
    if (strcmp(j->os, "macos") != 0) return;
    for (size_t i = 0; i < j->pkgs.n; i++) {
        const struct jdg_pkg *pkg = &j->pkgs.v[i];
        bool gpu = pkg->variant_stated && (pkg->cuda || strncmp(pkg->variant, "rocm", 4) == 0);
        for (size_t k = 0; k < COUNT(cuda_only) && !gpu; k++) gpu = strcmp(cuda_only[k], pkg->name) == 0;
        if (!gpu) continue;
        struct mdl_finding *f = jdg_find(j, MDL_ERROR, MDL_UNAVAILABLE, "R-PLATFORM", pkg->label, "there is no CUDA or ROCm on macOS, so there is no %s for it", pkg->label);
        f->fix_text = "take the plain build (CPU, Metal), or plan for a Linux machine with --os";
        jdg_command(j, f, "pip install %s", strcmp(pkg->name, "onnxruntime-gpu") == 0 ? "onnxruntime" : pkg->p->name);
    }
}

static void judge_tensorflow_windows(struct jdg *j)
{
    const struct jdg_pkg *tf = jdg_pkg(j, "tensorflow");
    if (!tf || strcmp(j->os, "windows") != 0 || !jdg_version_in(j, tf, ">=2.11.0.dev0") || jdg_pkg(j, "tensorflow-directml-plugin")) return;
    bool wanted = j->gpus.n || jdg_has_error(j, "tf-no-gpu-windows") || j->p->nvcc || j->p->cudnn;
    struct mdl_finding *f = jdg_find(j, wanted ? MDL_ERROR : MDL_WARNING, MDL_INCOMPATIBLE, "R-TF-WIN", tf->label,
                                     "TensorFlow after 2.10 has no GPU support on native Windows; %s runs on the CPU", tf->label);
    f->fix_text = "use it inside WSL2, or TensorFlow 2.10 with CUDA 11.2, cuDNN 8.1 and Python 3.10 or older";
    jdg_command(j, f, "wsl --install");
}

static bool fits_platform(struct jdg *j, const struct mtx_build *b)
{
    if (!b->platform) return true;
    if (strncmp(b->platform, j->os, strlen(j->os)) != 0) return false;
    return !j->p->arch || strcmp(j->os, "linux") != 0 || strstr(b->platform, j->p->arch);
}

/* A file asked for that is not there: does the data know the release in that variant at all, and for this platform? */
static void judge_absent_file(struct jdg *j, const struct jdg_pkg *pkg)
{
    const struct mtx_build *const *rows;
    size_t n = mtx_builds(j->m, pkg->name, &rows), same = 0, variant = 0, here = 0;
    if (!pkg->has_version || !pkg->variant_stated || strcmp(j->os, "macos") == 0) return;
    for (size_t i = 0; i < n; i++) {
        struct py_version v;
        if (!py_version_parse(j->a, gf_slice_of(rows[i]->version), &v) || py_version_cmp_public(&v, &pkg->version) != 0) continue;
        same++;
        if (!rows[i]->variant || strcmp(rows[i]->variant, pkg->variant) != 0) continue;
        variant++;
        here += fits_platform(j, rows[i]);
    }
    if (!same || here) return;
    struct mdl_finding *f = jdg_find(j, MDL_ERROR, MDL_UNAVAILABLE, variant ? "R-PLATFORM" : "R-INDEX", pkg->label,
                                     variant ? "%s is not made for this platform" : "there is no such build: %s", pkg->label);
    f->confidence = "medium";
    f->fix_text = jdg_text(j, "another build of %s %s, or another release", pkg->name, py_version_public(j->a, &pkg->version));
}

void jdg_link_builds(struct jdg *j)
{
    static const char *const frameworks[] = { "torch", "paddlepaddle", "jaxlib" };
    judge_macos(j);
    for (size_t i = 0; i < COUNT(frameworks); i++) {
        const struct jdg_pkg *pkg = jdg_pkg(j, frameworks[i]);
        if (pkg && strcmp(j->os, "macos") != 0) judge_cpu_build(j, pkg);
    }
    judge_family(j);
    for (size_t i = 0; jdg_no_file(j) && i < j->pkgs.n; i++) judge_absent_file(j, &j->pkgs.v[i]);
    judge_tensorflow_windows(j);
}
