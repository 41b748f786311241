#!/bin/sh
# timeout: 1800
# Our versions, specifiers, markers, requirements, names, tags and metadata against packaging: its sdist's tests run here once with a plugin
# that writes down every question they ask the library; packaging_tool asks us the same. The answers are kept below $OUT.
set -u
version=26.4
work=$OUT/vectors tool=build/asan/tests/tools/packaging_tool
answers=$work/packaging-$version-$(cksum <tests/vectors/packaging_trace.py | tr ' ' -).tsv

skip() { # REASON [LOG]
	[ -z "${2:-}" ] || tail -n 5 "$2"
	echo "$1"
	exit 77
}

prepare() { # a Python with what packaging's tests need, and the unpacked sdist
	[ -x "$work/venv/bin/pytest" ] || { python3 -m venv "$work/venv" && "$work/venv/bin/pip" install -q pytest pretend tomli_w; } || return 1
	[ -d "$work/packaging-$version/tests" ] && return
	python3 -m pip download -q --no-deps --no-binary packaging -d "$TMPDIR" "packaging==$version" && tar -xzf "$TMPDIR/packaging-$version.tar.gz" -C "$work"
}

trace() {
	here=$PWD
	cd "$work/packaging-$version" || return 1
	VECTORS=$TMPDIR/tsv PYTHONPATH=src:$here/tests/vectors PYTHONDONTWRITEBYTECODE=1 \
		"$here/$work/venv/bin/python" -m pytest -q --no-header -p no:cacheprovider -p packaging_trace --ignore tests/property tests >"$TMPDIR/pytest.log" 2>&1
	status=$?
	cd "$here" || return 1
	[ $status = 0 ] || { tail -n 20 "$TMPDIR/pytest.log"; echo "packaging's own tests fail under the plugin"; exit 1; }
	mv "$TMPDIR/tsv" "$answers"
}

[ -x $tool ] || { echo "$tool is not built"; exit 1; }
case $work in "$PWD"/*) work=${work#"$PWD"/} answers=${answers#"$PWD"/} ;; esac
mkdir -p "$work"
if [ ! -s "$answers" ]; then
	prepare >"$TMPDIR/log" 2>&1 || skip "packaging's sdist or pytest cannot be had here: is the index reachable, is Python 3.10 or newer?" "$TMPDIR/log"
	trace
fi
grep '^#TEST' "$answers" | awk '{ n += $3; t += $4; if (!$4) none = none " " $2 }
	END { printf "%d tests of packaging, %d of them asked the library what we answer too; none in%s\n", n, t, none }'
exec $tool "$answers"
