/* A libcuda.so.1 for machines without a GPU, which does on the processor what the one kernel of scripts/lib/check.py is for: it shows what the check
 * says about right and wrong numbers, errors and no devices, not that a GPU computes. PRETEND: right, wrong, none, refuses. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char *mode(void) { return getenv("PRETEND") ? getenv("PRETEND") : "right"; }
int cuInit(unsigned flags) { (void)flags; return strcmp(mode(), "none") == 0 ? 100 : 0; }
int cuDeviceGetCount(int *n) { *n = 2; return 0; }
int cuGetErrorName(int status, const char **text) { *text = status == 100 ? "CUDA_ERROR_NO_DEVICE" : "CUDA_ERROR_INVALID_PTX"; return 0; }
int cuDeviceGetName(char *text, int n, int dev) { (void)dev; strncpy(text, "Pretended GPU", (size_t)n); return 0; }
int cuDevicePrimaryCtxRetain(void **c, int dev) { *c = (void *)(uintptr_t)(dev + 1); return 0; }
int cuDevicePrimaryCtxRelease(int dev) { (void)dev; return 0; }
int cuCtxSetCurrent(void *c) { return c ? 0 : 201; }
int cuModuleLoadData(void **m, const char *ptx) { *m = malloc(1); return strcmp(mode(), "refuses") == 0 || !strstr(ptx, ".visible .entry fill") ? 218 : 0; }
int cuModuleGetFunction(void **f, void *m, const char *name) { *f = m; return strcmp(name, "fill") ? 500 : 0; }
int cuMemAlloc_v2(uint64_t *p, size_t n) { *p = (uint64_t)(uintptr_t)malloc(n); return 0; }
int cuMemFree_v2(uint64_t p) { free((void *)(uintptr_t)p); return 0; }
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t n) { memcpy(to, (void *)(uintptr_t)from, n); return 0; }
int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream, void **args, void **extra)
{
    uint32_t *out = (uint32_t *)(uintptr_t) * (uint64_t *)args[0];
    if (!f || gy != 1 || gz != 1 || by != 1 || bz != 1 || shared || stream || extra) return 1;
    for (uint32_t i = 0; i < gx * bx; i++) out[i] = 3 * i + (strcmp(mode(), "wrong") == 0 && i == 77 ? 2 : 1);
    return 0;
}
