#include "target/target.h"
#include "target/facts.h"
#include <stdio.h>
#include <stdlib.h>

struct making {
    struct mtx *m;
    struct mdl_profile *p;
    const char **assumed, **unknown, **notes;
    size_t nassumed, nunknown, nnotes;
    struct gf_err *err;
};

static void keep(struct making *k, const char ***list, size_t *n, const char *text)
{
    *list = mdl_profile_grow(k->p, (void *)*list, *n, sizeof **list);
    (*list)[(*n)++] = text;
}
static void assume(struct making *k, const char *text) { keep(k, &k->assumed, &k->nassumed, text); }
static void unknown(struct making *k, const char *text) { keep(k, &k->unknown, &k->nunknown, text); }
static void note(struct making *k, const char *text) { keep(k, &k->notes, &k->nnotes, text); }

static bool any_fact(const struct tgt_request *r)
{
    return r->ngpus || r->os || r->arch || r->python || r->glibc || r->kernel || r->driver || r->accelerator;
}

/* What the user says holds: a fact of the profile it starts from gives way, and that is noted. */
static void say(struct making *k, const char **at, const char *key, const char *value)
{
    if (*at && strcmp(*at, value) != 0) note(k, gf_arena_printf(&k->p->mem, "%s: %s as asked for, the profile says %s", key, value, *at));
    *at = gf_arena_strz(&k->p->mem, value);
    mdl_profile_set_origin(k->p, key, "command line");
}

/* --- operating system ---------------------------------------------------------------------------------------------- */
static const struct { const char *written, *id; } os_spellings[] = {
    { "redhat", "rhel" }, { "red-hat", "rhel" }, { "alma", "almalinux" }, { "rockylinux", "rocky" }, { "oracle", "ol" }, { "oraclelinux", "ol" },
    { "amazonlinux", "amzn" }, { "amazon", "amzn" }, { "leap", "opensuse-leap" }, { "opensuse", "opensuse-leap" }, { "suse", "sles" },
    { "win", "windows" }, { "darwin", "macos" }, { "euler", "openeuler" },
};

const char *tgt_os_id(struct gf_arena *a, gf_slice text)
{
    char *id = gf_arena_str(a, text);
    for (char *c = id; *c; c++) *c = *c == ' ' || *c == '_' ? '-' : gf_lower(*c);
    for (size_t i = 0; i < sizeof os_spellings / sizeof os_spellings[0]; i++)
        if (strcmp(id, os_spellings[i].written) == 0) return os_spellings[i].id;
    return id;
}

/* "debian-12", "debian12", "ubuntu:22.04", "opensuse-leap-15.6": the version begins at the last part that starts with a digit or V ("kylin-V10"). */
static bool split_os(gf_slice text, gf_slice *ret_id, gf_slice *ret_version)
{
    size_t at = text.n;
    while (at && text.p[at - 1] != '-' && text.p[at - 1] != ':' && text.p[at - 1] != ' ') at--;
    if (!at) { /* no separator */
        while (at < text.n && !gf_is_digit((unsigned char)text.p[at])) at++;
        *ret_id = gf_slice_sub(text, 0, at);
        *ret_version = gf_slice_from(text, at);
    } else {
        *ret_id = gf_slice_sub(text, 0, at - 1);
        *ret_version = gf_slice_from(text, at);
    }
    return ret_id->n && ret_version->n;
}

static int unknown_os(struct making *k, const char *text, gf_slice id)
{
    GF_BUF_SCOPE struct gf_buf same, all;
    gf_buf_init(&same, GF_CAP_ERROR);
    gf_buf_init(&all, GF_CAP_ERROR);
    const struct mtx_distro *d;
    size_t n = mtx_distros(k->m, &d);
    for (size_t i = 0; i < n; i++) {
        struct gf_buf *to = gf_slice_is(id, d[i].id) ? &same : &all;
        gf_buf_addf(to, "%s%s-%s", to->n ? ", " : "", d[i].id, d[i].version);
    }
    return gf_fail(k->err, GF_E_USAGE, "there is no operating system '%s' in the data (data/os/distros.json); known: %s; for another one give --glibc and --python",
                   text, same.n ? gf_buf_str(&same) : gf_buf_str(&all));
}

static int take_os(struct making *k, const struct tgt_request *r)
{
    gf_slice id, version;
    if (!split_os(gf_slice_trim(gf_slice_of(r->os)), &id, &version))
        return gf_fail(k->err, GF_E_USAGE, "--os '%s' does not say ID-VERSION, like debian-12 or ubuntu-22.04", r->os);
    const char *name = tgt_os_id(&k->p->mem, id);
    const char *number = gf_arena_str(&k->p->mem, version);
    bool foreign = strcmp(name, "windows") == 0 || strcmp(name, "macos") == 0;
    if (!foreign && !r->glibc && !mtx_distro(k->m, gf_slice_of(name), version)) return unknown_os(k, r->os, gf_slice_of(name));
    bool other = k->p->os_id && (strcmp(k->p->os_id, name) != 0 || !k->p->os_version || strcmp(k->p->os_version, number) != 0);
    if (other) k->p->libc_name = k->p->libc_version = k->p->kernel = k->p->libstdcxx = NULL; /* those were of the other one */
    say(k, &k->p->os_id, "os.id", name);
    say(k, &k->p->os_version, "os.version", number);
    return 0;
}

static void assume_from_row(struct making *k, const char **at, const char *what, const char *value, const struct mtx_distro *d)
{
    if (*at || !value) return;
    *at = gf_arena_strz(&k->p->mem, value);
    assume(k, gf_arena_printf(&k->p->mem, "%s %s (%s %s, data/os/distros.json)", what, value, d->id, k->p->os_version));
}

/* What the operating system tells about the rest. */
static void assume_from_os(struct making *k)
{
    struct mdl_profile *p = k->p;
    if (!p->os_id || !p->os_version) return;
    const struct mtx_distro *d = mtx_distro(k->m, gf_slice_of(p->os_id), gf_slice_of(p->os_version));
    if (!d) return;
    bool musl = p->libc_name && strcmp(p->libc_name, "musl") == 0;
    if (!musl && d->glibc) {
        assume_from_row(k, &p->libc_version, "glibc", d->glibc, d);
        if (p->libc_version && !p->libc_name) p->libc_name = "glibc";
    }
    if (p->container != PY_YES && p->wsl != PY_YES) assume_from_row(k, &p->kernel, "kernel", d->kernel, d);
    assume_from_row(k, &p->libstdcxx, "libstdc++", d->libstdcxx, d);
    if (p->python_known == MDL_ABSENT || p->python_version) return;
    assume_from_row(k, &p->python_version, "Python", d->python, d);
    if (p->python_version) p->python_known = MDL_PRESENT;
}

/* --- numbers ----------------------------------------------------------------------------------------------------------- */
static bool dotted(const char *text, unsigned min_parts, unsigned max_parts)
{
    gf_slice s = gf_slice_of(text), part;
    unsigned parts = 0;
    uint64_t n;
    while (gf_slice_field(&s, '.', &part)) {
        if (!gf_slice_u64(part, &n)) return false;
        parts++;
    }
    return parts >= min_parts && parts <= max_parts;
}

static int take_python(struct making *k, const char *text)
{
    gf_slice s = gf_slice_of(text);
    if (gf_slice_starts(s, GF_S("cp")) || gf_slice_starts(s, GF_S("py"))) s = gf_slice_from(s, 2);
    struct py_platform platform = { 0 };
    if (!py_platform_set_python(&platform, s))
        return gf_fail(k->err, GF_E_USAGE, "--python '%s' is not a version of Python; expected X.Y or X.Y.Z, like 3.12 or 3.11.2", text);
    if (platform.major != 3)
        return gf_fail(k->err, GF_E_USAGE, "--python '%s': gpuferry plans for Python 3 only, like 3.12", text);
    const char *full = gf_arena_printf(&k->p->mem, "%u.%u.%u%s", platform.major, platform.minor, platform.micro, platform.free_threaded ? "t" : "");
    if (k->p->python_version && gf_slice_starts(gf_slice_of(k->p->python_version), s) && k->p->python_version[s.n] == '.') return 0; /* it says more */
    say(k, &k->p->python_version, "python.version", full);
    k->p->python_abi = NULL;
    k->p->python_known = MDL_PRESENT;
    return 0;
}

static const char *known_arch(const char *text)
{
    static const char *const names[][2] = { { "x86_64", "x86_64" }, { "amd64", "x86_64" }, { "x64", "x86_64" }, { "aarch64", "aarch64" }, { "arm64", "aarch64" },
                                            { "ppc64le", "ppc64le" } };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (gf_slice_ieq(gf_slice_of(text), gf_slice_of(names[i][0]))) return names[i][1];
    return NULL;
}

static int take_plain(struct making *k, const struct tgt_request *r)
{
    static const char *const accelerators[] = { "cuda", "rocm", "cann", "cpu", "any" };
    if (r->arch && !known_arch(r->arch))
        return gf_fail(k->err, GF_E_USAGE, "--arch '%s' is not known; expected x86_64 or aarch64", r->arch);
    if (r->arch) say(k, &k->p->arch, "arch", known_arch(r->arch));
    if (r->glibc && !dotted(r->glibc, 2, 3)) return gf_fail(k->err, GF_E_USAGE, "--glibc '%s' is not a version of glibc, like 2.36", r->glibc);
    if (r->glibc) {
        k->p->libc_name = "glibc";
        say(k, &k->p->libc_version, "libc.version", r->glibc);
    }
    if (r->kernel && !gf_is_digit((unsigned char)r->kernel[0]))
        return gf_fail(k->err, GF_E_USAGE, "--kernel '%s' is not a kernel release, like 6.1.0-57-amd64", r->kernel);
    if (r->kernel) say(k, &k->p->kernel, "os.kernel", r->kernel);
    if (!r->accelerator) return 0;
    for (size_t i = 0; i < sizeof accelerators / sizeof accelerators[0]; i++)
        if (strcmp(r->accelerator, accelerators[i]) == 0) {
            k->p->accelerator = accelerators[i];
            return 0;
        }
    return gf_fail(k->err, GF_E_USAGE, "--accelerator '%s' is not known; expected cuda, rocm, cann, cpu or any", r->accelerator);
}

/* --- driver -------------------------------------------------------------------------------------------------------------- */
const char *tgt_mtx_os(const struct mdl_profile *p) { return p->os_id && strcmp(p->os_id, "windows") == 0 ? "windows" : "linux"; }

/* Whose numbers the driver has: inside WSL it is the one of Windows. */
static const char *driver_os(const struct mdl_profile *p) { return p->wsl == PY_YES ? "windows" : tgt_mtx_os(p); }

/* nvidia-smi's CUDA number alone: the oldest driver that prints it is what may be counted on. */
static void driver_from_cuda(struct making *k)
{
    const struct mtx_branch *const *b;
    size_t n = mtx_branches(k->m, driver_os(k->p), &b);
    const struct mtx_branch *oldest = NULL;
    for (size_t i = 0; i < n; i++)
        if (b[i]->cuda && strcmp(b[i]->cuda, k->p->driver_cuda) == 0) oldest = b[i];
    if (!oldest) return;
    k->p->driver_version = gf_arena_strz(&k->p->mem, oldest->first);
    assume(k, gf_arena_printf(&k->p->mem, "driver %s (the first of branch %s, which shows CUDA %s, data/nvidia/driver.json)", oldest->first, oldest->branch, k->p->driver_cuda));
}

static void cuda_from_driver(struct making *k)
{
    const char *cuda = mtx_driver_cuda(k->m, driver_os(k->p), gf_slice_of(k->p->driver_version));
    if (!cuda) return;
    k->p->driver_cuda = gf_arena_strz(&k->p->mem, cuda);
    assume(k, gf_arena_printf(&k->p->mem, "CUDA %s of the driver (%s, data/nvidia/driver.json)", cuda, k->p->driver_version));
}

static void drop_driver(struct mdl_profile *p)
{
    p->driver_version = p->driver_cuda = p->driver_flavour = p->driver_origin = NULL;
    p->driver_known = MDL_UNKNOWN;
}

static int take_driver_word(struct making *k, const char *text, enum tgt_driver *ret)
{
    if (strcmp(text, "any") == 0) {
        *ret = TGT_DRIVER_ANY;
        return 0;
    }
    if (strcmp(text, "none") == 0) {
        drop_driver(k->p);
        k->p->driver_known = MDL_ABSENT;
        *ret = TGT_DRIVER_NONE;
        return 0;
    }
    if (!dotted(text, 1, 4) || (size_t)strcspn(text, ".") > 4)
        return gf_fail(k->err, GF_E_USAGE, "--driver '%s' is not a driver version, like 535.309.01, nor one of keep, any, none", text);
    if (k->p->driver_version && strcmp(k->p->driver_version, text) != 0) {
        note(k, gf_arena_printf(&k->p->mem, "driver: %s as asked for, the profile says %s", text, k->p->driver_version));
        drop_driver(k->p);
    }
    k->p->driver_version = gf_arena_strz(&k->p->mem, text);
    k->p->driver_known = MDL_PRESENT;
    mdl_profile_set_origin(k->p, "driver.version", "command line");
    *ret = TGT_DRIVER_KEEP;
    return 0;
}

static int take_driver(struct making *k, const char *text, enum tgt_driver *ret)
{
    bool keeps = text && strcmp(text, "keep") == 0;
    if (text && !keeps && take_driver_word(k, text, ret)) return -1;
    struct mdl_profile *p = k->p;
    if (!p->driver_version && p->driver_cuda) driver_from_cuda(k);
    if (p->driver_version && !p->driver_cuda) cuda_from_driver(k);
    if (text && !keeps) return 0;
    if (keeps && !p->driver_version)
        return gf_fail(k->err, GF_E_USAGE, "--driver keep: the facts of the target name no driver; give its version, or 'any' to let the plan choose one");
    *ret = p->driver_version ? TGT_DRIVER_KEEP : TGT_DRIVER_ANY;
    return 0;
}

/* --- what is left open ---------------------------------------------------------------------------------------------------- */
static bool is_arm_only(const struct mdl_gpu *g)
{
    unsigned major, minor;
    if (g->cc && mtx_cc_parse(gf_slice_of(g->cc), &major, &minor) && mtx_cc_is_tegra(major, minor)) return true;
    static const char *const names[] = { "GH200", "GB200", "GB300", "GB10", "Orin", "Xavier", "Thor" };
    for (size_t i = 0; g->name && i < sizeof names / sizeof names[0]; i++)
        if (gf_slice_ifind(gf_slice_of(g->name), gf_slice_of(names[i])) >= 0) return true;
    return false;
}

static void assume_arch(struct making *k)
{
    struct mdl_profile *p = k->p;
    if (p->arch) return;
    for (size_t i = 0; i < p->ngpus && !p->arch; i++)
        if (is_arm_only(&p->gpus[i])) {
            p->arch = "aarch64";
            assume(k, gf_arena_printf(&p->mem, "aarch64 (%s comes with no other)", p->gpus[i].name ? p->gpus[i].name : p->gpus[i].cc));
        }
    if (p->arch) return;
    p->arch = "x86_64";
    assume(k, "x86_64 (the usual one)");
}

static void list_unknown(struct making *k)
{
    struct mdl_profile *p = k->p;
    bool gpu_counts = !p->accelerator || (strcmp(p->accelerator, "cpu") != 0 && strcmp(p->accelerator, "any") != 0);
    if (gpu_counts && p->gpus_known == MDL_UNKNOWN) unknown(k, "GPU");
    for (size_t i = 0; i < p->ngpus; i++)
        if (!p->gpus[i].cc && !p->gpus[i].gfx && (!p->gpus[i].vendor || strcmp(p->gpus[i].vendor, "nvidia") == 0))
            unknown(k, gf_arena_printf(&p->mem, "compute capability of %s", p->gpus[i].name ? p->gpus[i].name : p->gpus[i].pci ? p->gpus[i].pci : "a GPU"));
    if (!p->os_id) unknown(k, "operating system");
    if (!p->libc_version && strcmp(tgt_mtx_os(p), "linux") == 0) unknown(k, "glibc");
    if (!p->python_version) unknown(k, "Python");
}

int tgt_from_request(struct mtx *m, const struct tgt_request *r, struct mdl_profile *base, struct tgt_target *ret, struct gf_err *err)
{
    struct making k = { .m = m, .p = base, .err = err };
    if (!base && !any_fact(r) && tgt_detect(m, "", &k.p, err)) return -1;
    if (!k.p) k.p = mdl_profile_new();
    enum tgt_driver driver = TGT_DRIVER_ANY;
    if ((r->os && take_os(&k, r)) || take_plain(&k, r) || (r->python && take_python(&k, r->python)) ||
        tgt_take_gpus(m, r->gpus, r->ngpus, k.p, &k.notes, &k.nnotes, err)) {
        mdl_profile_free(k.p);
        return -1;
    }
    tgt_fill_gpus(m, k.p);
    assume_from_os(&k);
    assume_arch(&k);
    if (take_driver(&k, r->driver, &driver)) {
        mdl_profile_free(k.p);
        return -1;
    }
    list_unknown(&k);
    *ret = (struct tgt_target){ k.p, driver, { k.assumed, k.nassumed }, { k.unknown, k.nunknown }, { k.notes, k.nnotes } };
    return 0;
}

void tgt_assume_glibc(struct tgt_target *t)
{
    struct mdl_profile *p = t->profile;
    if (p->libc_version || strcmp(tgt_mtx_os(p), "linux") != 0 || (p->os_id && strcmp(p->os_id, "macos") == 0) || (p->libc_name && strcmp(p->libc_name, "glibc") != 0)) return;
    p->libc_name = "glibc";
    p->libc_version = "2.28";
    struct making k = { .p = p };
    for (size_t i = 0; i < t->assumed.n; i++) assume(&k, t->assumed.v[i]);
    assume(&k, "glibc 2.28 (nothing says which: --os or --glibc does)");
    for (size_t i = 0; i < t->unknown.n; i++)
        if (strcmp(t->unknown.v[i], "glibc") != 0) unknown(&k, t->unknown.v[i]);
    t->assumed = (struct mdl_strings){ k.assumed, k.nassumed };
    t->unknown = (struct mdl_strings){ k.unknown, k.nunknown };
}

void tgt_target_release(struct tgt_target *t)
{
    mdl_profile_free(t->profile);
    *t = (struct tgt_target){ 0 };
}
