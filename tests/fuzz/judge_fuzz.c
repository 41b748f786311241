/* A profile, judged with the real data; what cannot be read as one is taken for a log. */
#include "judge/judge.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct mtx *m;
static struct jdg_knowledge *k;

static void open_once(void)
{
    struct jdg_table tables[32];
    gf_slice path, text;
    size_t n = 0;
    if (k) return;
    if (mtx_open(NULL, &m, NULL)) abort();
    for (size_t i = 0; mtx_file_at(m, i, &path, &text); i++)
        if (gf_slice_starts(path, GF_S("doctor/")) && n < 32) tables[n++] = (struct jdg_table){ "doctor", text };
    if (jdg_knowledge_new(tables, n, &k, NULL)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    open_once();
    gf_slice text = gf_slice_n((const char *)data, size);
    struct mdl_profile *p = NULL;
    struct mdl_verdict *v = mdl_verdict_new();
    if (mdl_profile_parse(text, "fuzz", &p, NULL) == 0) jdg_check(m, k, p, v);
    else {
        struct jdg_reading *r = jdg_reading_new(k);
        jdg_reading_add(r, text);
        jdg_reading_end(r);
        jdg_diagnose(m, k, r, NULL, v);
        jdg_reading_free(r);
    }
    mdl_verdict_free(v);
    mdl_profile_free(p);
    return 0;
}
