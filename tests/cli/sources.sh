#!/bin/sh
# Sources against an index that behaves, and one that does not: pages, metadata, caching, faults and what is said about them.
set -u
tool=build/asan/tests/tools/sources_tool
[ -x "$tool" ] || { echo "$tool is not built"; exit 1; }
. tests/lib/replica.sh
base=''
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY all_proxy
export no_proxy='' HOME="$TMPDIR"
replica --packages tests/lib/replica-packages.json
out=$TMPDIR/out

ask() { # ARGUMENTS…: output and notes into $out, status into $rc
	: >"$log"
	"$tool" "$@" >"$out" 2>"$out.notes"
	rc=$?
	cat "$out.notes" >>"$out"
}
from() { # OPTIONS COMMAND NAME…: one index with these options
	with=$1
	shift
	ask --index "default=$base${with:+/with/$with}/simple" "$@"
}

# pages: the same rows from JSON and HTML, but for what HTML cannot say
from json pages alpha
cp "$out" "$out.json"
equal 'four files' "$(grep -c ' source=default' "$out")" 4
says 'time of upload' '^alpha-1.0-py3-none-any.whl .*uploaded=1704164645' "$out"
says 'requires-python' "^alpha-1.0-py3-none-any.whl .*python='>=3.8,<4'" "$out"
says 'yanked' "^alpha-3.0-py3-none-any.whl .*yanked='broken <badly>'" "$out"
equal 'sorted by name' "$(grep -o '^alpha-[^ ]*' "$out" | head -n 1)" alpha-1.0-py3-none-any.whl
from html pages alpha
sed 's/ uploaded=[0-9]*//; s/size=[0-9]*/size=-1/' "$out.json" | grep source= >"$out.1"
grep source= "$out" >"$out.2"
equal 'HTML says what JSON says' "$(cat "$out.2")" "$(cat "$out.1")"
from gzip pages alpha
equal 'a packed page' "$(grep source= "$out")" "$(grep source= "$out.json")"
from '' pages nothing
says 'absent' '^nothing: absent' "$out"
equal 'absent is no error' $rc 0
from '' --exclude-newer 1735787045 pages alpha
equal 'nothing newer' "$(grep -c '^alpha-[12].0.*source=' "$out")" 3
silent 'nothing newer at all' '^alpha-3.0' "$out"

# metadata, each way
says_requires() { says "$1" "^$2: .*\\[$3\\]" "$out"; }
from '' metadata alpha
says_requires 'small wheel' alpha-1.0-py3-none-any.whl 'beta>=1'
says_requires 'static source archive' alpha-2.0.tar.gz 'beta>=2'
silent 'which is not dynamic' 'alpha-2.0.tar.gz.*dynamic' "$out"
from '' metadata gamma
says_requires 'wheel by ranges' gamma-1.0-py3-none-any.whl alpha
equal 'in one request' "$(requests /files/)" 1
says 'of its tail' 'GET /files/gamma[^ ]* 206 bytes=' "$log"
from '' metadata far
says_requires 'METADATA far from the end' far-1.0-py3-none-any.whl alpha
equal 'in two requests' "$(requests /files/)" 2
from html metadata big
says_requires 'size unknown: suffix range' big-1.0-py3-none-any.whl alpha
says 'suffix' 'bytes=-65536' "$log"
equal 'no HEAD' "$(requests HEAD)" 0
from no-ranges metadata gamma
says_requires 'server without ranges' gamma-1.0-py3-none-any.whl alpha
from no-ranges metadata huge
says 'too large without ranges' '^huge.*GF_E_LIMIT.*does not answer range requests' "$out"
equal 'which is status 6' $rc 6
from '' metadata huge
says 'a large file by its tail' '^huge-1.0-py3-none-any.whl: huge 1.0' "$out"
for o in 658 old658 658,html old658,html bare-658; do
	from "$o" metadata big
	says_requires "$o" big-1.0-py3-none-any.whl alpha
	equal "$o in one request" "$(requests '/files/.*metadata 200')" 1
done
from 658-lie metadata big
says 'wrong digest of .metadata' '^big.*GF_E_INTEGRITY.*metadata. has sha256 [0-9a-f]\{64\}, the index says 0000' "$out"
equal 'which is status 5' $rc 5
from '' metadata beta
says_requires 'old source archive' beta-1.0.tar.gz 'gamma>=1'
says_requires 'extra' beta-1.0.tar.gz "delta ; extra == 'fast'"
says_requires 'markers joined' beta-1.0.tar.gz "epsilon ; (os_name == \"posix\") and (python_version < \"3.9\") and extra == 'slow'"
says 'which is unproven' 'beta-1.0.tar.gz: .* dynamic' "$out"
from '' metadata liar
says_requires 'what can be read of bad requirements' liar-1.0-py3-none-any.whl alpha

from '' metadata mask
says 'another name inside' '^mask-1.0.*GF_E_PARSE.*its metadata is that of other 1.0, its file name says mask 1.0' "$out"
says 'the same, spelled otherwise' '^mask-2.0[^:]*: Mask 2' "$out"
says 'another version inside' '^mask-3.0.*GF_E_PARSE.*its metadata is that of mask 3.1, its file name says mask 3.0' "$out"

# an index that lies
from size+5 metadata gamma
says 'size too large' 'GF_E_INTEGRITY.*the index says that .* has [0-9]* bytes, the server has [0-9]*' "$out"
from size+500000 metadata gamma
says 'size far too large' 'GF_E_INTEGRITY.*the index says that .* has [0-9]* bytes, the server has [0-9]*' "$out"
from size+-5 metadata gamma
says 'size too small' 'GF_E_INTEGRITY.*the index says that .* has [0-9]* bytes, the server has [0-9]*' "$out"
equal 'a lie is status 5' $rc 5
from sha256-lie metadata alpha
says 'wrong digest' 'GF_E_INTEGRITY.*has sha256 [0-9a-f]\{64\}, the index says ffff' "$out"
from file-garbage metadata gamma
says 'not a wheel' '^gamma.*GF_E_PARSE.*not a sound zip archive' "$out"
from page-garbage pages alpha
says 'not a page' '^alpha.*GF_E_NETWORK.*neither JSON nor HTML' "$out"
for o in size+5 sha256-lie,no-ranges; do # a plan does not quietly go round it
	PIP_CONFIG_FILE=/dev/null PIP_FIND_LINKS='' GPUFERRY_CACHE=$TMPDIR/plan-cache "$GPUFERRY" plan gamma --os debian-12 --python 3.11 --sources default \
		--index-url "$base/with/$o/simple" -o "$TMPDIR/lock" >"$out" 2>&1
	equal "a plan with $o ends with status 5" $? 5
	says "and says what lies: $o" 'gamma-1.0.*the index says' "$out"
	equal "without a lock: $o" "$(ls "$TMPDIR/lock" 2>/dev/null)" ''
done

# a server in trouble
from page-status=503x2 pages alpha
equal 'twice unavailable, then well' "$(grep -c source= "$out")" 4
equal 'three requests' "$(requests /simple/)" 3
from page-status=429x1 pages alpha
equal 'too many requests, then well' "$(grep -c source= "$out")" 4
from page-status=500 --retries 1 pages alpha
says 'always 500' '^alpha: GF_E_NETWORK .*answered 500, tried 2 times' "$out"
equal 'which is status 4' $rc 4
from page-status=403 pages alpha
says 'forbidden' '^alpha: GF_E_NETWORK .*answered 403' "$out"
equal 'is not tried again' "$(requests /simple/)" 1
from page-truncate=100x1 pages alpha
equal 'broken once, then well' "$(grep -c source= "$out")" 4
from page-truncate=100 --retries 1 pages alpha
says 'cut short, said so' 'GF_E_NETWORK.*cut short after [0-9]* of [0-9]* bytes, tried 2 times (a broken transfer' "$out"
from page-stall=100 --retries 0 pages alpha
says 'a stall is cut short too' 'GF_E_NETWORK.*cut short after 100 of' "$out"
from redirect pages alpha
equal 'redirect' "$(grep -c source= "$out")" 4
from loop pages alpha
says 'redirects in a circle' 'GF_E_NETWORK.*circle' "$out"
ask --index default=http://127.0.0.1:1/simple --retries 0 pages alpha
says 'nobody there' '^alpha: GF_E_NETWORK .*cannot be reached' "$out"
ask --index default=http://user:hunter2@127.0.0.1:1/simple --retries 0 pages alpha
silent 'no password in messages' hunter2 "$out"

# downloads
get() { ask --bulk "$@"; }
whole=$("$tool" --bulk get "$base/files/big-1.0-py3-none-any.whl")
for o in truncate=1000000x2 truncate=1000000x2,etag truncate=1000000x1,no-ranges status=503x1; do
	get get "$base/with/$o/files/big-1.0-py3-none-any.whl"
	equal "download with $o" "$(head -n 1 "$out")" "$whole"
done
: >"$log"
"$tool" --bulk get "$base/with/truncate=1000000x1,etag/files/far-1.0-py3-none-any.whl" >/dev/null 2>&1
says 'resumed where it broke' 'GET .*far.* 206 bytes=1000000-' "$log"
get --max 1000 get "$base/files/big-1.0-py3-none-any.whl"
says 'cap on size' 'GF_E_LIMIT.*the most that is read of it is 1000' "$out"
get get "file://$PWD/tests/lib/replica.sh"
says 'local file' "^got $(wc -c <tests/lib/replica.sh) bytes" "$out"
get get "$base/files/nothing.whl"
says 'missing file' 'GF_E_NOT_FOUND.*does not exist (the server answered 404)' "$out"

# a look into a remote wheel
ask look "$base/files/far-1.0-py3-none-any.whl"
says 'every member, in few requests' '^6 members, 17[0-9]* bytes, [0-9]\{1,2\} requests' "$out"
ask look "$base/with/no-ranges/files/far-1.0-py3-none-any.whl"
says 'which needs ranges' 'GF_E_NETWORK.*does not answer range requests' "$out"

# cache
cache=$TMPDIR/cache
cached() { # OPTIONS FLAG COMMAND NAME…
	with=$1
	flag=$2
	shift 2
	: >"$log"
	# shellcheck disable=SC2086
	"$tool" --index "default=$base${with:+/with/$with}/simple" --cache "$cache" $flag "$@" >"$out" 2>&1
	rc=$?
}
cached '' '' metadata alpha gamma
cp "$out" "$out.fresh"
cached '' --offline metadata alpha gamma
equal 'the same offline' "$(grep -v ^requests "$out")" "$(grep -v ^requests "$out.fresh")"
equal 'without a request' "$(wc -l <"$log")" 0
cached '' '' metadata alpha gamma
equal 'no max-age: pages are asked for again, metadata is not' "$(requests /simple/) $(requests /files/)" '2 0'
cached '' --offline pages beta
says 'not cached' '^beta: GF_E_NETWORK.*not in the cache, and --offline' "$out"
cached '' '' pages nothing
cached '' --offline pages nothing
says 'absence is remembered' '^nothing: absent' "$out"
cached max-age=600 '' pages alpha
cached max-age=600 '' pages alpha
equal 'fresh: no request' "$(wc -l <"$log")" 0
cached max-age=600 --refresh pages alpha
equal 'refresh asks' "$(requests /simple/)" 1
cached max-age=0,etag '' pages alpha
cached max-age=0,etag '' pages alpha
says 'ETag: not modified' ' 304 ' "$log"
equal 'and the same files' "$(grep source= "$out")" "$(grep source= "$out.json")"
cached last-modified '' pages alpha
cached last-modified '' pages alpha
says 'Last-Modified: not modified' ' 304 ' "$log"
for f in "$cache"/page/*; do # a damaged cache is no cache
	printf 'XXXX' | dd of="$f" bs=1 seek=200 conv=notrunc 2>/dev/null
done
cached '' --offline pages alpha
says 'damaged entries are not used' '^alpha: GF_E_NETWORK.*not in the cache' "$out"
: >"$TMPDIR/file"
ask --index "default=$base/simple" --cache "$TMPDIR/file/below" pages alpha
equal 'an unwritable cache is no error' $rc 0
says 'but is said' 'note 0: the cache cannot be written' "$out"

# several sources
ask --index "first=$base/with/page-status=404/simple" --index "second=$base/simple" pages alpha
says 'the next one, when the first has it not' '^alpha-1.0.*source=second' "$out"
ask --index "first=$base/simple" --index "second=$base/simple" pages alpha
silent 'the first that has it wins' 'source=second' "$out"
equal 'and the second is not even asked' "$(requests /simple/alpha/)" 1
ask --index "default=$base/simple" --vendor "pytorch-cu126=$base/whl/cu126" --route torch pages torch alpha
says 'a routed index competes' '^torch-2.7.1+cu126.* source=pytorch-cu126 size=-1 sha256=[0-9a-f]' "$out"
says 'with the default' '^torch-2.7.1-cp312.* source=default' "$out"
silent 'for its names only' '^alpha.*pytorch' "$out"
ask --vendor "pytorch-cu126=$base/whl/cu126" --route torch metadata torch
says_requires "metadata from PyTorch's layout" 'torch-2.7.1+cu126-cp312-cp312-manylinux_2_28_x86_64.whl' filelock
ask --vendor "paddle=$base/packages/stable/cu126" --route paddlepaddle-gpu metadata paddlepaddle-gpu
says_requires "metadata from Paddle's layout" paddlepaddle_gpu-3.2.0-cp312-cp312-linux_x86_64.whl 'numpy>=1.13'
ask --index "default=$base/simple" --vendor gone=http://127.0.0.1:1/whl --route torch --route alpha pages torch alpha
says 'an unreachable vendor is said' '^torch: unreachable: gone' "$out"
says 'and why' '^source gone: unreachable: .*cannot be reached' "$out"
equal 'and is no error' $rc 0
ask --vendor gone1=http://127.0.0.1:1/whl/a --vendor gone2=http://127.0.0.1:1/whl/b --vendor here="$base/simple" pages alpha beta gamma
equal 'the second index of a host that does not answer is not tried' "$(sed -n 's/^requests //p' "$out")" 6
says 'for both of its indexes' '^source gone2: unreachable: .*cannot be reached' "$out"
says 'and others are asked' '^alpha-1.0.* source=here' "$out"
ask --index "default=$base/simple" --index gone=http://127.0.0.1:1/simple --retries 0 pages nothing
equal 'an unreachable index that is needed is an error' $rc 4

# find-links
mkdir "$TMPDIR/wheels"
for f in alpha-1.0-py3-none-any.whl beta-1.0.tar.gz; do
	python3 -c 'import sys, urllib.request; open(sys.argv[2], "wb").write(urllib.request.urlopen(sys.argv[1]).read())' "$base/files/$f" "$TMPDIR/wheels/$f"
done
: >"$TMPDIR/wheels/alpha-notes.txt"
ask --links "folder=$TMPDIR/wheels" metadata alpha beta gamma
says_requires 'folder' alpha-1.0-py3-none-any.whl 'beta>=1'
says_requires 'source archive in a folder' beta-1.0.tar.gz 'gamma>=1'
says 'others are absent' '^gamma: absent' "$out"
ask --links "page=$base/links/" metadata alpha
says_requires 'flat page' alpha-2.0-py3-none-any.whl 'beta>=2'
ask --cache "$cache" --links "page=$base/links/" pages alpha
ask --cache "$cache" --offline --links "page=$base/links/" pages alpha
equal 'a flat page offline' "$(grep -c source=page "$out")" 4
ask --links "gone=$TMPDIR/gone" --index "default=$base/simple" pages alpha
says 'a folder that is not there is passed over' '^alpha-1.0.*source=default' "$out"

# credentials, proxies, certificates
replica --packages tests/lib/replica-packages.json --auth 'us er:p@ss'
ask --index "default=$base/simple" pages alpha
says 'no credentials' '^alpha: GF_E_NETWORK .*answered 401' "$out"
ask --index "default=$(echo "$base" | sed 's,//,//us%20er:p%40ss@,')/simple" metadata gamma
says_requires 'credentials of the URL, for its files too' gamma-1.0-py3-none-any.whl alpha
replica --packages tests/lib/replica-packages.json --auth me:secret
printf 'machine 127.0.0.1 login me password secret\n' >"$TMPDIR/.netrc"
ask --index "default=$base/simple" pages alpha
equal 'netrc' "$(grep -c source= "$out")" 4
rm "$TMPDIR/.netrc"
authed=$base
replica --packages tests/lib/replica-packages.json
ask --index "default=http://me:secret@${base#http://}/with/redirect-to=${authed##*:}/simple" pages alpha
says 'credentials do not follow to another server' 'answered 401' "$out"
: >"$log"
http_proxy=$base "$tool" --index default=http://index.invalid/simple pages alpha >"$out" 2>&1
says 'http_proxy' 'http://index.invalid/simple/alpha/ 200 .*proxied' "$log"
if command -v openssl >/dev/null; then
	openssl req -x509 -newkey rsa:2048 -nodes -keyout "$TMPDIR/key" -out "$TMPDIR/cert" -days 2 -subj /CN=127.0.0.1 \
		-addext subjectAltName=IP:127.0.0.1 2>/dev/null
	plain=${base##*:}
	replica --packages tests/lib/replica-packages.json --tls "$TMPDIR/cert" "$TMPDIR/key"
	ask --index "default=$base/simple" pages alpha
	says 'a certificate that nobody vouches for' 'GF_E_NETWORK.*SSL_CERT_FILE' "$out"
	export SSL_CERT_FILE="$TMPDIR/cert"
	ask --index "default=$base/simple" pages alpha
	equal 'SSL_CERT_FILE' "$(grep -c source= "$out")" 4
	ask --index "default=$base/with/redirect-to=$plain/simple" pages alpha
	says 'never from https down to http' 'GF_E_NETWORK.*never from https down to http' "$out"
fi
finish
