/* Facts that were told of the host: versions of kernel module and user space, Secure Boot, nouveau, Fabric Manager, vGPU. */
#include "judge/link.h"

static gf_slice version_in(const char *text)
{
    gf_slice s = gf_slice_of(text);
    while (s.n && !gf_is_digit((unsigned char)*s.p)) s = gf_slice_from(s, 1);
    size_t n = 0;
    while (n < s.n && (gf_is_digit((unsigned char)s.p[n]) || s.p[n] == '.')) n++;
    return gf_slice_sub(s, 0, n);
}

static const char *first_fact(struct jdg *j, const char *const *keys, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *v = jdg_host(j, keys[i]);
        if (v) return v;
    }
    return NULL;
}
#define FACT(j, ...) first_fact(j, (const char *const[]){ __VA_ARGS__ }, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *))

static void judge_module(struct jdg *j)
{
    const char *module = FACT(j, "kernel_module", "module", "kmod", "loaded_module");
    const char *user = FACT(j, "nvml_library", "client", "user_space", "userspace", "nvidia_smi", "libcuda", "library", "nvml");
    gf_slice a = version_in(module), b = version_in(user);
    if (!a.n || !b.n || gf_dotted_cmp(a, b) == 0) return;
    struct mdl_finding *f = jdg_find(j, MDL_ERROR, MDL_BROKEN_HOST, "R-KMOD-USER", "driver", "the loaded kernel module is %.*s, the driver's libraries are %.*s: they must be equal",
                                     GF_FMT(a), GF_FMT(b));
    f->fix_text = "when the packages agree, reboot (or unload and load the modules); else install both from one repository in one version first";
    jdg_command(j, f, "cat /proc/driver/nvidia/version; dpkg -l '*nvidia*' | grep ^ii");
}

static bool says(const char *text, const char *const *words, size_t n)
{
    for (size_t i = 0; text && i < n; i++)
        if (gf_slice_ifind(gf_slice_of(text), gf_slice_of(words[i])) >= 0) return true;
    return false;
}

static void judge_fabric(struct jdg *j)
{
    static const char *const bad[] = { "differ", "mismatch", "not running", "inactive", "failed", "missing", "absent", "not installed", "false", "stopped", "none", "dead" };
    const char *nvswitch = jdg_host(j, "nvswitch"), *fm = FACT(j, "fabricmanager", "fabric_manager", "nvidia_fabricmanager", "nvidia-fabricmanager");
    bool there = j->p->nvswitch == PY_YES || (nvswitch && strcmp(nvswitch, "false") != 0);
    if (!there) return;
    gf_slice version = version_in(fm);
    bool other = version.n && strchr(fm, '.') && j->driver && gf_dotted_cmp(version, gf_slice_of(j->driver)) != 0;
    if (!other && !says(fm, bad, sizeof bad / sizeof *bad) && !(jdg_has_error(j, "fabric-802") && !fm)) return;
    struct mdl_finding *f = jdg_find(j, MDL_ERROR, MDL_BROKEN_HOST, "R-FABRIC", "Fabric Manager", "this machine has NVSwitch: CUDA starts only with a running Fabric Manager of exactly the driver's version%s%s%s%s",
                                     j->driver ? ", " : "", j->driver ? j->driver : "", fm ? "; it is said to be: " : "", fm ? fm : "");
    f->fix_text = "install the Fabric Manager of that version and start it";
    if (j->driver) jdg_command(j, f, "apt-get install nvidia-fabricmanager-%u=%s*", jdg_cuda_major(j->driver), j->driver);
    jdg_command(j, f, "systemctl enable --now nvidia-fabricmanager");
}

static void judge_vgpu(struct jdg *j)
{
    const char *host = FACT(j, "vgpu_host_branch", "vgpu_host", "vgpu_host_driver", "vgpu_manager");
    if (!host || !j->driver) return;
    ptrdiff_t at = gf_slice_chr(gf_slice_of(host), 'R');
    unsigned branch = jdg_cuda_major(at >= 0 ? host + at + 1 : version_in(host).p), guest = jdg_cuda_major(j->driver);
    if (branch < 300 || branch == guest) return;
    struct mdl_finding *f = jdg_find(j, MDL_ERROR, MDL_BROKEN_HOST, "R-VGPU", "vGPU", "the guest's driver is of branch %u, the vGPU host's of branch %u: a guest takes the driver of its host's release", guest, branch);
    jdg_fact(j, f, "host: %s", host);
    f->fix_text = jdg_text(j, "the vGPU (GRID) guest driver of branch %u", branch);
}

static void judge_vgpu_package(struct jdg *j)
{
    const gf_json *host = j->host ? gf_json_root(j->host) : NULL;
    const char *seen = NULL;
    for (const gf_json *c = gf_json_first(host); c; c = gf_json_next(c))
        if (gf_slice_ifind(gf_json_str(c), GF_S("vgpu-kvm")) >= 0) seen = gf_json_cstr(c);
    for (size_t i = 0; i < j->p->nos_packages; i++)
        if (gf_slice_ifind(gf_slice_of(j->p->os_packages[i].name), GF_S("vgpu-kvm")) >= 0) seen = j->p->os_packages[i].name;
    if (!seen) return;
    struct mdl_finding *f = jdg_find(j, MDL_ERROR, MDL_BROKEN_HOST, "R-VGPU", "driver", "%s is the package of the hypervisor and holds no CUDA", seen);
    f->fix_text = "in the guest, the GRID driver of the same vGPU release";
}

static void judge_kfd(struct jdg *j)
{
    const char *kfd = jdg_host(j, "kfd"), *groups = jdg_host(j, "groups");
    if (!kfd || !groups || gf_slice_ifind(gf_slice_of(kfd), GF_S("render")) < 0 || gf_slice_ifind(gf_slice_of(groups), GF_S("render")) >= 0) return;
    struct mdl_finding *f = jdg_find(j, MDL_ERROR, MDL_BROKEN_HOST, "R-HOST-FACT", "/dev/kfd", "/dev/kfd belongs to group render, the user is in: %s", groups);
    f->fix_text = "put the user into the groups render and video, then log in again";
    jdg_command(j, f, "usermod -aG render,video $USER");
}

static void judge_secure_boot(struct jdg *j)
{
    const char *told = jdg_host(j, "secure_boot"), *renderer = FACT(j, "renderer", "kernel_driver_in_use", "driver_in_use");
    bool on = j->p->secure_boot == PY_YES || (told && strcmp(told, "true") == 0), quiet = jdg_has_error(j, "smi-no-driver") || jdg_has_error(j, "key-rejected");
    gf_slice r = gf_slice_of(renderer);
    bool nouveau = j->p->nouveau == PY_YES || gf_slice_ifind(r, GF_S("nouveau")) >= 0 || (r.n > 2 && gf_slice_starts(r, GF_S("NV")) && gf_is_digit((unsigned char)r.p[2]));
    const char *hn = jdg_host(j, "nouveau");
    if (hn && strcmp(hn, "false") != 0) nouveau = true;
    if (on && quiet) {
        struct mdl_finding *f = jdg_find(j, MDL_ERROR, MDL_BROKEN_HOST, "R-SECUREBOOT", "driver", "Secure Boot is on and the NVIDIA module is not loaded: the kernel refuses modules whose key is not enrolled");
        f->fix_text = "enrol the key that signed the module (mokutil), install signed modules, or turn Secure Boot off";
        jdg_command(j, f, "mokutil --sb-state; dmesg | grep -i 'key was rejected'");
    }
    if (nouveau && (quiet || j->p->driver_known == MDL_ABSENT || (on && !j->driver))) {
        struct mdl_finding *f = jdg_find(j, MDL_ERROR, MDL_BROKEN_HOST, "R-NOUVEAU", "driver", "nouveau drives the card, so the NVIDIA module cannot");
        f->fix_text = "keep nouveau from loading, rebuild the initramfs, reboot";
        jdg_command(j, f, "printf 'blacklist nouveau\\noptions nouveau modeset=0\\n' > /etc/modprobe.d/nouveau.conf && update-initramfs -u");
    }
}

static void judge_shadow(struct jdg *j)
{
    const char *path = FACT(j, "LD_LIBRARY_PATH", "ld_library_path");
    const struct jdg_pkg *torch = jdg_pkg(j, "torch");
    if (!path || gf_slice_ifind(gf_slice_of(path), GF_S("cuda")) < 0 || !torch || !torch->cuda || !j->p->nvcc) return;
    if (gf_dotted_cmp(gf_slice_of(j->p->nvcc), gf_slice_of(torch->cuda)) >= 0) return;
    bool said = jdg_has_error(j, "nvjitlink");
    struct mdl_finding *f = jdg_find(j, said ? MDL_ERROR : MDL_WARNING, MDL_MISCONFIGURED, "R-SHADOW", torch->label,
                                     "LD_LIBRARY_PATH puts the system's CUDA %s before the CUDA %s libraries that came with %s", j->p->nvcc, torch->cuda, torch->label);
    f->fix_text = "take the system's CUDA off LD_LIBRARY_PATH for this program";
    jdg_command(j, f, "unset LD_LIBRARY_PATH");
}

void jdg_link_host(struct jdg *j)
{
    judge_module(j);
    judge_fabric(j);
    judge_vgpu(j);
    judge_vgpu_package(j);
    judge_kfd(j);
    judge_secure_boot(j);
    judge_shadow(j);
}
