/* Stands in for libnvidia-ml.so.1 where there is no NVIDIA GPU: the calls that detect makes, by NVML's documented ABI. NVML_FAIL=N makes nvmlInit return N. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct memory { unsigned long long total, free, used; };
struct pci { char legacy[16]; unsigned domain, bus, device, pci_device_id, pci_subsystem_id; char bus_id[32]; };
static const struct { const char *name; unsigned id; unsigned long long mib; int major, minor, mig; } gpus[] = {
    { "NVIDIA A100-SXM4-40GB", 0x20b010de, 40960, 8, 0, 1 },
    { "NVIDIA L4", 0x27b810de, 23034, 8, 9, -1 },
};
enum { OK = 0, NOT_SUPPORTED = 3 };
static size_t at(void *device) { return (size_t)device - 1; }

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlSystemGetDriverVersion(char *out, unsigned n);
int nvmlSystemGetNVMLVersion(char *out, unsigned n);
int nvmlSystemGetCudaDriverVersion(int *out);
int nvmlDeviceGetCount_v2(unsigned *out);
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **out);
int nvmlDeviceGetName(void *d, char *out, unsigned n);
int nvmlDeviceGetMemoryInfo(void *d, struct memory *out);
int nvmlDeviceGetPciInfo_v3(void *d, struct pci *out);
int nvmlDeviceGetCudaComputeCapability(void *d, int *major, int *minor);
int nvmlDeviceGetMigMode(void *d, unsigned *now, unsigned *later);
const char *nvmlErrorString(int rc);

int nvmlInit_v2(void)
{
    const char *fail = getenv("NVML_FAIL");
    return fail ? atoi(fail) : OK;
}
int nvmlShutdown(void) { return OK; }
int nvmlSystemGetDriverVersion(char *out, unsigned n) { return snprintf(out, n, "550.54.14") < 0; }
int nvmlSystemGetNVMLVersion(char *out, unsigned n) { return snprintf(out, n, "12.550.54.14") < 0; }
int nvmlSystemGetCudaDriverVersion(int *out)
{
    *out = 12040;
    return OK;
}
int nvmlDeviceGetCount_v2(unsigned *out)
{
    *out = 2;
    return OK;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **out)
{
    *out = (void *)(size_t)(i + 1);
    return OK;
}
int nvmlDeviceGetName(void *d, char *out, unsigned n) { return snprintf(out, n, "%s", gpus[at(d)].name) < 0; }
int nvmlDeviceGetMemoryInfo(void *d, struct memory *out)
{
    *out = (struct memory){ gpus[at(d)].mib << 20, 0, 0 };
    return OK;
}
int nvmlDeviceGetPciInfo_v3(void *d, struct pci *out)
{
    memset(out, 0, sizeof *out);
    out->pci_device_id = gpus[at(d)].id;
    return OK;
}
int nvmlDeviceGetCudaComputeCapability(void *d, int *major, int *minor)
{
    *major = gpus[at(d)].major;
    *minor = gpus[at(d)].minor;
    return OK;
}
int nvmlDeviceGetMigMode(void *d, unsigned *now, unsigned *later)
{
    if (gpus[at(d)].mig < 0) return NOT_SUPPORTED;
    *now = *later = 1;
    return OK;
}
const char *nvmlErrorString(int rc) { return rc == 18 ? "Driver/library version mismatch" : "Unknown Error"; }
