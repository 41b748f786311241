#!/bin/sh
# timeout: 900
# Real plans from the default index as it was on 2026-12-01: which torch for which card, driver, Python and C library, why, and what is refused.
set -u
. tests/lib/replica.sh # for its counts of checks
export no_proxy="${no_proxy:-}"
date=2026-12-02 # of --exclude-newer: later releases do not change what is right here
lock=$TMPDIR/lock out=$TMPDIR/out

plan() { # WORDS…: plans torch; the text into $out, the status into $rc
	"$GPUFERRY" plan torch "$@" --sources default --exclude-newer $date -o "$lock" >"$out" 2>&1
	rc=$?
	if [ $rc = 4 ]; then
		tail -n 3 "$out"
		echo "the default index cannot be reached"
		exit 77
	fi
}
torch() { python3 tests/lib/lock.py "$lock" | sed -n 's/^torch==//p'; }
is() { # NAME VERSION WORDS…
	name=$1 want=$2
	shift 2
	rm -f "$lock"
	plan "$@"
	equal "$name: status" $rc 0
	[ $rc = 0 ] || { tail -n 5 "$out"; return; }
	equal "$name" "$(torch)" "$want"
}
pieces() { python3 - "$lock" "$1" <<'PY'
import json, sys
lock = json.load(open(sys.argv[1]))
rows = [r for r in lock["python"] if r["required_by"] != ["(installer)"]]
file = next(r["file"] for r in rows if r["name"] == "torch")
print({"count": len(rows), "file": file, "gigabytes": "%.1f" % (sum(r["size"] for r in rows) / 1e9)}[sys.argv[2]])
PY
}

is 'RTX 3090 on 535' 2.10.0 --gpu 'RTX 3090' --driver 535.309.01 --os debian-12 --python 3.11
equal 'its packages' "$(pieces count)" 27
says 'the newest build of two' '^torch-2.10.0-3-cp311-' "$(pieces file >"$TMPDIR/file" && echo "$TMPDIR/file")"
equal 'its size in GB' "$(pieces gigabytes)" 4.1
says 'passed over 2.15' 'torch 2\.15.*580\.65\.06' "$out"
says 'passed over down to 2.11' '2\.11\.0.*580\.65\.06' "$out"
says 'what it assumes' 'driver >=525\.60\.13' "$out"
cp "$lock" "$TMPDIR/again"
plan --gpu 'RTX 3090' --driver 535.309.01 --os debian-12 --python 3.11 --offline
equal 'the same lock, byte for byte' "$(cmp "$lock" "$TMPDIR/again" 2>&1)" ''
is 'RTX 3090 on 580' 2.15.0 --gpu 'RTX 3090' --driver 580.95.05 --os debian-12 --python 3.11

is 'GTX 1080' 2.7.1 --gpu 'GTX 1080' --driver 580.95.05 --os debian-12 --python 3.12
is 'V100' 2.10.0 --gpu V100 --driver 580.95.05 --os debian-12 --python 3.12
is 'RTX 5090 on 570' 2.10.0 --gpu 'RTX 5090' --driver 570.124.06 --os debian-12 --python 3.12
is 'two cards' 2.7.1 --gpu 'RTX 3090' --gpu 'GTX 1080' --driver 580.95.05 --os debian-12 --python 3.12
is 'Tesla K80' 2.0.1 --gpu 'Tesla K80' --driver 470.256.02 --os debian-12 --python 3.10
rm -f "$lock"
plan --gpu 'Tesla K80' --driver 470.256.02 --os debian-12 --python 3.13
equal 'Tesla K80 with Python 3.13' $rc 1
says 'and the change' 'python 3\.1[01]\|Python 3\.1[01]' "$out"
equal 'no lock' "$(ls "$lock" 2>/dev/null)" ''
is 'glibc 2.17' 2.6.0 --os centos-7 --python 3.11
is 'no driver given' 2.15.0 --gpu 'RTX 3090' --os debian-12 --python 3.12
says 'the lowest driver' '580\.65\.06' "$out"
rm -f "$lock"
plan --gpu 'RX 7900 XTX' --os debian-12 --python 3.11
equal 'no CUDA build for an AMD card' $rc 1
says 'and why' 'code is for CUDA' "$out"
finish
