# shellcheck shell=sh
# usage: . tests/lib/replica.sh; replica ARGUMENTS…   starts tests/lib/replica.py and sets $base to its URL, $log to its log of requests.
# It goes when the test goes. $TMPDIR is the test's own folder. Several can run: each call starts one more.
replicas=0
replica() {
	replicas=$((replicas + 1))
	log=$TMPDIR/replica-$replicas.log
	: >"$log"
	python3 tests/lib/replica.py --log "$log" "$@" >"$TMPDIR/replica-$replicas.url" 2>"$TMPDIR/replica-$replicas.err" &
	replica_pid=$!
	tries=0
	while [ ! -s "$TMPDIR/replica-$replicas.url" ]; do
		tries=$((tries + 1))
		if [ $tries -gt 100 ] || ! kill -0 "$replica_pid" 2>/dev/null; then
			echo "the replica did not start:"
			cat "$TMPDIR/replica-$replicas.err"
			exit 1
		fi
		sleep 0.1
	done
	# shellcheck disable=SC2034 # for the test
	base=$(cat "$TMPDIR/replica-$replicas.url")
}
requests() { # PATTERN: how many requests in $log match
	grep -c -e "$1" "$log"
}

# Small counts of checks, for tests that hold many.
passed=0 failed=0
says() { # NAME PATTERN FILE: the file has a line that matches
	if grep -q -e "$2" "$3"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		printf '%s: no line matches "%s" in:\n' "$1" "$2"
		sed 's/^/    /' "$3"
	fi
}
silent() { # NAME PATTERN FILE: no line matches
	if grep -q -e "$2" "$3"; then
		failed=$((failed + 1))
		printf '%s: a line matches "%s" in:\n' "$1" "$2"
		sed 's/^/    /' "$3"
	else
		passed=$((passed + 1))
	fi
}
equal() { # NAME GOT WANTED
	if [ "$2" = "$3" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		printf '%s: got "%s", "%s" was expected\n' "$1" "$2" "$3"
	fi
}
finish() {
	echo "$passed passed, $failed failed"
	[ "$failed" = 0 ]
	exit
}
