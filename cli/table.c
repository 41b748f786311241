#include "cli/table.h"
#include "cli/output.h"

void out_table_init(struct out_table *t, const char *key, const char *title, const char *const *columns, size_t ncolumns)
{
    *t = (struct out_table){ .key = key, .title = title, .columns = columns, .ncolumns = ncolumns };
}

void out_table_release(struct out_table *t) { gf_vec_free(&t->cells); }

void out_table_row(struct out_table *t, const char *const *cells)
{
    for (size_t i = 0; i < t->ncolumns; i++) gf_vec_push(&t->cells, cells[i]);
}

static size_t width_of(const char *s)
{
    size_t n = 0;
    for (; *s; s++) n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

static const char *shown(const char *cell) { return cell ? cell : "-"; }

static void add_line(const struct out_table *t, const char *const *cells, const size_t *width, struct gf_buf *out)
{
    for (size_t c = 0; c < t->ncolumns; c++) {
        const char *s = shown(cells[c]);
        gf_buf_adds(out, c ? "  " : "  ");
        for (const char *p = s; *p; p++) gf_buf_addc(out, *p == '_' && cells == t->columns ? ' ' : *p);
        for (size_t n = width_of(s); c + 1 < t->ncolumns && n < width[c]; n++) gf_buf_addc(out, ' ');
    }
    gf_buf_addc(out, '\n');
}

void out_table_text(const struct out_table *t, struct gf_buf *out)
{
    enum { MAX_COLUMNS = 16 };
    size_t width[MAX_COLUMNS] = { 0 };
    if (!t->cells.n || t->ncolumns > MAX_COLUMNS) return;
    for (size_t c = 0; c < t->ncolumns; c++) width[c] = width_of(t->columns[c]);
    for (size_t i = 0; i < t->cells.n; i++) {
        size_t n = width_of(shown(t->cells.v[i])), *w = &width[i % t->ncolumns];
        if (n > *w) *w = n;
    }
    gf_buf_addf(out, "%s%s%s\n", out_color(OUT_BOLD), t->title, out_color(OUT_RESET));
    gf_buf_adds(out, out_color(OUT_DIM));
    add_line(t, t->columns, width, out);
    gf_buf_adds(out, out_color(OUT_RESET));
    for (size_t i = 0; i < t->cells.n; i += t->ncolumns) add_line(t, t->cells.v + i, width, out);
    gf_buf_addc(out, '\n');
}

void out_table_json(const struct out_table *t, struct gf_jw *w)
{
    gf_jw_key(w, t->key);
    gf_jw_arr(w);
    for (size_t i = 0; i < t->cells.n; i += t->ncolumns) {
        gf_jw_obj(w);
        for (size_t c = 0; c < t->ncolumns; c++) gf_jw_kstr(w, t->columns[c], t->cells.v[i + c]);
        gf_jw_end_obj(w);
    }
    gf_jw_end_arr(w);
}
