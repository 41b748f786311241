/* Binaries that were compiled against others: C++ ABI and torch minor of extensions, nvcc against torch, the host compiler of a toolkit. */
#include "judge/link.h"

static const char *const extensions[] = { "flash-attn", "xformers", "vllm", "auto-gptq", "autoawq", "exllamav2", "mamba-ssm", "causal-conv1d", "torch-scatter",
                                          "torch-sparse", "torch-cluster", "pyg-lib", "torch-tensorrt", "mmcv", "detectron2", "apex", "transformer-engine" };
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What the local part of an extension's wheel says: cu12torch2.6cxx11abiFALSE. */
struct built_for { bool has_torch, has_abi, abi; uint64_t major, minor; };

static struct built_for built_for(const struct jdg_pkg *pkg)
{
    struct built_for b = { .has_torch = false };
    gf_slice text = gf_slice_of(pkg->p->version);
    ptrdiff_t plus = text.p ? gf_slice_chr(text, '+') : -1, at;
    if (pkg->p->cxx11abi_known == MDL_PRESENT) b.has_abi = true, b.abi = pkg->p->cxx11abi;
    gf_slice local = plus >= 0 ? gf_slice_from(text, (size_t)plus) : gf_slice_of(pkg->p->build);
    if (!local.p) return b;
    if (!b.has_abi && (at = gf_slice_ifind(local, GF_S("cxx11abi"))) >= 0) {
        b.has_abi = true;
        b.abi = gf_lower(gf_slice_from(local, (size_t)at + 8).p[0]) == 't';
    }
    if ((at = gf_slice_ifind(local, GF_S("torch"))) >= 0) {
        gf_slice v = gf_slice_from(local, (size_t)at + 5);
        b.major = gf_take_u64(&v);
        gf_take_char(&v, '.');
        b.minor = gf_take_u64(&v);
        b.has_torch = v.p != NULL;
    }
    return b;
}

/* Official builds: the new C++ ABI from 2.7 on, and 2.6 for CUDA 12.6; the old one before. False: unknown. */
static bool abi_of_torch(struct jdg *j, const struct jdg_pkg *torch, bool *ret)
{
    if (torch->p->cxx11abi_known == MDL_PRESENT) {
        *ret = torch->p->cxx11abi;
        return true;
    }
    if (!torch->has_version || (torch->p->origin && strcmp(torch->p->origin, "conda") == 0) || strcmp(j->os, "linux") != 0) return false;
    *ret = jdg_version_in(j, torch, ">=2.7.0.dev0") || (jdg_version_in(j, torch, "==2.6.*") && torch->variant && strcmp(torch->variant, "cu126") == 0);
    return true;
}

static void report_abi(struct jdg *j, const struct jdg_pkg *ext, const struct jdg_pkg *torch, const char *cause)
{
    struct mdl_finding *f = jdg_find(j, MDL_ERROR, MDL_INCOMPATIBLE, "R-ABI", jdg_text(j, "%s and %s", ext->label, torch->label), "%s", cause);
    f->fix_text = jdg_text(j, "the wheel of %s whose name holds torch%s, the CUDA major and the C++ ABI of the torch that is installed", ext->name,
                           torch->has_version && torch->version.nrelease > 1
                               ? jdg_text(j, "%llu.%llu", (unsigned long long)torch->version.release[0], (unsigned long long)torch->version.release[1])
                               : "");
    jdg_command(j, f, "python -c 'import torch; print(torch.__version__, torch.version.cuda, torch._C._GLIBCXX_USE_CXX11_ABI)'");
}

static void judge_extension(struct jdg *j, const struct jdg_pkg *ext, const struct jdg_pkg *torch)
{
    struct built_for b = built_for(ext);
    bool abi;
    if (b.has_abi && abi_of_torch(j, torch, &abi) && abi != b.abi)
        report_abi(j, ext, torch, jdg_text(j, "%s is built for the %s C++ ABI (cxx11abi%s), %s uses the %s one", ext->label, b.abi ? "new" : "old", b.abi ? "TRUE" : "FALSE",
                                           torch->label, abi ? "new" : "old"));
    else if (b.has_torch && torch->has_version && torch->version.nrelease > 1 && (torch->version.release[0] != b.major || torch->version.release[1] != b.minor))
        report_abi(j, ext, torch, jdg_text(j, "%s is built for torch %llu.%llu, there is %s", ext->label, (unsigned long long)b.major, (unsigned long long)b.minor, torch->label));
    else if (ext->variant_stated && ext->cuda && torch->variant_stated && torch->cuda && jdg_cuda_major(ext->cuda) != jdg_cuda_major(torch->cuda))
        report_abi(j, ext, torch, jdg_text(j, "%s is built for CUDA %s, %s for CUDA %s", ext->label, ext->cuda, torch->label, torch->cuda));
}

static void judge_nvcc(struct jdg *j, const struct jdg_pkg *torch)
{
    const struct jdg_pkg *ds = jdg_pkg(j, "deepspeed");
    bool said = jdg_has_error(j, "nvcc-torch-mismatch");
    if (!torch || !torch->cuda || !j->p->nvcc || (!ds && !said) || jdg_cuda_major(j->p->nvcc) == jdg_cuda_major(torch->cuda)) return;
    struct mdl_finding *f = jdg_find(j, MDL_ERROR, MDL_INCOMPATIBLE, "R-NVCC", jdg_text(j, "nvcc %s and %s", j->p->nvcc, torch->label),
                                     "nvcc is of CUDA %s, %s was made with CUDA %s: what is compiled here needs a toolkit of the same major", j->p->nvcc, torch->label, torch->cuda);
    f->fix_text = jdg_text(j, "point CUDA_HOME to a toolkit of CUDA %u, or take a ready wheel", jdg_cuda_major(torch->cuda));
    jdg_command(j, f, "export CUDA_HOME=/usr/local/cuda-%s", torch->cuda);
}

static void judge_gcc(struct jdg *j)
{
    gf_slice nvcc = gf_slice_of(j->p->nvcc), major, rest = nvcc;
    if (!nvcc.p || !j->p->gcc || !gf_slice_cut(&rest, '.', &major)) return;
    uint64_t minor = gf_take_u64(&rest);
    const struct mtx_toolkit *t = mtx_toolkit(j->m, gf_slice_of(jdg_text(j, "%.*s.%llu", GF_FMT(major), (unsigned long long)minor)));
    if (!t || !t->gcc_max || jdg_cuda_major(j->p->gcc) <= jdg_cuda_major(t->gcc_max)) return;
    bool compiles = jdg_has_error(j, "gcc-too-new") || !j->pkgs.n || jdg_pkg(j, "deepspeed");
    struct mdl_finding *f = jdg_find(j, compiles ? MDL_ERROR : MDL_WARNING, MDL_INCOMPATIBLE, "R-GCC", jdg_text(j, "nvcc %s with gcc %s", j->p->nvcc, j->p->gcc),
                                     "CUDA %s accepts gcc up to %s, there is gcc %s", t->cuda, t->gcc_max, j->p->gcc);
    jdg_source(j, f, t->source);
    f->fix_text = jdg_text(j, "use gcc %s as host compiler, or a newer toolkit; -allow-unsupported-compiler fails later", t->gcc_max);
    jdg_command(j, f, "export CUDAHOSTCXX=g++-%s NVCC_PREPEND_FLAGS='-ccbin g++-%s'", t->gcc_max, t->gcc_max);
}

void jdg_link_abi(struct jdg *j)
{
    const struct jdg_pkg *torch = jdg_pkg(j, "torch");
    for (size_t i = 0; torch && i < COUNT(extensions); i++) {
        const struct jdg_pkg *ext = jdg_pkg(j, extensions[i]);
        if (ext && !(torch->variant && strcmp(torch->variant, "cpu") == 0)) judge_extension(j, ext, torch);
    }
    judge_nvcc(j, torch);
    judge_gcc(j);
}
