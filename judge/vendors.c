/* Other vendors: AMD's gfx targets, Ascend's torch_npu and CANN, Jetson. */
#include "judge/link.h"

static const struct jdg_pkg *with_gfx_list(struct jdg *j)
{
    for (size_t i = 0; i < j->pkgs.n; i++)
        for (size_t k = 0; k < j->pkgs.v[i].p->narch; k++)
            if (strncmp(j->pkgs.v[i].p->arch_list[k], "gfx", 3) == 0) return &j->pkgs.v[i];
    return NULL;
}

static const char *gfx_of(const struct jdg_gpu *gpu) { return gpu->g->gfx ? gpu->g->gfx : gpu->row ? gpu->row->gfx : NULL; }

static bool lists(const struct jdg_pkg *pkg, const char *gfx)
{
    for (size_t i = 0; i < pkg->p->narch; i++) {
        gf_slice target = gf_slice_of(pkg->p->arch_list[i]), base;
        gf_slice_cut(&target, ':', &base); /* gfx90a:xnack- */
        if (gf_slice_is(base, gfx)) return true;
    }
    return false;
}

static void judge_gfx(struct jdg *j)
{
    const struct jdg_pkg *pkg = with_gfx_list(j);
    for (size_t i = 0; pkg && i < j->gpus.n; i++) {
        const char *gfx = gfx_of(&j->gpus.v[i]);
        if (!gfx || lists(pkg, gfx)) continue;
        struct mdl_finding *f = jdg_find(j, MDL_ERROR, MDL_INCOMPATIBLE, "R-GFX", jdg_text(j, "%s on %s", pkg->label, j->gpus.v[i].label),
                                         "%s has no code for %s", pkg->label, gfx);
        for (size_t k = 0; k < pkg->p->narch; k++) jdg_fact(j, f, "%s", pkg->p->arch_list[k]);
        f->fix_text = "a wheel or a ROCm release that lists this target; HSA_OVERRIDE_GFX_VERSION helps within a family only (gfx103x: 10.3.0, gfx110x: 11.0.0)";
        return;
    }
}

/* torch_npu X.Y.Z (post releases aside) goes with torch X.Y.Z. */
static void judge_npu_pair(struct jdg *j)
{
    const struct jdg_pkg *npu = jdg_pkg(j, "torch-npu"), *torch = jdg_pkg(j, "torch");
    if (!npu || !torch || !npu->has_version || !torch->has_version) return;
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t a = i < npu->version.nrelease ? npu->version.release[i] : 0, b = i < torch->version.nrelease ? torch->version.release[i] : 0;
        if (a == b) continue;
        struct mdl_finding *f = jdg_find(j, MDL_ERROR, MDL_INCOMPATIBLE, "R-NPU-PAIR", jdg_text(j, "%s and %s", npu->label, torch->label),
                                         "torch_npu goes with the torch of the same number; there are %s and %s", npu->label, torch->label);
        const char *want = jdg_text(j, "%llu.%llu.%llu", (unsigned long long)npu->version.release[0], (unsigned long long)(npu->version.nrelease > 1 ? npu->version.release[1] : 0),
                                    (unsigned long long)(npu->version.nrelease > 2 ? npu->version.release[2] : 0));
        f->fix_text = jdg_text(j, "torch %s, or the torch_npu of this torch", want);
        jdg_command(j, f, "pip install torch==%s", want);
        return;
    }
}

/* A wheel of the general index on a Jetson: made for discrete GPUs (and SBSA servers). */
static void judge_tegra(struct jdg *j)
{
    const struct jdg_pkg *torch = jdg_pkg(j, "torch");
    bool kernel = j->p->kernel && gf_slice_ifind(gf_slice_of(j->p->kernel), GF_S("tegra")) >= 0;
    if (!j->tegra || !kernel || !torch || !torch->cuda || !torch->variant_stated) return;
    for (size_t i = 0; i < j->gpus.n; i++) {
        if (!j->gpus.v[i].has_cc) continue;
        if (torch->carries && mtx_covers(j->m, torch->carries, j->gpus.v[i].major, j->gpus.v[i].minor, GF_NONE).runs == PY_YES) return;
    }
    struct mdl_finding *f = jdg_find(j, MDL_ERROR, MDL_INCOMPATIBLE, "R-TEGRA", torch->label, "%s is a build for discrete GPUs; the kernel says this is a Jetson, which needs the wheels made for its JetPack", torch->label);
    jdg_fact(j, f, "kernel %s", j->p->kernel);
    f->fix_text = "the wheels of NVIDIA's Jetson index for this JetPack and this Python";
}

/* A build for the cards of the other vendor. */
static void judge_vendor(struct jdg *j)
{
    const struct jdg_pkg *torch = jdg_pkg(j, "torch");
    size_t nvidia = 0, amd = 0;
    for (size_t i = 0; i < j->gpus.n; i++) {
        nvidia += j->gpus.v[i].nvidia;
        amd += gfx_of(&j->gpus.v[i]) != NULL;
    }
    if (!torch || !torch->variant_stated || !j->gpus.n) return;
    bool rocm = strncmp(torch->variant, "rocm", 4) == 0;
    if (!(rocm && nvidia == j->gpus.n) && !(torch->cuda && amd == j->gpus.n)) return;
    struct mdl_finding *f = jdg_find(j, MDL_ERROR, MDL_MISCONFIGURED, "R-VENDOR", jdg_text(j, "%s on %s", torch->label, j->gpus.v[0].label), "%s is a build for %s cards, the machine has %s",
                                     torch->label, rocm ? "AMD" : "NVIDIA", j->gpus.v[0].label);
    f->fix_text = rocm ? "the build for CUDA" : "the build for ROCm, from the vendor's index";
}

void jdg_link_vendors(struct jdg *j)
{
    judge_vendor(j);
    judge_gfx(j);
    judge_npu_pair(j);
    judge_tegra(j);
}
