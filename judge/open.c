/* A judgement opened: names, versions, builds and capabilities of a profile made ready for the links. */
#include "judge/link.h"
#include <stdio.h>

static const struct { const char *name, *as; } same_binaries[] = {
    { "libtorch", "torch" },          { "pytorch", "torch" },           { "pytorch-triton", "triton" },   { "triton-windows", "triton" },
    { "pytorch-cuda", "torch-cuda" }, { "tensorflow-gpu", "tensorflow" }, { "tf-nightly", "tensorflow" }, { "tf-nightly-gpu", "tensorflow" },
    { "pytorch-triton-rocm", "triton-rocm" }, { "faster_whisper", "faster-whisper" },
};

static const char *counted_as(struct jdg *j, const char *name)
{
    char *norm = py_name_normalize(j->a, gf_slice_of(name));
    for (size_t i = 0; i < sizeof same_binaries / sizeof *same_binaries; i++)
        if (strcmp(norm, same_binaries[i].name) == 0) return same_binaries[i].as;
    return norm;
}

/* "cu121" out of "cu121", "cu121.post1", "cu12torch2.6cxx11abiFALSE"; also cu12x, cpu, rocm6.2, xpu. NULL when it is none of these. */
static const char *variant_in(struct jdg *j, gf_slice local)
{
    gf_slice rest = local;
    if (gf_try_lit(&rest, GF_S("cpu"))) return "cpu";
    if (gf_try_lit(&rest, GF_S("xpu"))) return "xpu";
    bool rocm = gf_try_lit(&rest, GF_S("rocm")), cuda = !rocm && (gf_try_lit(&rest, GF_S("cuda")) || gf_try_lit(&rest, GF_S("cu")));
    if (!rocm && !cuda) return NULL;
    size_t n = 0;
    while (n < rest.n && (gf_is_digit((unsigned char)rest.p[n]) || (rest.p[n] == '.' && n + 1 < rest.n && gf_is_digit((unsigned char)rest.p[n + 1])))) n++;
    if (cuda && n && n < rest.n && rest.p[n] == 'x') return jdg_text(j, "cu%.*sx", GF_FMT(gf_slice_sub(rest, 0, n)));
    if (rocm) return jdg_text(j, "rocm%.*s", GF_FMT(gf_slice_sub(rest, 0, n)));
    if (!n) return NULL;
    struct gf_buf digits;
    gf_buf_init(&digits, 64);
    for (size_t i = 0; i < n; i++)
        if (rest.p[i] != '.') gf_buf_addc(&digits, rest.p[i]);
    const char *variant = jdg_text(j, "cu%s", gf_buf_str(&digits));
    gf_buf_release(&digits);
    return variant;
}

/* cu121 → 12.1, cu92 → 9.2, cu12 and cu12x → 12; NULL otherwise. */
static const char *cuda_of(struct jdg *j, const char *variant)
{
    gf_slice s = gf_slice_of(variant);
    if (!gf_try_lit(&s, GF_S("cu")) || s.n < 2) return NULL;
    if (s.p[s.n - 1] == 'x') return jdg_text(j, "%.*s", GF_FMT(gf_slice_sub(s, 0, s.n - 1)));
    if (s.n == 2 && s.p[0] == '1') return jdg_text(j, "%.*s", GF_FMT(s));
    return jdg_text(j, "%.*s.%c", GF_FMT(gf_slice_sub(s, 0, s.n - 1)), s.p[s.n - 1]);
}

unsigned jdg_cuda_major(const char *cuda)
{
    unsigned major = 0;
    for (const char *at = cuda; at && gf_is_digit((unsigned char)*at) && major < 1000; at++) major = major * 10 + (unsigned)(*at - '0');
    return major;
}

static const char *platform_of(const struct jdg *j)
{
    if (strcmp(j->os, "windows") == 0) return "windows";
    if (strcmp(j->os, "macos") == 0) return "macos";
    return j->p->arch && strcmp(j->p->arch, "aarch64") == 0 ? "linux_aarch64" : "linux_x86_64";
}

static const struct mtx_carries *carries_of_list(struct jdg *j, const struct jdg_pkg *pkg)
{
    const char **list = GF_NEW_ARRAY(j->a, const char *, 2 * pkg->p->narch);
    size_t n = 0;
    for (size_t i = 0; i < pkg->p->narch; i++) {
        gf_slice target = gf_slice_of(pkg->p->arch_list[i]), plain = target;
        if (gf_slice_starts(target, GF_S("gfx"))) continue;
        bool both = gf_slice_ends(target, GF_S("+PTX"));
        if (both) plain.n -= 4;
        list[n++] = jdg_text(j, "%.*s", GF_FMT(plain));
        gf_try_lit(&plain, GF_S("sm_"));
        if (both) list[n++] = jdg_text(j, "compute_%.*s", GF_FMT(plain));
    }
    return n ? mtx_carries_of_list(j->a, list, n, gf_slice_of(pkg->cuda)) : NULL;
}

static void add_package(struct jdg *j, const struct mdl_package *p)
{
    struct jdg_pkg pkg = { .p = p, .name = counted_as(j, p->name) };
    gf_slice version = gf_slice_of(p->version);
    if (p->version) {
        pkg.has_version = py_version_parse(j->a, version, &pkg.version);
        ptrdiff_t plus = gf_slice_chr(version, '+');
        gf_slice local = plus >= 0 ? gf_slice_from(version, (size_t)plus + 1) : GF_NONE;
        if (plus >= 0) pkg.variant = variant_in(j, local);
        pkg.vendor_build = !pkg.variant && (gf_slice_starts(local, GF_S("nv")) || gf_slice_has(local, GF_S(".nv")));
    }
    if (!pkg.variant && p->build) pkg.variant = variant_in(j, gf_slice_of(p->build));
    pkg.variant_stated = pkg.variant != NULL;
    bool own = p->version && strchr(p->version, '+') && !pkg.variant; /* a build of somebody's own: not the one of an index */
    if (!pkg.variant && pkg.has_version && !own) pkg.variant = mtx_variant_of(j->m, pkg.name, &pkg.version, "default", platform_of(j));
    pkg.cuda = pkg.variant ? cuda_of(j, pkg.variant) : NULL;
    if (pkg.has_version && !own) pkg.build = mtx_build_of(j->m, pkg.name, &pkg.version, pkg.variant_stated ? NULL : "default", platform_of(j), NULL);
    if (!pkg.cuda && pkg.build && !pkg.variant_stated) pkg.cuda = pkg.build->cuda;
    pkg.carries = p->narch ? carries_of_list(j, &pkg) : pkg.build ? pkg.build->carries : NULL;
    pkg.label = jdg_text(j, "%s%s%s%s%s", p->name, p->version || pkg.variant_stated ? " " : "", p->version ? p->version : "",
                         !p->version && pkg.variant_stated ? "+" : "", !p->version && pkg.variant_stated ? pkg.variant : "");
    gf_vec_push(&j->pkgs, pkg);
}

static enum py_tri is_geforce(const struct jdg_gpu *gpu)
{
    if (gpu->row && gpu->row->klass) return strcmp(gpu->row->klass, "geforce") == 0 ? PY_YES : PY_NO;
    gf_slice name = gf_slice_of(gpu->g->name);
    if (!name.p) return PY_UNKNOWN;
    if (gf_slice_ifind(name, GF_S("geforce")) >= 0 || gf_slice_ifind(name, GF_S("gtx")) >= 0 || gf_slice_ifind(name, GF_S("titan")) >= 0) return PY_YES;
    ptrdiff_t rtx = gf_slice_ifind(name, GF_S("rtx "));
    if (rtx < 0) return PY_NO;
    gf_slice model = gf_slice_from(name, (size_t)rtx + 4); /* 3060, 4090 …; not A6000, PRO 6000, "6000 Ada", 4000 */
    uint64_t number = gf_take_u64(&model);
    return model.p && number >= 2050 && number < 6000 && number % 1000 != 0 ? PY_YES : PY_NO;
}

static void find_row(struct jdg *j, struct jdg_gpu *gpu)
{
    const struct mtx_gpu *rows[16];
    if (gpu->g->pci) gpu->row = mtx_gpu_by_pci(j->m, gf_slice_of(gpu->g->pci));
    if (gpu->row || !gpu->g->name) return;
    size_t n = mtx_gpu_by_name(j->m, gf_slice_of(gpu->g->name), rows, 16);
    for (size_t i = 1; i < n; i++)
        if (!rows[0]->cc || !rows[i]->cc || strcmp(rows[0]->cc, rows[i]->cc) != 0) return;
    if (n) gpu->row = rows[0];
}

static void add_gpu(struct jdg *j, const struct mdl_gpu *g)
{
    struct jdg_gpu gpu = { .g = g };
    find_row(j, &gpu);
    const char *cc = g->cc ? g->cc : gpu.row ? gpu.row->cc : NULL;
    gpu.has_cc = cc && mtx_cc_parse(gf_slice_of(cc), &gpu.major, &gpu.minor);
    const char *vendor = g->vendor ? g->vendor : gpu.row ? gpu.row->vendor : NULL;
    gpu.nvidia = gpu.has_cc || (vendor && strcmp(vendor, "nvidia") == 0);
    gpu.geforce = gpu.nvidia ? is_geforce(&gpu) : PY_NO;
    gf_slice name = gf_slice_of(g->name);
    if ((gpu.has_cc && mtx_cc_is_tegra(gpu.major, gpu.minor)) || gf_slice_ifind(name, GF_S("jetson")) >= 0 || gf_slice_ifind(name, GF_S("tegra")) >= 0)
        j->tegra = true;
    if (gpu.has_cc) gpu.label = jdg_text(j, "%s (sm_%u%u)", g->name ? g->name : "GPU", gpu.major, gpu.minor);
    else gpu.label = jdg_text(j, "%s%s%s", g->name ? g->name : "GPU", g->gfx ? " " : "", g->gfx ? g->gfx : "");
    gf_vec_push(&j->gpus, gpu);
}

/* What nvidia-smi or the driver's number says of the CUDA it supports. "ERR!" and the like are no version. */
static void set_driver(struct jdg *j)
{
    const struct mdl_profile *p = j->p;
    if (p->driver_version && gf_is_digit((unsigned char)*p->driver_version)) j->driver = p->driver_version;
    if (p->driver_cuda && gf_is_digit((unsigned char)*p->driver_cuda)) j->driver_cuda = p->driver_cuda;
    else if (j->driver && !j->tegra) j->driver_cuda = mtx_driver_cuda(j->m, j->driver_os, gf_slice_of(j->driver));
}

/* What is told of the kernel modules in words: "proprietary", "open (patched)". */
static const char *told_flavour(const struct jdg *j)
{
    const gf_json *host = j->host ? gf_json_root(j->host) : NULL;
    for (const gf_json *c = gf_json_first(host); c; c = gf_json_next(c)) {
        gf_slice key = gf_slice_of(gf_json_key(c)), text = gf_json_str(c);
        bool yes, is_bool = gf_json_bool(c, &yes), about = gf_slice_ifind(key, GF_S("modul")) >= 0 || gf_slice_ifind(key, GF_S("flavo")) >= 0 || gf_slice_ifind(key, GF_S("kmod")) >= 0;
        if (gf_slice_ifind(key, GF_S("open")) >= 0 && is_bool) return yes ? "open" : "proprietary";
        if (!about) continue;
        if (gf_slice_ifind(text, GF_S("proprietary")) >= 0 || gf_slice_ifind(text, GF_S("closed")) >= 0) return "proprietary";
        if (gf_slice_ifind(text, GF_S("open")) >= 0) return "open";
    }
    return NULL;
}

static struct gf_json_doc *parse_object(const char *text)
{
    struct gf_json_doc *doc = NULL;
    if (text) gf_json_parse(gf_slice_of(text), "profile", &doc, NULL);
    return doc;
}

void jdg_open(struct jdg *j, struct mtx *m, const struct mdl_profile *p, struct mdl_verdict *v)
{
    static const char *const installers[] = { "pip", "setuptools", "wheel", "uv" };
    *j = (struct jdg){ .m = m, .p = p, .v = v, .a = &v->mem, .os = "linux", .driver_os = "linux" };
    if (p->os_id && (strcmp(p->os_id, "windows") == 0 || strcmp(p->os_id, "macos") == 0)) j->os = j->driver_os = p->os_id;
    j->wsl = p->wsl == PY_YES;
    if (j->wsl) j->os = "linux", j->driver_os = "windows";
    j->tegra = p->kernel && gf_slice_ifind(gf_slice_of(p->kernel), GF_S("tegra")) >= 0;
    for (size_t i = 0; i < p->ngpus; i++) add_gpu(j, &p->gpus[i]);
    set_driver(j);
    for (size_t i = 0; i < p->npackages; i++) add_package(j, &p->packages[i]);
    for (size_t i = 0; i < sizeof installers / sizeof *installers; i++)
        if (jdg_pkg(j, installers[i])) j->list_complete = true;
    if (j->pkgs.n >= 15) j->list_complete = true;
    j->host = parse_object(p->host_json);
    j->image = parse_object(p->image_json);
    j->flavour = p->driver_flavour ? p->driver_flavour : told_flavour(j);
    j->glibc = p->libc_version;
    const struct mtx_distro *distro = !p->libc_version && p->os_id && p->os_version ? mtx_distro(m, gf_slice_of(p->os_id), gf_slice_of(p->os_version)) : NULL;
    if (distro) j->glibc = distro->glibc;
}

void jdg_close(struct jdg *j)
{
    gf_vec_free(&j->pkgs);
    gf_vec_free(&j->gpus);
    gf_json_free(j->host);
    gf_json_free(j->image);
}

const struct jdg_pkg *jdg_pkg(const struct jdg *j, const char *name)
{
    for (size_t i = 0; i < j->pkgs.n; i++)
        if (strcmp(j->pkgs.v[i].name, name) == 0) return &j->pkgs.v[i];
    return NULL;
}

bool jdg_version_in(struct jdg *j, const struct jdg_pkg *pkg, const char *specs)
{
    struct py_specset set;
    return pkg && pkg->has_version && py_specset_parse(j->a, gf_slice_of(specs), true, &set) && py_specset_contains(&set, &pkg->version);
}

static const char *member(struct jdg *j, const struct gf_json_doc *doc, const char *key)
{
    const gf_json *v = doc ? gf_json_get(gf_json_root(doc), key) : NULL;
    bool yes;
    int64_t n;
    if (gf_json_bool(v, &yes)) return yes ? "true" : "false";
    if (gf_json_int(v, &n)) return jdg_text(j, "%lld", (long long)n);
    return gf_json_cstr(v);
}

const char *jdg_host(struct jdg *j, const char *key) { return member(j, j->host, key); }
const char *jdg_image(struct jdg *j, const char *key) { return member(j, j->image, key); }
