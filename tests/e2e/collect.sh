#!/bin/sh
# timeout: 1800
# scripts/collect.sh under every shell, as root and as nobody, here, in Debian 11, 12 and 13 roots and in one that holds nothing but busybox: always the facts that
# detect finds on the same machine.
set -u
passed=0 failed=0 skipped=0
ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "failed: $*"; }
skip() { skipped=$((skipped + 1)); echo "skipped: $*"; }

# free space changes between two looks; the kernel's log is for root
plain() { sed -e 's/"free_mib": [0-9]*/"free_mib": 0/' "$1"; }
same() { # NAME COLLECTED DETECTED
	"$GPUFERRY" target --json "$2" >"$TMPDIR/target.json" || { bad "$1: target does not read it"; return; }
	plain "$TMPDIR/target.json" >"$TMPDIR/a"
	plain "$3" >"$TMPDIR/b"
	if cmp -s "$TMPDIR/a" "$TMPDIR/b"; then ok; else
		bad "$1 (< collected, > detected):"
		diff "$TMPDIR/a" "$TMPDIR/b" | head -n 30
	fi
}
shells='dash bash mksh busybox'
as_shell() { case $1 in busybox) echo 'busybox ash' ;; *) echo "$1" ;; esac; }
clean='env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/nonexistent'

# --- here
$clean "$GPUFERRY" detect --json >"$TMPDIR/here.json" || bad 'detect'
for s in $shells; do # each its short form too: some count with 32 bits
	command -v "$s" >/dev/null || { skip "$s is not here"; continue; }
	# shellcheck disable=SC2086,SC2046
	$clean $(as_shell "$s") scripts/collect.sh >"$TMPDIR/$s.txt" 2>"$TMPDIR/$s.err"
	[ ! -s "$TMPDIR/$s.err" ] || bad "$s wrote to standard error: $(head -n 3 "$TMPDIR/$s.err")"
	same "$s" "$TMPDIR/$s.txt" "$TMPDIR/here.json"
	# shellcheck disable=SC2046
	$(as_shell "$s") scripts/collect.sh --short | "$GPUFERRY" target --json - >"$TMPDIR/short.json"
	if grep -q '"arch"' "$TMPDIR/short.json"; then ok; else bad "$s: short form"; fi
done
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	install -d -m 755 "$TMPDIR/open"
	cp scripts/collect.sh "$TMPDIR/open/" && chmod 755 "$TMPDIR" "$TMPDIR/open"
	nobody="setpriv --reuid=65534 --regid=65534 --clear-groups $clean"
	for s in $shells; do
		command -v "$s" >/dev/null || continue
		# shellcheck disable=SC2086,SC2046
		(cd / && $nobody $(as_shell "$s") "$TMPDIR/open/collect.sh") >"$TMPDIR/nobody.txt" 2>"$TMPDIR/nobody.err"
		[ ! -s "$TMPDIR/nobody.err" ] || bad "$s as nobody wrote to standard error: $(head -n 3 "$TMPDIR/nobody.err")"
		grep -v '"errors"' "$TMPDIR/here.json" >"$TMPDIR/here-nobody.json"
		same "$s as nobody" "$TMPDIR/nobody.txt" "$TMPDIR/here-nobody.json"
	done
else skip 'nobody: needs root and setpriv'; fi

# --- nothing personal, and what is asked for
if grep -iqE "(^|[^a-z0-9.-])$(uname -n)([^a-z0-9.-]|\$)" "$TMPDIR/dash.txt" 2>/dev/null; then bad 'names the user or the host'; else ok; fi
sh scripts/collect.sh --label 'rack 7' | "$GPUFERRY" target --json - >"$TMPDIR/label"
if grep -q '"label": "rack 7"' "$TMPDIR/label"; then ok; else bad 'label'; fi
if sh scripts/collect.sh --show | grep -q 'Not collected: user and host names'; then ok; else bad show; fi
sh scripts/collect.sh --nonsense >/dev/null 2>&1
if [ $? = 2 ]; then ok; else bad 'an unknown option is a usage error'; fi
sh scripts/collect.sh --short >"$TMPDIR/short"
if [ "$(wc -l <"$TMPDIR/short")" = 3 ]; then ok; else bad 'short has three lines'; fi
"$GPUFERRY" target --json "$TMPDIR/short" >"$TMPDIR/short.json"
if grep -q "\"kernel\": \"$(uname -r)\"" "$TMPDIR/short.json"; then ok; else bad 'short is read'; fi
tr '[:lower:]' '[:upper:]' <"$TMPDIR/short" | sed 's/ /  /g' >"$TMPDIR/typed"
"$GPUFERRY" target --json "$TMPDIR/typed" >"$TMPDIR/typed.json"
if grep -q '"arch"' "$TMPDIR/typed.json"; then ok; else bad 'short typed in capitals is read'; fi
sed 's/kernel=./kernel=9/' "$TMPDIR/short" >"$TMPDIR/mistyped"
"$GPUFERRY" target --json "$TMPDIR/mistyped" >"$TMPDIR/mistyped.json"
if grep -q 'one was mistyped, nothing was taken' "$TMPDIR/mistyped.json"; then ok; else bad 'a typing error is found'; fi

# --- other systems: gpuferry with its libraries goes into the root
. tests/lib/debian.sh
carry() { # DIR: its own loader, so that the root's libc is not used
	mkdir -p "$1/opt/gf" && cp "$GPUFERRY" "$1/opt/gf/gpuferry"
	ldd "$GPUFERRY" | grep -oE '/[^ ]+' | while read -r l; do cp -L "$l" "$1/opt/gf/"; done
	cp scripts/collect.sh "$1/opt/gf/"
}
in_root() { # NAME DIR SHELL…
	name=$1 dir=$2
	shift 2
	loader=$(echo "$dir"/opt/gf/ld-linux*)
	loader=/opt/gf/${loader##*/}
	debian_enter "$dir" "$@" /opt/gf/collect.sh >"$TMPDIR/root.txt" 2>"$TMPDIR/root.err"
	[ ! -s "$TMPDIR/root.err" ] || bad "$name wrote to standard error: $(head -n 3 "$TMPDIR/root.err")"
	debian_enter "$dir" "$loader" --library-path /opt/gf /opt/gf/gpuferry detect --json >"$TMPDIR/root.json" || { bad "$name: detect"; return; }
	same "$name" "$TMPDIR/root.txt" "$TMPDIR/root.json"
}
expect() { # NAME TEXT: in the facts of the last root
	if grep -qF "$2" "$TMPDIR/root.json"; then ok; else bad "$1 lacks $2"; fi
}
for release in bullseye/11/2.31/ bookworm/12/2.36/3.11.2 trixie/13/2.41/; do
	suite=${release%%/*} rest=${release#*/}
	version=${rest%%/*} rest=${rest#*/}
	glibc=${rest%%/*} python=${rest#*/}
	debian_root "$TMPDIR/$suite" "$suite" "${python:+python3,python3-venv,gcc}" >"$TMPDIR/made" || { skip "Debian $version: $(tail -n 1 "$TMPDIR/made")"; continue; }
	carry "$TMPDIR/$suite"
	in_root "Debian $version" "$TMPDIR/$suite" sh
	expect "Debian $version" "\"version\": \"$version\""
	expect "Debian $version" "\"version\": \"$glibc\""
	expect "Debian $version" "${python:-\"python\": null}"
	rm -rf "${TMPDIR:?}/$suite"
done
if [ "$(id -u)" = 0 ] && busybox true 2>/dev/null && ! ldd "$(command -v busybox)" >/dev/null 2>&1; then
	box=$TMPDIR/box
	mkdir -p "$box/bin" "$box/proc" "$box/dev" "$box/tmp"
	cp "$(command -v busybox)" "$box/bin/busybox"
	for a in $(busybox --list); do [ -e "$box/bin/$a" ] || ln -s busybox "$box/bin/$a"; done
	carry "$box"
	in_root 'busybox alone' "$box" /bin/sh
	expect 'busybox alone' '"python": null'
	expect 'busybox alone' '"gcc": null'
else skip 'a root of busybox alone: needs root and a static busybox'; fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
