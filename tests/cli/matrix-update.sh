#!/bin/sh
# matrix update: a newer signed set replaces the old one at once, anything else changes nothing.
set -u
bad=0
say() { echo "$*"; bad=1; }
command -v minisign >/dev/null || { echo "minisign is not here"; exit 77; }
export XDG_DATA_HOME="$TMPDIR/home"
installed=$XDG_DATA_HOME/gpuferry/matrix
status() { # EXPECTED COMMAND…
	want=$1
	shift
	"$@" >"$TMPDIR/out" 2>"$TMPDIR/err"
	got=$?
	[ $got = "$want" ] || { say "status $got, expected $want: $*"; sed 's/^/    /' "$TMPDIR/err"; }
}
has() { grep -qF -- "$1" "$TMPDIR/out" "$TMPDIR/err" || say "nothing says '$1'"; }
make_set() { # VERSION FILE [SED FILE-TO-CHANGE]
	rm -rf "$TMPDIR/data" && cp -R data "$TMPDIR/data"
	echo "$1" >"$TMPDIR/data/VERSION"
	[ $# = 2 ] || sed -i "$3" "$TMPDIR/data/$4"
	sh scripts/pack-data.sh "$TMPDIR/data" "$2"
	rm -f "$2.minisig"
	minisign -S -W -s "$TMPDIR/key" -m "$2" -t 'test data' >/dev/null 2>&1 || say "minisign cannot sign"
}
minisign -G -W -f -p "$TMPDIR/key.pub" -s "$TMPDIR/key" >/dev/null 2>&1 || { echo "minisign makes no key without a password"; exit 77; }
minisign -G -W -f -p "$TMPDIR/other.pub" -s "$TMPDIR/other" >/dev/null 2>&1
update() { want=$1 && shift && status "$want" "$GPUFERRY" matrix update "$@" --pubkey "$TMPDIR/key.pub"; }

make_set 2099.01.01.1 "$TMPDIR/new"
status 2 "$GPUFERRY" matrix update "$TMPDIR/new"; has --pubkey
status 5 "$GPUFERRY" matrix update "$TMPDIR/new" --pubkey "$TMPDIR/other.pub"
[ ! -e "$installed" ] || say "a set with a wrong signature was installed"
update 0 "$TMPDIR/new"; has 'data 2099.01.01.1 installed'; has 'test data'
cmp -s "$TMPDIR/new" "$installed" || say "what is installed is not what was given"
status 0 "$GPUFERRY" matrix lint; has 'data 2099.01.01.1'
update 1 "$TMPDIR/new"; has 'not newer than'

make_set 2000.01.01.1 "$TMPDIR/old"
update 1 "$TMPDIR/old"; has 'not newer than'
make_set 2099.01.01.2 "$TMPDIR/damaged" '0,/"chip"/s//"chop"/' nvidia/gpus.json
update 2 "$TMPDIR/damaged"; has 'nvidia/gpus.json: /gpus/0/chop: unknown key'
make_set 2099.01.01.2 "$TMPDIR/bit"
printf X | dd of="$TMPDIR/bit" bs=1 seek=5000 conv=notrunc 2>/dev/null
update 5 "$TMPDIR/bit"
make_set 2099.01.01.2 "$TMPDIR/unsigned" && rm "$TMPDIR/unsigned.minisig"
update 6 "$TMPDIR/unsigned"; has .minisig
cmp -s "$TMPDIR/new" "$installed" || say "the installed set was changed by one that was refused"

make_set 2099.01.01.3 "$TMPDIR/newest"
update 0 "file://$TMPDIR/newest"; has 'before it 2099.01.01.1'
update 4 "http://127.0.0.1:9/set"

# an installed set older than the program's own is not used
cp "$TMPDIR/old" "$installed"
status 0 "$GPUFERRY" matrix lint; has "data $(cat data/VERSION)"
exit $bad
