#include "tests/fuzz/format.h"

FUZZ_FORMAT(tgt_smi_query)
