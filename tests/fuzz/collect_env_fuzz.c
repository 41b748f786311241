#include "tests/fuzz/format.h"

FUZZ_FORMAT(tgt_collect_env)
