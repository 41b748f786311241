"""Scores gpuferry check and doctor on tests/cases/public. Each case is a profile; expected.tsv says what is right.

A case that is derivable must get the right verdict and name the rule; one that is not may answer unknown or the right verdict. The last line
is "N passed, N failed": one part per bar."""
import json
import os
import subprocess
import sys

HERE = "tests/cases/public"
GPUFERRY = os.environ.get("GPUFERRY", "build/release/gpuferry")


def run(*args, text=None):
    r = subprocess.run([GPUFERRY, *args], input=text, capture_output=True, text=True)
    if not r.stdout.startswith("{"):
        sys.exit(f"gpuferry {' '.join(args)}: exit {r.returncode}, no document\n{r.stderr}")
    doc = json.loads(r.stdout)
    if doc.get("schema") != "gpuferry.verdict/1":
        sys.exit(f"gpuferry {' '.join(args)}: {r.stderr}")
    want = {"works": 0, "broken": 1, "unknown": 3}[doc["verdict"]]
    if r.returncode != want:
        sys.exit(f"gpuferry {' '.join(args)}: exit {r.returncode}, the verdict {doc['verdict']} is {want}")
    return doc


def rules(doc, levels=("error",)):
    return [f["rule"] for f in doc["findings"] if f["level"] in levels]


def first_cause(doc, rule):
    """The first finding that doctor tells, harmless or not."""
    return bool(doc["findings"]) and doc["findings"][0]["rule"] == rule


def links():
    """tests/cases/links.jsonl: one link or trap each; all of them must hold."""
    passed = failed = 0
    for line in open("tests/cases/links.jsonl"):
        case = json.loads(line)
        doc = run("check", "--json", "--offline", "-", text=json.dumps({"schema": "gpuferry.profile/1", **case["profile"]}))
        good = doc["verdict"] == case["want"] and case.get("rule", None) in (None, *rules(doc))
        passed, failed = passed + good, failed + (not good)
        if not good:
            print(f"{case['why']}: {doc['verdict']} {[(f['rule'], f['cause']) for f in doc['findings']]} missing {doc['missing_facts']}, expected {case['want']} {case.get('rule', '')}")
    return passed, failed


def main():
    rows = [line.rstrip("\n").split("\t") for line in open(f"{HERE}/expected.tsv") if not line.startswith("#")]
    cases = derivable = verdicts = causes = kinds = lines = alone = together = 0
    wrong = []
    for name, verdict, rule, known, _ in rows:
        path = f"{HERE}/{name}.json"
        doc = run("check", "--json", "--offline", path)
        got, want = doc["verdict"], "works" if verdict == "compatible" else "broken"
        cases += 1
        if got != "unknown" and got != want:
            wrong.append(name)
        if got == "unknown" and not doc["missing_facts"]:
            wrong.append(name)
            print(f"{name}: unknown without saying which fact is missing")
        if known == "yes":
            derivable += 1
            right = got == want
            named = right and (want == "works" or rule in rules(doc))
            verdicts += right
            causes += named
            kinds += named and (want == "works" or any(f["kind"] == verdict for f in doc["findings"] if f["level"] == "error"))
            if not named:
                print(f"{name}: {got} {rules(doc)}, expected {verdict} {rule}")
        errors = json.load(open(path)).get("errors") or []
        for line in errors:
            lines += 1
            by_text = first_cause(run("doctor", "--json", "-", text=line + "\n"), rule)
            by_both = first_cause(run("doctor", "--json", "-", "--target", path, text=line + "\n"), rule)
            alone += by_text
            together += by_both
            if not by_both:
                print(f"{name}: doctor: {line!r}: {rules(run('doctor', '--json', '-', '--target', path, text=line), ('error', 'warning', 'note'))[:4]}, expected {rule}")
    bars = [
        ("verdict, of the derivable", verdicts, derivable, 0.90),
        ("verdict and rule, of the derivable", causes, derivable, 0.90),
        ("verdict, rule and kind, of the derivable", kinds, derivable, 0.80),
        ("works and broken not taken for each other", cases - len(set(wrong)), cases, 1.0),
        ("error line alone: first cause", alone, lines, 0.80),
        ("error line with the facts: first cause", together, lines, 0.90),
    ]
    passed, failed = links()
    print(f"links.jsonl: {passed} of {passed + failed}")
    print(f"{'bar':44} {'right':>5} {'of':>4} {'%':>6} {'needed':>7}")
    for label, right, total, needed in bars:
        good = right >= needed * total
        passed, failed = passed + good, failed + (not good)
        print(f"{label:44} {right:5} {total:4} {100 * right / total:6.1f} {100 * needed:6.0f}%{'' if good else '  <-- below'}")
    for name in wrong:
        print(f"{name}: wrong way round, or silent")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
