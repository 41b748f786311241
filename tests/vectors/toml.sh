#!/bin/sh
# Our TOML reader against the toml-test suite for TOML 1.0, as tomlkit's sdist carries it: every document gives the expected values or is refused.
set -u
version=0.15.2
suite=$OUT/vectors/tomlkit-$version/tests/toml-test/tests tool=build/asan/tests/tools/toml_tool

[ -x $tool ] || { echo "$tool is not built"; exit 1; }
if [ ! -s "$suite/files-toml-1.0.0" ]; then
	mkdir -p "$OUT/vectors"
	if ! python3 -m pip download -q --no-deps --no-binary tomlkit -d "$TMPDIR" "tomlkit==$version" >"$TMPDIR/log" 2>&1; then
		tail -n 5 "$TMPDIR/log"
		echo "tomlkit's sdist cannot be had here: is the index reachable?"
		exit 77
	fi
	tar -xzf "$TMPDIR/tomlkit-$version.tar.gz" -C "$OUT/vectors" || exit 1
fi
exec python3 tests/vectors/toml_test.py $tool "$suite"
