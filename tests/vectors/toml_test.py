"""usage: toml_test.py TOOL FOLDER: the toml-test suite in FOLDER (its tests/) put to TOOL; prints what differs and the sum."""

import datetime
import json
import math
import pathlib
import re
import subprocess
import sys

tool, root = sys.argv[1], pathlib.Path(sys.argv[2])


def moment(text):
    text = re.sub(r"(\.\d*?)0+(?=$|[Z+-])", r"\1", text.upper().replace(" ", "T")).replace(".Z", "Z").rstrip(".")
    return re.sub(r"(\.\d{1,6})\d*", r"\1", text).replace("Z", "+00:00")


def same(kind, a, b):
    if kind == "float":
        return (math.isnan(float(a)) and math.isnan(float(b))) or float(a) == float(b)
    if kind == "integer":
        return int(a) == int(b)
    if kind.startswith(("date", "time")):
        if kind == "datetime":
            return datetime.datetime.fromisoformat(moment(a)) == datetime.datetime.fromisoformat(moment(b))
        return moment(a) == moment(b)
    return a == b


def equal(want, got):
    if isinstance(want, list):
        return isinstance(got, list) and len(want) == len(got) and all(map(equal, want, got))
    if set(want) == {"type", "value"} and isinstance(want["value"], str):
        return isinstance(got, dict) and got.get("type") == want["type"] and same(want["type"], want["value"], got["value"])
    return isinstance(got, dict) and set(want) == set(got) and all(equal(want[k], got[k]) for k in want)


names = [n for n in (root / "files-toml-1.0.0").read_text().split() if n.endswith(".toml")]
lines = subprocess.run([tool, *[str(root / n) for n in names]], capture_output=True, check=True).stdout.decode("utf-8", "surrogateescape").split("\n")
bad = refused = 0
for name, line in zip(names, lines, strict=False):
    if name.startswith("invalid/"):
        good = line.startswith("! ")
    else:
        good = not line.startswith("! ") and equal(json.loads((root / name).with_suffix(".json").read_text()), json.loads(line))
    refused += line.startswith("! ")
    if not good:
        bad += 1
        print(f"{name}: {line[:300]}")
if len(lines) != len(names) + 1:
    bad += 1
    print(f"{len(names)} files, {len(lines) - 1} answers")
print(f"{len(names)} documents of the toml-test suite, {refused} of them to be refused: {bad} differ")
sys.exit(bad > 0 or not refused)
