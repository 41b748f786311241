# shellcheck shell=sh
# usage: . tests/lib/debian.sh
# debian_root DIR [SUITE] [PACKAGES,…]: fills DIR with a minimal Debian root made by debootstrap; SUITE defaults to bookworm (Debian 12).
#     A root is made once for a suite and its packages, packed below $OUT and unpacked from there. Prints the reason and returns 77 when the machine cannot.
# debian_enter DIR COMMAND…: runs it in the root, with /proc and /dev there, without a network and with an environment of its own.
# debian_enter_online DIR COMMAND…: the same with this machine's network.
# debian_file SUITE AREA PACKAGE FILE: downloads the package from the mirror, its digest checked.
debian_mirror() { # where this machine's apt gets Debian itself from
	cat /etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list 2>/dev/null |
		grep -oE '^(URIs:|deb) .*https?://[^ ]+/debian/?( |$)' | grep -oE 'https?://[^ ]+' | head -n 1
}

debian_root() {
	dir=$1 suite=${2:-bookworm} packages=${3:-}
	[ "$(id -u)" = 0 ] || { echo "needs root"; return 77; }
	PATH=$PATH:/usr/sbin:/sbin
	command -v debootstrap >/dev/null || { echo "debootstrap is not here"; return 77; }
	mirror=$(debian_mirror)
	[ -n "$mirror" ] || { echo "this machine's apt names no Debian mirror"; return 77; }
	packed=$OUT/tests-roots/$suite${packages:+-$(printf %s "$packages" | cksum | cut -d' ' -f1)}.tar
	(
		mkdir -p "$OUT/tests-roots" && exec 9>"$packed.lock" && flock 9 || exit 1
		[ -s "$packed" ] && exit 0
		new=$(mktemp -d "$OUT/tests-roots/new.XXXXXX") || exit 1
		debootstrap --variant=minbase ${packages:+--include="$packages"} "$suite" "$new" "$mirror" >"$packed.log" 2>&1 &&
			chmod 755 "$new" && rm -rf "$new"/var/cache/apt/archives/*.deb && tar -C "$new" -cf "$packed.new" . && mv "$packed.new" "$packed"
		status=$?
		rm -rf "$new"
		exit $status
	) || { tail -n 5 "$packed.log" 2>/dev/null; echo "debootstrap of $suite failed: see $packed.log"; return 77; }
	mkdir -p "$dir" && tar -C "$dir" -xpf "$packed"
}

# $1: "-n" for no network; mounts vanish with the namespace, even when the test is killed.
debian_run() {
	net=$1 dir=$2
	shift 2
	# shellcheck disable=SC2016
	unshare -m ${net:+"$net"} sh -c '
		dir=$1; shift
		mount --make-rprivate / && mount -t proc proc "$dir/proc" && mount --rbind /dev "$dir/dev" &&
		{ [ -z "$(ip link show lo 2>/dev/null)" ] || ip link set lo up 2>/dev/null || :; } &&
		exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C TERM=dumb chroot "$dir" "$@"' sh "$dir" "$@"
}
debian_enter() { debian_run -n "$@"; }
debian_enter_online() { debian_run '' "$@"; }
debian_file() {
	mirror=$(debian_mirror)
	row=$(curl -fsSL "$mirror/dists/$1/$2/binary-$(dpkg --print-architecture)/Packages.xz" | xz -dc | awk -v name="$3" 'BEGIN { RS = ""; FS = "\n" }
		$1 == "Package: " name { for (i = 1; i <= NF; i++) { split($i, f, ": "); v[f[1]] = f[2] } print v["SHA256"], v["Filename"]; exit }')
	[ -n "$row" ] || { echo "$2 of $1 has no $3"; return 1; }
	curl -fsSL -o "$4" "$mirror/${row#* }" && echo "${row% *}  $4" | sha256sum -c --quiet
}
