"""usage: python3 scripts/measure-often.py [GPUFERRY]  Writes data/packages/often.json anew: what a plan of each package below holds, for Linux x86_64 and
Python 3.12 from the default index. The plan asks for these names ahead (matrix/rules.c, `often`); a name too many costs one request, one too few a round trip."""
import json
import subprocess
import sys
import tempfile

PACKAGES = """torch torchvision torchaudio torch[opt-einsum] transformers peft bitsandbytes deepspeed accelerate datasets diffusers sentence-transformers timm lightning pytorch-lightning
xformers triton tensorflow tensorflow[and-cuda] keras jax jax[cuda12] jax[cuda13] flax onnxruntime onnxruntime-gpu optimum paddlepaddle paddlepaddle-gpu paddleocr cupy-cuda12x cupy-cuda13x
ctranslate2 faster-whisper openai-whisper ultralytics vllm sglang lmdeploy llama-cpp-python gradio easyocr funasr insightface trl spacy rapidocr""".split()
FIXED = "--accelerator any --arch x86_64 --glibc 2.36 --python 3.12 --sources default --no-installer --quiet".split()


def closure(gpuferry, request):
    with tempfile.NamedTemporaryFile(suffix=".lock") as lock:
        done = subprocess.run([gpuferry, "plan", request, *FIXED, "-o", lock.name], capture_output=True, text=True)
        if done.returncode:
            sys.stderr.write("%s: left out: %s\n" % (request, (done.stdout + done.stderr).strip().splitlines()[-1]))
            return None
        document = json.load(open(lock.name))
        return {p["name"] for p in document["python"] + document.get("build", [])}


def main():
    gpuferry = sys.argv[1] if len(sys.argv) > 1 else "build/release/gpuferry"
    plain, rows = {}, {}
    for request in PACKAGES:
        name, _, extra = request.rstrip("]").partition("[")
        names = closure(gpuferry, request)
        if names is None:
            continue
        if not extra:
            plain[name] = names
        for n in sorted(names - {name} - (plain.get(name, set()) if extra else set())):
            rows.setdefault(name, {})[n] = extra
    out = [{"id": "R-OFTEN", "package": p, "when": "os=linux", "often": rows[p], "source": "default-index", "evidence": "measured"} for p in sorted(rows) if rows[p]]
    with open("data/packages/often.json", "w") as f:
        f.write('{\n  "rules": [\n    ' + ",\n    ".join(json.dumps(r) for r in out) + "\n  ]\n}\n")


main()
