"""usage: variants.py TOOL FOLDER [N]   N random lists of wheel variants and targets through variants_tool and through variantlib, the reference
implementation of PEP 825: the same ones must fit, in the same order."""
import json, os, random, subprocess, sys  # noqa: E401

from variantlib.models.variant import VariantDescription, VariantFeature, VariantProperty  # noqa: F401
from variantlib.resolver.lib import sort_and_filter_supported_variants

tool, folder, n = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 400
rng = random.Random(825)
args, wanted = [], []
for i in range(n):
    spaces = rng.sample(["nvidia", "x86_64", "aarch64", "blas"], rng.randint(1, 4))
    features = {s: rng.sample(["f", "g", "h"], rng.randint(1, 3)) for s in spaces}
    values = {(s, f): rng.sample([str(v) for v in range(6)], rng.randint(1, 6)) for s in spaces for f in features[s]}
    supported = [(s, f, v) for s in spaces for f in features[s] for v in values[s, f]]
    variants = {"null": {}} if rng.random() < 0.7 else {}
    for k in range(rng.randint(1, 12)):
        v = {}
        for s in rng.sample(spaces, rng.randint(1, len(spaces))):
            for f in rng.sample(features[s], rng.randint(1, len(features[s]))):
                v.setdefault(s, {})[f] = sorted(rng.sample([str(x) for x in range(8)], rng.randint(1, 4)))
        if v not in variants.values():  # a label stands for one set of properties
            variants[f"l{k}"] = v
    priorities = {"namespace": rng.sample(spaces, len(spaces))}
    if rng.random() < 0.5:
        priorities["feature"] = {s: rng.sample(features[s], rng.randint(1, len(features[s]))) for s in rng.sample(spaces, 1)}
    if rng.random() < 0.5:
        s = rng.choice(spaces)
        priorities["property"] = {s: {f: rng.sample([str(x) for x in range(8)], rng.randint(1, 3)) for f in rng.sample(features[s], 1)}}
    base = os.path.join(folder, str(i))
    with open(base + ".json", "w") as f:
        json.dump({"$schema": "https://variants-schema.wheelnext.dev/v0.0.3.json", "default-priorities": priorities, "variants": variants}, f)
    with open(base + ".txt", "w") as f:
        f.write("".join("::".join(p) + "\n" for p in supported))
    args += [base + ".json", base + ".txt"]
    got = sort_and_filter_supported_variants(
        [VariantDescription(label=label, properties=[VariantProperty(s, f, x) for s, fs in v.items() for f, xs in fs.items() for x in xs]) for label, v in variants.items()],
        [VariantProperty(*p) for p in supported], priorities["namespace"], priorities.get("feature"), priorities.get("property"))
    wanted.append((variants, [d.label or "null" for d in got if (d.label or "null") in variants]))  # it adds a null variant where there is none
lines = subprocess.run([tool, *args], capture_output=True, text=True, check=True).stdout.split("\n")
bad = 0
for i, (variants, want) in enumerate(wanted):
    if lines[i].split() != want:
        bad += 1
        if bad < 4:
            print(f"{args[2 * i]}: got {lines[i]}, variantlib says {' '.join(want)}")
print(f"{n - bad} passed, {bad} failed")
sys.exit(bad > 0)
