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
finish
