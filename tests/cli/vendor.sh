#!/bin/sh
# PyTorch's own index beside the default one: a replica on loopback stands for both (its /whl/cuXXX/ has PyTorch's layout).
set -u
. tests/lib/replica.sh
cat >"$TMPDIR/packages.json" <<'J'
[
  {"filename": "torch-2.7.1-cp312-cp312-manylinux_2_28_x86_64.whl"},
  {"filename": "torch-2.10.0-cp312-cp312-manylinux_2_28_x86_64.whl"},
  {"filename": "torch-2.10.0+cu126-cp312-cp312-manylinux_2_28_x86_64.whl"},
  {"filename": "torch-2.10.0+cu130-cp312-cp312-manylinux_2_28_x86_64.whl"},
  {"filename": "torchvision-0.25.0-cp312-cp312-manylinux_2_28_x86_64.whl", "requires": ["torch==2.10.0"]},
  {"filename": "torchvision-0.25.0+cu126-cp312-cp312-manylinux_2_28_x86_64.whl", "requires": ["torch==2.10.0"]},
  {"filename": "torchvision-0.22.1-cp312-cp312-manylinux_2_28_x86_64.whl", "requires": ["torch==2.7.1"]}
]
J
replica --packages "$TMPDIR/packages.json"
plan() { # INTO ARGUMENTS…
	into=$1
	shift
	"$GPUFERRY" plan "$@" --os debian-12 --python 3.12 --no-installer -i "$base/simple" -o "$TMPDIR/lock" >"$TMPDIR/$into" 2>&1
}
GPUFERRY_MIRROR_PYTORCH=$base/whl
export GPUFERRY_MIRROR_PYTORCH

plan pascal torch torchvision --gpu "GTX 1080" --driver 580.95.05
equal 'Pascal: a plan' $? 0
says 'Pascal: the newest release has code for it in the vendor build' '^  torch  *2.10.0+cu126 ' "$TMPDIR/pascal"
says 'Pascal: torchvision is of the same variant' '^  torchvision  *0.25.0+cu126 ' "$TMPDIR/pascal"
plan default torch torchvision --gpu "GTX 1080" --driver 580.95.05 --sources default
says 'the default index alone has an older one' '^  torch  *2.7.1 ' "$TMPDIR/default"
plan named torch --gpu "RTX 4090" --driver 580.95.05 --sources default,pytorch-cu126
equal 'one index by name' $? 0
silent 'the others are not asked' 'cu130' "$TMPDIR/named"
says 'only what is routed is asked there' '/whl/cu126/torch/' "$log"
silent 'nothing else is' '/whl/cu126/numpy' "$log"

GPUFERRY_MIRROR_PYTORCH=http://127.0.0.1:9/whl
plan gone torch --gpu "GTX 1080" --driver 580.95.05
equal 'a vendor index that is gone does not hold the plan up' $? 0
says 'what is left is taken' '^  torch  *2.7.1 ' "$TMPDIR/gone"
says 'and what was not considered is named' 'pytorch-cu126 could not be reached' "$TMPDIR/gone"
says 'in the lock too' '"state": "unreachable"' "$TMPDIR/lock"
plan strict torch --gpu "GTX 1080" --driver 580.95.05 --strict-sources
equal 'with --strict-sources it is refused' $? 4
finish
