/* A bundle is whole when every file has the digest that SHA256SUMS and bundle.json both give it, and there is none besides. The two lists
 * guard each other: when only one of them disagrees, it is that one which was changed. */
#include "base/file.h"
#include "base/map.h"
#include "bundler/bundle.h"
#include "bundler/contents.h"
#include "bundler/sign.h"
#include "bundler/texts.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static const char SUMS[] = "SHA256SUMS", MANIFEST[] = "bundle.json", SIGNATURE[] = "SHA256SUMS.minisig", LOCK[] = "gpuferry.lock";
enum { THREADS_MOST = 4, CHUNK = 1 << 20 };

struct claim {           /* what the lists say about one path */
    const char *sums, *manifest; /* sha256, NULL: not listed */
    int64_t size;        /* of the manifest, -1 */
};
struct verifying {
    struct bnd_contents c;
    struct bnd_report *r;
    struct gf_names paths;       /* ids index claims */
    GF_VEC(struct claim) claims;
    bool have_sums, have_manifest;
    char (*found)[GF_SHA256_HEX]; /* by number of file; "" when it could not be read */
    char **trouble;              /* by number of file: why it could not be read */
    size_t *order;               /* largest first */
    atomic_size_t next;
    atomic_ullong done;
    uint64_t total;
    const struct bnd_progress *progress;
};

__attribute__((format(printf, 4, 5))) static void problem(struct bnd_report *r, enum bnd_problem_kind kind, const char *file, const char *fmt, ...)
{
    char text[GF_CAP_ERROR];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (r->nproblems == r->cap) {
        r->cap = r->cap ? 2 * r->cap : 8;
        r->problems = gf_xreallocarray(r->problems, r->cap, sizeof *r->problems);
    }
    r->problems[r->nproblems++] = (struct bnd_problem){ kind, gf_arena_strz(&r->mem, file), gf_arena_strz(&r->mem, text) };
}

/* ---- the lists ---- */

static struct claim *claim_of(struct verifying *v, gf_slice path)
{
    bool fresh;
    uint32_t id = gf_names_add(&v->paths, path, &fresh);
    if (fresh) gf_vec_push(&v->claims, (struct claim){ NULL, NULL, -1 });
    return &v->claims.v[id];
}

static bool read_sums_line(struct verifying *v, gf_slice line)
{
    gf_slice digest = gf_slice_sub(line, 0, 64), path = gf_slice_from(line, 66);
    if (line.n < 67 || !gf_is_sha256_hex(digest) || memcmp(line.p + 64, "  ", 2) != 0 || !gf_path_safe(path)) return false;
    struct claim *c = claim_of(v, path);
    if (c->sums) return false;
    c->sums = gf_arena_str(&v->r->mem, digest);
    return true;
}

static void read_sums(struct verifying *v)
{
    const struct bnd_file *f = bnd_contents_find(&v->c, gf_slice_of(SUMS));
    struct gf_err err = GF_ERR_INIT;
    struct gf_buf text;
    if (!f) {
        problem(v->r, BND_MISSING, SUMS, "'%s' is missing: this is no whole bundle", SUMS);
        return;
    }
    if (bnd_contents_text(&v->c, f, GF_CAP_LOCK, &text, &err)) {
        problem(v->r, BND_UNREADABLE, SUMS, "%s", err.text);
        return;
    }
    gf_slice rest = gf_buf_slice(&text), line;
    size_t number = 0;
    v->have_sums = true;
    if (memchr(text.p, '\r', text.n) || (text.n && text.p[text.n - 1] != '\n')) v->have_sums = false;
    while (v->have_sums && gf_slice_line(&rest, &line)) {
        number++;
        v->have_sums = read_sums_line(v, line);
    }
    if (!v->have_sums) problem(v->r, BND_CORRUPT, SUMS, "line %zu of '%s' is not a sha256 and a path: the list was changed", number, SUMS);
    gf_buf_release(&text);
}

static bool read_manifest_row(struct verifying *v, const gf_json *row)
{
    gf_slice path = gf_json_get_str(row, "path"), digest = gf_json_get_str(row, "sha256");
    int64_t size;
    if (gf_json_count(row) != 3 || !gf_path_safe(path) || !gf_is_sha256_hex(digest) || !gf_json_int(gf_json_get(row, "size"), &size) || size < 0) return false;
    struct claim *c = claim_of(v, path);
    if (c->manifest) return false;
    c->manifest = gf_arena_str(&v->r->mem, digest);
    c->size = size;
    return true;
}

static bool read_manifest_json(struct verifying *v, const gf_json *root)
{
    const gf_json *files = gf_json_get(root, "files");
    gf_slice seal = gf_json_get_str(root, "seal");
    if (!gf_slice_is(gf_json_get_str(root, "schema"), "gpuferry.bundle/1") || gf_json_type(files) != GF_JSON_ARRAY || !gf_is_sha256_hex(seal)) return false;
    v->r->seal = gf_arena_str(&v->r->mem, seal);
    for (const gf_json *row = gf_json_first(files); row; row = gf_json_next(row))
        if (!read_manifest_row(v, row)) return false;
    return true;
}

static void read_manifest(struct verifying *v)
{
    const struct bnd_file *f = bnd_contents_find(&v->c, gf_slice_of(MANIFEST));
    struct gf_err err = GF_ERR_INIT;
    struct gf_buf text;
    if (!f) {
        problem(v->r, BND_MISSING, MANIFEST, "'%s' is missing: this is no whole bundle", MANIFEST);
        return;
    }
    if (bnd_contents_text(&v->c, f, GF_CAP_LOCK, &text, &err)) {
        problem(v->r, BND_UNREADABLE, MANIFEST, "%s", err.text);
        return;
    }
    struct gf_json_doc *doc GF_JSON_SCOPE = NULL;
    v->have_manifest = gf_json_parse(gf_buf_slice(&text), MANIFEST, &doc, &err) == 0 && read_manifest_json(v, gf_json_root(doc));
    if (!v->have_manifest) problem(v->r, BND_CORRUPT, MANIFEST, "'%s' cannot be read as the list of a bundle: it was changed%s%s", MANIFEST, err.code ? ": " : "", err.text);
    gf_buf_release(&text);
}

/* ---- the digests, several files at once ---- */

static int hash_file(struct verifying *v, size_t i, char *chunk, struct gf_err *err)
{
    const struct bnd_file *f = &v->c.files.v[i];
    struct gf_reader *r;
    uint64_t off;
    if (bnd_contents_reader(&v->c, f, &r, &off, err)) return -1;
    struct gf_digest *d = gf_digest_new(GF_SHA256);
    int rc = 0;
    for (uint64_t left = f->size; left && !rc;) {
        size_t n = left < CHUNK ? (size_t)left : CHUNK;
        rc = r->pread(r, off, chunk, n, err);
        if (!rc) gf_digest_add(d, chunk, n);
        off += n;
        left -= n;
        atomic_fetch_add(&v->done, n);
    }
    unsigned char bytes[GF_HASH_MAX];
    gf_hex(bytes, gf_digest_end(d, bytes), v->found[i]);
    if (rc) v->found[i][0] = '\0';
    bnd_contents_done(&v->c, r);
    return rc;
}

static void hash_files(struct verifying *v, bool tell)
{
    GF_FREE char *chunk = gf_xmalloc(CHUNK);
    for (size_t k; (k = atomic_fetch_add(&v->next, 1)) < v->c.files.n;) {
        struct gf_err err = GF_ERR_INIT;
        if (hash_file(v, v->order[k], chunk, &err)) v->trouble[v->order[k]] = gf_xstrdup(err.text);
        if (tell && v->progress && v->progress->fn) v->progress->fn(v->progress->arg, atomic_load(&v->done), v->total);
    }
}

static void *helper(void *arg)
{
    hash_files(arg, false);
    return NULL;
}

static const struct bnd_file *sorting; /* qsort has no argument; one verification at a time sorts */
static int largest_first(const void *a, const void *b)
{
    uint64_t x = sorting[*(const size_t *)a].size, y = sorting[*(const size_t *)b].size;
    return x < y ? 1 : x > y ? -1 : 0;
}

static void hash_all(struct verifying *v)
{
    size_t n = v->c.files.n;
    v->found = gf_xcalloc(n + 1, sizeof *v->found);
    v->trouble = gf_xcalloc(n + 1, sizeof *v->trouble);
    v->order = gf_xcalloc(n + 1, sizeof *v->order);
    for (size_t i = 0; i < n; i++) {
        v->order[i] = i;
        v->total += v->c.files.v[i].size;
    }
    sorting = v->c.files.v;
    if (n) qsort(v->order, n, sizeof *v->order, largest_first);
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    pthread_t threads[THREADS_MOST];
    unsigned started = 0, want = cpus < 2 ? 0 : cpus - 1 < THREADS_MOST ? (unsigned)cpus - 1 : THREADS_MOST;
    while (started < want && pthread_create(&threads[started], NULL, helper, v) == 0) started++;
    hash_files(v, true);
    for (unsigned i = 0; i < started; i++) pthread_join(threads[i], NULL);
}

/* ---- judgement ---- */

static void judge_file(struct verifying *v, size_t i)
{
    const struct bnd_file *f = &v->c.files.v[i];
    const char *found = v->found[i];
    bool list = strcmp(f->path, SUMS) == 0 || strcmp(f->path, SIGNATURE) == 0;
    if (i && strcmp(f->path, v->c.files.v[i - 1].path) == 0) problem(v->r, BND_EXTRA, f->path, "'%s' is there twice", f->path);
    if (!found[0]) {
        problem(v->r, BND_UNREADABLE, f->path, "%s", v->trouble[i]);
        return;
    }
    if (list) return;
    uint32_t id = gf_names_find(&v->paths, gf_slice_of(f->path));
    struct claim none = { NULL, NULL, -1 }, *c = id == GF_NO_ID ? &none : &v->claims.v[id];
    bool in_manifest = v->have_manifest && strcmp(f->path, MANIFEST) != 0;
    bool sums_ok = !v->have_sums || (c->sums && strcmp(c->sums, found) == 0), manifest_ok = !in_manifest || (c->manifest && strcmp(c->manifest, found) == 0);
    if (sums_ok && manifest_ok) {
        if (in_manifest && (uint64_t)c->size != f->size) problem(v->r, BND_CORRUPT, MANIFEST, "'%s' gives '%s' another size than it has: the list was changed", MANIFEST, f->path);
        return;
    }
    if (!c->sums && !c->manifest) problem(v->r, BND_EXTRA, f->path, "'%s' is no part of this bundle", f->path);
    else if (in_manifest && manifest_ok && v->have_sums) problem(v->r, BND_CORRUPT, SUMS, "'%s' is as '%s' says, but '%s' says otherwise: that list was changed", f->path, MANIFEST, SUMS);
    else if (in_manifest && sums_ok && v->have_sums) problem(v->r, BND_CORRUPT, MANIFEST, "'%s' is as '%s' says, but '%s' says otherwise: that list was changed", f->path, SUMS, MANIFEST);
    else if (c->size >= 0 && (uint64_t)c->size != f->size)
        problem(v->r, BND_CORRUPT, f->path, "'%s' has %llu bytes, '%s' says %lld", f->path, (unsigned long long)f->size, MANIFEST, (long long)c->size);
    else problem(v->r, BND_CORRUPT, f->path, "'%s' has sha256 %s, the bundle's list says %s", f->path, found, c->sums ? c->sums : c->manifest);
}

static void judge_missing(struct verifying *v)
{
    if (v->c.damage.code != GF_OK) return; /* the rest was not seen: that is said already */
    for (uint32_t id = 0; id < v->paths.n; id++) {
        gf_slice path = gf_names_get(&v->paths, id);
        if (bnd_contents_find(&v->c, path)) continue;
        GF_FREE char *name = gf_xstrndup(path);
        problem(v->r, BND_MISSING, name, "'%s' is missing", name);
    }
}

/* The lock of one of several targets is what the bundle's lock says for it. */
static void judge_part(struct verifying *v, const struct mdl_lock *lock, const char *label)
{
    GF_FREE char *path = gf_xasprintf(BND_TARGETS "%s/%s", label, LOCK);
    const struct bnd_file *f = bnd_contents_find(&v->c, gf_slice_of(path));
    struct gf_err err = GF_ERR_INIT;
    struct mdl_lock *view = NULL;
    struct gf_buf text;
    GF_BUF_SCOPE struct gf_buf want;
    gf_buf_init(&want, GF_CAP_LOCK);
    if (!f) {
        problem(v->r, BND_MISSING, path, "'%s' is missing, and the lock serves the target '%s'", path, label);
        return;
    }
    if (bnd_contents_text(&v->c, f, GF_CAP_LOCK, &text, &err)) return;
    if (mdl_lock_view(lock, label, &view, &err) || mdl_lock_write(view, &want, &err)) problem(v->r, BND_CORRUPT, path, "%s", err.text);
    else if (!gf_slice_eq(gf_buf_slice(&text), gf_buf_slice(&want))) problem(v->r, BND_CORRUPT, path, "'%s' is not what '%s' says for the target '%s'", path, LOCK, label);
    mdl_lock_free(view);
    gf_buf_release(&text);
}

static void judge_parts(struct verifying *v, const struct mdl_lock *lock)
{
    if (!bnd_serves_several(lock)) return;
    v->r->targets = GF_NEW_ARRAY(&v->r->mem, const char *, lock->ntargets);
    for (size_t i = 0; i < lock->ntargets; i++) {
        v->r->targets[v->r->ntargets++] = gf_arena_strz(&v->r->mem, lock->targets[i]->label);
        judge_part(v, lock, lock->targets[i]->label);
    }
}

static void judge_lock(struct verifying *v)
{
    const struct bnd_file *f = bnd_contents_find(&v->c, gf_slice_of(LOCK));
    if (!f || v->r->nproblems) return; /* a damaged file is named once */
    struct gf_err err = GF_ERR_INIT;
    struct gf_buf text;
    struct mdl_lock *lock = NULL;
    struct gf_json_doc *doc GF_JSON_SCOPE = NULL;
    if (bnd_contents_text(&v->c, f, GF_CAP_LOCK, &text, &err)) return;
    if (mdl_lock_parse(gf_buf_slice(&text), LOCK, &lock, &err)) problem(v->r, BND_CORRUPT, LOCK, "%s", err.text);
    else if (gf_json_parse(gf_buf_slice(&text), LOCK, &doc, &err) == 0 && v->r->seal && !gf_slice_is(gf_json_get_str(gf_json_root(doc), "seal"), v->r->seal))
        problem(v->r, BND_CORRUPT, LOCK, "'%s' is not the lock that '%s' names by its seal", LOCK, MANIFEST);
    else judge_parts(v, lock);
    mdl_lock_free(lock);
    gf_buf_release(&text);
}

static int judge_signature(struct verifying *v, const char *pubkey, struct gf_err *err)
{
    const struct bnd_file *sums = bnd_contents_find(&v->c, gf_slice_of(SUMS)), *f = bnd_contents_find(&v->c, gf_slice_of(SIGNATURE));
    v->r->signature = f ? BND_SIGNED_UNCHECKED : BND_UNSIGNED;
    if (!pubkey) return 0;
    if (!f || !sums) {
        problem(v->r, BND_SIGNATURE, SIGNATURE, "there is no signature to check with the key given: '%s' is not in the bundle", SIGNATURE);
        return 0;
    }
    struct gf_buf text, signature;
    if (bnd_contents_text(&v->c, sums, GF_CAP_LOCK, &text, err)) return -1;
    if (bnd_contents_text(&v->c, f, 8192, &signature, err)) {
        gf_buf_release(&text);
        return -1;
    }
    GF_FREE char *comment = NULL;
    struct gf_err why = GF_ERR_INIT;
    int rc = 0;
    if (bnd_check_signature(pubkey, gf_buf_slice(&text), gf_buf_slice(&signature), &comment, &why) == 0) {
        v->r->signature = BND_SIGNED_VALID;
        v->r->signed_comment = gf_arena_strz(&v->r->mem, comment);
    } else if (why.code == GF_E_INTEGRITY) {
        v->r->signature = BND_SIGNED_INVALID;
        problem(v->r, BND_SIGNATURE, SIGNATURE, "%s", why.text);
    } else rc = gf_fail(err, why.code, "%s", why.text);
    gf_buf_release(&text);
    gf_buf_release(&signature);
    return rc;
}

static void release(struct verifying *v)
{
    gf_names_release(&v->paths);
    gf_vec_free(&v->claims);
    for (size_t i = 0; v->trouble && i < v->c.files.n; i++) free(v->trouble[i]);
    free(v->found);
    free(v->trouble);
    free(v->order);
    bnd_contents_release(&v->c);
}

int bnd_verify(const char *path, const char *pubkey, const struct bnd_progress *progress, struct bnd_report *ret, struct gf_err *err)
{
    struct bnd_report report = { .signature = BND_UNSIGNED };
    struct verifying v = { .r = &report, .progress = progress };
    if (bnd_contents_open(path, &v.c, err)) return -1;
    gf_arena_init(&report.mem);
    gf_names_init(&v.paths);
    if (v.c.damage.code != GF_OK) problem(&report, BND_UNREADABLE, path, "%s", v.c.damage.text);
    bool cut = v.c.damage.code != GF_OK;
    if (!cut || bnd_contents_find(&v.c, gf_slice_of(SUMS))) read_sums(&v);
    if (!cut || bnd_contents_find(&v.c, gf_slice_of(MANIFEST))) read_manifest(&v);
    int rc = judge_signature(&v, pubkey, err);
    if (!rc && (v.have_sums || v.have_manifest)) {
        hash_all(&v);
        for (size_t i = 0; i < v.c.files.n; i++) judge_file(&v, i);
        judge_missing(&v);
        judge_lock(&v);
    }
    report.files = v.c.files.n;
    report.bytes = v.total;
    release(&v);
    if (rc) bnd_report_release(&report);
    else *ret = report;
    return rc;
}

void bnd_report_release(struct bnd_report *r)
{
    free(r->problems);
    gf_arena_release(&r->mem);
}

const char *bnd_problem_name(enum bnd_problem_kind k)
{
    static const char *const names[] = { "missing", "extra", "corrupt", "unreadable", "signature" };
    return names[k];
}

const char *bnd_signature_name(enum bnd_signature s)
{
    static const char *const names[] = { "absent", "unchecked", "valid", "invalid" };
    return names[s];
}

void bnd_report_write(const struct bnd_report *r, const char *path, struct gf_jw *w)
{
    gf_jw_obj(w);
    gf_jw_kstr(w, "schema", "gpuferry.verify/1");
    gf_jw_kstr(w, "bundle", path);
    gf_jw_kbool(w, "ok", r->nproblems == 0);
    gf_jw_kstr(w, "seal", r->seal);
    if (r->ntargets) {
        gf_jw_key(w, "targets");
        gf_jw_arr(w);
        for (size_t i = 0; i < r->ntargets; i++) gf_jw_cstr(w, r->targets[i]);
        gf_jw_end_arr(w);
    }
    gf_jw_kstr(w, "signature", bnd_signature_name(r->signature));
    gf_jw_kstr_opt(w, "signed", r->signed_comment);
    gf_jw_kint(w, "files", (int64_t)r->files);
    gf_jw_kint(w, "bytes", (int64_t)r->bytes);
    gf_jw_key(w, "problems");
    gf_jw_arr(w);
    for (size_t i = 0; i < r->nproblems; i++) {
        gf_jw_obj(w);
        gf_jw_kstr(w, "kind", bnd_problem_name(r->problems[i].kind));
        gf_jw_kstr(w, "file", r->problems[i].file);
        gf_jw_kstr(w, "text", r->problems[i].text);
        gf_jw_end_obj(w);
    }
    gf_jw_end_arr(w);
    gf_jw_end_obj(w);
}
