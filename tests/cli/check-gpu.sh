#!/bin/sh
# What the check after an installation says about GPUs. The library it asks is pretended: a real GPU is not needed, and not tested.
set -u
cc=${CC:-cc}
command -v "${cc%% *}" >/dev/null || { echo "no C compiler"; exit 77; }
$cc -shared -fPIC -o "$TMPDIR/libcuda.so.1" tests/lib/pretend_libcuda.c || exit 1
passed=0 failed=0
says() { # PRETEND REQUIRE STATUS WORDS
	PRETEND=$1 GF_REQUIRE_GPU=$2 GF_PACKAGES='' GF_REQUESTED='' LD_LIBRARY_PATH=$TMPDIR python3 -B scripts/lib/check.py >"$TMPDIR/said" 2>&1
	got=$?
	if [ $got = "$3" ] && grep -qF -e "$4" "$TMPDIR/said"; then passed=$((passed + 1)); else
		failed=$((failed + 1))
		echo "FAILED: $1: exit $got, expected $3 and '$4'"
		sed 's/^/    | /' "$TMPDIR/said"
	fi
}
says right '' 0 'GPU 1, Pretended GPU: computes right'
says wrong '' 1 'failed: GPU 0, Pretended GPU: element 77 is 233, it should be 232'
says refuses '' 1 'cuModuleLoadData gives CUDA_ERROR_INVALID_PTX'
says none '' 0 'no GPU that can be used is here (cuInit gives CUDA_ERROR_NO_DEVICE)'
says none 1 1 'no GPU that can be used is here'
echo "$passed passed, $failed failed"
[ $failed = 0 ]
