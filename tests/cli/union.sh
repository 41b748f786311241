#!/bin/sh
# shellcheck disable=SC2015,SC2016,SC2034,SC2094,SC2154,SC2209
# One lock and one bundle for several targets, of real packages: each target gets its own files, install.sh finds out which of them this machine is, tells why,
# and is told otherwise; what does not fit is refused with a sentence for each target. Under every POSIX shell that is here.
# timeout: 900
set -u
. tests/lib/expect.sh
unset PIP_REQUIRE_VIRTUALENV VIRTUAL_ENV
work=$TMPDIR/w
mkdir "$work" "$work/rack" "$work/bin"
python=$(python3 -c 'import platform; print(platform.python_version())')
other=3.12.4
case $python in 3.12.*) other=3.11.2 ;; esac
arch=$(uname -m)
case $arch in x86_64) far=aarch64 ;; *) far=x86_64 ;; esac
profile() { # LABEL ARCH OS VERSION GLIBC PYTHON
	printf '{"schema":"gpuferry.profile/1","label":"%s","arch":"%s","libc":{"name":"glibc","version":"%s"},"os":{"id":"%s","version":"%s"},"python":{"version":"%s"}}' \
		"$1" "$2" "$5" "$3" "$4" "$6" >"$work/rack/$1.json"
}
profile far "$far" debian 12 2.36 3.12.1
profile here "$arch" centos 7 2.17 "$python"
profile twin "$arch" centos 7 2.17 "$python"
profile other "$arch" debian 12 2.36 "$other"

# ---- the lock ----
plan() { "$GPUFERRY" plan requests numpy --sources default "$@"; }
plan --target "$work/rack" --union -o "$work/r.lock" >"$TMPDIR/log" 2>&1
status=$?
[ $status != 4 ] || { tail -n 1 "$TMPDIR/log"; echo "the default index is not reached"; exit 77; }
if [ $status = 0 ]; then ok 'one lock for four machines'; else bad "one lock for four machines (exit $status)"; fi
plan --target "$work/rack" -o "$work/locks" >/dev/null 2>&1
expect 0 'other' 'one target, named in another order' plan --target "$work/rack/twin.json" --target "$work/rack/other.json" --target "$work/rack/here.json" --target "$work/rack/far.json" --union -o "$work/s.lock"
python3 - "$work/r.lock" "$work/s.lock" "$work/locks" >"$TMPDIR/log" 2>&1 <<'P' && ok 'what the lock says for each target' || bad 'what the lock says for each target'
import json, sys
one, two = (json.load(open(p)) for p in sys.argv[1:3])
assert [t["label"] for t in one["targets"]] == ["far", "here", "other"] and [t["label"] for t in two["targets"]] == ["here", "other", "far"]
assert one["machines"] == [{"target": "here", "names": ["here", "twin"]}]
files = [r["file"] for r in one["python"]]
assert len(files) == len(set(files)) and sum(r["name"] == "requests" for r in one["python"]) == 1 and sum(r["name"] == "numpy" for r in one["python"]) == 3
for label in "far", "here", "other":
    own = json.load(open(f"{sys.argv[3]}/{label}.lock"))
    for kind in "python", "stack", "assumes", "passed_over":
        mine = []
        for row in one[kind]:
            if row.get("for") and label not in row["for"]:
                continue
            row = json.loads(json.dumps(row))
            for also in row.pop("also", []):
                if label in also["for"]:
                    for key in "extras", "requires", "required_by":
                        row[key] = sorted(row[key] + also.get(key, []))
            if kind == "python":
                row["for"] = []
            else:
                row.pop("for", None)
            mine.append(row)
        assert mine == own[kind], (label, kind, mine, own[kind])
for lock in one, two:
    del lock["targets"], lock["seal"]
assert one == two, "the order of --target decides more than the order of the targets"
P
expect 1 'there is no plan' 'one without a plan' plan --target "$work/rack" --union -o "$work/none.lock" 'numpy>=2.4' --sdist refuse
[ ! -e "$work/none.lock" ] && ok 'nothing half' || bad 'nothing half'

# ---- the bundle ----
expect 0 'It serves 3 targets' 'a bundle' "$GPUFERRY" bundle "$work/r.lock" -o "$work/r.tar"
expect 0 'again.tar' 'again' "$GPUFERRY" bundle "$work/r.lock" -o "$work/again.tar"
if cmp "$work/r.tar" "$work/again.tar" >"$TMPDIR/log" 2>&1; then ok 'the same bytes twice'; else bad 'the same bytes twice'; fi
expect 0 'serves 3 targets: far, here, other' 'verify names the targets' "$GPUFERRY" verify "$work/r.tar"
expect 0 '"targets"' 'verify names the targets in JSON' "$GPUFERRY" verify "$work/r.tar" --json
b=$work/r
mkdir "$b" && tar -xf "$work/r.tar" -C "$b"
expect 0 'OK' 'sha256sum agrees' sh -c 'cd "$1" && sha256sum -c SHA256SUMS' sh "$b"
python3 - "$b" "$work/locks" >"$TMPDIR/log" 2>&1 <<'P' && ok 'what stands in it' || bad 'what stands in it'
import json, os, re, sys
b, locks = sys.argv[1:]
try: import tomllib
except ImportError: tomllib = None
seals = {t["label"]: t["seal"] for t in json.load(open(b + "/bundle.json"))["targets"]}
for label in "far", "here", "other":
    own, part = json.load(open(f"{locks}/{label}.lock")), json.load(open(f"{b}/targets/{label}/gpuferry.lock"))
    assert part["python"] == own["python"] and part["stack"] == own["stack"] and part["seal"] == seals[label]
    lines = open(f"{b}/targets/{label}/requirements.txt").read()
    pins = dict(re.findall(r"^(\S+==\S+) \\\n    --hash=sha256:(\w{64})$", lines, re.M))
    assert pins == {f"{r['name']}=={r['version']}": r["sha256"] for r in own["python"] if r["required_by"] != ["(installer)"]}, pins
    if tomllib:
        for p in tomllib.load(open(f"{b}/targets/{label}/pylock.toml", "rb"))["packages"]:
            for w in p["wheels"]:
                assert os.path.getsize(os.path.join(b, "targets", label, w["path"])) == w["size"]
sbom = json.load(open(b + "/sbom.cdx.json"))
refs = [c["bom-ref"] for c in sbom["components"]]
assert len(refs) == len(set(refs)) == len(os.listdir(b + "/python")), "a component for each file"
assert all(e["ref"] in refs and set(e["dependsOn"]) <= set(refs) for e in sbom["dependencies"])
assert any("numpy" in r for r in refs) and all(c["purl"].startswith("pkg:pypi/") for c in sbom["components"])
of = {c["bom-ref"]: {p["value"] for p in c["properties"] if p["name"] == "gpuferry:target"} for c in sbom["components"]}
assert sorted(map(sorted, (v for k, v in of.items() if "/numpy@" in k))) == [["far"], ["here"], ["other"]], of
P

expect 2 'targets/LABEL/requirements.txt' 'check says what to give it instead of a lock' "$GPUFERRY" check "$work/r.lock"
"$GPUFERRY" check "$b/targets/here/requirements.txt" --os debian-12 --python 3.12 --accelerator any --json >"$TMPDIR/log" 2>&1
if grep -q '"verdict"' "$TMPDIR/log" && ! grep -q 'is a lock' "$TMPDIR/log"; then ok 'and takes that'; else bad 'and takes that'; fi

# ---- installed on this machine ----
p=$work/prefix
expect 0 'target:  here (the only one of 3 that fits)' 'the one that fits is found' sh "$b/install.sh" --prefix "$p" --yes
"$p/bin/python" -m pip list >/dev/null 2>&1 # may be there or not
"$p/bin/python" -I -c 'import importlib.metadata as m
for d in sorted((d.metadata["Name"].lower().replace("_", "-"), d.version) for d in m.distributions()): print("%s==%s" % d)' >"$TMPDIR/installed"
python3 tests/lib/lock.py "$work/locks/here.lock" | grep -v '^pip==' >"$TMPDIR/planned"
if cmp "$TMPDIR/installed" "$TMPDIR/planned"; then ok 'its versions were installed'; else bad 'its versions were installed'; fi
expect 0 "it is what '$p' has already" 'a second run goes on with it' sh "$b/install.sh" --prefix "$p" --yes
expect 0 'as planned' 'verify.sh of the prefix' sh "$p/.gpuferry/verify.sh"
expect 0 'as planned' 'verify.sh of the bundle' sh "$b/verify.sh" --prefix "$p"
expect 20 'nothing is installed' 'verify.sh where nothing is' sh "$b/verify.sh" --prefix "$work/nothing"
expect 0 'removed' 'uninstall.sh of the bundle' sh "$b/uninstall.sh" --prefix "$p"
[ ! -e "$p" ] && ok 'nothing is left' || bad 'nothing is left'
if python3 -m pip --version >/dev/null 2>&1; then
	expect 0 'Would install' 'pip alone takes the requirements of the target' env PIP_CONFIG_FILE=/dev/null PIP_ROOT_USER_ACTION=ignore python3 -m pip install --isolated --disable-pip-version-check --dry-run \
		--ignore-installed --break-system-packages --no-index --find-links "$b/python" --require-hashes -r "$b/targets/here/requirements.txt"
fi

# ---- one target, of two machines: a bundle as ever, that knows their names ----
expect 0 '2 targets of 1 shapes' 'one target of two machines' plan --target "$work/rack/twin.json" --target "$work/rack/here.json" --union -o "$work/one.lock"
expect 0 'one.tar' 'its bundle' "$GPUFERRY" bundle "$work/one.lock" -o "$work/one.tar"
mkdir "$work/one" && tar -xf "$work/one.tar" -C "$work/one"
if [ -f "$work/one/requirements.txt" ] && [ ! -e "$work/one/targets" ]; then ok 'has no targets'; else bad 'has no targets'; fi
for name in here twin; do expect 0 'bundle:' "is for $name" sh "$work/one/install.sh" --prefix "$p" --dry-run --target $name; done
expect 2 "is for one target, here: there is no 'other' in it" 'is for no other' sh "$work/one/install.sh" --prefix "$p" --dry-run --target other

# ---- which one, in every shell ----
# variant SED…: the bundle with other facts of its targets, and digests that are right for them; $v/targets/other is made like this machine first
variant() {
	v=$work/v
	rm -rf "$v" && mkdir "$v" && cp -a "$b"/*.sh "$b/lib" "$b/targets" "$v" # a dry run looks at no wheel
	sed "s/^GF_LABEL=.*/GF_LABEL='other'/; s/^GF_SEAL=.*/GF_SEAL='0000'/" "$b/targets/here/facts.sh" >"$v/targets/other/facts.sh"
	for label in here other; do
		eval "script=\${$label:-}"
		sed -i "$script" "$v/targets/$label/facts.sh"
	done
	sed -i "$top" "$v/lib/facts.sh"
	(cd "$v" && find . -type f ! -name SHA256SUMS | sed 's|^\./||' | sort | xargs sha256sum >SHA256SUMS)
}
here='' other='' top=''
try() { $shell "$v/install.sh" --prefix "$p" --dry-run "$@"; }
glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null | sed 's/glibc //')
os=$(sed -n 's/^ID=//p' /etc/os-release | tr -d '"') version=$(sed -n 's/^VERSION_ID=//p' /etc/os-release | tr -d '"')
smi() { # CARDS [old]: what the nvidia-smi in $work/bin tells
	printf '#!/bin/sh\ncase %s$* in *driver_version*) echo 535.309.01 ;; old*compute_cap*) echo Field "compute_cap" is not a valid field to query. && exit 2 ;; *) cat <<X\n%s\nX\n;; esac\n' \
		"${2:-}" "$1" >"$work/bin/nvidia-smi" && chmod +x "$work/bin/nvidia-smi"
}
with_gpu() { PATH=$work/bin:$PATH try "$@"; }
for shell in dash "busybox sh" bash mksh; do
	command -v "${shell%% *}" >/dev/null 2>&1 || continue
	here='' other='' top=''
	variant
	expect 0 'target:  here (of 2 that fit, ' "$shell: two fit alike: the first" try
	expect 0 'target:  other (as told by --target)' "$shell: named" try --target other
	expect 0 'target:  here (as told by --target)' "$shell: a machine's name stands for its target" try --target=twin
	expect 2 "there is no target 'nobody'; there are: far here other" "$shell: a name that is none" try --target nobody
	expect 2 'needs a value' "$shell: no name" try --target
	expect 10 "is $arch, the bundle is for $far" "$shell: named, and it does not fit" try --target far
	try --python /bin/false >"$TMPDIR/log" 2>&1
	if [ $? = 10 ] && grep -q '^none of the 3 targets' "$TMPDIR/log" && [ "$(grep -c '^  - \(far: .*'"$far"'\|here: no Python\|other: no Python\)' "$TMPDIR/log")" = 3 ]; then
		ok "$shell: none fits: a sentence for each"
	else bad "$shell: none fits: a sentence for each"; fi
	top="s/^GF_MACHINES='/&$(uname -n) other\n/"
	variant
	expect 0 "target:  other (this machine's name, $(uname -n), is planned for)" "$shell: the machine's own name" try
	top=''
	other="s/^GF_OS=.*/GF_OS='$os'/; s/^GF_OS_VERSION=.*/GF_OS_VERSION='$version'/; s/^GF_LIBC_VERSION=.*/GF_LIBC_VERSION='$glibc'/"
	variant
	expect 0 "target:  other (of 2 that fit, most is as here:" "$shell: the one that is most like it" try
	expect 0 "glibc $glibc, $os $version)" "$shell: and what is alike" try
	case $shell in bash | mksh) continue ;; esac # the rest in the two that know least
	gpu() { printf "s/^GF_GPU_NEEDED=.*/GF_GPU_NEEDED='1'/; s/^GF_GPUS=.*/GF_GPUS='%s'/; s/^GF_ASSUMES='/&driver|>=525.60.13|x\\\\n/" "$1"; }
	here=$(gpu '10de:1b80|6.1|GeForce GTX 1080') other=$(gpu '10de:2204|8.6|GeForce RTX 3090')
	variant
	smi '0x220410DE, 8.6, NVIDIA GeForce RTX 3090
0x220410DE, 8.6, NVIDIA GeForce RTX 3090'
	expect 0 'target:  other (the only one of 3 that fits)' "$shell: by the GPU" with_gpu
	smi '0x223510DE, 8.6, NVIDIA A40'
	expect 0 'target:  other (the only one of 3 that fits)' "$shell: by its capability" with_gpu
	smi '0x1B8010DE, 6.1, NVIDIA GeForce GTX 1080'
	expect 0 'target:  here (the only one of 3 that fits)' "$shell: the other GPU" with_gpu
	smi '0x1B8010DE, NVIDIA GeForce GTX 1080' old
	expect 0 'target:  here (the only one of 3 that fits)' "$shell: an old driver tells no capability" with_gpu
	smi '0x220410DE, 8.6, NVIDIA GeForce RTX 3090
0x1B8010DE, 6.1, NVIDIA GeForce GTX 1080'
	expect 10 'the GPU here is NVIDIA GeForce GTX 1080, it was planned for GeForce RTX 3090' "$shell: a card more than was planned for" with_gpu
	smi '0x1DB410DE, 7.0, Tesla V100'
	expect 10 'here: the GPU here is Tesla V100, it was planned for GeForce GTX 1080' "$shell: no GPU that was planned for" with_gpu
	here=''
	variant
	smi '0x220410DE, 8.6, NVIDIA GeForce RTX 3090'
	expect 0 'target:  other (of 2 that fit, most is as here: GPU)' "$shell: the GPU's before the one without" with_gpu
	other=''
done

# ---- a bundle that is not what was packed ----
v=$work/v
shell=sh
rm -rf "$v" && cp -a "$b" "$v" && touch "$v/targets/here/more"
expect 11 'not part of the bundle: targets/here/more' 'a file too many' try
rm "$v/targets/here/more" && mkdir "$v/targets/extra" && touch "$v/targets/extra/facts.sh"
expect 11 'not part of the bundle: targets/extra/facts.sh' 'a target too many' try
rm -r "$v/targets/extra" && cp "$v/targets/other/gpuferry.lock" "$v/targets/here/gpuferry.lock"
expect 11 'damaged: targets/here/gpuferry.lock' 'the lock of another target' try
(cd "$v" && find . -type f ! -name SHA256SUMS ! -name bundle.json | sed 's|^\./||' | sort | xargs sha256sum >SHA256SUMS)
python3 - "$v" <<'P'
import hashlib, json, os, sys
os.chdir(sys.argv[1])
m = json.load(open("bundle.json"))
for f in m["files"]:
    data = open(f["path"], "rb").read()
    f["sha256"], f["size"] = hashlib.sha256(data).hexdigest(), len(data)
json.dump(m, open("bundle.json", "w"))
with open("SHA256SUMS", "a") as s:
    s.write(hashlib.sha256(open("bundle.json", "rb").read()).hexdigest() + "  bundle.json\n")
P
expect 5 "'targets/here/gpuferry.lock' is not what 'gpuferry.lock' says for the target 'here'" 'verify compares the locks' "$GPUFERRY" verify "$v"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
