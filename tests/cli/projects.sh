#!/bin/sh
# pyproject.toml and pylock.toml as requests; the pylock.toml of a bundle and one that uv wrote ask for what they hold.
set -u
passed=0 failed=0
w=$TMPDIR/w && mkdir -p "$w"
said() { # NAME STATUS WORD…
	name=$1 want=$2 good=yes
	shift 2
	[ "$status" = "$want" ] || { good=no && echo "$name: exit $status, expected $want"; }
	for word; do grep -qF -- "$word" "$TMPDIR/said" || { good=no && echo "$name: '$word' is not said"; }; done
	if [ $good = yes ]; then passed=$((passed + 1)); else failed=$((failed + 1)) && sed 's/^/    | /' "$TMPDIR/said" | head -n 30; fi
}
plan() { (cd "$w" && "$GPUFERRY" plan --accelerator any --arch x86_64 --glibc 2.36 --sources default -o plan.lock "$@") >"$TMPDIR/said" 2>&1; status=$?; }
same() { if [ "$2" = "$3" ]; then passed=$((passed + 1)); else failed=$((failed + 1)) && printf '%s: %s\n    %s\n' "$1" "$2" "$3"; fi; }
planned() { python3 tests/lib/lock.py "$w/plan.lock" | grep -v '^pip=='; }

cat >"$w/pyproject.toml" <<'END'
[project]
name = "demo"
version = "1"
requires-python = ">=3.9"
dependencies = ["idna", "tomli; python_version < '3.11'"]
[project.optional-dependencies]
fast-io = ["attrs"]
[dependency-groups]
test = ["iniconfig", {include-group = "lint"}]
lint = ["pluggy"]
END
plan -r pyproject.toml --python 3.11
said 'the project' 0
same 'its dependencies' "$(planned | sed 's/==.*//' | tr '\n' ' ')" 'idna '
plan -r pyproject.toml --python 3.10 --extra Fast_IO --group test
same 'with an extra, a group and what that includes' "$(planned | sed 's/==.*//' | tr '\n' ' ')" 'attrs idna iniconfig pluggy tomli '
plan -r pyproject.toml --python 3.8
said 'another Python' 1 'is for Python >=3.9, the target has 3.8.0'
plan -r pyproject.toml --python 3.11 --extra slow
said 'no such extra' 2 "no extra 'slow'" 'fast-io'
plan -r pyproject.toml --python 3.11 --group slow
said 'no such group' 2 'slow'
plan idna --python 3.11 --group test
said 'a group of nothing' 2 'name that file with -r'
printf '[project]\nname = "x"\nversion = "1"\ndynamic = ["dependencies"]\n' >"$w/dynamic.toml"
plan -r dynamic.toml --python 3.11
said 'dependencies made by a build' 2 'dynamic'
printf '[project\n' >"$w/broken.toml"
plan -r broken.toml --python 3.11
said 'no TOML' 2 'broken.toml'

plan -r pyproject.toml --python 3.11 --group test
before=$(planned)
(cd "$w" && "$GPUFERRY" bundle plan.lock -o b.tar && tar -xf b.tar pylock.toml) >/dev/null 2>&1
plan -r pylock.toml --python 3.11
same 'the pylock.toml of a bundle' "$(planned)" "$before"
sed 's/sha256 = "./sha256 = "f/' "$w/pylock.toml" >"$w/pylock.other.toml"
plan -r pylock.other.toml --python 3.11
said 'its digests hold' 1 'none of the digests'
mkdir -p "$w/fleet"
for python in 3.11 3.12; do
	printf '{"schema": "gpuferry.profile/1", "arch": "x86_64", "libc": {"name": "glibc", "version": "2.36"}, "python": {"version": "%s.0"}}\n' $python >"$w/fleet/p$python.json"
done
plan --target fleet -r pylock.toml
said 'the files of one lock for several targets' 2 'names the files of one target'
plan --target fleet -r pyproject.toml -o locks
said 'a project for several targets' 0 '2 targets'
sed 's/>=3.9/>=3.12/' "$w/pyproject.toml" >"$w/newer.toml"
plan --target fleet -r newer.toml -o locks
said 'a target whose Python does not fit' 1 'is for Python >=3.12' 3.11
if uv=$(command -v uv) && "$uv" --version >/dev/null 2>&1; then
	(cd "$w" && "$uv" pip compile --quiet --format pylock.toml --python-platform x86_64-manylinux_2_28 --python-version 3.11 -o pylock.uv.toml pyproject.toml) >"$TMPDIR/said" 2>&1
	status=$?
	said "uv's lock" 0
	plan -r pylock.uv.toml --python 3.11
	same 'a pylock.toml that uv wrote' "$(planned | sed 's/==.*//' | tr '\n' ' ')" 'idna '
fi
echo "$passed passed, $failed failed"
[ $failed = 0 ]
