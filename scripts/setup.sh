#!/bin/sh
# usage: scripts/setup.sh [build|run|test|fuzz|bench]…   (default: build)
# Installs what is missing of the named groups, and only that, with apt or dnf. As root it asks nothing; otherwise it says what it
# would do and does it when sudo works without a password, else it prints the command and exits with 1.
set -eu

# group : check : what is checked : Debian's name : Fedora's name      ("-": comes with another package there)
needs() {
	cat <<-'ROWS'
	build:tool:gcc:gcc:gcc
	build:tool:make:make:make
	build:tool:pkg-config:pkg-config:pkgconf-pkg-config
	build:file:/usr/include/stdio.h:libc6-dev:glibc-devel
	build:lib:libcurl:libcurl4-openssl-dev:libcurl-devel
	build:lib:libarchive:libarchive-dev:libarchive-devel
	build:lib:libcjson:libcjson-dev:cjson-devel
	build:lib:libcrypto:libssl-dev:openssl-devel
	build:lib:zlib:zlib1g-dev:zlib-devel
	run:certs:-:ca-certificates:ca-certificates
	run:tool:python3:python3:python3
	run:module:pip:python3-pip:python3-pip
	test:lib:cmocka:libcmocka-dev:libcmocka-devel
	test:cclib:libasan.so:-:libasan
	test:cclib:libubsan.so:-:libubsan
	test:tool:git:git:git
	test:module:ensurepip:python3-venv:python3
	test:tool:shellcheck:shellcheck:ShellCheck
	test:tool:dash:dash:dash
	test:tool:mksh:mksh:mksh
	test:tool:minisign:minisign:minisign
	test:tool:busybox:busybox-static:busybox
	test:tool:debootstrap:debootstrap:debootstrap
	test:tool:unshare:util-linux:util-linux
	test:tool:xargs:findutils:findutils
	test:tool:scdoc:scdoc:scdoc
	fuzz:tool:clang:clang:clang
	bench:tool:hyperfine:hyperfine:hyperfine
	ROWS
}

have() { # KIND WHAT
	case $1 in
	tool) command -v "$2" >/dev/null 2>&1 || [ -x "/usr/sbin/$2" ] || [ -x "/sbin/$2" ] ;;
	file) [ -e "$2" ] ;;
	lib) pkg-config --exists "$2" 2>/dev/null ;;
	cclib) case $(gcc -print-file-name="$2" 2>/dev/null) in /*) : ;; *) return 1 ;; esac ;;
	module) python3 -c "import $2" >/dev/null 2>&1 ;;
	certs) [ -s /etc/ssl/certs/ca-certificates.crt ] || [ -s /etc/pki/tls/certs/ca-bundle.crt ] ;;
	esac
}

# what is missing of the groups, as names of column $1 (4: Debian, 5: Fedora)
missing() {
	needs | while IFS=: read -r group kind what deb rpm; do
		case " $groups " in *" $group "*) ;; *) continue ;; esac
		if [ "$1" = 4 ]; then name=$deb; else name=$rpm; fi
		[ "$name" = - ] || have "$kind" "$what" || printf '%s ' "$name"
	done
}

groups=
for word in "${@:-build}"; do
	case $word in
	build | run) groups="$groups $word" ;;
	test) groups="$groups build run test" ;;
	fuzz | bench) groups="$groups build run $word" ;;
	-h | --help) sed -n '2,4s/^# //p' "$0"; exit 0 ;;
	*) echo "setup.sh: there is no group '$word'; groups: build run test fuzz bench" >&2; exit 2 ;;
	esac
done

if command -v apt-get >/dev/null 2>&1; then
	list=$(missing 4) update='apt-get -qq update' install='apt-get -qq install -y --no-install-recommends'
elif command -v dnf >/dev/null 2>&1; then
	list=$(missing 5) update='' install='dnf -q install -y --setopt=install_weak_deps=False'
else
	list=$(missing 4)
	[ -z "$list" ] || {
		echo "setup.sh: neither apt-get nor dnf is here; install these yourself (Debian's names): $list" >&2
		exit 1
	}
fi
[ -n "$list" ] || exit 0

as_root=
if [ "$(id -u)" != 0 ]; then
	echo "setup.sh: would install: $list" >&2
	if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
		as_root='sudo -n env'
	else
		echo "setup.sh: not root, and sudo asks for a password; run this, then again:" >&2
		echo "    sudo sh -c '${update:+$update && }$install $list'" >&2
		exit 1
	fi
fi
echo "setup.sh: installing: $list" >&2
log=$(mktemp "${TMPDIR:-/tmp}/setup.XXXXXX")
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086
if { [ -z "$update" ] || $as_root $update; } >"$log" 2>&1 && $as_root ${as_root:+DEBIAN_FRONTEND=noninteractive} $install $list >>"$log" 2>&1; then
	rm -f "$log"
else
	tail -n 20 "$log" >&2
	echo "setup.sh: that failed; all of it is in $log" >&2
	case $install in dnf*) echo "setup.sh: on RHEL and its kin some of these are in CRB and EPEL; enable both and run again" >&2 ;; esac
	exit 1
fi
