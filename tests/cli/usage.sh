#!/bin/sh
# The program without a command, with an unknown one and with --help: status, and what goes to which stream.
set -u
passed=0 failed=0
is() { # NAME STATUS STREAM-WITH-TEXT TEXT ARGUMENTS…
	name=$1 status=$2 stream=$3 text=$4
	shift 4
	"$GPUFERRY" "$@" >"$TMPDIR/out" 2>"$TMPDIR/err"
	got=$?
	if [ $got = "$status" ] && grep -q -- "$text" "$TMPDIR/$stream"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "$name: exit $got, expected $status with '$text' on $stream; out: $(cat "$TMPDIR/out") err: $(cat "$TMPDIR/err")"
	fi
}
is 'no command' 2 err 'no command given'
is 'unknown command' 2 err "there is no command 'plann'" plann
is 'help' 0 out 'usage: gpuferry COMMAND' --help
is 'short help' 0 out 'usage: gpuferry COMMAND' -h
is 'version' 0 out "^gpuferry $(cat VERSION)\$" --version
echo "$passed passed, $failed failed"
[ $failed = 0 ]
