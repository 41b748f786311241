#!/bin/sh
# detect over NVML and collect.sh over nvidia-smi find the same GPUs. Both are stood in for by tests/e2e/gpu, so that this runs without an NVIDIA GPU; where the real
# library is here, it is asked too.
set -u
passed=0 failed=0
ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "failed: $*"; }
[ ! -d /proc/driver/nvidia ] || { echo "this machine has a driver of its own: tests/e2e/collect.sh compares with that"; exit 77; }
command -v cc >/dev/null || { echo "cc is not here"; exit 77; }
cc -shared -fPIC -o "$TMPDIR/libnvidia-ml.so.1" tests/e2e/gpu/nvml.c || exit 1
plain() { sed -e 's/"free_mib": [0-9]*/"free_mib": 0/' "$1"; }
looks() { # NAME: both look, and find the same
	env LD_LIBRARY_PATH="$TMPDIR" "$GPUFERRY" detect --json >"$TMPDIR/detected" || bad "$1: detect"
	PATH=$PWD/tests/e2e/gpu:$PATH sh scripts/collect.sh >"$TMPDIR/collected"
	"$GPUFERRY" target --json "$TMPDIR/collected" >"$TMPDIR/target" || bad "$1: target"
	plain "$TMPDIR/detected" >"$TMPDIR/a"
	plain "$TMPDIR/target" >"$TMPDIR/b"
	if cmp -s "$TMPDIR/a" "$TMPDIR/b"; then ok; else
		bad "$1 (< detected, > collected):"
		diff "$TMPDIR/a" "$TMPDIR/b"
	fi
}
has() { if grep -qF -- "$2" "$TMPDIR/target"; then ok; else bad "$1: no $2"; fi; }

looks 'two GPUs'
for t in '"version": "550.54.14"' '"cuda": "12.4"' '"pci": "10de:20b0"' '"cc": "8.0"' '"memory_mib": 40960' '"mig": "enabled"' '"name": "NVIDIA L4"' '"cc": "8.9"'; do has 'two GPUs' "$t"; done
if grep -qE 'alice|GPU-aaaa|1234567890|10001' "$TMPDIR/collected"; then bad 'a process, a UUID or a serial number is in the collected text'; else ok; fi
NVML_FAIL=9
export NVML_FAIL
looks 'driver not loaded'
has 'driver not loaded' "couldn't communicate with the NVIDIA driver"
has 'driver not loaded' '"driver": null'
NVML_FAIL=18
looks 'library mismatch'
has 'library mismatch' 'Driver/library version mismatch'
has 'library mismatch' 'NVML library version: 550.54'
echo "$passed passed, $failed failed"
[ $failed = 0 ]
