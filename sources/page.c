#include "sources/page.h"
#include "base/file.h"
#include "base/vec.h"
#include <stdlib.h>

#define MAGIC "gfpage01"
#define NO_TEXT UINT32_MAX

struct flat_head {
    char magic[8];
    uint32_t files, texts; /* number of records; bytes of the pool */
};
struct flat_file {
    int64_t size, uploaded;
    uint32_t filename, url, sha256, requires_python, yanked, core_metadata_sha256; /* offsets into the pool, or NO_TEXT */
    uint32_t core_metadata, unused;
};

struct src_page_builder {
    struct gf_arena mem;
    GF_VEC(struct src_row) rows;
    uint32_t skipped;
};

struct src_page_builder *src_page_builder_new(void)
{
    struct src_page_builder *b = gf_xcalloc(1, sizeof *b);
    gf_arena_init(&b->mem);
    return b;
}

void src_page_builder_free(struct src_page_builder *b)
{
    if (!b) return;
    gf_vec_free(&b->rows);
    gf_arena_release(&b->mem);
    free(b);
}

static bool has_nul(gf_slice s) { return s.n && memchr(s.p, '\0', s.n); }

struct gf_arena *src_page_arena(struct src_page_builder *b) { return &b->mem; }

static gf_slice keep(struct gf_arena *a, gf_slice s, bool stays)
{
    if (!s.p || has_nul(s)) return GF_NONE;
    return stays ? s : gf_slice_n(gf_arena_str(a, s), s.n);
}

static bool is_lower_hex(gf_slice s)
{
    bool good = true;
    for (size_t i = 0; i < s.n; i++) good &= (s.p[i] >= '0' && s.p[i] <= '9') || (s.p[i] >= 'a' && s.p[i] <= 'f');
    return good;
}

static gf_slice keep_sha256(struct gf_arena *a, gf_slice s, bool stays)
{
    if (s.n != 64) return GF_NONE;
    if (stays && is_lower_hex(s)) return s;
    char *copy = gf_arena_str(a, s);
    for (size_t i = 0; i < s.n; i++) copy[i] = gf_lower(copy[i]);
    return is_lower_hex(gf_slice_n(copy, s.n)) ? gf_slice_n(copy, s.n) : GF_NONE;
}

void src_page_skip(struct src_page_builder *b) { b->skipped++; }
uint32_t src_page_skipped(const struct src_page_builder *b) { return b->skipped; }

bool src_page_add(struct src_page_builder *b, const struct src_row *row)
{
    bool plain = gf_path_safe(row->filename) && gf_slice_chr(row->filename, '/') < 0;
    if (!plain || !row->url.p || has_nul(row->url) || b->rows.n >= GF_CAP_FILES_PER_PAGE) {
        b->skipped++;
        return false;
    }
    struct src_row r = *row;
    r.filename = keep(&b->mem, row->filename, row->stays);
    r.url = keep(&b->mem, row->url, row->stays);
    r.sha256 = keep_sha256(&b->mem, row->sha256, row->stays);
    r.requires_python = keep(&b->mem, row->requires_python, row->stays);
    r.yanked = keep(&b->mem, row->yanked, row->stays);
    r.core_metadata_sha256 = keep_sha256(&b->mem, row->core_metadata_sha256, row->stays);
    gf_vec_push(&b->rows, r);
    return true;
}

struct ranked { const struct src_row *row; size_t at; };

static int by_name(const void *x, const void *y)
{
    const struct ranked *a = x, *b = y;
    int c = gf_slice_cmp(a->row->filename, b->row->filename);
    return c ? c : a->at < b->at ? -1 : 1;
}

/* The rows in order, each name once; returns their number. */
static size_t order_rows(const struct src_page_builder *b, struct ranked *order)
{
    for (size_t i = 0; i < b->rows.n; i++) order[i] = (struct ranked){ &b->rows.v[i], i };
    if (b->rows.n) qsort(order, b->rows.n, sizeof *order, by_name);
    size_t n = 0;
    for (size_t i = 0; i < b->rows.n; i++)
        if (n == 0 || !gf_slice_eq(order[n - 1].row->filename, order[i].row->filename)) order[n++] = order[i];
    return n;
}

/* The pool while it is written: the tail of the flat form. */
struct pool {
    struct gf_buf *out;
    size_t from;
    gf_slice python, yanked; /* neighbours mostly say the same: the text before is used again */
    uint32_t python_at, yanked_at;
};

static uint32_t add_text(struct pool *p, gf_slice s)
{
    if (!s.p) return NO_TEXT;
    uint32_t at = (uint32_t)(p->out->n - p->from);
    gf_buf_add(p->out, s.p, s.n);
    gf_buf_addc(p->out, '\0');
    return at;
}

static uint32_t add_again(struct pool *p, gf_slice s, gf_slice *last, uint32_t *last_at)
{
    if (!s.p) return NO_TEXT;
    if (last->p && gf_slice_eq(s, *last)) return *last_at;
    *last = s;
    return *last_at = add_text(p, s);
}

static struct flat_file add_file(struct pool *p, const struct src_row *r)
{
    return (struct flat_file){
        .size = r->size,
        .uploaded = r->uploaded,
        .filename = add_text(p, r->filename),
        .url = add_text(p, r->url),
        .sha256 = add_text(p, r->sha256),
        .requires_python = add_again(p, r->requires_python, &p->python, &p->python_at),
        .yanked = add_again(p, r->yanked, &p->yanked, &p->yanked_at),
        .core_metadata_sha256 = add_text(p, r->core_metadata_sha256),
        .core_metadata = r->core_metadata,
    };
}

static size_t texts_size(const struct ranked *order, size_t n)
{
    size_t all = 1;
    for (size_t i = 0; i < n; i++) {
        const struct src_row *r = order[i].row;
        all += r->filename.n + r->url.n + r->sha256.n + r->requires_python.n + r->yanked.n + r->core_metadata_sha256.n + 6;
    }
    return all;
}

void src_page_build(struct src_page_builder *b, struct gf_buf *ret)
{
    GF_FREE struct ranked *order = gf_xcalloc(b->rows.n + 1, sizeof *order);
    size_t n = order_rows(b, order), begin = ret->n, records = n * sizeof(struct flat_file);
    GF_FREE struct flat_file *files = gf_xcalloc(n + 1, sizeof *files);
    struct flat_head head = { .files = (uint32_t)n };
    gf_buf_reserve(ret, sizeof head + records + texts_size(order, n));
    gf_buf_add(ret, &head, sizeof head); /* place for both, known when the texts lie */
    gf_buf_add(ret, files, records);
    struct pool pool = { .out = ret, .from = ret->n };
    for (size_t i = 0; i < n; i++) files[i] = add_file(&pool, order[i].row);
    gf_buf_addc(ret, '\0');
    if (gf_buf_failed(ret)) return;
    head.texts = (uint32_t)(ret->n - pool.from);
    memcpy(head.magic, MAGIC, 8);
    memcpy(ret->p + begin, &head, sizeof head);
    if (n) memcpy(ret->p + begin + sizeof head, files, records);
}

static bool text_at(gf_slice pool, uint32_t at, const char **ret)
{
    *ret = at == NO_TEXT ? NULL : pool.p + at;
    return at == NO_TEXT || at < pool.n;
}

static bool open_file(const struct flat_file *f, gf_slice pool, uint16_t source, struct src_file *ret)
{
    *ret = (struct src_file){ .size = f->size, .uploaded = f->uploaded, .core_metadata = f->core_metadata != 0, .source = source };
    return text_at(pool, f->filename, &ret->filename) && text_at(pool, f->url, &ret->url) && text_at(pool, f->sha256, &ret->sha256) &&
           text_at(pool, f->requires_python, &ret->requires_python) && text_at(pool, f->yanked, &ret->yanked) &&
           text_at(pool, f->core_metadata_sha256, &ret->core_metadata_sha256) && ret->filename && ret->url;
}

bool src_page_open(gf_slice flat, struct gf_arena *a, uint16_t source, const struct src_file **ret, uint32_t *ret_n)
{
    struct flat_head head;
    if (flat.n < sizeof head) return false;
    memcpy(&head, flat.p, sizeof head);
    size_t records = (size_t)head.files * sizeof(struct flat_file);
    if (memcmp(head.magic, MAGIC, 8) != 0 || head.files > GF_CAP_FILES_PER_PAGE || head.texts == 0) return false;
    if (flat.n != sizeof head + records + head.texts || flat.p[flat.n - 1] != '\0') return false;
    gf_slice pool = gf_slice_from(flat, sizeof head + records);
    struct src_file *files = gf_arena_alloc(a, (size_t)head.files * sizeof *files + 1);
    for (uint32_t i = 0; i < head.files; i++) {
        struct flat_file f;
        memcpy(&f, flat.p + sizeof head + i * sizeof f, sizeof f);
        if (!open_file(&f, pool, source, &files[i])) return false;
    }
    *ret = files;
    *ret_n = head.files;
    return true;
}
