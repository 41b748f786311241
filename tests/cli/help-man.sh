#!/bin/sh
# Help, man pages, README and completion name the same commands and options.
set -u
bad=0
command -v scdoc >/dev/null || { echo "scdoc is not here"; exit 77; }
say() { echo "$*"; bad=1; }

options_of() { grep -oE -- '(^|[^A-Za-z0-9-])--[a-z][a-z0-9-]*' "$1" | grep -oE -- '--.*' | sort -u; }
plain() { sed 's/\\f[A-Z]//g; s/\\-/-/g; s/\\&//g' "$1"; } # a man page without its fonts

"$GPUFERRY" --help >"$TMPDIR/help" || say "--help failed"
commands=$(sed -n 's/^CMD(\(.*\))$/\1/p' cli/commands.inc)
: >"$TMPDIR/all"
for c in $commands; do
	"$GPUFERRY" "$c" -h >"$TMPDIR/$c.help" || say "gpuferry $c -h failed"
	options_of "$TMPDIR/$c.help" >"$TMPDIR/$c.options"
	cat "$TMPDIR/$c.options" >>"$TMPDIR/all"
	grep -q "^  $c " "$TMPDIR/help" || say "'gpuferry --help' does not list $c"
	page=$OUT/man/gpuferry-$c.1
	[ -s "$page" ] || { say "there is no man page of $c: doc/man/gpuferry-$c.1.scd"; continue; }
	plain "$page" >"$TMPDIR/page"
	options_of "$TMPDIR/page" >"$TMPDIR/page.options"
	cat "$TMPDIR/page.options" >>"$TMPDIR/named-options"
	for o in $(comm -23 "$TMPDIR/$c.options" "$TMPDIR/page.options"); do say "$page lacks $o of 'gpuferry $c -h'"; done
done
printf '%s\n' --help --version --query-gpu >>"$TMPDIR/all" # the last is nvidia-smi's
sort -u -o "$TMPDIR/all" "$TMPDIR/all"

for o in $(sort -u "$TMPDIR/named-options" | comm -23 - "$TMPDIR/all"); do say "a man page names $o, no command has it"; done

# pages about everything may name the options of any command, but no others
grep -hE 'gpuferry|--' README.md | grep -vE '(install|verify)\.sh|make ' >"$TMPDIR/readme"
plain "$OUT/man/gpuferry.1" >"$TMPDIR/main"
for f in readme main; do
	options_of "$TMPDIR/$f" >"$TMPDIR/$f.options"
	for o in $(comm -23 "$TMPDIR/$f.options" "$TMPDIR/all"); do say "$f names $o, no command has it"; done
done
# commands in code: indented or fenced lines, and words in backquotes
awk 'FNR == 1 { fence = 0 } /^```/ { fence = !fence } fence || /^    / || /`gpuferry / || /\047gpuferry /' README.md doc/*.md doc/man/*.scd |
	grep -oE "(^ *|\`|'|\| )gpuferry [a-z]+" | awk '{ print $NF }' | sort -u >"$TMPDIR/named"
while read -r c; do
	printf '%s\n' help "$commands" | grep -qx "$c" || say "a page names 'gpuferry $c', there is no such command"
done <"$TMPDIR/named"
exit $bad
