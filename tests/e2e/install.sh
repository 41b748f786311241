#!/bin/sh
# A bundle in a real Debian 12 root without a network: installed, imported, as planned, taken away without a trace; and all that may go wrong on the way.
# timeout: 1800
set -u
. tests/lib/debian.sh
. tests/lib/expect.sh
root=$TMPDIR/root
debian_root "$root" bookworm python3 || exit $?
chmod 755 "$root"
inside() { debian_enter "$root" "$@"; }
listing() { (cd "$root" && find . -xdev ! -path './proc/*' ! -path './dev/*' ! -path './b/*' ! -path './tmp/*' | sort); }

# ---- two bundles: a package with a compiled dependency, and small pure ones ----
make_bundle() { # NAME REQUEST…
	name=$1
	shift
	if [ -z "${NO_PLAN:-}" ] && "$GPUFERRY" plan -h >/dev/null 2>&1; then
		"$GPUFERRY" plan "$@" --os debian-12 --python 3.11 --gpu "RTX 3090" --driver 535.309.01 --sources default -o "$TMPDIR/$name.lock" >"$TMPDIR/log" 2>&1 || return 1
	else
		mkdir -p "$TMPDIR/wheels-$name" &&
			python3 -m pip download -q --disable-pip-version-check --python-version 3.11 --platform manylinux_2_28_x86_64 --platform manylinux_2_27_x86_64 --platform manylinux_2_24_x86_64 \
				--platform manylinux2014_x86_64 --platform any --only-binary :all: -d "$TMPDIR/wheels-$name" "$@" pip >"$TMPDIR/log" 2>&1 &&
			python3 tests/lib/craft_lock.py --base "$TMPDIR/wheels-$name" --python 3.11.2 --driver '>=525.60.13' --request "$1" "$TMPDIR/wheels-$name" >"$TMPDIR/$name.lock" || return 1
	fi
	"$GPUFERRY" bundle "$TMPDIR/$name.lock" -o "$TMPDIR/$name.tar" >"$TMPDIR/log" 2>&1 || return 1
	mkdir -p "$root/b/$name" && tar -C "$root/b/$name" -xf "$TMPDIR/$name.tar"
}
make_bundle main pandas || { bad "planning and bundling pandas"; echo "$passed passed, $failed failed"; exit 1; }
make_bundle small rich || { bad "planning and bundling rich"; echo "$passed passed, $failed failed"; exit 1; }
ok "planned and bundled"
if grep -q '"licenses"' "$root/b/main/sbom.cdx.json"; then ok "the bill of materials names licences"; else bad "the bill of materials names licences"; fi
python3 tests/lib/lock.py "$TMPDIR/main.lock" | grep -v '^pip==' >"$TMPDIR/planned"
mkdir -p "$root/sys"
versions='import importlib.metadata as m, re
for n, v in sorted((re.sub(r"[-_.]+", "-", d.metadata["Name"]).lower(), d.version) for d in m.distributions()): print(n + "==" + v)'
as_planned() { inside "$1/bin/python" -I -c "$versions" >"$TMPDIR/installed" && cmp -s "$TMPDIR/planned" "$TMPDIR/installed"; }

# ---- the way it should be ----
listing >"$TMPDIR/before"
expect 0 'about' 'dry run' inside sh /b/main/install.sh --prefix /opt/a/b/stack --dry-run
listing >"$TMPDIR/after"
if cmp -s "$TMPDIR/before" "$TMPDIR/after"; then ok "dry run changes nothing"; else bad "dry run changes nothing"; fi
expect 0 'done: /opt/a/b/stack' 'install' inside env PIP_INDEX_URL=http://127.0.0.1:9/ PYTHONPATH=/nowhere PYTHONHOME=/nowhere sh /b/main/install.sh --prefix /opt/a/b/stack
if as_planned /opt/a/b/stack; then ok "versions as planned"; else bad "versions as planned"; diff "$TMPDIR/planned" "$TMPDIR/installed"; fi
expect 0 42 'import works' inside /opt/a/b/stack/bin/python -c 'import pandas; print(int(pandas.Series([20, 22]).sum()))'
expect 0 'packages: done before' 'a second run has nothing to do' inside sh /b/main/install.sh --prefix /opt/a/b/stack
expect 0 'as planned' 'verify' inside sh /opt/a/b/stack/.gpuferry/verify.sh
expect 10 'another bundle installed' 'another bundle does not go into the same folder' inside sh /b/small/install.sh --prefix /opt/a/b/stack
expect 0 'removed' 'uninstall' inside sh /opt/a/b/stack/.gpuferry/uninstall.sh
listing >"$TMPDIR/after"
if cmp -s "$TMPDIR/before" "$TMPDIR/after"; then ok "nothing is left"; else bad "nothing is left"; diff "$TMPDIR/before" "$TMPDIR/after" | head; fi

# ---- what is not ours stays ----
expect 0 'done:' 'small install' inside sh /b/small/install.sh --prefix /opt/s
echo mine >"$root/opt/s/mine.txt"
echo mine >"$root/opt/s/lib/python3.11/site-packages/mine.py"
expect 0 'stay' 'uninstall names what stays' inside sh /b/small/uninstall.sh --prefix /opt/s
(cd "$root/opt/s" && find . -type f | sort) >"$TMPDIR/left"
if [ "$(tr '\n' ' ' <"$TMPDIR/left")" = "./lib/python3.11/site-packages/mine.py ./mine.txt " ]; then ok "foreign files stay"; else bad "foreign files stay"; cat "$TMPDIR/left"; fi
expect 10 'is not empty' 'a folder with other things is refused' inside sh /b/small/install.sh --prefix /opt/s
rm -rf "$root/opt/s"

# ---- killed, and run again ----
for after in 1 2 4 7; do
	inside sh /b/main/install.sh --prefix /opt/k >/dev/null 2>&1 &
	victim=$!
	sleep $after
	# the whole namespace goes down at once, as when the power fails
	for p in $(pgrep -f 'prefix /opt/[k]'); do kill -9 "$p" 2>/dev/null; done
	for p in $(pgrep -f '/opt/[k]/bin/python'); do kill -9 "$p" 2>/dev/null; done
	wait $victim 2>/dev/null
done
expect 0 'done: /opt/k' 'killed four times, then run to the end' inside sh /b/main/install.sh --prefix /opt/k
if as_planned /opt/k; then ok "versions as planned after kills"; else bad "versions as planned after kills"; fi
expect 0 fine 'imports after kills' inside /opt/k/bin/python -c 'import pandas; print("fine")'
expect 0 'removed' 'uninstall after kills' inside sh /opt/k/.gpuferry/uninstall.sh
if [ ! -e "$root/opt/k" ]; then ok "nothing is left after kills"; else bad "nothing is left after kills"; fi
inside sh /b/main/install.sh --prefix /opt/h >/dev/null 2>&1 &
victim=$!
sleep 3
for p in $(pgrep -f 'prefix /opt/[h]'); do kill -9 "$p" 2>/dev/null; done
for p in $(pgrep -f '/opt/[h]/bin/python'); do kill -9 "$p" 2>/dev/null; done
wait $victim 2>/dev/null
expect 0 'removed' 'half an installation can be removed' inside sh /b/main/uninstall.sh --prefix /opt/h
if [ ! -e "$root/opt/h" ]; then ok "nothing is left of half an installation"; else bad "nothing is left of half an installation"; fi

# ---- a damaged bundle ----
wheel=$(cd "$root/b/small" && ls python/rich-*.whl)
cp -a "$root/b/small" "$root/b/flip"
printf '\377' | dd of="$root/b/flip/$wheel" bs=1 seek=5000 conv=notrunc 2>/dev/null
expect 11 "damaged: $wheel" 'one changed byte is named' inside sh /b/flip/install.sh --prefix /opt/f
cp "$root/b/small/$wheel" "$root/b/flip/$wheel" && rm "$root/b/flip/lib/common.sh"
expect 11 'missing: lib/common.sh' 'a missing file is named' inside sh /b/flip/install.sh --prefix /opt/f
cp "$root/b/small/lib/common.sh" "$root/b/flip/lib/" && echo x >"$root/b/flip/python/evil-1.0-py3-none-any.whl"
expect 11 'not part of the bundle: python/evil' 'a file too many is named' inside sh /b/flip/install.sh --prefix /opt/f
rm "$root/b/flip/python/evil-1.0-py3-none-any.whl" "$root/b/flip/SHA256SUMS"
expect 11 'SHA256SUMS' 'no list of digests' inside sh /b/flip/install.sh --prefix /opt/f
if [ ! -e "$root/opt/f" ]; then ok "a damaged bundle changes nothing"; else bad "a damaged bundle changes nothing"; fi

# ---- machines that do not fit ----
expect 2 'no option' 'unknown option' inside sh /b/small/install.sh --what
expect 10 'are needed and not here' 'missing tools' inside env PATH=/nonexistent /bin/sh /b/small/install.sh --prefix /opt/t
expect 10 'no Python 3.11 was found' 'another Python' inside sh /b/small/install.sh --prefix /opt/t --python /bin/false
# variant NAME SED…: the small bundle with other facts, and digests that are right for them
variant() {
	rm -rf "$root/b/$1" && cp -a "$root/b/small" "$root/b/$1"
	sed "$2" "$root/b/small/lib/facts.sh" >"$root/b/$1/lib/facts.sh"
	(cd "$root/b/$1" && sum=$(sha256sum lib/facts.sh) && sed -i "s|^.*  lib/facts.sh\$|$sum|" SHA256SUMS)
}
variant gpu "s/^GF_ASSUMES='/GF_ASSUMES='driver|>=525.60.13,<900|a source\nkernel|>=3.10|a source\n/"
expect 0 'chroot: no driver was looked for' 'a chroot has no driver of its own' inside sh /b/gpu/install.sh --prefix /opt/t --dry-run
expect 0 'fits (>=3.10)' 'the kernel is checked too' inside sh /b/gpu/install.sh --prefix /opt/t --dry-run
mkdir -p "$root/sys/module/nvidia" && echo 470.256.02 >"$root/sys/module/nvidia/version"
expect 10 'the NVIDIA driver is 470.256.02, the stack needs >=525.60.13' 'a driver that is too old' inside sh /b/gpu/install.sh --prefix /opt/t
expect 0 'going on as told' 'a driver that is too old, told to go on' inside sh /b/gpu/install.sh --prefix /opt/t --allow-driver --dry-run
echo 535.309.01 >"$root/sys/module/nvidia/version"
expect 0 'NVIDIA driver 535.309.01: fits' 'a driver that fits' inside sh /b/gpu/install.sh --prefix /opt/t --dry-run
rm -rf "$root/sys/module"
variant odd "s/^GF_ARCH=.*/GF_ARCH='riscv64'/; s/^GF_GLIBC=.*/GF_GLIBC='2.99'/"
inside sh /b/odd/install.sh --prefix /opt/t --python /bin/false >"$TMPDIR/log" 2>&1
if [ $? = 10 ] && grep -q 'for riscv64' "$TMPDIR/log" && grep -q 'needs glibc.*>=2.99' "$TMPDIR/log" && grep -q 'no Python 3.11' "$TMPDIR/log"; then ok "all findings at once"; else bad "all findings at once"; fi

# ---- source archives: built there with what came along, or a clear no ----
if make_bundle archive sgmllib3k crcmod; then ok "source archives planned and bundled"; else bad "source archives planned and bundled"; fi
expect 10 'no C compiler (cc, gcc or clang) was found' 'no compiler where one is needed' inside sh /b/archive/install.sh --prefix /opt/c
expect 10 'Python.h' 'nor headers' inside sh /b/archive/install.sh --prefix /opt/c
expect 0 'done:' 'told to go on, it does without: this one can' inside sh /b/archive/install.sh --prefix /opt/c --allow-tools
expect 0 0xbb3d 'what was built works' inside /opt/c/bin/python -c 'import crcmod, sgmllib; print(hex(crcmod.predefined.mkCrcFun("crc-16")(b"123456789")))'
expect 0 'removed' 'and goes again' inside sh /opt/c/.gpuferry/uninstall.sh

# ---- places ----
mkdir -p "$root/mnt/small" "$root/mnt/ro"
within() { # OPTIONS WHERE COMMAND…: with a tmpfs mounted there
	options=$1 where=$2
	shift 2
	# shellcheck disable=SC2016
	unshare -m sh -c 'mount --make-rprivate / && mount -t tmpfs -o "$1" none "$2" && shift 2 && . tests/lib/debian.sh && debian_enter "$@"' sh "$options" "$root$where" "$root" "$@"
}
expect 10 'MB are needed' 'too little space' within size=8m /mnt/small sh /b/main/install.sh --prefix /mnt/small/x
expect 20 "the step 'packages' failed" 'a disk that fills up' within size=8m /mnt/small sh /b/main/install.sh --prefix /mnt/small/x --force-space
expect 10 'cannot be written' 'a read-only place' within ro /mnt/ro sh /b/small/install.sh --prefix /mnt/ro/x
# shellcheck disable=SC2016
expect 0 'done: /mnt/small/x' 'a full disk, made larger, and run again' within size=20m /mnt/small sh -c '
	sh /b/main/install.sh --prefix /mnt/small/x --force-space && exit 99
	mount -o remount,size=400m /mnt/small && sh /b/main/install.sh --prefix /mnt/small/x && /mnt/small/x/bin/python -c "import pandas"'
mkdir -p "$root/home/user" && chown 65534:65534 "$root/home/user"
as_user() { inside setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
expect 10 'cannot be written' 'an ordinary user may not write everywhere' as_user sh /b/small/install.sh --prefix /opt/u
expect 0 'done: /home/user/stack' 'an ordinary user at home' as_user env HOME=/home/user sh /b/small/install.sh --prefix /home/user/stack
expect 0 'removed' 'an ordinary user removes it' as_user sh /home/user/stack/.gpuferry/uninstall.sh
mv "$root/usr/lib/python3.11/venv" "$root/usr/lib/python3.11/no-venv"
expect 0 'done: /opt/v' 'a Python without venv' inside sh /b/small/install.sh --prefix /opt/v
expect 0 'removed' 'a Python without venv, uninstall' inside sh /opt/v/.gpuferry/uninstall.sh
if [ ! -e "$root/opt/v" ]; then ok "a Python without venv, nothing is left"; else bad "a Python without venv, nothing is left"; fi
mv "$root/usr/lib/python3.11/no-venv" "$root/usr/lib/python3.11/venv"
mkdir -p "$root/opt/l/.gpuferry/lock" && echo 1 >"$root/opt/l/.gpuferry/lock/pid"
expect 12 'process 1 is installing' 'two at a time' inside sh /b/small/install.sh --prefix /opt/l
echo 999999 >"$root/opt/l/.gpuferry/lock/pid"
expect 0 'done: /opt/l' 'the lock of a process that is gone' inside sh /b/small/install.sh --prefix /opt/l

if [ -n "${FULL:-}" ]; then
	make_bundle torch torch || bad "planning and bundling torch"
	python3 tests/lib/lock.py "$TMPDIR/torch.lock" | grep -v '^pip==' >"$TMPDIR/planned"
	rm -f "$TMPDIR/torch.tar"
	expect 0 'done: /opt/torch' 'torch: install' inside sh /b/torch/install.sh --prefix /opt/torch
	if as_planned /opt/torch; then ok "torch: versions as planned"; else bad "torch: versions as planned"; fi
	cuda=$(python3 -c 'import json, sys; print([i["version"] for i in json.load(open(sys.argv[1]))["stack"] if i["name"].startswith("cuda1")][0])' "$TMPDIR/torch.lock")
	expect 0 "$(sed -n 's/^torch==//p' "$TMPDIR/planned" | sed 's/+.*//') $cuda" 'torch: version and CUDA as planned' inside /opt/torch/bin/python -c \
		'import torch; print(torch.__version__.partition("+")[0], torch.version.cuda)'
	expect 0 'removed' 'torch: uninstall' inside sh /opt/torch/.gpuferry/uninstall.sh
	if [ ! -e "$root/opt/torch" ]; then ok "torch: nothing is left"; else bad "torch: nothing is left"; fi
fi
echo "$passed passed, $failed failed"
[ $failed = 0 ]
