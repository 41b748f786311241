/* Compilers and libraries: nvcc, gcc, cuDNN's header and files, deviceQuery, the CPU's level. */
#include "target/paste.h"

struct toolkit {
    char *cudnn_major, *cudnn_minor;
    bool in_query; /* deviceQuery */
    struct tgt_gpus gpus;
};

/* "(Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0", "(GCC) 4.8.5 20150623 (Red Hat 4.8.5-36)": the number behind the first brackets. */
void tgt_take_gcc(struct tgt_paste *s, gf_slice text, const char *tool)
{
    gf_slice t = gf_slice_trim(text);
    if (tgt_says_nothing(t) || gf_slice_ifind(t, GF_S("clang")) >= 0) return;
    gf_try_lit(&t, GF_S("gcc "));
    gf_try_lit(&t, GF_S("version "));
    if (t.n && t.p[0] == '(') {
        size_t depth = 0, i = 0;
        do {
            depth += t.p[i] == '(';
            depth -= t.p[i] == ')';
            i++;
        } while (depth && i < t.n);
        t = gf_slice_from(t, i);
    }
    tgt_fact(s, "gcc", tgt_number(t), tool);
}

void tgt_take_cudnn_path(struct tgt_paste *s, gf_slice line, const char *tool)
{
    gf_slice rest, n = tgt_number(line);
    uint64_t whole;
    if (tgt_after(line, GF_S("libcudnn.so."), &rest)) n = tgt_number(rest);
    else if (gf_slice_ifind(line, GF_S("cudnn64_")) >= 0 && tgt_after(line, GF_S("cudnn64_"), &rest)) n = tgt_number(rest);
    else if (n.n != gf_slice_trim(line).n) return;
    if (gf_slice_u64(n, &whole) && whole >= 1000) { /* 90100 is 9.1.0, 8902 is 8.9.2 */
        uint64_t unit = whole >= 90000 ? 10000 : 1000;
        n = gf_slice_of(gf_arena_printf(&s->p->mem, "%u.%u.%u", (unsigned)(whole / unit), (unsigned)(whole % unit / 100), (unsigned)(whole % 100)));
    }
    tgt_fact(s, "cudnn", n, tool);
}

/* "Cuda compilation tools, release 12.4, V12.4.131" */
static bool nvcc_line(struct tgt_paste *s, gf_slice line)
{
    gf_slice rest, exact;
    if (!tgt_after(line, GF_S("Cuda compilation tools, release "), &rest)) return false;
    gf_slice n = tgt_number(rest);
    if (tgt_after(rest, GF_S(", V"), &exact) && tgt_number(exact).n) n = tgt_number(exact);
    tgt_fact(s, "toolkit.nvcc", n, "nvcc -V");
    return true;
}

static bool cudnn_define(struct tgt_paste *s, struct toolkit *t, gf_slice line)
{
    gf_slice rest;
    if (!gf_slice_starts(line, GF_S("#define CUDNN_"))) return false;
    if (tgt_after(line, GF_S("CUDNN_MAJOR "), &rest)) t->cudnn_major = tgt_keep(s, tgt_number(rest));
    else if (tgt_after(line, GF_S("CUDNN_MINOR "), &rest)) t->cudnn_minor = tgt_keep(s, tgt_number(rest));
    else if (tgt_after(line, GF_S("CUDNN_PATCHLEVEL "), &rest) && t->cudnn_major && t->cudnn_minor)
        tgt_fact(s, "cudnn", gf_slice_of(gf_arena_printf(&s->p->mem, "%s.%s.%.*s", t->cudnn_major, t->cudnn_minor, GF_FMT(tgt_number(rest)))), "cudnn_version.h");
    return true;
}

static bool gcc_line(struct tgt_paste *s, gf_slice line)
{
    if (!gf_slice_starts(line, GF_S("gcc (")) && !gf_slice_starts(line, GF_S("gcc version "))) return false;
    tgt_take_gcc(s, line, "gcc --version");
    return true;
}

/* deviceQuery of NVIDIA's samples. */
static bool query_line(struct tgt_paste *s, struct toolkit *t, gf_slice line)
{
    static const char TOOL[] = "deviceQuery";
    gf_slice v;
    if (gf_slice_has(line, GF_S("CUDA Device Query")) || (gf_slice_starts(line, GF_S("Detected ")) && gf_slice_has(line, GF_S("CUDA Capable device")))) return t->in_query = true;
    if (!t->in_query) return false;
    gf_slice name = line;
    if (gf_try_lit(&name, GF_S("Device "))) {
        uint64_t index = gf_take_u64(&name);
        struct mdl_gpu *g = gf_take_char(&name, ':') ? tgt_gpus_at(&t->gpus, index) : NULL;
        if (!g) return true;
        g->vendor = "nvidia";
        name = gf_slice_trim(name);
        if (name.n > 2 && name.p[0] == '"') name = gf_slice_sub(name, 1, name.n - 2);
        tgt_name_gpu(s, g, name);
        return true;
    }
    struct mdl_gpu *g = t->gpus.n ? &t->gpus.v[t->gpus.n - 1] : NULL;
    if (tgt_key(line, GF_S("CUDA Driver Version / Runtime Version"), &v) || tgt_after(line, GF_S("CUDA Driver Version / Runtime Version"), &v)) tgt_fact(s, "driver.cuda", tgt_number(v), TOOL);
    else if (g && tgt_after(line, GF_S("CUDA Capability Major/Minor version number:"), &v)) g->cc = tgt_keep(s, tgt_number(v));
    else if (g && tgt_after(line, GF_S("Total amount of global memory:"), &v)) g->memory_mib = tgt_mib(v);
    return true;
}

static bool toolkit_line(struct tgt_paste *s, void *state, gf_slice line)
{
    struct toolkit *t = state;
    if (line.n < 8 || line.n > 1000) return false;
    return nvcc_line(s, line) || cudnn_define(s, t, line) || gcc_line(s, line) || query_line(s, t, line);
}

static void toolkit_end(struct tgt_paste *s, void *state)
{
    struct toolkit *t = state;
    tgt_gpus_flush(s, &t->gpus, "deviceQuery");
    t->in_query = false;
}

const struct tgt_format tgt_toolkit = { "toolkit", sizeof(struct toolkit), toolkit_line, toolkit_end };

/* --- CPU ---------------------------------------------------------------------------------------------------------------------- */
static bool has_all(const char *const *flags, size_t n, const char *const *want)
{
    for (; *want; want++) {
        size_t i = 0;
        while (i < n && strcmp(flags[i], *want) != 0) i++;
        if (i == n) return false;
    }
    return true;
}

/* The levels of the x86-64 psABI, by the names that Linux gives to the flags. */
int tgt_cpu_level(const char *const *flags, size_t n)
{
    static const char *const v1[] = { "cmov", "cx8", "fpu", "fxsr", "mmx", "sse", "sse2", NULL };
    static const char *const v2[] = { "cx16", "lahf_lm", "popcnt", "sse4_1", "sse4_2", "ssse3", NULL };
    static const char *const v3[] = { "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave", NULL };
    static const char *const v4[] = { "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", NULL };
    static const char *const *const levels[] = { v1, v2, v3, v4 };
    int level = 0;
    while (level < 4 && has_all(flags, n, levels[level])) level++;
    return level;
}
