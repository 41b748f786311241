#!/bin/sh
# usage: make bench, or: GPUFERRY=… OUT=… sh tests/bench/plan.sh    (COLD=7 WARM=30 rounds; SETS=word: those sets only; FULL=1: beside pip too;
#        DELAY=40, as root: the index is so many milliseconds away and back)
# Planning for a card and its driver with all rules, then for x86_64, glibc 2.28, Python 3.12 from the default index without GPU rules, beside
# uv: cold (empty caches) and offline from cache; rounds interleaved, medians.
# Source archives are allowed, as uv allows them: by default gpuferry looks for a plan without one first.
# pip has to fetch whole wheels to plan, so it runs once, and only under FULL=1.
set -eu
cd "$(dirname "$0")/../.."
: "${OUT:=$PWD/build/release}" "${GPUFERRY:=$OUT/gpuferry}"
. tests/lib/uv.sh
uv=$(find_uv)
pip=
if [ "${FULL:-}" = 1 ]; then
	[ -x "$OUT/bench-pip/bin/pip" ] || { python3 -m venv "$OUT/bench-pip" && "$OUT/bench-pip/bin/pip" install -q --upgrade pip; }
	pip=$OUT/bench-pip/bin/pip
fi
printf '## Planning\n\n%s, %s; cold: medians of %s, offline: medians of %s.\n\n' "$("$uv" --version)" "$("$GPUFERRY" --version)" "${COLD:-7}" "${WARM:-30}"
[ -z "${DELAY:-}" ] || printf 'The index is %s ms away and back.\n\n' "$DELAY"
${DELAY:+unshare -m python3 tests/bench/delay.py "$DELAY"} python3 tests/bench/plan.py "$GPUFERRY" "$uv" ${pip:+"$pip"}
