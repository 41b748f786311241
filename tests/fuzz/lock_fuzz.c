/* Any bytes as a lock; documents that are JSON objects get a right seal first, so that the reader behind it is reached. What is
 * accepted must write back to a lock that is accepted, and of one for several targets each target's part must too. */
#include "model/lock.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *with_seal(gf_slice text)
{
    struct gf_json_doc *doc GF_JSON_SCOPE = NULL;
    if (gf_json_parse(text, "fuzz", &doc, NULL) || gf_json_type(gf_json_root(doc)) != GF_JSON_OBJECT) return gf_xstrndup(text);
    char seal[GF_SHA256_HEX];
    mdl_lock_seal(gf_json_root(doc), seal);
    struct gf_buf out;
    gf_buf_init(&out, GF_CAP_LOCK);
    struct gf_jw w;
    gf_jw_init(&w, &out, true);
    gf_jw_obj(&w);
    for (const gf_json *c = gf_json_first(gf_json_root(doc)); c; c = gf_json_next(c)) {
        if (strcmp(gf_json_key(c), "seal") == 0) continue;
        gf_jw_key(&w, gf_json_key(c));
        gf_jw_value(&w, c);
    }
    gf_jw_kstr(&w, "seal", seal);
    gf_jw_end_obj(&w);
    return gf_buf_steal(&out);
}

static void check_part(const struct mdl_lock *l, const char *label)
{
    struct gf_err err = GF_ERR_INIT;
    struct mdl_lock *view = NULL, *again = NULL;
    GF_BUF_SCOPE struct gf_buf out;
    gf_buf_init(&out, GF_CAP_LOCK);
    if (mdl_lock_view(l, label, &view, &err) || mdl_lock_write(view, &out, &err) || mdl_lock_parse(gf_buf_slice(&out), "part", &again, &err)) abort();
    if (again->ntargets != 1 || again->npython > l->npython) abort();
    mdl_lock_free(again);
    mdl_lock_free(view);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    GF_FREE char *text = with_seal(gf_slice_n((const char *)data, size));
    struct gf_err err = GF_ERR_INIT;
    struct mdl_lock *l = NULL, *again = NULL;
    if (mdl_lock_parse(gf_slice_of(text), "fuzz", &l, &err)) return 0;
    GF_BUF_SCOPE struct gf_buf out;
    gf_buf_init(&out, GF_CAP_LOCK);
    if (mdl_lock_write(l, &out, &err) || mdl_lock_parse(gf_buf_slice(&out), "again", &again, &err)) abort();
    for (size_t i = 0; l->ntargets > 1 && i < l->ntargets; i++) check_part(l, l->targets[i]->label);
    mdl_lock_free(l);
    mdl_lock_free(again);
    return 0;
}
