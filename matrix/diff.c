#include "matrix/diff.h"
#include "matrix/table.h"

struct row { const char *text, *file, *table, *about; };
typedef GF_VEC(struct row) row_vec;
struct side { struct gf_arena mem; row_vec rows; };
struct change { const struct row *row; bool added; };

/* What a row speaks of, for "affects". */
static const char *about(const gf_json *row)
{
    static const char *const keys[] = { "package", "name", "pci", "cuda", "branch", "cc", "index", "id" };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *s = gf_json_cstr(gf_json_get(row, keys[i]));
        if (s) return s;
    }
    return NULL;
}

static int read_side(struct mtx *m, struct side *s, struct gf_err *err)
{
    for (size_t i = 0; i < m->files.n; i++) {
        struct gf_json_doc *doc;
        const char *file = gf_arena_str(&s->mem, m->files.v[i].path);
        if (!gf_slice_ends(m->files.v[i].path, GF_S(".json"))) continue;
        if (gf_json_parse(m->files.v[i].text, file, &doc, err)) return -1;
        gf_vec_push(&m->docs, doc);
        for (const gf_json *t = gf_json_first(gf_json_root(doc)); t; t = gf_json_next(t))
            for (const gf_json *r = gf_json_first(t); r; r = gf_json_next(r)) {
                GF_BUF_SCOPE struct gf_buf b;
                gf_buf_init(&b, GF_CAP_OUTPUT);
                struct gf_jw w;
                gf_jw_init(&w, &b, true);
                gf_jw_value(&w, r);
                gf_vec_push(&s->rows, (struct row){ gf_arena_str(&s->mem, gf_buf_slice(&b)), file, gf_json_key(t) ? gf_json_key(t) : "", about(r) });
            }
    }
    return 0;
}

static int by_place(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int c = strcmp(x->file, y->file);
    if (!c) c = strcmp(x->table, y->table);
    return c ? c : strcmp(x->text, y->text);
}

typedef GF_VEC(struct change) change_vec;

static void compare(const struct side *a, const struct side *b, change_vec *ret)
{
    size_t i = 0, k = 0;
    while (i < a->rows.n || k < b->rows.n) {
        int c = i == a->rows.n ? 1 : k == b->rows.n ? -1 : by_place(&a->rows.v[i], &b->rows.v[k]);
        if (c < 0) gf_vec_push(ret, (struct change){ &a->rows.v[i], false });
        if (c > 0) gf_vec_push(ret, (struct change){ &b->rows.v[k], true });
        i += c <= 0;
        k += c >= 0;
    }
}

static void affected(const change_vec *v, struct gf_names *names)
{
    for (size_t i = 0; i < v->n; i++)
        if (v->v[i].row->about) gf_names_add(names, gf_slice_of(v->v[i].row->about), NULL);
}

static void add_text(struct mtx *old, struct mtx *new_, const change_vec *v, const struct gf_names *names, struct gf_buf *out)
{
    gf_buf_addf(out, "%s (sha256 %.12s) -> %s (sha256 %.12s): %zu rows differ\n", mtx_version(old), mtx_sha256(old), mtx_version(new_), mtx_sha256(new_), v->n);
    const struct row *last = NULL;
    for (size_t i = 0; i < v->n; i++) {
        const struct row *r = v->v[i].row;
        if (!last || strcmp(last->file, r->file) || strcmp(last->table, r->table)) gf_buf_addf(out, "\n%s: %s\n", r->file, r->table);
        gf_buf_addf(out, "%c %s\n", v->v[i].added ? '+' : '-', r->text);
        last = r;
    }
    if (names->n) gf_buf_adds(out, "\nplans may change that contain:");
    for (uint32_t i = 0; i < names->n; i++) gf_buf_addf(out, "%s %.*s", i ? "," : "", GF_FMT(gf_names_get(names, i)));
    if (names->n) gf_buf_addc(out, '\n');
}

static void add_json(struct mtx *old, struct mtx *new_, const change_vec *v, const struct gf_names *names, struct gf_buf *out)
{
    struct gf_jw w;
    gf_jw_init(&w, out, false);
    gf_jw_obj(&w);
    gf_jw_kstr(&w, "old", mtx_version(old));
    gf_jw_kstr(&w, "new", mtx_version(new_));
    gf_jw_key(&w, "changes");
    gf_jw_arr(&w);
    for (size_t i = 0; i < v->n; i++) {
        gf_jw_obj(&w);
        gf_jw_kstr(&w, "file", v->v[i].row->file);
        gf_jw_kstr(&w, "table", v->v[i].row->table);
        gf_jw_kstr(&w, "change", v->v[i].added ? "added" : "removed");
        gf_jw_kstr(&w, "row", v->v[i].row->text);
        gf_jw_end_obj(&w);
    }
    gf_jw_end_arr(&w);
    gf_jw_key(&w, "affects");
    gf_jw_arr(&w);
    for (uint32_t i = 0; i < names->n; i++) gf_jw_str(&w, gf_names_get(names, i));
    gf_jw_end_arr(&w);
    gf_jw_end_obj(&w);
    gf_buf_addc(out, '\n');
}

int mtx_diff(struct mtx *old, struct mtx *new_, bool json, struct gf_buf *out, bool *ret_differs, struct gf_err *err)
{
    struct side a = { GF_ARENA_INIT, { 0 } }, b = { GF_ARENA_INIT, { 0 } };
    change_vec changes = { 0 };
    struct gf_names names;
    gf_names_init(&names);
    int rc = read_side(old, &a, err) || read_side(new_, &b, err) ? -1 : 0;
    if (a.rows.n) qsort(a.rows.v, a.rows.n, sizeof *a.rows.v, by_place);
    if (b.rows.n) qsort(b.rows.v, b.rows.n, sizeof *b.rows.v, by_place);
    if (!rc) {
        compare(&a, &b, &changes);
        affected(&changes, &names);
        (json ? add_json : add_text)(old, new_, &changes, &names, out);
        *ret_differs = changes.n > 0;
    }
    gf_names_release(&names);
    gf_vec_free(&changes);
    gf_vec_free(&a.rows);
    gf_vec_free(&b.rows);
    gf_arena_release(&a.mem);
    gf_arena_release(&b.mem);
    return rc;
}
