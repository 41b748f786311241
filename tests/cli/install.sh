#!/bin/sh
# make install puts the program, its pages and helpers below DESTDIR and PREFIX; uninstall leaves no file behind; make dist packs what git has.
set -u
bad=0
say() { echo "$*"; bad=1; }
make -s install BUILD=release DESTDIR="$TMPDIR/d" PREFIX=/usr >"$TMPDIR/log" 2>&1 || { cat "$TMPDIR/log"; exit 1; }
"$TMPDIR/d/usr/bin/gpuferry" --version | grep -qx "gpuferry $(cat VERSION)" || say "the installed program does not tell its version"
if command -v scdoc >/dev/null; then
	for page in doc/man/*.scd; do
		name=$(basename "$page" .scd)
		[ -s "$TMPDIR/d/usr/share/man/man1/$name" ] || say "no installed page $name"
	done
fi
[ ! -f scripts/collect.sh ] || [ -x "$TMPDIR/d/usr/share/gpuferry/collect.sh" ] || say "collect.sh is not installed"
make -s uninstall BUILD=release DESTDIR="$TMPDIR/d" PREFIX=/usr >"$TMPDIR/log" 2>&1 || { cat "$TMPDIR/log"; exit 1; }
find "$TMPDIR/d" ! -type d >"$TMPDIR/left"
[ ! -s "$TMPDIR/left" ] || say "uninstall left $(cat "$TMPDIR/left")"
if git rev-parse -q --verify HEAD >/dev/null 2>&1; then
	make -s dist DIST="$TMPDIR/dist.tar.gz" || say "make dist failed"
	tar -tzf "$TMPDIR/dist.tar.gz" >"$TMPDIR/list" || say "make dist made no archive"
	for f in Makefile LICENSE README.md VERSION scripts/setup.sh; do
		grep -qx "gpuferry-$(cat VERSION)/$f" "$TMPDIR/list" || say "make dist lacks $f"
	done
fi
exit $bad
