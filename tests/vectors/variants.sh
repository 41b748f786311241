#!/bin/sh
# The order of wheel variants against variantlib, the reference implementation of PEP 825.
set -u
tool=build/asan/tests/tools/variants_tool
[ -x $tool ] || { echo "$tool is not built"; exit 1; }
if ! { python3 -m venv "$TMPDIR/venv" && "$TMPDIR/venv/bin/pip" install -q variantlib==0.2.2; } >"$TMPDIR/log" 2>&1; then
	tail -n 5 "$TMPDIR/log"
	echo 'variantlib cannot be had here: is the index reachable?'
	exit 77
fi
mkdir "$TMPDIR/lists"
exec "$TMPDIR/venv/bin/python" tests/vectors/variants.py $tool "$TMPDIR/lists"
