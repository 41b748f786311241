#!/bin/sh
# Source archives of the default index, one of them with C, are planned with what builds them, packed, and built without a network.
# shellcheck disable=SC2016
set -u
. tests/lib/expect.sh
offline() { if unshare -n true 2>/dev/null; then unshare -n "$@"; else "$@"; fi; }
python=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
plan() { "$GPUFERRY" plan "$@" --python "$python" --os debian-12 --arch "$(uname -m)" --accelerator cpu --sources default -o "$TMPDIR/a.lock"; }

expect 0 'crcmod 1.7 is a source archive: the target must build it, with setuptools' 'planned with what builds it' plan crcmod sgmllib3k
expect 0 'c-compiler >=0' 'and with the compiler that it needs' plan crcmod sgmllib3k
cat >"$TMPDIR/look.py" <<'END'
import json, sys
lock = json.load(open(sys.argv[1]))
pins = {p["name"] + "==" + p["version"] for p in lock["python"] + lock["build"]}
archives = [p for p in lock["python"] if p["kind"] == "sdist"]
assert sorted(p["name"] for p in archives) == ["crcmod", "sgmllib3k"], archives
for p in archives:
    assert p["build"] and set(p["build"]) <= pins and any(b.startswith("setuptools==") for b in p["build"]), p
assert all(sorted(b["required_by"]) == ["crcmod", "sgmllib3k"] for b in lock["build"]), lock["build"]
print("fine")
END
expect 0 fine 'the lock holds both' python3 "$TMPDIR/look.py" "$TMPDIR/a.lock"
expect 0 'builds, and is not installed: crcmod, sgmllib3k' 'why setuptools' "$GPUFERRY" why setuptools --lock "$TMPDIR/a.lock"
expect 0 'sh a/install.sh' 'packed' "$GPUFERRY" bundle "$TMPDIR/a.lock" -o "$TMPDIR/a.tar"
expect 0 'whole' 'verified' "$GPUFERRY" verify "$TMPDIR/a.tar"
mkdir "$TMPDIR/a" && tar -xf "$TMPDIR/a.tar" -C "$TMPDIR/a"
expect 0 'done:' 'built and installed without a network' offline sh "$TMPDIR/a/install.sh" --prefix "$TMPDIR/p" --yes --allow-tools
expect 0 'crcmod-1.7 sgmllib3k-1.0.0 ' 'what builds is not installed' sh -c 'for d in "$1"/lib/python*/site-packages/*.dist-info; do basename "$d" .dist-info; done | tr "\n" " "' sh "$TMPDIR/p"
if command -v cc >/dev/null && python3 -c 'import os, sysconfig; os.stat(os.path.join(sysconfig.get_path("include"), "Python.h"))' 2>/dev/null; then
	expect 0 '_crcfunext' 'its C was compiled' "$TMPDIR/p/bin/python" -c 'import crcmod._crcfunext as c; print(c)'
fi
expect 0 'archives: done before' 'a second run has nothing to do' sh "$TMPDIR/a/install.sh" --prefix "$TMPDIR/p" --yes --allow-tools

# ---- a target that is known to have no compiler ----
printf '{"schema": "gpuferry.profile/1", "arch": "x86_64", "os": {"id": "debian", "version": "12"}, "libc": {"name": "glibc", "version": "2.36"}, "python": {"version": "3.11.2"}, "gpus": [], "gcc": null}\n' >"$TMPDIR/bare.json"
expect 1 'crcmod 1.7 is a source archive that cannot be built there: building it needs a C compiler' 'no compiler, no plan' "$GPUFERRY" plan crcmod --target "$TMPDIR/bare.json" --accelerator cpu --sources default -o "$TMPDIR/n.lock"
expect 0 'sgmllib3k 1.0.0' 'what compiles nothing goes on' "$GPUFERRY" plan sgmllib3k --target "$TMPDIR/bare.json" --accelerator cpu --sources default -o "$TMPDIR/n.lock"
expect 0 'crcmod 1.7' 'allowed on demand' "$GPUFERRY" plan crcmod --sdist allow --target "$TMPDIR/bare.json" --accelerator cpu --sources default -o "$TMPDIR/n.lock"

# ---- an archive whose build needs what Python dropped: setuptools that still has it ----
expect 0 'with setuptools 81' 'pkg_resources comes with the last setuptools that has it' "$GPUFERRY" plan mmcv==2.2.0 --python 3.12 --os debian-12 --arch x86_64 --accelerator cpu --sources default -o "$TMPDIR/n.lock"

# ---- no wheels of what is asked for, the pip that installs it comes as one ----
expect 0 '(installs the others)' 'no wheels at all' plan sgmllib3k --no-binary :all:
echo "$passed passed, $failed failed"
