#!/bin/sh
# Wheel variants (PEP 825) from an index on this machine: read, chosen by the target's facts, said, packed and installed.
set -u
tool=build/asan/tests/tools/sources_tool
[ -x "$tool" ] || { echo "$tool is not built"; exit 1; }
. tests/lib/replica.sh
base=''
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY all_proxy
export no_proxy='' HOME="$TMPDIR"
python=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
arch=$(uname -m)
python3 tests/lib/variant_packages.py "$python" "$arch" >"$TMPDIR/packages.json"
replica --packages "$TMPDIR/packages.json"
out=$TMPDIR/out

ask() { # ARGUMENTS…
	: >"$log"
	"$tool" "$@" >"$out" 2>&1
}
from() { # OPTIONS COMMAND NAME…
	with=$1
	shift
	ask --index "default=$base${with:+/with/$with}/simple" "$@"
}

# ---- sources: pages carry variants.json, which is fetched when asked for ----
from json pages torch
says 'a row of a JSON page' '^torch-2.9.0-variants.json source=default' "$out"
from html pages torch
says 'a row of an HTML page' '^torch-2.9.0-variants.json source=default size=-1 sha256=[0-9a-f]*$' "$out"
equal 'not fetched with the page' "$(requests variants.json)" 0
from html variants torch levels
says 'read' '^torch-2.9.0-variants.json: cu126(3) cu128(3) cu130(3) null(0)' "$out"
says 'of each version' '^levels-0.9-variants.json: v2(1) v3(1) v4(1) null(0)' "$out"
from '' variants broken
says 'not JSON' "^broken-1.0-variants.json: GF_E_PARSE 'broken-1.0-variants.json' (source 'default')" "$out"
from sha256-lie variants levels
says 'another file than the page says' 'GF_E_INTEGRITY .*it has sha256 [0-9a-f]*, the index says ffff' "$out"
from file-status=404 variants levels
says 'not there' '^levels-1.0-variants.json: GF_E_NOT_FOUND' "$out"
ask --index "default=$base/simple" --cache "$TMPDIR/c" variants levels
equal 'fetched once' "$(requests variants.json)" 2
ask --index "default=$base/simple" --cache "$TMPDIR/c" variants levels
equal 'kept by its digest' "$(requests variants.json)" 0
ask --index "default=$base/simple" --cache "$TMPDIR/c" --offline variants levels
says 'and there without a network' '^levels-1.0-variants.json: v2(1)' "$out"
ask --index "default=$base/with/no-sha256,max-age=0/simple" --cache "$TMPDIR/c2" variants levels
ask --index "default=$base/with/no-sha256,max-age=0/simple" --cache "$TMPDIR/c2" variants levels
equal 'without a digest as fresh as its server says' "$(requests variants.json)" 2
ask --links "l=$base/links/" variants levels
says 'of a flat page' '^levels-1.0-variants.json: v2(1)' "$out"
ask --index "default=$base/simple" --exclude-newer 1 pages levels
says 'not excluded for its date' '^levels-1.0-variants.json' "$out"
silent 'as the wheels are' '^levels-1.0.*whl' "$out"

# ---- the plan: by the target's facts ----
plan() { # NAME OPTION…: output into $out, the lock's entry of the first request into $file
	: >"$log"
	"$GPUFERRY" plan --python "$python" --os debian-12 --arch "$arch" --sources default -i "$base/simple" --no-installer -o "$TMPDIR/v.lock" "$@" >"$out" 2>&1
	rc=$?
	file=$(python3 -c 'import json, sys; print(next(p["file"] for p in json.load(open(sys.argv[1]))["python"] if p["name"] == sys.argv[2]))' "$TMPDIR/v.lock" "$1" 2>/dev/null)
}
GPUFERRY_CACHE=$TMPDIR/plans
export GPUFERRY_CACHE
label() { # NAME WANTED NAME-OF-PROJECT OPTION…
	what=$1 wanted=$2
	shift 2
	plan "$@"
	equal "$what: status" $rc 0
	got=${file%.whl}
	equal "$what" "${got##*-}" "$wanted"
}
label 'RTX 3090, driver 570' cu128 torch torchvision --gpu 'RTX 3090' --driver 570.195.03
equal 'torchvision agrees' "$(grep -c 'torchvision-0.24.0-.*-cu128.whl' "$TMPDIR/v.lock")" 2
equal 'one variants.json for each version' "$(requests variants.json)" 2
"$GPUFERRY" why torch --lock "$TMPDIR/v.lock" >"$out" 2>&1
says 'why this one' 'torch 2.9.0 is taken as its wheel variant cu128 .*torch-2.9.0-variants.json' "$out"
says 'and not that one' 'torch 2.9.0 variant cu130 needs CUDA 13.0 of the driver, which knows 12.8' "$out"
label 'RTX 3090, driver 580' cu130 torch --gpu 'RTX 3090' --driver 580.95.05
equal 'kept in the cache' "$(requests variants.json)" 0
label 'RTX 3090, driver 535' cu126 torch --gpu 'RTX 3090' --driver 535.261.03
says 'with a warning' 'variant cu126 is made for drivers of CUDA 12.6 to below 13' "$out"
label 'GTX 1080, driver 570' cu126 torch --gpu 'GTX 1080' --driver 570.195.03
label 'GTX 1080, driver 580' cu126 torch --gpu 'GTX 1080' --driver 580.95.05
label 'a CPU' null torch --accelerator cpu
label 'a target without a GPU' null torch --driver none
label 'markers of variants, for an installer that reads them' cu128 marked --gpu 'RTX 3090' --driver 570.195.03
says 'one requirement by its namespace' '"helper"' "$TMPDIR/v.lock"
silent 'and not the other' '"other"' "$TMPDIR/v.lock"
label 'the null variant' null marked --accelerator cpu
says 'has the other' '"other"' "$TMPDIR/v.lock"
silent 'and not the one' '"helper"' "$TMPDIR/v.lock"
plan plain --accelerator cpu
equal 'nothing is asked of a project without variants' "$(requests variants.json)" 0
plan levels==0.9 --accelerator cpu
equal 'nor of a version whose wheels do not fit' "$(requests levels-0.9-variants.json)" 0
equal 'which is refused' $rc 1
says 'for its tags' 'levels 0.9 has no wheel for Python' "$out"
plan onlyodd --accelerator cpu
equal 'an unknown namespace alone' $rc 1
says 'is refused by name' "onlyodd 1.0 has no wheel variant for this target: q needs quantum :: foam, and what 'quantum' means is not known here" "$out"
label 'an unknown namespace beside an ordinary wheel' any strange --accelerator cpu
label 'a label that is not listed' null unlisted --accelerator cpu
label 'variants.json that cannot be read: the null variant needs none' null broken --accelerator cpu
says 'is said' 'the wheel variants of 1 version could not be judged' "$out"
says 'and why' "broken 1.0: its wheel variants were not considered: 'broken-1.0-variants.json'" "$out"
label 'no variants.json, and no null variant' any missing --accelerator cpu -v
says 'is said too' 'missing 1.0: its wheel variants are not considered: the index has no variants.json for it' "$out"

base=$base/with/only=levels-1.0-variants,file-status=500 GPUFERRY_CACHE=$TMPDIR/none
plan levels==1.0 --accelerator cpu
equal 'a server that fails' $rc 4
says 'is an error, since it decides' 'levels-1.0-variants.json' "$out"
base=${base%/with/*}

# ---- a run is told as a case, labels and properties with it ----
"$GPUFERRY" plan torch torchvision levels --python "$python" --os debian-12 --arch "$arch" --sources default -i "$base/simple" --gpu 'RTX 3090' --driver 570.195.03 --no-installer \
	--save-case "$TMPDIR/run.case" -o "$TMPDIR/r.lock" >"$out" 2>&1
equal 'saved' $? 0
says 'with the variant' 'torch 2.9.0 (variant cu128)' "$TMPDIR/run.case"
build/asan/tests/cases/solver_run "$TMPDIR/run.case" >"$out" 2>&1
equal 'and it comes out the same' $? 0

# ---- the bundle: under the name that pip takes, with the digest of the lock ----
if [ "$arch" = x86_64 ] && python3 -m pip download -q --no-deps -d "$TMPDIR/pip" pip >"$out" 2>&1; then
	replica --packages "$TMPDIR/packages.json" --dir "$TMPDIR/pip"
	"$GPUFERRY" plan torch torchvision --python "$python" --os debian-12 --arch "$arch" --sources default -i "$base/simple" --gpu 'RTX 3090' --driver 570.195.03 -o "$TMPDIR/b.lock" >"$out" 2>&1
	"$GPUFERRY" plan marked --python "$python" --os debian-12 --arch "$arch" --sources default -i "$base/simple" --accelerator cpu -o "$TMPDIR/m.lock" >"$out" 2>&1
	says 'markers that pip cannot read: an older version' 'marked *0.9' "$out"
	says 'and it is said why' "uses a marker of wheel variants, which pip cannot read" "$TMPDIR/m.lock"
	"$GPUFERRY" bundle "$TMPDIR/b.lock" -o "$TMPDIR/b.tar" >"$out" 2>&1
	equal 'packed' $? 0
	"$GPUFERRY" verify "$TMPDIR/b.tar" >"$out" 2>&1
	equal 'whole' $? 0
	mkdir "$TMPDIR/b" && tar -xf "$TMPDIR/b.tar" -C "$TMPDIR/b"
	python3 - "$TMPDIR/b" >"$out" 2>&1 <<'END'
import hashlib, json, os, sys
top = sys.argv[1]
lock = json.load(open(top + "/gpuferry.lock"))
mine = next(p for p in lock["python"] if p["name"] == "torch")
assert mine["file"].endswith("-cu128.whl") and mine["path"].endswith("-cu128.whl"), mine
plain = mine["file"].replace("-cu128", "")
data = open(f"{top}/python/{plain}", "rb").read()
assert hashlib.sha256(data).hexdigest() == mine["sha256"]
assert not [n for n in os.listdir(top + "/python") if "cu128" in n]
sbom = next(c for c in json.load(open(top + "/sbom.cdx.json"))["components"] if c["name"] == "torch")
assert {"name": "gpuferry:path", "value": "python/" + plain} in sbom["properties"] and {"name": "gpuferry:wheel-variant", "value": "cu128"} in sbom["properties"], sbom
assert sbom["externalReferences"][0]["url"].endswith("-cu128.whl") and sbom["hashes"][0]["content"] == mine["sha256"], sbom
pylock = open(top + "/pylock.toml").read()
assert f'name = "{plain}"\npath = "python/{plain}"' in pylock and mine["sha256"] in pylock, pylock
assert f"torch==2.9.0 \\\n    --hash=sha256:{mine['sha256']}" in open(top + "/requirements.txt").read()
assert "GF_GLIBC='2.17'" in open(top + "/lib/facts.sh").read()
print("all as it should be")
END
	says 'the names in it' '^all as it should be' "$out"
	python3 -m venv --without-pip "$TMPDIR/venv"
	set -- "$TMPDIR"/pip/pip-*.whl
	(cd "$TMPDIR/b" && "$TMPDIR/venv/bin/python" "$1/pip" install --no-index --find-links python --require-hashes -r requirements.txt) >"$out" 2>&1
	says 'an ordinary pip installs it' '^Successfully installed .*torch-2.9.0' "$out"
	equal 'that variant' "$("$TMPDIR/venv/bin/python" -c 'import torch, torchvision; print(torch.variant, torchvision.variant)')" 'cu128 cu128'
	sh "$TMPDIR/b/install.sh" --prefix "$TMPDIR/p" --yes --allow-driver >"$out" 2>&1
	says 'and so does install.sh' '^done' "$out"
fi
mkdir "$TMPDIR/two"
for l in cu126 cu128; do curl -s -o "$TMPDIR/two/levels-1.0-py3-none-any-$l.whl" "$base/files/levels-1.0-py3-none-any-v2.whl"; done
python3 tests/lib/craft_lock.py --base "file://$TMPDIR/two/" --request levels "$TMPDIR/two" >"$TMPDIR/two.lock"
"$GPUFERRY" bundle "$TMPDIR/two.lock" -o "$TMPDIR/two.tar" >"$out" 2>&1
equal 'two variants that would get one name' $? 2
says 'are refused' "would both be 'python/levels-1.0-py3-none-any.whl' in the bundle" "$out"
finish
