"""usage: craft_lock.py --base URL --python X.Y.Z --arch ARCH [--request NAME]… [--requires NAME=NAME]… [--no-size] [--no-digest] FOLDER > gpuferry.lock

A sealed lock over the wheels of FOLDER as a source that serves them under URL: for tests of what comes behind the planner."""
import argparse
import hashlib
import json
import os
import re
import sys

p = argparse.ArgumentParser()
p.add_argument("--base", required=True)
p.add_argument("--python", default="3.11.2")
p.add_argument("--arch", default="x86_64")
p.add_argument("--request", action="append", default=[])
p.add_argument("--requires", action="append", default=[], help="NAME=NAME: one needs the other, by its metadata or by a rule")
p.add_argument("--driver", help="needs of the driver, like '>=525.60.13'")
p.add_argument("--no-size", action="store_true")
p.add_argument("--no-digest", action="store_true")
p.add_argument("folder")
a = p.parse_args()

rows = []
for name in sorted(os.listdir(a.folder)):
    if not name.endswith(".whl"):
        continue
    data = open(os.path.join(a.folder, name), "rb").read()
    dist, version = name.split("-")[:2]
    dist = re.sub(r"[-_.]+", "-", dist).lower()
    by = ["(installer)"] if dist == "pip" else ["(request)"] if dist in a.request else []
    rows.append({"name": dist, "version": version, "extras": [], "file": name, "kind": "wheel", "source": "default", "path": name,
                 "sha256": None if a.no_digest else hashlib.sha256(data).hexdigest(), "size": None if a.no_size else len(data),
                 "requires": [], "required_by": by, "for": []})
abi = "cp" + "".join(a.python.split(".")[:2])
lock = {
    "schema": "gpuferry.lock/1", "tool": {"version": "0.1.0"}, "matrix": {"version": "0", "sha256": "0" * 64},
    "targets": [{"schema": "gpuferry.profile/1", "label": "test", "arch": a.arch, "libc": {"name": "glibc", "version": "2.36"},
                 "python": {"version": a.python, "implementation": "cpython", "abi": abi}}],
    "request": {"requirements": a.request},
    "sources": [{"id": "default", "kind": "simple", "base": a.base, "state": "used", "as_of": "2026-12-01T00:00:00Z"}],
    "stack": [{"name": r["name"], "version": r["version"]} for r in rows if r["required_by"] == ["(request)"]],
    "assumes": [{"about": "driver", "needs": a.driver, "rule": "cuda-minor", "source": "test"}] if a.driver else [],
    "python": rows, "os": [], "files": [], "reasons": [], "passed_over": [], "warnings": []}
for needs in a.requires:
    one, other = ([r for r in rows if r["name"] == n][0] for n in needs.split("="))
    one["requires"].append("%s==%s" % (other["name"], other["version"]))
    other["required_by"].append(one["name"])
body = json.dumps(lock, separators=(",", ":"), ensure_ascii=False)
lock["seal"] = hashlib.sha256(body.encode()).hexdigest()
json.dump(lock, sys.stdout, indent=2, ensure_ascii=False)
print()
