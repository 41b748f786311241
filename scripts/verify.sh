#!/bin/sh
# Checks what install.sh installed: the versions, the imports, and on a machine with a GPU that it computes right numbers.
# usage: sh verify.sh [--prefix DIR] [--require-gpu]      exit status: 0 works, 2 usage, 20 does not
set -u
LC_ALL=C
export LC_ALL
unset CDPATH LD_PRELOAD LD_LIBRARY_PATH PYTHONPATH PYTHONHOME

main() {
	here=$(cd "$(dirname "$0")" && pwd -P) || exit 2
	prefix='' require_gpu=''
	case $here in */.gpuferry) prefix=${here%/.gpuferry} ;; esac
	while [ $# -gt 0 ]; do
		case $1 in
		--prefix) prefix=${2:-} && shift ;;
		--prefix=*) prefix=${1#*=} ;;
		--require-gpu) require_gpu=1 ;;
		--help | -h) sed -n '2,3s/^# //p' "$0" && exit 0 ;;
		*) printf 'verify.sh: there is no option %s\n' "$1" >&2 && exit 2 ;;
		esac
		[ $# = 0 ] || shift
	done
	[ -n "$prefix" ] || { printf 'verify.sh: name the folder that install.sh installed into with --prefix\n' >&2; exit 2; }
	# shellcheck source=/dev/null
	. "$here/lib/facts.sh"
	if [ -n "${GF_TARGETS:-}" ]; then # of several: the one that was installed
		[ -f "$prefix/.gpuferry/lib/facts.sh" ] || { printf 'verify.sh: nothing is installed in %s\n' "$prefix" >&2; exit 20; }
		# shellcheck source=/dev/null
		. "$prefix/.gpuferry/lib/facts.sh"
	fi
	[ -n "$GF_PYTHON" ] || { printf 'there is nothing for Python in this bundle\n'; exit 0; }
	[ -x "$prefix/bin/python" ] || { printf 'verify.sh: nothing is installed in %s\n' "$prefix" >&2; exit 20; }
	GF_REQUIRE_GPU=$require_gpu
	export GF_PACKAGES GF_REQUESTED GF_REQUIRE_GPU
	"$prefix/bin/python" -I -B "$here/lib/check.py" || exit 20
}
main ${1+"$@"}
exit
