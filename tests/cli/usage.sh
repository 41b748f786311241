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
is 'version as a document' 0 out '"version": "' --version --json
is 'unknown command, as a document' 2 out '"code": "GF_E_USAGE"' plann --json
is 'no command, as a document' 2 out '"code": "GF_E_USAGE"' --json
is 'unknown option, as a document' 2 out '"code": "GF_E_USAGE"' plan --frob --json
is 'a lock and a target' 2 err 'give one or the other' why torch -l x.lock --gpu 8.6
is 'a lock and a source' 2 err 'give one or the other' why torch -l x.lock --no-index
is 'a version in a lock' 2 err 'has one version' why torch==2 -l x.lock
# a reader that goes away ends it as it ends other tools: without a word
{ "$GPUFERRY" matrix show gpu 2>"$TMPDIR/err"; echo $? >"$TMPDIR/status"; } | :
if [ ! -s "$TMPDIR/err" ] && [ "$(cat "$TMPDIR/status")" = 141 ]; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "closed pipe: $(cat "$TMPDIR/status") $(cat "$TMPDIR/err")"; fi
echo "$passed passed, $failed failed"
[ $failed = 0 ]
