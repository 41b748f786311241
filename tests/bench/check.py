"""check of 300 distributions, of one case, and doctor over a large log: wall time."""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

GPUFERRY = os.environ.get("GPUFERRY", "build/release/gpuferry")
LIMITS_MS = {"check, 300 distributions": 200}


def timed(runs, *args):
    took = []
    for _ in range(runs):
        start = time.perf_counter()
        r = subprocess.run([GPUFERRY, *args], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        took.append(1000 * (time.perf_counter() - start))
        if r.returncode not in (0, 1, 3):
            sys.exit(f"gpuferry {' '.join(args)}: exit {r.returncode}")
    return statistics.median(took)


def environment(path):
    known = [("pip", "25.0"), ("torch", "2.8.0+cu128"), ("torchvision", "0.23.0+cu128"), ("onnxruntime-gpu", "1.22.0"), ("tensorflow", "2.19.0"), ("xformers", "0.0.32"),
             ("numpy", "2.1.0"), ("nvidia-cudnn-cu12", "9.10.2.21"), ("nvidia-cuda-runtime-cu12", "12.8.90"), ("jax", "0.6.0")]
    packages = [{"name": n, "version": v} for n, v in known] + [{"name": f"dist-{i}", "version": f"1.{i}"} for i in range(300 - len(known))]
    profile = {"schema": "gpuferry.profile/1", "arch": "x86_64", "os": {"id": "debian", "version": "12"}, "libc": {"name": "glibc", "version": "2.36"},
               "gpus": [{"vendor": "nvidia", "name": "NVIDIA GeForce RTX 3090", "pci": "10de:2204", "cc": "8.6"}] * 8, "driver": {"version": "570.124.06"},
               "python": {"version": "3.11.2"}, "packages": packages}
    json.dump(profile, open(path, "w"))


def log(path):
    line = b"2026-12-01 12:00:00,123 INFO step 100 loss 0.1234 lr 1e-4 tokens/s 12345 memory 23.4 GiB of 24 GiB, nothing to see here\n"
    with open(path, "wb") as f:
        f.write(line * (100_000_000 // len(line)))
        f.write(b"RuntimeError: CUDA error: no kernel image is available for execution on the device\n")


with tempfile.TemporaryDirectory() as d:
    environment(f"{d}/environment.json")
    log(f"{d}/log")
    rows = [("check, 300 distributions", timed(20, "check", f"{d}/environment.json")), ("check, one case", timed(20, "check", "tests/cases/public/C026.json")),
            ("doctor, a log of 100 MB", timed(3, "doctor", f"{d}/log"))]
print("| what | median, ms |\n|---|---|")
for what, ms in rows:
    print(f"| {what} | {ms:.0f} |")
slow = [what for what, ms in rows if ms > LIMITS_MS.get(what, 1e9)]
for what in slow:
    print(f"{what}: slower than {LIMITS_MS[what]} ms")
sys.exit(bool(slow))
