#!/bin/sh
# detect, target, and what they hand to plan through a pipe.
set -u
passed=0 failed=0
ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "failed: $*"; }
has() { # NAME FILE TEXT
	if grep -qF -- "$3" "$2"; then ok; else
		bad "$1: no '$3' in:"
		head -n 40 "$2"
	fi
}
samples=tests/samples
printf 'Python 3.12.3\nID=ubuntu\nVERSION_ID="24.04"\n' >"$TMPDIR/env.txt"

# one pipe; the plan's first line tells what came through it
. tests/lib/replica.sh
printf '[{"filename": "alpha-1.0-py3-none-any.whl"}]' >"$TMPDIR/packages"
replica --packages "$TMPDIR/packages"
trap 'kill $replica_pid 2>/dev/null' EXIT
unset PIP_EXTRA_INDEX_URL PIP_FIND_LINKS PIP_NO_INDEX http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
"$GPUFERRY" target $samples/smi-r610-5070-laptop-umd.txt "$TMPDIR/env.txt" >"$TMPDIR/profile" || bad 'target of two files'
has 'two files' "$TMPDIR/profile" '"driver.version": "smi-r610-5070-laptop-umd.txt: nvidia-smi"'
has 'two files' "$TMPDIR/profile" '"python.version": "env.txt: python --version"'
"$GPUFERRY" target $samples/smi-r610-5070-laptop-umd.txt "$TMPDIR/env.txt" |
	XDG_CACHE_HOME=$TMPDIR/cache PIP_INDEX_URL=$base/simple/ "$GPUFERRY" plan alpha --target - --python 3.12 --sources default --no-installer -o "$TMPDIR/lock" >"$TMPDIR/plan" 2>&1 || bad 'plan'
has pipe "$TMPDIR/lock" '"name": "NVIDIA GeForce RTX 5070 ..."'
has pipe "$TMPDIR/plan" 'target: x86_64, ubuntu 24.04, glibc 2.39, Python 3.12.3, NVIDIA GeForce RTX 5070 ... (12.0), driver 610.43.02'

# a profile is read as it was written
"$GPUFERRY" target - <"$TMPDIR/profile" >"$TMPDIR/again"
if cmp -s "$TMPDIR/profile" "$TMPDIR/again"; then ok; else bad 'a profile is not read as it was written'; fi

# two machines: shown, not averaged
"$GPUFERRY" target $samples/smi-r470-v100-truncname.txt $samples/ce-vllm-style-h100.txt >"$TMPDIR/two" 2>&1
has 'two machines' "$TMPDIR/two" 'driver.version is 470.182.03 (smi-r470-v100-truncname.txt: nvidia-smi) and 550.144.03 (ce-vllm-style-h100.txt: collect_env)'

# what holds nothing
echo 'all quiet' >"$TMPDIR/none"
"$GPUFERRY" target "$TMPDIR/none" >"$TMPDIR/out" 2>"$TMPDIR/err"
if [ $? = 2 ] && [ ! -s "$TMPDIR/out" ]; then ok; else bad 'a text without facts is status 2'; fi
has 'nothing' "$TMPDIR/err" "$TMPDIR/none holds no fact about a machine"
"$GPUFERRY" target "$TMPDIR/absent" 2>"$TMPDIR/err"
if [ $? = 6 ]; then ok; else bad 'a file that is not there is status 6'; fi
printf '{"schema":"gpuferry.profile/1","gpu":[]}' | "$GPUFERRY" target - 2>"$TMPDIR/err"
has 'wrong key' "$TMPDIR/err" '/gpu is not a key of a profile'

# this machine
"$GPUFERRY" detect >"$TMPDIR/text" || bad 'detect'
has 'detect' "$TMPDIR/text" "$(uname -r)"
"$GPUFERRY" detect --json >"$TMPDIR/json" || bad 'detect --json'
"$GPUFERRY" target "$TMPDIR/json" >"$TMPDIR/again" || bad 'target reads what detect writes'
if cmp -s "$TMPDIR/json" "$TMPDIR/again"; then ok; else bad 'what detect writes is not what target reads'; fi
"$GPUFERRY" detect here 2>"$TMPDIR/err"
if [ $? = 2 ]; then ok; else bad 'detect takes no argument'; fi

# another system's files: a made-up root with one GPU and its module
root=$TMPDIR/root
mkdir -p "$root/proc/driver/nvidia" "$root/sys/bus/pci/devices/0000:01:00.0" "$root/etc" "$root/var/lib/dpkg"
echo 0x030200 >"$root/sys/bus/pci/devices/0000:01:00.0/class"
echo 0x10de >"$root/sys/bus/pci/devices/0000:01:00.0/vendor"
echo 0x20b0 >"$root/sys/bus/pci/devices/0000:01:00.0/device"
echo 'NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.124.06  Release Build  (x@y)' >"$root/proc/driver/nvidia/version"
printf 'ID=debian\nVERSION_ID="12"\n' >"$root/etc/os-release"
printf 'Package: nvidia-driver\nStatus: install ok installed\nVersion: 570.124.06-1\n\nPackage: libgone\nStatus: deinstall ok config-files\nVersion: 1\n' >"$root/var/lib/dpkg/status"
"$GPUFERRY" detect --json --root "$root" >"$TMPDIR/root.json" || bad 'detect --root'
for t in '"pci": "10de:20b0"' '"cc": "8.0"' '"version": "570.124.06"' '"flavour": "open"' '"id": "debian"' '"name": "nvidia-driver"' '"python": null'; do has 'detect --root' "$TMPDIR/root.json" "$t"; done
if grep -q libgone "$TMPDIR/root.json"; then bad 'a removed package is listed'; else ok; fi
"$GPUFERRY" detect --root "$TMPDIR/absent" 2>"$TMPDIR/err"
if [ $? = 6 ]; then ok; else bad 'a root that is not there is status 6'; fi
echo "$passed passed, $failed failed"
[ $failed = 0 ]
