#!/bin/sh
# Watches the GPUs of this machine, for cron and for monitoring: one line when all is well, a report with what to do otherwise.
#   sh health.sh                        look at bus, driver, nvidia-smi, device nodes, memory, hardware
#   sh health.sh --python PATH          and compute on every GPU with that Python's torch, a number compared
#   sh health.sh --expect N             N GPUs must be there
#   sh health.sh --max-temperature C    warn from there on (default 90)
#   sh health.sh --prometheus FILE      write the figures for node_exporter's textfile collector too
# Exit status as monitoring plugins have it: 0 well, 1 warning, 2 critical, 3 unknown. Any POSIX shell, any user, nothing is changed.
# shellcheck disable=SC2003  # expr: some shells count with 32 bits
LC_ALL=C
export LC_ALL
python='' expect='' prometheus='' hot=90
usage() { sed -n '2,8s/^# \{0,1\}//p' "$0"; }
wrong() { echo "health.sh: $1; --help lists the options" >&2; exit 3; }
number() { case $2 in '' | *[!0-9]*) wrong "$1 needs a number, not '$2'" ;; esac; }
while [ $# -gt 0 ]; do
	case $1 in
	--python | --expect | --max-temperature | --prometheus) [ $# -gt 1 ] || wrong "$1 needs a value" ;;
	esac
	case $1 in
	--python) python=$2; shift ;;
	--expect) number "$1" "$2"; expect=$2; shift ;;
	--max-temperature) number "$1" "$2"; hot=$2; shift ;;
	--prometheus) prometheus=$2; shift ;;
	-h | --help) usage; exit 0 ;;
	*) wrong "there is no option '$1'" ;;
	esac
	shift
done

root=${GPUFERRY_ROOT:-} # for tests: where /sys, /proc and /dev are looked for
worst=0 report='' metrics='' well='' checks=' '
line_of() { [ -r "$1" ] && IFS= read -r line <"$1" && printf %s "$line"; }
metric() { # NAME LABELS VALUE
	metrics="$metrics
gpuferry_$1${2:+{$2\}} $3"
}
# found CHECK LEVEL TEXT [WHAT TO DO]
found() {
	case $2 in 1) word=warning ;; 2) word=CRITICAL ;; *) word=unknown ;; esac
	report="$report
$word: $1: $3${4:+
    $4}"
	# unknown weighs less than critical
	case $worst$2 in 03 | 01 | 02 | 12 | 13 | 32) worst=$2 ;; esac
	checks="$checks$1=$2 "
}

# --- bus --------------------------------------------------------------------------------------------------------------
nvidia=0 amd=0 huawei=0 other=''
bus() {
	[ -d "$root/sys/bus/pci/devices" ] || { [ -e "$root/dev/dxg" ] || found bus 3 '/sys/bus/pci cannot be read' 'run it on the machine itself, not in a container without /sys'; return; }
	for d in "$root"/sys/bus/pci/devices/*; do
		case $(line_of "$d/class") in 0x03* | 0x12*) ;; *) continue ;; esac
		case $(line_of "$d/vendor") in
		0x10de) nvidia=$((nvidia + 1)) ;;
		0x1002) amd=$((amd + 1)) ;;
		0x19e5) huawei=$((huawei + 1)) ;;
		*) other="$other $(line_of "$d/vendor"):$(line_of "$d/device")"; continue ;;
		esac
		now=$(line_of "$d/current_link_width") most=$(line_of "$d/max_link_width")
		case $now$most in '' | *[!0-9]*) continue ;; esac
		[ -z "$now" ] || [ -z "$most" ] || [ "$now" -ge "$most" ] || [ "$now" = 0 ] ||
			found link 1 "${d##*/} runs with $now of $most PCIe lanes" 'reseat the card and its riser; some slots have fewer lanes: see the board'\''s manual'
	done
	all=$((nvidia + amd + huawei))
	metric gpus '' $all
	if [ -n "$expect" ] && [ "$all" != "$expect" ]; then
		found bus 2 "$all GPUs are on the bus, $expect should be" 'a card that is missing here is not powered, not seated, or dead: look at the BIOS and lspci'
	elif [ $all = 0 ]; then
		found bus 2 "no GPU of NVIDIA, AMD or Huawei is on the bus${other:+; others:$other}" 'power, seat, BIOS (Above 4G decoding), and in a virtual machine the pass-through'
	fi
}

# --- driver -----------------------------------------------------------------------------------------------------------
version=''
driver() {
	[ $nvidia -gt 0 ] || return
	version=$(sed -n '1s/.* \([0-9][0-9]*\.[0-9][0-9.]*\) .*/\1/p' "$root/proc/driver/nvidia/version" 2>/dev/null)
	[ ! -d "$root/sys/module/nouveau" ] ||
		found driver 2 'nouveau is loaded: NVIDIA'\''s driver cannot have the card' 'blacklist nouveau, rebuild the initramfs, reboot'
	if [ -z "$version" ]; then
		found driver 2 'the nvidia kernel module is not loaded' 'modprobe nvidia; when it says "Key was rejected", Secure Boot wants a signed module; after a kernel update run dkms autoinstall'
		return
	fi
	for d in /usr/lib/*-linux-gnu /usr/lib64 /usr/lib; do
		for f in "$root$d"/libcuda.so.[0-9]*.[0-9]*; do
			[ -e "$f" ] || continue
			lib=${f##*/libcuda.so.}
			[ "$lib" = "$version" ] || found driver 2 "the loaded module is $version, libcuda is $lib" 'the driver was updated under the running kernel module: reboot, or unload and load the modules'
			return
		done
	done
}

# --- nvidia-smi, memory, hardware --------------------------------------------------------------------------------------
names=''
smi() {
	[ $nvidia -gt 0 ] && [ -n "$version" ] || return
	command -v nvidia-smi >/dev/null || { found nvidia-smi 3 'nvidia-smi is not here: temperature, memory and errors are not known' 'install the driver'\''s utilities package of the same version'; return; }
	fields=index,name,temperature.gpu,memory.used,memory.total,ecc.errors.uncorrected.volatile.total,clocks_throttle_reasons.hw_slowdown,pstate,power.draw
	csv=$(nvidia-smi --query-gpu=$fields --format=csv,noheader,nounits 2>&1) || {
		found nvidia-smi 2 "$(printf '%s\n' "$csv" | head -n 1)" "see 'gpuferry doctor' with that text"
		return
	}
	count=0
	while IFS=, read -r index name temperature used total ecc slow _ power; do
		[ -n "$index" ] || continue
		count=$((count + 1)) name=${name# } temperature=${temperature# } used=${used# } total=${total# } ecc=${ecc# } slow=${slow# } power=${power# }
		names="$names, $name"
		case $name$temperature in *ERR!* | *'Unknown Error'* | *'GPU is lost'*) found hardware 2 "GPU $index answers '$name $temperature'" 'it has fallen off the bus: look for Xid 79 in dmesg, then power-cycle'; continue ;; esac
		case $temperature in *[!0-9]* | '') ;; *)
			metric gpu_temperature_celsius "gpu=\"$index\"" "$temperature"
			well="$well $temperature°C"
			[ "$temperature" -lt "$hot" ] || found temperature 1 "GPU $index is at $temperature °C" 'fans, dust, air flow; it slows itself down from there on'
			;;
		esac
		case $used$total in *[!0-9]* | '') ;; *)
			metric gpu_memory_used_bytes "gpu=\"$index\"" "$(expr "$used" '*' 1048576)"
			metric gpu_memory_total_bytes "gpu=\"$index\"" "$(expr "$total" '*' 1048576)"
			[ "$total" -lt 100 ] || [ $((used / (total / 100))) -lt 98 ] || found memory 1 "GPU $index has $used of $total MiB in use" "who holds it: nvidia-smi --query-compute-apps=pid,used_memory --format=csv"
			;;
		esac
		case $ecc in *[!0-9]* | '' | 0) ;; *) found ecc 2 "GPU $index counts $ecc uncorrected memory errors since the driver was loaded" 'reset the GPU; if they come back, nvidia-smi -q -d ROW_REMAPPER,PAGE_RETIREMENT, then exchange it' ;; esac
		case $slow in Active) found power 1 "GPU $index is slowed down by hardware" 'temperature, or a power cable that is missing: nvidia-smi -q -d PERFORMANCE' ;; esac
		case $power in *[!0-9.]* | '') ;; *) metric gpu_power_watts "gpu=\"$index\"" "$power" ;; esac
	done <<-END
		$csv
	END
	[ $count = $nvidia ] || found nvidia-smi 2 "nvidia-smi shows $count of $nvidia GPUs" 'dmesg tells why the driver left one out: unsupported by it, or not initialised'
}
nodes() {
	[ $nvidia -gt 0 ] && [ -n "$version" ] || return
	for f in "$root/dev/nvidiactl" "$root"/dev/nvidia[0-9]*; do
		[ -e "$f" ] || { found nodes 2 "${f#"$root"} is not there" 'nvidia-modprobe -c0 -u makes it; in a container give it the device'; return; }
		if [ ! -r "$f" ] || [ ! -w "$f" ]; then found nodes 2 "${f#"$root"} is not open to $(id -un 2>/dev/null || id -u)" 'add the user to the group that owns it (video, render)'; fi
	done
}
log() { # Xid: the hardware's or a program's fault, as the driver numbers it
	[ $nvidia -gt 0 ] || return
	xids=$(dmesg 2>/dev/null | sed -n 's/.*NVRM: Xid (PCI:[^)]*): \([0-9]*\).*/\1/p')
	[ -n "$xids" ] || return
	metric xid_lines '' "$(printf '%s\n' "$xids" | wc -l | tr -d ' ')"
	for x in $(printf '%s\n' "$xids" | sort -un); do
		case $x in
		48 | 63 | 64 | 74 | 79 | 92 | 94 | 95 | 119 | 120) found xid 2 "the kernel's log holds Xid $x" "the hardware, its memory or its link: 'dmesg | grep Xid' and 'gpuferry doctor'" ;;
		13 | 31 | 43 | 45) ;; # a program's
		*) found xid 1 "the kernel's log holds Xid $x" "'dmesg | grep Xid' and 'gpuferry doctor'" ;;
		esac
	done
}
others() {
	if [ $amd -gt 0 ]; then
		if [ ! -e "$root/dev/kfd" ]; then found driver 1 'an AMD GPU is there, /dev/kfd is not' 'amdgpu is not loaded, or this card is none that ROCm computes on'
		elif [ ! -r "$root/dev/kfd" ] || [ ! -w "$root/dev/kfd" ]; then found nodes 2 '/dev/kfd is not open to this user' 'add the user to the groups render and video'; fi
	fi
	if [ $huawei -gt 0 ]; then
		command -v npu-smi >/dev/null || { found npu-smi 3 'npu-smi is not here: nothing is known of the NPUs'; return; }
		sick=$(npu-smi info 2>/dev/null | grep -E '\| *(Warning|Alarm|Critical|UNKNOWN) *\|')
		[ -z "$sick" ] || found hardware 2 "npu-smi says: $(printf '%s\n' "$sick" | head -n 1)" 'npu-smi info -t health, and the device log under /var/log/npu'
	fi
}

# --- does it compute ---------------------------------------------------------------------------------------------------
# The sum of squares 0² … 999² is 332833500 in any order: what a GPU gives is compared with it.
compute() {
	[ -n "$python" ] || return
	command -v "$python" >/dev/null || { found torch 3 "there is no '$python'" 'give the Python of the environment that is to be watched'; return; }
	limit=''
	! command -v timeout >/dev/null || limit='timeout 120'
	# shellcheck disable=SC2086
	said=$($limit "$python" - 2>&1 <<-'END'
		try:
		    import torch
		except Exception as e:
		    raise SystemExit("import: %s" % e)
		if not torch.cuda.is_available():
		    raise SystemExit("torch %s sees no GPU" % torch.__version__)
		for i in range(torch.cuda.device_count()):
		    try:
		        a = torch.arange(1000, dtype=torch.float64, device="cuda:%d" % i)
		        n = int((a @ a).item())
		    except Exception as e:
		        raise SystemExit("GPU %d: %s" % (i, str(e).split("\n")[0]))
		    if n != 332833500:
		        raise SystemExit("GPU %d computes %d, not 332833500" % (i, n))
		print("computes", torch.cuda.device_count())
	END
	)
	case $said in
	computes*) well="$well, torch computes on ${said#computes }" ;;
	*) found torch 2 "$(printf '%s\n' "$said" | tail -n 1)" "give the whole text to 'gpuferry doctor', with 'gpuferry detect' of this machine" ;;
	esac
}

bus
driver
nodes
smi
log
others
compute

write_prometheus() {
	case $prometheus in */*) dir=${prometheus%/*} ;; *) dir=. ;; esac
	new=$dir/.health.$$
	{
		echo '# HELP gpuferry_health 0 well, 1 warning, 2 critical, 3 unknown'
		echo '# TYPE gpuferry_health gauge'
		echo "gpuferry_health $worst"
		for c in $checks; do echo "gpuferry_check{check=\"${c%=*}\"} ${c#*=}"; done | sort -u
		[ -z "$metrics" ] || printf '%s\n' "$metrics" | sed 1d | sort
		echo "gpuferry_health_time_seconds $(date +%s)"
	} >"$new" 2>/dev/null && chmod 644 "$new" && mv "$new" "$prometheus" && return
	rm -f "$new"
	echo "health.sh: cannot write '$prometheus'" >&2
	return 1
}
if [ -n "$prometheus" ]; then write_prometheus || [ "$worst" != 0 ] || worst=3; fi

if [ "$worst" = 0 ]; then
	echo "OK: $((nvidia + amd + huawei)) GPUs${names:+:${names#,}}${version:+, driver $version}${well:+,}$well"
else
	case $worst in 1) word=WARNING ;; 2) word=CRITICAL ;; *) word=UNKNOWN ;; esac
	first=$(printf '%s\n' "$report" | sed -n '2s/^[A-Za-z]*: //p')
	printf '%s: %s\n%s\n' "$word" "$first" "$(printf '%s\n' "$report" | sed 1d)"
fi
exit "$worst"
