#!/bin/sh
# scripts/health.sh over made-up trees of /sys, /proc and /dev, with an nvidia-smi and a dmesg that say what the test wants: hardware that breaks on request.
set -u
passed=0 failed=0
bin=$TMPDIR/bin root=$TMPDIR/root
mkdir -p "$bin"
# shellcheck disable=SC2016
printf '#!/bin/sh\ncat "%s/smi"\nexit "$(cat "%s/smi-status")"\n' "$TMPDIR" "$TMPDIR" >"$bin/nvidia-smi"
printf '#!/bin/sh\ncat "%s/dmesg"\n' "$TMPDIR" >"$bin/dmesg"
chmod +x "$bin/nvidia-smi" "$bin/dmesg"

healthy() { # two GPUs, all well
	rm -rf "$root"
	mkdir -p "$root/proc/driver/nvidia" "$root/dev" "$root/usr/lib64"
	for n in 0 1; do
		d=$root/sys/bus/pci/devices/0000:0$n:00.0
		mkdir -p "$d"
		echo 0x030200 >"$d/class"
		echo 0x10de >"$d/vendor"
		echo 0x27b8 >"$d/device"
		echo 16 >"$d/current_link_width"
		echo 16 >"$d/max_link_width"
		: >"$root/dev/nvidia$n"
	done
	: >"$root/dev/nvidiactl"
	: >"$root/usr/lib64/libcuda.so.550.54.14"
	echo 'NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14  Thu Feb 22 01:44:30 UTC 2024' >"$root/proc/driver/nvidia/version"
	printf '0, NVIDIA L4, 45, 100, 23034, 0, Not Active, P8, 11.5\n1, NVIDIA L4, 46, 100, 23034, 0, Not Active, P8, 11.5\n' >"$TMPDIR/smi"
	echo 0 >"$TMPDIR/smi-status"
	: >"$TMPDIR/dmesg"
}
# NAME STATUS TEXT [ARGUMENTS…]
says() {
	name=$1 want=$2 text=$3
	shift 3
	for s in dash bash mksh 'busybox ash'; do
		command -v "${s%% *}" >/dev/null || continue
		[ "$s$name" != 'busybox ashxid' ] || continue # it may take its own dmesg before that of PATH
		# shellcheck disable=SC2086
		PATH=$bin:$PATH GPUFERRY_ROOT=$root $s scripts/health.sh "$@" >"$TMPDIR/out" 2>"$TMPDIR/err"
		status=$?
		if [ $status = "$want" ] && grep -qF -- "$text" "$TMPDIR/out" && [ ! -s "$TMPDIR/err" ]; then passed=$((passed + 1)); else
			failed=$((failed + 1))
			echo "$name under $s: status $status, expected $want and '$text':"
			cat "$TMPDIR/out" "$TMPDIR/err"
		fi
	done
}

healthy
says well 0 'OK: 2 GPUs: NVIDIA L4, NVIDIA L4, driver 550.54.14, 45°C 46°C'
if [ "$(wc -l <"$TMPDIR/out")" = 1 ]; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo 'one line when all is well'; fi
says 'one is missing' 2 'CRITICAL: bus: 2 GPUs are on the bus, 4 should be' --expect 4
echo 8 >"$root/sys/bus/pci/devices/0000:01:00.0/current_link_width"
says 'narrow link' 1 'warning: link: 0000:01:00.0 runs with 8 of 16 PCIe lanes'
healthy
mkdir -p "$root/sys/module/nouveau"
says nouveau 2 'nouveau is loaded'
healthy
rm "$root/proc/driver/nvidia/version"
says 'no module' 2 'the nvidia kernel module is not loaded'
healthy
mv "$root/usr/lib64/libcuda.so.550.54.14" "$root/usr/lib64/libcuda.so.555.42.06"
says mismatch 2 'the loaded module is 550.54.14, libcuda is 555.42.06'
healthy
rm "$root/dev/nvidiactl"
says 'no node' 2 '/dev/nvidiactl is not there'
healthy
sed 's/46/93/' "$TMPDIR/smi" >"$TMPDIR/new" && mv "$TMPDIR/new" "$TMPDIR/smi"
says hot 1 'GPU 1 is at 93 °C'
says 'hot but allowed' 0 'OK: ' --max-temperature 95
healthy
sed '2d' "$TMPDIR/smi" >"$TMPDIR/new" && mv "$TMPDIR/new" "$TMPDIR/smi"
says 'one left out' 2 'nvidia-smi shows 1 of 2 GPUs'
healthy
printf '0, NVIDIA L4, 45, 22950, 23034, 3, Active, P8, 11.5\n1, [Unknown Error], ERR!, 0, 0, 0, 0, 0, 0\n' >"$TMPDIR/smi"
says 'much at once' 2 'memory: GPU 0 has 22950 of 23034 MiB in use'
says 'much at once' 2 'ecc: GPU 0 counts 3 uncorrected memory errors'
says 'much at once' 2 'hardware: GPU 1 answers'
healthy
echo 'Failed to initialize NVML: Driver/library version mismatch' >"$TMPDIR/smi"
echo 18 >"$TMPDIR/smi-status"
says 'nvidia-smi fails' 2 'nvidia-smi: Failed to initialize NVML: Driver/library version mismatch'
healthy
echo '[ 99.0] NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.' >"$TMPDIR/dmesg"
says xid 2 "the kernel's log holds Xid 79"
echo '[ 99.0] NVRM: Xid (PCI:0000:01:00): 13, Graphics Exception' >"$TMPDIR/dmesg"
says 'a program'\''s xid' 0 'OK: '
healthy
says 'no such Python' 3 "there is no '/nonexistent/python'" --python /nonexistent/python
rm -rf "$root/sys/bus/pci/devices"/*
says 'no GPU' 2 'no GPU of NVIDIA, AMD or Huawei is on the bus'

healthy
says prometheus 0 'OK: ' --prometheus "$TMPDIR/gpu.prom"
for m in 'gpuferry_health 0' 'gpuferry_gpus 2' 'gpuferry_gpu_temperature_celsius{gpu="1"} 46' 'gpuferry_gpu_memory_total_bytes{gpu="0"} 24152899584'; do
	if grep -qxF "$m" "$TMPDIR/gpu.prom"; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "the textfile lacks $m" && cat "$TMPDIR/gpu.prom"; fi
done
sh scripts/health.sh --nonsense >/dev/null 2>&1
if [ $? = 3 ]; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo 'an unknown option is status 3'; fi
echo "$passed passed, $failed failed"
[ $failed = 0 ]
