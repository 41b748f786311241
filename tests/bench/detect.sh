#!/bin/sh
# How long 'gpuferry detect' takes here, beside the program's own start ('--version'): milliseconds over 50 runs each. CLAIM=1 fails beyond the aim of 10 ms for detect
# without a GPU, less the start.
set -u
GPUFERRY=${GPUFERRY:-build/release/gpuferry}
python3 - "$GPUFERRY" <<'END'
import os, subprocess, sys, time

def once(arguments):
    start = time.perf_counter()
    subprocess.run([sys.argv[1], *arguments], stdout=subprocess.DEVNULL, check=True)
    return (time.perf_counter() - start) * 1000

def cpu(arguments, runs):
    before = os.times()
    for _ in range(runs):
        once(arguments)
    after = os.times()
    return (after.children_user + after.children_system - before.children_user - before.children_system) * 1000 / runs

rows = {}
for name, arguments in (("start (--version)", ["--version"]), ("detect", ["detect"]), ("detect --json", ["detect", "--json"])):
    once(arguments)
    wall = sorted(once(arguments) for _ in range(50))
    rows[name] = (wall[0], wall[25], wall[47], cpu(arguments, 50))
print("%-20s %8s %8s %8s %8s" % ("milliseconds", "best", "median", "p95", "CPU"))
for name, r in rows.items():
    print("%-20s %8.1f %8.1f %8.1f %8.1f" % (name, *r))
best = rows["detect"][0] - rows["start (--version)"][0]
print("detect less the start: %.1f ms at best" % best)
sys.exit(1 if os.environ.get("CLAIM") and best > 10 else 0)
END
