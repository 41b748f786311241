#!/bin/sh
# timeout: 600
# The scenarios of packse. Its source archive comes from the default index through our own sources (pip refuses it below Python 3.12).
set -u
tool=${OUT%/*}/asan/tests/tools/sources_tool
[ -x "$tool" ] || tool=$OUT/tests/tools/sources_tool
keep=$XDG_CACHE_HOME/packse-0.3.59.tar.gz
if [ ! -s "$keep" ]; then
	"$GPUFERRY" plan packse==0.3.59 --no-binary packse --accelerator any --os debian-12 --python 3.12 --sources default --no-installer -o "$TMPDIR/lock" >"$TMPDIR/out" 2>&1 ||
		{ cat "$TMPDIR/out"; echo "the default index cannot be reached"; exit 77; }
	url=$(python3 -c 'import json, sys, urllib.parse
lock = json.load(open(sys.argv[1]))
base = {s["id"]: s["base"] for s in lock["sources"]}
row = next(p for p in lock["python"] if p["name"] == "packse")
print(urllib.parse.urljoin(base[row["source"]] + "/", row["path"]))' "$TMPDIR/lock") || exit 1
	"$tool" --out "$keep.part" get "$url" >"$TMPDIR/out" || { cat "$TMPDIR/out"; exit 1; }
	mv "$keep.part" "$keep"
fi
tar -xzf "$keep" -C "$TMPDIR" || exit 1
python3 tests/cli/packse.py "$GPUFERRY" "$TMPDIR/packse-0.3.59"
