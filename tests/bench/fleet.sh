#!/bin/sh
# 1,000 targets of 50 shapes planned from the cache: seconds for the whole, and for one target alone.
set -eu
GPUFERRY=${GPUFERRY:-$OUT/gpuferry}
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
python3 - "$dir" <<'P'
import json, sys
cards = [("10de:2204", "NVIDIA GeForce RTX 3090", "8.6"), ("10de:1b80", "NVIDIA GeForce GTX 1080", "6.1"), ("10de:1db4", "Tesla V100-PCIE-16GB", "7.0"),
         ("10de:2b85", "NVIDIA GeForce RTX 5090", "12.0"), ("10de:20b0", "NVIDIA A100-SXM4-40GB", "8.0")]
shapes = [(c, d, p) for c in cards for d in ("535.309.01", "580.95.05") for p in ("3.9.2", "3.10.12", "3.11.2", "3.12.3", "3.13.1")]
for i in range(1000):
    (pci, name, cc), driver, python = shapes[i % 50]
    doc = {"schema": "gpuferry.profile/1", "label": f"node{i:04}", "arch": "x86_64", "libc": {"name": "glibc", "version": "2.36"}, "os": {"id": "debian", "version": "12"},
           "gpus": [{"vendor": "nvidia", "name": name, "pci": pci, "cc": cc}], "driver": {"version": driver}, "python": {"version": python}}
    with open(f"{sys.argv[1]}/{i}.json", "w") as f:
        json.dump(doc, f)
P
plan() { "$GPUFERRY" plan torch --sources default --no-installer --quiet "$@" >/dev/null 2>&1 || [ $? = 1 ]; }
plan --target "$dir" -o "$dir/locks"
echo "| work | seconds |"
echo "|---|---|"
seconds() { python3 -c 'import subprocess, sys, time, statistics
runs = []
for _ in range(5):
    start = time.perf_counter(); subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL); runs.append(time.perf_counter() - start)
print(f"{statistics.median(runs):.3f}")' "$@"; }
echo "| 1,000 targets of 50 shapes, from cache | $(seconds "$GPUFERRY" plan torch --offline --sources default --no-installer --target "$dir" -o "$dir/locks") |"
echo "| one of them, from cache | $(seconds "$GPUFERRY" plan torch --offline --sources default --no-installer --target "$dir/0.json" -o "$dir/one.lock") |"
