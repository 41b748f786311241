#include "target/health.h"
#include "target/probe.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const state_names[] = { "good", "doubtful", "bad", "not here" };
const char *tgt_state_name(enum tgt_state s) { return state_names[s]; }

void tgt_step_add(struct tgt_health *h, const char *name, enum tgt_state state, const char *fix, const char *fmt, ...)
{
    va_list ap;
    struct gf_buf text;
    gf_buf_init(&text, 4096);
    va_start(ap, fmt);
    gf_buf_vaddf(&text, fmt, ap);
    va_end(ap);
    if (h->n == h->cap) {
        h->cap = h->cap ? 2 * h->cap : 16;
        h->steps = gf_xreallocarray(h->steps, h->cap, sizeof *h->steps);
    }
    h->steps[h->n++] = (struct tgt_step){ name, state, gf_arena_strz(&h->mem, gf_buf_str(&text)), gf_arena_strz(&h->mem, fix) };
    gf_buf_release(&text);
}

void tgt_health_release(struct tgt_health *h)
{
    free(h->steps);
    gf_arena_release(&h->mem);
    *h = (struct tgt_health){ .n = 0 };
}

/* A file of one line below /sys, trimmed; "" when it is not there. */
static void read_word(struct tgt_probe *p, const char *dir, const char *name, char ret[64])
{
    char path[GF_CAP_PATH];
    gf_slice text = GF_NONE;
    *ret = 0;
    if (snprintf(path, sizeof path, "%s/%s", dir, name) < (int)sizeof path && tgt_probe_read(p, path, &text)) snprintf(ret, 64, "%.*s", GF_FMT(gf_slice_trim(text)));
}

/* ---- the bus ---- */

static bool is_accelerator(const char *class, const char *vendor)
{
    static const char *const makers[] = { "0x10de", "0x1002", "0x19e5", "0x1d94", "0xcabc", "0x1ed5", "0x9999", "0x1e3e", "0x1d22" };
    bool display = strncmp(class, "0x03", 4) == 0, other = strncmp(class, "0x12", 4) == 0;
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
        if (strcmp(vendor, makers[i]) == 0) return display || other;
    return false;
}

static bool covered(const char *vendor) { return strcmp(vendor, "0x10de") == 0 || strcmp(vendor, "0x1002") == 0 || strcmp(vendor, "0x19e5") == 0; }

/* The link as it is now against what card and slot can do; a resting GPU lowers its speed, never its width. */
static void link_step(struct tgt_probe *p, struct tgt_health *h, const char *dir, const char *name)
{
    char now[64], most[64], speed[64];
    read_word(p, dir, "current_link_width", now);
    read_word(p, dir, "max_link_width", most);
    read_word(p, dir, "current_link_speed", speed);
    if (!*now || !*most || strcmp(now, "0") == 0 || strcmp(most, "255") == 0) return;
    if (strcmp(now, most) == 0) tgt_step_add(h, "hardware", TGT_GOOD, NULL, "%s: PCIe x%s, %s", name, now, speed);
    else tgt_step_add(h, "hardware", TGT_DOUBTFUL, "reseat the card, another slot or riser; some slots have fewer lanes by design", "%s: PCIe link x%s, the card can x%s", name, now, most);
}

static size_t look_at_device(struct mtx *m, struct tgt_probe *p, struct tgt_health *h, const char *address)
{
    char dir[300], class[64], vendor[64], device[64], pci[64], driver[GF_CAP_PATH] = "";
    if (snprintf(dir, sizeof dir, "/sys/bus/pci/devices/%s", address) >= (int)sizeof dir) return 0;
    read_word(p, dir, "class", class);
    read_word(p, dir, "vendor", vendor);
    if (!is_accelerator(class, vendor)) return 0;
    read_word(p, dir, "device", device);
    snprintf(pci, sizeof pci, "%.4s:%.4s", vendor + 2, strlen(device) > 2 ? device + 2 : "");
    const struct mtx_gpu *g = mtx_gpu_by_pci(m, gf_slice_of(pci));
    const char *name = g && g->name ? g->name : pci;
    char path[400];
    snprintf(path, sizeof path, "%s/driver", dir);
    const char *bound = tgt_probe_real(p, path, driver) && strrchr(driver, '/') ? strrchr(driver, '/') + 1 : "";
    if (!covered(vendor)) tgt_step_add(h, "bus", TGT_DOUBTFUL, "see the vendor's list of drivers and frameworks", "%s (%s) at %s: a card of a vendor that is not covered here", name, pci, address);
    else if (strcmp(bound, "nouveau") == 0) tgt_step_add(h, "bus", TGT_BAD, "keep nouveau from loading, rebuild the initramfs, reboot", "%s (%s) at %s is driven by nouveau", name, pci, address);
    else if (strcmp(bound, "vfio-pci") == 0) tgt_step_add(h, "bus", TGT_NOT_HERE, NULL, "%s (%s) at %s is given to a virtual machine", name, pci, address);
    else if (!*bound) tgt_step_add(h, "bus", TGT_BAD, "install or load its driver", "%s (%s) at %s has no driver", name, pci, address);
    else tgt_step_add(h, "bus", TGT_GOOD, NULL, "%s (%s) at %s, driver %s", name, pci, address, bound);
    link_step(p, h, dir, name);
    return 1;
}

static size_t look_at_bus(struct mtx *m, struct tgt_probe *p, struct tgt_health *h)
{
    char **names = NULL;
    size_t found = 0, n = tgt_probe_names(p, "/sys/bus/pci/devices", "", &names);
    for (size_t i = 0; i < n; i++) found += look_at_device(m, p, h, names[i]);
    tgt_probe_free_names(names, n);
    if (!found) tgt_step_add(h, "bus", TGT_NOT_HERE, NULL, n ? "no GPU or NPU among %zu PCI devices" : "no PCI bus to look at (%zu devices)", n);
    return found;
}

/* ---- the driver ---- */

static void look_at_driver(struct tgt_probe *p, const struct mdl_profile *facts, struct tgt_health *h)
{
    char loaded[64];
    read_word(p, "/sys/module/nvidia", "version", loaded);
    if (!*loaded) tgt_step_add(h, "driver", TGT_BAD, "install it; or find out why it does not load: Secure Boot, nouveau, DKMS (dmesg | grep -iE 'nvrm|nvidia')", "the NVIDIA kernel module is not loaded");
    else if (facts->driver_version && strcmp(facts->driver_version, loaded) != 0)
        tgt_step_add(h, "driver", TGT_BAD, "reboot, or align the packages first when they come from two repositories", "kernel module %s, libraries %s", loaded, facts->driver_version);
    else tgt_step_add(h, "driver", TGT_GOOD, NULL, "kernel module %s%s%s%s is loaded", loaded, facts->driver_flavour ? " (" : "", facts->driver_flavour ? facts->driver_flavour : "", facts->driver_flavour ? ")" : "");
    if (*loaded) tgt_step_add(h, "nvidia-smi", facts->driver_cuda ? TGT_GOOD : TGT_DOUBTFUL, facts->driver_cuda ? NULL : "nvidia-smi", facts->driver_cuda ? "NVML answers: CUDA %s" : "NVML does not answer%s", facts->driver_cuda ? facts->driver_cuda : "");
}

static void look_at_nodes(struct tgt_probe *p, struct tgt_health *h)
{
    static const char *const needed[] = { "/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia0" };
    size_t there = 0;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        char full[GF_CAP_PATH];
        if (snprintf(full, sizeof full, "%s%s", p->root, needed[i]) >= (int)sizeof full) continue;
        if (access(full, F_OK) != 0) tgt_step_add(h, "device nodes", TGT_BAD, "nvidia-modprobe -u -c=0 makes it", "%s is not there", needed[i]);
        else if (access(full, R_OK | W_OK) != 0) tgt_step_add(h, "device nodes", TGT_BAD, "put the user into the group of the node (often video or render)", "%s may not be opened by this user", needed[i]);
        else there++;
    }
    if (there == sizeof needed / sizeof *needed) tgt_step_add(h, "device nodes", TGT_GOOD, NULL, "the nodes of the driver are there and may be opened");
}

/* ---- framework, load, log ---- */

static void look_at_framework(struct tgt_probe *p, struct tgt_health *h)
{
    static const char *const argv[] = { "python3", "-c", "import torch; print('torch', torch.__version__, torch.version.cuda, torch.cuda.is_available(), torch.cuda.device_count())", NULL };
    gf_buf_clear(&p->out);
    tgt_probe_run(p, "torch", argv);
    ptrdiff_t at = gf_slice_find(gf_buf_slice(&p->out), GF_S("\ntorch "));
    gf_slice line, rest = at >= 0 ? gf_slice_from(gf_buf_slice(&p->out), (size_t)at + 1) : GF_NONE;
    if (!rest.p || !gf_slice_line(&rest, &line)) {
        tgt_step_add(h, "framework", TGT_NOT_HERE, NULL, "python3 has no torch to ask");
        return;
    }
    bool sees = gf_slice_has(line, GF_S(" True "));
    tgt_step_add(h, "framework", sees ? TGT_GOOD : TGT_BAD, sees ? NULL : "gpuferry check says why: a CPU build, or a driver older than its CUDA", "%.*s (version, CUDA, is_available, GPUs)", GF_FMT(line));
}

static double pressure(struct tgt_probe *p, const char *what)
{
    char path[64];
    gf_slice text;
    snprintf(path, sizeof path, "/proc/pressure/%s", what);
    if (!tgt_probe_read(p, path, &text)) return -1;
    ptrdiff_t at = gf_slice_find(text, GF_S("avg60="));
    if (at < 0) return -1;
    gf_slice s = gf_slice_from(text, (size_t)at + 6);
    uint64_t whole = gf_take_u64(&s);
    return s.p ? (double)whole : -1;
}

static int64_t meminfo(gf_slice text, const char *key)
{
    ptrdiff_t at = gf_slice_find(text, gf_slice_of(key));
    if (at < 0) return -1;
    gf_slice s = gf_slice_from(text, (size_t)at + strlen(key));
    gf_take_ws(&s);
    uint64_t kib = gf_take_u64(&s);
    return s.p ? (int64_t)(kib / 1024) : -1;
}

static void look_at_load(struct tgt_probe *p, struct tgt_health *h)
{
    static const struct { const char *what, *means; } kinds[] = { { "cpu", "processes wait for a CPU core" }, { "io", "processes wait for disks or network file systems" }, { "memory", "processes wait for memory" } };
    gf_slice text;
    bool any = false;
    for (size_t i = 0; i < 3; i++) {
        double share = pressure(p, kinds[i].what);
        any |= share >= 0;
        if (share >= 20) tgt_step_add(h, "load", TGT_DOUBTFUL, "the GPU waits for data while this lasts: fewer workers, faster disks, more memory", "%s: %.0f %% of the last minute", kinds[i].means, share);
    }
    if (tgt_probe_read(p, "/proc/meminfo", &text)) {
        int64_t total = meminfo(text, "MemTotal:"), left = meminfo(text, "MemAvailable:");
        if (total > 0 && left >= 0)
            tgt_step_add(h, "load", left * 20 < total ? TGT_DOUBTFUL : TGT_GOOD, left * 20 < total ? "end what is not needed: loading a model needs memory of the host too" : NULL, "%lld of %lld MiB of memory are free",
                         (long long)left, (long long)total);
    }
    if (!any) tgt_step_add(h, "load", TGT_NOT_HERE, NULL, "the kernel keeps no figures of pressure");
}

static void look_at_log(const struct mdl_profile *facts, struct tgt_health *h)
{
    size_t xids = 0;
    for (size_t i = 0; i < facts->nerrors; i++) {
        if (gf_slice_ifind(gf_slice_of(facts->errors[i]), GF_S("xid")) < 0) continue;
        xids++;
        tgt_step_add(h, "hardware", TGT_BAD, "gpuferry doctor reads the number", "%s", facts->errors[i]);
    }
    if (!xids) tgt_step_add(h, "hardware", facts->nerrors ? TGT_GOOD : TGT_NOT_HERE, NULL, facts->nerrors ? "no Xid in the kernel's log" : "no Xid seen (the kernel's log may be closed to this user)");
}

void tgt_health_look(struct mtx *m, const char *root, const struct mdl_profile *p, struct tgt_health *ret)
{
    struct tgt_probe probe = { .root = root };
    *ret = (struct tgt_health){ .n = 0 };
    gf_arena_init(&ret->mem);
    gf_buf_init(&probe.out, TGT_CAP_PROBE);
    gf_buf_init(&probe.file, TGT_CAP_PROBE);
    size_t found = look_at_bus(m, &probe, ret);
    char loaded[64];
    read_word(&probe, "/sys/module/nvidia", "version", loaded);
    bool nvidia = *loaded != 0 || p->driver_known == MDL_PRESENT;
    for (size_t i = 0; i < p->ngpus; i++) nvidia |= p->gpus[i].vendor && strcmp(p->gpus[i].vendor, "nvidia") == 0;
    if (nvidia) {
        look_at_driver(&probe, p, ret);
        if (p->wsl != PY_YES) look_at_nodes(&probe, ret);
        if (!*root) tgt_health_compute(ret);
    }
    if ((nvidia || found) && !*root) look_at_framework(&probe, ret);
    look_at_load(&probe, ret);
    if (nvidia) look_at_log(p, ret);
    gf_buf_release(&probe.out);
    gf_buf_release(&probe.file);
}
