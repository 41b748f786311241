#!/bin/sh
# Does this machine fit what was planned? Every finding is collected and told at once; nothing is written. Sourced by install.sh.
# shellcheck disable=SC2015,SC2034,SC2012
FINDINGS=''
NOTES=''
finding() { FINDINGS="$FINDINGS  - $*
"; }
note() { NOTES="$NOTES  $*
"; }

# version_is A OP B: dotted numbers, missing parts are 0; OP one of < <= == >= > !=
version_is() {
	awk -v a="$1" -v op="$2" -v b="$3" 'BEGIN {
		n = split(a, x, "."); m = split(b, y, "."); if (m > n) n = m
		for (i = 1; i <= n && !c; i++) c = (x[i] + 0 < y[i] + 0) ? -1 : (x[i] + 0 > y[i] + 0)
		exit !(op == "<" ? c < 0 : op == "<=" ? c <= 0 : op == ">=" ? c >= 0 : op == ">" ? c > 0 : op == "!=" ? c != 0 : c == 0) }'
}

fits() { # VERSION NEEDS: every part of ">=525.60.13,<600"
	for part in $(printf '%s' "$2" | tr ',' ' '); do
		op=$(printf '%s' "$part" | sed 's/[^<>=!].*//')
		version_is "$1" "${op:->=}" "${part#"$op"}" || return 1
	done
}

check_arch() {
	machine=$(uname -m)
	case $machine in amd64) machine=x86_64 ;; arm64) machine=aarch64 ;; esac
	[ -z "$GF_ARCH" ] || [ "$machine" = "$GF_ARCH" ] || finding "this machine is $machine, the bundle is for $GF_ARCH: plan again with --arch $machine"
}

check_os() {
	case $GF_OS in windows | macos) finding "the bundle is for $GF_OS and its scripts are for Linux: install the files of python/ there with pip, --no-index and requirements.txt"; return 0 ;; esac
	[ -n "$GF_OS" ] && [ -r /etc/os-release ] || return 0
	id=$(sed -n 's/^ID=//p' /etc/os-release | tr -d "\"'" | head -n 1)
	version=$(sed -n 's/^VERSION_ID=//p' /etc/os-release | tr -d "\"'" | head -n 1)
	[ "$id" = "$GF_OS" ] && { [ -z "$GF_OS_VERSION" ] || [ "$version" = "$GF_OS_VERSION" ]; } ||
		note "planned for $GF_OS $GF_OS_VERSION, this is ${id:-unknown} $version: what is needed of it is checked below"
}

libc_version() { # "glibc 2.36", "musl 1.2.3" or nothing
	found=$(getconf GNU_LIBC_VERSION 2>/dev/null) && [ -n "$found" ] && printf '%s\n' "$found" && return 0
	found=$(ldd --version 2>&1 | head -n 3)
	case $found in
	*musl*) printf '%s\n' "$found" | sed -n 's/^Version /musl /p' ;;
	*) printf '%s\n' "$found" | sed -n '1s/.* \([0-9]*\.[0-9]*\)$/glibc \1/p' ;;
	esac
}

# What the lock assumes about one thing, all in one: ">=2.28,>=2.27".
assumed() { printf '%s' "$GF_ASSUMES" | awk -F '|' -v about="$1" '$1 == about { all = all (all == "" ? "" : ",") $2 } END { print all }'; }

check_libc() {
	needs=$(assumed glibc)
	[ -z "$GF_GLIBC" ] || needs=${needs:+$needs,}'>='$GF_GLIBC
	[ -n "$needs" ] || return 0
	libc=$(libc_version)
	case $libc in
	glibc*) fits "${libc#glibc }" "$needs" || finding "this system has $libc, the stack needs glibc $needs: plan again with --glibc ${libc#glibc }" ;;
	musl*) finding "this system has $libc, the stack needs glibc $needs" ;;
	*) note "the C library's version could not be found out; the stack needs glibc $needs" ;;
	esac
}

# ---- what source archives are built with ----

first_of() { # COMMAND…: the first that is here
	for tool in "$@"; do
		if command -v "$tool" >/dev/null 2>&1; then
			command -v "$tool"
			return 0
		fi
	done
	return 1
}

nvcc_version() {
	nvcc=$(first_of "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" nvcc /usr/local/cuda/bin/nvcc) || return 0
	"$nvcc" --version 2>/dev/null | sed -n 's/.*release \([0-9][0-9.]*\).*/\1/p' | head -n 1
}

HEADERS='import os, sysconfig; os.stat(os.path.join(sysconfig.get_path("include"), "Python.h"))'

# check_tool NAME NEEDS: 0 it was a tool and has been looked for
check_tool() {
	lacks='' have=''
	case $1 in
	c-compiler) have=$(first_of ${CC:+"${CC%% *}"} cc gcc clang) || lacks='no C compiler (cc, gcc or clang) was found: install gcc' ;;
	c++-compiler) have=$(first_of ${CXX:+"${CXX%% *}"} c++ g++ clang++) || lacks='no C++ compiler (c++, g++ or clang++) was found: install g++ (Fedora, RHEL: gcc-c++)' ;;
	cargo) have=$(first_of cargo "${HOME:-/root}/.cargo/bin/cargo") || lacks='cargo, which compiles Rust, was not found: install it' ;;
	python-headers)
		[ -n "$PY" ] || return 0
		"$PY" -I -c "$HEADERS" 2>/dev/null && have=there ||
			lacks="the headers of $PY (Python.h) were not found: install python$GF_PYTHON-dev (Fedora, RHEL: python$GF_PYTHON-devel)" ;;
	nvcc)
		have=$(nvcc_version)
		if [ -z "$have" ]; then lacks="nvcc $2 was not found: install that CUDA toolkit, or set CUDA_HOME to it"
		elif ! fits "$have" "$2"; then lacks="nvcc is $have, the stack needs $2: set CUDA_HOME to a toolkit of that CUDA"; fi ;;
	*) return 1 ;;
	esac
	if [ -z "$lacks" ]; then note "$1: $have"
	elif [ -n "$ALLOW_TOOLS" ]; then note "$lacks; going on as told"
	else finding "$lacks, or go on with --allow-tools; the bundle holds source archives that are built here"; fi
}

# What else the lock assumes: the version of what answers here, else said and left to the reader.
check_assumptions() {
	for about in $(printf '%s' "$GF_ASSUMES" | sed 's/|.*//' | sort -u); do
		case $about in
		driver | glibc) continue ;;
		c-compiler | c++-compiler | python-headers | nvcc | cargo)
			check_tool "$about" "$(assumed "$about")"
			continue
			;;
		kernel) have=$(uname -r | sed 's/[^0-9.].*//') ;;
		*) have='' ;;
		esac
		needs=$(assumed "$about")
		if [ -z "$have" ]; then note "not checked: the stack needs $about $needs"
		elif fits "$have" "$needs"; then note "$about $have: fits ($needs)"
		else finding "$about is $have here, the stack needs $needs"; fi
	done
}

# ---- Python ----

PROBE='import sys, sysconfig, struct
abi = "cp%d%d" % sys.version_info[:2] + ("t" if sysconfig.get_config_var("Py_GIL_DISABLED") else "")
lacking = []
for m in "zlib", "json", "email.parser", "logging", "urllib.request", "xml.parsers.expat", "ctypes", "hashlib", "tempfile":
    try: __import__(m)
    except Exception: lacking.append(m)
print("%d.%d" % sys.version_info[:2], sys.implementation.name, abi, struct.calcsize("P") * 8, ",".join(lacking) or "-")'

# Why a Python is not the one, or nothing when it is.
python_misfit() {
	facts=$("$1" -I -c "$PROBE" 2>/dev/null) || { printf 'it does not run'; return; }
	# shellcheck disable=SC2086
	set -- $facts
	[ $# = 5 ] || { printf 'it does not tell what it is'; return; }
	wanted_t=''
	case $GF_PYTHON_ABI in *t) wanted_t=t ;; esac
	if [ "$1" != "$GF_PYTHON" ]; then printf 'it is Python %s' "$1"
	elif [ "$2" != "$GF_PYTHON_IMPL" ]; then printf 'it is %s' "$2"
	elif [ "${3#"${3%t}"}" != "$wanted_t" ]; then printf 'it is the %s build' "$3"
	elif [ "$4" != 64 ]; then printf 'it is a %s-bit build' "$4"
	elif [ "$5" != - ]; then printf 'it lacks the modules %s of the standard library' "$5"; fi
}

# Sets PY to a Python that fits, or adds a finding with what was seen.
find_python() {
	PY=''
	[ -n "$GF_PYTHON" ] || return 0
	seen=''
	if [ -n "$PYTHON" ]; then
		list=$PYTHON
	else
		list=''
		for folder in $(printf '%s' "$PATH" | tr ': ' '\n_') /usr/local/bin /usr/bin /opt/python/bin "/opt/python$GF_PYTHON/bin" /opt/conda/bin; do
			for name in "python$GF_PYTHON" python3 python; do
				if [ -x "$folder/$name" ]; then list="$list $folder/$name"; fi
			done
		done
	fi
	for candidate in $list; do
		case " $seen" in *" $candidate:"*) continue ;; esac
		path=$(command -v "$candidate" 2>/dev/null) || { seen="$seen $candidate: it is not there;"; continue; }
		misfit=$(python_misfit "$path")
		if [ -z "$misfit" ]; then
			PY=$("$path" -I -c 'import sys; print(sys.executable)') && [ -x "$PY" ] || PY=$path # a shim is not there for ever
			return 0
		fi
		seen="$seen $candidate: $misfit;"
	done
	flavour=''
	case $GF_PYTHON_ABI in *t) flavour=' (free-threaded)' ;; esac
	finding "no Python $GF_PYTHON$flavour was found, the bundle's files are for it. Seen:${seen:- none.} Name one with --python, or plan again with --python X.Y"
}

# ---- disk and folder ----

nearest_folder() {
	folder=$1
	while [ ! -d "$folder" ]; do folder=$(dirname "$folder"); done
	printf '%s\n' "$folder"
}

check_space() {
	folder=$(nearest_folder "$PREFIX")
	free=$(df -Pk "$folder" 2>/dev/null | awk 'NR > 1 && NF >= 4 { free = $(NF - 2) } END { print free }')
	there=0
	if [ -d "$STATE" ]; then there=$(du -sk "$PREFIX" 2>/dev/null | awk '{ print $1 + 0; exit }'); fi
	[ -z "$FORCE_SPACE" ] || return 0
	case $free in
	'' | 0 | *[!0-9]*) finding "the free space of '$folder' could not be found out, about $((GF_NEED_KB / 1024)) MB are needed: --force-space goes on" ;;
	*) awk -v free="$free" -v there="${there:-0}" -v need="$GF_NEED_KB" 'BEGIN { exit !(free + there >= need) }' ||
		finding "'$folder' has $((free / 1024)) MB free, about $((GF_NEED_KB / 1024)) MB are needed: free some, choose another --prefix, or go on with --force-space" ;;
	esac
}

check_prefix() {
	if [ -e "$PREFIX" ] && [ ! -d "$PREFIX" ]; then
		finding "'$PREFIX' is not a folder"
		return
	fi
	folder=$(nearest_folder "$PREFIX")
	[ -w "$folder" ] || finding "'$folder' cannot be written by user $(id -un 2>/dev/null || id -u): choose another --prefix, or run as a user who may"
	[ -d "$PREFIX" ] || return 0
	if [ -f "$STATE/journal" ]; then
		grep -q " $KEY\$" "$STATE/journal" ||
			finding "'$PREFIX' holds what another bundle installed: remove it with 'sh $STATE/uninstall.sh', or choose another --prefix"
		return
	fi
	# a folder where nothing but an empty state of ours is
	[ -z "$(find "$PREFIX" ! -path "$PREFIX" ! -path "$STATE" ! -path "$STATE/*" 2>/dev/null | head -n 1)" ] ||
		finding "'$PREFIX' is not empty: choose a folder of its own"
}

# ---- driver ----

driver_version() {
	if [ -r /sys/module/nvidia/version ]; then
		head -n 1 /sys/module/nvidia/version
	elif [ -r /proc/driver/nvidia/version ]; then
		sed -n '1s/.* \([0-9][0-9]*\.[0-9][0-9.]*\) .*/\1/p' /proc/driver/nvidia/version
	else
		for smi in nvidia-smi /usr/lib/wsl/lib/nvidia-smi; do
			command -v "$smi" >/dev/null 2>&1 || continue
			"$smi" --query-gpu=driver_version --format=csv,noheader 2>/dev/null | sed -n '1s/^\([0-9][0-9.]*\).*/\1/p'
			return
		done
	fi
}

# "a chroot", "a container" or nothing
inside() {
	if [ -e /.dockerenv ] || [ -e /run/.containerenv ] || [ -n "${container:-}" ] || grep -qE 'docker|kubepods|lxc|containerd' /proc/1/cgroup 2>/dev/null; then
		printf 'a container'
	elif [ ! -r /proc/self/mountinfo ] || ! awk '$5 == "/" { found = 1 } END { exit !found }' /proc/self/mountinfo; then
		printf 'a chroot' # where the root is no mount, or /proc is not there at all
	elif [ -e /proc/1/root/. ] && [ "$(ls -di / | awk '{ print $1 }')" != "$(ls -di /proc/1/root/. | awk '{ print $1 }')" ]; then
		printf 'a chroot'
	fi
}

check_driver() {
	needs=$(assumed driver)
	[ -n "$needs" ] || return 0
	version=$(driver_version)
	where=$(inside)
	if [ -n "$version" ]; then
		if fits "$version" "$needs"; then note "NVIDIA driver $version: fits ($needs)"
		elif [ -n "$ALLOW_DRIVER" ]; then note "NVIDIA driver $version does not fit ($needs); going on as told"
		else finding "the NVIDIA driver is $version, the stack needs $needs: install another driver, or plan again with --driver $version"; fi
	elif [ -n "$where" ]; then note "this is $where: no driver was looked for (the stack needs $needs)"
	elif [ -n "$ALLOW_DRIVER" ]; then note "no NVIDIA driver is loaded (the stack needs $needs); going on as told"
	else finding "no NVIDIA driver is loaded, the stack needs $needs: install it first, or go on with --allow-driver"; fi
}

preflight() {
	check_arch
	check_os
	check_libc
	find_python
	check_prefix
	check_space
	check_driver
	check_assumptions
	if [ -n "$NOTES" ]; then printf '%s' "$NOTES"; fi
	[ -z "$FINDINGS" ] || {
		printf 'this machine does not fit, nothing was changed:\n%s' "$FINDINGS" >&2
		exit 10
	}
}

tell_plan() {
	count=$(printf '%s' "$GF_PACKAGES" | grep -c .)
	printf 'bundle:  %s (lock %.12s)\n' "${GF_REQUESTED:-files}" "$GF_SEAL"
	printf 'into:    %s, about %s MB for %s packages\n' "$PREFIX" "$((GF_NEED_KB / 1024))" "$count"
	[ -z "$PY" ] || printf 'python:  %s\n' "$PY"
}
