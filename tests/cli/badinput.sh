#!/bin/sh
# timeout: 600
# What goes wrong around a plan and a bundle: the exit status, a message that names it, nothing half-written under its final name, and the next run goes on.
set -u
passed=0 failed=0
fail() { failed=$((failed + 1)); echo "$1: $2"; [ ! -s "$TMPDIR/said" ] || sed 's/^/    | /' "$TMPDIR/said"; }
ok() { passed=$((passed + 1)); }

. tests/lib/replica.sh
cat >"$TMPDIR/packages" <<'JSON'
[{"filename": "alpha-1.0-py3-none-any.whl", "requires": ["beta"], "pad": 900000},
 {"filename": "alpha-2.0-py3-none-any.whl", "requires": ["beta>=1"], "pad": 900000},
 {"filename": "beta-1.5-py3-none-any.whl", "pad": 900000}]
JSON
replica --packages "$TMPDIR/packages"
trap 'kill $replica_pid 2>/dev/null; umount "$TMPDIR/small" 2>/dev/null' EXIT
unset PIP_EXTRA_INDEX_URL PIP_FIND_LINKS PIP_NO_INDEX http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
facts='--accelerator any --arch x86_64 --glibc 2.36 --sources default --no-installer'

fresh() { rm -rf "$TMPDIR/cache" "$TMPDIR/w" && mkdir "$TMPDIR/w"; }
gpuferry() { XDG_CACHE_HOME="$TMPDIR/cache" "$GPUFERRY" "$@" >"$TMPDIR/out" 2>"$TMPDIR/err"; status=$?; cat "$TMPDIR/err" "$TMPDIR/out" >"$TMPDIR/said"; }
from() { export PIP_INDEX_URL="$base${1:+/with/$1}/simple/"; } # FAULTS, as tests/lib/replica.py has them
# shellcheck disable=SC2086
plan() { gpuferry plan "$@" $facts -o "$TMPDIR/w/lock"; }
# STATUS and words that the message must hold, for the command before
said() { # NAME STATUS WORD…
	name=$1 want=$2
	shift 2
	[ $status = "$want" ] || { fail "$name" "exit $status, expected $want"; return; }
	for word; do grep -qiF -- "$word" "$TMPDIR/said" || { fail "$name" "'$word' is not in the message"; return; }; done
	ok
}
absent() { if [ -e "$2" ]; then fail "$1" "$2 is there"; else ok; fi; }
present() { if [ -s "$2" ]; then ok; else fail "$1" "$2 is not there"; fi; }

# --- what is asked for ---
from ''
fresh
plan alpha --python 3.11 --gpu 'RTX 3909'
said 'unknown GPU' 2 'RTX 3909' 'RTX 3090'
for card in 'GT 730' 'GT 1030' 'GTX 860M' 'GTX 750 Ti'; do
	plan alpha --python 3.11 --gpu "$card"
	said "a name with several capabilities: $card" 2 "$card" 10de:
done
plan gamma --python 3.11
said 'unknown package' 1 gamma
plan 'alpha==3.0' --python 3.11
said 'unknown version' 1 alpha 3.0 2.0
plan alpha --python 2.x
said 'a Python that is none' 2 2.x
plan 'alpha>=>1' --python 3.11
said 'a requirement that is none' 2 'alpha>=>1'
absent 'no lock after a refusal' "$TMPDIR/w/lock"

# --- the index ---
for fault in page-status=503 page-truncate=40 page-garbage; do
	fresh
	from $fault
	plan alpha --python 3.11
	said "index: $fault" 4 127.0.0.1 alpha
	absent "index: $fault" "$TMPDIR/w/lock"
done
fresh
export PIP_INDEX_URL=http://127.0.0.1:1/simple/
plan alpha --python 3.11
said 'index: nobody listens' 4 127.0.0.1:1
fresh
from html
plan alpha --python 3.11
said 'index: HTML is as good' 0 alpha

# --- the files ---
fresh
from ''
plan alpha --python 3.11
said 'the plan that is packed' 0 alpha 2.0 beta 1.5
cp "$TMPDIR/w/lock" "$TMPDIR/lock.ok" || exit 1
bundle_from() { # FAULT: the same lock with its files from elsewhere
	fresh
	from "$1"
	plan alpha --python 3.11
	said "plan with $1" 0
	gpuferry bundle "$TMPDIR/w/lock" -o "$TMPDIR/w/b.tar"
}
bundle_from only=alpha,body-status=404
said 'file: 404' 4 alpha-2.0-py3-none-any.whl 404
absent 'file: 404' "$TMPDIR/w/b.tar"
bundle_from body-status=503
said 'file: 503' 4 py3-none-any.whl 503
absent 'file: 503' "$TMPDIR/w/b.tar"
bundle_from body-truncate=0
said 'file: always cut' 4 py3-none-any.whl
absent 'file: always cut' "$TMPDIR/w/b.tar"
bundle_from body-garbage
said 'file: other bytes' 5 py3-none-any.whl sha256
absent 'file: other bytes' "$TMPDIR/w/b.tar"
bundle_from 658,size+4
if [ $status = 5 ] || [ $status = 4 ]; then ok; else fail 'file: too long' "exit $status"; fi
absent 'file: too long' "$TMPDIR/w/b.tar"
bundle_from body-truncate=300000x1
said 'file: cut once' 0 b.tar
gpuferry verify "$TMPDIR/w/b.tar"
said 'file: cut once, then whole' 0 whole

# --- the lock and the bundle ---
fresh
from ''
sed 's/"2\.0"/"1.0"/' "$TMPDIR/lock.ok" >"$TMPDIR/w/lock"
gpuferry bundle "$TMPDIR/w/lock" -o "$TMPDIR/w/b.tar"
said 'a lock edited by hand' 5 seal
absent 'a lock edited by hand' "$TMPDIR/w/b.tar"
head -c 200 "$TMPDIR/lock.ok" >"$TMPDIR/w/lock"
gpuferry bundle "$TMPDIR/w/lock" -o "$TMPDIR/w/b.tar"
if [ $status != 0 ] && [ ! -e "$TMPDIR/w/b.tar" ]; then ok; else fail 'half a lock' "exit $status"; fi
gpuferry bundle "$TMPDIR/w/none" -o "$TMPDIR/w/b.tar"
said 'no such lock' 6 "$TMPDIR/w/none"

cp "$TMPDIR/lock.ok" "$TMPDIR/w/lock"
gpuferry bundle "$TMPDIR/w/lock" -o "$TMPDIR/w/b.tar"
said 'the bundle' 0 b.tar
gpuferry verify "$TMPDIR/w/b.tar"
said 'the bundle is whole' 0 whole
python3 - "$TMPDIR/w/b.tar" <<'PY'
import sys, tarfile
path = sys.argv[1]
with tarfile.open(path) as t:
    at = next(m for m in t if m.name.endswith("alpha-2.0-py3-none-any.whl")).offset_data + 5000
with open(path, "r+b") as f:
    f.seek(at)
    byte = f.read(1)[0]
    f.seek(at)
    f.write(bytes([byte ^ 4]))
PY
gpuferry verify "$TMPDIR/w/b.tar"
said 'one bit' 5 alpha-2.0-py3-none-any.whl
mkdir "$TMPDIR/w/b" && tar -xf "$TMPDIR/w/b.tar" -C "$TMPDIR/w/b"
sh "$TMPDIR/w/b/install.sh" --yes --prefix "$TMPDIR/w/installed" >"$TMPDIR/said" 2>&1
status=$?
said 'one bit, installed' 11 alpha-2.0-py3-none-any.whl

# --- interrupted, killed, full ---
fresh
from body-stall=300000x2
plan alpha --python 3.11
(XDG_CACHE_HOME="$TMPDIR/cache" exec "$GPUFERRY" bundle "$TMPDIR/w/lock" -o "$TMPDIR/w/b.tar" >"$TMPDIR/said" 2>&1) &
child=$!
sleep 2
kill -INT $child
wait $child
status=$?
case $status in 0) fail 'Ctrl-C' "exit 0 while files came slowly" ;; 13?|4|6) ok ;; *) fail 'Ctrl-C' "exit $status" ;; esac
absent 'Ctrl-C' "$TMPDIR/w/b.tar"
(XDG_CACHE_HOME="$TMPDIR/cache" exec "$GPUFERRY" bundle "$TMPDIR/w/lock" -o "$TMPDIR/w/b.tar" >"$TMPDIR/said" 2>&1) &
child=$!
sleep 2
kill -KILL $child
wait $child 2>/dev/null
absent 'killed' "$TMPDIR/w/b.tar"
: >"$log"
gpuferry bundle "$TMPDIR/w/lock" -o "$TMPDIR/w/b.tar"
said 'after both' 0 b.tar
if grep -q 'bytes=[1-9]' "$log"; then ok; else fail 'after both' "it did not go on from what had come: $(cat "$log")"; fi
gpuferry verify "$TMPDIR/w/b.tar"
said 'after both, whole' 0 whole

if [ "$(id -u)" = 0 ] && mkdir "$TMPDIR/small" && mount -t tmpfs -o size=1500k none "$TMPDIR/small" 2>/dev/null; then
	fresh
	from ''
	plan alpha --python 3.11
	gpuferry bundle "$TMPDIR/w/lock" -o "$TMPDIR/small/b.tar"
	said 'disk full' 6 "$TMPDIR/small"
	absent 'disk full' "$TMPDIR/small/b.tar"
	mount -o remount,size=24m "$TMPDIR/small"
	gpuferry bundle "$TMPDIR/w/lock" -o "$TMPDIR/small/b.tar"
	said 'room made' 0 b.tar
	dd if=/dev/zero of="$TMPDIR/small/fill" bs=1k 2>/dev/null
	# shellcheck disable=SC2086
	gpuferry plan alpha --python 3.11 $facts -o "$TMPDIR/small/lock"
	said 'disk full for a lock' 6 "$TMPDIR/small/lock"
	absent 'disk full for a lock' "$TMPDIR/small/lock"
	umount "$TMPDIR/small"
fi
echo "$passed passed, $failed failed"
[ $failed = 0 ]
