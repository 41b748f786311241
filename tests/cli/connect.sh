#!/bin/sh
# pip names the server of its default index's files: the connection there is made beside the first page's request. It decides nothing.
set -u
. tests/lib/replica.sh
for v in $(env | sed -n 's/^\(PIP_[A-Z_]*\)=.*/\1/p'); do unset "$v"; done
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY all_proxy XDG_CONFIG_HOME
export HOME="$TMPDIR" XDG_CONFIG_DIRS="$TMPDIR" PIP_CONFIG_FILE=/dev/null VIRTUAL_ENV="$TMPDIR/venv"
log=$TMPDIR/log
python3 tests/lib/two_hosts.py "$TMPDIR/ports" "$log" &
tries=0
while [ ! -s "$TMPDIR/ports" ]; do
	tries=$((tries + 1))
	[ $tries -le 100 ] || { echo 'the two hosts did not start'; exit 1; }
	sleep 0.1
done
read -r index files <"$TMPDIR/ports"
pip=$VIRTUAL_ENV/lib/python3.12/site-packages/pip/_internal/models
mkdir -p "$pip"
pip_says() { # what stands behind the URL in pip's source
	printf 'PyPI = PackageIndex("http://127.0.0.1:%s/"%s)\n' "$index" "$1" >"$pip/index.py"
}
plan() { # CACHE LOCK OPTIONS…
	: >"$log"
	export XDG_CACHE_HOME="$TMPDIR/cache-$1"
	lock=$TMPDIR/$2
	shift 2
	"$GPUFERRY" plan alpha --accelerator any --arch x86_64 --glibc 2.28 --python 3.12 --sources default --no-installer --quiet -o "$lock" "$@" >"$TMPDIR/out" 2>&1
	equal "plan $*" "$?" 0
}

pip_says ", file_storage_domain=\"127.0.0.1:$files\""
plan 1 with
equal 'the server is spoken to before a file is known' "$(sed -n '1,2p' "$log" | tr '\n' ' ')" 'connected HEAD / '
equal 'files come over the same connection' "$(requests connected)" 1
equal 'and are the two that are needed' "$(requests 'GET /')" 2
plan 1 cached
equal 'nothing is asked, nobody is spoken to' "$(cat "$log")" ''
plan 1 offline --offline
equal 'nor offline' "$(cat "$log")" ''
plan 2 refreshed --refresh
equal 'once for all pages' "$(requests HEAD)" 1

plan 3 given --index-url "http://127.0.0.1:$index/simple"
equal 'one that was given is not taken for the default' "$(requests HEAD)" 0
pip_says ''
plan 4 without
equal 'a pip that does not say it' "$(requests HEAD)" 0
pip_says ', file_storage_domain="127.0.0.1:1"'
plan 5 refused
pip_says ', file_storage_domain="not/a host"'
plan 6 odd
equal 'a host that is none' "$(requests HEAD)" 0
for other in cached offline refreshed given without refused odd; do
	equal "the lock: $other" "$(cmp "$TMPDIR/with" "$TMPDIR/$other" 2>&1)" ''
done
finish
