#!/bin/sh
# How long the data set takes: the one built in, asked for little and for all, and how reading all of it grows with its rows.
set -eu
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
runs=${RUNS:-20}
python3 - "$GPUFERRY" "$tmp" "$runs" <<'EOF'
import json, os, shutil, subprocess, sys, time

gpuferry, tmp, runs = sys.argv[1], sys.argv[2], int(sys.argv[3])


def best(*args):
    """Milliseconds of the fastest run, wall clock."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run([gpuferry, *args], stdout=subprocess.DEVNULL, check=True)
        times.append(time.perf_counter() - start)
    return min(times) * 1000


nothing = best("--version")
print(f"{'the program alone':44}{nothing:8.1f} ms")
for what, args in (
    ("one GPU by name", ["show", "gpu", "RTX 3090"]),
    ("builds of torch for one GPU and a driver", ["query", "torch for sm_61 with driver 550.54.14"]),
    ("all tables, every check", ["lint"]),
):
    print(f"{what:44}{best('matrix', *args):8.1f} ms, {best('matrix', *args) - nothing:5.1f} ms more than the program alone")

with open("data/nvidia/gpus.json") as f:
    gpus = json.load(f)
for times in (1, 4, 16):
    data = f"{tmp}/data{times}"
    shutil.copytree("data", data)
    rows = [dict(r, pci=f"{k:04x}:{r['pci'][5:]}") if k else r for k in range(times) for r in gpus["gpus"] if "pci" in r or not k]
    with open(data + "/nvidia/gpus.json", "w") as f:
        f.write('{"gpus": [\n' + ",\n".join(map(json.dumps, rows)) + "\n]}\n")
    took = best("matrix", "--matrix", data, "show", "gpu", "RTX 3090")
    print(f"{f'a folder, all of it read, {len(rows)} GPUs':44}{took:8.1f} ms")
EOF
