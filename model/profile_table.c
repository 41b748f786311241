#include "model/profile_table.h"

#define SUB(rows) .sub = (rows), .nsub = sizeof(rows) / sizeof((rows)[0])
#define AT(type, member) .at = offsetof(type, member)
#define P(member) AT(struct mdl_profile, member)
#define KNOWN(type, member) .known = offsetof(type, member) + 1
#define LIST(member, n) P(member), .count = offsetof(struct mdl_profile, n)

static const struct mdl_row gpu_rows[] = {
    { "vendor", MDL_R_STR, AT(struct mdl_gpu, vendor) }, { "name", MDL_R_STR, AT(struct mdl_gpu, name) },
    { "pci", MDL_R_STR, AT(struct mdl_gpu, pci) },       { "cc", MDL_R_STR, AT(struct mdl_gpu, cc) },
    { "gfx", MDL_R_STR, AT(struct mdl_gpu, gfx) },       { "memory_mib", MDL_R_INT64, AT(struct mdl_gpu, memory_mib) },
    { "mig", MDL_R_STR, AT(struct mdl_gpu, mig) },       { "vgpu", MDL_R_STR, AT(struct mdl_gpu, vgpu) },
};
static const struct mdl_row package_rows[] = {
    { "name", MDL_R_STR, AT(struct mdl_package, name) },
    { "version", MDL_R_STR, AT(struct mdl_package, version) },
    { "build", MDL_R_STR, AT(struct mdl_package, build) },
    { "arch_list", MDL_R_STRINGS, AT(struct mdl_package, arch_list), .count = offsetof(struct mdl_package, narch) },
    { "cxx11abi", MDL_R_BOOL, AT(struct mdl_package, cxx11abi), KNOWN(struct mdl_package, cxx11abi_known) },
    { "origin", MDL_R_STR, AT(struct mdl_package, origin) },
};
static const struct mdl_row interpreter_rows[] = {
    { "version", MDL_R_STR, AT(struct mdl_interpreter, version) }, { "abi", MDL_R_STR, AT(struct mdl_interpreter, abi) },
    { "path", MDL_R_STR, AT(struct mdl_interpreter, path) },       { "venv", MDL_R_BOOL, AT(struct mdl_interpreter, has_venv) },
    { "pip", MDL_R_BOOL, AT(struct mdl_interpreter, has_pip) },
};
static const struct mdl_row disk_rows[] = {
    { "mount", MDL_R_STR, AT(struct mdl_disk, mount) },
    { "free_mib", MDL_R_INT64, AT(struct mdl_disk, free_mib) },
};
static const struct mdl_row libc_rows[] = { { "name", MDL_R_STR, P(libc_name) }, { "version", MDL_R_STR, P(libc_version) } };
static const struct mdl_row os_rows[] = {
    { "id", MDL_R_STR, P(os_id) }, { "version", MDL_R_STR, P(os_version) }, { "kernel", MDL_R_STR, P(kernel) },
    { "wsl", MDL_R_TRI, P(wsl) },  { "container", MDL_R_TRI, P(container) },
};
static const struct mdl_row cpu_rows[] = { { "flags", MDL_R_STRINGS, LIST(cpu_flags, ncpu_flags) }, { "level", MDL_R_INT, P(cpu_level) } };
static const struct mdl_row driver_rows[] = {
    { "version", MDL_R_STR, P(driver_version) }, { "cuda", MDL_R_STR, P(driver_cuda) },
    { "flavour", MDL_R_STR, P(driver_flavour) }, { "origin", MDL_R_STR, P(driver_origin) },
};
static const struct mdl_row python_rows[] = {
    { "version", MDL_R_STR, P(python_version) },
    { "implementation", MDL_R_STR, P(python_impl) },
    { "abi", MDL_R_STR, P(python_abi) },
};
static const struct mdl_row toolkit_rows[] = {
    { "nvcc", MDL_R_STR, P(nvcc), KNOWN(struct mdl_profile, nvcc_known) },
    { "rocm", MDL_R_STR, P(rocm) },
    { "cann", MDL_R_STR, P(cann) },
};
static const struct mdl_row container_rows[] = {
    { "runtime", MDL_R_STR, P(container_runtime), KNOWN(struct mdl_profile, runtime_known) },
    { "toolkit", MDL_R_STR, P(container_toolkit) },
};
const struct mdl_row mdl_rows[] = {
    { "schema", MDL_R_SCHEMA, .at = 0 },
    { "label", MDL_R_STR, P(label) },
    { "arch", MDL_R_STR, P(arch) },
    { "libc", MDL_R_GROUP, SUB(libc_rows) },
    { "libstdcxx", MDL_R_STR, P(libstdcxx) },
    { "os", MDL_R_GROUP, SUB(os_rows) },
    { "cpu", MDL_R_GROUP, SUB(cpu_rows) },
    { "page_size", MDL_R_INT64, P(page_size) },
    { "gpus", MDL_R_STRUCTS, LIST(gpus, ngpus), KNOWN(struct mdl_profile, gpus_known), SUB(gpu_rows), sizeof(struct mdl_gpu), true },
    { "driver", MDL_R_GROUP, KNOWN(struct mdl_profile, driver_known), SUB(driver_rows) },
    { "python", MDL_R_GROUP, KNOWN(struct mdl_profile, python_known), SUB(python_rows) },
    { "interpreters", MDL_R_STRUCTS, LIST(interpreters, ninterpreters), 0, SUB(interpreter_rows), sizeof(struct mdl_interpreter), false },
    { "packages", MDL_R_STRUCTS, LIST(packages, npackages), KNOWN(struct mdl_profile, packages_known), SUB(package_rows), sizeof(struct mdl_package), false },
    { "os_packages", MDL_R_STRUCTS, LIST(os_packages, nos_packages), 0, SUB(package_rows), sizeof(struct mdl_package), false },
    { "toolkit", MDL_R_GROUP, SUB(toolkit_rows) },
    { "cudnn", MDL_R_STR, P(cudnn), KNOWN(struct mdl_profile, cudnn_known) },
    { "gcc", MDL_R_STR, P(gcc), KNOWN(struct mdl_profile, gcc_known) },
    { "dkms", MDL_R_STR, P(dkms), KNOWN(struct mdl_profile, dkms_known) },
    { "headers", MDL_R_STRINGS, LIST(headers, nheaders), KNOWN(struct mdl_profile, headers_known) },
    { "secure_boot", MDL_R_TRI, P(secure_boot) },
    { "nouveau", MDL_R_TRI, P(nouveau) },
    { "nvswitch", MDL_R_TRI, P(nvswitch) },
    { "containers", MDL_R_GROUP, SUB(container_rows) },
    { "image", MDL_R_RAW, P(image_json) },
    { "host", MDL_R_RAW, P(host_json) },
    { "disks", MDL_R_STRUCTS, LIST(disks, ndisks), 0, SUB(disk_rows), sizeof(struct mdl_disk), false },
    { "errors", MDL_R_STRINGS, LIST(errors, nerrors) },
    { "conflicts", MDL_R_STRINGS, LIST(conflicts, nconflicts) },
    { "origin", MDL_R_ORIGINS, LIST(origins, norigins) },
};
const size_t mdl_nrows = sizeof mdl_rows / sizeof mdl_rows[0];


const struct mdl_row *mdl_find_row(const struct mdl_row *table, size_t n, gf_slice key)
{
    for (size_t i = 0; i < n; i++)
        if (gf_slice_is(key, table[i].key)) return &table[i];
    return NULL;
}

bool mdl_row_has_value(const void *base, const struct mdl_row *r)
{
    const enum mdl_known *known = mdl_known_at(base, r);
    if (known && *known != MDL_UNKNOWN) return true;
    switch (r->kind) {
    case MDL_R_SCHEMA: return true;
    case MDL_R_STR:
    case MDL_R_RAW: return *mdl_str_at(base, r) != NULL;
    case MDL_R_TRI: return *(enum py_tri *)mdl_field(base, r->at) != PY_UNKNOWN;
    case MDL_R_BOOL: return *(bool *)mdl_field(base, r->at);
    case MDL_R_INT64: return *(int64_t *)mdl_field(base, r->at) != 0;
    case MDL_R_INT: return *(int *)mdl_field(base, r->at) != 0;
    case MDL_R_STRINGS:
    case MDL_R_STRUCTS:
    case MDL_R_ORIGINS: return *mdl_count_at(base, r) != 0;
    case MDL_R_GROUP:
        for (size_t i = 0; i < r->nsub; i++)
            if (mdl_row_has_value(base, &r->sub[i])) return true;
        return false;
    }
    return false;
}
