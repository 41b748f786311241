#!/bin/sh
# Names that a package mostly brings (data/packages/often.json) are asked for before it is known that they are needed; that decides nothing.
set -u
. tests/lib/expect.sh
XDG_CACHE_HOME=$TMPDIR/cache GPUFERRY_CACHE=$TMPDIR/cache
export XDG_CACHE_HOME GPUFERRY_CACHE
unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
mkdir "$TMPDIR/index"
python3 - "$TMPDIR/index" <<'END'
import os, sys, zipfile
def wheel(name, version, requires=()):
    stem = "%s-%s" % (name.replace("-", "_"), version)
    folder = os.path.join(sys.argv[1], name)
    os.makedirs(folder, exist_ok=True)
    with zipfile.ZipFile(os.path.join(folder, stem + "-py3-none-any.whl"), "w") as z:
        z.writestr(stem + ".dist-info/METADATA", "Metadata-Version: 2.1\nName: %s\nVersion: %s\n%s" % (name, version, "".join("Requires-Dist: %s\n" % r for r in requires)))
        z.writestr(stem + ".dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
    with open(os.path.join(folder, "index.html"), "a") as f:
        f.write('<a href="%s-py3-none-any.whl">x</a>\n' % stem)
wheel("onnxruntime-gpu", "1.31.1", ["protobuf<5"])
wheel("protobuf", "4.0")
wheel("protobuf", "7.0", ["evil"])   # newest, guessed at, not taken
wheel("numpy", "2.0")                # often there, not asked for by this one
END
python3 -u -m http.server --bind 127.0.0.1 --directory "$TMPDIR/index" 0 >"$TMPDIR/port" 2>"$TMPDIR/served" &
server=$!
trap 'kill $server 2>/dev/null' EXIT
until port=$(sed -n 's/.* port \([0-9][0-9]*\).*/\1/p' "$TMPDIR/port" 2>/dev/null) && [ -n "$port" ]; do sleep 0.05; done
plan() { "$GPUFERRY" plan "$1" --os "${2:-debian-12}" --arch x86_64 --python 3.12 --accelerator any --index-url "http://127.0.0.1:$port/" --sources default --no-installer -o "$TMPDIR/$3.lock"; }
asked() { sed -n 's/.*"GET \/\([^/]*\)\/ HTTP.*/\1/p' "$TMPDIR/served" | sort -u | tr '\n' ' '; }

expect 0 'onnxruntime-gpu' 'planned' plan onnxruntime-gpu debian-12 a
packages=$(python3 tests/lib/lock.py "$TMPDIR/a.lock" | tr '\n' ' ')
if [ "$packages" = 'onnxruntime-gpu==1.31.1 protobuf==4.0 ' ]; then ok "what was asked for ahead is not taken for that"; else bad "the plan is '$packages'"; fi
case $(asked) in *flatbuffers* | *numpy* | *packaging*) ok "asked for ahead" ;; *) bad "asked were $(asked)" ;; esac
if [ "$(asked | wc -w)" -le 60 ]; then ok "in bounds"; else bad "$(asked)"; fi

# ---- no row, no guess: the same packages under another target, where the row does not count ----
: >"$TMPDIR/served"
rm -rf "$TMPDIR/cache"
expect 0 'onnxruntime-gpu' 'planned for Windows' plan onnxruntime-gpu windows-11 b
case $(asked) in *flatbuffers* | *numpy* | *packaging*) bad "asked were $(asked)" ;; *) ok "a row for Linux counts for Linux" ;; esac
if [ "$(python3 tests/lib/lock.py "$TMPDIR/b.lock" | tr '\n' ' ')" = "$packages" ]; then ok "the same plan without"; else bad "another plan without"; fi

# ---- from cache nothing is asked for ----
: >"$TMPDIR/served"
expect 0 'onnxruntime-gpu' 'offline' "$GPUFERRY" plan onnxruntime-gpu --os windows-11 --arch x86_64 --python 3.12 --accelerator any --index-url "http://127.0.0.1:$port/" --sources default --no-installer --offline -o "$TMPDIR/c.lock"
if [ -z "$(asked)" ]; then ok "and asks nobody"; else bad "asked were $(asked)"; fi
if cmp -s "$TMPDIR/b.lock" "$TMPDIR/c.lock"; then ok "byte for byte"; else bad "another lock from cache"; fi
echo "$passed passed, $failed failed"
