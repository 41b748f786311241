#!/bin/sh
# shellcheck disable=SC2015
# Many targets in one call: equal ones are planned once, each has its lock, and each lock is the one that a call of its own gives; or one lock serves all.
set -u
fail() { echo "$*"; exit 1; }
mkdir "$TMPDIR/fleet" "$TMPDIR/index" || exit 1
for i in 1 2 3 4 5 6; do
	case $i in 1 | 3 | 5) python=3.12.1 ;; 2 | 4) python=3.9.2 ;; *) python=3.6.9 ;; esac
	printf '{"schema":"gpuferry.profile/1","label":"node%s","arch":"x86_64","libc":{"name":"glibc","version":"2.36"},"os":{"id":"debian","version":"12"},"python":{"version":"%s"}}' "$i" $python >"$TMPDIR/fleet/$i.json"
done
python3 - "$TMPDIR/index" <<'P' || exit 1
import json, pathlib, sys, zipfile
folder = pathlib.Path(sys.argv[1])
for dist in "idna", "torch":
    rows = []
    for version, python in (("1.0", ">=3.7"), ("2.0", ">=3.10")):
        name = f"{dist}-{version}-py3-none-any.whl"
        (folder / dist).mkdir(exist_ok=True)
        with zipfile.ZipFile(folder / dist / name, "w") as z:
            z.writestr(f"{dist}-{version}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {dist}\nVersion: {version}\nRequires-Python: {python}\n")
        rows.append({"filename": name, "url": name, "hashes": {}, "requires-python": python, "size": (folder / dist / name).stat().st_size})
    (folder / dist / "index.json").write_text(json.dumps({"meta": {"api-version": "1.1"}, "name": dist, "files": rows, "versions": ["1.0", "2.0"]}))
P
plan() { "$GPUFERRY" plan idna --accelerator any --sources default --no-installer --index-url "file://$TMPDIR/index" "$@"; }
plan --target "$TMPDIR/fleet" -o "$TMPDIR/locks" >"$TMPDIR/out" 2>&1
[ $? = 1 ] || { cat "$TMPDIR/out"; fail "Python 3.6 has no plan: exit 1 was expected"; }
grep -q '6 targets of 3 shapes: 1 refused' "$TMPDIR/out" || { cat "$TMPDIR/out"; fail "three shapes were expected"; }
for line in 'node1 .*idna 2.0' 'node2 .*idna 1.0'; do
	grep -q "$line" "$TMPDIR/out" || { cat "$TMPDIR/out"; fail "not what fits each Python"; }
done
[ "$(find "$TMPDIR/locks" -type f | wc -l)" = 5 ] || fail "five locks were expected: $(ls "$TMPDIR/locks")"
plan --target "$TMPDIR/fleet/3.json" -o "$TMPDIR/own.lock" >/dev/null 2>&1 || fail "a call for one target"
cmp "$TMPDIR/own.lock" "$TMPDIR/locks/node3.lock" || fail "the lock of node3 is another one than that of its own call"

# ---- what is assumed is assumed of each machine, not of the first of its kind ----
mkdir "$TMPDIR/bare"
for name in a b; do printf '{"schema":"gpuferry.profile/1","label":"%s","arch":"x86_64","python":{"version":"3.12.1"}}' $name >"$TMPDIR/bare/$name.json"; done
plan --target "$TMPDIR/bare" -o "$TMPDIR/bare-locks" >"$TMPDIR/out" 2>&1 || { cat "$TMPDIR/out"; fail "two machines that tell no C library"; }
for name in a b; do
	plan --target "$TMPDIR/bare/$name.json" -o "$TMPDIR/own.lock" >/dev/null 2>&1 || fail "a call for $name"
	cmp "$TMPDIR/own.lock" "$TMPDIR/bare-locks/$name.lock" || fail "the lock of $name is another one than that of its own call"
done

# ---- a source that cannot be reached ----
vendor() { GPUFERRY_MIRROR_PYTORCH=http://127.0.0.1:9/whl "$GPUFERRY" plan torch --accelerator cpu --no-installer --index-url "file://$TMPDIR/index" --target "$TMPDIR/bare" "$@"; }
vendor -o "$TMPDIR/vendor" >"$TMPDIR/out" 2>&1 || { cat "$TMPDIR/out"; fail "without --strict-sources it goes on"; }
grep -q '"unreachable"' "$TMPDIR/vendor/b.lock" || fail "the lock does not name the source that was not reached"
vendor -o "$TMPDIR/strict" --strict-sources >"$TMPDIR/out" 2>&1
[ $? = 4 ] && grep -q "could not be reached and --strict-sources" "$TMPDIR/out" || { cat "$TMPDIR/out"; fail "--strict-sources: exit 4 was expected"; }
[ ! -e "$TMPDIR/strict" ] || fail "a lock was written all the same"

# ---- one lock for all ----
plan --target "$TMPDIR/fleet" --union -o "$TMPDIR/all.lock" >"$TMPDIR/out" 2>&1
[ $? = 1 ] && [ ! -e "$TMPDIR/all.lock" ] || { cat "$TMPDIR/out"; fail "one has no plan: exit 1 and no lock were expected"; }
grep -q 'node6 .*no plan: ' "$TMPDIR/out" && grep -q 'for node6 there is no plan' "$TMPDIR/out" || { cat "$TMPDIR/out"; fail "it is not said which"; }
plan --target "$TMPDIR/fleet" --union -o "$TMPDIR/locks" >"$TMPDIR/out" 2>&1
[ $? = 2 ] && grep -q 'is a folder' "$TMPDIR/out" || { cat "$TMPDIR/out"; fail "a folder for the one lock: exit 2 was expected"; }
rm "$TMPDIR/fleet/6.json"
plan --target "$TMPDIR/fleet" --union -o "$TMPDIR/all.lock" >"$TMPDIR/out" 2>&1 || { cat "$TMPDIR/out"; fail "one lock for five"; }
grep -q '5 targets of 2 shapes: 0 refused; one lock for all: ' "$TMPDIR/out" || { cat "$TMPDIR/out"; fail "what was written is not said"; }
(cd "$TMPDIR" && plan --target fleet/4.json --target fleet/1.json --target fleet/5.json --target fleet/2.json --target fleet/3.json --union >/dev/null 2>&1) || fail "the default name"
plan --target "$TMPDIR/fleet" --union --json >"$TMPDIR/stdout.lock" 2>/dev/null && cmp "$TMPDIR/all.lock" "$TMPDIR/stdout.lock" || fail "--json prints the lock"
plan --target "$TMPDIR/fleet" --union -o - >"$TMPDIR/stdout.lock" 2>/dev/null && cmp "$TMPDIR/all.lock" "$TMPDIR/stdout.lock" || fail "-o - prints the lock"
python3 - "$TMPDIR/all.lock" "$TMPDIR/gpuferry.lock" <<'P' || fail "the lock for all"
import json, sys
one, other = (json.load(open(name)) for name in sys.argv[1:])
assert [t["label"] for t in one["targets"]] == ["node1", "node2"], one["targets"]
assert one["machines"] == [{"target": "node1", "names": ["node1", "node3", "node5"]}, {"target": "node2", "names": ["node2", "node4"]}], one["machines"]
assert [(r["version"], r["for"]) for r in one["python"]] == [("1.0", ["node2"]), ("2.0", ["node1"])], one["python"]
assert [t["label"] for t in other["targets"]] == ["node2", "node1"]
for lock in one, other:
    del lock["targets"], lock["seal"]
assert one == other and list(one) == list(other)
P
"$GPUFERRY" why idna -l "$TMPDIR/all.lock" >"$TMPDIR/out" 2>&1 || fail "why in a lock for all"
printf 'idna for node1\n  idna 2.0  (idna-2.0-py3-none-any.whl, from default)\n    needed by: (request)\nidna for node2\n  idna 1.0  (idna-1.0-py3-none-any.whl, from default)\n    needed by: (request)\n    passed over 2.0: needs Python >=3.10, the target has 3.9.2\n' >"$TMPDIR/want"
cmp "$TMPDIR/out" "$TMPDIR/want" || { cat "$TMPDIR/out"; fail "why tells each target's own"; }
"$GPUFERRY" why torch -l "$TMPDIR/all.lock" >"$TMPDIR/out" 2>&1
[ $? = 1 ] && [ "$(wc -l <"$TMPDIR/out")" = 1 ] || { cat "$TMPDIR/out"; fail "what is in no plan is said once: exit 1 was expected"; }
"$GPUFERRY" why idna -l "$TMPDIR/all.lock" --json | python3 -c 'import json, sys; assert [(a["version"], a["for"]) for a in json.load(sys.stdin)] == [("2.0", ["node1"]), ("1.0", ["node2"])]' ||
	fail "why --json tells each target's own"
plan --target "$TMPDIR/fleet/2.json" --union -o "$TMPDIR/one.lock" >/dev/null 2>&1 && cmp "$TMPDIR/one.lock" "$TMPDIR/locks/node2.lock" || fail "one target alone: its lock"
echo ok
