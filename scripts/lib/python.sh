#!/bin/sh
# The virtual environment: made without ensurepip or the distribution's venv package, filled by the bundle's own pip. Sourced by install.sh.
# shellcheck disable=SC2015,SC2034,SC2012

# With the standard library's venv where it is there; a virtual environment is little else than a link and a text.
make_environment() {
	[ -n "$GF_PYTHON" ] || return 0
	say "making the environment"
	if logged "$PY" -I -m venv --without-pip "$PREFIX" && "$PREFIX/bin/python" -I -c '' 2>>"$LOG"; then return 0; fi
	mkdir -p "$PREFIX/bin" "$PREFIX/lib/python$GF_PYTHON/site-packages" || return 1
	home=$("$PY" -I -c 'import os, sys; print(os.path.dirname(os.path.realpath(sys.executable)))') || return 1
	real=$("$PY" -I -c 'import os, sys; print(os.path.realpath(sys.executable))') || return 1
	printf 'home = %s\ninclude-system-site-packages = false\nversion = %s\n' "$home" "$GF_PYTHON" >"$PREFIX/pyvenv.cfg" || return 1
	for name in python python3 "python$GF_PYTHON"; do
		rm -f "$PREFIX/bin/$name"
		ln -s "$real" "$PREFIX/bin/$name" || return 1
	done
	"$PREFIX/bin/python" -I -c 'import sys; sys.exit(sys.prefix == sys.base_prefix)' >>"$LOG" 2>&1
}

# What an interrupted run left half: a distribution whose RECORD is not true. Its .dist-info goes, so that pip installs it anew over what is there.
DROP_BROKEN='import base64, csv, glob, hashlib, os, shutil, sys, sysconfig
site = sysconfig.get_path("purelib")
def whole(info):
    try: rows = list(csv.reader(open(os.path.join(info, "RECORD"), newline="", encoding="utf-8")))
    except (OSError, UnicodeDecodeError, csv.Error): return False
    for row in rows:
        if len(row) != 3: return False
        path, digest, size = row
        if not digest or path.endswith(".pyc"): continue
        kind, _, want = digest.partition("=")
        try:
            h = hashlib.new(kind)
            with open(os.path.join(site, path), "rb") as f:
                for block in iter(lambda: f.read(1 << 20), b""): h.update(block)
        except (OSError, ValueError): return False
        if base64.urlsafe_b64encode(h.digest()).rstrip(b"=").decode() != want.rstrip("="): return False
    return True
for info in glob.glob(os.path.join(glob.escape(site), "*.dist-info")):
    if not whole(info):
        print("unfinished:", os.path.basename(info))
        shutil.rmtree(info, ignore_errors=True)
for left in glob.glob(os.path.join(glob.escape(site), "~*")):
    shutil.rmtree(left, ignore_errors=True)'

installed_so_far() {
	set -- "$PREFIX/lib/python$GF_PYTHON/site-packages"/*.dist-info/RECORD
	[ -e "$1" ] || shift
	printf '%s of %s' $# "$(printf '%s' "$GF_PACKAGES" | grep -c .)"
}

# The bundle's pip with nothing but the bundle to take from.
bundled_pip() {
	PIP_CONFIG_FILE=/dev/null logged "$PREFIX/bin/python" -I "$HERE/python/$GF_PIP/pip" --isolated --disable-pip-version-check --no-input "$@"
}

# requirements.txt without the source archives, which are built first.
wheels_only() {
	GF_BUILDS=$GF_BUILDS awk 'BEGIN { n = split(ENVIRON["GF_BUILDS"], line, "\n"); for (i = 1; i <= n; i++) if (split(line[i], word, " ") > 2) skip[word[1] "==" word[2]] = 1 }
		/^[^ ]/ { on = !($1 in skip) } on' "$PART/requirements.txt"
}

# Builds one source archive in the environment with the wheels that were planned for it laid over, and nothing fetched; then installs what came out.
build_archive() { # NAME VERSION FILE WHEEL…
	what="$1 $2" name=$1 file=$3
	shift 3
	say "building $what"
	tools=$STATE/tmp/build-$name out=$STATE/tmp/wheel-$name
	rm -rf "$tools" "$out"
	mkdir "$tools" "$out" || return 1
	for wheel in ${1+"$@"}; do
		set -- "$@" "$HERE/python/$wheel"
		shift
	done
	[ $# = 0 ] || bundled_pip install --no-index --no-cache-dir --no-deps --ignore-requires-python --no-compile --target "$tools" "$@" || return 1
	printf 'import os, site\nsite.addsitedir(os.path.dirname(os.path.abspath(__file__)))\n' >"$tools/sitecustomize.py" || return 1
	before=$PATH
	PATH=$tools/bin:$PREFIX/bin:$PATH PYTHONPATH=$tools
	export PATH PYTHONPATH
	bundled_pip wheel --no-index --no-cache-dir --no-deps --no-build-isolation --use-pep517 --ignore-requires-python --wheel-dir "$out" "$HERE/python/$file"
	status=$?
	PATH=$before
	unset PYTHONPATH
	[ $status = 0 ] || return 1
	bundled_pip install --no-index --no-cache-dir --no-deps --ignore-requires-python --force-reinstall "$out"/*.whl || return 1
	rm -rf "$tools" "$out"
}

build_archives() {
	[ -n "$GF_BUILDS" ] || return 0
	while read -r name version file wheels <&3; do
		[ -n "$name" ] || continue
		# shellcheck disable=SC2086 # names of wheels hold no blanks
		build_archive "$name" "$version" "$file" $wheels || return 1
	done 3<<END
$GF_BUILDS
END
}

install_packages() {
	[ -n "$GF_PYTHON" ] || return 0
	[ -n "$GF_PIP" ] || { printf 'the bundle has no pip\n' >>"$LOG"; return 1; }
	if [ -n "$RESUMED" ]; then
		say "looking at what an earlier run left"
		logged "$PREFIX/bin/python" -I -B -c "$DROP_BROKEN" || return 1
	fi
	say "installing $(printf '%s' "$GF_PACKAGES" | grep -c .) packages"
	wheels_only >"$STATE/tmp/requirements.txt" || return 1
	begin_ticker installed_so_far
	bundled_pip install --no-index --find-links "$HERE/python" --no-cache-dir --require-hashes --no-deps --ignore-requires-python -r "$STATE/tmp/requirements.txt"
	status=$?
	end_ticker
	return $status
}

# CUDA libraries that were brought for packages which name no wheel that has them.
find_libraries() {
	[ -n "$GF_PYTHON" ] || return 0
	logged "$PREFIX/bin/python" -I -B "$HERE/lib/loader.py" "$PART/gpuferry.lock"
}

# What verify and uninstall need once the bundle is gone.
keep_scripts() {
	mkdir -p "$STATE/lib" || return 1
	for file in verify.sh uninstall.sh gpuferry.lock lib/common.sh lib/facts.sh lib/check.py; do
		case $file in
		gpuferry.lock) from=$PART/$file ;;
		lib/facts.sh) from=$FACTS ;;
		*) from=$HERE/$file ;;
		esac
		cp "$from" "$STATE/$file.new" && mv "$STATE/$file.new" "$STATE/$file" || return 1
	done
}

# Everything below the prefix is ours: it was empty when this began. Folders "d", all else "f", relative; sorted.
write_receipt() {
	if [ -f "$STATE/receipt" ]; then return 0; fi
	(cd "$PREFIX" && find . -path ./.gpuferry -prune -o -type d ! -name . -print | sed 's/^/d /' | sort &&
		find . -path ./.gpuferry -prune -o ! -type d -print | sed 's/^/f /' | sort) >"$STATE/receipt.new" &&
		mv "$STATE/receipt.new" "$STATE/receipt" || fail 20 "cannot write the receipt '$STATE/receipt'"
}

check_installation() {
	say "checking the installation"
	sh "$STATE/verify.sh" --prefix "$PREFIX" ${REQUIRE_GPU:+--require-gpu} >"$STATE/tmp/verify" 2>&1
	status=$?
	cat "$STATE/tmp/verify" >>"$LOG"
	cat "$STATE/tmp/verify"
	[ $status = 0 ] || fail 20 "what was installed does not work, see above; it is left in '$PREFIX' to look at. 'sh $STATE/uninstall.sh' removes it"
}
