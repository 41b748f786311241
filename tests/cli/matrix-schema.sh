#!/bin/sh
# Each table of the data fits its JSON schema, as an independent validator sees it; what the schema refuses, the program refuses.
set -u
python=python3
"$python" -c 'import jsonschema' 2>/dev/null || {
	venv=$OUT/tests-jsonschema
	python=$venv/bin/python
	[ -x "$python" ] && "$python" -c 'import jsonschema' 2>/dev/null || { python3 -m venv "$venv" && "$venv/bin/pip" install -q jsonschema; } >&2 || {
		echo "jsonschema is not here and could not be installed"
		exit 77
	}
}
exec "$python" tests/lib/check_schema.py data "$GPUFERRY"
