/* GPUs and their driver: /sys/bus/pci, /proc/driver/nvidia, NVML where its library is there, the kernel's topology for AMD, the device tree for Tegra. */
#include "target/probe.h"
#include <dlfcn.h>
#include <stdio.h>

/* --- NVML ------------------------------------------------------------------------------------------------------------------------ */
/* The part of NVIDIA's management library that is used here, by its documented ABI. */
typedef int nvml_return;
typedef struct nvml_device_st *nvml_device;
struct nvml_memory { unsigned long long total, free, used; };
struct nvml_pci { char legacy[16]; unsigned domain, bus, device, pci_device_id, pci_subsystem_id; char bus_id[32]; };

struct nvml {
    void *lib;
    nvml_return (*init)(void);
    nvml_return (*shutdown)(void);
    nvml_return (*driver_version)(char *, unsigned);
    nvml_return (*nvml_version)(char *, unsigned);
    nvml_return (*cuda_version)(int *);
    nvml_return (*count)(unsigned *);
    nvml_return (*handle)(unsigned, nvml_device *);
    nvml_return (*name)(nvml_device, char *, unsigned);
    nvml_return (*memory)(nvml_device, struct nvml_memory *);
    nvml_return (*pci)(nvml_device, struct nvml_pci *);
    nvml_return (*capability)(nvml_device, int *, int *);
    nvml_return (*mig)(nvml_device, unsigned *, unsigned *);
    const char *(*error)(nvml_return);
};

/* dlsym hands out objects; C has no conversion of those to functions, POSIX promises that the bytes do. */
static bool bind(struct nvml *n, const char *symbol, void *to)
{
    void *at = dlsym(n->lib, symbol);
    memcpy(to, &at, sizeof at);
    return at != NULL;
}

static bool nvml_open(struct nvml *n)
{
    *n = (struct nvml){ .lib = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL) };
    if (!n->lib) n->lib = dlopen("/usr/lib/wsl/lib/libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!n->lib) return false;
    bool ok = bind(n, "nvmlInit_v2", &n->init) && bind(n, "nvmlShutdown", &n->shutdown) && bind(n, "nvmlSystemGetDriverVersion", &n->driver_version) &&
              bind(n, "nvmlDeviceGetCount_v2", &n->count) && bind(n, "nvmlDeviceGetHandleByIndex_v2", &n->handle) && bind(n, "nvmlDeviceGetName", &n->name) &&
              bind(n, "nvmlDeviceGetMemoryInfo", &n->memory) && bind(n, "nvmlDeviceGetPciInfo_v3", &n->pci) && bind(n, "nvmlErrorString", &n->error);
    bind(n, "nvmlSystemGetNVMLVersion", &n->nvml_version);
    bind(n, "nvmlSystemGetCudaDriverVersion", &n->cuda_version);
    bind(n, "nvmlDeviceGetCudaComputeCapability", &n->capability);
    bind(n, "nvmlDeviceGetMigMode", &n->mig);
    if (!ok) dlclose(n->lib);
    return ok;
}

enum { NVML_DRIVER_NOT_LOADED = 9, NVML_LIB_RM_VERSION_MISMATCH = 18 };

/* As nvidia-smi says it, so that both ways to look give one text. */
static void nvml_failure(struct tgt_probe *p, const struct nvml *n, nvml_return rc)
{
    char version[96] = "";
    gf_buf_adds(&p->out, "== nvidia-smi\n");
    if (rc == NVML_DRIVER_NOT_LOADED)
        gf_buf_adds(&p->out, "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.\n");
    else gf_buf_addf(&p->out, "Failed to initialize NVML: %s\n", n->error(rc));
    if (rc != NVML_LIB_RM_VERSION_MISMATCH || !n->nvml_version || n->nvml_version(version, sizeof version) != 0) return;
    gf_slice v = gf_slice_of(version), major; /* "12.580.178": CUDA's major stands in front */
    if (gf_slice_cut(&v, '.', &major)) gf_buf_addf(&p->out, "NVML library version: %.*s\n", GF_FMT(gf_slice_chr(v, '.') > 0 && gf_slice_rchr(v, '.') != gf_slice_chr(v, '.') ? gf_slice_sub(v, 0, (size_t)gf_slice_rchr(v, '.')) : v));
}

static void nvml_driver(struct tgt_probe *p, const struct nvml *n)
{
    char version[96];
    int cuda = 0;
    if (n->driver_version(version, sizeof version) == 0) gf_buf_addf(&p->out, "version=%s\n", version);
    if (n->cuda_version && n->cuda_version(&cuda) == 0 && cuda > 0) gf_buf_addf(&p->out, "cuda=%d.%d\n", cuda / 1000, cuda % 1000 / 10);
}

static void nvml_gpu(struct tgt_probe *p, const struct nvml *n, nvml_device d)
{
    char name[128];
    struct nvml_memory memory = { 0 };
    struct nvml_pci pci = { .domain = 0 };
    int major = 0, minor = 0;
    unsigned now = 2, later = 2;
    if (n->name(d, name, sizeof name) != 0) return;
    gf_buf_addf(&p->out, "%s, ", name);
    if (n->pci(d, &pci) == 0) gf_buf_addf(&p->out, "0x%08X, ", pci.pci_device_id);
    else gf_buf_adds(&p->out, "[N/A], ");
    if (n->memory(d, &memory) == 0) gf_buf_addf(&p->out, "%llu MiB, ", memory.total >> 20);
    else gf_buf_adds(&p->out, "[N/A], ");
    if (n->capability && n->capability(d, &major, &minor) == 0) gf_buf_addf(&p->out, "%d.%d, ", major, minor);
    else gf_buf_adds(&p->out, "[N/A], ");
    gf_buf_adds(&p->out, n->mig && n->mig(d, &now, &later) == 0 ? (now == 1 ? "Enabled\n" : "Disabled\n") : "[N/A]\n");
}

static void nvml_gpus(struct tgt_probe *p, const struct nvml *n)
{
    unsigned count = 0;
    nvml_device d;
    if (n->count(&count) != 0) return;
    if (!count) {
        gf_buf_adds(&p->out, "== nvidia-smi\nNo devices were found\n");
        return;
    }
    gf_buf_adds(&p->out, "== gpus\nname, pci.device_id, memory.total [MiB], compute_cap, mig.mode.current\n");
    for (unsigned i = 0; i < count; i++)
        if (n->handle(i, &d) == 0) nvml_gpu(p, n, d);
}

/* --- driver ------------------------------------------------------------------------------------------------------------------------ */
/* Version and flavour stand in the banner of the module. */
static bool module_loaded(struct tgt_probe *p)
{
    gf_slice text, line;
    if (!tgt_probe_read(p, "/proc/driver/nvidia/version", &text) || !gf_slice_line(&text, &line)) return false;
    gf_slice version = GF_NONE, word;
    for (gf_slice rest = line; !version.n && gf_slice_word(&rest, &word);)
        if (gf_is_digit((unsigned char)word.p[0]) && gf_slice_chr(word, '.') > 0) version = word;
    if (!version.n) return false;
    gf_buf_addf(&p->out, "version=%.*s\nflavour=%s\n", GF_FMT(version), gf_slice_has(line, GF_S(" Open ")) ? "open" : "proprietary");
    return true;
}

static void module_file(struct tgt_probe *p)
{
    gf_slice release, deps;
    char path[512];
    if (!tgt_probe_read(p, "/proc/sys/kernel/osrelease", &release)) return;
    release = gf_slice_trim(release);
    snprintf(path, sizeof path, "/lib/modules/%.*s/modules.dep", (int)(release.n < 200 ? release.n : 200), release.p);
    if (!tgt_probe_read(p, path, &deps)) return;
    bool there = gf_slice_has(deps, GF_S("/nvidia.ko")) || gf_slice_has(deps, GF_S("/nvidia-current.ko"));
    gf_buf_addf(&p->out, "module=%s\n", there ? "yes" : "no");
}

/* --- buses ------------------------------------------------------------------------------------------------------------------------- */
static bool read_id(struct tgt_probe *p, const char *device, const char *what, char out[16])
{
    char path[300];
    gf_slice v;
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%.200s/%s", device, what);
    if (!tgt_probe_read(p, path, &v)) return false;
    v = gf_slice_trim(v);
    gf_try_lit(&v, GF_S("0x"));
    if (!v.n || v.n > 8) return false;
    snprintf(out, 16, "%.*s", GF_FMT(v));
    return true;
}

static void pci_device(struct tgt_probe *p, const char *name)
{
    char class[16], vendor[16], device[16], link[300], real[GF_CAP_PATH];
    if (!read_id(p, name, "class", class)) return;
    bool display = strncmp(class, "03", 2) == 0, accelerator = strncmp(class, "12", 2) == 0, bridge = strncmp(class, "0680", 4) == 0;
    if ((!display && !accelerator && !bridge) || !read_id(p, name, "vendor", vendor) || !read_id(p, name, "device", device)) return;
    if (bridge && strcmp(vendor, "10de") != 0) return;
    snprintf(link, sizeof link, "/sys/bus/pci/devices/%.200s/driver", name);
    const char *driver = tgt_probe_real(p, link, real) ? strrchr(real, '/') : NULL;
    gf_buf_addf(&p->out, "%s:%s %.4s %s\n", vendor, device, class, driver ? driver + 1 : "-");
}

static void probe_pci(struct tgt_probe *p)
{
    char **names;
    if (!tgt_probe_exists(p, "/sys/bus/pci/devices")) return;
    size_t n = tgt_probe_names(p, "/sys/bus/pci/devices", "", &names);
    gf_buf_adds(&p->out, "== pci\nscanned=yes\n");
    for (size_t i = 0; i < n; i++) pci_device(p, names[i]);
    tgt_probe_free_names(names, n);
}

static void probe_kfd(struct tgt_probe *p)
{
    char **names, path[300];
    size_t n = tgt_probe_names(p, "/sys/class/kfd/kfd/topology/nodes", "", &names);
    if (n) gf_buf_adds(&p->out, "== kfd\n");
    for (size_t i = 0; i < n; i++) {
        gf_slice text, line, v;
        snprintf(path, sizeof path, "/sys/class/kfd/kfd/topology/nodes/%.100s/properties", names[i]);
        if (!tgt_probe_read(p, path, &text)) continue;
        while (gf_slice_line(&text, &line)) {
            v = line;
            if (gf_try_lit(&v, GF_S("gfx_target_version "))) gf_buf_addf(&p->out, "gfx=%.*s\n", GF_FMT(gf_slice_trim(v)));
        }
    }
    tgt_probe_free_names(names, n);
}

static void probe_tegra(struct tgt_probe *p)
{
    gf_slice model;
    if (!tgt_probe_exists(p, "/etc/nv_tegra_release") || !tgt_probe_read(p, "/proc/device-tree/model", &model)) return;
    while (model.n && model.p[model.n - 1] == '\0') model.n--;
    gf_buf_addf(&p->out, "== tegra\nmodel=%.*s\n", GF_FMT(model));
}

void tgt_probe_driver(struct tgt_probe *p)
{
    struct nvml n = { 0 };
    bool there = !*p->root && nvml_open(&n);
    nvml_return rc = there ? n.init() : 0;
    gf_buf_adds(&p->out, "== driver\n");
    gf_buf_addf(&p->out, "nouveau=%s\n", tgt_probe_exists(p, "/sys/module/nouveau") ? "yes" : "no");
    bool loaded = module_loaded(p);
    if (there && rc == 0) nvml_driver(p, &n);
    module_file(p);
    gf_buf_addf(&p->out, "loaded=%s\n", loaded || (there && rc == 0) ? "yes" : "no");
    if (there && rc == 0) nvml_gpus(p, &n);
    else if (there) nvml_failure(p, &n, rc);
    if (there && rc == 0) n.shutdown();
    probe_pci(p);
    probe_kfd(p);
    probe_tegra(p);
}
