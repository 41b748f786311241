#!/bin/sh
# The Python indexes that people have configured are read as pip reads them: compared with pip itself where there is one.
set -u
tool=build/asan/tests/tools/sources_tool
[ -x "$tool" ] || { echo "$tool is not built"; exit 1; }
. tests/lib/replica.sh
for v in $(env | sed -n 's/^\(PIP_[A-Z_]*\)=.*/\1/p'); do unset "$v"; done
unset VIRTUAL_ENV XDG_CONFIG_HOME
export HOME="$TMPDIR/home" XDG_CONFIG_DIRS="$TMPDIR/xdg"
mkdir -p "$HOME/.config/pip" "$HOME/.pip" "$XDG_CONFIG_DIRS/pip" "$TMPDIR/venv"
out=$TMPDIR/out
ask() { "$tool" --cache "$TMPDIR/cache" pipconf >"$out" 2>&1; }
pip_says() { # KEY: what pip's own reader makes of the files (its section install over global)
	python3 -m pip config list 2>/dev/null | sed -n "s/^\(global\|install\|:env:\)\.$1='\(.*\)'\$/\2/p" | tail -n 1
}

printf '[global]\nindex-url = https://user.example/simple\nextra_index_url =\n    https://one.example/simple\n    # between\n    https://two.example/simple\nfind-links: /srv/a /srv/b\ncert=/etc/c.pem\n[list]\nindex-url = https://wrong.example\n' >"$HOME/.config/pip/pip.conf"
ask
says 'user file' '^index-url=https://user.example/simple$' "$out"
equal 'several lines' "$(grep ^extra "$out" | tr '\n' ' ')" 'extra-index-url=https://one.example/simple extra-index-url=https://two.example/simple '
equal 'several words' "$(grep ^find "$out" | tr '\n' ' ')" 'find-links=/srv/a find-links=/srv/b '
says 'colon and no blanks' '^cert=/etc/c.pem$' "$out"
if python3 -m pip --version >/dev/null 2>&1; then
	equal 'as pip reads it' "$(pip_says index-url)" https://user.example/simple
fi

printf '[global]\nindex-url = https://legacy.example/simple\n' >"$HOME/.pip/pip.conf"
printf '[global]\nindex-url = https://xdg.example/simple\nfind-links = /xdg\n' >"$XDG_CONFIG_DIRS/pip/pip.conf"
ask
says 'the newer user file wins' '^index-url=https://user' "$out"
rm "$HOME/.config/pip/pip.conf"
ask
says 'then the old one' '^index-url=https://legacy' "$out"
rm "$HOME/.pip/pip.conf"
ask
says 'then the global one' '^index-url=https://xdg' "$out"
printf '[install]\nindex-url = https://install.example/simple\n[global]\nindex-url = https://global.example/simple\n' >"$TMPDIR/venv/pip.conf"
VIRTUAL_ENV=$TMPDIR/venv ask
says 'a venv over global, and [install] over [global]' '^index-url=https://install' "$out"
says 'other keys stay' '^find-links=/xdg$' "$out"
printf '[global]\nindex-url = https://given.example/simple\n' >"$TMPDIR/given.conf"
printf '[global]\nfind-links = /user\n' >"$HOME/.config/pip/pip.conf"
PIP_CONFIG_FILE=$TMPDIR/given.conf ask
says 'PIP_CONFIG_FILE over all files' '^index-url=https://given' "$out"
says 'and instead of the user file' '^find-links=/xdg$' "$out"
PIP_CONFIG_FILE=$TMPDIR/given.conf PIP_INDEX_URL=https://env.example/simple PIP_EXTRA_INDEX_URL='https://a.example https://b.example' PIP_FIND_LINKS='' ask
says 'variables over all' '^index-url=https://env' "$out"
equal 'with several words' "$(grep -c ^extra "$out")" 2
says 'empty ones count for nothing' '^find-links=/xdg$' "$out"
PIP_NO_INDEX=1 PIP_CONFIG_FILE=/dev/null ask
says 'no-index' '^no-index=1$' "$out"
says 'and /dev/null: no file at all' '^cert=none$' "$out"
printf '[global]\nthis is wrong\n' >"$TMPDIR/given.conf"
PIP_CONFIG_FILE=$TMPDIR/given.conf ask
says 'a wrong line is named' "GF_E_PARSE .*given.conf' line 2: 'this is wrong'" "$out"

# pip's own default, asked once
own=$(python3 -c 'from pip._internal.models.index import PyPI; print(PyPI.simple_url)' 2>/dev/null)
if [ -n "$own" ]; then
	PIP_CONFIG_FILE=/dev/null ask
	equal "pip's own default" "$(sed -n 's/^index-url=//p' "$out")" "$own"
	mkdir "$TMPDIR/empty"
	PIP_CONFIG_FILE=/dev/null PATH=$TMPDIR/empty "$PWD/$tool" --cache "$TMPDIR/cache" pipconf >"$out" 2>&1
	equal 'is remembered without pip' "$(sed -n 's/^index-url=//p' "$out")" "$own"
fi
rm -rf "$TMPDIR/cache"
mkdir -p "$TMPDIR/empty"
PIP_CONFIG_FILE=/dev/null PATH=$TMPDIR/empty "$PWD/$tool" --cache "$TMPDIR/cache" pipconf >"$out" 2>&1
says 'no pip: says what to give' 'GF_E_USAGE .*no Python index is configured.*--index-url' "$out"
finish
