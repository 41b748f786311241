#!/bin/sh
# Public cases through check and doctor: verdict and cause. The bars are those of the table at the end; a wrong "works" or "broken" fails at once.
set -u
exec python3 tests/lib/score_cases.py
