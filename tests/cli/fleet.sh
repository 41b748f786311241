#!/bin/sh
# Many targets in one call: equal ones are planned once, each has its lock, and each lock is the one that a call of its own gives.
set -u
fail() { echo "$*"; exit 1; }
mkdir "$TMPDIR/fleet" "$TMPDIR/index" "$TMPDIR/index/idna" || exit 1
for i in 1 2 3 4 5 6; do
	case $i in 1 | 3 | 5) python=3.12.1 ;; 2 | 4) python=3.9.2 ;; *) python=3.6.9 ;; esac
	printf '{"schema":"gpuferry.profile/1","label":"node%s","arch":"x86_64","libc":{"name":"glibc","version":"2.36"},"os":{"id":"debian","version":"12"},"python":{"version":"%s"}}' "$i" $python >"$TMPDIR/fleet/$i.json"
done
python3 - "$TMPDIR/index/idna" <<'P' || exit 1
import json, pathlib, sys, zipfile
folder = pathlib.Path(sys.argv[1])
rows = []
for version, python in (("1.0", ">=3.7"), ("2.0", ">=3.10")):
    name = f"idna-{version}-py3-none-any.whl"
    with zipfile.ZipFile(folder / name, "w") as z:
        z.writestr(f"idna-{version}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: idna\nVersion: {version}\nRequires-Python: {python}\n")
    rows.append({"filename": name, "url": name, "hashes": {}, "requires-python": python, "size": (folder / name).stat().st_size})
(folder / "index.json").write_text(json.dumps({"meta": {"api-version": "1.1"}, "name": "idna", "files": rows, "versions": ["1.0", "2.0"]}))
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
echo ok
