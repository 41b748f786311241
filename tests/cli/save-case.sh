#!/bin/sh
# plan --save-case: a run as a scenario that comes out the same without the network, in the program that runs all scenarios.
set -u
passed=0 failed=0
w=$TMPDIR/w && mkdir -p "$w"
check() { if [ "$2" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "$1" && sed 's/^/    | /' "$TMPDIR/said" | head -n 20; fi; }
run=
for r in build/asan/tests/cases/solver_run "${SOLVER_RUN:-}"; do [ ! -x "$r" ] || run=$r; done
[ -n "$run" ] || { echo "solver_run is not built"; exit 77; }
case_of() { # NAME STATUS PLAN-ARGUMENT…
	name=$1 want=$2
	shift 2
	"$GPUFERRY" plan "$@" --sources default -o "$w/$name.lock" --save-case "$w/$name.case" >"$TMPDIR/said" 2>&1
	status=$?
	check "$name: exit $status, expected $want" $((status != want))
	unshare -n "$run" "$w/$name.case" >"$TMPDIR/said" 2>&1
	check "$name: comes out otherwise" $?
	[ "$want" != 0 ] || {
		python3 tests/lib/lock.py "$w/$name.lock" | grep -v '^pip==' | sed 's/==/ /; s/^/  /' | sort >"$TMPDIR/said.lock"
		sed -n '/^expect plan/,$p' "$w/$name.case" | sed 's/ (source archive)$//' | sort >"$TMPDIR/said.case"
		grep -vxFf "$TMPDIR/said.case" "$TMPDIR/said.lock" >"$TMPDIR/said"
		check "$name: a version of the lock is not in the case" $(($(wc -l <"$TMPDIR/said") != 0))
	}
}
case_of gpu 0 torch --gpu 8.6 --driver 535.309.01 --os debian-12 --python 3.11
case_of libraries 0 onnxruntime-gpu --gpu 8.9 --driver 580.95.05 --os debian-12 --python 3.11
case_of plain 0 'requests[socks]' rich --accelerator any --arch x86_64 --glibc 2.36 --python 3.12
case_of refused 1 'torch==2.11.0' --gpu 7.0 --driver 580.95.05 --os debian-12 --python 3.12
case_of markers 0 colorama pywin32 --accelerator any --os windows-11 --python 3.12
mkdir -p "$w/links"
python3 -c 'import sys, zipfile
with zipfile.ZipFile(sys.argv[1] + "/a-1.0-py3-none-any.whl", "w") as z:
    z.writestr("a-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: a\nVersion: 1.0\nRequires-Dist: b @ https://me:hidden@elsewhere.example/b-1.0-py3-none-any.whl\n")
    z.writestr("a-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    z.writestr("a-1.0.dist-info/RECORD", "")' "$w/links"
"$GPUFERRY" plan a --no-index --find-links "$w/links" --no-installer --accelerator any --arch x86_64 --glibc 2.36 --python 3.12 -o "$w/u.lock" --save-case "$w/url.case" >"$TMPDIR/said" 2>&1
grep -q 'elsewhere.example' "$w/url.case" && ! grep -q hidden "$w/url.case"
check 'a case with what lets the owner of a URL in' $?
"$GPUFERRY" plan 'six @ https://example.org/six-1.17.0-py2.py3-none-any.whl' --accelerator any --arch x86_64 --glibc 2.36 --python 3.12 --save-case "$w/no.case" >"$TMPDIR/said" 2>&1
[ ! -e "$w/no.case" ]
check 'a case was left behind by a run that failed' $?
echo "$passed passed, $failed failed"
[ $failed = 0 ]
