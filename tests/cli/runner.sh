#!/bin/sh
# tests/run on a tree made for it: what it counts, what it shows, its status and its last line.
set -u
tree=$TMPDIR/tree
mkdir -p "$tree/tests/cli" "$tree/build/asan/tests/unit"
cp tests/run "$tree/tests/run"
make_test() { # FILE LINE…
	file=$tree/$1
	shift
	{ echo '#!/bin/sh'; printf '%s\n' "$@"; } >"$file" && chmod +x "$file"
}
passed=0 failed=0
run() { # the tree's tests; output in $TMPDIR/out, status in $status
	(cd "$tree" && NO_LINT=1 OUT="$tree/out" GPUFERRY='' sh tests/run -j 2 "$@") >"$TMPDIR/out" 2>&1
	status=$?
}
expect() { # NAME STATUS LAST-LINE
	if [ $status = "$2" ] && [ "$(tail -n 1 "$TMPDIR/out")" = "$3" ]; then passed=$((passed + 1)); else
		failed=$((failed + 1))
		echo "$1: exit $status, expected $2, last line to be '$3':"
		cat "$TMPDIR/out"
	fi
}
shows() { if grep -q -- "$1" "$TMPDIR/out"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "not shown: $1"; fi; }

make_test tests/cli/good.sh 'exit 0'
make_test tests/cli/parts.sh 'echo "3 passed, 0 failed"'
make_test build/asan/tests/unit/a_test 'echo "[       OK ] one"; echo "[       OK ] two"'
run
expect 'all good' 0 '6 passed, 0 failed'
make_test tests/cli/skip.sh 'echo "no such machine"; exit 77'
run
expect 'one skipped' 0 '6 passed, 0 failed, 1 skipped'
shows 'skip   cli/skip: no such machine'
make_test tests/cli/bad.sh 'echo "the reason"; exit 3'
run
expect 'one bad' 1 '6 passed, 1 failed, 1 skipped'
shows '| the reason'
rm "$tree/tests/cli/bad.sh"
make_test tests/cli/parts.sh 'echo "3 passed, 2 failed, 1 skipped"; exit 1'
run
expect 'bad parts' 1 '6 passed, 2 failed, 2 skipped'
make_test tests/cli/parts.sh 'echo "3 passed, 0 failed"; exit 1'
run parts
expect 'parts that claim to be good' 1 '3 passed, 1 failed'
rm "$tree/tests/cli/parts.sh"
# shellcheck disable=SC2016
make_test build/asan/tests/unit/a_test 'echo "[       OK ] one"; kill -SEGV $$'
run unit/
expect 'a unit program that dies' 1 '1 passed, 1 failed'
make_test build/asan/tests/unit/a_test ':'
run unit/
expect 'a unit program that runs nothing' 1 '0 passed, 1 failed'
make_test tests/cli/slow.sh '# timeout: 1' 'while :; do :; done'
run slow
expect 'one that does not end' 1 '0 passed, 1 failed'
shows 'ran longer than 1 s'
run nothing-of-that-name
expect 'no test at all' 1 '0 passed, 0 failed'
# shellcheck disable=SC2016
make_test tests/cli/env.sh 'echo "$LC_ALL $TZ $GPUFERRY"; [ -d "$TMPDIR" ] && [ -d "$XDG_CACHE_HOME" ]; exit 9'
run env
shows "C UTC $tree/out/gpuferry"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
