/* CUDA through the driver alone: every GPU squares numbers, and they are compared. In a child process, because a sick GPU may hang or crash it. */
#include "target/health.h"
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NUMBERS = 1 << 16, BLOCK = 256, SECONDS = 60 };
typedef unsigned long long device_address;

struct cuda {
    void *lib;
    int (*init)(unsigned);
    int (*driver_version)(int *);
    int (*device_count)(int *);
    int (*device_get)(int *, int);
    int (*device_name)(char *, int, int);
    int (*retain)(void **, int);
    int (*set_current)(void *);
    int (*module_load)(void **, const void *);
    int (*get_function)(void **, void *, const char *);
    int (*mem_alloc)(device_address *, size_t);
    int (*mem_info)(size_t *, size_t *);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
    int (*synchronize)(void);
    int (*copy_back)(void *, device_address, size_t);
    int (*error_name)(int, const char **);
};

/* out[i] = i·i + 7 */
static const char kernel[] = ".version 6.0\n.target sm_30\n.address_size 64\n"
                             ".visible .entry square(.param .u64 out, .param .u32 n)\n{\n"
                             ".reg .pred %p<2>;\n.reg .b32 %r<7>;\n.reg .b64 %rd<5>;\n"
                             "ld.param.u64 %rd1, [out];\nld.param.u32 %r1, [n];\n"
                             "mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmov.u32 %r4, %tid.x;\n"
                             "mad.lo.s32 %r5, %r2, %r3, %r4;\nsetp.ge.u32 %p1, %r5, %r1;\n@%p1 bra DONE;\n"
                             "cvta.to.global.u64 %rd2, %rd1;\nmul.wide.u32 %rd3, %r5, 4;\nadd.s64 %rd4, %rd2, %rd3;\n"
                             "mad.lo.s32 %r6, %r5, %r5, 7;\nst.global.u32 [%rd4], %r6;\nDONE:\nret;\n}\n";

static bool bind(struct cuda *c, const char *symbol, void *to)
{
    void *at = dlsym(c->lib, symbol);
    memcpy(to, &at, sizeof at);
    return at != NULL;
}

static bool open_cuda(struct cuda *c)
{
    c->lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!c->lib) c->lib = dlopen("/usr/lib/wsl/lib/libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    return c->lib && bind(c, "cuInit", &c->init) && bind(c, "cuDriverGetVersion", &c->driver_version) && bind(c, "cuDeviceGetCount", &c->device_count) &&
           bind(c, "cuDeviceGet", &c->device_get) && bind(c, "cuDeviceGetName", &c->device_name) && bind(c, "cuDevicePrimaryCtxRetain", &c->retain) &&
           bind(c, "cuCtxSetCurrent", &c->set_current) && bind(c, "cuModuleLoadData", &c->module_load) && bind(c, "cuModuleGetFunction", &c->get_function) &&
           bind(c, "cuMemAlloc_v2", &c->mem_alloc) && bind(c, "cuMemGetInfo_v2", &c->mem_info) && bind(c, "cuLaunchKernel", &c->launch) &&
           bind(c, "cuCtxSynchronize", &c->synchronize) && bind(c, "cuMemcpyDtoH_v2", &c->copy_back) && bind(c, "cuGetErrorName", &c->error_name);
}

static const char *name_of(const struct cuda *c, int rc)
{
    const char *name = NULL;
    return c->error_name(rc, &name) == 0 && name ? name : "an error without a name";
}

/* One line for the parent: STEP STATE TEXT. */
static void say(int fd, const char *step, char state, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
static void say(int fd, const char *step, char state, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    int n = snprintf(text, sizeof text, "%s\t%c\t", step, state);
    va_start(ap, fmt);
    n += vsnprintf(text + n, sizeof text - (size_t)n - 1, fmt, ap);
    va_end(ap);
    if (n > (int)sizeof text - 2) n = (int)sizeof text - 2;
    text[n++] = '\n';
    for (ssize_t at = 0, w; at < n; at += w)
        if ((w = write(fd, text + at, (size_t)(n - at))) <= 0) return;
}

static int run_kernel(const struct cuda *c, device_address *memory, size_t *free_bytes, size_t *total)
{
    void *module, *function;
    unsigned n = NUMBERS;
    void *arguments[] = { memory, &n };
    int rc;
    if ((rc = c->mem_info(free_bytes, total)) || (rc = c->module_load(&module, kernel)) || (rc = c->get_function(&function, module, "square")) ||
        (rc = c->mem_alloc(memory, NUMBERS * sizeof(unsigned))))
        return rc;
    rc = c->launch(function, NUMBERS / BLOCK, 1, 1, BLOCK, 1, 1, 0, NULL, arguments, NULL);
    return rc ? rc : c->synchronize();
}

static void compute_on(const struct cuda *c, int index, int fd)
{
    int device = 0, rc;
    char name[128] = "GPU";
    void *context;
    device_address memory = 0;
    size_t free_bytes = 0, total = 0;
    unsigned *got = gf_xcalloc(NUMBERS, sizeof *got), wrong = 0;
    if (!(rc = c->device_get(&device, index))) c->device_name(name, sizeof name, device);
    if (!rc) rc = c->retain(&context, device);
    if (!rc) rc = c->set_current(context);
    if (!rc) rc = run_kernel(c, &memory, &free_bytes, &total);
    if (!rc) rc = c->copy_back(got, memory, NUMBERS * sizeof *got);
    for (unsigned i = 0; !rc && i < NUMBERS; i++) wrong += got[i] != i * i + 7;
    if (rc) say(fd, "computes", 'b', "GPU %d, %s: %s", index, name, name_of(c, rc));
    else if (wrong) say(fd, "computes", 'b', "GPU %d, %s: %u of %d numbers are wrong", index, name, wrong, NUMBERS);
    else say(fd, "computes", 'g', "GPU %d, %s: %d numbers computed and compared; %zu of %zu MiB free", index, name, NUMBERS, free_bytes >> 20, total >> 20);
    free(got);
}

static void child(int fd)
{
    struct cuda c = { 0 };
    int version = 0, count = 0, rc;
    alarm(SECONDS);
    if (!open_cuda(&c)) {
        say(fd, "CUDA", 'n', c.lib ? "libcuda.so.1 lacks functions: it is not the driver's" : "libcuda.so.1 is not found: no driver, or not on the loader path");
        return;
    }
    c.driver_version(&version);
    if ((rc = c.init(0)) || (rc = c.device_count(&count))) {
        say(fd, "CUDA", 'b', "cuInit: %s", name_of(&c, rc));
        return;
    }
    say(fd, "CUDA", count ? 'g' : 'b', "CUDA %d.%d starts and sees %d GPU%s", version / 1000, version % 1000 / 10, count, count == 1 ? "" : "s");
    for (int i = 0; i < count; i++) compute_on(&c, i, fd);
}

static void take_line(struct tgt_health *h, gf_slice line)
{
    gf_slice step, state;
    if (!gf_slice_cut(&line, '\t', &step) || !gf_slice_cut(&line, '\t', &state) || state.n != 1) return;
    enum tgt_state s = *state.p == 'g' ? TGT_GOOD : *state.p == 'n' ? TGT_NOT_HERE : TGT_BAD;
    const char *fix = s == TGT_BAD ? "give the error's name to gpuferry doctor" : NULL;
    tgt_step_add(h, gf_slice_is(step, "CUDA") ? "CUDA" : "computes", s, fix, "%.*s", GF_FMT(line));
}

static void read_lines(struct tgt_health *h, int fd)
{
    char text[1 << 14];
    size_t n = 0;
    for (ssize_t got; n < sizeof text && (got = read(fd, text + n, sizeof text - n)) != 0;) {
        if (got < 0 && errno != EINTR) break;
        if (got > 0) n += (size_t)got;
    }
    gf_slice rest = gf_slice_n(text, n), line;
    while (gf_slice_line(&rest, &line)) take_line(h, line);
}

void tgt_health_compute(struct tgt_health *h)
{
    int ends[2], status = 0;
    if (pipe(ends)) return;
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        child(ends[1]);
        close(ends[1]);
        kill(getpid(), SIGKILL); /* no exit handlers of a library that may be in a bad state */
    }
    close(ends[1]);
    if (pid > 0) {
        read_lines(h, ends[0]);
        waitpid(pid, &status, 0);
        if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) tgt_step_add(h, "computes", TGT_BAD, "look for Xid lines in dmesg", "CUDA did not answer within %d s", SECONDS);
        else if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL) tgt_step_add(h, "computes", TGT_BAD, "look for Xid lines in dmesg", "CUDA crashed with signal %d", WTERMSIG(status));
    }
    close(ends[0]);
}
