#!/bin/sh
# What check offers as a planned fix is one. The vendors' own indexes are not asked: nothing listens where their mirrors are said to be.
GPUFERRY_MIRROR_PYTORCH=http://127.0.0.1:9/whl GPUFERRY_MIRROR_PADDLE=http://127.0.0.1:9/paddle
export GPUFERRY_MIRROR_PYTORCH GPUFERRY_MIRROR_PADDLE
exec python3 tests/cli/check-fix.py "$GPUFERRY" tests/cases/public
