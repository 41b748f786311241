/* What the kernel says: dmesg and journal lines (NVRM, nouveau, Secure Boot), /proc/driver/nvidia/version, modinfo nvidia, lspci. */
#include "base/digest.h"
#include "target/paste.h"

static const char LOG[] = "dmesg";

struct kernel_log {
    char nvrm[700]; /* a message of the driver that goes over several lines */
    size_t n;
    bool nvidia_module; /* within modinfo nvidia */
    struct tgt_gpus pci;
    bool last_is_gpu;
};

/* --- NVRM ------------------------------------------------------------------------------------------------------------------ */
static void driver_of_release(struct tgt_paste *s, gf_slice text)
{
    static const char *const before[] = { "The ", "supported by the NVIDIA ", "supported by the " };
    gf_slice rest, tail;
    for (size_t i = 0; i < 3; i++) {
        gf_slice t = text;
        while (tgt_after(t, gf_slice_of(before[i]), &rest)) {
            gf_try_lit(&rest, GF_S("NVIDIA "));
            gf_slice n = tgt_number(rest);
            if (gf_slice_chr(n, '.') > 0 && (tgt_after(rest, GF_S("NVIDIA driver will ignore"), &tail) || tgt_after(rest, GF_S("driver release"), &tail)))
                tgt_fact(s, "driver.version", n, LOG);
            t = rest;
        }
    }
}

/* "The NVIDIA NVIDIA GeForce GTX 1050 GPU installed in this system is …", "The NVIDIA GPU 0000:01:00.0 (PCI ID: 10de:1187) installed …" */
static void ignored_gpu(struct tgt_paste *s, gf_slice text)
{
    gf_slice rest;
    struct mdl_gpu g = { .vendor = "nvidia" };
    if (tgt_after(text, GF_S("(PCI ID:"), &rest) && rest.n >= 9) g.pci = gf_arena_str(&s->p->mem, gf_slice_sub(rest, 0, 9));
    ptrdiff_t end = gf_slice_find(text, GF_S(" GPU installed in this system"));
    ptrdiff_t at = gf_slice_find(text, GF_S("The NVIDIA "));
    if (!g.pci && end > 0 && at >= 0 && end > at + 11) tgt_name_gpu(s, &g, gf_slice_sub(text, (size_t)at + 11, (size_t)(end - at - 11)));
    if (!g.pci && !g.name) return;
    s->facts++;
    mdl_profile_merge_gpus(s->p, &g, 1, tgt_from(s, LOG));
}

static void nvrm_flush(struct tgt_paste *s, struct kernel_log *k)
{
    if (!k->n) return;
    gf_slice text = gf_slice_n(k->nvrm, k->n);
    driver_of_release(s, text);
    ignored_gpu(s, text);
    gf_slice rest;
    if (tgt_after(text, GF_S("kernel module has the version"), &rest)) tgt_fact(s, "driver.version", tgt_number(rest), LOG);
    tgt_error_line(s, text);
    k->n = 0;
}

static void nvrm_add(struct kernel_log *k, gf_slice text)
{
    if (k->n && k->n + 1 < sizeof k->nvrm) k->nvrm[k->n++] = ' ';
    size_t room = sizeof k->nvrm - k->n;
    size_t n = text.n < room ? text.n : room;
    memcpy(k->nvrm + k->n, text.p, n);
    k->n += n;
}

/* "NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May …", "NVIDIA UNIX Open Kernel Module for x86_64  560.28.03  Release Build" */
static bool module_banner(struct tgt_paste *s, gf_slice line, const char *tool)
{
    gf_slice rest;
    if (!tgt_after(line, GF_S("NVIDIA UNIX "), &rest)) return false;
    bool open = gf_slice_starts(rest, GF_S("Open "));
    if (open) {
        gf_slice arch;
        if (tgt_after(rest, GF_S("Module for "), &arch)) {
            gf_slice_word(&arch, &rest);
            tgt_take_arch(s, rest, tool);
            rest = arch;
        }
    } else {
        gf_slice word;
        gf_slice copy = rest;
        if (gf_slice_word(&copy, &word)) tgt_take_arch(s, word, tool);
        if (!tgt_after(rest, GF_S("Kernel Module"), &rest)) return false;
    }
    gf_slice version = tgt_find_number(rest);
    if (!version.n) return false;
    tgt_fact(s, "driver.version", version, tool);
    tgt_fact(s, "driver.flavour", open ? GF_S("open") : GF_S("proprietary"), tool);
    return true;
}

static bool nvrm_line(struct tgt_paste *s, struct kernel_log *k, gf_slice line)
{
    gf_slice rest;
    if (gf_slice_has(line, GF_S("NVRM version:"))) return module_banner(s, line, "/proc/driver/nvidia/version");
    if (!tgt_after(line, GF_S("NVRM:"), &rest)) {
        nvrm_flush(s, k);
        return false;
    }
    rest = gf_slice_trim(rest);
    if (module_banner(s, rest, LOG)) {
        nvrm_flush(s, k);
        return true;
    }
    gf_slice more = gf_slice_from(line, (size_t)gf_slice_find(line, GF_S("NVRM:")) + 5);
    bool follows = gf_slice_starts(more, GF_S("  ")) || (k->n && rest.n && rest.p[0] >= 'a' && rest.p[0] <= 'z') || (k->n && gf_slice_starts(rest, GF_S("NVIDIA ")));
    if (!follows) nvrm_flush(s, k);
    nvrm_add(k, rest);
    return true;
}

/* --- the rest of the log ----------------------------------------------------------------------------------------------------- */
static bool other_line(struct tgt_paste *s, gf_slice line)
{
    gf_slice rest, word;
    if (tgt_after(line, GF_S("Linux version "), &rest) && gf_slice_word(&rest, &word) && gf_is_digit((unsigned char)word.p[0])) {
        tgt_take_kernel(s, word, LOG);
        return true;
    }
    bool boot = gf_slice_has(line, GF_S("ecure"));
    if (boot && (gf_slice_ifind(line, GF_S("Secure boot enabled")) >= 0 || gf_slice_starts(line, GF_S("SecureBoot enabled")))) tgt_fact_tri(s, "secure_boot", true, LOG);
    else if (boot && (gf_slice_ifind(line, GF_S("Secure boot disabled")) >= 0 || gf_slice_starts(line, GF_S("SecureBoot disabled")))) tgt_fact_tri(s, "secure_boot", false, LOG);
    else if (gf_slice_has(line, GF_S("nouveau ")) && gf_slice_has(line, GF_S(": NVIDIA "))) tgt_fact_tri(s, "nouveau", true, LOG);
    else if (gf_slice_has(line, GF_S("Key was rejected by service")) || gf_slice_has(line, GF_S("Loading of unsigned module")) ||
             (gf_slice_has(line, GF_S("nvidia")) && gf_slice_has(line, GF_S("disagrees about version of symbol")))) tgt_error_line(s, line);
    else return false;
    return true;
}

/* lsmod: "nouveau  2306048  1" */
static bool lsmod_line(struct tgt_paste *s, gf_slice line)
{
    gf_slice name, size, used;
    uint64_t n;
    if (!gf_slice_word(&line, &name) || (!gf_slice_is(name, "nouveau")) || !gf_slice_word(&line, &size) || !gf_slice_word(&line, &used)) return false;
    if (!gf_slice_u64(size, &n) || !gf_slice_u64(used, &n)) return false;
    tgt_fact_tri(s, "nouveau", true, "lsmod");
    return true;
}

/* --- modinfo ------------------------------------------------------------------------------------------------------------------ */
static bool modinfo_line(struct tgt_paste *s, struct kernel_log *k, gf_slice line)
{
    gf_slice v;
    if (tgt_key(line, GF_S("filename"), &v)) {
        k->nvidia_module = gf_slice_has(v, GF_S("/nvidia.ko")) || gf_slice_has(v, GF_S("/nvidia-current.ko"));
        return k->nvidia_module;
    }
    if (!k->nvidia_module) return false;
    static const char TOOL[] = "modinfo nvidia";
    if (tgt_key(line, GF_S("version"), &v)) tgt_fact(s, "driver.version", tgt_number(v), TOOL);
    else if (tgt_key(line, GF_S("license"), &v)) tgt_fact(s, "driver.flavour", gf_slice_has(v, GF_S("MIT")) ? GF_S("open") : GF_S("proprietary"), TOOL);
    else if (gf_slice_chr(line, ':') < 0) k->nvidia_module = false;
    return k->nvidia_module;
}

/* --- lspci --------------------------------------------------------------------------------------------------------------------- */
static const char *pci_vendor(gf_slice id)
{
    if (gf_slice_starts(id, GF_S("10de"))) return "nvidia";
    if (gf_slice_starts(id, GF_S("1002"))) return "amd";
    if (gf_slice_starts(id, GF_S("19e5"))) return "huawei";
    return NULL;
}

static bool is_pci_id(gf_slice s)
{
    unsigned char b[2];
    return s.n == 9 && s.p[4] == ':' && gf_unhex(gf_slice_sub(s, 0, 4), b, 2) && gf_unhex(gf_slice_from(s, 5), b, 2);
}

/* Text within the brackets of the line, one after the other. */
static bool bracket(gf_slice *s, gf_slice *ret)
{
    gf_slice before;
    return gf_slice_cut(s, '[', &before) && gf_slice_cut(s, ']', ret);
}

/* "01:00.0 VGA compatible controller [0300]: NVIDIA Corporation GA102 [GeForce RTX 3090] [10de:2204] (rev a1)", with or without the numbers. */
static bool lspci_line(struct tgt_paste *s, struct kernel_log *k, gf_slice line)
{
    static const char *const classes[] = { "VGA compatible controller", "3D controller", "Display controller", "Processing accelerators" };
    gf_slice rest = GF_NONE, in;
    for (size_t i = 0; i < 4 && !rest.n; i++) tgt_after(line, gf_slice_of(classes[i]), &rest);
    if (!rest.n) {
        if (k->last_is_gpu && tgt_after(line, GF_S("Kernel driver in use: nouveau"), &rest)) tgt_fact_tri(s, "nouveau", true, "lspci");
        return false;
    }
    gf_slice name = GF_NONE, id = GF_NONE;
    for (gf_slice t = rest; bracket(&t, &in);) {
        if (is_pci_id(in)) id = in;
        else if (in.n > 4) name = in;
    }
    const char *vendor = id.n ? pci_vendor(id) : gf_slice_has(rest, GF_S("NVIDIA")) ? "nvidia" : gf_slice_has(rest, GF_S("[AMD")) ? "amd" : NULL;
    k->last_is_gpu = vendor != NULL;
    struct mdl_gpu *g = vendor ? tgt_gpus_at(&k->pci, k->pci.n) : NULL;
    if (!g) return true;
    g->vendor = vendor;
    if (id.n) g->pci = gf_arena_str(&s->p->mem, id);
    if (name.n && strcmp(vendor, "nvidia") == 0) tgt_name_gpu(s, g, name);
    return true;
}

static bool log_line(struct tgt_paste *s, void *state, gf_slice line)
{
    struct kernel_log *k = state;
    if (!line.n || line.n > 4000) return false;
    return nvrm_line(s, k, line) || modinfo_line(s, k, line) || lspci_line(s, k, line) || lsmod_line(s, line) || other_line(s, line);
}

static void log_end(struct tgt_paste *s, void *state)
{
    struct kernel_log *k = state;
    nvrm_flush(s, k);
    tgt_gpus_flush(s, &k->pci, "lspci");
    k->nvidia_module = k->last_is_gpu = false;
}

const struct tgt_format tgt_kernel_log = { "kernel log", sizeof(struct kernel_log), log_line, log_end };
