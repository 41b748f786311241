"""usage: readme.py GPUFERRY README      what the README counts of the data is what `matrix lint` counts"""
import json
import re
import subprocess
import sys

lint = json.loads(subprocess.run([sys.argv[1], "matrix", "lint", "--json"], check=True, capture_output=True).stdout)
readme = open(sys.argv[2], encoding="utf-8").read()
bad = []


def differs(what, told, counted):
    if told != counted:
        bad.append("%s: the README says %s, the data has %s" % (what, told, counted))


KINDS = "reported", "documented", "measured", "run"
counted = {name: [row[k] for k in KINDS] for name, row in lint["tables"].items()}
counted["all"] = [sum(c) for c in zip(*counted.values())]
for name, row in counted.items():
    told = re.search(r"^\| %s ((?:\| \d+ ){5})\|$" % re.escape(name), readme, re.M)
    differs(name, told and [int(n) for n in re.findall(r"\d+", told.group(1))], row + [sum(row)])
rows = sum(counted["all"])
report = [int(n) for n in re.findall(r"\d+", re.search(r"^gaps: .*", lint["report"], re.M).group())]
for pattern, numbers in (
        (r"data \d{4}\.\d{2}\.\d{2}\.\d+, (\d+) sources", [lint["sources"]]),
        (r"GPU code of (\d+) of the (\d+) builds", report[:2]),
        (r"([\d,]+) of ([\d,]+) GPUs without memory size, (\d+) without a product name", [report[4], report[2], report[3]]),
        (r"rows tried on hardware: (\d+) of ([\d,]+)", [counted["all"][3], rows])):
    told = re.search(pattern, readme)
    differs(pattern, told and [int(n.replace(",", "")) for n in told.groups()], numbers)
differs("version of the data", (re.search(r"\(data (\d{4}\.\d{2}\.\d{2}\.\d+)", readme) or [None, None])[1], lint["matrix"])
print("\n".join(bad) if bad else "ok")
sys.exit(bool(bad))
