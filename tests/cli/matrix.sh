#!/bin/sh
# matrix show, query, lint, diff: what they print and how they end; damaged data is refused with file and place.
set -u
bad=0
say() { echo "$*"; bad=1; }
status() { # EXPECTED COMMAND…
	want=$1
	shift
	"$@" >"$TMPDIR/out" 2>"$TMPDIR/err"
	got=$?
	[ $got = "$want" ] || { say "status $got, expected $want: $*"; sed 's/^/    /' "$TMPDIR/err"; }
}
has() { grep -qF -- "$1" "$TMPDIR/out" "$TMPDIR/err" || say "nothing says '$1'"; }
m="$GPUFERRY matrix"

# shellcheck disable=SC2086
{
	for name in torch torchvision torchaudio triton driver cuda gpu distro; do status 0 $m show $name; done
	status 0 $m show gpu 'RTX 4060 Laptop'; has 'GeForce RTX 4060 Max-Q / Mobile'
	status 1 $m show gpu 'RTX 4061'; has 'nearest: GeForce RTX 4060'
	status 0 $m show driver 550.54.14; has 12.4
	status 1 $m show no-such-name; has 'nothing is known'
	status 0 $m query 'torch ==2.8.* for sm_61'; has cu126
	status 1 $m query 'torch ==2.11.* for sm_37'
	status 1 $m query 'torch ==2.99.* for sm_80'; has 'the newest there is'
	status 0 $m query 'torch >=2.10 for RTX 3090 with driver 535.309.01'
	status 2 $m query 'torch for GT 730'; has 'PCI id'
	status 2 $m query 'torch for RTX 9999'
	status 2 $m frobnicate
	status 0 $m lint; has sources
	for c in 'show torch' 'show gpu' 'lint' 'diff data'; do
		$m $c --json | python3 -c 'import json, sys; json.load(sys.stdin)' || say "matrix $c --json is not JSON"
	done

	# each damage is one error with file and pointer, and nothing runs on the rest
	damage() { # FILE SED WORDS
		rm -rf "$TMPDIR/data" && cp -R data "$TMPDIR/data" && sed -i "$2" "$TMPDIR/data/$1"
		cmp -s "data/$1" "$TMPDIR/data/$1" && say "'$2' changes nothing in $1"
		status 2 $m --matrix "$TMPDIR/data" show torch
		has "$3"
	}
	damage nvidia/driver.json '0,/"lts": true/s//"lts": "yes"/' 'nvidia/driver.json: /branches/'
	damage nvidia/driver.json '0,/"lts": true/s//"lts": "yes"/' 'expected true or false, found a string'
	damage nvidia/gpus.json '0,/"chip"/s//"chop"/' 'nvidia/gpus.json: /gpus/0/chop: unknown key'
	damage nvidia/cuda.json '0,/"source": "[^"]*", /s///' "the key 'source' is missing"
	damage nvidia/cuda.json '0,/"source": "[^"]*"/s//"source": "nowhere"/' "'nowhere' is not in sources.json"
	damage frameworks/torch.json '0,/"versions": "<2.3"/s//"versions": "<<2.3"/' "'<<2.3' is not a range"
	damage frameworks/torch.json '0,/"when": "os=linux"/s//"when": "os=="/' 'frameworks/torch.json: /rules/0/when'
	damage os/distros.json 's/^    \(.*"debian", "version": "12".*\),$/    \1,\n    \1,/' "a second row for 'debian 12'"
	damage nvidia/gpus.json "\$s/}/} x/" 'nvidia/gpus.json'

	# a packed file is the same set
	sh scripts/pack-data.sh data "$TMPDIR/set"
	status 0 $m --matrix "$TMPDIR/set" lint
	cp "$TMPDIR/out" "$TMPDIR/packed"
	status 0 $m --matrix data lint
	cmp -s "$TMPDIR/out" "$TMPDIR/packed" || say 'a folder and its pack are not the same'
	head -c 300 "$TMPDIR/set" >"$TMPDIR/cut"
	status 2 $m --matrix "$TMPDIR/cut" lint; has 'damaged'
	status 6 $m --matrix "$TMPDIR/none" lint

	rm -rf "$TMPDIR/data" && cp -R data "$TMPDIR/data"
	sed -i '/10de:2204/d' "$TMPDIR/data/nvidia/gpus.json"
	status 1 $m diff "$TMPDIR/data" data; has '+ {"vendor":"nvidia","pci":"10de:2204"'; has '10de:2204'
	status 0 $m diff data data
}
exit $bad
