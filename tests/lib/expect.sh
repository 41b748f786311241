# shellcheck shell=sh
# usage: . tests/lib/expect.sh   Counts in passed and failed what ok, bad and expect are told; a failure shows the end of $TMPDIR/log.
# shellcheck disable=SC2034 # the caller prints them
passed=0 failed=0
ok() { passed=$((passed + 1)); echo "ok: $1"; }
bad() { failed=$((failed + 1)); echo "FAILED: $1"; [ ! -s "$TMPDIR/log" ] || tail -n 20 "$TMPDIR/log" | sed 's/^/    | /'; }
# expect STATUS WORDS NAME COMMAND…: the command's exit status and a part of what it says
expect() {
	status=$1 words=$2 name=$3
	shift 3
	"$@" >"$TMPDIR/log" 2>&1
	got=$?
	if [ $got = "$status" ] && grep -qF -e "$words" "$TMPDIR/log"; then ok "$name"; else bad "$name (exit $got, expected $status and '$words')"; fi
}
