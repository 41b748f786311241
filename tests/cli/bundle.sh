#!/bin/sh
# shellcheck disable=SC2016,SC2010,SC2034
# A lock becomes a tar: the same twice, signed and checked by others' tools, gone on with after an end in the middle, from servers that misbehave.
set -u
passed=0 failed=0
ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAILED: $1"; [ ! -s "$TMPDIR/said" ] || sed 's/^/    | /' "$TMPDIR/said"; }
# expect STATUS WORDS NAME COMMAND…
expect() {
	status=$1 words=$2 name=$3
	shift 3
	"$@" >"$TMPDIR/said" 2>&1
	got=$?
	if [ $got = "$status" ] && grep -qF -e "$words" "$TMPDIR/said"; then ok; else bad "$name (exit $got, expected $status and '$words')"; fi
}
yes() { if eval "$2"; then ok; else bad "$1"; fi; }

XDG_CACHE_HOME=$TMPDIR/cache
export XDG_CACHE_HOME
unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY SOURCE_DATE_EPOCH
files=$TMPDIR/files
mkdir "$files"
head -c 3000000 /dev/urandom >"$files/alpha-1.0-py3-none-any.whl"
head -c 700000 /dev/urandom >"$files/beta-2.0-py3-none-any.whl"
: >"$files/empty-0-py3-none-any.whl"
python3 tests/lib/faulty_server.py "$files" "$TMPDIR/port" &
server=$!
trap 'kill $server 2>/dev/null' EXIT
while [ ! -s "$TMPDIR/port" ]; do sleep 0.1; done
url=http://127.0.0.1:$(cat "$TMPDIR/port")
lock() { # FAULT [OPTION…]
	fault=$1
	shift
	python3 tests/lib/craft_lock.py --base "$url/$fault/" --request alpha "$@" "$files" >"$TMPDIR/l.lock"
}
bundle() { "$GPUFERRY" bundle "$TMPDIR/l.lock" -o "$TMPDIR/$1"; }

# ---- the same bytes, readable by others ----
lock ok
expect 0 'sh a/install.sh' 'a bundle' bundle a.tar
expect 0 'b.tar' 'again' bundle b.tar
yes 'the same bytes twice' 'cmp "$TMPDIR/a.tar" "$TMPDIR/b.tar"'
cp "$TMPDIR/l.lock" "$TMPDIR/whole.lock"
lock ok --no-size --no-digest
expect 0 'c.tar' 'a lock without sizes and digests' bundle c.tar
yes 'is completed to the same' 'cmp "$TMPDIR/a.tar" "$TMPDIR/c.tar"'
lock gone
expect 0 '0 B fetched' 'what is in the cache is not fetched' bundle c.tar
rm -rf "$TMPDIR/cache"
lock ok --no-size
expect 0 'c.tar' 'a lock without sizes' bundle c.tar
yes 'is completed to the same' 'cmp "$TMPDIR/a.tar" "$TMPDIR/c.tar"'
expect 0 'python/alpha-1.0-py3-none-any.whl' 'tar reads it' tar -tf "$TMPDIR/a.tar"
mkdir "$TMPDIR/a" && tar -xf "$TMPDIR/a.tar" -C "$TMPDIR/a"
expect 0 'OK' 'sha256sum agrees' sh -c 'cd "$1" && sha256sum -c SHA256SUMS' sh "$TMPDIR/a"
yes 'the lock in it is the lock' 'cmp "$TMPDIR/a/gpuferry.lock" "$TMPDIR/whole.lock"'
expect 0 'alpha' 'SBOM, manifest and pylock can be read' python3 - "$TMPDIR/a" <<'PY'
import hashlib, json, os, sys
try: import tomllib
except ImportError: tomllib = None
d = sys.argv[1]
sbom = json.load(open(d + "/sbom.cdx.json"))
assert sbom["bomFormat"] == "CycloneDX" and len({c["bom-ref"] for c in sbom["components"]}) == 3
refs = {c["bom-ref"] for c in sbom["components"]}
assert all(e["ref"] in refs and set(e["dependsOn"]) <= refs for e in sbom["dependencies"])
for f in json.load(open(d + "/bundle.json"))["files"]:
    data = open(os.path.join(d, f["path"]), "rb").read()
    assert len(data) == f["size"] and hashlib.sha256(data).hexdigest() == f["sha256"], f
if tomllib:
    lock = tomllib.load(open(d + "/pylock.toml", "rb"))
    assert lock["lock-version"] == "1.0" and os.path.getsize(os.path.join(d, lock["packages"][0]["wheels"][0]["path"])) == lock["packages"][0]["wheels"][0]["size"]
print("alpha")
PY
expect 0 '"ok": true' 'verify in JSON' "$GPUFERRY" verify "$TMPDIR/a" --json
rm "$TMPDIR/a/python/beta-2.0-py3-none-any.whl"
expect 5 '"kind": "missing"' 'verify in JSON names what is missing' "$GPUFERRY" verify "$TMPDIR/a" --json
expect 6 'no-such' 'no such bundle' "$GPUFERRY" verify "$TMPDIR/no-such"
expect 5 'is not a bundle' 'another file' "$GPUFERRY" verify "$TMPDIR/l.lock"
expect 2 'name one bundle' 'nothing named' "$GPUFERRY" verify
head -c 2000000 "$TMPDIR/a.tar" >"$TMPDIR/half.tar"
expect 5 'cut short' 'half a bundle' "$GPUFERRY" verify "$TMPDIR/half.tar"

# ---- signatures ----
if command -v openssl >/dev/null 2>&1; then
	openssl genpkey -algorithm ed25519 -out "$TMPDIR/key.pem" 2>/dev/null && openssl pkey -in "$TMPDIR/key.pem" -pubout -out "$TMPDIR/pub.pem"
	openssl genpkey -algorithm ed25519 -out "$TMPDIR/other.pem" 2>/dev/null && openssl pkey -in "$TMPDIR/other.pem" -pubout -out "$TMPDIR/other.pub"
	cp "$TMPDIR/whole.lock" "$TMPDIR/l.lock"
	expect 0 's.tar' 'signed' "$GPUFERRY" bundle "$TMPDIR/l.lock" -o "$TMPDIR/s.tar" --sign "$TMPDIR/key.pem"
	expect 0 'signature valid' 'the signature is right' "$GPUFERRY" verify "$TMPDIR/s.tar" --pubkey "$TMPDIR/pub.pem"
	expect 0 'signature unchecked' 'a signature without a key' "$GPUFERRY" verify "$TMPDIR/s.tar"
	expect 5 'another key' 'the key of somebody else' "$GPUFERRY" verify "$TMPDIR/s.tar" --pubkey "$TMPDIR/other.pub"
	expect 5 'no signature' 'a key but no signature' "$GPUFERRY" verify "$TMPDIR/a.tar" --pubkey "$TMPDIR/pub.pem"
	expect 2 'no key that can be used' 'a key that is none' "$GPUFERRY" bundle "$TMPDIR/l.lock" -o "$TMPDIR/t.tar" --sign "$TMPDIR/l.lock"
	yes 'found before the download' '[ ! -e "$TMPDIR/t.tar.part" ]'
	mkdir "$TMPDIR/s" && tar -xf "$TMPDIR/s.tar" -C "$TMPDIR/s"
	expect 0 'signature: right' 'install.sh checks it' sh "$TMPDIR/s/install.sh" --pubkey "$TMPDIR/pub.pem" --dry-run --prefix "$TMPDIR/x" --allow-driver --python "$(command -v python3)"
	expect 11 'not one of the key' 'install.sh refuses another key' sh "$TMPDIR/s/install.sh" --pubkey "$TMPDIR/other.pub" --dry-run --prefix "$TMPDIR/x"
	sed -i 's/alpha/alphb/' "$TMPDIR/s/SHA256SUMS"
	expect 11 'not one of the key' 'install.sh refuses a changed list' sh "$TMPDIR/s/install.sh" --pubkey "$TMPDIR/pub.pem" --dry-run --prefix "$TMPDIR/x"
	if command -v minisign >/dev/null 2>&1 && minisign -G -W -p "$TMPDIR/m.pub" -s "$TMPDIR/m.key" >/dev/null 2>&1; then
		expect 0 'm.tar' 'signed with a key of minisign' "$GPUFERRY" bundle "$TMPDIR/l.lock" -o "$TMPDIR/m.tar" --sign "$TMPDIR/m.key"
		tar -xf "$TMPDIR/m.tar" -C "$TMPDIR" SHA256SUMS SHA256SUMS.minisig
		expect 0 'Signature and comment signature verified' 'minisign agrees' minisign -V -p "$TMPDIR/m.pub" -m "$TMPDIR/SHA256SUMS"
	fi
fi

# ---- servers that misbehave: the right status, the file's name, no tar, and the next run goes on ----
wrong() { # FAULT STATUS WORDS
	rm -f "$TMPDIR"/w.tar*
	lock "$1"
	expect "$2" "$3" "server: $1" bundle w.tar
	yes "server: $1: names the file" 'grep -q "\(alpha-1.0\|beta-2.0\)-py3-none-any.whl" "$TMPDIR/said"'
	yes "server: $1: no tar" '[ ! -e "$TMPDIR/w.tar" ]'
}
wrong gone 4 404
wrong flip 5 'has sha256'
wrong short 5 'the lock says'
wrong long 5 'is larger than the'
wrong cut 4 'cut short'
for fault in once norange; do
	rm -f "$TMPDIR"/w.tar*
	lock $fault
	expect 0 'w.tar' "server: $fault" bundle w.tar
	expect 0 'whole' "server: $fault: whole" "$GPUFERRY" verify "$TMPDIR/w.tar"
done
rm -f "$TMPDIR"/w.tar*
lock ok
mkdir -p "$TMPDIR/dir.tar" # the name is taken by a folder
expect 2 'not a regular file' 'a folder of that name' bundle dir.tar
expect 6 'no-folder' 'a folder that is not there' bundle no-folder/x.tar

# ---- stopped in the middle ----
for signal in INT TERM KILL; do
	rm -f "$TMPDIR"/w.tar*
	lock slow
	"$GPUFERRY" bundle "$TMPDIR/l.lock" -o "$TMPDIR/w.tar" >"$TMPDIR/said" 2>&1 &
	child=$!
	sleep 2.6
	kill -$signal $child
	wait $child
	got=$?
	case $signal in KILL) want=137 ;; *) want=130 ;; esac
	yes "$signal: exit $got, expected $want" '[ $got = $want ]'
	yes "$signal: no tar, but its beginning" '[ ! -e "$TMPDIR/w.tar" ] && [ -s "$TMPDIR/w.tar.part" ] && [ -s "$TMPDIR/w.tar.part.state" ]'
	lock slow
	: >"$TMPDIR/port.log"
	expect 0 'w.tar' "$signal: goes on" bundle w.tar
	yes "$signal: asked for the rest only" 'grep -q "alpha.* bytes=[1-9]" "$TMPDIR/port.log"'
	expect 0 'whole' "$signal: whole" "$GPUFERRY" verify "$TMPDIR/w.tar"
	yes "$signal: nothing else is left" '[ -z "$(ls "$TMPDIR" | grep "w.tar.")" ]'
done
rm -f "$TMPDIR"/w.tar*
lock slow
"$GPUFERRY" bundle "$TMPDIR/l.lock" -o "$TMPDIR/w.tar" >/dev/null 2>&1 &
child=$!
sleep 2.6
expect 6 'by another gpuferry' 'two at a time' bundle w.tar
kill -KILL $child
wait $child 2>/dev/null
printf 'garbage' | dd of="$TMPDIR/w.tar.part" bs=1 seek=100000 conv=notrunc 2>/dev/null
expect 0 'is damaged, it is fetched again' 'a damaged beginning is found out' bundle w.tar
expect 0 'whole' 'and made good' "$GPUFERRY" verify "$TMPDIR/w.tar"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
