#include "model/profile_table.h"
#include <stdio.h>
#include <stdlib.h>

struct mdl_profile *mdl_profile_new(void)
{
    struct mdl_profile *p = gf_xcalloc(1, sizeof *p);
    gf_arena_init(&p->mem);
    p->wsl = p->container = p->secure_boot = p->nouveau = p->nvswitch = PY_UNKNOWN;
    return p;
}

void mdl_profile_free(struct mdl_profile *p)
{
    if (!p) return;
    gf_arena_release(&p->mem);
    free(p);
}

/* --- reading ------------------------------------------------------------------------------------------------------- */
struct reading {
    struct mdl_profile *p;
    const char *label;
    char path[160]; /* JSON pointer of the value being read */
    size_t n;
    struct gf_err *err;
};
static int read_members(struct reading *in, const gf_json *v, void *base, const struct mdl_row *table, size_t n);

static size_t enter(struct reading *in, const char *key)
{
    size_t before = in->n;
    int n = snprintf(in->path + in->n, sizeof in->path - in->n, "/%s", key);
    in->n = n < 0 || (size_t)n >= sizeof in->path - in->n ? sizeof in->path - 1 : in->n + (size_t)n;
    return before;
}

static void leave(struct reading *in, size_t before)
{
    in->n = before;
    in->path[before] = '\0';
}

static int wrong(const struct reading *in, const gf_json *v, const char *expected)
{
    return gf_fail(in->err, GF_E_PARSE, "%s: %s is %s, expected %s", in->label, in->n ? in->path : "the document", gf_json_type_name(v), expected);
}

static void set_known(void *base, const struct mdl_row *r, enum mdl_known k)
{
    enum mdl_known *known = mdl_known_at(base, r);
    if (known) *known = k;
}

static int read_strings(struct reading *in, const gf_json *v, void *base, const struct mdl_row *r)
{
    if (gf_json_type(v) != GF_JSON_ARRAY) return wrong(in, v, "an array of strings");
    size_t n = gf_json_count(v), i = 0;
    const char **list = gf_arena_array(&in->p->mem, mdl_room_for(n), sizeof *list);
    for (const gf_json *c = gf_json_first(v); c; c = gf_json_next(c)) {
        if (!gf_json_cstr(c)) return wrong(in, v, "an array of strings only");
        list[i++] = gf_arena_strz(&in->p->mem, gf_json_cstr(c));
    }
    *(const char *const **)mdl_field(base, r->at) = list;
    *mdl_count_at(base, r) = n;
    return 0;
}

static int read_structs(struct reading *in, const gf_json *v, void *base, const struct mdl_row *r)
{
    if (gf_json_type(v) != GF_JSON_ARRAY) return wrong(in, v, "an array of objects");
    size_t n = gf_json_count(v), i = 0;
    char *list = gf_arena_array(&in->p->mem, mdl_room_for(n), r->size);
    for (const gf_json *c = gf_json_first(v); c; c = gf_json_next(c), i++) {
        char index[24];
        snprintf(index, sizeof index, "%zu", i);
        size_t before = enter(in, index);
        if (read_members(in, c, list + i * r->size, r->sub, r->nsub)) return -1;
        leave(in, before);
    }
    *(void **)mdl_field(base, r->at) = list;
    *mdl_count_at(base, r) = n;
    if (!n && r->empty_is_absent) set_known(base, r, MDL_ABSENT);
    return 0;
}

static int read_origins(struct reading *in, const gf_json *v)
{
    if (gf_json_type(v) != GF_JSON_OBJECT) return wrong(in, v, "an object of strings");
    for (const gf_json *c = gf_json_first(v); c; c = gf_json_next(c)) {
        if (!gf_json_cstr(c)) return wrong(in, v, "an object of strings only");
        mdl_profile_set_origin(in->p, gf_json_key(c), gf_json_cstr(c));
    }
    return 0;
}

static int read_raw(struct reading *in, const gf_json *v, void *base, const struct mdl_row *r)
{
    if (gf_json_type(v) != GF_JSON_OBJECT) return wrong(in, v, "an object");
    GF_BUF_SCOPE struct gf_buf text;
    gf_buf_init(&text, GF_CAP_PROFILE);
    struct gf_jw w;
    gf_jw_init(&w, &text, true);
    gf_jw_value(&w, v);
    *mdl_str_at(base, r) = gf_arena_str(&in->p->mem, gf_slice_trim(gf_buf_slice(&text)));
    return 0;
}

static int read_int(struct reading *in, const gf_json *v, void *base, const struct mdl_row *r)
{
    int64_t n;
    if (!gf_json_int(v, &n) || n < 0 || (r->kind == MDL_R_INT && n > 1000)) return wrong(in, v, "a whole number that is not negative");
    if (r->kind == MDL_R_INT) *(int *)mdl_field(base, r->at) = (int)n;
    else *(int64_t *)mdl_field(base, r->at) = n;
    return 0;
}

static int read_bool(struct reading *in, const gf_json *v, void *base, const struct mdl_row *r)
{
    bool b;
    if (!gf_json_bool(v, &b)) return wrong(in, v, "true or false");
    if (r->kind == MDL_R_BOOL) *(bool *)mdl_field(base, r->at) = b;
    else *(enum py_tri *)mdl_field(base, r->at) = b ? PY_YES : PY_NO;
    return 0;
}

static int read_value(struct reading *in, const gf_json *v, void *base, const struct mdl_row *r)
{
    if (gf_json_type(v) == GF_JSON_NULL && r->kind != MDL_R_SCHEMA) {
        set_known(base, r, MDL_ABSENT);
        if (r->kind == MDL_R_TRI) *(enum py_tri *)mdl_field(base, r->at) = PY_NO;
        return 0;
    }
    set_known(base, r, MDL_PRESENT);
    switch (r->kind) {
    case MDL_R_SCHEMA: return gf_slice_eq(gf_json_str(v), GF_S("gpuferry.profile/1")) ? 0 : wrong(in, v, "\"gpuferry.profile/1\"");
    case MDL_R_STR:
        if (!gf_json_cstr(v)) return wrong(in, v, "a string");
        *mdl_str_at(base, r) = gf_arena_strz(&in->p->mem, gf_json_cstr(v));
        return 0;
    case MDL_R_TRI:
    case MDL_R_BOOL: return read_bool(in, v, base, r);
    case MDL_R_INT64:
    case MDL_R_INT: return read_int(in, v, base, r);
    case MDL_R_STRINGS: return read_strings(in, v, base, r);
    case MDL_R_STRUCTS: return read_structs(in, v, base, r);
    case MDL_R_GROUP: return read_members(in, v, base, r->sub, r->nsub);
    case MDL_R_RAW: return read_raw(in, v, base, r);
    case MDL_R_ORIGINS: return read_origins(in, v);
    }
    return 0;
}

static int read_members(struct reading *in, const gf_json *v, void *base, const struct mdl_row *table, size_t n)
{
    if (gf_json_type(v) != GF_JSON_OBJECT) return wrong(in, v, "an object");
    for (const gf_json *c = gf_json_first(v); c; c = gf_json_next(c)) {
        size_t before = enter(in, gf_json_key(c));
        const struct mdl_row *r = mdl_find_row(table, n, gf_slice_of(gf_json_key(c)));
        if (!r) return gf_fail(in->err, GF_E_PARSE, "%s: %s is not a key of a profile; the first key here is \"%s\"", in->label, in->path, table[0].key);
        if (read_value(in, c, base, r)) return -1;
        leave(in, before);
    }
    return 0;
}

static const char *lowered(struct mdl_profile *p, const char *s)
{
    char *copy = gf_arena_strz(&p->mem, s);
    for (char *c = copy; c && *c; c++) *c = gf_lower(*c);
    return copy;
}

static const char *arch_name(const char *s)
{
    if (!s) return NULL;
    gf_slice a = gf_slice_of(s);
    if (gf_slice_ieq(a, GF_S("amd64")) || gf_slice_ieq(a, GF_S("x64")) || gf_slice_ieq(a, GF_S("x86-64"))) return "x86_64";
    return gf_slice_ieq(a, GF_S("arm64")) || gf_slice_ieq(a, GF_S("armv8")) ? "aarch64" : s;
}

/* One spelling for what people write in several. */
static void tidy(struct mdl_profile *p)
{
    p->arch = arch_name(p->arch);
    p->os_id = lowered(p, p->os_id);
    for (size_t i = 0; i < p->ngpus; i++) {
        p->gpus[i].vendor = lowered(p, p->gpus[i].vendor);
        p->gpus[i].pci = lowered(p, p->gpus[i].pci);
    }
    for (size_t i = 0; i < p->npackages; i++)
        if (p->packages[i].name) p->packages[i].name = py_name_normalize(&p->mem, gf_slice_of(p->packages[i].name));
}

static int nameless(const struct reading *in, const char *list, const struct mdl_package *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!v[i].name) return gf_fail(in->err, GF_E_PARSE, "%s: /%s/%zu has no \"name\"", in->label, list, i);
    return 0;
}

int mdl_profile_from_json(const gf_json *v, const char *label, struct mdl_profile **ret, struct gf_err *err)
{
    struct reading in = { .p = mdl_profile_new(), .label = label, .err = err };
    if (read_members(&in, v, in.p, mdl_rows, mdl_nrows) || nameless(&in, "packages", in.p->packages, in.p->npackages) ||
        nameless(&in, "os_packages", in.p->os_packages, in.p->nos_packages)) {
        mdl_profile_free(in.p);
        return -1;
    }
    tidy(in.p);
    *ret = in.p;
    return 0;
}

int mdl_profile_parse(gf_slice text, const char *label, struct mdl_profile **ret, struct gf_err *err)
{
    GF_JSON_SCOPE struct gf_json_doc *doc = NULL;
    if (gf_json_parse(text, label, &doc, err)) return -1;
    return mdl_profile_from_json(gf_json_root(doc), label, ret, err);
}

/* --- writing ------------------------------------------------------------------------------------------------------- */
static void write_members(const void *base, const struct mdl_row *table, size_t n, struct gf_jw *w);

static void write_list(const void *base, const struct mdl_row *r, struct gf_jw *w)
{
    char *v = *(char **)mdl_field(base, r->at);
    gf_jw_arr(w);
    for (size_t i = 0; i < *mdl_count_at(base, r); i++) {
        if (r->kind == MDL_R_STRINGS) gf_jw_cstr(w, ((const char *const *)(void *)v)[i]);
        else write_members(v + i * r->size, r->sub, r->nsub, w);
    }
    gf_jw_end_arr(w);
}

static void write_origins(const struct mdl_profile *p, struct gf_jw *w)
{
    gf_jw_obj(w);
    for (size_t i = 0; i < p->norigins; i++) gf_jw_kstr(w, p->origins[i].key, p->origins[i].from);
    gf_jw_end_obj(w);
}

static void write_raw(const char *text, struct gf_jw *w)
{
    GF_JSON_SCOPE struct gf_json_doc *doc = NULL;
    if (gf_json_parse(gf_slice_of(text), "profile", &doc, NULL) == 0) gf_jw_value(w, gf_json_root(doc));
    else gf_jw_null(w);
}

static void write_value(const void *base, const struct mdl_row *r, struct gf_jw *w)
{
    const enum mdl_known *known = mdl_known_at(base, r);
    if (known && *known == MDL_ABSENT) {
        gf_jw_null(w);
        return;
    }
    switch (r->kind) {
    case MDL_R_SCHEMA: gf_jw_cstr(w, "gpuferry.profile/1"); break;
    case MDL_R_STR: gf_jw_cstr(w, *mdl_str_at(base, r)); break;
    case MDL_R_TRI: gf_jw_bool(w, *(enum py_tri *)mdl_field(base, r->at) == PY_YES); break;
    case MDL_R_BOOL: gf_jw_bool(w, *(bool *)mdl_field(base, r->at)); break;
    case MDL_R_INT64: gf_jw_int(w, *(int64_t *)mdl_field(base, r->at)); break;
    case MDL_R_INT: gf_jw_int(w, *(int *)mdl_field(base, r->at)); break;
    case MDL_R_STRINGS:
    case MDL_R_STRUCTS: write_list(base, r, w); break;
    case MDL_R_GROUP: write_members(base, r->sub, r->nsub, w); break;
    case MDL_R_RAW: write_raw(*mdl_str_at(base, r), w); break;
    case MDL_R_ORIGINS: write_origins(base, w); break;
    }
}

static void write_members(const void *base, const struct mdl_row *table, size_t n, struct gf_jw *w)
{
    gf_jw_obj(w);
    for (size_t i = 0; i < n; i++) {
        if (!mdl_row_has_value(base, &table[i])) continue;
        gf_jw_key(w, table[i].key);
        write_value(base, &table[i], w);
    }
    gf_jw_end_obj(w);
}

int mdl_profile_copy(const struct mdl_profile *p, struct mdl_profile **ret, struct gf_err *err)
{
    GF_BUF_SCOPE struct gf_buf text;
    struct gf_jw w;
    gf_buf_init(&text, GF_CAP_PROFILE);
    gf_jw_init(&w, &text, true);
    mdl_profile_write(p, &w);
    return mdl_profile_parse(gf_buf_slice(&text), "target", ret, err);
}

void mdl_profile_write(const struct mdl_profile *p, struct gf_jw *w) { write_members(p, mdl_rows, mdl_nrows, w); }

/* --- what planning needs -------------------------------------------------------------------------------------------- */
static enum py_os os_kind(const char *id)
{
    if (id && strcmp(id, "windows") == 0) return PY_OS_WINDOWS;
    return id && (strcmp(id, "macos") == 0 || strcmp(id, "darwin") == 0) ? PY_OS_MACOS : PY_OS_LINUX;
}

static const char *machine_name(enum py_os os, const char *arch)
{
    if (os == PY_OS_WINDOWS && strcmp(arch, "x86_64") == 0) return "AMD64";
    return os != PY_OS_LINUX && strcmp(arch, "aarch64") == 0 ? (os == PY_OS_WINDOWS ? "ARM64" : "arm64") : arch;
}

static void set_libc(const struct mdl_profile *p, struct py_platform *to)
{
    gf_slice name = gf_slice_of(p->libc_name), v = gf_slice_of(to->os == PY_OS_MACOS ? p->os_version : p->libc_version);
    if (gf_slice_is(name, "glibc")) to->libc = PY_LIBC_GLIBC;
    else if (gf_slice_is(name, "musl")) to->libc = PY_LIBC_MUSL;
    uint64_t major = gf_take_u64(&v), minor = gf_try_char(&v, '.') ? gf_take_u64(&v) : 0;
    if (!gf_slice_ok(v) || major > 1000 || minor > 1000) return;
    to->libc_major = (unsigned)major;
    to->libc_minor = (unsigned)minor;
}

/* The numbers of "3.13.0rc2", with the t of a free-threaded build. */
static gf_slice plain_python(const struct mdl_profile *p, char out[32])
{
    size_t n = strspn(p->python_version, "0123456789.");
    bool threaded = p->python_version[n] == 't' || (p->python_abi && gf_slice_ends(gf_slice_of(p->python_abi), GF_S("t")));
    while (n && p->python_version[n - 1] == '.') n--;
    snprintf(out, 32, "%.*s%s", (int)(n > 30 ? 30 : n), p->python_version, threaded ? "t" : "");
    return gf_slice_of(out);
}

bool mdl_profile_platform(const struct mdl_profile *p, struct py_platform *ret, const char **ret_missing)
{
    struct py_platform to = { .implementation = p->python_impl, .os = os_kind(p->os_id), .release = p->kernel };
    char python[32];
    if (!p->python_version || !py_platform_set_python(&to, plain_python(p, python))) {
        *ret_missing = "python";
        return false;
    }
    if (!p->arch) {
        *ret_missing = "arch";
        return false;
    }
    to.machine = machine_name(to.os, p->arch);
    set_libc(p, &to);
    *ret = to;
    return true;
}
