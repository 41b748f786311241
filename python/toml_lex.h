/* What toml.c and toml_scalar.c share. */
#ifndef PY_TOML_LEX_H
#define PY_TOML_LEX_H
#include "python/toml.h"

enum py_toml_made { PY_TOML_BY_VALUE, PY_TOML_BY_PATH, PY_TOML_BY_HEADER, PY_TOML_BY_DOTS }; /* how a table came to be */

struct py_toml {
    enum py_toml_type type;
    enum py_toml_made made;
    bool tables; /* an array made by [[…]] */
    unsigned line;
    gf_slice key;
    struct py_toml *parent, *first, *last, *next;
    size_t count;
    gf_slice text;
    int64_t integer;
    double number;
    bool truth;
};

struct py_toml_parser {
    struct gf_arena *a;
    const char *label;
    gf_slice all, s;
    unsigned depth, line;
    struct gf_err *err;
    struct py_toml **slots; /* every member of every table by parent and key */
    size_t nslots, nmembers;
};

int py_toml_fail(const struct py_toml_parser *p, const char *expected);
int py_toml_take_string(struct py_toml_parser *p, bool multi_line_ok, gf_slice *ret);
int py_toml_take_scalar(struct py_toml_parser *p, struct py_toml *v); /* a bool, number, date or time */

#endif
