/* What scripts/collect.sh writes, and what this machine's detection writes for itself: "gpuferry-collect 1", then sections "== name". Facts stand as
 * key=value or in small tables; sections that hold a tool's own output go on to that tool's format. Its --short form is three lines with a check sum. */
#include "target/paste.h"
#include <stdio.h>

struct collector;

/* A section is read by pairs key=value, by rows, or by the format of the tool whose output it is. */
struct section {
    const char *name;
    void (*pair)(struct tgt_paste *s, struct collector *c, gf_slice key, gf_slice value);
    void (*row)(struct tgt_paste *s, struct collector *c, gf_slice line);
    bool raw;
};

struct collector {
    bool in;
    const struct section *at; /* NULL: one that is not known here */
    bool scanned_pci, has_gpu, has_nvswitch, wsl, module_there;
    char *libcuda;
    struct tgt_gpus pci;
    struct tgt_gpus kfd;
    char *line[3]; /* of the short form */
};

/* --- sections --------------------------------------------------------------------------------------------------------------- */
static bool yes(gf_slice v) { return gf_slice_is(v, "yes") || gf_slice_is(v, "on"); }

static void system_value(struct tgt_paste *s, struct collector *c, gf_slice key, gf_slice v)
{
    uint64_t n;
    if (gf_slice_is(key, "kernel")) tgt_take_kernel(s, v, "uname");
    else if (gf_slice_is(key, "arch")) tgt_take_arch(s, v, "uname");
    else if (gf_slice_is(key, "page_size") && gf_slice_u64(v, &n) && n <= (1 << 20)) s->p->page_size = (int64_t)n;
    else if (gf_slice_is(key, "container")) tgt_fact_tri(s, "os.container", yes(v), "system");
    else if (gf_slice_is(key, "wsl")) {
        c->wsl = yes(v);
        tgt_fact_tri(s, "os.wsl", c->wsl, "system");
    } else if (gf_slice_is(key, "glibc") || gf_slice_is(key, "musl")) {
        tgt_fact(s, "libc.name", key, "libc");
        tgt_fact(s, "libc.version", v, "libc");
    } else if (gf_slice_is(key, "libstdcxx")) tgt_fact(s, "libstdcxx", v, "libstdc++");
    else if (gf_slice_is(key, "secure_boot")) tgt_fact_tri(s, "secure_boot", yes(v), "efivars");
}

static void cpu_value(struct tgt_paste *s, struct collector *c, gf_slice key, gf_slice v)
{
    gf_slice word;
    (void)c;
    if (!gf_slice_is(key, "flags")) return;
    while (!s->p->cpu_level && s->p->ncpu_flags < 1000 && gf_slice_word(&v, &word)) {
        const char **list = mdl_profile_grow(s->p, (void *)(uintptr_t)s->p->cpu_flags, s->p->ncpu_flags, sizeof *list);
        list[s->p->ncpu_flags++] = gf_arena_str(&s->p->mem, word);
        s->p->cpu_flags = list;
    }
    s->p->cpu_level = tgt_cpu_level(s->p->cpu_flags, s->p->ncpu_flags);
    s->facts++;
}

static void driver_value(struct tgt_paste *s, struct collector *c, gf_slice key, gf_slice v)
{
    if (gf_slice_is(key, "version")) tgt_fact(s, "driver.version", v, "driver");
    else if (gf_slice_is(key, "cuda")) tgt_fact(s, "driver.cuda", v, "driver");
    else if (gf_slice_is(key, "flavour")) tgt_fact(s, "driver.flavour", v, "driver");
    else if (gf_slice_is(key, "origin")) tgt_fact(s, "driver.origin", v, "driver");
    else if (gf_slice_is(key, "nouveau")) tgt_fact_tri(s, "nouveau", yes(v), "driver");
    else if (gf_slice_is(key, "module")) c->module_there = yes(v);
    else if (gf_slice_is(key, "loaded") && !yes(v)) {
        if (!s->p->driver_version) tgt_fact_absent(s, "driver", "driver");
        if (c->module_there) tgt_error_line(s, GF_S("the nvidia module is installed for this kernel but not loaded"));
    }
}

static const char *vendor_of(gf_slice id)
{
    static const char *const vendors[][2] = { { "10de", "nvidia" }, { "1002", "amd" }, { "19e5", "huawei" }, { "1d94", "hygon" }, { "1ed5", "moore-threads" }, { "cabc", "cambricon" } };
    for (size_t i = 0; i < sizeof vendors / sizeof vendors[0]; i++)
        if (gf_slice_starts(id, gf_slice_of(vendors[i][0]))) return vendors[i][1];
    return NULL;
}

/* "10de:2204 0300 nvidia": vendor and device, class, driver bound to it or "-". */
static void pci_row(struct tgt_paste *s, struct collector *c, gf_slice line)
{
    gf_slice id, class;
    if (gf_slice_is(line, "scanned=yes")) c->scanned_pci = true;
    if (!gf_slice_word(&line, &id) || id.n != 9 || !gf_slice_word(&line, &class)) return;
    const char *vendor = vendor_of(id);
    if (gf_slice_starts(class, GF_S("0680")) && vendor && strcmp(vendor, "nvidia") == 0) c->has_nvswitch = true;
    if (!vendor || !(gf_slice_starts(class, GF_S("03")) || gf_slice_starts(class, GF_S("12")))) return;
    struct mdl_gpu *g = tgt_gpus_at(&c->pci, c->pci.n);
    if (!g) return;
    *g = (struct mdl_gpu){ .vendor = vendor, .pci = gf_arena_str(&s->p->mem, id) };
    c->has_gpu = true;
}

/* gfx_target_version of the kernel's topology: 90010 is gfx90a, 110001 is gfx1101. */
static void kfd_row(struct tgt_paste *s, struct collector *c, gf_slice line)
{
    gf_slice v;
    uint64_t n;
    if (!tgt_key(line, GF_S("gfx"), &v) || !gf_slice_u64(v, &n) || !n || n > 1000000) return;
    struct mdl_gpu *g = tgt_gpus_at(&c->kfd, c->kfd.n);
    if (!g) return;
    *g = (struct mdl_gpu){ .vendor = "amd", .gfx = gf_arena_printf(&s->p->mem, "gfx%u%x%x", (unsigned)(n / 10000), (unsigned)(n / 100 % 100), (unsigned)(n % 100)) };
    c->has_gpu = true;
}

static void tegra_value(struct tgt_paste *s, struct collector *c, gf_slice key, gf_slice v)
{
    if (!gf_slice_is(key, "model")) return;
    struct mdl_gpu g = { .vendor = "nvidia", .name = tgt_keep(s, v), .cc = tgt_tegra_cc(v) };
    mdl_profile_merge_gpus(s->p, &g, 1, tgt_from(s, "device tree"));
    s->facts++;
    c->has_gpu = true;
}

static void software_value(struct tgt_paste *s, struct collector *c, gf_slice key, gf_slice v)
{
    static const struct { const char *key, *fact, *group; } rows[] = {
        { "nvcc", "toolkit.nvcc", NULL }, { "rocm", "toolkit.rocm", NULL }, { "cann", "toolkit.cann", NULL }, { "cudnn", "cudnn", "cudnn" }, { "gcc", "gcc", "gcc" }, { "dkms", "dkms", "dkms" },
        { "runtime", "containers.runtime", NULL }, { "toolkit", "containers.toolkit", NULL },
    };
    if (gf_slice_is(key, "libcuda")) c->libcuda = tgt_keep(s, v);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!gf_slice_is(key, rows[i].key)) continue;
        if (!gf_slice_is(v, "none")) tgt_fact(s, rows[i].fact, v, "software");
        else if (rows[i].group) tgt_fact_absent(s, rows[i].group, "software");
        else if (gf_slice_is(key, "nvcc") && s->p->nvcc_known == MDL_UNKNOWN) s->p->nvcc_known = MDL_ABSENT;
        else if (gf_slice_is(key, "runtime") && s->p->runtime_known == MDL_UNKNOWN) s->p->runtime_known = MDL_ABSENT;
        return;
    }
}

static void header_row(struct tgt_paste *s, struct collector *c, gf_slice release)
{
    (void)c;
    if (gf_slice_is(release, "none")) {
        tgt_fact_absent(s, "headers", "/lib/modules");
        return;
    }
    if (s->p->nheaders >= 100) return;
    const char **list = mdl_profile_grow(s->p, (void *)(uintptr_t)s->p->headers, s->p->nheaders, sizeof *list);
    list[s->p->nheaders++] = gf_arena_str(&s->p->mem, release);
    s->p->headers = list;
    s->p->headers_known = MDL_PRESENT;
    s->facts++;
}

/* "version=3.11.2 abi=cp311 venv=yes pip=no path=/usr/bin/python3.11"; the first is what "python3" runs. */
static void python_row(struct tgt_paste *s, struct collector *c, gf_slice line)
{
    (void)c;
    struct mdl_interpreter t = { 0 };
    gf_slice word, v;
    if (gf_slice_is(line, "none")) {
        tgt_fact_absent(s, "python", "python");
        return;
    }
    for (gf_slice rest = line; gf_slice_word(&rest, &word);) {
        if (tgt_key(word, GF_S("version"), &v)) t.version = tgt_keep(s, v);
        else if (tgt_key(word, GF_S("abi"), &v)) t.abi = tgt_keep(s, v);
        else if (tgt_key(word, GF_S("venv"), &v)) t.has_venv = yes(v);
        else if (tgt_key(word, GF_S("pip"), &v)) t.has_pip = yes(v);
        else if (tgt_after(line, GF_S("path="), &v)) t.path = tgt_keep(s, v);
    }
    if (!t.version || s->p->ninterpreters >= 100) return;
    if (!s->p->ninterpreters) {
        tgt_fact(s, "python.version", gf_slice_of(t.version), "python");
        tgt_fact(s, "python.implementation", GF_S("cpython"), "python");
        if (t.abi) tgt_fact(s, "python.abi", gf_slice_of(t.abi), "python");
    }
    s->p->interpreters = mdl_profile_grow(s->p, s->p->interpreters, s->p->ninterpreters, sizeof t);
    s->p->interpreters[s->p->ninterpreters++] = t;
}

static bool has_package(const struct mdl_profile *p, const char *name)
{
    for (size_t i = 0; i < p->npackages; i++)
        if (strcmp(p->packages[i].name, name) == 0) return true;
    return false;
}

/* "torch==2.5.1 cuda=12.4", in the order in which Python would find them. */
static void distribution_row(struct tgt_paste *s, struct collector *c, gf_slice line)
{
    (void)c;
    gf_slice name, version, cuda;
    ptrdiff_t eq = gf_slice_find(line, GF_S("=="));
    if (eq <= 0) return;
    s->p->packages_known = MDL_PRESENT;
    name = gf_slice_sub(line, 0, (size_t)eq);
    gf_slice rest = gf_slice_from(line, (size_t)eq + 2);
    if (!gf_slice_word(&rest, &version) || !py_name_valid(name) || has_package(s->p, py_name_normalize(&s->p->mem, name))) return;
    struct mdl_package p = { .name = gf_arena_str(&s->p->mem, name), .version = tgt_keep(s, version) };
    if (tgt_key(rest, GF_S("cuda"), &cuda) && gf_slice_chr(version, '+') < 0) {
        gf_slice minor = cuda, major;
        if (gf_slice_cut(&minor, '.', &major)) p.build = gf_arena_printf(&s->p->mem, "cu%.*s%.*s", GF_FMT(major), GF_FMT(minor));
        else if (gf_slice_is(cuda, "none")) p.build = "cpu";
    }
    tgt_fact_package(s, p, "site-packages");
}

/* Of the system's packages only those that a plan can hang on are facts; the text holds them all. */
static bool matters(gf_slice name)
{
    static const char *const parts[] = { "nvidia", "cuda", "cudnn", "nccl", "tensorrt", "libnv", "rocm", "amdgpu", "ascend", "linux-headers", "kernel-devel", "kernel-headers", "container-toolkit" };
    static const char *const whole[] = { "gcc", "g++", "gcc-c++", "dkms", "make", "libc6", "glibc", "musl", "python3", "python3-venv", "python3-pip", "docker.io", "docker-ce", "containerd",
                                         "containerd.io", "podman", "mokutil", "build-essential", "linux-image-amd64", "linux-image-generic", "kernel" };
    for (size_t at = 0; at < name.n; at++) /* thousands of names, most of them none of these: compare where the first letter fits */
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
            if (name.p[at] == parts[i][0] && gf_slice_starts(gf_slice_from(name, at), gf_slice_of(parts[i]))) return true;
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++)
        if (gf_slice_is(name, whole[i])) return true;
    return false;
}

static void os_package_row(struct tgt_paste *s, struct collector *c, gf_slice line)
{
    gf_slice name, version;
    if (!gf_slice_word(&line, &name) || !gf_slice_word(&line, &version) || !matters(name) || s->p->nos_packages >= TGT_MAX_PACKAGES) return;
    mdl_profile_add_os_package(s->p, (struct mdl_package){ .name = gf_arena_str(&s->p->mem, name), .version = gf_arena_str(&s->p->mem, version), .origin = c->at->name });
    s->facts++;
}

static void disk_row(struct tgt_paste *s, struct collector *c, gf_slice line)
{
    (void)c;
    gf_slice mount, free_mib;
    uint64_t n;
    if (!gf_slice_word(&line, &mount) || !gf_slice_word(&line, &free_mib) || !gf_slice_u64(free_mib, &n) || n > (1ull << 40) || s->p->ndisks >= 100) return;
    s->p->disks = mdl_profile_grow(s->p, s->p->disks, s->p->ndisks, sizeof *s->p->disks);
    s->p->disks[s->p->ndisks++] = (struct mdl_disk){ gf_arena_str(&s->p->mem, mount), (int64_t)n };
    s->facts++;
}

static void label_row(struct tgt_paste *s, struct collector *c, gf_slice line)
{
    (void)c;
    tgt_fact(s, "label", line, "label");
}

/* nvidia-smi's CSV */
static void gpus_row(struct tgt_paste *s, struct collector *c, gf_slice line)
{
    (void)s;
    c->has_gpu |= gf_slice_chr(line, ',') >= 0 && !gf_slice_starts(line, GF_S("name,"));
}

static const struct section sections[] = {
    { "label", NULL, label_row, false },
    { "system", system_value, NULL, false },
    { "cpu", cpu_value, NULL, false },
    { "driver", driver_value, NULL, false },
    { "pci", NULL, pci_row, false },
    { "kfd", NULL, kfd_row, false },
    { "tegra", tegra_value, NULL, false },
    { "software", software_value, NULL, false },
    { "headers", NULL, header_row, false },
    { "python", NULL, python_row, false },
    { "distributions", NULL, distribution_row, false },
    { "dpkg", NULL, os_package_row, false },
    { "rpm", NULL, os_package_row, false },
    { "apk", NULL, os_package_row, false },
    { "disks", NULL, disk_row, false },
    { "gpus", NULL, gpus_row, true },
    { "os-release", NULL, NULL, true },
    { "nvidia-version", NULL, NULL, true },
    { "nvidia-gpus", NULL, NULL, true },
    { "nvidia-smi", NULL, NULL, true },
    { "nvidia-smi-q-x", NULL, NULL, true },
    { "rocm-smi", NULL, NULL, true },
    { "amd-smi", NULL, NULL, true },
    { "npu-smi", NULL, NULL, true },
    { "dmesg", NULL, NULL, true },
    { "ascend", NULL, NULL, true },
};

static void section_line(struct tgt_paste *s, struct collector *c, gf_slice line)
{
    gf_slice v = line, key;
    if (c->at->row) c->at->row(s, c, line);
    else if (c->at->pair && gf_slice_cut(&v, '=', &key)) c->at->pair(s, c, key, gf_slice_trim(v));
}

/* --- begin and end ------------------------------------------------------------------------------------------------------------ */
static void conclude(struct tgt_paste *s, struct collector *c)
{
    if (!c->in) return;
    tgt_gpus_flush(s, &c->pci, "pci");
    tgt_gpus_flush(s, &c->kfd, "kfd");
    if (c->scanned_pci) tgt_fact_tri(s, "nvswitch", c->has_nvswitch, "pci");
    if (c->scanned_pci && !c->has_gpu && !c->wsl && s->p->gpus_known == MDL_UNKNOWN) tgt_fact_absent(s, "gpus", "pci");
    if (c->libcuda && s->p->driver_version && strcmp(c->libcuda, s->p->driver_version) != 0 && !c->wsl)
        tgt_error_line(s, gf_slice_of(gf_arena_printf(&s->p->mem, "libcuda.so is of driver %s, the loaded module is %s", c->libcuda, s->p->driver_version)));
    c->in = false;
    s->in_section = false;
}

static bool enter(struct tgt_paste *s, struct collector *c, gf_slice name)
{
    tgt_end_formats(s); /* a tool's output ends with its section */
    name = gf_slice_trim(name);
    c->at = NULL;
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        if (gf_slice_is(name, sections[i].name)) c->at = &sections[i];
    if (gf_slice_is(name, "end")) conclude(s, c);
    return true;
}

/* --- the short form ------------------------------------------------------------------------------------------------------------ */
/* The CRC of POSIX cksum. */
static uint32_t posix_cksum(gf_slice text)
{
    uint32_t crc = 0;
    size_t n = text.n;
    for (size_t i = 0; i < text.n || n; i++) {
        unsigned char byte = i < text.n ? (unsigned char)text.p[i] : (unsigned char)(n & 0xff);
        if (i >= text.n) n >>= 8;
        crc ^= (uint32_t)byte << 24;
        for (int bit = 0; bit < 8; bit++) crc = crc & 0x80000000u ? (crc << 1) ^ 0x04c11db7u : crc << 1;
    }
    return ~crc;
}

static void short_value(struct tgt_paste *s, gf_slice key, gf_slice v)
{
    static const struct { const char *key, *fact; } rows[] = { { "kernel", "os.kernel" }, { "libstdcxx", "libstdcxx" }, { "python", "python.version" }, { "driver", "driver.version" },
                                                               { "cuda", "driver.cuda" }, { "flavour", "driver.flavour" }, { "nvcc", "toolkit.nvcc" }, { "gcc", "gcc" }, { "label", "label" } };
    static const char TOOL[] = "short form";
    if (gf_slice_is(key, "arch")) tgt_take_arch(s, v, TOOL);
    else if (gf_slice_is(key, "os")) {
        ptrdiff_t dash = gf_slice_rchr(v, '-');
        tgt_fact(s, "os.id", dash > 0 ? gf_slice_sub(v, 0, (size_t)dash) : v, TOOL);
        if (dash > 0) tgt_fact(s, "os.version", gf_slice_from(v, (size_t)dash + 1), TOOL);
    } else if (gf_slice_is(key, "glibc") || gf_slice_is(key, "musl")) {
        tgt_fact(s, "libc.name", key, TOOL);
        tgt_fact(s, "libc.version", v, TOOL);
    } else if (gf_slice_is(key, "gpu")) {
        struct tgt_gpus list = { .n = 0 };
        gf_slice id;
        if (gf_slice_is(v, "none")) tgt_fact_absent(s, "gpus", TOOL);
        else
            while (list.n < TGT_MAX_GPUS && gf_slice_field(&v, ',', &id)) *tgt_gpus_at(&list, list.n) = (struct mdl_gpu){ .vendor = vendor_of(id), .pci = gf_arena_str(&s->p->mem, id) };
        tgt_gpus_flush(s, &list, TOOL);
    } else if (gf_slice_is(key, "torch")) tgt_fact_package(s, (struct mdl_package){ .name = "torch", .version = tgt_keep(s, v) }, TOOL);
    else if (gf_slice_is(key, "nouveau")) tgt_fact_tri(s, "nouveau", yes(v), TOOL);
    else if (gf_slice_is(key, "secureboot")) tgt_fact_tri(s, "secure_boot", yes(v), TOOL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (gf_slice_is(key, rows[i].key)) {
            if (!gf_slice_is(v, "none")) tgt_fact(s, rows[i].fact, v, TOOL);
            else if (i == 2 || i == 3) tgt_fact_absent(s, i == 2 ? "python" : "driver", TOOL);
        }
}

/* Typed by hand: case and blanks do not count. */
static void short_form(struct tgt_paste *s, struct collector *c)
{
    GF_BUF_SCOPE struct gf_buf sum;
    gf_buf_init(&sum, 4 * GF_CAP_VERSION_TEXT);
    gf_slice said = GF_NONE, word, key;
    for (size_t i = 0; i < 3; i++) {
        for (char *at = c->line[i]; *at; at++) *at = gf_lower(*at);
        for (gf_slice rest = gf_slice_of(c->line[i]); gf_slice_word(&rest, &word);) {
            if (gf_slice_starts(word, GF_S("sum="))) said = gf_slice_from(word, 4);
            else gf_buf_addsl(&sum, word);
        }
    }
    char is[16];
    snprintf(is, sizeof is, "%05u", posix_cksum(gf_buf_slice(&sum)) % 100000);
    if (!gf_slice_is(said, is)) {
        mdl_profile_add_conflict(s->p, gf_arena_printf(&s->p->mem, "the three lines of the short form have the check sum %s but say %.*s: one was mistyped, nothing was taken from them", is, GF_FMT(said)));
        return;
    }
    for (size_t i = 0; i < 3; i++)
        for (gf_slice rest = gf_slice_of(c->line[i]); gf_slice_word(&rest, &word);)
            if (gf_slice_cut(&word, '=', &key)) short_value(s, key, word);
}

static bool short_line(struct tgt_paste *s, struct collector *c, gf_slice line)
{
    gf_slice t = gf_slice_trim(line);
    if (t.n < 5 || t.n > GF_CAP_VERSION_TEXT || !gf_slice_ieq(gf_slice_sub(t, 0, 2), GF_S("gf")) || t.p[2] < '1' || t.p[2] > '3' || t.p[3] != ' ') return false;
    c->line[t.p[2] - '1'] = gf_arena_str(&s->p->mem, t);
    if (!c->line[0] || !c->line[1] || !c->line[2]) return true;
    short_form(s, c);
    memset(c->line, 0, sizeof c->line);
    return true;
}

static bool collector_line(struct tgt_paste *s, void *state, gf_slice line)
{
    struct collector *c = state;
    if (gf_slice_starts(line, GF_S("gpuferry-collect "))) {
        *c = (struct collector){ .in = true };
        s->in_section = true;
        return true;
    }
    if (!c->in) return short_line(s, c, line);
    if (gf_slice_starts(line, GF_S("== "))) return enter(s, c, gf_slice_from(line, 3));
    if (c->at && line.n) section_line(s, c, line);
    return !c->at || !c->at->raw;
}

static void collector_end(struct tgt_paste *s, void *state) { conclude(s, state); }

const struct tgt_format tgt_collector = { "collector", sizeof(struct collector), collector_line, collector_end };
