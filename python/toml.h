/* TOML 1.0, read strictly. A document lives in the arena it was parsed into; NULL stands for "absent" in every accessor. */
#ifndef PY_TOML_H
#define PY_TOML_H
#include "base/buf.h"

enum py_toml_type {
    PY_TOML_ABSENT,
    PY_TOML_STRING,
    PY_TOML_INTEGER,
    PY_TOML_FLOAT,
    PY_TOML_BOOL,
    PY_TOML_DATETIME, /* with an offset */
    PY_TOML_DATETIME_LOCAL,
    PY_TOML_DATE_LOCAL,
    PY_TOML_TIME_LOCAL,
    PY_TOML_ARRAY,
    PY_TOML_TABLE,
};
struct py_toml; /* a value */

/* label names the text in messages: "pyproject.toml:3:7: …". Nesting beyond GF_CAP_JSON_DEPTH and text that is not UTF-8 are refused. */
int py_toml_parse(struct gf_arena *a, gf_slice text, const char *label, const struct py_toml **ret, struct gf_err *err);

enum py_toml_type py_toml_type(const struct py_toml *v);
const char *py_toml_type_name(const struct py_toml *v); /* "an array", for messages */
const struct py_toml *py_toml_get(const struct py_toml *table, const char *key);
const char *py_toml_cstr(const struct py_toml *v); /* NULL when not a string or when it holds a NUL */
gf_slice py_toml_text(const struct py_toml *v);    /* a string's bytes; a date or time with "T" and "Z" in upper case; else GF_NONE */
bool py_toml_int(const struct py_toml *v, int64_t *ret);
bool py_toml_float(const struct py_toml *v, double *ret);
bool py_toml_bool(const struct py_toml *v, bool *ret);
size_t py_toml_count(const struct py_toml *v);
/* Children of an array or table in document order. */
const struct py_toml *py_toml_first(const struct py_toml *v);
const struct py_toml *py_toml_next(const struct py_toml *v);
gf_slice py_toml_key(const struct py_toml *v); /* of a table's member */
unsigned py_toml_line(const struct py_toml *v); /* where it stands, from 1 */

/* A basic string with its quotes, everything escaped that must be. */
void py_toml_put_string(struct gf_buf *out, gf_slice s);

#endif
