"""usage: check-fix.py GPUFERRY CASES      the fixes that check proves by a solve hold: with them applied nothing that they were for is broken any more

Public cases that are broken are judged with the default index at hand; each fix that says it was planned is applied to the case's packages and judged again."""
import glob
import json
import re
import subprocess
import sys

GPUFERRY, CASES = sys.argv[1:3]
counts = {"broken": 0, "proven": 0, "hold": 0}
bad = []


def check(profile, *options):
    done = subprocess.run([GPUFERRY, "check", "--json", "--quiet", *options, "-"], input=json.dumps(profile), capture_output=True, text=True)
    if done.returncode not in (0, 1, 3):
        sys.exit("check: " + done.stderr)
    return json.loads(done.stdout)


def applied(profile, commands):
    packages = {p["name"]: dict(p) for p in profile["packages"]}
    for command in commands:
        words = [w for w in command.split()[2:] if not w.startswith("-") and "://" not in w]
        for word in words:
            name, _, version = word.partition("==")
            if "uninstall" in command:
                packages.pop(name, None)
            else:
                packages[name] = {"name": name, "version": version}
    return {**profile, "packages": list(packages.values())}


for path in sorted(glob.glob(CASES + "/*.json")):
    profile = json.load(open(path, encoding="utf-8"))
    if not profile.get("packages"):
        continue
    profile.pop("errors", None)  # of before the fix
    verdict = check(profile)
    if verdict["verdict"] != "broken":
        continue
    counts["broken"] += 1
    for finding in verdict["findings"]:
        fix = finding.get("fix") or {}
        if not fix.get("proven") or not fix.get("commands"):
            continue
        counts["proven"] += 1
        after = check(applied(profile, fix["commands"]), "--offline")
        left = [f for f in after["findings"] if f["level"] == "error" and f["rule"] == finding["rule"]]
        if left:
            bad.append("%s: %s after %s" % (path, left[0]["cause"], fix["commands"]))
        else:
            counts["hold"] += 1
print("%(broken)d broken cases, %(proven)d fixes planned, %(hold)d of them hold" % counts)
print("\n".join(bad))
sys.exit(bool(bad) or not counts["proven"])
