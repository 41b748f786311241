#!/bin/sh
# timeout: 600
# Without a GPU rule, the packages of a plan are those that uv chooses: x86_64, glibc 2.28, Python 3.12, the default index.
set -u
. tests/lib/uv.sh
uv=$(find_uv) || { echo "uv is not here"; exit 77; }
python=$(python3 -c 'import sys; print(sys.executable)')
passed=0 failed=0

by_uv() { # REQUIREMENTS…: into $TMPDIR/uv
	printf '%s\n' "$@" | "$uv" pip compile - --quiet --no-header --no-annotate --no-python-downloads --python "$python" \
		--python-platform x86_64-manylinux_2_28 --python-version 3.12 --cache-dir "$XDG_CACHE_HOME/uv" 2>"$TMPDIR/uv.err" | sed 's/ *;.*//' | sort >"$TMPDIR/uv"
}
by_us() { # REQUIREMENTS…: into $TMPDIR/us
	"$GPUFERRY" plan "$@" --accelerator any --arch x86_64 --glibc 2.28 --python 3.12 --sources default --no-installer -o "$TMPDIR/lock" >"$TMPDIR/us.out" 2>&1 &&
		python3 tests/lib/lock.py "$TMPDIR/lock" | sort >"$TMPDIR/us"
}
same() { # NAME REQUIREMENTS…
	name=$1
	shift
	for try in first second; do # the index may gain a release between the two
		by_uv "$@"
		[ -s "$TMPDIR/uv" ] || { echo "uv: $(tail -n 1 "$TMPDIR/uv.err")"; echo "uv cannot resolve here: is the index reachable?"; exit 77; }
		by_us "$@" || { echo "$name: gpuferry plan failed:"; cat "$TMPDIR/us.out"; failed=$((failed + 1)); return; }
		if diff "$TMPDIR/uv" "$TMPDIR/us" >"$TMPDIR/diff"; then
			passed=$((passed + 1))
			echo "$name: the same $(wc -l <"$TMPDIR/us") packages"
			return
		fi
	done
	echo "$name: not the packages that uv chooses (< uv, > gpuferry), at the $try try too:"
	cat "$TMPDIR/diff"
	failed=$((failed + 1))
}

same torch torch
same 'torch and seven more' torch torchvision torchaudio transformers peft bitsandbytes accelerate datasets
same tensorflow 'tensorflow[and-cuda]'
same onnxruntime-gpu onnxruntime-gpu
echo "$passed passed, $failed failed"
[ $failed = 0 ]
