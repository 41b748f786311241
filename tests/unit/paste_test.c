/* Formats and damages that the samples do not hold. Texts are written here after what the tools print. */
#include "target/target.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static struct mdl_profile *read(const char *text)
{
    struct mdl_profile *p = mdl_profile_new();
    tgt_read_paste(NULL, gf_slice_of(text), "x.txt", p);
    return p;
}

static void is(const char *have, const char *want)
{
    if (!have) fail_msg("unknown, expected '%s'", want);
    assert_string_equal(have, want);
}

/* Two GPUs, driver and CUDA as the next tests damage it. */
#define TABLE                                                                           \
    "+-----------------------------------------------------------------------------+\n" \
    "| NVIDIA-SMI 525.60.13    Driver Version: 525.60.13    CUDA Version: 12.0     |\n" \
    "|-------------------------------+----------------------+----------------------+\n" \
    "|   0  Tesla T4            Off  | 00000000:00:1E.0 Off |                    0 |\n" \
    "| N/A   35C    P8     9W /  70W |      2MiB / 15360MiB |      0%      Default |\n" \
    "|                               |                      |                  N/A |\n" \
    "+-------------------------------+----------------------+----------------------+\n" \
    "|   1  Tesla T4            Off  | 00000000:00:1F.0 Off |                    0 |\n" \
    "| N/A   35C    P8     9W /  70W |      2MiB / 15360MiB |      0%      Default |\n" \
    "|                               |                      |                  N/A |\n" \
    "+-------------------------------+----------------------+----------------------+\n"

static void two_t4(struct mdl_profile *p)
{
    is(p->driver_version, "525.60.13");
    is(p->driver_cuda, "12.0");
    assert_int_equal(p->ngpus, 2);
    is(p->gpus[1].name, "Tesla T4");
    assert_int_equal(p->gpus[1].memory_mib, 15360);
    assert_int_equal(p->nconflicts, 0);
    mdl_profile_free(p);
}

static char *replaced(const char *text, const char *old, const char *new)
{
    struct gf_buf out;
    gf_buf_init(&out, 1 << 20);
    for (const char *at; (at = strstr(text, old)); text = at + strlen(old)) {
        gf_buf_add(&out, text, (size_t)(at - text));
        gf_buf_adds(&out, new);
    }
    gf_buf_adds(&out, text);
    return gf_buf_steal(&out);
}

static void damaged(const char *old, const char *new)
{
    char *text = replaced(TABLE, old, new);
    two_t4(read(text));
    free(text);
}

static void tables_survive_damage(void **state)
{
    (void)state;
    two_t4(read(TABLE));
    two_t4(read(TABLE TABLE)); /* nvidia-smi -l */
    damaged("\n", "\r\n");
    damaged("Tesla", "\033[1;32mTesla\033[0m");
    damaged("|", "│");
    damaged("|", " ");
    damaged("\n", "\n> ");
    damaged("\n", "\n2026-01-02T03:04:05Z stdout F ");
    damaged("  ", " ");
    damaged(" ", "\xc2\xa0");
    damaged("+--", "\n\n+--");
}

static void utf16_is_read(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        struct gf_buf wide;
        gf_buf_init(&wide, 1 << 20);
        gf_buf_add(&wide, big ? "\xfe\xff" : "\xff\xfe", 2);
        for (const char *c = TABLE; *c; c++) {
            if (big) gf_buf_addc(&wide, '\0');
            gf_buf_addc(&wide, *c);
            if (!big) gf_buf_addc(&wide, '\0');
        }
        struct mdl_profile *p = mdl_profile_new();
        tgt_read_paste(NULL, gf_buf_slice(&wide), "x.txt", p);
        two_t4(p);
        gf_buf_release(&wide);
    }
}

/* Where nothing certain can be read, nothing is said. */
static void errors_are_no_facts(void **state)
{
    (void)state;
    struct mdl_profile *p = read("| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: ERR!     |\n"
                                 "|   0  ERR!                Off  | 00000000:01:00.0 Off |                  N/A |\n"
                                 "|ERR!  ERR! ERR!    ERR! / ERR! |     ERR! / ERR!      |     ERR!     Default |\n");
    is(p->driver_version, "470.57.02");
    assert_null(p->driver_cuda);
    assert_int_equal(p->ngpus, 1);
    assert_null(p->gpus[0].name);
    assert_int_equal(p->gpus[0].memory_mib, 0);
    assert_int_equal(p->nerrors, 1);
    mdl_profile_free(p);
    p = read("The quick brown fox\nmade version 3.5 | of | everything: 12 MiB / 13 MiB\n0000:00:1f.2 is a bus id\nOS\nPython version matters\n");
    assert_int_equal(p->ngpus, 0);
    assert_null(p->os_id);
    assert_null(p->python_version);
    assert_int_equal(p->norigins, 0);
    mdl_profile_free(p);
}

static void two_machines_are_not_averaged(void **state)
{
    (void)state;
    struct mdl_profile *p = read(TABLE "PyTorch version: 2.5.1\nCUDA used to build PyTorch: 12.4\nROCM used to build PyTorch: N/A\nNvidia driver version: 550.54.14\n"
                                       "GPU models and configuration: GPU 0: NVIDIA A100-SXM4-40GB\nPython version: 3.10.4 (main)\n");
    is(p->driver_version, "525.60.13");
    assert_int_equal(p->ngpus, 2);
    is(p->packages[0].build, "cu124");
    assert_int_equal(p->nconflicts, 2);
    is(p->conflicts[0], "driver.version is 525.60.13 (x.txt: nvidia-smi) and 550.54.14 (x.txt: collect_env)");
    is(p->conflicts[1], "gpus are Tesla T4 + Tesla T4 (x.txt: nvidia-smi) and NVIDIA A100-SXM4-40GB (x.txt: collect_env)");
    is(mdl_profile_origin(p, "python.version"), "x.txt: collect_env");
    mdl_profile_free(p);
}

static void query_long(void **state)
{
    (void)state;
    struct mdl_profile *p = read("==============NVSMI LOG==============\n\nDriver Version                            : 515.48.07\nCUDA Version                              : 11.7\n\n"
                                 "Attached GPUs                             : 1\nGPU 00000000:41:00.0\n    Product Name                          : NVIDIA RTX A6000\n    MIG Mode\n"
                                 "        Current                           : Enabled\n    PCI\n        Device Id                         : 0x223010DE\n    FB Memory Usage\n"
                                 "        Total                             : 49140 MiB\n    BAR1 Memory Usage\n        Total                             : 256 MiB\nuser@host:~$ uname -r\n");
    is(p->driver_version, "515.48.07");
    is(p->driver_cuda, "11.7");
    is(p->gpus[0].name, "NVIDIA RTX A6000");
    is(p->gpus[0].pci, "10de:2230");
    is(p->gpus[0].mig, "enabled");
    assert_int_equal(p->gpus[0].memory_mib, 49140);
    mdl_profile_free(p);
}

static void query_xml(void **state)
{
    (void)state;
    const char *xml = "<?xml version=\"1.0\" ?>\n<nvidia_smi_log>\n<driver_version>560.35.03</driver_version>\n<cuda_version>12.6</cuda_version>\n<gpu id=\"00000000:01:00.0\">\n"
                      "<product_name>NVIDIA GeForce RTX 4080</product_name>\n<pci>\n<pci_device_id>270410DE</pci_device_id>\n</pci>\n<fb_memory_usage>\n<total>16376 MiB</total>\n"
                      "</fb_memory_usage>\n<bar1_memory_usage><total>256 MiB</total></bar1_memory_usage>\n</gpu>\n</nvidia_smi_log>\n";
    char *one_line = replaced(xml, "\n", "");
    for (int i = 0; i < 2; i++) {
        struct mdl_profile *p = read(i ? one_line : xml);
        is(p->driver_version, "560.35.03");
        is(p->driver_cuda, "12.6");
        is(p->gpus[0].pci, "10de:2704");
        assert_int_equal(p->gpus[0].memory_mib, 16376);
        mdl_profile_free(p);
    }
    free(one_line);
}

static void lists_and_csv(void **state)
{
    (void)state;
    struct mdl_profile *p = read("GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-1)\n  MIG 3g.40gb     Device  0: (UUID: MIG-1)\n  MIG 3g.40gb     Device  1: (UUID: MIG-2)\nGPU 1: NVIDIA A100-SXM4-80GB (UUID: GPU-2)\n");
    assert_int_equal(p->ngpus, 2);
    is(p->gpus[0].mig, "3g.40gb,3g.40gb");
    assert_null(p->gpus[1].mig);
    mdl_profile_free(p);
    p = read("GPU 0: NVIDIA L4 (UUID: GPU-1), GPU 1: NVIDIA L4 (UUID: GPU-2)\n");
    assert_int_equal(p->ngpus, 2);
    mdl_profile_free(p);
    p = read("index, name, driver_version, memory.total [MiB], memory.used [MiB], compute_cap\n0, NVIDIA H100 80GB HBM3, 535.129.03, 81559 MiB, 4 MiB, 9.0\n1, NVIDIA H100 80GB HBM3, 535.129.03, 81559 MiB, 4 MiB, 9.0\n");
    assert_int_equal(p->ngpus, 2);
    is(p->gpus[1].cc, "9.0");
    assert_int_equal(p->gpus[1].memory_mib, 81559);
    is(p->driver_version, "535.129.03");
    mdl_profile_free(p);
    p = read("Tesla V100-SXM2-32GB, 470.82.01, 32510 MiB, 7.0\n");
    is(p->gpus[0].name, "Tesla V100-SXM2-32GB");
    is(p->driver_version, "470.82.01");
    is(p->gpus[0].cc, "7.0");
    mdl_profile_free(p);
    p = read("driver_version\n550.90.07\n");
    is(p->driver_version, "550.90.07");
    mdl_profile_free(p);
}

static void collect_env_variants(void **state)
{
    (void)state;
    struct mdl_profile *p = read("PyTorch version: 2.7.0a0+git3a58512\nCUDA used to build PyTorch: N/A\nROCM used to build PyTorch: 6.3.42133-1b9c17779\n"
                                 "Python platform: Linux-5.15.153.1-microsoft-standard-WSL2-x86_64-with-glibc2.35\n"
                                 "GPU models and configuration: AMD Instinct MI300X (gfx942:sramecc+:xnack-)\nAMD Instinct MI300X (gfx942:sramecc+:xnack-)\nNvidia driver version: Could not collect\n"
                                 "ROCM Version: 6.3.42133\nvLLM Version: 0.7.3\n[pip3] torchvision==0.21.0\n[conda] numpy 1.26.4 pypi_0 pypi\n");
    is(p->packages[0].build, "rocm6.3");
    assert_int_equal(p->ngpus, 2);
    is(p->gpus[1].gfx, "gfx942");
    is(p->gpus[1].name, "AMD Instinct MI300X");
    assert_int_equal(p->wsl, PY_YES);
    is(p->libc_version, "2.35");
    is(p->rocm, "6.3.42133");
    assert_int_equal(p->driver_known, MDL_UNKNOWN);
    assert_int_equal(p->npackages, 4);
    mdl_profile_free(p);
    p = read("- `transformers` version: 4.46.0\n- Platform: Windows-10-10.0.22631-SP0\n- Python version: 3.11.9\n- PyTorch version (GPU?): 2.5.0+cu124 (True)\n");
    is(p->os_id, "windows");
    is(p->os_version, "11"); /* the build tells */
    is(p->packages[0].version, "2.5.0+cu124");
    is(p->python_version, "3.11.9");
    mdl_profile_free(p);
    p = read("PyTorch version: 2.4.1\nCUDA used to build PyTorch: None\nROCM used to build PyTorch: N/A\nOS: macOS 14.5 (arm64)\n");
    is(p->packages[0].build, "cpu");
    is(p->os_id, "macos");
    mdl_profile_free(p);
}

static void package_lists(void **state)
{
    (void)state;
    struct mdl_profile *p = read("Package            Version      Editable project location\n------------------ ------------ -------------------------\nFlash_Attn         2.6.3\ntorch              2.5.1+cu121\n\n");
    assert_int_equal(p->npackages, 2);
    is(p->packages[0].name, "flash-attn");
    mdl_profile_free(p);
    p = read("torch==2.5.1+cu121\n-e git+https://example.org/x.git#egg=x\nvllm @ https://example.org/vllm-0.6.3%2Bcu118-cp38-abi3-manylinux1_x86_64.whl\nnumpy==1.26.4 ; python_version < \"3.12\"\n"
             "ERROR: no version satisfies foo==9.9 here\n");
    assert_int_equal(p->npackages, 3);
    is(p->packages[1].version, "0.6.3+cu118");
    mdl_profile_free(p);
    p = read("# packages in environment at /opt/conda:\n#\n# Name                    Version                   Build  Channel\npython                    3.10.13              h955ad1f_0\n"
             "pytorch                   2.1.0           py3.10_cuda12.1_cudnn8.9.2_0    pytorch\nnumpy 1.26.0 py310h5f9d8c6_0\n");
    is(p->python_version, "3.10.13");
    is(p->packages[0].name, "torch");
    is(p->packages[0].build, "cu121");
    is(p->packages[0].origin, "conda");
    mdl_profile_free(p);
    p = read("Name: onnxruntime-gpu\nVersion: 1.19.2\nSummary: x\n");
    is(p->packages[0].version, "1.19.2");
    mdl_profile_free(p);
}

static void kernel_says(void **state)
{
    (void)state;
    struct mdl_profile *p = read("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  560.35.03  Release Build  (x@y)  Fri Aug 16\nGCC version:  gcc version 12.3.0 (Ubuntu 12.3.0-1ubuntu1)\n");
    is(p->driver_version, "560.35.03");
    is(p->driver_flavour, "open");
    is(p->arch, "x86_64");
    assert_null(p->gcc); /* the module's, not the machine's */
    mdl_profile_free(p);
    p = read("[    4.1] Linux version 6.8.0-59-generic (buildd@x) (gcc)\n[    0.0] secureboot: Secure boot enabled\n[   12.3] NVRM: API mismatch: the client has the version 535.183.01, but\n"
             "[   12.3] NVRM: this kernel module has the version 535.161.07.  Please\n[   12.4] NVRM: make sure that this kernel module and all NVIDIA driver\n"
             "[   99.0] NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.\n");
    is(p->kernel, "6.8.0-59-generic");
    is(p->driver_version, "535.161.07");
    assert_int_equal(p->secure_boot, PY_YES);
    assert_int_equal(p->nerrors, 2);
    is(p->errors[1], "Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.");
    mdl_profile_free(p);
    p = read("NVRM: The NVIDIA GPU 0000:01:00.0 (PCI ID: 10de:1187)\nNVRM: installed in this system is not supported by the\nNVRM: NVIDIA 525.60.11 driver release.\n");
    is(p->driver_version, "525.60.11");
    is(p->gpus[0].pci, "10de:1187");
    mdl_profile_free(p);
    p = read("01:00.0 VGA compatible controller [0300]: NVIDIA Corporation GA102 [GeForce RTX 3090] [10de:2204] (rev a1)\n\tKernel driver in use: nouveau\n");
    is(p->gpus[0].pci, "10de:2204");
    is(p->gpus[0].name, "GeForce RTX 3090");
    assert_int_equal(p->nouveau, PY_YES);
    mdl_profile_free(p);
    p = read("filename:       /lib/modules/6.1.0/updates/dkms/nvidia.ko\nversion:        535.183.01\nlicense:        NVIDIA\n");
    is(p->driver_version, "535.183.01");
    is(p->driver_flavour, "proprietary");
    mdl_profile_free(p);
}

static void other_vendors(void **state)
{
    (void)state;
    struct mdl_profile *p = read("ROCk module version 6.7.0 is loaded\n=====================\nHSA System Attributes\n==========\nHSA Agents\n*******\nAgent 1\n*******\n  Name:                    AMD Ryzen 9\n"
                                 "  Marketing Name:          AMD Ryzen 9\n  Device Type:             CPU\n*******\nAgent 2\n*******\n  Name:                    gfx1100\n  Marketing Name:          Radeon RX 7900 XTX\n"
                                 "  Device Type:             GPU\n  Chip ID:                 29772(0x744c)\n  Pool Info:\n    Pool 1\n      Size:                    25149440(0x17fc000) KB\n  ISA Info:\n    ISA 1\n"
                                 "      Name:                    amdgcn-amd-amdhsa--gfx1100\n*** Done ***\n");
    assert_int_equal(p->ngpus, 1);
    is(p->gpus[0].gfx, "gfx1100");
    is(p->gpus[0].pci, "1002:744c");
    is(p->gpus[0].name, "Radeon RX 7900 XTX");
    assert_int_equal(p->gpus[0].memory_mib, 24560);
    is(p->driver_version, "6.7.0");
    mdl_profile_free(p);
    p = read("GPU: 0\n    ASIC:\n        MARKET_NAME: AMD Instinct MI350X\n        DEVICE_ID: 0x75a0\n        TARGET_GRAPHICS_VERSION: gfx950\n    DRIVER:\n        NAME: amdgpu\n        VERSION: 6.18.3\n"
             "    VRAM:\n        TYPE: HBM3E\n        SIZE: 294896 MB\n");
    is(p->gpus[0].gfx, "gfx950");
    is(p->driver_version, "6.18.3");
    assert_int_equal(p->gpus[0].memory_mib, 294896);
    mdl_profile_free(p);
    p = read("GPU[0]\t\t: Card series: \t\tAMD Instinct MI210\nGPU[0]\t\t: Card model: \t\t0x740f\nGPU[0]\t\t: GFX Version: \t\tgfx90a\n");
    is(p->gpus[0].name, "AMD Instinct MI210");
    is(p->gpus[0].pci, "1002:740f");
    mdl_profile_free(p);
    p = read("+------------------------------------------------------------------------------------------------+\n"
             "| npu-smi 24.1.1                   Version: 24.1.1                                               |\n"
             "| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|\n"
             "| 0     910B4               | OK            | 88.2        30                0    / 0             |\n"
             "| 0                         | 0000:C1:00.0  | 0           0    / 0          26838/ 32768         |\n");
    assert_int_equal(p->ngpus, 1);
    assert_int_equal(p->gpus[0].memory_mib, 32768);
    mdl_profile_free(p);
}

static void systems(void **state)
{
    (void)state;
    struct mdl_profile *p = read("NAME=\"CentOS Linux\"\nVERSION=\"7 (Core)\"\nID=\"centos\"\nVERSION_ID=\"7\"\nldd (GNU libc) 2.17\ngcc (GCC) 4.8.5 20150623 (Red Hat 4.8.5-44)\n"
                                 "Cuda compilation tools, release 11.8, V11.8.89\nLinux gpu01 3.10.0-1160.el7.x86_64 #1 SMP Mon Oct 19 x86_64 x86_64 x86_64 GNU/Linux\nCentOS Linux release 7.9.2009 (Core)\nPython 3.6.8\n"
                                 "#define CUDNN_MAJOR 8\n#define CUDNN_MINOR 9\n#define CUDNN_PATCHLEVEL 7\n");
    is(p->os_id, "centos");
    is(p->os_version, "7.9");
    is(p->libc_version, "2.17");
    is(p->gcc, "4.8.5");
    is(p->nvcc, "11.8.89");
    is(p->kernel, "3.10.0-1160.el7.x86_64");
    is(p->arch, "x86_64");
    is(p->python_version, "3.6.8");
    is(p->cudnn, "8.9.7");
    assert_int_equal(p->nconflicts, 0);
    mdl_profile_free(p);
    p = read("musl libc (x86_64)\nVersion 1.2.4\nDynamic Program Loader\n");
    is(p->libc_name, "musl");
    is(p->libc_version, "1.2.4");
    mdl_profile_free(p);
}

static void clusters(void **state)
{
    (void)state;
    struct mdl_profile *p = read("Labels:             beta.kubernetes.io/arch=amd64\n                    kubernetes.io/arch=amd64\n                    nvidia.com/cuda.driver.major=535\n                    nvidia.com/cuda.driver.minor=154\n"
                                 "                    nvidia.com/cuda.driver.rev=05\n                    nvidia.com/cuda.runtime.major=12\n                    nvidia.com/cuda.runtime.minor=2\n"
                                 "                    nvidia.com/gpu.compute.major=8\n                    nvidia.com/gpu.compute.minor=0\n                    nvidia.com/gpu.count=2\n                    nvidia.com/gpu.memory=81920\n"
                                 "                    nvidia.com/gpu.product=NVIDIA-A100-SXM4-80GB\nAllocatable:\n  nvidia.com/gpu:     2\nSystem Info:\n  Kernel Version:             5.15.0-91-generic\n"
                                 "  OS Image:                   Ubuntu 22.04.3 LTS\n  Container Runtime Version:  containerd://1.7.2\n");
    is(p->driver_version, "535.154.05");
    is(p->driver_cuda, "12.2");
    assert_int_equal(p->ngpus, 2);
    is(p->gpus[0].name, "NVIDIA A100-SXM4-80GB");
    is(p->gpus[1].cc, "8.0");
    is(p->arch, "x86_64");
    is(p->kernel, "5.15.0-91-generic");
    is(p->os_version, "22.04");
    is(p->container_runtime, "containerd 1.7.2");
    mdl_profile_free(p);
    p = read("    nvidia.com/gpu.count: '1'\n    nvidia.com/gpu.product: NVIDIA-GeForce-RTX-3090-SHARED\n");
    is(p->gpus[0].name, "NVIDIA GeForce RTX 3090");
    mdl_profile_free(p);
    p = read("Server:\n Server Version: 24.0.7\n Runtimes: io.containerd.runc.v2 nvidia runc\n Kernel Version: 6.1.0-18-amd64\n Operating System: Debian GNU/Linux 12 (bookworm)\n Architecture: x86_64\n");
    is(p->container_runtime, "docker 24.0.7");
    is(p->container_toolkit, "registered");
    is(p->os_id, "debian");
    mdl_profile_free(p);
}

static void random_bytes(void **state)
{
    (void)state;
    static char noise[1 << 16];
    uint64_t x = 88172645463325252u;
    for (size_t i = 0; i < sizeof noise; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        noise[i] = (char)(x >> 32);
    }
    struct mdl_profile *p = mdl_profile_new();
    assert_int_equal(tgt_read_paste(NULL, gf_slice_n(noise, sizeof noise), NULL, p), 0);
    assert_int_equal(p->ngpus + p->npackages + p->nconflicts, 0);
    mdl_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_survive_damage), cmocka_unit_test(utf16_is_read),        cmocka_unit_test(errors_are_no_facts), cmocka_unit_test(two_machines_are_not_averaged),
        cmocka_unit_test(query_long),            cmocka_unit_test(query_xml),            cmocka_unit_test(lists_and_csv),       cmocka_unit_test(collect_env_variants),
        cmocka_unit_test(package_lists),         cmocka_unit_test(kernel_says),          cmocka_unit_test(other_vendors),       cmocka_unit_test(systems),
        cmocka_unit_test(clusters),              cmocka_unit_test(random_bytes),
    };
    return cmocka_run_group_tests_name("paste", tests, NULL, NULL);
}
