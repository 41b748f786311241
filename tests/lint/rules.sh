#!/bin/sh
# usage: tests/lint/rules.sh: the rules of the tree that need no build; names file and line of what breaks one
set -u
cd "$(dirname "$0")/../.." || exit 2
max_function=60 max_file=800 bad=0

files() { git ls-files -- "$@" 2>/dev/null | while read -r f; do [ ! -f "$f" ] || echo "$f"; done; }

# the program's own code; tests may print
code=$(files '*.c' '*.h' | grep -v '^tests/')
# shellcheck disable=SC2086
if [ -n "$code" ]; then
	awk -f tests/lint/code.awk tests/lint/words $code || bad=1
	awk -v max=$max_function -f tests/lint/functions.awk $code || bad=1
fi

for f in $(files '*.c' '*.h' '*.sh' '*.py' '*.awk'); do
	lines=$(wc -l <"$f")
	[ "$lines" -le $max_file ] || { echo "$f: $lines lines, at most $max_file: split it by what it holds"; bad=1; }
done

scripts=$(for f in $(files '*.sh' scripts tests .ci); do head -n 1 "$f" | grep -q '^#! */bin/sh' && echo "$f"; done | sort -u)
if command -v shellcheck >/dev/null 2>&1; then
	# shellcheck disable=SC2086
	shellcheck -x -s sh $scripts || bad=1
fi
for f in $scripts; do sh -n "$f" || bad=1; done

# no name of the hosts that this machine's pip and apt fetch from: they are asked here, written nowhere
hosts() {
	python3 -c 'from pip._internal.models.index import PyPI; print(PyPI.simple_url); print("https://" + PyPI.file_storage_domain)' 2>/dev/null
	python3 -m pip config get global.index-url 2>/dev/null
	printf '%s\n' "${PIP_INDEX_URL:-}" "${UV_DEFAULT_INDEX:-}" "${UV_INDEX_URL:-}"
	codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release 2>/dev/null)
	[ -z "$codename" ] || cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
		awk -v suite="$codename" '/^URIs:/ { uris = $0 } /^Suites:/ && index($0, suite) { print uris } /^deb/ && index($0, suite)'
}
hosts | grep -Eo 'https?://[^/ ]+' | sed 's,.*//,,; s,.*@,,; s/:.*//' | grep '\.' | grep -Ev '^127\.|^localhost' | sort -u >"${TMPDIR:-/tmp}/hosts.$$"
if [ -s "${TMPDIR:-/tmp}/hosts.$$" ] && git grep -n -i -F -f "${TMPDIR:-/tmp}/hosts.$$"; then
	echo "the lines above name a host that this machine's pip or apt fetches from: say 'the default index', or ask pip at run time"
	bad=1
fi
rm -f "${TMPDIR:-/tmp}/hosts.$$"
exit $bad
