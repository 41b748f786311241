/* JSON read from front to back without a tree, for long documents of a known shape (index pages): ten times the speed of base/json.h. The first error is
 * kept, and every call after it does nothing: one check by gf_js_end. As strict as base/json.h about syntax, \u0000, depth and what stands behind
 * the document; duplicate keys are the caller's to refuse. */
#ifndef GF_JSONSCAN_H
#define GF_JSONSCAN_H
#include "base/json.h"

struct gf_js {
    const char *start, *at, *end;
    struct gf_arena *mem;  /* for strings with escapes; others are slices of the text */
    const char *label;
    unsigned depth;
    bool first;            /* nothing was read yet at this level */
    bool failed;
    struct gf_err err;
};
void gf_js_init(struct gf_js *s, gf_slice text, const char *label, struct gf_arena *mem);
enum gf_json_type gf_js_peek(struct gf_js *s);       /* of the value that comes; GF_JSON_ABSENT on an error */
/* if (gf_js_obj(s)) while (gf_js_key(s, &key)) read or skip the value. The same with gf_js_arr and gf_js_item. */
bool gf_js_obj(struct gf_js *s);                     /* false: not an object (an error) */
bool gf_js_key(struct gf_js *s, gf_slice *ret_key);  /* false: the object has ended, or an error */
bool gf_js_arr(struct gf_js *s);
bool gf_js_item(struct gf_js *s);
gf_slice gf_js_str(struct gf_js *s);                 /* a string; GF_NONE for any other value, which is skipped */
bool gf_js_bool(struct gf_js *s, bool *ret);         /* the same for true and false */
bool gf_js_int(struct gf_js *s, int64_t *ret);       /* the same for whole numbers up to 2^53 */
void gf_js_skip(struct gf_js *s);                    /* one value of any kind */
int gf_js_end(struct gf_js *s, struct gf_err *err);  /* nothing may follow */

#endif
