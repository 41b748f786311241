/* JSON, read strictly and written in a stable order. The only place that sees cJSON.
 * Refused with the place named: text after the document, duplicate keys, \u0000 in strings, integers beyond 2^53, nesting
 * deeper than GF_CAP_JSON_DEPTH, bytes that are no UTF-8. */
#ifndef GF_JSON_H
#define GF_JSON_H
#include "base/buf.h"

typedef struct cJSON gf_json; /* a value inside a document; NULL stands for "absent" in every accessor */
struct gf_json_doc;

int gf_json_parse(gf_slice text, const char *label, struct gf_json_doc **ret, struct gf_err *err);
int gf_json_load(const char *path, size_t max, struct gf_json_doc **ret, struct gf_err *err);
void gf_json_free(struct gf_json_doc *doc);
const gf_json *gf_json_root(const struct gf_json_doc *doc);
#define GF_JSON_SCOPE __attribute__((cleanup(gf_json_cleanup)))
void gf_json_cleanup(struct gf_json_doc **doc);

enum gf_json_type { GF_JSON_ABSENT, GF_JSON_NULL, GF_JSON_BOOL, GF_JSON_NUMBER, GF_JSON_STRING, GF_JSON_ARRAY, GF_JSON_OBJECT };
enum gf_json_type gf_json_type(const gf_json *v);
const char *gf_json_type_name(const gf_json *v); /* "an array", for messages */

const gf_json *gf_json_get(const gf_json *obj, const char *key); /* NULL when absent or not an object */
const char *gf_json_cstr(const gf_json *v);                      /* NULL when not a string; lives as long as the document */
gf_slice gf_json_str(const gf_json *v);                          /* GF_NONE when not a string */
static inline gf_slice gf_json_get_str(const gf_json *obj, const char *key) { return gf_json_str(gf_json_get(obj, key)); }
bool gf_json_int(const gf_json *v, int64_t *ret);                /* whole numbers only */
bool gf_json_double(const gf_json *v, double *ret);
bool gf_json_bool(const gf_json *v, bool *ret);
size_t gf_json_count(const gf_json *v);                          /* of an array or object, walks it */

/* Children of an array or object in document order: for (c = gf_json_first(v); c; c = gf_json_next(c)) */
const gf_json *gf_json_first(const gf_json *v);
const gf_json *gf_json_next(const gf_json *v);
const char *gf_json_key(const gf_json *v); /* of a member of an object */

/* Bytes of the UTF-8 sequence that begins at i, 0 when it is none (RFC 3629: no overlong forms, no surrogates). */
size_t gf_utf8_length(gf_slice s, size_t i);

/* Writer. Two-space indent unless compact; the caller's order of keys is the order on paper. */
struct gf_jw {
    struct gf_buf *out;
    bool compact;
    unsigned depth;
    bool need_comma;
    bool after_key;
};
void gf_jw_init(struct gf_jw *w, struct gf_buf *out, bool compact);
void gf_jw_obj(struct gf_jw *w);
void gf_jw_end_obj(struct gf_jw *w);
void gf_jw_arr(struct gf_jw *w);
void gf_jw_end_arr(struct gf_jw *w);
void gf_jw_key(struct gf_jw *w, const char *key);
void gf_jw_str(struct gf_jw *w, gf_slice s); /* GF_NONE writes null */
void gf_jw_cstr(struct gf_jw *w, const char *s);
void gf_jw_int(struct gf_jw *w, int64_t v);
void gf_jw_double(struct gf_jw *w, double v);
void gf_jw_bool(struct gf_jw *w, bool v);
void gf_jw_null(struct gf_jw *w);
void gf_jw_value(struct gf_jw *w, const gf_json *v); /* copies a parsed value */
/* key and value in one; the _opt form writes nothing for NULL */
void gf_jw_kstr(struct gf_jw *w, const char *key, const char *s);
void gf_jw_kstr_opt(struct gf_jw *w, const char *key, const char *s);
void gf_jw_kint(struct gf_jw *w, const char *key, int64_t v);
void gf_jw_kbool(struct gf_jw *w, const char *key, bool v);

#endif
