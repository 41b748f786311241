#!/bin/sh
# timeout: 1500
# Random sets of real packages for Linux (x86_64, aarch64) and Windows, Python 3.9 to 3.14: the packages are those that uv chooses. 12 sets; under FULL=1 200.
set -u
. tests/lib/uv.sh
uv=$(find_uv) || { echo "uv is not here"; exit 77; }
if [ -n "${FULL:-}" ]; then count=200; else count=12; fi
mkdir -p "$TMPDIR/d"
exec python3 tests/cli/differential.py "$GPUFERRY" "$uv" "${SETS:-$count}" "${SEED:-1}" "$TMPDIR/d"
