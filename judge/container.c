/* Containers and WSL: what an image asks of the host, what a container was given, compat libraries. */
#include "judge/link.h"

/* ---- NVIDIA_REQUIRE_CUDA: groups by blanks (any), conditions by commas (all) ---- */

static enum py_tri compare(gf_slice have, gf_slice op, gf_slice want)
{
    int c = gf_dotted_cmp(have, want);
    if (gf_slice_is(op, ">=")) return c >= 0 ? PY_YES : PY_NO;
    if (gf_slice_is(op, "<=")) return c <= 0 ? PY_YES : PY_NO;
    if (gf_slice_is(op, ">")) return c > 0 ? PY_YES : PY_NO;
    if (gf_slice_is(op, "<")) return c < 0 ? PY_YES : PY_NO;
    if (gf_slice_is(op, "!=")) return c != 0 ? PY_YES : PY_NO;
    return c == 0 ? PY_YES : PY_NO;
}

static bool is_op(unsigned char c) { return c == '<' || c == '>' || c == '=' || c == '!'; }
static bool is_name(unsigned char c) { return gf_is_alpha(c) || c == '_'; }

static enum py_tri brand_is(struct jdg *j, gf_slice want)
{
    if (!j->gpus.n) return PY_UNKNOWN;
    if (gf_slice_ieq(want, GF_S("geforce"))) return j->gpus.v[0].geforce;
    if (j->gpus.v[0].geforce == PY_YES) return PY_NO;
    return PY_UNKNOWN;
}

static enum py_tri condition(struct jdg *j, gf_slice text)
{
    gf_slice rest = text, name = gf_take_while(&rest, is_name), op = gf_take_while(&rest, is_op);
    if (!op.n) return PY_UNKNOWN;
    if (gf_slice_is(name, "cuda")) return j->driver_cuda ? compare(gf_slice_of(j->driver_cuda), op, rest) : PY_UNKNOWN;
    if (gf_slice_is(name, "driver")) return j->driver ? compare(gf_slice_of(j->driver), op, rest) : PY_UNKNOWN;
    if (gf_slice_is(name, "brand")) return brand_is(j, rest);
    return PY_UNKNOWN;
}

/* "cuda >= 9.0" is one condition: blanks around operators are dropped first. */
static gf_slice without_loose_blanks(struct jdg *j, gf_slice s)
{
    char *out = gf_arena_alloc(j->a, s.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        bool by_op = (i + 1 < s.n && is_op((unsigned char)s.p[i + 1])) || (n && is_op((unsigned char)out[n - 1]));
        if (s.p[i] == ' ' && by_op) continue;
        out[n++] = s.p[i];
    }
    return gf_slice_n(out, n);
}

static void judge_requires(struct jdg *j)
{
    const char *text = jdg_image(j, "requires");
    if (!text) return;
    gf_slice rest = without_loose_blanks(j, gf_slice_of(text)), group, cond;
    enum py_tri any = PY_NO;
    while (gf_slice_word(&rest, &group)) {
        enum py_tri all = PY_YES;
        while (gf_slice_field(&group, ',', &cond)) all = py_and(all, condition(j, cond));
        any = py_or(any, all);
    }
    if (any == PY_YES) return;
    if (any == PY_UNKNOWN) {
        jdg_undecided(j, "driver version of the host");
        return;
    }
    struct mdl_finding *f = jdg_find(j, MDL_ERROR, MDL_INCOMPATIBLE, "R-CONTAINER-REQ", "image and driver",
                                     "the image asks for %s, the driver of the host is %s%s%s%s: the container will not start", text, j->driver ? j->driver : "of unknown number",
                                     j->driver_cuda ? " (CUDA " : "", j->driver_cuda ? j->driver_cuda : "", j->driver_cuda ? ")" : "");
    f->fix_text = "a newer driver on the host, or an older tag of the image; NVIDIA_DISABLE_REQUIRE=1 only where the image's CUDA is of the driver's major";
    jdg_command(j, f, "nvidia-smi --query-gpu=driver_version --format=csv,noheader");
}

static enum py_tri all_geforce(const struct jdg *j)
{
    enum py_tri any = PY_NO;
    for (size_t i = 0; i < j->gpus.n; i++) any = py_or(any, j->gpus.v[i].geforce);
    return j->gpus.n ? any : PY_UNKNOWN;
}

/* An image whose CUDA is newer than the driver's carries a compat libcuda that GeForce cards refuse. */
static void judge_compat(struct jdg *j)
{
    const char *cuda = jdg_image(j, "cuda");
    bool said = jdg_has_error(j, "compat-804");
    gf_slice want = gf_slice_of(cuda);
    while (want.n && !gf_is_digit((unsigned char)*want.p)) want = gf_slice_from(want, 1);
    bool strictly = cuda && *cuda == '>' && cuda[1] != '=';
    int c = want.n && j->driver_cuda ? gf_dotted_cmp(want, gf_slice_of(j->driver_cuda)) : -1;
    bool newer = c > 0 || (c == 0 && strictly);
    bool major = newer && jdg_cuda_major(want.p) > jdg_cuda_major(j->driver_cuda);
    if ((!said && !major) || all_geforce(j) == PY_NO) return;
    struct mdl_finding *f = jdg_find(j, MDL_ERROR, MDL_INCOMPATIBLE, "R-COMPAT-GEFORCE", "image and driver",
                                     "the image brings a CUDA%s%s newer than the driver's %s and its compat library; forward compatibility works on datacenter GPUs only", cuda ? " " : "",
                                     cuda ? cuda : "", j->driver_cuda ? j->driver_cuda : "own");
    if (j->gpus.n) jdg_fact(j, f, "%s", j->gpus.v[0].label);
    f->fix_text = "a driver as new as the image's CUDA, an older image, or take the compat folder off the loader's path";
    jdg_command(j, f, "docker run -e LD_LIBRARY_PATH=/usr/local/nvidia/lib64 …");
}

static void judge_start(struct jdg *j)
{
    const char *gpus = jdg_image(j, "gpus_flag");
    if (!gpus) return;
    if (strcmp(gpus, "false") == 0) {
        struct mdl_finding *f = jdg_find(j, MDL_ERROR, MDL_MISCONFIGURED, "R-HOST-FACT", "container",
                                         "the container was started without GPUs: libcuda and the devices come from the host's runtime, never from the image");
        f->fix_text = "start it with --gpus all; install no driver inside the image";
        jdg_command(j, f, "docker run --gpus all …");
    } else if (j->tegra) {
        struct mdl_finding *f = jdg_find(j, MDL_ERROR, MDL_MISCONFIGURED, "R-TEGRA", "container on a Jetson", "--gpus is for discrete GPUs; a Jetson's runtime maps its GPU itself");
        f->fix_text = "start it with the nvidia runtime";
        jdg_command(j, f, "docker run --runtime nvidia …");
    }
}

/* A build number of Windows 10 before 21H2 among the facts of the host; NULL. */
static const char *windows_build(struct jdg *j)
{
    const gf_json *host = j->host ? gf_json_root(j->host) : NULL;
    for (const gf_json *c = gf_json_first(host); c; c = gf_json_next(c)) {
        gf_slice key = gf_slice_of(gf_json_key(c)), rest = gf_slice_of(jdg_host(j, gf_json_key(c)));
        if (gf_slice_ifind(key, GF_S("build")) < 0 && gf_slice_ifind(key, GF_S("windows")) < 0) continue;
        while (rest.n) {
            while (rest.n && !gf_is_digit((unsigned char)*rest.p)) rest = gf_slice_from(rest, 1);
            size_t n = 0;
            while (n < rest.n && gf_is_digit((unsigned char)rest.p[n])) n++;
            uint64_t number = 0;
            if (gf_slice_u64(gf_slice_sub(rest, 0, n), &number) && number >= 10000 && number < 19044) return jdg_text(j, "%llu", (unsigned long long)number);
            rest = gf_slice_from(rest, n);
        }
    }
    return NULL;
}

static void judge_wsl(struct jdg *j)
{
    if (!j->wsl) return;
    for (size_t i = 0; i < j->p->nos_packages; i++) {
        gf_slice name = gf_slice_of(j->p->os_packages[i].name);
        if (!gf_slice_starts(name, GF_S("nvidia-driver")) && !gf_slice_starts(name, GF_S("libnvidia-compute")) && !gf_slice_starts(name, GF_S("cuda-drivers"))) continue;
        struct mdl_finding *f = jdg_find(j, MDL_ERROR, MDL_MISCONFIGURED, "R-WSL", "WSL", "%.*s is installed inside WSL; there the driver is the one of Windows", GF_FMT(name));
        f->fix_text = "remove the Linux driver inside WSL, keep the one of Windows";
        jdg_command(j, f, "apt-get purge '^nvidia-.*' '^libnvidia-.*'");
        return;
    }
    const char *build = windows_build(j);
    if (build) {
        struct mdl_finding *f = jdg_find(j, MDL_ERROR, MDL_BROKEN_HOST, "R-WSL-BUILD", "WSL", "Windows build %s has no GPU in WSL2: it needs 19044 or Windows 11", build);
        f->fix_text = "update Windows to 21H2 or newer";
    }
}

void jdg_link_container(struct jdg *j)
{
    judge_requires(j);
    judge_compat(j);
    judge_start(j);
    judge_wsl(j);
}
