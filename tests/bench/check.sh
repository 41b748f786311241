#!/bin/sh
# How long check takes: a profile, and an environment of 300 distributions; doctor over a log of 100 MB. Prints a markdown table, medians of 20 runs (3 for the log).
set -u
exec python3 tests/bench/check.py
