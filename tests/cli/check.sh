#!/bin/sh
# check of files that would be installed, of a paste, of several WHATs; doctor of logs as terminals leave them; fit and its exit status.
set -u
passed=0 failed=0
cd_root=$(pwd)
w=$TMPDIR/w && mkdir -p "$w"
# NAME STATUS WORD… for the command whose output is in $TMPDIR/said
said() {
	name=$1 want=$2 good=yes
	shift 2
	[ "$status" = "$want" ] || { good=no && echo "$name: exit $status, expected $want"; }
	for word; do grep -qF -- "$word" "$TMPDIR/said" || { good=no && echo "$name: '$word' is not said"; }; done
	if [ $good = yes ]; then passed=$((passed + 1)); else failed=$((failed + 1)) && sed 's/^/    | /' "$TMPDIR/said" | head -n 30; fi
}
gpuferry() { (cd "$w" && "$GPUFERRY" "$@") >"$TMPDIR/said" 2>&1; status=$?; }
pascal='--offline --gpu 10de:1b80 --driver 560.35.03 --os debian-12'

printf 'torch==2.8.0\ntorchvision==0.23.0\n' >"$w/requirements.txt"
# shellcheck disable=SC2086
gpuferry check requirements.txt $pascal
said 'requirements: the default build' 1 R-ARCH 'torch 2.8.0' cu126
printf -- '--index-url https://download.pytorch.org/whl/cu126\ntorch==2.8.0\ntorchvision==0.23.0\n' >"$w/requirements-gpu.txt"
# shellcheck disable=SC2086
gpuferry check requirements-gpu.txt $pascal
said 'requirements: the build of the index named' 0 works
printf 'torch>=2.8,<2.9\n' >"$w/requirements.in"
# shellcheck disable=SC2086
gpuferry check requirements.in $pascal
said 'requirements: a range' 1 'torch is not pinned: taken for 2.8.0' R-ARCH
printf 'nope nope\n' >"$w/requirements.txt"
# shellcheck disable=SC2086
gpuferry check requirements.txt $pascal
said 'requirements: a line that is none' 2 requirements.txt nope
printf 'dependencies:\n  - python=3.10\n  - pytorch=2.1.0=py3.10_cuda11.8_cudnn8.7.0_0 # pinned\n  - pip:\n    - numpy==2.1.0\n' >"$w/environment.yml"
# shellcheck disable=SC2086
gpuferry check environment.yml $pascal
said 'environment.yml' 1 numpy 'torch 2.1.0'
printf 'lock-version = "1.0"\n[[packages]]\nname = "torch"\nversion = "2.9.1+cu130"\n' >"$w/pylock.toml"
# shellcheck disable=SC2086
gpuferry check pylock.toml $pascal
said 'pylock.toml' 1 R-ARCH R-DRV-MAJOR 580.65.06
printf 'version = 1\n[[package]]\nname = "torch"\nversion = "2.9.1"\nsource = { registry = "https://download.pytorch.org/whl/cu126" }\n[[package]]\nname = "me"\nversion = "0"\nsource = { virtual = "." }\n' >"$w/uv.lock"
# shellcheck disable=SC2086
gpuferry check uv.lock $pascal
said 'uv.lock' 0 works
printf 'FROM nvidia/cuda:12.4.1-cudnn-devel-ubuntu22.04\nRUN apt-get update && \\\n  pip install torch==2.9.0 --index-url https://download.pytorch.org/whl/cu130\n' >"$w/Dockerfile"
# shellcheck disable=SC2086
gpuferry check Dockerfile $pascal
said 'Dockerfile' 1 'torch 2.9.0+cu130' R-DRV-MAJOR
# whatever the name, by what stands in it; and from standard input
# shellcheck disable=SC2086
as_any() { # NAME FILE STATUS WORD…
	name=$1 file=$2
	shift 2
	cp "$w/$file" "$w/any.dat"
	gpuferry check any.dat $pascal
	said "$name under another name" "$@"
	(cd "$w" && "$GPUFERRY" check - $pascal <"$file") >"$TMPDIR/said" 2>&1
	status=$?
	said "$name from standard input" "$@"
}
as_any Dockerfile Dockerfile 1 'torch 2.9.0+cu130' R-DRV-MAJOR
as_any requirements requirements-gpu.txt 0 works
as_any pylock pylock.toml 1 R-DRV-MAJOR
as_any environment environment.yml 1 numpy 'torch 2.1.0'
printf 'numpy==2.1.0\ntorch==2.8.0\n' >"$w/frozen"
as_any 'pip freeze' frozen 1 R-ARCH 'torch 2.8.0'
printf '[project]\nname = "x"\nversion = "1"\ndependencies = ["torch==2.8.0"]\n' >"$w/project.toml"
as_any pyproject project.toml 1 R-ARCH 'torch 2.8.0'
printf 'FROM debian:12\nCOPY list.txt /app/\nRUN pip install -r /app/list.txt -r gone.txt\n' >"$w/Dockerfile" && printf 'torch==2.8.0\n' >"$w/list.txt"
# shellcheck disable=SC2086
gpuferry check Dockerfile $pascal
said 'Dockerfile: the list beside it' 1 R-ARCH 'gone.txt, which is not beside it'
printf 'FROM debian:12\nRUN pip install -r - && pip install torch==2.8.0\n' >"$w/Dockerfile"
# shellcheck disable=SC2086
gpuferry check Dockerfile $pascal
said 'Dockerfile: standard input is no list' 1 R-ARCH 'installs from -, which is not beside it'
printf -- '-r -\n' >"$w/requirements-in.txt"
# shellcheck disable=SC2086
gpuferry check requirements-in.txt $pascal
said 'requirements: standard input is not included' 2 'includes standard input'
printf 'version = 3\n[[package]]\nname = "torch"\nversion = "2.8.0"\n' >"$w/Cargo.lock"
# shellcheck disable=SC2086
gpuferry check Cargo.lock $pascal
said 'the lock of another tool is no uv.lock' 2 'holds no fact'
# options and a paste together: both hold
printf 'NVIDIA-SMI 560.35.03   Driver Version: 560.35.03   CUDA Version: 12.6\n' >"$w/smi.txt"
gpuferry check smi.txt frozen --gpu 10de:1b80
said 'a paste and an option' 1 R-ARCH 'GeForce GTX 1080'
gpuferry check frozen --gpu 7.0
said 'what is not known is named' 0 works driver
printf 'version = 1\n[[package]\n' >"$w/uv.lock"
# shellcheck disable=SC2086
gpuferry check uv.lock $pascal
said 'a lock that is none' 2 uv.lock
gpuferry check nothing-here.txt
said 'no such file' 6 nothing-here.txt
gpuferry check "$cd_root/tests/cases/public/C044.json"
said 'a profile that works' 0 works
gpuferry check --json "$cd_root/tests/cases/public/C004.json"
said 'as a document' 1 '"schema": "gpuferry.verdict/1"' '"verdict": "broken"' '"rule": "R-ARCH"'

printf 'epoch 1\r\n\033[1m\033[31mRuntimeError\033[0m: CUDA error: no kernel   image is\033[0m available for execution on the device\r\n' >"$w/log"
gpuferry doctor log
said 'colours and CRLF' 1 R-ARCH 'line 2'
printf 'version \342\200\230GLIBC_2.34\342\200\231 not found' >"$w/log"
gpuferry doctor log
said 'typographic quotes, no newline' 1 R-GLIBC '2.34'
printf 'You have exceeded your GPU quota (60s requested vs. 0s left)\n' | "$GPUFERRY" doctor - >"$TMPDIR/said" 2>&1
status=$?
said 'a quota of a platform' 1 R-QUOTA 'nothing is wrong'
printf 'all is well\n' >"$w/log"
gpuferry doctor log
said 'nothing that is known' 3 'a message that the data knows'
dd if=/dev/urandom of="$w/log" bs=65536 count=4 2>/dev/null
gpuferry doctor log
case $status in 1 | 3) passed=$((passed + 1)) ;; *) failed=$((failed + 1)) && echo "random bytes: exit $status" ;; esac
gpuferry doctor
[ $status = 0 ] || [ $status = 1 ] || status=3
said 'doctor without text' $status bus load

gpuferry fit --model llama-3-8b --gpu 'RTX 4060' --format awq4
said 'fits' 0 'fits' 'KV cache'
gpuferry fit --model llama-3-70b --memory 24
said 'does not fit' 1 'does not fit'
gpuferry fit --model llama-2-7b --memory 14.6
said 'doubtful' 3 doubtful
gpuferry fit --parameters 7B --method qlora --checkpointing --sequence 512 --json
said 'fit as a document' 0 '"schema": "gpuferry.fit/1"' '"shape_assumed": true' 'fits'
gpuferry fit --parameters 7B --format q9
said 'an unknown format' 2 q9 nf4
gpuferry fit --parameters 7B --method full --format nf4
said 'full training of 4 bits' 2 qlora
echo "$passed passed, $failed failed"
[ $failed = 0 ]
