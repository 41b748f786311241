#!/bin/sh
# What install.sh, verify.sh and uninstall.sh share: the lock, the journal, the log. Sourced; PREFIX, STATE and KEY are set.
# shellcheck disable=SC2015,SC2034,SC2012
LOG=''
HAVE_LOCK=''
CHILD=''
TICKER=''

say() {
	printf '%s\n' "$*"
	[ -z "$LOG" ] || printf '%s\n' "$*" >>"$LOG"
}

fail() { # STATUS TEXT…
	status=$1
	shift
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	[ -z "$LOG" ] || printf 'failed: %s\n' "$*" >>"$LOG"
	exit "$status"
}

# On a terminal, once a second, what a command prints: something moves while a step takes its time.
begin_ticker() {
	[ -t 1 ] || return 0
	(
		trap - EXIT HUP INT TERM
		while sleep 1; do printf '\r  %s ' "$("$@")"; done
	) &
	TICKER=$!
}

end_ticker() {
	[ -n "$TICKER" ] || return 0
	kill "$TICKER" 2>/dev/null
	wait "$TICKER" 2>/dev/null
	TICKER=''
	printf '\r                              \r'
}

cleanup() {
	status=$?
	trap - EXIT
	trap '' HUP INT TERM
	if [ -n "$CHILD" ]; then kill "$CHILD" 2>/dev/null; fi
	end_ticker
	if [ -n "$HAVE_LOCK" ]; then rm -rf "$STATE/lock" "$STATE/tmp"; fi
	exit "$status"
}
trap cleanup EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

agree() { # QUESTION: asks only a person who can answer
	[ -z "$YES" ] && [ -t 0 ] && [ -t 1 ] || return 0
	printf '%s [y/N] ' "$1"
	read -r answer || answer=''
	case $answer in [yY]*) ;; *) fail 2 "nothing was changed" ;; esac
}

# The folders that do not exist yet on the way to PREFIX, outermost first, a line each.
missing_folders() {
	folder=$PREFIX found=''
	while [ ! -d "$folder" ] && [ "$folder" != / ]; do
		found="$folder
$found"
		folder=$(dirname "$folder")
	done
	printf '%s' "$found"
}

# When process PID began, in the words of /proc; nothing when it is gone, or dead and its parent does not look.
began() {
	# shellcheck disable=SC2046
	set -- $(sed 's/^.*) //' "/proc/$1/stat" 2>/dev/null)
	case ${1:-X} in [ZX]) ;; *) printf '%s' "${20:-}" ;; esac
}

# Is the process at work that was PID and began then? Another may have its number by now; where /proc tells nothing, its number is enough.
at_work() { # PID [BEGAN]
	kill -0 "$1" 2>/dev/null || return 1
	[ -r /proc/self/stat ] || return 0
	now=$(began "$1")
	[ -n "$now" ] && [ "${2:-$now}" = "$now" ]
}

# mkdir is atomic everywhere. The lock of a process that is gone is taken over.
lock() {
	made=$(missing_folders)
	mkdir -p "$STATE" 2>/dev/null || fail 20 "cannot make the folder '$STATE'"
	if ! mkdir "$STATE/lock" 2>/dev/null; then
		owner='' since=''
		read -r owner since 2>/dev/null <"$STATE/lock/pid"
		if [ -n "$owner" ] && at_work "$owner" "$since"; then
			fail 12 "process $owner is installing into '$PREFIX': wait for it, or stop it"
		fi
		rm -rf "$STATE/lock"
		mkdir "$STATE/lock" 2>/dev/null || fail 12 "another installation into '$PREFIX' began just now: wait for it"
	fi
	HAVE_LOCK=1
	printf '%s %s\n' "$$" "$(began "$$")" >"$STATE/lock/pid"
	[ -f "$STATE/created" ] || printf '%s\n' "$made" >"$STATE/created"
	rm -rf "$STATE/tmp"
	mkdir "$STATE/tmp" || fail 20 "cannot make the folder '$STATE/tmp'"
	TMPDIR=$STATE/tmp
	export TMPDIR
}

begin_log() {
	LOG=$STATE/install.log
	(umask 077 && printf '== %s %s, lock %s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ 2>/dev/null)" "$1" "$KEY" >>"$LOG") || fail 20 "cannot write '$LOG'"
}

# Runs a command with its output in the log; a signal to this script ends it at once.
logged() {
	"$@" >>"$LOG" 2>&1 </dev/null &
	CHILD=$!
	wait "$CHILD"
	status=$?
	CHILD=''
	return $status
}

is_done() { grep -qx "done $1 $KEY" "$STATE/journal" 2>/dev/null; }
was_begun() { grep -qx "begin $1 $KEY" "$STATE/journal" 2>/dev/null; }

step() { # ID FUNCTION: once, also over several runs
	if is_done "$1"; then
		say "$1: done before"
		return 0
	fi
	RESUMED=''
	if was_begun "$1"; then RESUMED=1; fi
	printf 'begin %s %s\n' "$1" "$KEY" >>"$STATE/journal" || fail 20 "cannot write '$STATE/journal'"
	"$2" || {
		tail -n 15 "$LOG" >&2
		fail 20 "the step '$1' failed; see '$LOG'. Run install.sh again when the cause is gone: it goes on from here"
	}
	printf 'done %s %s\n' "$1" "$KEY" >>"$STATE/journal" || fail 20 "cannot write '$STATE/journal'"
}

# The words of stdin's lines as arguments of a command, whatever the lines hold.
each_line() { sed 's/[^A-Za-z0-9/._-]/\\&/g' | xargs ${1+"$@"}; }
