# shellcheck shell=sh
# usage: . tests/lib/uv.sh; uv=$(find_uv) || skip…   Prints the path of uv's own binary (not of a wrapper, which would cost it time):
# the one of this Python or on PATH, else one installed once below $OUT.
# Sets nothing else; prints the reason on stderr when there is none.
find_uv() {
	python3 -c 'import uv; print(uv.find_uv_bin())' 2>/dev/null && return 0
	command -v uv && return 0
	(
		mkdir -p "$OUT" && exec 9>"$OUT/tests-uv.lock" && flock 9 || exit 1
		venv=$OUT/tests-uv
		[ -x "$venv/bin/uv" ] || { python3 -m venv "$venv" && "$venv/bin/pip" install -q uv; } >&2 || exit 1
		echo "$venv/bin/uv"
	) || { echo "uv is not here and could not be installed" >&2; return 1; }
}
