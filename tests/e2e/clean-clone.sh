#!/bin/sh
# timeout: 3600
# make quickstart and make test on a fresh clone in a Debian 12 root that has git and make only. Under FULL=1: it installs, builds and fetches gigabytes.
# This machine's certificates and its pip and apt configuration are copied into the root, so that it reaches what this machine reaches.
set -u
[ "${FULL:-}" = 1 ] || { echo "long: runs under FULL=1 (make test-full)"; exit 77; }
[ -d .git ] || [ -f .git ] || { echo "not a git checkout: nothing to clone"; exit 77; }
. tests/lib/debian.sh
root=$TMPDIR/root
debian_root "$root" bookworm git,make || exit $?
chmod 755 "$root"
mount --bind "$root" "$root" || exit 1 # a mount of its own, so that its tests can enter roots from it
trap 'umount "$root"' EXIT

git clone -q --no-hardlinks . "$root/root/gpuferry" || exit 1
mkdir -p "$root/etc/ssl/certs" "$root/etc/apt" "$root/usr/local/share/ca-certificates"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
cp /usr/local/share/ca-certificates/*.crt "$root/usr/local/share/ca-certificates/" 2>/dev/null # a Debian package may make the file above anew
rm -rf "$root/etc/apt/sources.list" "$root/etc/apt/sources.list.d"
cp -r /etc/apt/sources.list.d "$root/etc/apt/"
[ ! -f /etc/apt/sources.list ] || cp /etc/apt/sources.list "$root/etc/apt/"
for f in /etc/pip.conf /etc/resolv.conf /etc/hosts; do [ ! -f $f ] || cp $f "$root$f"; done
env | grep -E '^(PIP_|[a-z]*_proxy=|SSL_CERT_FILE=)' | sed "s/'/'\\\\''/g; s/=\\(.*\\)/='\\1'/; s/^/export /" >"$root/root/env"

in_clone() { debian_enter_online "$root" sh -c ". /root/env; cd /root/gpuferry && $1"; }
passed=0 failed=0
try() { # NAME COMMAND
	if in_clone "$2" >"$TMPDIR/log" 2>&1; then
		passed=$((passed + 1))
		echo "$1: $(tail -n 1 "$TMPDIR/log")"
	else
		failed=$((failed + 1))
		echo "$1 failed:"
		tail -n 60 "$TMPDIR/log"
	fi
}
try 'make quickstart' "make quickstart ${QUICKSTART:-}"
try 'the bundle is there and whole' './build/release/gpuferry verify ./*.tar'
in_clone 'rm -f ./*.tar'
try 'make test' "make test TESTS='${CLONE_TESTS:-}'"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
