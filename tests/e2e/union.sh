#!/bin/sh
# One bundle for three targets in a real Debian 12 root without a network: it finds out which it is on, installs that one's versions and takes them away again.
# timeout: 900
set -u
. tests/lib/debian.sh
. tests/lib/expect.sh
root=$TMPDIR/root
debian_root "$root" bookworm python3 || exit $?
chmod 755 "$root"
inside() { debian_enter "$root" "$@"; }
mkdir -p "$TMPDIR/rack" "$root/sys"
arch=$(uname -m)
profile() { # LABEL OS VERSION GLIBC PYTHON GPU CC
	printf '{"schema":"gpuferry.profile/1","label":"%s","arch":"%s","libc":{"name":"glibc","version":"%s"},"os":{"id":"%s","version":"%s"},"python":{"version":"%s"},"gpus":[{"vendor":"nvidia","name":"%s","cc":"%s"}],"driver":{"version":"580.95.05"}}' \
		"$1" "$arch" "$4" "$2" "$3" "$5" "$6" "$7" >"$TMPDIR/rack/$1.json"
}
profile noble ubuntu 24.04 2.39 3.12.3 'GeForce RTX 3090' 8.6
profile bookworm debian 12 2.36 3.11.2 'GeForce RTX 3090' 8.6
profile old debian 11 2.31 3.9.2 'GeForce GTX 1080' 6.1
plan() { "$GPUFERRY" plan rich pandas --sources default --target "$TMPDIR/rack" "$@"; }
expect 0 'one lock for all' 'planned' plan --union -o "$TMPDIR/rack.lock"
expect 0 'locks in' 'planned by themselves' plan -o "$TMPDIR/locks"
expect 0 'It serves 3 targets' 'bundled' "$GPUFERRY" bundle "$TMPDIR/rack.lock" -o "$TMPDIR/rack.tar"
[ $failed = 0 ] || { echo "$passed passed, $failed failed"; exit 1; }
mkdir -p "$root/b" && tar -C "$root/b" -xf "$TMPDIR/rack.tar"
listing() { (cd "$root" && find . -xdev ! -path './proc/*' ! -path './dev/*' ! -path './b/*' ! -path './tmp/*' | sort); }
listing >"$TMPDIR/before"
expect 0 'target:  bookworm (the only one of 3 that fits)' 'dry run' inside sh /b/install.sh --prefix /opt/stack --dry-run
expect 0 'done: /opt/stack' 'installed' inside sh /b/install.sh --prefix /opt/stack
versions='import importlib.metadata as m, re
for n, v in sorted((re.sub(r"[-_.]+", "-", d.metadata["Name"]).lower(), d.version) for d in m.distributions()): print(n + "==" + v)'
inside /opt/stack/bin/python -I -c "$versions" >"$TMPDIR/installed"
python3 tests/lib/lock.py "$TMPDIR/locks/bookworm.lock" | grep -v '^pip==' >"$TMPDIR/planned"
if cmp "$TMPDIR/planned" "$TMPDIR/installed"; then ok "this target's versions"; else bad "this target's versions"; fi
expect 0 42 'it works' inside /opt/stack/bin/python -c 'import pandas, rich; print(int(pandas.Series([20, 22]).sum()))'
expect 0 'packages: done before' 'a second run has nothing to do' inside sh /b/install.sh --prefix /opt/stack
rm -rf "$root/b2" && mv "$root/b" "$root/b2" # the bundle is gone
expect 0 'as planned' 'verify.sh' inside sh /opt/stack/.gpuferry/verify.sh
expect 0 'removed' 'uninstall.sh' inside sh /opt/stack/.gpuferry/uninstall.sh
mv "$root/b2" "$root/b"
listing >"$TMPDIR/after"
if cmp -s "$TMPDIR/before" "$TMPDIR/after"; then ok "nothing is left"; else bad "nothing is left"; diff "$TMPDIR/before" "$TMPDIR/after" | head; fi
expect 10 'no Python 3.12 was found' 'another target, as told' inside sh /b/install.sh --prefix /opt/stack --target noble
mv "$root/usr/bin/python3.11" "$root/usr/bin/hidden"
inside sh /b/install.sh --prefix /opt/stack >"$TMPDIR/log" 2>&1
if [ $? = 10 ] && [ "$(grep -c '^  - \(noble: no Python 3.12\|bookworm: no Python 3.11\|old: no Python 3.9\) was found' "$TMPDIR/log")" = 3 ]; then ok 'none fits: a sentence for each'; else bad 'none fits: a sentence for each'; fi
mv "$root/usr/bin/hidden" "$root/usr/bin/python3.11"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
