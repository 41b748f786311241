#!/usr/bin/env python3
"""usage: variant_packages.py PYTHON ARCH >packages.json   Wheel variants (PEP 825) as an index would hold them, for tests/lib/replica.py: torch and
torchvision with variants for three CUDAs and a null variant, as their makers publish them on trial, and small projects with one trait each."""
import json, sys  # noqa: E401

py = "cp" + sys.argv[1].replace(".", "")
tag = f"{py}-{py}-manylinux_2_17_{sys.argv[2]}"
SCHEMA = "https://variants-schema.wheelnext.dev/peps/825/v0.1.1.json"
CUDA = {"cu126": ("12.6", "13", "50 60 70 75 80 86 90"), "cu128": ("12.8", "13", "70 75 80 86 90 100 120"), "cu130": ("13.0", "14", "75 80 86 90 100 120")}
rows = []


def nvidia(low, high, arch):
    return {"nvidia": {"cuda_version_lower_bound": [low], "cuda_version_upper_bound": [high], "sm_arch": sorted([a + "_real" for a in arch.split()] + [arch.split()[-1] + "_virtual"])}}


def project(name, version, variants, spaces, tags=tag, listed=None, plain=False, requires=(), text=None):
    index = {"$schema": SCHEMA, "default-priorities": {"namespace": spaces}, "variants": variants if listed is None else listed}
    for label, properties in variants.items():
        own = {"$schema": SCHEMA, "default-priorities": {"namespace": spaces}, "variants": {label: properties}}
        rows.append({"filename": f"{name}-{version}-{tags}-{label}.whl", "variant_json": own, "requires": list(requires),
                     "members": {f"{name}/__init__.py": f"variant = {label!r}\n"}})
    if plain:
        rows.append({"filename": f"{name}-{version}-{tags}.whl", "requires": list(requires), "members": {f"{name}/__init__.py": "variant = ''\n"}})
    if text != "":
        rows.append({"filename": f"{name}-{version}-variants.json", **({"text": text} if text else {"json": index})})


torch = {label: nvidia(*v) for label, v in CUDA.items()} | {"null": {}}
project("torch", "2.9.0", torch, ["nvidia"], requires=["helper"])
project("torchvision", "0.24.0", torch, ["nvidia"], requires=["torch==2.9.0"])
project("marked", "1.0", torch, ["nvidia"], requires=["helper ; variant_label != 'null' and 'nvidia' in variant_namespaces", "other ; variant_label == 'null'"])
rows.append({"filename": "marked-0.9-py3-none-any.whl"})
level = {"v2": {"x86_64": {"level": ["v2"]}}, "v3": {"x86_64": {"level": ["v3"]}}, "v4": {"x86_64": {"level": ["v4"]}}, "null": {}}
project("levels", "1.0", level, ["x86_64"], "py3-none-any")
project("levels", "0.9", level, ["x86_64"], "py2-none-any")
project("strange", "1.0", {"q": {"quantum": {"foam": ["yes"]}}}, ["quantum"], "py3-none-any", plain=True)
project("onlyodd", "1.0", {"q": {"quantum": {"foam": ["yes"]}}}, ["quantum"], "py3-none-any")
project("unlisted", "1.0", {"a": {}, "null": {}}, ["x86_64"], "py3-none-any", listed={"null": {}}, plain=True)
project("broken", "1.0", {"a": {}, "null": {}}, ["x86_64"], "py3-none-any", text="{\"variants\": ", plain=True)
project("missing", "1.0", {"a": {}}, ["x86_64"], "py3-none-any", text="", plain=True)
rows += [{"filename": "helper-1.0-py3-none-any.whl"}, {"filename": "other-1.0-py3-none-any.whl"}, {"filename": "plain-1.0-py3-none-any.whl"}]
json.dump(rows, sys.stdout)
