/* Scenario files: read and, when small, solved. */
#include "resolver/scenario.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 4096) return 0;
    struct rsv_scenario s;
    struct gf_err err = GF_ERR_INIT;
    if (rsv_scenario_read(gf_slice_n((const char *)data, size), "fuzz.case", &s, &err)) return 0;
    struct gf_buf out;
    gf_buf_init(&out, GF_CAP_LOCK);
    if (s.problem.nrequests && s.problem.nrequests < 20) rsv_scenario_run(&s, &out);
    gf_buf_release(&out);
    rsv_scenario_release(&s);
    return 0;
}
