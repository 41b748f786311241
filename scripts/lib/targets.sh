#!/bin/sh
# Which of a bundle's targets is this machine? Sourced by install.sh behind preflight.sh; sets PART, the folder with that target's files, and its facts.
# shellcheck disable=SC2015,SC2034,SC2154

# ---- the GPUs here and those that were planned for ----

# "10de:2204|8.6|NVIDIA GeForce RTX 3090" a line for each, as far as can be seen; the capability only where the driver runs.
gpus_here() {
	for smi in nvidia-smi /usr/lib/wsl/lib/nvidia-smi; do
		command -v "$smi" >/dev/null 2>&1 || continue
		seen=$("$smi" --query-gpu=pci.device_id,compute_cap,name --format=csv,noheader 2>/dev/null | grep '^0x') ||
			seen=$("$smi" --query-gpu=pci.device_id,name --format=csv,noheader 2>/dev/null | grep '^0x' | sed 's/, */, , /') || continue
		printf '%s\n' "$seen" | awk -F ', *' '{ id = tolower(substr($1, 3)); name = $3; printf "%s:%s|%s|%s\n", substr(id, 5, 4), substr(id, 1, 4), $2, name }'
		return 0
	done
	for card in /sys/bus/pci/devices/*; do
		read -r vendor 2>/dev/null <"$card/vendor" && read -r device 2>/dev/null <"$card/device" && read -r class 2>/dev/null <"$card/class" || continue
		case $vendor:$class in
		0x10de:0x03* | 0x1002:0x03* | 0x1002:0x12* | 0x19e5:0x12*) printf '%s:%s||\n' "${vendor#0x}" "${device#0x}" ;;
		esac
	done
}

# "same" when every card here is one of the planned ones, by what both are known by: capability, else PCI id, else name; "other ID" with one that is not;
# "unknown" where nothing can be compared.
compare_gpus() { # HERE PLANNED
	printf '%s\n--\n%s\n' "$2" "$1" | awk -F '|' '
		function plain(name) { sub(/^NVIDIA /, "", name); return name }
		$0 == "--" { here = 1; next }
		$0 == "" { next }
		!here { n++; pci[n] = $1; cc[n] = $2; name[n] = plain($3); next }
		{
			cards++; best = ""
			for (i = 1; i <= n; i++) {
				if ($2 != "" && cc[i] != "") is = $2 == cc[i] ? "same" : "other"
				else if ($1 != "" && pci[i] != "") is = $1 == pci[i] ? "same" : "other"
				else if ($3 != "" && name[i] != "") is = plain($3) == name[i] ? "same" : "other"
				else is = "unknown"
				if (best == "" || is == "same" || is == "unknown" && best == "other") best = is
			}
			if (best == "other") { print "other " ($3 != "" ? $3 : $1); done = 1; exit }
			if (best == "unknown") unknown = 1
		}
		END { if (!done) print (!cards || unknown ? "unknown" : "same") }'
}

check_gpus() {
	[ -n "$GF_GPU_NEEDED" ] && [ -n "$GF_GPUS" ] && [ "$GF_GPUS" != none ] || return 0
	planned=$(printf '%s' "$GF_GPUS" | awk -F '|' '{ printf "%s%s", (NR > 1 ? ", " : ""), ($3 != "" ? $3 : $2 != "" ? "capability " $2 : $1) }')
	if [ -z "$GPUS_HERE" ]; then
		[ -n "$(inside)" ] || [ -n "$ALLOW_DRIVER" ] || finding "no GPU is seen here, it was planned for $planned"
		return 0
	fi
	case $(compare_gpus "$GPUS_HERE" "$GF_GPUS") in
	other*) finding "the GPU here is $(compare_gpus "$GPUS_HERE" "$GF_GPUS" | sed 's/^other //'), it was planned for $planned" ;;
	esac
}

# ---- the choice ----

# Of the facts that a plan tells, those that are here as planned, as words.
like_here() {
	if [ "$GF_GPUS" = none ] && [ -z "$GPUS_HERE" ]; then printf ' no GPU,'
	elif [ -n "$GF_GPUS" ] && [ -n "$GPUS_HERE" ] && [ "$(compare_gpus "$GPUS_HERE" "$GF_GPUS")" = same ]; then printf ' GPU,'; fi
	if [ -n "$GF_DRIVER_PLANNED" ] && [ "$GF_DRIVER_PLANNED" = "$DRIVER_HERE" ]; then printf ' driver %s,' "$DRIVER_HERE"; fi
	if [ -n "$GF_LIBC_VERSION" ] && [ "$GF_LIBC $GF_LIBC_VERSION" = "$LIBC_HERE" ]; then printf ' %s,' "$LIBC_HERE"; fi
	if [ -n "$GF_OS" ] && [ "$GF_OS $GF_OS_VERSION" = "$OS_HERE" ]; then printf ' %s,' "$OS_HERE"; fi
}

facts_of() { # LABEL
	PART=$HERE/targets/$1
	[ -f "$PART/facts.sh" ] || die 11 "the bundle has no 'targets/$1/facts.sh': it is damaged"
	# shellcheck source=/dev/null
	. "$PART/facts.sh"
}

# Adds the target to FITTING (with how many facts are as here, and which), or why it does not fit to MISFITS.
try_target() { # LABEL
	facts_of "$1"
	FINDINGS='' NOTES=''
	check_arch
	check_os
	if [ -z "$FINDINGS" ]; then
		check_libc
		find_python_once
		check_driver
		check_gpus
		check_assumptions
	fi
	if [ -z "$FINDINGS" ]; then
		like=$(like_here)
		FITTING="$FITTING$(printf '%s' "$like" | tr -cd , | wc -c | tr -d ' ') $1 ${like%,}
"
	else
		MISFITS="$MISFITS  - $1: $(printf '%s' "$FINDINGS" | sed 's/^  - //' | tr '\n' ';' | sed 's/;$//; s/;/; /g')
"
	fi
	FINDINGS='' NOTES=''
}

# Which Pythons are here is asked once for each that some target wants.
find_python_once() {
	known=$(printf '%s' "$PYTHONS" | awk -F '|' -v key="$GF_PYTHON $GF_PYTHON_IMPL $GF_PYTHON_ABI" '$1 == key { print $2; exit }')
	case $known in
	'') ;;
	yes) return 0 ;;
	*) finding "${known#no }"; return 0 ;;
	esac
	before=$FINDINGS
	find_python
	said=$(printf '%s' "${FINDINGS#"$before"}" | sed 's/^  - //' | tr '|\n' '/ ')
	PYTHONS="$PYTHONS$GF_PYTHON $GF_PYTHON_IMPL $GF_PYTHON_ABI|${said:+no }${said:-yes}
"
}

# The label of the target that is, or has a machine, of this name. Names are compared as texts, whatever number they look like.
target_named() { # NAME
	{ printf '%s' "${GF_TARGETS:-}" | sed 's/ .*//; s/.*/& &/' && printf '%s' "${GF_MACHINES:-}"; } |
		awk -v name="$1" '$1 "" == name "" { print $2; found = 1; exit } END { exit !found }'
}

# The one whose own lock was installed into the prefix before.
target_installed() {
	[ -f "$STATE/journal" ] || return 1
	printf '%s' "$GF_TARGETS" | while read -r label seal; do
		if grep -q " $seal\$" "$STATE/journal"; then printf '%s\n' "$label"; fi
	done | head -n 1 | grep .
}

target_fitting() {
	GPUS_HERE=$(gpus_here) DRIVER_HERE=$(driver_version) LIBC_HERE=$(libc_version) FITTING='' MISFITS='' PYTHONS=''
	OS_HERE=$(sed -n 's/^ID=//p' /etc/os-release 2>/dev/null | tr -d "\"'" | head -n 1)' '$(sed -n 's/^VERSION_ID=//p' /etc/os-release 2>/dev/null | tr -d "\"'" | head -n 1)
	all=$(printf '%s' "$GF_TARGETS" | sed 's/ .*//') own=$(target_named "$(uname -n)")
	for label in $all; do try_target "$label"; done
	count=$(printf '%s\n' "$all" | grep -c .) fit=$(printf '%s' "$FITTING" | grep -c .)
	[ "$fit" != 0 ] || {
		printf 'none of the %s targets of this bundle is this machine, nothing was changed:\n%sname one with --target if you know better\n' "$count" "$MISFITS" >&2
		exit 10
	}
	best=$(printf '%s' "$FITTING" | awk -v own="$own" '$2 "" == own "" { print; found = 1; exit } $1 > most || NR == 1 { most = $1; line = $0 } END { if (!found) print line }')
	LABEL=$(printf '%s' "$best" | cut -d ' ' -f 2) same=$(printf '%s' "$best" | cut -d ' ' -f 3- | sed 's/^ *//')
	if [ "$fit" = 1 ]; then WHY="the only one of $count that fits"
	elif [ "$LABEL" = "$own" ]; then WHY="this machine's name, $(uname -n), is planned for"
	elif [ -n "$same" ]; then WHY="of $fit that fit, most is as here: $same"
	else WHY="of $fit that fit, the first"; fi
}

choose_target() {
	PART=$HERE FACTS=$HERE/lib/facts.sh LABEL=${GF_LABEL:-}
	if [ -z "${GF_TARGETS:-}" ]; then
		[ -z "$TARGET" ] || [ "$TARGET" = "$LABEL" ] || target_named "$TARGET" >/dev/null ||
			die 2 "this bundle is for one target${LABEL:+, $LABEL}: there is no '$TARGET' in it"
		return 0
	fi
	if [ -n "$TARGET" ]; then
		LABEL=$(target_named "$TARGET") || die 2 "there is no target '$TARGET'; there are: $(printf '%s' "$GF_TARGETS" | sed 's/ .*//' | tr '\n' ' ' | sed 's/ $//')"
		WHY="as told by --target"
	elif LABEL=$(target_installed); then WHY="it is what '$PREFIX' has already"
	else target_fitting; fi
	facts_of "$LABEL"
	FACTS=$PART/facts.sh
	printf 'target:  %s (%s)\n' "$LABEL" "$WHY"
}
