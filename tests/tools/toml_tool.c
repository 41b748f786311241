/* usage: toml_tool FILE…: for each a line: "! message", or the document in the tagged JSON of the toml-test suite. */
#include "base/file.h"
#include "base/json.h"
#include "python/toml.h"
#include <math.h>
#include <stdio.h>

static void put_string(struct gf_buf *out, gf_slice s)
{
    struct gf_jw w;
    gf_jw_init(&w, out, true);
    gf_jw_str(&w, s);
}

static void put(struct gf_buf *out, const struct py_toml *v);

static void put_children(struct gf_buf *out, const struct py_toml *v)
{
    bool table = py_toml_type(v) == PY_TOML_TABLE;
    gf_buf_addc(out, table ? '{' : '[');
    for (const struct py_toml *c = py_toml_first(v); c; c = py_toml_next(c)) {
        if (c != py_toml_first(v)) gf_buf_addc(out, ',');
        if (table) put_string(out, py_toml_key(c));
        if (table) gf_buf_addc(out, ':');
        put(out, c);
    }
    gf_buf_addc(out, table ? '}' : ']');
}

static void put(struct gf_buf *out, const struct py_toml *v)
{
    static const char *const names[] = { "", "string", "integer", "float", "bool", "datetime", "datetime-local", "date-local", "time-local" };
    char text[64];
    int64_t i = 0;
    double d = 0;
    bool b = false;
    gf_slice value = py_toml_text(v);
    enum py_toml_type t = py_toml_type(v);
    if (t == PY_TOML_TABLE || t == PY_TOML_ARRAY) {
        put_children(out, v);
        return;
    }
    if (py_toml_int(v, &i)) snprintf(text, sizeof text, "%lld", (long long)i);
    if (py_toml_float(v, &d)) snprintf(text, sizeof text, isnan(d) ? "nan" : "%.17g", d);
    if (py_toml_bool(v, &b)) snprintf(text, sizeof text, "%s", b ? "true" : "false");
    gf_buf_addf(out, "{\"type\":\"%s\",\"value\":", names[t]);
    put_string(out, value.p ? value : gf_slice_of(text));
    gf_buf_addc(out, '}');
}

static void one(const char *path)
{
    struct gf_arena a = GF_ARENA_INIT;
    struct gf_err err = GF_ERR_INIT;
    const struct py_toml *doc = NULL;
    struct gf_buf text, out;
    gf_buf_init(&text, GF_CAP_METADATA);
    gf_buf_init(&out, GF_CAP_OUTPUT);
    if (gf_file_read(path, GF_CAP_METADATA, &text, &err) || py_toml_parse(&a, gf_buf_slice(&text), path, &doc, &err)) printf("! %s\n", err.text);
    else {
        put(&out, doc);
        printf("%s\n", gf_buf_str(&out));
    }
    gf_buf_release(&text);
    gf_buf_release(&out);
    gf_arena_release(&a);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) one(argv[i]);
    return argc < 2 ? 2 : 0;
}
