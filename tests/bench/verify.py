"""usage: verify.py GPUFERRY FOLDER: checking a bundle beside `sha256sum` of the tar and `sha256sum -c` of the unpacked files; prints a markdown table."""
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import timing  # noqa: E402

SIZES = [600, 300, 100]  # MB: a few large files and little else, as torch's closure is


def main():
    gpuferry, where = sys.argv[1:3]
    folder = tempfile.mkdtemp(prefix="bench-verify-", dir=where)
    try:
        wheels, lock, tar, tree = (os.path.join(folder, n) for n in ("wheels", "lock", "b.tar", "tree"))
        os.mkdir(wheels)
        os.mkdir(tree)
        for i, size in enumerate(SIZES):
            with open("/dev/urandom", "rb") as random, open(os.path.join(wheels, "p%d-1-py3-none-any.whl" % i), "wb") as f:
                for _ in range(size):
                    f.write(random.read(1000000))
        with open(lock, "wb") as f:
            subprocess.run([sys.executable, "tests/lib/craft_lock.py", "--base", wheels, wheels], check=True, stdout=f)
        subprocess.run([gpuferry, "bundle", lock, "--quiet", "-o", tar], check=True, stdout=subprocess.DEVNULL, env=dict(os.environ, XDG_CACHE_HOME=folder))
        shutil.rmtree(wheels)
        subprocess.run(["tar", "-xf", tar, "-C", tree], check=True)
        runs = [timing.Run("gpuferry verify", [gpuferry, "verify", tar]), timing.Run("gpuferry verify, unpacked", [gpuferry, "verify", tree]),
                timing.Run("sha256sum", ["sha256sum", tar]), timing.Run("sha256sum -c, unpacked", ["sha256sum", "-c", "--quiet", "SHA256SUMS"], cwd=tree)]
        timing.interleave(runs, 5)
        print(timing.table(["%.1f GB" % (sum(SIZES) / 1000)] + [r.name for r in runs], [["time"] + [timing.seconds(r) for r in runs]]))
        for r in runs:
            if r.failed:
                print("%s: %s" % (r.name, r.failed), file=sys.stderr)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


main()
