#!/bin/sh
# usage: make bench, or: GPUFERRY=… OUT=… sh tests/bench/bundle.sh    (FULL=1: torch too, 3 GB a round and side)
# Packing a planned stack beside `pip download`, `sha256sum` and `tar`, in memory where there is room (disks wander), rounds interleaved, medians.
set -eu
cd "$(dirname "$0")/../.."
: "${OUT:=$PWD/build/release}" "${GPUFERRY:=$OUT/gpuferry}"
[ -x "$OUT/bench-pip/bin/pip" ] || { python3 -m venv "$OUT/bench-pip" && "$OUT/bench-pip/bin/pip" install -q --upgrade pip; }
need=$((2 * 1024 * 1024)) where=${TMPDIR:-/tmp}
[ "${FULL:-}" != 1 ] || need=$((12 * 1024 * 1024))
[ "$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')" -lt $need ] 2>/dev/null || where=/dev/shm
printf '## Packing\n\n%s, pip %s, below %s.\n\n' "$("$GPUFERRY" --version)" "$("$OUT/bench-pip/bin/pip" --version | cut -d' ' -f2)" "$where"
python3 tests/bench/bundle.py "$GPUFERRY" "$OUT/bench-pip/bin/pip" "$where"
