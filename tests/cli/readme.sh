#!/bin/sh
# The README's counts of the data are those of the data.
exec python3 tests/cli/readme.py "$GPUFERRY" README.md
