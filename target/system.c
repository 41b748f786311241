/* The operating system: os-release, lsb_release, uname, ldd, release files, and the names that tools print for it. */
#include "target/paste.h"

/* --- names ----------------------------------------------------------------------------------------------------------------- */
/* parts: how many numbers of its version name a release. */
static const struct { const char *begins, *id; unsigned parts; } os_names[] = {
    { "Ubuntu", "ubuntu", 2 }, { "Debian", "debian", 1 }, { "CentOS Stream", "centos", 1 }, { "CentOS", "centos", 2 }, { "Red Hat Enterprise Linux", "rhel", 2 },
    { "Rocky", "rocky", 2 }, { "AlmaLinux", "almalinux", 2 }, { "Fedora", "fedora", 1 }, { "openEuler", "openeuler", 2 }, { "EulerOS", "euleros", 2 }, { "openSUSE Leap", "opensuse-leap", 2 },
    { "openSUSE Tumbleweed", "opensuse-tumbleweed", 1 }, { "SUSE Linux Enterprise", "sles", 2 }, { "Amazon Linux", "amzn", 1 }, { "Alibaba Cloud Linux", "alinux", 1 },
    { "Oracle Linux", "ol", 2 }, { "Linux Mint", "linuxmint", 2 }, { "Pop!_OS", "pop", 2 }, { "Arch Linux", "arch", 0 }, { "Manjaro", "manjaro", 0 }, { "Kylin", "kylin", 2 },
    { "TencentOS", "tencentos", 2 }, { "Microsoft Windows Server", "windows-server", 1 }, { "Microsoft Windows", "windows", 1 }, { "Windows", "windows", 1 }, { "macOS", "macos", 2 },
    { "Mac OS", "macos", 2 }, { "NixOS", "nixos", 2 }, { "Gentoo", "gentoo", 0 }, { "Alpine", "alpine", 2 }, { "Kali", "kali", 2 }, { "Azure Linux", "azurelinux", 2 },
    { "Microsoft Azure Linux", "azurelinux", 2 }, { "CBL-Mariner", "mariner", 2 }, { "Common Base Linux Mariner", "mariner", 2 }, { "UnionTech", "uos", 1 }, { "Deepin", "deepin", 2 },
    { "Zorin", "zorin", 1 }, { "EndeavourOS", "endeavouros", 0 }, { "Garuda", "garuda", 0 }, { "Scientific Linux", "scientific", 2 }, { "Container-Optimized OS", "cos", 1 },
};

static gf_slice first_parts(gf_slice number, unsigned parts)
{
    size_t n = 0;
    for (unsigned seen = 0; n < number.n; n++)
        if (number.p[n] == '.' && ++seen == parts) break;
    return gf_slice_sub(number, 0, n);
}

static gf_slice first_number(gf_slice s)
{
    while (s.n && !gf_is_digit((unsigned char)s.p[0])) s = gf_slice_from(s, 1);
    return tgt_number(s);
}

/* "15 SP5" → 15.5, "V10 (Lance)" → V10. */
static void take_os_version(struct tgt_paste *s, const char *id, unsigned parts, gf_slice rest, const char *tool)
{
    gf_slice n = first_number(rest), sp;
    if (!n.n || !parts) return;
    if (strcmp(id, "kylin") == 0 && n.p > rest.p && n.p[-1] == 'V') n = gf_slice_n(n.p - 1, n.n + 1);
    if (strcmp(id, "sles") == 0 && tgt_after(rest, GF_S("SP"), &sp) && tgt_number(sp).n && gf_slice_chr(n, '.') < 0)
        n = gf_slice_of(gf_arena_printf(&s->p->mem, "%.*s.%.*s", GF_FMT(n), GF_FMT(tgt_number(sp))));
    tgt_fact(s, "os.version", first_parts(n, parts), tool);
}

void tgt_take_os_name(struct tgt_paste *s, gf_slice pretty, const char *tool)
{
    gf_slice arch = pretty;
    if (tgt_says_nothing(pretty)) return;
    if (gf_slice_ends(pretty, GF_S("(x86_64)")) || gf_slice_ends(pretty, GF_S("(aarch64)"))) {
        arch = gf_slice_from(arch, (size_t)gf_slice_rchr(arch, '(') + 1);
        arch.n--;
        tgt_take_arch(s, arch, tool);
    }
    for (size_t i = 0; i < sizeof os_names / sizeof os_names[0]; i++) {
        gf_slice begins = gf_slice_of(os_names[i].begins);
        if (pretty.n < begins.n || !gf_slice_ieq(gf_slice_sub(pretty, 0, begins.n), begins)) continue;
        tgt_fact(s, "os.id", gf_slice_of(os_names[i].id), tool);
        take_os_version(s, os_names[i].id, os_names[i].parts, gf_slice_from(pretty, begins.n), tool);
        return;
    }
}

void tgt_take_arch(struct tgt_paste *s, gf_slice a, const char *tool)
{
    static const char *const names[][2] = { { "x86_64", "x86_64" }, { "x86-64", "x86_64" }, { "amd64", "x86_64" }, { "aarch64", "aarch64" }, { "arm64", "aarch64" }, { "ppc64le", "ppc64le" },
                                            { "riscv64", "riscv64" }, { "loongarch64", "loongarch64" } };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (gf_slice_ieq(gf_slice_trim(a), gf_slice_of(names[i][0]))) tgt_fact(s, "arch", gf_slice_of(names[i][1]), tool);
}

void tgt_take_kernel(struct tgt_paste *s, gf_slice release, const char *tool)
{
    release = gf_slice_trim(release);
    if (!tgt_number(release).n || gf_slice_chr(release, ' ') >= 0) return;
    tgt_fact(s, "os.kernel", release, tool);
    if (gf_slice_ifind(release, GF_S("microsoft")) >= 0) tgt_fact_tri(s, "os.wsl", true, tool);
    if (gf_slice_ends(release, GF_S("-tegra"))) tgt_take_arch(s, GF_S("aarch64"), tool);
}

/* "Windows-10-10.0.22631-SP0": Python before 3.12 calls Windows 11 by 10; the build tells. */
static void windows_platform(struct tgt_paste *s, gf_slice rest, const char *tool)
{
    gf_slice version, release, build, part;
    if (!gf_slice_field(&rest, '-', &version)) return;
    tgt_fact(s, "os.id", GF_S("windows"), tool);
    uint64_t n = 0;
    if (gf_slice_field(&rest, '-', &release) && tgt_number(release).n) {
        tgt_fact(s, "os.kernel", release, tool);
        for (build = release; gf_slice_field(&build, '.', &part);) (void)gf_slice_u64(part, &n);
    }
    bool eleven = gf_slice_is(version, "10") && n >= 22000;
    if (first_number(version).n) tgt_fact(s, "os.version", eleven ? GF_S("11") : first_number(version), tool);
}

static void linux_platform(struct tgt_paste *s, gf_slice rest, const char *tool)
{
    gf_slice libc = GF_NONE;
    ptrdiff_t with = gf_slice_find(rest, GF_S("-with-"));
    if (with > 0) {
        libc = gf_slice_from(rest, (size_t)with + 6);
        rest = gf_slice_sub(rest, 0, (size_t)with);
    } else if (gf_slice_ends(rest, GF_S("-with"))) rest.n -= 5;
    ptrdiff_t dash = gf_slice_rchr(rest, '-');
    if (dash > 0) {
        tgt_take_kernel(s, gf_slice_sub(rest, 0, (size_t)dash), tool);
        tgt_take_arch(s, gf_slice_from(rest, (size_t)dash + 1), tool);
    }
    bool glibc = gf_try_lit(&libc, GF_S("glibc")), musl = !glibc && gf_try_lit(&libc, GF_S("musl"));
    /* what old Pythons say here is the glibc they were built for: taken only where nothing better told */
    if (s->p->libc_version || (glibc && gf_dotted_cmp(tgt_number(libc), GF_S("2.17")) < 0)) return;
    if (!glibc && !musl) return;
    tgt_fact(s, "libc.name", glibc ? GF_S("glibc") : GF_S("musl"), tool);
    tgt_fact(s, "libc.version", tgt_number(libc), tool);
}

void tgt_take_platform(struct tgt_paste *s, gf_slice p, const char *tool)
{
    if (gf_try_lit(&p, GF_S("Linux-"))) linux_platform(s, p, tool);
    else if (gf_try_lit(&p, GF_S("Windows-"))) windows_platform(s, p, tool);
    else if (gf_try_lit(&p, GF_S("macOS-"))) {
        tgt_fact(s, "os.id", GF_S("macos"), tool);
        tgt_fact(s, "os.version", tgt_number(p), tool);
        tgt_take_arch(s, gf_slice_has(p, GF_S("arm64")) ? GF_S("arm64") : GF_S("x86_64"), tool);
    }
}

/* --- files and commands ------------------------------------------------------------------------------------------------------- */
static gf_slice unquoted(gf_slice v)
{
    v = gf_slice_trim(v);
    if (v.n >= 2 && (v.p[0] == '"' || v.p[0] == '\'') && v.p[v.n - 1] == v.p[0]) return gf_slice_sub(v, 1, v.n - 2);
    return v;
}

static bool os_release_line(struct tgt_paste *s, gf_slice line)
{
    static const char TOOL[] = "os-release";
    gf_slice v = line;
    if (gf_try_lit(&v, GF_S("ID="))) {
        v = unquoted(v);
        if (v.n && v.n < 40 && gf_slice_chr(v, ' ') < 0) tgt_fact(s, "os.id", gf_slice_of(tgt_os_id(&s->p->mem, v)), TOOL);
        return true;
    }
    if (!gf_try_lit(&v, GF_S("VERSION_ID="))) return false;
    tgt_fact(s, "os.version", unquoted(v), TOOL);
    return true;
}

static bool lsb_line(struct tgt_paste *s, gf_slice line)
{
    gf_slice v;
    if (tgt_key(line, GF_S("Description"), &v) && gf_slice_chr(v, ' ') > 0) tgt_take_os_name(s, v, "lsb_release");
    else if (tgt_key(line, GF_S("Operating System"), &v)) tgt_take_os_name(s, v, "hostnamectl");
    else if (tgt_key(line, GF_S("Kernel"), &v) && gf_try_lit(&v, GF_S("Linux "))) tgt_take_kernel(s, v, "hostnamectl");
    else if (gf_slice_has(line, GF_S(" release ")) && line.n < 80 && gf_slice_chr(line, ':') < 0) tgt_take_os_name(s, line, "release file");
    else return false;
    return true;
}

/* "Linux host 5.15.0-91-generic #101-Ubuntu SMP … x86_64 x86_64 x86_64 GNU/Linux" */
static bool uname_line(struct tgt_paste *s, gf_slice line)
{
    gf_slice t = line, word, release = GF_NONE;
    if (!gf_try_lit(&t, GF_S("Linux ")) || !gf_slice_has(line, GF_S(" #"))) return false;
    for (int i = 0; i < 2 && gf_slice_word(&t, &word); i++) release = word;
    if (!tgt_number(release).n) return false;
    tgt_take_kernel(s, release, "uname");
    while (gf_slice_word(&t, &word)) tgt_take_arch(s, word, "uname");
    return true;
}

/* "ldd (Ubuntu GLIBC 2.35-0ubuntu3.4) 2.35", "ldd (GNU libc) 2.17", "glibc 2.36", "musl libc (x86_64)" + "Version 1.2.4" */
static bool ldd_line(struct tgt_paste *s, gf_slice line)
{
    static const char TOOL[] = "ldd --version";
    gf_slice rest, n = GF_NONE;
    if (gf_slice_starts(line, GF_S("ldd (")) && tgt_after(line, GF_S(") "), &rest)) n = tgt_number(rest);
    else if (gf_slice_starts(line, GF_S("GNU C Library")) && tgt_after(line, GF_S("release version"), &rest)) n = tgt_number(rest);
    else if (gf_slice_starts(line, GF_S("glibc ")) && line.n < 16) n = tgt_number(gf_slice_from(line, 6));
    if (n.n) {
        tgt_fact(s, "libc.name", GF_S("glibc"), TOOL);
        tgt_fact(s, "libc.version", n, TOOL);
        return true;
    }
    if (gf_slice_starts(line, GF_S("musl libc"))) {
        tgt_fact(s, "libc.name", GF_S("musl"), TOOL);
        return true;
    }
    bool musl = s->p->libc_name && strcmp(s->p->libc_name, "musl") == 0 && !s->p->libc_version;
    if (!musl || !gf_slice_starts(line, GF_S("Version "))) return false;
    tgt_fact(s, "libc.version", tgt_number(gf_slice_from(line, 8)), TOOL);
    return true;
}

/* "Python 3.10.12", alone or as the interpreter's banner. */
static bool python_line(struct tgt_paste *s, gf_slice line)
{
    gf_slice t = line;
    if (!gf_try_lit(&t, GF_S("Python "))) return false;
    gf_slice n = tgt_number(t), rest = gf_slice_from(t, n.n);
    if (gf_slice_chr(n, '.') < 0 || (rest.n && !gf_slice_starts(gf_slice_trim(rest), GF_S("(")) && !gf_slice_has(rest, GF_S("packaged by")))) return false;
    tgt_fact(s, "python.version", n, "python --version");
    return true;
}

static bool system_line(struct tgt_paste *s, void *state, gf_slice line)
{
    (void)state;
    if (line.n < 4 || line.n > 1000) return false;
    return os_release_line(s, line) || uname_line(s, line) || ldd_line(s, line) || python_line(s, line) || lsb_line(s, line);
}

const struct tgt_format tgt_system = { "operating system", 0, system_line, NULL };
