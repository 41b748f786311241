#!/bin/sh
# usage: make bench, or: GPUFERRY=… OUT=… sh tests/bench/verify.sh
# Checking a bundle that is in memory, beside sha256sum; rounds interleaved, medians.
set -eu
cd "$(dirname "$0")/../.."
: "${OUT:=$PWD/build/release}" "${GPUFERRY:=$OUT/gpuferry}"
where=${TMPDIR:-/tmp}
[ "$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')" -lt 4000000 ] 2>/dev/null || where=/dev/shm
printf '## Verifying\n\n%s, below %s.\n\n' "$("$GPUFERRY" --version)" "$where"
python3 tests/bench/verify.py "$GPUFERRY" "$where"
