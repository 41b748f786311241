"""usage: plan.py GPUFERRY UV [PIP]: planning beside uv, and beside pip where PIP is given; prints a markdown table."""
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import timing  # noqa: E402

WITHOUT_GPU = "--accelerator any --arch x86_64 --glibc 2.28 --python 3.12 --sources default --sdist allow".split()
FOR_A_CARD = ["--gpu", "RTX 3090", "--driver", "535.309.01", "--os", "debian-12", "--python", "3.11"]  # GPU rules, the vendors' indexes asked too
CARD = "torch for an RTX 3090, driver 535"
SETS = [
    (CARD, ["torch"]),
    ("torch", ["torch"]),
    ("torch and 7 more", "torch torchvision torchaudio transformers peft bitsandbytes accelerate datasets".split()),
    ("the same with deepspeed", "torch torchvision torchaudio transformers peft bitsandbytes deepspeed accelerate datasets".split()),
    ("tensorflow[and-cuda]", ["tensorflow[and-cuda]"]),
    ("paddlepaddle-gpu", ["paddlepaddle-gpu"]),
    ("onnxruntime-gpu", ["onnxruntime-gpu"]),
    ("vllm", ["vllm"]),
]
ROUNDS_COLD, ROUNDS_WARM = int(os.environ.get("COLD", "7")), int(os.environ.get("WARM", "30"))


class Bench:
    def __init__(self, gpuferry, uv, pip):
        self.gpuferry, self.uv, self.pip = gpuferry, uv, pip
        self.dir = tempfile.mkdtemp(prefix="bench-plan-")

    def empty(self, name):
        return lambda: shutil.rmtree(os.path.join(self.dir, name), ignore_errors=True)

    def ours(self, name, reqs, offline, cold):
        argv = [self.gpuferry, "plan", *reqs, *(FOR_A_CARD if name == CARD else WITHOUT_GPU), "--no-installer"]
        argv += ["--quiet", "-o", os.path.join(self.dir, "lock")] + (["--offline"] if offline else [])
        cache = "xdg-cold" if cold else "xdg"
        return timing.Run("gpuferry", argv, env={"XDG_CACHE_HOME": os.path.join(self.dir, cache)}, before=self.empty(cache) if cold else None)

    def uvs(self, name, reqs, offline, cold):
        cache = "uv-cold" if cold else "uv"
        argv = [self.uv, "pip", "compile", "-", "--quiet", "--no-header", "--no-annotate", "--no-python-downloads", "--python", sys.executable,
                "--python-platform", "x86_64-manylinux_2_28", "--python-version", "3.11" if name == CARD else "3.12", "--cache-dir", os.path.join(self.dir, cache)]
        return timing.Run("uv", argv + (["--offline"] if offline else []), stdin="\n".join(reqs).encode(), before=self.empty(cache) if cold else None)

    def pips(self, reqs):
        argv = [self.pip, "install", "--dry-run", "--ignore-installed", "--quiet", "--no-cache-dir", "--only-binary=:all:", *reqs]
        return timing.Run("pip", argv)

    def row(self, name, reqs):
        cold = timing.interleave([self.ours(name, reqs, False, True), self.uvs(name, reqs, False, True)], ROUNDS_COLD)
        timing.interleave([self.ours(name, reqs, False, False), self.uvs(name, reqs, False, False)], 1)  # fills the caches
        warm = timing.interleave([self.ours(name, reqs, True, False), self.uvs(name, reqs, True, False)], ROUNDS_WARM)
        pip = timing.interleave([self.pips(reqs)], 1)[0] if self.pip else None
        for run in cold + warm + ([pip] if pip else []):
            if run.failed:
                print("%s: %s: %s" % (name, run.name, run.failed), file=sys.stderr)
        t = timing
        return [name, t.seconds(cold[0]), t.seconds(cold[1]), t.ratio(*cold), t.seconds(warm[0]), t.seconds(warm[1]), t.ratio(*warm),
                t.mib(cold[0]), t.mib(cold[1])] + ([t.seconds(pip)] if pip else [])


def main():
    bench = Bench(sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None)
    only = os.environ.get("SETS", "")
    try:
        rows = [bench.row(name, reqs) for name, reqs in SETS if only in name]
    finally:
        shutil.rmtree(bench.dir, ignore_errors=True)
    head = ["set", "gpuferry, cold", "uv, cold", "ratio", "gpuferry, offline", "uv, offline", "ratio", "memory", "uv's memory"]
    print(timing.table(head + (["pip, cold"] if bench.pip else []), rows))


main()
