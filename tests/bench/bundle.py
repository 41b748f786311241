"""usage: bundle.py GPUFERRY PIP FOLDER: packing beside `pip download` + `sha256sum` + `tar`; prints a markdown table.

Both are given what was planned (pip: each name==version, --no-deps), so neither resolves; nothing is cached; both write below FOLDER.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import timing  # noqa: E402

SETS = [("transformers datasets", ["transformers", "datasets"], 5), ("onnxruntime-gpu", ["onnxruntime-gpu"], 3)]
if os.environ.get("FULL") == "1":
    SETS.append(("torch", ["torch"], 3))
TARGET = "--accelerator any --arch x86_64 --glibc 2.28 --python 3.12 --sources default --no-installer".split()
STEPS = 'set -e; pip=$1; dir=$2; shift 2; "$pip" download -q --no-cache-dir --no-deps --only-binary :all: %s -d "$dir/files" "$@"; ' \
    'cd "$dir"; sha256sum files/* >SHA256SUMS; tar -cf out.tar SHA256SUMS files' % (
        " ".join("--platform manylinux%s_x86_64" % t for t in ["_2_%d" % minor for minor in range(28, 4, -1)] + ["2014", "2010", "1"])
        + " --platform linux_x86_64 --python-version 3.12 --implementation cp --abi cp312 --abi abi3 --abi none")


def main():
    gpuferry, pip, where = sys.argv[1:4]
    rows = []
    for name, reqs, rounds in SETS:
        folder = tempfile.mkdtemp(prefix="bench-bundle-", dir=where)
        lock, ours, theirs = (os.path.join(folder, n) for n in ("lock", "ours", "theirs"))
        try:
            subprocess.run([gpuferry, "plan", *reqs, *TARGET, "--quiet", "-o", lock], check=True, stdout=subprocess.DEVNULL)
            with open(lock, encoding="utf-8") as f:
                python = json.load(f)["python"]
            pins = ["%s==%s" % (p["name"], p["version"]) for p in python]
            size = sum(p["size"] or 0 for p in python)

            def fresh(path):
                def do():
                    shutil.rmtree(path, ignore_errors=True)
                    os.mkdir(path)
                return do

            us = timing.Run("gpuferry", [gpuferry, "bundle", lock, "--quiet", "-o", os.path.join(ours, "out.tar")],
                            env={"XDG_CACHE_HOME": os.path.join(ours, "cache")}, before=fresh(ours))
            them = timing.Run("pip", ["sh", "-c", STEPS, "sh", pip, theirs, *pins], before=fresh(theirs))
            timing.interleave([us, them], rounds)
            for run in (us, them):
                if run.failed:
                    print("%s: %s: %s" % (name, run.name, run.failed), file=sys.stderr)
            rows.append([name, str(len(python)), "%.2f GB" % (size / 1e9), timing.seconds(us), timing.seconds(them), timing.ratio(us, them), timing.mib(us)])
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    print(timing.table(["set", "files", "size", "gpuferry bundle", "pip download + sha256sum + tar", "ratio", "memory"], rows))


main()
