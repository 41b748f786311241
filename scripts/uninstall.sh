#!/bin/sh
# Takes away what install.sh brought, by its receipt; files that came later from elsewhere stay.
# usage: sh uninstall.sh [--prefix DIR] [--yes] [--dry-run]      exit status: 0 done, 2 usage, 12 an installation is at work, 20 failed
# shellcheck disable=SC2015,SC2034
set -u
LC_ALL=C IFS='
 	'
export LC_ALL
unset CDPATH

# The byte-compiled forms of installed sources: Python makes them when they are imported.
compiled() {
	tag=$(printf '%s' "$GF_PYTHON" | tr -d .)
	sed -n 's/^f \(.*\)\/\([^/]*\)\.py$/\1\/__pycache__\/\2/p' "$STATE/receipt" | awk -v tag="cpython-$tag" '{
		for (i = 0; i < 3; i++) print $0 "." tag (i ? ".opt-" i : "") ".pyc" }'
}

remove_files() {
	{ sed -n 's/^f //p' "$STATE/receipt" && compiled; } | grep -v '/\.\./' | each_line rm -f || return 1
	{ sed -n 's/^d //p' "$STATE/receipt" && sed -n 's/^d \(.*\)$/\1\/__pycache__/p' "$STATE/receipt"; } | grep -v '/\.\./' | sort -r | each_line rmdir 2>/dev/null
	return 0
}

# An installation that never came to its end has no receipt; its folder was empty when it began.
make_receipt() {
	[ -f "$STATE/receipt" ] && return 0
	{ find . -path ./.gpuferry -prune -o -type d ! -name . -print | sed 's/^/d /' | sort &&
		find . -path ./.gpuferry -prune -o ! -type d -print | sed 's/^/f /' | sort; } >"$STATE/receipt"
}

remove_folders() {
	created=$(cat "$STATE/created" 2>/dev/null)
	cd / || return 1
	rm -rf "$STATE" || return 1
	left=$(find "$PREFIX" ! -path "$PREFIX" 2>/dev/null | head -n 10)
	if [ -n "$left" ]; then
		printf 'these did not come from the bundle and stay:\n%s\n' "$left"
		return 0
	fi
	printf '%s\n' "$created" | sort -r | while read -r folder; do
		[ -z "$folder" ] || rmdir "$folder" 2>/dev/null
	done
	return 0
}

main() {
	here=$(cd "$(dirname "$0")" && pwd -P) || exit 2
	PREFIX='' YES='' DRY=''
	case $here in */.gpuferry) PREFIX=${here%/.gpuferry} ;; esac
	while [ $# -gt 0 ]; do
		case $1 in
		--prefix) PREFIX=${2:-} && shift ;;
		--prefix=*) PREFIX=${1#*=} ;;
		--yes | -y) YES=1 ;;
		--dry-run | -n) DRY=1 ;;
		--help | -h) sed -n '2,3s/^# //p' "$0" && exit 0 ;;
		*) printf 'uninstall.sh: there is no option %s\n' "$1" >&2 && exit 2 ;;
		esac
		[ $# = 0 ] || shift
	done
	[ -n "$PREFIX" ] || { printf 'uninstall.sh: name the folder that install.sh installed into with --prefix\n' >&2; exit 2; }
	PREFIX=$(cd "$PREFIX" 2>/dev/null && pwd -P) && [ -f "$PREFIX/.gpuferry/journal" ] ||
		{ printf 'uninstall.sh: nothing of a bundle is installed there\n' >&2; exit 2; }
	STATE=$PREFIX/.gpuferry KEY=''
	# shellcheck source=/dev/null
	. "$here/lib/facts.sh"
	# shellcheck source=/dev/null
	if [ -n "${GF_TARGETS:-}" ] && [ -f "$STATE/lib/facts.sh" ]; then . "$STATE/lib/facts.sh"; fi
	# shellcheck source=scripts/lib/common.sh
	. "$here/lib/common.sh"
	if [ -n "$DRY" ]; then
		if [ -f "$STATE/receipt" ]; then grep -c '^f ' "$STATE/receipt" | sed 's/$/ files would be removed/'; else printf 'everything in %s would be removed: it was never finished\n' "$PREFIX"; fi
		exit 0
	fi
	agree "Remove what was installed in $PREFIX?"
	lock
	cd "$PREFIX" && make_receipt && remove_files || fail 20 "not everything in '$PREFIX' could be removed; run it again when the cause is gone"
	HAVE_LOCK=''
	remove_folders || fail 20 "'$STATE' could not be removed"
	printf 'removed: %s\n' "$PREFIX"
}
main ${1+"$@"}
exit
