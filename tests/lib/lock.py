"""usage: lock.py LOCK: the Python distributions of a lock, "name==version" a line, sorted by name."""
import json
import re
import sys

with open(sys.argv[1], encoding="utf-8") as f:
    lock = json.load(f)
for row in sorted(lock["python"], key=lambda r: r["name"]):
    print(re.sub(r"[-_.]+", "-", row["name"]).lower() + "==" + row["version"])
