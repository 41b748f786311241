#!/bin/sh
# usage: scripts/pack-data.sh DATA OUT: the data set as one file: a line, "SIZE PATH" for each file in order of path, an empty line, the files
set -eu
out=$2
cd "$1"
list=$(find . -type f \( -name '*.json' -o -path ./VERSION \) ! -path './schema/*' | sed 's,^\./,,' | LC_ALL=C sort)
{
	echo 'gpuferry-data 1'
	for f in $list; do printf '%d %s\n' "$(wc -c <"$f")" "$f"; done
	echo
	# shellcheck disable=SC2086
	cat $list
} >"$out"
