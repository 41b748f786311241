#!/bin/sh
# usage: make quickstart [STACK=torch] [GPU="RTX 3090"] [DRIVER=535.309.01] [OS=debian-12] [PYTHON=3.11] [NAME=…] [YES=1]
# Plans STACK for that target, shows the plan, its download and the free space, and packs it. On a terminal it asks before the download.
# An empty value leaves the fact out (DRIVER= lets the plan choose the driver); GPU takes several names with commas between.
set -u
stack=${STACK-torch} gpu=${GPU-RTX 3090} driver=${DRIVER-535.309.01} os=${OS-debian-12} python=${PYTHON-3.11}
name=${NAME:-$(printf %s "$stack" | tr -c 'A-Za-z0-9.\n' '-' | sed 's/--*/-/g; s/-$//')}
program=${GPUFERRY:-build/release/gpuferry} lock=${name:-stack}.lock bundle=${name:-stack}.tar

facts() { # the target's options, quoted for eval
	printf '%s\n' "$gpu" | tr , '\n' | sed "s/^ *//; s/ *\$//; /^\$/d; s/'/'\\\\''/g; s/.*/--gpu '&'/"
	for pair in "driver=$driver" "os=$os" "python=$python"; do
		[ -z "${pair#*=}" ] || printf '%s\n' "${pair#*=}" | sed "s/'/'\\\\''/g; s/.*/--${pair%%=*} '&'/"
	done
}
human() { awk -v n="$1" 'BEGIN { split("bytes kB MB GB TB", u, " "); i = 1; while (n >= 1000 && i < 5) { n /= 1000; i++ } printf(i == 1 ? "%d %s" : "%.1f %s", n, u[i]) }'; }
# the sizes of the files in a lock; files without one are left out
total() { grep -oE '"size": *[0-9]+' "$1" | awk -F: '{ s += $2 } END { printf "%d", s }'; }

[ -n "$stack" ] || { echo "quickstart: STACK is empty: name a package, as in STACK=torch" >&2; exit 2; }
echo "== plan: $stack" >&2
# words of STACK are requirements; the facts are quoted by facts()
# shellcheck disable=SC2086
eval "set -- $(facts | tr '\n' ' ')" && set -f && "$program" plan $stack "$@" -o "$lock" || exit $?
set +f

size=$(total "$lock") free=$(df -Pk . | awk 'NR == 2 { printf "%.0f", $4 * 1024 }')
printf '\n  to download: %s        free here: %s        bundle: %s\n\n' "$(human "$size")" "$(human "$free")" "$bundle"
if awk -v s="$size" -v f="$free" 'BEGIN { exit !(s > f) }'; then
	echo "quickstart: there is not enough space in $(pwd) for $bundle: free some, or run 'gpuferry bundle $lock -o ELSEWHERE/$bundle'" >&2
	exit 6
fi
if [ "${YES:-}" = 1 ]; then :
elif [ -t 0 ]; then
	printf 'Download and write %s? [Y/n] ' "$bundle"
	read -r answer || answer=n
	case $answer in '' | [Yy]*) ;; *) echo "Nothing was downloaded. The plan is in $lock."; exit 0 ;; esac
else
	echo "quickstart: standard input is not a terminal, so it does not ask and goes on" >&2
fi

echo "== bundle: $bundle" >&2
"$program" bundle "$lock" -o "$bundle" || exit $?
printf '\nIt checks every digest and the machine first; --dry-run changes nothing, --help lists the rest. The lock with all reasons: %s\n' "$lock"
