/* torch.utils.collect_env, vLLM's and its Ascend and ROCm variants, and the environment lists of transformers and accelerate: "key: value" lines with
 * headings. People re-type them: keys in other cases, a colon lost. */
#include "target/paste.h"

static const char TOOL[] = "collect_env";

struct collect_env {
    bool in;             /* within a block: single lines that follow belong to it */
    bool gpus_follow;    /* "GPU models and configuration:" was the last key */
    bool cuda_none, rocm_none;
    char *torch_cuda;    /* "cu124" by CUDA used to build PyTorch */
    char *torch_version;
    struct tgt_gpus gpus;
};

/* --- GPUs -------------------------------------------------------------------------------------------------------------------- */
static const char *vendor_of(gf_slice name)
{
    static const struct { const char *part, *vendor; } parts[] = {
        { "Radeon", "amd" }, { "Instinct", "amd" }, { "AMD ", "amd" }, { "gfx", "amd" }, { "Ascend", "huawei" }, { "Intel", "intel" }, { "Arc ", "intel" }, { "MTT ", "moore-threads" },
        { "NVIDIA", "nvidia" }, { "GeForce", "nvidia" }, { "Tesla", "nvidia" }, { "Quadro", "nvidia" }, { "nvgpu", "nvidia" }, { "GRID", "nvidia" }, { "TITAN", "nvidia" },
        { "RTX", "nvidia" }, { "GTX", "nvidia" }, { "A100", "nvidia" }, { "H100", "nvidia" }, { "DCU", "hygon" }, { "Z100", "hygon" },
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (gf_slice_has(name, gf_slice_of(parts[i].part))) return parts[i].vendor;
    return NULL;
}

/* "AMD Instinct MI300X (gfx942:sramecc+:xnack-)" → the name, and the target apart. */
static gf_slice take_gfx(struct tgt_paste *s, struct mdl_gpu *g, gf_slice t)
{
    ptrdiff_t at = gf_slice_find(t, GF_S("(gfx"));
    if (at < 0) return t;
    gf_slice gfx = gf_slice_from(t, (size_t)at + 1);
    size_t n = 3;
    while (n < gfx.n && gf_is_alnum((unsigned char)gfx.p[n])) n++;
    g->gfx = gf_arena_str(&s->p->mem, gf_slice_sub(gfx, 0, n));
    return gf_slice_trim(gf_slice_sub(t, 0, (size_t)at));
}

/* One GPU of the list: "GPU 0: NAME", or the name alone. first: on the key's own line. */
static bool gpu_entry(struct tgt_paste *s, struct collect_env *c, gf_slice line, bool first)
{
    gf_slice t = gf_slice_trim(line), rest = t;
    uint64_t index = c->gpus.n;
    if (tgt_says_nothing(t)) return false;
    if (gf_slice_starts(t, GF_S("MIG ")) && c->gpus.n) {
        if (!c->gpus.v[c->gpus.n - 1].mig) c->gpus.v[c->gpus.n - 1].mig = "enabled";
        return true;
    }
    bool numbered = gf_slice_starts(t, GF_S("GPU ")) && t.n > 4 && gf_is_digit((unsigned char)t.p[4]);
    if (numbered) {
        gf_try_lit(&rest, GF_S("GPU "));
        index = gf_take_u64(&rest);
        gf_take_ws(&rest);
        gf_try_char(&rest, ':');
        t = gf_slice_trim(rest);
    } else if (!first && !vendor_of(t)) return false; /* the next key, or other text */
    if (!gf_slice_ok(t) || !t.n) return numbered;
    ptrdiff_t uuid = gf_slice_find(t, GF_S("(UUID"));
    if (uuid > 0) t = gf_slice_trim(gf_slice_sub(t, 0, (size_t)uuid));
    struct mdl_gpu *g = tgt_gpus_at(&c->gpus, index);
    if (!g) return true;
    g->vendor = vendor_of(t);
    tgt_name_gpu(s, g, take_gfx(s, g, t));
    return true;
}

/* --- torch -------------------------------------------------------------------------------------------------------------------- */
static void torch_version(struct tgt_paste *s, struct collect_env *c, gf_slice v)
{
    ptrdiff_t blank = gf_slice_chr(v, ' ');
    if (blank > 0) v = gf_slice_sub(v, 0, (size_t)blank); /* "2.0.1+cu118 (True)" */
    if (!tgt_number(v).n) return;
    c->torch_version = tgt_keep(s, v);
    tgt_fact_package(s, (struct mdl_package){ .name = "torch", .version = c->torch_version }, TOOL);
}

/* "12.4" → "cu124"; "5.7.31921-d17…" → "rocm5.7". */
static void torch_build(struct tgt_paste *s, struct collect_env *c, gf_slice v, bool rocm)
{
    if (gf_slice_starts(v, GF_S("Could not"))) return;
    gf_slice n = tgt_number(v), major, minor = n;
    if (!n.n) {
        *(rocm ? &c->rocm_none : &c->cuda_none) = true;
        return;
    }
    if (!gf_slice_cut(&minor, '.', &major)) return;
    ptrdiff_t more = gf_slice_chr(minor, '.');
    if (more > 0) minor = gf_slice_sub(minor, 0, (size_t)more);
    c->torch_cuda = gf_arena_printf(&s->p->mem, rocm ? "rocm%.*s.%.*s" : "cu%.*s%.*s", GF_FMT(major), GF_FMT(minor));
}

static void torch_done(struct tgt_paste *s, struct collect_env *c)
{
    if (!c->torch_cuda && c->cuda_none && c->rocm_none) c->torch_cuda = gf_arena_str(&s->p->mem, GF_S("cpu"));
    const char *local = c->torch_version ? strchr(c->torch_version, '+') : NULL; /* "+git3a58512" tells nothing of this */
    bool told = local && (strncmp(local, "+cu", 3) == 0 || strncmp(local, "+cpu", 4) == 0 || strncmp(local, "+rocm", 5) == 0 || strncmp(local, "+xpu", 4) == 0);
    if (c->torch_cuda && c->torch_version && !told) tgt_fact_package(s, (struct mdl_package){ .name = "torch", .build = c->torch_cuda }, TOOL);
    c->torch_cuda = c->torch_version = NULL;
    c->cuda_none = c->rocm_none = false;
}

static void flush(struct tgt_paste *s, struct collect_env *c)
{
    torch_done(s, c);
    tgt_gpus_flush(s, &c->gpus, TOOL);
    c->gpus_follow = false;
}

/* --- keys ---------------------------------------------------------------------------------------------------------------------- */
static void take_python(struct tgt_paste *s, gf_slice v)
{
    size_t n = tgt_number(v).n;
    while (n < v.n && v.p[n] != ' ') n++; /* 3.13.0rc2 */
    if (!tgt_number(v).n || gf_slice_chr(tgt_number(v), '.') < 0) return;
    tgt_fact(s, "python.version", gf_slice_sub(v, 0, n), TOOL);
    if (gf_slice_has(v, GF_S("(AMD64)"))) tgt_take_arch(s, GF_S("x86_64"), TOOL);
    if (gf_slice_has(v, GF_S("(ARM64)"))) tgt_take_arch(s, GF_S("aarch64"), TOOL);
}

static void take_libc(struct tgt_paste *s, gf_slice v)
{
    bool musl = gf_try_lit(&v, GF_S("musl-"));
    if (!musl && !gf_try_lit(&v, GF_S("glibc-"))) return;
    tgt_fact(s, "libc.name", musl ? GF_S("musl") : GF_S("glibc"), TOOL);
    tgt_fact(s, "libc.version", tgt_number(v), TOOL);
}

static void take_available(struct tgt_paste *s, gf_slice line, gf_slice v)
{
    if (gf_slice_ieq(v, GF_S("False")) || gf_slice_ieq(v, GF_S("No"))) tgt_error_line(s, line);
}

static void take_gpus(struct tgt_paste *s, struct collect_env *c, gf_slice v)
{
    tgt_gpus_flush(s, &c->gpus, TOOL);
    c->gpus_follow = true;
    gpu_entry(s, c, v, true);
}

enum key { KEY_NONE, KEY_TORCH, KEY_CUDA, KEY_ROCM, KEY_OS, KEY_GCC, KEY_LIBC, KEY_PYTHON, KEY_PLATFORM, KEY_AVAILABLE, KEY_NVCC, KEY_GPUS, KEY_DRIVER, KEY_CUDNN, KEY_ARCH, KEY_FLAGS,
           KEY_VLLM, KEY_ROCM_SYSTEM, KEY_SKIP };
static const struct { const char *text; enum key key; bool begins, loose; } keys[] = { /* loose: the colon may be missing */
    { "PyTorch version (GPU?)", KEY_TORCH, true, false },
    { "PyTorch version", KEY_TORCH, true, true },
    { "CUDA used to build PyTorch", KEY_CUDA, true, true },
    { "ROCM used to build PyTorch", KEY_ROCM, true, true },
    { "OS", KEY_OS, false, false },
    { "GCC version", KEY_GCC, false, true },
    { "Libc version", KEY_LIBC, true, true },
    { "Python version", KEY_PYTHON, false, true },
    { "Python platform", KEY_PLATFORM, true, true },
    { "Platform", KEY_PLATFORM, false, false },
    { "Is CUDA available", KEY_AVAILABLE, true, true },
    { "CUDA runtime version", KEY_NVCC, true, true },
    { "GPU models and configuration", KEY_GPUS, true, true },
    { "GPU models", KEY_GPUS, true, false },
    { "Nvidia driver version", KEY_DRIVER, true, true },
    { "cuDNN version", KEY_CUDNN, true, true },
    { "Architecture", KEY_ARCH, false, false },
    { "Flags", KEY_FLAGS, false, false },
    { "vLLM Version", KEY_VLLM, true, false },
    { "ROCM Version", KEY_ROCM_SYSTEM, true, false },
    { "CUDA_MODULE_LOADING set to", KEY_SKIP, true, false },
    { "HIP runtime version", KEY_SKIP, true, false },
    { "MIOpen runtime version", KEY_SKIP, true, false },
    { "Is XNNPACK available", KEY_SKIP, true, false },
    { "Is debug build", KEY_SKIP, true, false },
    { "Clang version", KEY_SKIP, true, false },
    { "CMake version", KEY_SKIP, true, false },
    { "XPU used to build PyTorch", KEY_SKIP, true, false },
};

static bool loose_key(gf_slice line, gf_slice key, gf_slice *ret)
{
    if (line.n <= key.n || line.p[key.n] != ' ' || !gf_slice_ieq(gf_slice_sub(line, 0, key.n), key)) return false;
    *ret = gf_slice_trim(gf_slice_from(line, key.n));
    return true;
}

static enum key key_of(struct collect_env *c, gf_slice line, gf_slice *ret_value)
{
    gf_take_ws(&line);
    gf_try_lit(&line, GF_S("- "));
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (!line.n || ((line.p[0] ^ keys[i].text[0]) & 0xdf)) continue;
        gf_slice k = gf_slice_of(keys[i].text);
        if (!tgt_key(line, k, ret_value) && !(keys[i].loose && loose_key(line, k, ret_value))) continue;
        if (keys[i].begins) c->in = true;
        return keys[i].key;
    }
    return KEY_NONE;
}

static void take_flags(struct tgt_paste *s, gf_slice v)
{
    gf_slice word;
    if (s->p->ncpu_flags || v.n < 40) return;
    while (s->p->ncpu_flags < 1000 && gf_slice_word(&v, &word)) {
        const char **list = mdl_profile_grow(s->p, (void *)(uintptr_t)s->p->cpu_flags, s->p->ncpu_flags, sizeof *list);
        list[s->p->ncpu_flags++] = gf_arena_str(&s->p->mem, word);
        s->p->cpu_flags = list;
    }
    s->p->cpu_level = tgt_cpu_level(s->p->cpu_flags, s->p->ncpu_flags);
    s->facts++;
}

static bool take_key(struct tgt_paste *s, struct collect_env *c, enum key key, gf_slice line, gf_slice v)
{
    c->gpus_follow = false;
    switch (key) {
    case KEY_NONE: return false;
    case KEY_TORCH: flush(s, c); torch_version(s, c, v); break;
    case KEY_CUDA: torch_build(s, c, v, false); break;
    case KEY_ROCM: torch_build(s, c, v, true); break;
    case KEY_OS: tgt_take_os_name(s, v, TOOL); break;
    case KEY_GCC:
        if (gf_slice_starts(v, GF_S("gcc version"))) return false; /* /proc/driver/nvidia/version: the compiler of the module */
        tgt_take_gcc(s, v, TOOL);
        break;
    case KEY_LIBC: take_libc(s, v); break;
    case KEY_PYTHON: take_python(s, v); break;
    case KEY_PLATFORM: tgt_take_platform(s, v, TOOL); break;
    case KEY_AVAILABLE: take_available(s, line, v); break;
    case KEY_NVCC: tgt_fact(s, "toolkit.nvcc", tgt_number(v), TOOL); break;
    case KEY_GPUS: take_gpus(s, c, v); break;
    case KEY_DRIVER: tgt_fact(s, "driver.version", tgt_number(v), TOOL); break;
    case KEY_CUDNN: tgt_take_cudnn_path(s, v, TOOL); break;
    case KEY_ARCH: tgt_take_arch(s, v, TOOL); break;
    case KEY_FLAGS: take_flags(s, v); break;
    case KEY_VLLM: tgt_fact_package(s, (struct mdl_package){ .name = "vllm", .version = tgt_number(v).n ? tgt_keep(s, tgt_number(v)) : NULL }, TOOL); break;
    case KEY_ROCM_SYSTEM: tgt_fact(s, "toolkit.rocm", tgt_number(v), TOOL); break;
    case KEY_SKIP: break;
    }
    return true;
}

/* "[pip3] torch==2.5.1", "[conda] numpy 1.19.1 py37_0 defaults". */
static bool package_entry(struct tgt_paste *s, gf_slice line)
{
    gf_slice t = gf_slice_trim(line), name, version;
    bool conda = gf_try_lit(&t, GF_S("[conda]"));
    if (!conda && !gf_try_lit(&t, GF_S("[pip3]")) && !gf_try_lit(&t, GF_S("[pip]"))) return false;
    t = gf_slice_trim(t);
    ptrdiff_t eq = gf_slice_find(t, GF_S("=="));
    if (eq > 0) {
        name = gf_slice_sub(t, 0, (size_t)eq);
        version = gf_slice_from(t, (size_t)eq + 2);
    } else if (!gf_slice_word(&t, &name) || !gf_slice_word(&t, &version)) return true;
    if (!py_name_valid(gf_slice_trim(name)) || !tgt_number(version).n) return true;
    tgt_fact_package(s, (struct mdl_package){ .name = tgt_keep(s, name), .version = tgt_keep(s, version), .origin = conda ? "conda" : "pip" }, TOOL);
    return true;
}

/* vLLM on Ascend prints the toolkit's file: "package_name=Ascend-cann-toolkit", "version=8.1.RC1". */
static bool cann_entry(struct tgt_paste *s, gf_slice line)
{
    gf_slice rest;
    if (!tgt_after(line, GF_S("Ascend-cann-toolkit version"), &rest) && !(s->p->cann == NULL && tgt_after(line, GF_S("ascend_toolkit_install_path"), &rest))) return false;
    gf_slice n = tgt_find_number(rest);
    if (n.n) tgt_fact(s, "toolkit.cann", n, TOOL);
    return true;
}

static bool env_line(struct tgt_paste *s, void *state, gf_slice line)
{
    struct collect_env *c = state;
    gf_slice v;
    if (gf_slice_has(line, GF_S("Collecting environment information"))) {
        flush(s, c);
        return true;
    }
    if (!line.n) c->gpus_follow = false;
    if (!line.n || line.n > 20000) return false;
    if (c->gpus_follow && gpu_entry(s, c, line, false)) return true;
    enum key key = key_of(c, line, &v);
    if (key != KEY_NONE) return take_key(s, c, key, gf_slice_trim(line), v);
    if (gf_slice_has(line, GF_S("libcudnn.so."))) {
        tgt_take_cudnn_path(s, line, TOOL);
        return true;
    }
    return package_entry(s, line) || cann_entry(s, line);
}

static void env_end(struct tgt_paste *s, void *state) { flush(s, state); }

const struct tgt_format tgt_collect_env = { "collect_env", sizeof(struct collect_env), env_line, env_end };
