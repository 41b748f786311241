/* TOML 1.0: keys, tables, arrays, and reading the result. */
#include "base/map.h"
#include "python/toml_lex.h"
#include <stdlib.h>

static struct py_toml *new_value(struct py_toml_parser *p, enum py_toml_type type)
{
    struct py_toml *v = GF_NEW(p->a, struct py_toml);
    v->type = type;
    return v;
}

static void append(struct py_toml *to, struct py_toml *v)
{
    v->parent = to;
    if (to->last) to->last->next = v;
    else to->first = v;
    to->last = v;
    to->count++;
}

static size_t slot_hash(const struct py_toml *table, gf_slice key)
{
    return (size_t)(gf_hash64(key.p, key.n) ^ gf_hash64(&table, sizeof table));
}

static struct py_toml **slot_of(struct py_toml **slots, size_t nslots, const struct py_toml *table, gf_slice key)
{
    size_t i = slot_hash(table, key) & (nslots - 1);
    while (slots[i] && !(slots[i]->parent == table && gf_slice_eq(slots[i]->key, key))) i = (i + 1) & (nslots - 1);
    return &slots[i];
}

static void grow_slots(struct py_toml_parser *p)
{
    size_t wider = p->nslots ? p->nslots * 2 : 64;
    struct py_toml **slots = gf_xcalloc(wider, sizeof *slots);
    for (size_t i = 0; i < p->nslots; i++)
        if (p->slots[i]) *slot_of(slots, wider, p->slots[i]->parent, p->slots[i]->key) = p->slots[i];
    free(p->slots);
    p->slots = slots;
    p->nslots = wider;
}

static struct py_toml *member(struct py_toml_parser *p, const struct py_toml *table, gf_slice key)
{
    return p->nslots ? *slot_of(p->slots, p->nslots, table, key) : NULL;
}

static struct py_toml *add_member(struct py_toml_parser *p, struct py_toml *table, gf_slice key, struct py_toml *v, unsigned line)
{
    if (p->nmembers * 2 >= p->nslots) grow_slots(p);
    v->key = key;
    v->line = line;
    append(table, v);
    *slot_of(p->slots, p->nslots, table, key) = v;
    p->nmembers++;
    return v;
}

static void skip_blanks(struct py_toml_parser *p)
{
    while (p->s.n && (*p->s.p == ' ' || *p->s.p == '\t')) p->s = gf_slice_from(p->s, 1);
}

static bool try_newline(struct py_toml_parser *p)
{
    if (!gf_try_char(&p->s, '\n') && !gf_try_lit(&p->s, GF_S("\r\n"))) return false;
    p->line++;
    return true;
}

static int skip_comment(struct py_toml_parser *p)
{
    if (!gf_try_char(&p->s, '#')) return 0;
    while (p->s.n && *p->s.p != '\n' && !gf_slice_starts(p->s, GF_S("\r\n"))) {
        unsigned char c = (unsigned char)*p->s.p;
        if ((c < ' ' && c != '\t') || c == 127) return py_toml_fail(p, "a comment without control characters");
        p->s = gf_slice_from(p->s, 1);
    }
    return 0;
}

/* Blanks, comments and line ends, as they may stand inside an array. */
static int skip_all(struct py_toml_parser *p)
{
    do {
        skip_blanks(p);
        if (skip_comment(p)) return -1;
    } while (try_newline(p));
    return 0;
}

static bool key_byte(unsigned char c) { return gf_is_alnum(c) || c == '_' || c == '-'; }

static int take_key(struct py_toml_parser *p, gf_slice *ret)
{
    if (p->s.n && (*p->s.p == '"' || *p->s.p == '\'')) return py_toml_take_string(p, false, ret);
    gf_slice key = gf_take_while(&p->s, key_byte);
    if (!key.n) return py_toml_fail(p, "a key");
    *ret = gf_slice_n(gf_arena_str(p->a, key), key.n);
    return 0;
}

/* Steps down to a table that a [header] goes through; made when missing. */
static int step_header(struct py_toml_parser *p, struct py_toml **at, gf_slice key)
{
    struct py_toml *v = member(p, *at, key);
    if (!v) {
        v = add_member(p, *at, key, new_value(p, PY_TOML_TABLE), p->line);
        v->made = PY_TOML_BY_PATH;
    }
    if (v->type == PY_TOML_ARRAY && v->tables) v = v->last;
    if (v->type != PY_TOML_TABLE || v->made == PY_TOML_BY_VALUE) return py_toml_fail(p, "a table to put this one into, but that key holds a value already;");
    *at = v;
    return 0;
}

/* Steps down a dotted key: only through tables that dotted keys made. */
static int step_dotted(struct py_toml_parser *p, struct py_toml **at, gf_slice key)
{
    struct py_toml *v = member(p, *at, key);
    if (!v) {
        v = add_member(p, *at, key, new_value(p, PY_TOML_TABLE), p->line);
        v->made = PY_TOML_BY_DOTS;
    }
    if (v->type != PY_TOML_TABLE || v->made != PY_TOML_BY_DOTS) return py_toml_fail(p, "a key whose first part is not defined elsewhere;");
    *at = v;
    return 0;
}

/* A dotted key: steps through all parts but the last. */
static int take_path(struct py_toml_parser *p, struct py_toml **at, int (*step)(struct py_toml_parser *, struct py_toml **, gf_slice), gf_slice *ret_last)
{
    unsigned parts = 0;
    for (;;) {
        gf_slice key;
        skip_blanks(p);
        if (take_key(p, &key)) return -1;
        skip_blanks(p);
        if (!gf_try_char(&p->s, '.')) {
            *ret_last = key;
            return 0;
        }
        if (++parts > GF_CAP_JSON_DEPTH) return py_toml_fail(p, "a key of fewer parts");
        if (step(p, at, key)) return -1;
    }
}

static int take_value(struct py_toml_parser *p, struct py_toml **ret);

static int take_array(struct py_toml_parser *p, struct py_toml *array)
{
    for (bool comma = true;;) {
        if (skip_all(p)) return -1;
        if (gf_try_char(&p->s, ']')) return 0;
        if (!comma) return py_toml_fail(p, "',' or ']'");
        struct py_toml *v;
        unsigned line = p->line;
        if (take_value(p, &v)) return -1;
        v->line = line;
        append(array, v);
        if (skip_all(p)) return -1;
        comma = gf_try_char(&p->s, ',');
    }
}

static int take_pair(struct py_toml_parser *p, struct py_toml *table)
{
    gf_slice key;
    struct py_toml *v;
    unsigned line = p->line;
    gf_slice start = p->s;
    if (take_path(p, &table, step_dotted, &key)) return -1;
    if (member(p, table, key)) {
        p->s = start;
        return py_toml_fail(p, "a key that is not defined yet");
    }
    if (!gf_try_char(&p->s, '=')) return py_toml_fail(p, "'=' behind the key");
    skip_blanks(p);
    if (take_value(p, &v)) return -1;
    add_member(p, table, key, v, line);
    return 0;
}

/* Nothing can be added to an inline table later, nor to what is in it. */
static void close_table(struct py_toml *t)
{
    t->made = PY_TOML_BY_VALUE;
    for (struct py_toml *v = t->first; v; v = v->next)
        if (v->type == PY_TOML_TABLE && v->made == PY_TOML_BY_DOTS) close_table(v);
}

static int take_inline_table(struct py_toml_parser *p, struct py_toml *table)
{
    skip_blanks(p);
    if (gf_try_char(&p->s, '}')) return 0;
    do {
        if (take_pair(p, table)) return -1;
        skip_blanks(p);
    } while (gf_try_char(&p->s, ','));
    if (!gf_try_char(&p->s, '}')) return py_toml_fail(p, "',' or '}'");
    close_table(table);
    return 0;
}

static int take_string_value(struct py_toml_parser *p, struct py_toml *v)
{
    gf_slice before = p->s;
    v->type = PY_TOML_STRING;
    if (py_toml_take_string(p, true, &v->text)) return -1;
    for (size_t i = 0; i < before.n - p->s.n; i++) p->line += before.p[i] == '\n';
    return 0;
}

static int take_value(struct py_toml_parser *p, struct py_toml **ret)
{
    struct py_toml *v = *ret = new_value(p, PY_TOML_TABLE);
    char c = p->s.n ? *p->s.p : '\0';
    int rc;
    if (c == '"' || c == '\'') return take_string_value(p, v);
    if (c != '[' && c != '{') return py_toml_take_scalar(p, v);
    if (++p->depth > GF_CAP_JSON_DEPTH) return py_toml_fail(p, "values nested less deeply");
    p->s = gf_slice_from(p->s, 1);
    if (c == '[') v->type = PY_TOML_ARRAY;
    rc = c == '[' ? take_array(p, v) : take_inline_table(p, v);
    p->depth--;
    return rc;
}

static struct py_toml *add_table_to_array(struct py_toml_parser *p, struct py_toml *array)
{
    struct py_toml *t = new_value(p, PY_TOML_TABLE);
    t->made = PY_TOML_BY_HEADER;
    t->line = p->line;
    append(array, t);
    return t;
}

static int open_table(struct py_toml_parser *p, struct py_toml *in, gf_slice key, gf_slice start, struct py_toml **ret)
{
    struct py_toml *v = member(p, in, key);
    if (!v) v = add_member(p, in, key, new_value(p, PY_TOML_TABLE), p->line);
    else if (v->type != PY_TOML_TABLE || v->made != PY_TOML_BY_PATH) {
        p->s = start;
        return py_toml_fail(p, "a table that is not defined yet");
    }
    v->made = PY_TOML_BY_HEADER;
    *ret = v;
    return 0;
}

static int open_array(struct py_toml_parser *p, struct py_toml *in, gf_slice key, gf_slice start, struct py_toml **ret)
{
    struct py_toml *v = member(p, in, key);
    if (!v) {
        v = add_member(p, in, key, new_value(p, PY_TOML_ARRAY), p->line);
        v->tables = true;
    }
    if (!v->tables) {
        p->s = start;
        return py_toml_fail(p, "an array of tables, but that key is something else already;");
    }
    *ret = add_table_to_array(p, v);
    return 0;
}

static int take_header(struct py_toml_parser *p, struct py_toml *root, struct py_toml **current)
{
    gf_slice start = p->s, key;
    struct py_toml *in = root;
    bool array = gf_try_lit(&p->s, GF_S("[["));
    if (!array) gf_try_char(&p->s, '[');
    if (take_path(p, &in, step_header, &key)) return -1;
    if (array ? !gf_try_lit(&p->s, GF_S("]]")) : !gf_try_char(&p->s, ']')) return py_toml_fail(p, array ? "']]'" : "']'");
    return array ? open_array(p, in, key, start, current) : open_table(p, in, key, start, current);
}

static int take_document(struct py_toml_parser *p, struct py_toml *root)
{
    struct py_toml *current = root;
    while (p->s.n) {
        skip_blanks(p);
        char c = p->s.n ? *p->s.p : '\n';
        if (c == '[') {
            if (take_header(p, root, &current)) return -1;
        } else if (c != '\n' && c != '\r' && c != '#' && take_pair(p, current)) {
            return -1;
        }
        skip_blanks(p);
        if (skip_comment(p)) return -1;
        if (p->s.n && !try_newline(p)) return py_toml_fail(p, "the end of the line");
    }
    return 0;
}

/* How many bytes from the start are well-formed UTF-8 (RFC 3629). */
static size_t valid_utf8(gf_slice s)
{
    for (size_t i = 0, n; i < s.n; i += n) {
        unsigned char c = (unsigned char)s.p[i], next = i + 1 < s.n ? (unsigned char)s.p[i + 1] : 0;
        n = c < 0x80 ? 1 : c >= 0xC2 && c < 0xE0 ? 2 : c >= 0xE0 && c < 0xF0 ? 3 : c >= 0xF0 && c < 0xF5 ? 4 : 0;
        if (!n || i + n > s.n) return i;
        if ((c == 0xE0 && next < 0xA0) || (c == 0xED && next > 0x9F) || (c == 0xF0 && next < 0x90) || (c == 0xF4 && next > 0x8F)) return i;
        for (size_t k = 1; k < n; k++)
            if (((unsigned char)s.p[i + k] & 0xC0) != 0x80) return i;
    }
    return s.n;
}

int py_toml_parse(struct gf_arena *a, gf_slice text, const char *label, const struct py_toml **ret, struct gf_err *err)
{
    if (!text.p) text = GF_S("");
    struct py_toml_parser p = { .a = a, .label = label, .all = text, .s = text, .err = err, .line = 1 };
    struct py_toml *root = new_value(&p, PY_TOML_TABLE);
    root->made = PY_TOML_BY_HEADER;
    root->line = 1;
    size_t good = valid_utf8(text);
    if (good < text.n) {
        p.s = gf_slice_sub(gf_slice_from(text, good), 0, 0);
        p.all = gf_slice_sub(text, 0, good);
        return py_toml_fail(&p, "UTF-8, which the next byte is not");
    }
    gf_try_lit(&p.s, GF_S("\xEF\xBB\xBF"));
    int rc = take_document(&p, root);
    free(p.slots);
    if (!rc) *ret = root;
    return rc;
}

enum py_toml_type py_toml_type(const struct py_toml *v) { return v ? v->type : PY_TOML_ABSENT; }

const char *py_toml_type_name(const struct py_toml *v)
{
    static const char *const names[] = { "nothing", "a string", "an integer", "a number", "true or false", "a date and time", "a local date and time", "a date", "a time", "an array", "a table" };
    return names[py_toml_type(v)];
}

const struct py_toml *py_toml_get(const struct py_toml *table, const char *key)
{
    if (py_toml_type(table) != PY_TOML_TABLE) return NULL;
    const struct py_toml *v = table->first;
    while (v && !gf_slice_is(v->key, key)) v = v->next;
    return v;
}

gf_slice py_toml_text(const struct py_toml *v) { return v ? v->text : GF_NONE; }

const char *py_toml_cstr(const struct py_toml *v)
{
    bool good = py_toml_type(v) == PY_TOML_STRING && !memchr(v->text.p, '\0', v->text.n);
    return good ? v->text.p : NULL;
}

bool py_toml_int(const struct py_toml *v, int64_t *ret)
{
    if (py_toml_type(v) != PY_TOML_INTEGER) return false;
    *ret = v->integer;
    return true;
}

bool py_toml_float(const struct py_toml *v, double *ret)
{
    if (py_toml_type(v) != PY_TOML_FLOAT) return false;
    *ret = v->number;
    return true;
}

bool py_toml_bool(const struct py_toml *v, bool *ret)
{
    if (py_toml_type(v) != PY_TOML_BOOL) return false;
    *ret = v->truth;
    return true;
}

size_t py_toml_count(const struct py_toml *v) { return v ? v->count : 0; }
const struct py_toml *py_toml_first(const struct py_toml *v) { return v ? v->first : NULL; }
const struct py_toml *py_toml_next(const struct py_toml *v) { return v->next; }
gf_slice py_toml_key(const struct py_toml *v) { return v->key; }
unsigned py_toml_line(const struct py_toml *v) { return v->line; }

void py_toml_put_string(struct gf_buf *out, gf_slice s)
{
    gf_buf_addc(out, '"');
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c == '"' || c == '\\') gf_buf_addf(out, "\\%c", c);
        else if (c == '\n') gf_buf_adds(out, "\\n");
        else if (c == '\t') gf_buf_adds(out, "\\t");
        else if (c < ' ' || c == 127) gf_buf_addf(out, "\\u%04X", c);
        else gf_buf_addc(out, (char)c);
    }
    gf_buf_addc(out, '"');
}
