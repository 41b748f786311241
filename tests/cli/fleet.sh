#!/bin/sh
# Many targets in one call: equal ones are planned once, each has its lock, and each lock is the one that a call of its own gives.
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
echo ok
