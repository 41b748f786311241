#!/bin/sh
# Libraries that a plan brings for packages which name no wheel that has them are found by the loader: in a real Debian 12 root, without a network.
# By default with small wheels whose libraries are compiled here; under FULL=1 with onnxruntime-gpu, paddlepaddle-gpu and cupy from the default index.
# timeout: 1800
# shellcheck disable=SC2015 # bad never fails
set -u
. tests/lib/debian.sh
. tests/lib/expect.sh
command -v gcc >/dev/null || { echo "needs gcc"; exit 77; }
[ "$(uname -m)" = x86_64 ] || { echo "the wheels are for x86_64"; exit 77; }
root=$TMPDIR/root
debian_root "$root" bookworm python3 || exit $?
chmod 755 "$root"
inside() { debian_enter "$root" "$@"; }
unpack() { mkdir -p "$root/b/$1" && tar -C "$root/b/$1" -xf "$TMPDIR/$1.tar" && rm "$TMPDIR/$1.tar"; }

mkdir "$TMPDIR/wheels" && python3 tests/lib/elf_wheels.py "$TMPDIR/wheels" || { bad "compiling wheels"; exit 1; }
python3 -m pip download -q --disable-pip-version-check --no-deps -d "$TMPDIR/wheels" pip >"$TMPDIR/log" 2>&1 || bad "pip's wheel"
python3 tests/lib/craft_lock.py --base "file://$TMPDIR/wheels/" --request links --request opens --request knows \
	--requires links=nvidia-foo-cu12 --requires opens=nvidia-foo-cu12 --requires knows=nvidia-foo-cu12 "$TMPDIR/wheels" >"$TMPDIR/small.lock"
"$GPUFERRY" bundle "$TMPDIR/small.lock" -o "$TMPDIR/small.tar" >"$TMPDIR/log" 2>&1 || { bad "bundling"; exit 1; }
unpack small
expect 0 'libraries: links finds 1 of the 1 brought for it' 'install' inside sh /b/small/install.sh --prefix /opt/s
for name in links opens knows; do
	expect 0 42 "$name: the library and the part that it opens are found" inside /opt/s/bin/python -c "import $name; print($name.answer)"
done
expect 0 True 'who names its wheels itself is left alone' inside /opt/s/bin/python -c 'import _gpuferry_libraries as g; print(sorted(g.LIBRARIES) == ["links", "opens"])'
expect 0 "['libfoo.so', 'libfoo.so.12', 'libfoo_part.so', 'libfoo_part.so.12', 'libopens.so']" 'links where its loader looks' \
	inside /opt/s/bin/python -c 'import os; print(sorted(os.listdir("/opt/s/lib/python3.11/site-packages/opens/libs")))'
expect 0 'libfoo' 'without the hook the loader finds nothing: what is tested is needed' inside /opt/s/bin/python -S -c \
	'import sys; sys.path.append("/opt/s/lib/python3.11/site-packages")
try: import links
except OSError as e: print(e)'
expect 0 False 'nothing is loaded before an import' inside /opt/s/bin/python -c 'print("libfoo" in open("/proc/self/maps").read())'
expect 0 'packages: done before' 'a second run' inside sh /b/small/install.sh --prefix /opt/s
mv "$root/opt/s/lib/python3.11/site-packages/nvidia/foo/lib/libfoo.so.12" "$root/opt/lost"
expect 20 'links does not find libfoo.so.12' 'verify names a library that is lost' inside sh /opt/s/.gpuferry/verify.sh
mv "$root/opt/lost" "$root/opt/s/lib/python3.11/site-packages/nvidia/foo/lib/libfoo.so.12"
expect 0 removed 'uninstall' inside sh /opt/s/.gpuferry/uninstall.sh
if [ ! -e "$root/opt/s" ]; then ok "nothing is left"; else bad "nothing is left"; fi

# ---- the real ones: each library that they link (NEEDED) or open by name; the driver's own is Debian's libcuda1, in /driver ----
driver=580.95.05
real() { # REQUEST MODULE LINKED-FILE…
	request=$1 module=$2
	shift 2
	"$GPUFERRY" plan "$request" --os debian-12 --python 3.11 --gpu "RTX 4090" --driver "$driver" --sources default -o "$TMPDIR/$module.lock" >"$TMPDIR/log" 2>&1 &&
		"$GPUFERRY" bundle "$TMPDIR/$module.lock" -o "$TMPDIR/$module.tar" >"$TMPDIR/log" 2>&1 && unpack "$module" || { bad "$request: plan and bundle"; return; }
	expect 0 "libraries: $module finds" "$request: install" inside sh "/b/$module/install.sh" --prefix "/opt/$module"
	for file; do
		expect 0 found "$request: all that $file links is found" inside env LD_LIBRARY_PATH=/driver "/opt/$module/bin/python" -c \
			"import ctypes, glob, $module, sys; [ctypes.CDLL(f, ctypes.RTLD_GLOBAL) for f in glob.glob(sys.prefix + '/lib/python3.11/site-packages/$file')] and print('found')"
	done
}
if [ -n "${FULL:-}" ]; then
	debian_file bookworm non-free libcuda1 "$TMPDIR/libcuda1.deb" >"$TMPDIR/log" 2>&1 && dpkg-deb -x "$TMPDIR/libcuda1.deb" "$TMPDIR/libcuda1" && mkdir -p "$root/driver" &&
		find "$TMPDIR/libcuda1" -name 'libcuda.so*' -exec cp -a {} "$root/driver/" \; && [ -e "$root/driver/libcuda.so.1" ] || bad "Debian's libcuda1"
	for generation in '580.95.05 libcufft.so.12 libnvrtc.so.13' '550.163.01 libcufft.so.11 libnvrtc.so.12'; do # the driver serves CUDA 13; 12
		driver=${generation%% *}
		real onnxruntime-gpu onnxruntime 'onnxruntime/capi/libonnxruntime_providers_shared.so' 'onnxruntime/capi/libonnxruntime_providers_cuda.so'
		for name in libcudnn.so.9 ${generation#* }; do
			expect 0 found "onnxruntime-gpu: $name, opened by name" inside /opt/onnxruntime/bin/python -c "import ctypes, onnxruntime; ctypes.CDLL('$name') and print('found')"
		done
		rm -rf "$root/opt/onnxruntime" "$root/b/onnxruntime"
	done
	real paddlepaddle-gpu paddle
	probe=$root/opt/paddle/lib/python3.11/site-packages/paddle/libs
	# opens by name with the search path of libphi.so, which opens them: it has the names in its code only
	# shellcheck disable=SC2016 # the loader expands it
	printf '#include <dlfcn.h>\nconst char *probe(const char *n) { return dlopen(n, RTLD_NOW) ? "found" : dlerror(); }\n' |
		gcc -shared -fPIC -o "$probe/libprobe.so" -Wl,-rpath,'$ORIGIN' -Wl,--enable-new-dtags -x c -
	for name in libcublas.so libcublasLt.so libcurand.so libcudnn.so libcusolver.so libcusparse.so libcufft.so libnvrtc.so libcudart.so libcupti.so libnccl.so libnvjpeg.so libnvToolsExt.so; do
		expect 0 found "paddlepaddle-gpu: $name, opened by name" inside /opt/paddle/bin/python -S -c "import ctypes
p = ctypes.CDLL('${probe#"$root"}/libprobe.so').probe; p.restype = ctypes.c_char_p; print(p(b'$name').decode())"
	done
	expect 0 found "paddlepaddle-gpu: libnvrtc.so, opened by its cuBLAS" inside /opt/paddle/bin/python -c "import ctypes, sys
ctypes.CDLL(sys.prefix + '/lib/python3.11/site-packages/nvidia/cublas/lib/libnvrtc.so') and print('found')"
	expect 0 'cuDNN 89' "paddlepaddle-gpu: asks the cuDNN that was brought" inside /opt/paddle/bin/python -W ignore -c "import paddle; print('cuDNN', paddle.device.get_cudnn_version())"
	rm -rf "$root/opt/paddle" "$root/b/paddle"
	real cupy-cuda12x cupy 'cupy_backends/cuda/libs/cublas*.so' 'cupy/cuda/cufft*.so' 'cupy/cuda/jitify*.so' 'cupy_backends/cuda/libs/curand*.so' \
		'cupy_backends/cuda/libs/cusparse*.so' 'cupy_backends/cuda/libs/cusolver*.so' 'cupyx/_cusolver*.so'
fi
echo "$passed passed, $failed failed"
[ $failed = 0 ]
