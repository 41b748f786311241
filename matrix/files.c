/* A data set is files in canonical order. On disk a folder, or one pack: "gpuferry-data 1", one line "SIZE PATH" for each file, an empty line,
 * then the files one after the other. */
#include "base/digest.h"
#include "base/file.h"
#include "matrix/table.h"
#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

static const gf_slice magic = { "gpuferry-data 1\n", 16 };

#ifndef MTX_PACK /* the Makefile names it; this is for tools that only look at the text */
#define MTX_PACK "/dev/null"
#define MTX_PACK_SHA256 ""
#endif
__asm__(".section .rodata\n"
        ".balign 16\n"
        "mtx_pack_begin: .incbin \"" MTX_PACK "\"\n"
        "mtx_pack_end: .byte 0\n"
        ".previous\n");
extern const char mtx_pack_begin[], mtx_pack_end[];

const char *mtx_embedded_sha256(void) { return MTX_PACK_SHA256; }

gf_slice mtx_embedded(void)
{
    const char *volatile end = mtx_pack_end; /* two objects to the compiler, one to the assembler */
    return gf_slice_n(mtx_pack_begin, (size_t)((uintptr_t)end - (uintptr_t)mtx_pack_begin));
}

void mtx_files_release(struct mtx_files *f)
{
    free(f->owned);
    free(f->v);
    *f = (struct mtx_files){ 0 };
}

static int compare(const void *a, const void *b)
{
    return gf_slice_cmp(((const struct mtx_file *)a)->path, ((const struct mtx_file *)b)->path);
}

struct mtx_file *mtx_files_find(const struct mtx_files *f, gf_slice path)
{
    struct mtx_file key = { .path = path };
    return f->n ? bsearch(&key, f->v, f->n, sizeof key, compare) : NULL;
}

int mtx_files_of_pack(gf_slice pack, const char *label, struct mtx_files *ret, struct gf_err *err)
{
    GF_VEC(struct mtx_file) v = { 0 };
    gf_slice s = pack, line;
    if (!gf_slice_starts(s, magic)) return gf_fail(err, GF_E_PARSE, "%s is not a gpuferry data set: its first line should be 'gpuferry-data 1'", label);
    s = gf_slice_from(s, magic.n);
    size_t total = 0, n = 0;
    while (gf_slice_line(&s, &line) && line.n) {
        uint64_t size = gf_take_u64(&line);
        if (!gf_take_char(&line, ' ') || !gf_path_safe(line) || size > GF_CAP_JSON || v.n > 4096) goto bad;
        gf_vec_push(&v, (struct mtx_file){ .path = line, .text = gf_slice_n(NULL, (size_t)size) });
        total += (size_t)size;
    }
    if (total != s.n) goto bad;
    for (const char *p = s.p; n < v.n; n++) {
        v.v[n].text.p = p, p += v.v[n].text.n;
        if (n && gf_slice_cmp(v.v[n - 1].path, v.v[n].path) >= 0) goto bad;
    }
    *ret = (struct mtx_files){ NULL, pack, v.v, v.n };
    return 0;
bad:
    gf_vec_free(&v);
    return gf_fail(err, GF_E_PARSE, "%s is a damaged gpuferry data set: its list of files does not fit its contents; get it again", label);
}

struct walk { GF_VEC(char *) paths; const char *root; };

static bool belongs(gf_slice path) { return gf_slice_is(path, "VERSION") || (gf_slice_ends(path, GF_S(".json")) && !gf_slice_starts(path, GF_S("schema/"))); }

static int walk(struct walk *w, const char *below, struct gf_err *err)
{
    GF_FREE char *dir = *below ? gf_xasprintf("%s/%s", w->root, below) : gf_xstrdup(w->root);
    DIR *d = opendir(dir);
    if (!d) return gf_fail_errno(err, errno, "cannot read the data set's folder '%s'", dir);
    struct dirent *e;
    int rc = 0;
    while (!rc && (e = readdir(d)) != NULL) {
        if (e->d_name[0] == '.') continue;
        char *rel = *below ? gf_xasprintf("%s/%s", below, e->d_name) : gf_xstrdup(e->d_name);
        GF_FREE char *full = gf_xasprintf("%s/%s", w->root, rel);
        struct stat st;
        if (stat(full, &st) == 0 && S_ISDIR(st.st_mode)) rc = strlen(rel) < 200 ? walk(w, rel, err) : 0;
        else if (belongs(gf_slice_of(rel))) {
            gf_vec_push(&w->paths, rel);
            continue;
        }
        free(rel);
    }
    closedir(d);
    return rc;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static int join(struct walk *w, struct gf_buf *pack, struct gf_err *err)
{
    GF_BUF_SCOPE struct gf_buf body, one;
    gf_buf_init(&body, GF_CAP_JSON);
    gf_buf_init(&one, GF_CAP_JSON);
    gf_buf_addsl(pack, magic);
    for (size_t i = 0; i < w->paths.n; i++) {
        GF_FREE char *full = gf_xasprintf("%s/%s", w->root, w->paths.v[i]);
        gf_buf_clear(&one);
        if (gf_file_read(full, GF_CAP_JSON, &one, err)) return -1;
        gf_buf_addf(pack, "%zu %s\n", one.n, w->paths.v[i]);
        gf_buf_addsl(&body, gf_buf_slice(&one));
    }
    gf_buf_addc(pack, '\n');
    gf_buf_addsl(pack, gf_buf_slice(&body));
    return gf_buf_failed(pack) || gf_buf_failed(&body) ? gf_fail(err, GF_E_LIMIT, "the data set in '%s' is larger than %u bytes", w->root, GF_CAP_JSON) : 0;
}

int mtx_files_of_folder(const char *path, struct mtx_files *ret, struct gf_err *err)
{
    struct walk w = { { 0 }, path };
    GF_BUF_SCOPE struct gf_buf pack;
    gf_buf_init(&pack, GF_CAP_JSON);
    int rc = walk(&w, "", err);
    if (w.paths.n) qsort(w.paths.v, w.paths.n, sizeof *w.paths.v, by_name);
    if (!rc) rc = join(&w, &pack, err);
    for (size_t i = 0; i < w.paths.n; i++) free(w.paths.v[i]);
    gf_vec_free(&w.paths);
    if (rc) return -1;
    size_t n = pack.n;
    char *owned = gf_buf_steal(&pack);
    if (mtx_files_of_pack(gf_slice_n(owned, n), path, ret, err)) return free(owned), -1;
    ret->owned = owned;
    return 0;
}
