"""Does the environment that runs this hold what was planned, does it import, and does each GPU compute a number that is right?
GF_PACKAGES: name==version a line; GF_REQUESTED: the names asked for; GF_REQUIRE_GPU: fail without a GPU. Exit status 0 or 1."""
import ctypes
import importlib
import importlib.metadata as metadata
import importlib.util
import os
import re
import sys

failed = []
# libraries that wheels expect of the system, and who has them: Debian and Ubuntu, Fedora and RHEL
SYSTEM = {"libgomp.so.1": ("libgomp1", "libgomp"), "libGL.so.1": ("libgl1", "mesa-libGL"), "libgthread-2.0.so.0": ("libglib2.0-0", "glib2"), "libz.so.1": ("zlib1g", "zlib"),
          "libglib-2.0.so.0": ("libglib2.0-0", "glib2"), "libquadmath.so.0": ("libquadmath0", "libquadmath"), "libstdc++.so.6": ("libstdc++6", "libstdc++"),
          "libsndfile.so.1": ("libsndfile1", "libsndfile"), "libibverbs.so.1": ("libibverbs1", "libibverbs"), "libnuma.so.1": ("libnuma1", "numactl-libs")}


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def fail(text):
    failed.append(text)
    print("failed: " + text)


def check_versions(planned):
    installed = {normal(d.metadata["Name"]): d.version for d in metadata.distributions() if d.metadata["Name"]}
    for name, version in planned:
        if installed.get(name) != version:
            fail("%s should be %s, it is %s" % (name, version, installed.get(name, "not installed")))
    print("versions: %d of %d packages as planned" % (sum(installed.get(n) == v for n, v in planned), len(planned)))


def modules_of(name):
    """Import names of a distribution: the one like its own name, else what its files lie in."""
    dist = metadata.distribution(name)
    top = set()
    for f in dist.files or []:
        part = f.parts[0]
        if len(f.parts) > 1 and f.suffix in (".py", ".so") and "." not in part and part.isidentifier():
            top.add(part)
        elif len(f.parts) == 1 and f.suffix in (".py", ".so"):
            top.add(part.split(".")[0])
    like = {m for m in top if normal(m) == normal(name)}
    return sorted(like or {m for m in top if not m.startswith("_") and m not in ("tests", "test", "docs", "examples", "benchmarks", "scripts", "nvidia")})


def check_imports(requested):
    for name in requested:
        for module in modules_of(name):
            try:
                m = importlib.import_module(module)
                print("import %s: %s" % (module, getattr(m, "__version__", "works")))
            except BaseException as e:  # an extension may end in anything
                lacks = re.match(r"(lib[^: ]+\.so[.0-9]*): cannot open shared object file", str(e))
                package = SYSTEM.get(lacks.group(1)) if lacks else None
                fail("import %s: %s: %s%s" % (module, type(e).__name__, e, "; the system has to bring it: install %s (Debian, Ubuntu) or %s (Fedora, RHEL)" % package if package else ""))


def check_libraries():
    """Does the loader find what was brought for packages that name no such wheel themselves (lib/loader.py)?"""
    try:
        from _gpuferry_libraries import LIBRARIES
    except ImportError:
        return
    for module, libraries in sorted(LIBRARIES.items()):
        importlib.util.find_spec(module)  # as an import begins
        found = 0
        for name in map(os.path.basename, libraries):
            try:
                ctypes.CDLL(name)
                found += 1
            except OSError as e:
                if "libcuda.so.1:" in str(e):  # the driver's own
                    found += 1
                else:
                    fail("%s does not find %s: %s" % (module, name, e))
        print("libraries: %s finds %d of the %d brought for it" % (module, found, len(libraries)))


# out[i] = 3 * i + 1, in the oldest dialect that a driver may still want
PTX = """.version %s
.target %s
.address_size 64
.visible .entry fill(.param .u64 p) {
.reg .b32 %%r<6>; .reg .b64 %%d<4>;
ld.param.u64 %%d1, [p]; cvta.to.global.u64 %%d1, %%d1;
mov.u32 %%r1, %%ctaid.x; mov.u32 %%r2, %%ntid.x; mov.u32 %%r3, %%tid.x;
mad.lo.s32 %%r4, %%r1, %%r2, %%r3; mul.wide.s32 %%d2, %%r4, 4; add.s64 %%d3, %%d1, %%d2;
mul.lo.s32 %%r5, %%r4, 3; add.s32 %%r5, %%r5, 1; st.global.u32 [%%d3], %%r5; ret; }
"""
BLOCKS, THREADS = 64, 128


class Driver:
    """The little of the CUDA driver API that shows whether a GPU computes, without any toolkit or framework."""

    def __init__(self):
        self.lib = ctypes.CDLL("libcuda.so.1")
        self("cuInit", 0)
        n = ctypes.c_int()
        self("cuDeviceGetCount", ctypes.byref(n))
        self.count = n.value

    def __call__(self, name, *args):
        try:
            status = getattr(self.lib, name)(*args)
        except AttributeError:
            raise RuntimeError("libcuda.so.1 has no %s" % name)
        if status:
            text = ctypes.c_char_p()
            self.lib.cuGetErrorName(status, ctypes.byref(text))
            raise RuntimeError("%s gives %s" % (name, (text.value or b"error %d" % status).decode()))

    def name(self, dev):
        text = ctypes.create_string_buffer(256)
        self("cuDeviceGetName", text, 256, dev)
        return text.value.decode(errors="replace")

    def module(self):
        for dialect in ("6.0", "sm_52"), ("6.0", "sm_30"), ("6.3", "sm_75"):
            module = ctypes.c_void_p()
            try:
                self("cuModuleLoadData", ctypes.byref(module), (PTX % dialect).encode())
                return module
            except RuntimeError as e:
                problem = e
        raise problem

    def compute(self, dev):
        context, fill, memory, n = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint64(), BLOCKS * THREADS
        self("cuDevicePrimaryCtxRetain", ctypes.byref(context), dev)
        self("cuCtxSetCurrent", context)
        self("cuModuleGetFunction", ctypes.byref(fill), self.module(), b"fill")
        self("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(4 * n))
        args = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.pointer(memory), ctypes.c_void_p))
        self("cuLaunchKernel", fill, BLOCKS, 1, 1, THREADS, 1, 1, 0, None, args, None)
        out = (ctypes.c_uint32 * n)()
        self("cuMemcpyDtoH_v2", out, memory, ctypes.c_size_t(4 * n))
        self("cuMemFree_v2", memory)
        self("cuDevicePrimaryCtxRelease", dev)
        wrong = [i for i in range(n) if out[i] != 3 * i + 1]
        if wrong:
            raise RuntimeError("element %d is %d, it should be %d" % (wrong[0], out[wrong[0]], 3 * wrong[0] + 1))


def check_driver():
    """Number of GPUs that compute."""
    try:
        driver = Driver()
    except (OSError, RuntimeError) as e:
        text = "no GPU that can be used is here (%s): computing was not tried" % e
        fail(text) if os.environ.get("GF_REQUIRE_GPU") else print(text)
        return 0
    for dev in range(driver.count):
        try:
            driver.compute(dev)
            print("GPU %d, %s: computes right" % (dev, driver.name(dev)))
        except RuntimeError as e:
            fail("GPU %d, %s: %s" % (dev, driver.name(dev), e))
    return driver.count


# small whole numbers: exact in every number format a GPU multiplies in
def want(n=64):
    return sum((i * k % 5) * ((k + j) % 3) for i in range(n) for j in range(n) for k in range(n))


def torch_sum():
    import torch
    if not (torch.version.cuda or torch.version.hip):
        return None
    if not torch.cuda.is_available():
        raise RuntimeError("torch %s sees no GPU" % torch.__version__)
    for dev in range(torch.cuda.device_count()):
        i = torch.arange(64, device="cuda:%d" % dev)
        product = (i[:, None] * i % 5).float() @ ((i[:, None] + i) % 3).float()
        yield "GPU %d" % dev, int(product.sum().item())


def paddle_sum():
    import paddle
    if not paddle.device.is_compiled_with_cuda():
        return None
    paddle.device.set_device("gpu:0")
    i = paddle.arange(64)
    yield "GPU 0", int(paddle.matmul((i.unsqueeze(1) * i % 5).astype("float32"), ((i.unsqueeze(1) + i) % 3).astype("float32")).sum())


def tensorflow_sum():
    import tensorflow as tf
    if not tf.test.is_built_with_cuda():
        return None
    for n, gpu in enumerate(tf.config.list_physical_devices("GPU")):
        with tf.device("/GPU:%d" % n):
            i = tf.range(64)
            product = tf.matmul(tf.cast(i[:, None] * i % 5, tf.float32), tf.cast((i[:, None] + i) % 3, tf.float32))
            yield gpu.name, int(tf.reduce_sum(product).numpy())


def jax_sum():
    import jax
    import jax.numpy as np
    for dev in jax.devices("gpu"):
        i = jax.device_put(np.arange(64), dev)
        yield str(dev), int(((i[:, None] * i % 5).astype("float32") @ ((i[:, None] + i) % 3).astype("float32")).sum())


def cupy_sum():
    import cupy
    i = cupy.arange(64)
    yield "GPU 0", int(((i[:, None] * i % 5).astype("float32") @ ((i[:, None] + i) % 3).astype("float32")).sum())


def check_framework(name, compute):
    try:
        for where, got in compute() or ():
            if got == want():
                print("%s on %s: %d, right" % (name, where, got))
            else:
                fail("%s on %s: %d, it should be %d" % (name, where, got, want()))
    except BaseException as e:
        fail("%s: %s: %s" % (name, type(e).__name__, e))


planned = [tuple(line.split("==", 1)) for line in os.environ.get("GF_PACKAGES", "").split()]
names = {n for n, _ in planned}
check_versions(planned)
check_imports(os.environ.get("GF_REQUESTED", "").split())
check_libraries()
if check_driver():
    for prefix, compute in ("torch", torch_sum), ("paddlepaddle-gpu", paddle_sum), ("tensorflow", tensorflow_sum), ("jax-cuda", jax_sum), ("cupy-cuda", cupy_sum):
        if any(n == prefix or n.startswith(prefix) and prefix.endswith("cuda") for n in names):
            check_framework(prefix, compute)
sys.exit(bool(failed))
