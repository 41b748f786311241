/* Kernel, libraries, compilers, disks: from files alone. */
#include "target/probe.h"
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/klog.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

/* --- libc -------------------------------------------------------------------------------------------------------------------- */
static const char *const lib_dirs[] = { "/lib/%s-linux-gnu", "/usr/lib/%s-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/cuda/lib64", "/usr/lib/wsl/lib", "/usr/local/lib" };
#define NLIB_DIRS (sizeof lib_dirs / sizeof lib_dirs[0])

static void lib_dir(size_t i, const char *arch, char out[256])
{
    const char *hole = strstr(lib_dirs[i], "%s");
    if (hole) snprintf(out, 256, "%.*s%s%s", (int)(hole - lib_dirs[i]), lib_dirs[i], arch, hole + 2);
    else snprintf(out, 256, "%s", lib_dirs[i]);
}

static ptrdiff_t find_bytes(gf_slice s, gf_slice needle)
{
    const char *at = memmem(s.p, s.n, needle.p, needle.n);
    return at ? at - s.p : -1;
}

static gf_slice digits_at(gf_slice s, size_t at)
{
    size_t n = 0;
    while (at + n < s.n && (gf_is_digit((unsigned char)s.p[at + n]) || s.p[at + n] == '.')) n++;
    while (n && s.p[at + n - 1] == '.') n--;
    return gf_slice_sub(s, at, n);
}

/* "stable release version 2.36." stands in glibc itself. */
static bool probe_glibc(struct tgt_probe *p, const char *arch)
{
    bool found = false;
    for (size_t i = 0; i < NLIB_DIRS && !found; i++) {
        char dir[256], path[300];
        lib_dir(i, arch, dir);
        snprintf(path, sizeof path, "%s/libc.so.6", dir);
        struct tgt_section lib;
        gf_slice part;
        for (bool any = tgt_section_open(p, path, ".rodata", &lib); any && !found && tgt_section_next(&lib, &part);) {
            ptrdiff_t at = find_bytes(part, GF_S("release version "));
            gf_slice v = at >= 0 ? digits_at(part, (size_t)at + 16) : GF_NONE;
            found = v.n > 0 && v.p + v.n < part.p + part.n;
            if (found) gf_buf_addf(&p->out, "glibc=%.*s\n", GF_FMT(v));
        }
        tgt_section_close(&lib);
    }
    return found;
}

/* musl says its version as a string of its own: "1.2.4". */
static void probe_musl(struct tgt_probe *p, const char *arch)
{
    char path[300];
    snprintf(path, sizeof path, "/lib/ld-musl-%s.so.1", arch);
    struct tgt_section lib;
    gf_slice part;
    bool found = false;
    for (bool any = tgt_section_open(p, path, ".rodata", &lib); any && !found && tgt_section_next(&lib, &part);)
        for (size_t i = 0; !found && i + 8 < part.n; i++) {
            if (part.p[i] != '\0' || (part.p[i + 1] != '1' && part.p[i + 1] != '0') || part.p[i + 2] != '.') continue;
            gf_slice v = digits_at(part, i + 1);
            found = v.n >= 5 && v.n <= 7 && i + 1 + v.n < part.n && part.p[i + 1 + v.n] == '\0';
            if (found) gf_buf_addf(&p->out, "musl=%.*s\n", GF_FMT(v));
        }
    tgt_section_close(&lib);
}

/* The newest GLIBCXX_3.4.N that libstdc++ defines. */
static void probe_libstdcxx(struct tgt_probe *p, const char *arch)
{
    for (size_t i = 0; i < NLIB_DIRS; i++) {
        char dir[256], path[300];
        unsigned long newest = 0;
        lib_dir(i, arch, dir);
        snprintf(path, sizeof path, "%s/libstdc++.so.6", dir);
        struct tgt_section lib;
        gf_slice part;
        bool any = tgt_section_open(p, path, ".dynstr", &lib);
        while (any && tgt_section_next(&lib, &part))
            for (ptrdiff_t at; (at = find_bytes(part, GF_S("GLIBCXX_3.4."))) >= 0; part = gf_slice_from(part, (size_t)at + 12)) {
                gf_slice n = digits_at(part, (size_t)at + 12);
                unsigned long v = n.n && n.n < 4 ? strtoul(n.p, NULL, 10) : 0;
                if (v > newest) newest = v;
            }
        tgt_section_close(&lib);
        if (!any) continue;
        gf_buf_addf(&p->out, "libstdcxx=GLIBCXX_3.4.%lu\n", newest);
        return;
    }
}

/* --- kernel and firmware ------------------------------------------------------------------------------------------------------- */
static bool in_container(struct tgt_probe *p)
{
    gf_slice text;
    if (tgt_probe_exists(p, "/.dockerenv") || tgt_probe_exists(p, "/run/.containerenv")) return true;
    if (!tgt_probe_read(p, "/proc/1/cgroup", &text)) return false;
    static const char *const signs[] = { "docker", "kubepods", "containerd", "libpod", "lxc" };
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (gf_slice_has(text, gf_slice_of(signs[i]))) return true;
    return false;
}

/* Without EFI variables there is no Secure Boot; the fifth byte of the variable tells. */
static void probe_secure_boot(struct tgt_probe *p)
{
    gf_slice v;
    if (tgt_probe_read(p, "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c", &v) && v.n >= 5)
        gf_buf_addf(&p->out, "secure_boot=%s\n", v.p[4] == 1 ? "on" : "off");
    else if (tgt_probe_exists(p, "/sys/firmware") && !tgt_probe_exists(p, "/sys/firmware/efi")) gf_buf_adds(&p->out, "secure_boot=off\n");
}

static void probe_cpu(struct tgt_probe *p)
{
    gf_slice text, line, v;
    if (!tgt_probe_read(p, "/proc/cpuinfo", &text)) return;
    while (gf_slice_line(&text, &line)) {
        bool flags = gf_slice_starts(line, GF_S("flags")) || gf_slice_starts(line, GF_S("Features"));
        if (!flags || gf_slice_chr(line, ':') < 0) continue;
        v = gf_slice_trim(gf_slice_from(line, (size_t)gf_slice_chr(line, ':') + 1));
        gf_buf_addf(&p->out, "== cpu\nflags=%.*s\n", GF_FMT(v));
        return;
    }
}

static void probe_os_release(struct tgt_probe *p)
{
    gf_slice text;
    if (!tgt_probe_read(p, "/etc/os-release", &text) && !tgt_probe_read(p, "/usr/lib/os-release", &text)) return;
    gf_buf_addf(&p->out, "== os-release\n%.*s\n", GF_FMT(text));
}

void tgt_probe_system(struct tgt_probe *p)
{
    struct utsname u;
    if (uname(&u) != 0) return;
    gf_buf_addf(&p->out, "== system\nkernel=%s\narch=%s\npage_size=%ld\n", u.release, u.machine, sysconf(_SC_PAGESIZE));
    gf_buf_addf(&p->out, "container=%s\n", in_container(p) ? "yes" : "no");
    gf_slice release = gf_slice_of(u.release);
    gf_buf_addf(&p->out, "wsl=%s\n", gf_slice_ifind(release, GF_S("microsoft")) >= 0 ? "yes" : "no");
    if (!probe_glibc(p, u.machine)) probe_musl(p, u.machine);
    probe_libstdcxx(p, u.machine);
    probe_secure_boot(p);
    probe_os_release(p);
    probe_cpu(p);
}

/* --- software -------------------------------------------------------------------------------------------------------------------- */
/* gcc's version by where it is: gcc-12, or the newest folder under /usr/lib/gcc. */
static void probe_gcc(struct tgt_probe *p)
{
    char at[GF_CAP_PATH], real[GF_CAP_PATH], **triples, dir[512];
    if (!tgt_probe_which(p, "gcc", at) || !tgt_probe_real(p, at, real)) {
        gf_buf_adds(&p->out, "gcc=none\n");
        return;
    }
    gf_slice name = gf_slice_of(real), best = GF_NONE;
    gf_slice tail = gf_slice_from(name, (size_t)gf_slice_rchr(name, '-') + 1);
    if (tail.n && gf_is_digit((unsigned char)tail.p[0])) {
        gf_buf_addf(&p->out, "gcc=%.*s\n", GF_FMT(tail));
        return;
    }
    char newest[32] = "";
    size_t nt = tgt_probe_names(p, "/usr/lib/gcc", "", &triples);
    for (size_t i = 0; i < nt; i++) {
        char **versions;
        snprintf(dir, sizeof dir, "/usr/lib/gcc/%.200s", triples[i]);
        size_t n = tgt_probe_names(p, dir, "", &versions);
        for (size_t k = 0; k < n; k++)
            if (gf_is_digit((unsigned char)versions[k][0]) && gf_dotted_cmp(gf_slice_of(versions[k]), best.n ? best : GF_S("0")) > 0) {
                snprintf(newest, sizeof newest, "%.31s", versions[k]);
                best = gf_slice_of(newest);
            }
        tgt_probe_free_names(versions, n);
    }
    tgt_probe_free_names(triples, nt);
    if (best.n) gf_buf_addf(&p->out, "gcc=%.*s\n", GF_FMT(best));
}

static bool merged_usr(struct tgt_probe *p)
{
    char real[GF_CAP_PATH];
    return tgt_probe_real(p, "/lib", real) && strcmp(real, "/usr/lib") == 0;
}

struct library {
    const char *prefix;
    char best[64];
};

/* "libcudnn.so.9.8.0": the highest number stays. */
static void note_library(struct library *l, const char *name)
{
    size_t n = strlen(l->prefix);
    const char *v = name + n;
    if (strncmp(name, l->prefix, n) != 0 || !strchr(v, '.') || strspn(v, "0123456789.") != strlen(v)) return;
    if (!*l->best || gf_dotted_cmp(gf_slice_of(v), gf_slice_of(l->best)) > 0) snprintf(l->best, sizeof l->best, "%.63s", v);
}

/* cuDNN and the driver's library in the folders of the loader; each folder is read once. */
static void probe_libraries(struct tgt_probe *p)
{
    struct utsname u;
    struct library cudnn = { "libcudnn.so.", "" }, cuda = { "libcuda.so.", "" };
    if (uname(&u) != 0) return;
    bool merged = merged_usr(p);
    for (size_t i = 0; i < NLIB_DIRS; i++) {
        char dir[256], **names;
        lib_dir(i, u.machine, dir);
        if (strncmp(dir, "/lib", 4) == 0 && merged) continue; /* it is /usr/lib */
        size_t n = tgt_probe_names(p, dir, "libcud", &names);
        for (size_t k = 0; k < n; k++) {
            note_library(&cudnn, names[k]);
            note_library(&cuda, names[k]);
        }
        tgt_probe_free_names(names, n);
    }
    gf_buf_addf(&p->out, "cudnn=%s\n", *cudnn.best ? cudnn.best : "none");
    if (*cuda.best) gf_buf_addf(&p->out, "libcuda=%s\n", cuda.best);
}

/* "version" behind "cuda_nvcc" in the toolkit's version.json; CUDA 10 and older have version.txt. */
static bool nvcc_of(struct tgt_probe *p, const char *toolkit)
{
    char path[GF_CAP_PATH];
    gf_slice text, rest;
    snprintf(path, sizeof path, "%.3000s/version.json", toolkit);
    if (tgt_probe_read(p, path, &text) && gf_slice_find(text, GF_S("\"cuda_nvcc\"")) >= 0) {
        rest = gf_slice_from(text, (size_t)gf_slice_find(text, GF_S("\"cuda_nvcc\"")));
        ptrdiff_t at = gf_slice_find(rest, GF_S("\"version\""));
        rest = at < 0 ? GF_NONE : gf_slice_from(rest, (size_t)at + 9);
        while (rest.n && !gf_is_digit((unsigned char)rest.p[0])) rest = gf_slice_from(rest, 1);
        if (rest.n) gf_buf_addf(&p->out, "nvcc=%.*s\n", GF_FMT(digits_at(rest, 0)));
        return rest.n > 0;
    }
    snprintf(path, sizeof path, "%.3000s/version.txt", toolkit);
    if (!tgt_probe_read(p, path, &text) || !gf_slice_starts(text, GF_S("CUDA Version "))) return false;
    gf_buf_addf(&p->out, "nvcc=%.*s\n", GF_FMT(digits_at(text, 13)));
    return true;
}

static void probe_nvcc(struct tgt_probe *p)
{
    char at[GF_CAP_PATH], real[GF_CAP_PATH];
    if (!tgt_probe_which(p, "nvcc", at)) snprintf(at, sizeof at, "/usr/local/cuda/bin/nvcc");
    if (!tgt_probe_real(p, at, real)) {
        gf_buf_adds(&p->out, "nvcc=none\n");
        return;
    }
    char *bin = strstr(real, "/bin/nvcc");
    if (bin) *bin = '\0';
    if (bin && *real && nvcc_of(p, real)) return;
    (void)nvcc_of(p, "/usr/local/cuda");
}

static void probe_dkms(struct tgt_probe *p)
{
    char at[GF_CAP_PATH], **names;
    if (!tgt_probe_which(p, "dkms", at) && !tgt_probe_exists(p, "/usr/sbin/dkms")) {
        gf_buf_adds(&p->out, "dkms=none\n");
        return;
    }
    size_t n = tgt_probe_names(p, "/var/lib/dkms/nvidia", "", &names);
    const char *version = NULL;
    for (size_t i = 0; i < n; i++)
        if (gf_is_digit((unsigned char)names[i][0])) version = names[i];
    gf_buf_addf(&p->out, "dkms=%s%s\n", version ? "nvidia " : "installed", version ? version : "");
    tgt_probe_free_names(names, n);
}

static void probe_value(struct tgt_probe *p, const char *path, const char *before, const char *key)
{
    gf_slice text;
    if (!tgt_probe_read(p, path, &text)) return;
    ptrdiff_t at = gf_slice_find(text, gf_slice_of(before));
    if (at < 0) return;
    gf_slice line, rest = gf_slice_from(text, (size_t)at + strlen(before));
    if (gf_slice_line(&rest, &line) && gf_slice_trim(line).n) gf_buf_addf(&p->out, "%s=%.*s\n", key, GF_FMT(gf_slice_trim(line)));
}

static void probe_containers(struct tgt_probe *p)
{
    static const char *const runtimes[] = { "docker", "podman", "containerd", "apptainer", "singularity", "enroot" };
    char at[GF_CAP_PATH];
    const char *first = "none";
    for (size_t i = 0; i < sizeof runtimes / sizeof runtimes[0] && strcmp(first, "none") == 0; i++)
        if (tgt_probe_which(p, runtimes[i], at)) first = runtimes[i];
    gf_buf_addf(&p->out, "runtime=%s\n", first);
    if (tgt_probe_which(p, "nvidia-ctk", at)) gf_buf_adds(&p->out, "toolkit=installed\n");
}

static void probe_headers(struct tgt_probe *p)
{
    char **names, path[512];
    size_t n = tgt_probe_names(p, "/lib/modules", "", &names), found = 0;
    gf_buf_adds(&p->out, "== headers\n");
    for (size_t i = 0; i < n; i++) {
        snprintf(path, sizeof path, "/lib/modules/%.200s/build/Makefile", names[i]);
        if (!tgt_probe_exists(p, path)) continue;
        gf_buf_addf(&p->out, "%s\n", names[i]);
        found++;
    }
    if (!found) gf_buf_adds(&p->out, "none\n");
    tgt_probe_free_names(names, n);
}

static void add_row(struct tgt_probe *p, gf_slice name, gf_slice version)
{
    gf_buf_addsl(&p->out, name);
    gf_buf_addc(&p->out, ' ');
    gf_buf_addsl(&p->out, version);
    gf_buf_addc(&p->out, '\n');
}

/* /var/lib/dpkg/status: paragraphs; those that are installed. It is large: read window by window, whole lines at a time. */
static bool probe_dpkg(struct tgt_probe *p)
{
    struct tgt_section file;
    gf_slice part, line, name = GF_NONE, v;
    char kept[256];
    bool installed = false, any = tgt_section_open(p, "/var/lib/dpkg/status", NULL, &file);
    if (any) gf_buf_adds(&p->out, "== dpkg\n");
    while (any && tgt_section_lines(&file, &part)) {
        while (gf_slice_line(&part, &line)) {
            if (!line.n || !memchr("PSV", line.p[0], 3)) continue;
            v = line;
            if (gf_try_lit(&v, GF_S("Package: "))) name = v;
            else if (gf_try_lit(&v, GF_S("Status: "))) installed = gf_slice_ends(v, GF_S(" installed"));
            else if (gf_try_lit(&v, GF_S("Version: ")) && installed) add_row(p, name, v);
        }
        if (name.n > sizeof kept) name.n = sizeof kept;
        if (name.n) memmove(kept, name.p, name.n);
        name = gf_slice_n(kept, name.n);
    }
    tgt_section_close(&file);
    return any;
}

static void probe_apk(struct tgt_probe *p)
{
    gf_slice text, line, name = GF_NONE;
    if (!tgt_probe_read(p, "/lib/apk/db/installed", &text)) return;
    gf_buf_adds(&p->out, "== apk\n");
    while (gf_slice_line(&text, &line)) {
        if (gf_slice_starts(line, GF_S("P:"))) name = gf_slice_from(line, 2);
        if (gf_slice_starts(line, GF_S("V:"))) add_row(p, name, gf_slice_from(line, 2));
    }
}

void tgt_probe_software(struct tgt_probe *p)
{
    gf_buf_adds(&p->out, "== software\n");
    probe_gcc(p);
    probe_nvcc(p);
    probe_dkms(p);
    probe_libraries(p);
    probe_value(p, "/opt/rocm/.info/version", "", "rocm");
    probe_value(p, "/usr/local/Ascend/ascend-toolkit/latest/version.info", "version=", "cann");
    probe_containers(p);
    probe_headers(p);
    static const char *const rpm[] = { "rpm", "-qa", "--qf", "%{NAME} %{VERSION}-%{RELEASE}\\n", NULL }, *const npu[] = { "npu-smi", "info", NULL };
    if (!probe_dpkg(p)) {
        probe_apk(p);
        if (tgt_probe_exists(p, "/var/lib/rpm") || tgt_probe_exists(p, "/usr/lib/sysimage/rpm")) tgt_probe_run(p, "rpm", rpm);
    }
    tgt_probe_run(p, "npu-smi", npu);
}

/* --- disks and the log --------------------------------------------------------------------------------------------------------------- */
/* Only folders whose names tell nothing about people. */
void tgt_probe_disks(struct tgt_probe *p)
{
    static const char *const mounts[] = { "/", "/home", "/opt", "/var", "/tmp", "/usr/local", "/data", "/mnt", "/srv", "/scratch" };
    gf_buf_adds(&p->out, "== disks\n");
    dev_t seen[sizeof mounts / sizeof mounts[0]];
    size_t n = 0;
    for (size_t i = 0; i < sizeof mounts / sizeof mounts[0]; i++) {
        char full[256];
        struct stat st;
        struct statvfs v;
        snprintf(full, sizeof full, "%.200s%s", p->root, mounts[i]);
        if (stat(full, &st) != 0 || statvfs(full, &v) != 0) continue;
        bool known = false;
        for (size_t k = 0; k < n; k++) known |= seen[k] == st.st_dev;
        if (known) continue;
        seen[n++] = st.st_dev;
        gf_buf_addf(&p->out, "%s %llu\n", mounts[i], (unsigned long long)v.f_bavail * v.f_frsize >> 20);
    }
}

/* The driver's last lines in the kernel's log, where it may be read. */
void tgt_probe_kernel_log(struct tgt_probe *p)
{
    if (*p->root) return;
    int size = klogctl(10, NULL, 0); /* SYSLOG_ACTION_SIZE_BUFFER */
    if (size <= 0 || size > (16 << 20)) return;
    char *text = gf_xmalloc((size_t)size);
    int n = klogctl(3, text, size); /* SYSLOG_ACTION_READ_ALL */
    gf_slice rest = n > 0 ? gf_slice_n(text, (size_t)n) : GF_NONE, line;
    gf_slice last[20];
    size_t found = 0;
    while (gf_slice_line(&rest, &line))
        if (gf_slice_has(line, GF_S("NVRM:"))) last[found++ % 20] = line;
    gf_buf_adds(&p->out, "== dmesg\n");
    for (size_t i = found > 20 ? found - 20 : 0; i < found; i++) gf_buf_addf(&p->out, "%.*s\n", GF_FMT(last[i % 20]));
    free(text);
}
