#!/bin/sh
# Installs this bundle into a folder of its own, without a network. sh install.sh --help tells how.
# POSIX sh only: dash, busybox, bash, mksh. Nothing is changed before every digest and the machine have been checked.
# shellcheck disable=SC2015,SC2034 # lib/ reads the variables
set -u
LC_ALL=C IFS='
 	'
export LC_ALL
umask 022
unset CDPATH
# what the caller's environment may say to Python, pip and the loader does not count here
for name in $(env | sed -n -e 's/^\(PIP_[A-Za-z0-9_]*\)=.*/\1/p' -e 's/^\(PYTHON[A-Za-z0-9_]*\)=.*/\1/p' -e 's/^\(LD_[A-Za-z0-9_]*\)=.*/\1/p') VIRTUAL_ENV; do
	unset "$name"
done

usage() {
	cat <<'END'
usage: sh install.sh [OPTIONS]

  --prefix DIR      where the virtual environment goes (default: /opt/gpuferry, or ~/gpuferry without root)
  --target NAME     which of the bundle's targets this machine is (default: the one that fits)
  --python PATH     the Python to use (default: the planned version is looked for)
  --pubkey FILE     check the signature with this minisign or PEM public key (needs openssl)
  --dry-run         check everything, tell what would be done, change nothing
  --yes             do not ask
  --force-space     go on although the free space seems too little
  --allow-tools     go on without what source archives are compiled with
  --allow-driver    go on without a GPU driver, or with one older than the stack needs
  --require-gpu     fail unless a GPU computed a right result at the end
  --help            this text

Exit status: 0 done, 2 usage, 10 this machine does not fit (nothing was changed), 11 the bundle is damaged or its signature is wrong,
12 another installation is at work, 20 a step failed (run again, it goes on from there), 129 130 143 stopped by a signal,
194 done, but the machine must be restarted.
END
}

die() { # STATUS TEXT…
	status=$1
	shift
	printf 'install.sh: %s\n' "$*" >&2
	exit "$status"
}

parse() {
	PREFIX='' PYTHON='' PUBKEY='' TARGET='' DRY='' YES='' FORCE_SPACE='' ALLOW_DRIVER='' ALLOW_TOOLS='' REQUIRE_GPU=''
	while [ $# -gt 0 ]; do
		case $1 in
		--prefix | --python | --pubkey | --target)
			[ $# -ge 2 ] && [ -n "$2" ] || die 2 "$1 needs a value; --help lists the options"
			value=$2 option=$1
			shift
			;;
		--prefix=?* | --python=?* | --pubkey=?* | --target=?*) value=${1#*=} option=${1%%=*} ;;
		*) option=$1 value='' ;;
		esac
		case $option in
		--prefix) PREFIX=$value ;;
		--python) PYTHON=$value ;;
		--pubkey) PUBKEY=$value ;;
		--target) TARGET=$value ;;
		--dry-run | -n) DRY=1 ;;
		--yes | -y) YES=1 ;;
		--force-space) FORCE_SPACE=1 ;;
		--allow-driver) ALLOW_DRIVER=1 ;;
		--allow-tools) ALLOW_TOOLS=1 ;;
		--require-gpu) REQUIRE_GPU=1 ;;
		--help | -h) usage; exit 0 ;;
		*) die 2 "there is no option '$1'; --help lists them" ;;
		esac
		shift
	done
	if [ -z "$PREFIX" ]; then
		if [ "$(id -u)" = 0 ]; then PREFIX=/opt/gpuferry; else PREFIX=${HOME:-/tmp}/gpuferry; fi
	fi
	case $PREFIX in /*) ;; *) PREFIX=$(pwd)/$PREFIX ;; esac
	while [ "$PREFIX" != / ] && [ "${PREFIX%/}" != "$PREFIX" ]; do PREFIX=${PREFIX%/}; done
	[ "$PREFIX" != / ] || die 2 "--prefix / would mix the stack with the system; name a folder of its own"
}

# ---- every digest first ----

need_tools() {
	lacking=''
	for tool in awk cat cp cut df dirname du env find grep head id ln ls mkdir mv rm rmdir sed sort tail tr uname wc xargs; do
		command -v "$tool" >/dev/null 2>&1 || lacking="$lacking $tool"
	done
	[ -z "$lacking" ] || die 10 "these commands are needed and not here:$lacking (coreutils, findutils, grep, sed and awk, or busybox, bring them)"
}

EMPTY_SHA=e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
hash_with() { # TOOL FILE
	case $1 in
	openssl) openssl dgst -sha256 -r "$2" 2>/dev/null ;;
	sha256sum) sha256sum "$2" 2>/dev/null ;;
	shasum) shasum -a 256 "$2" 2>/dev/null ;;
	busybox) busybox sha256sum "$2" 2>/dev/null ;;
	python*) "$1" -I -c 'import hashlib, sys
h = hashlib.sha256()
with open(sys.argv[1], "rb") as f:
    for b in iter(lambda: f.read(1 << 20), b""): h.update(b)
print(h.hexdigest())' "$2" 2>/dev/null ;;
	esac | cut -c1-64
}

find_hasher() { # the first that is right about nothing at all; openssl is three times as fast as coreutils
	for HASHER in openssl sha256sum shasum busybox python3 python; do
		command -v "$HASHER" >/dev/null 2>&1 && [ "$(hash_with "$HASHER" /dev/null)" = $EMPTY_SHA ] && return 0
	done
	die 11 "nothing here can compute a sha256 (openssl, sha256sum, shasum, busybox or python3): the bundle cannot be checked"
}

check_digests() {
	[ -f "$HERE/SHA256SUMS" ] && [ -s "$HERE/SHA256SUMS" ] || die 11 "'$HERE/SHA256SUMS' is missing: this is no whole bundle"
	find_hasher
	bad=0
	while read -r want name; do
		case $want in *[!0-9a-f]* | '') die 11 "SHA256SUMS is damaged: '$want $name' is no sha256 and a path" ;; esac
		[ ${#want} = 64 ] && [ -n "$name" ] || die 11 "SHA256SUMS is damaged: '$want $name' is no sha256 and a path"
		case /$name/ in */../* | //* | */./*) die 11 "SHA256SUMS names the path '$name', which leaves the bundle" ;; esac
		if [ -h "$HERE/$name" ] || [ ! -f "$HERE/$name" ]; then
			printf 'missing: %s\n' "$name" >&2
			bad=1
		elif [ "$(hash_with "$HASHER" "$HERE/$name")" != "$want" ]; then
			printf 'damaged: %s (its sha256 is not the one in SHA256SUMS)\n' "$name" >&2
			bad=1
		fi
	done <"$HERE/SHA256SUMS"
	for folder in "$HERE/lib" "$HERE/python" "$HERE/os" "$HERE/vendor" "$HERE/targets" "$HERE/targets"/*; do
		[ -d "$folder" ] || continue
		for file in "$folder"/*; do
			name=${file#"$HERE/"}
			[ -e "$file" ] || [ -h "$file" ] || continue
			[ "$folder" != "$HERE/targets" ] || [ -h "$file" ] || [ ! -d "$file" ] || continue
			awk -v name="$name" 'substr($0, 67) == name { found = 1 } END { exit !found }' "$HERE/SHA256SUMS" && continue
			printf 'not part of the bundle: %s\n' "$name" >&2
			bad=1
		done
	done
	[ $bad = 0 ] || die 11 "the bundle is damaged, see above: copy it again and compare 'gpuferry verify' on both sides; nothing was changed"
}

base64_bytes() { printf '%s' "$1" | openssl base64 -d -A 2>/dev/null; }

# minisign's format by openssl alone: ed25519 over the blake2b-512 of SHA256SUMS, then over the signature and its comment
check_signature() { # in "$1", an empty folder
	sig=$HERE/SHA256SUMS.minisig
	[ -f "$sig" ] || die 11 "--pubkey was given, but the bundle has no signature"
	[ -r "$PUBKEY" ] || die 2 "cannot read the key '$PUBKEY'"
	command -v openssl >/dev/null 2>&1 || die 11 "--pubkey needs openssl, which is not here: the signature cannot be checked"
	if grep -q -e '-----BEGIN PUBLIC KEY' "$PUBKEY"; then
		cp "$PUBKEY" "$1/key" && form=PEM
	else
		line=$(grep -v '^untrusted comment:' "$PUBKEY" | head -n 1 | tr -d ' \r')
		base64_bytes "$line" >"$1/pub"
		[ "$(wc -c <"$1/pub" | tr -d ' ')" = 42 ] || die 11 "'$PUBKEY' is neither a minisign nor a PEM public key"
		{ printf '\060\052\060\005\006\003\053\145\160\003\041\000' && tail -c 32 "$1/pub"; } >"$1/key" && form=DER
	fi
	base64_bytes "$(sed -n 2p "$sig" | tr -d '\r')" >"$1/blob"
	base64_bytes "$(sed -n 4p "$sig" | tr -d '\r')" >"$1/global"
	[ "$(wc -c <"$1/blob" | tr -d ' ')" = 74 ] && [ "$(head -c 2 "$1/blob")" = ED ] || die 11 "SHA256SUMS.minisig is damaged"
	tail -c 64 "$1/blob" >"$1/sig"
	openssl dgst -blake2b512 -binary "$HERE/SHA256SUMS" >"$1/hash" 2>/dev/null
	{ cat "$1/sig" && sed -n '3s/^trusted comment: //p' "$sig" | tr -d '\r\n'; } >"$1/covered"
	[ "$(wc -c <"$1/hash" | tr -d ' ')" = 64 ] || die 11 "this openssl knows no blake2b512: the signature cannot be checked"
	openssl pkeyutl -verify -pubin -inkey "$1/key" -keyform "$form" -rawin -in "$1/hash" -sigfile "$1/sig" >/dev/null 2>&1 &&
		openssl pkeyutl -verify -pubin -inkey "$1/key" -keyform "$form" -rawin -in "$1/covered" -sigfile "$1/global" >/dev/null 2>&1 ||
		die 11 "the signature of SHA256SUMS is not one of the key '$PUBKEY'; nothing was changed"
	printf 'signature: right\n'
}

signature() {
	work=${TMPDIR:-/tmp}/gpuferry-signature.$$
	(umask 077 && mkdir "$work") || die 20 "cannot make the folder '$work'; set TMPDIR to a folder that can be written"
	(check_signature "$work")
	status=$?
	rm -rf "$work"
	[ $status = 0 ] || exit $status
}

# ---- the order of things ----

main() {
	HERE=$(cd "$(dirname "$0")" && pwd -P) || exit 2
	need_tools
	parse ${1+"$@"}
	printf 'checking the files of the bundle\n'
	if [ -n "$PUBKEY" ]; then signature; fi
	check_digests
	# shellcheck source=/dev/null
	. "$HERE/lib/facts.sh"
	# shellcheck source=scripts/lib/common.sh
	. "$HERE/lib/common.sh"
	# shellcheck source=scripts/lib/preflight.sh
	. "$HERE/lib/preflight.sh"
	# shellcheck source=scripts/lib/python.sh
	. "$HERE/lib/python.sh"
	# shellcheck source=scripts/lib/targets.sh
	. "$HERE/lib/targets.sh"
	STATE=$PREFIX/.gpuferry
	choose_target
	KEY=$GF_SEAL
	preflight
	tell_plan
	if [ -n "$DRY" ]; then exit 0; fi
	agree "Install into $PREFIX?"
	lock
	begin_log install
	step environment make_environment
	step packages install_packages
	step archives build_archives
	step libraries find_libraries
	step keep keep_scripts
	write_receipt
	check_installation
	printf 'done: %s\n' "$PREFIX"
	printf '  run it:      %s\n' "$PREFIX/bin/python"
	printf '  check it:    sh %s\n' "$STATE/verify.sh"
	printf '  remove it:   sh %s\n' "$STATE/uninstall.sh"
}
main ${1+"$@"}
exit
