/* Metadata of one file: from the cache, from its PEP 658 neighbour, out of a wheel by ranges (the index knows the size, so no HEAD is asked),
 * out of a whole file where ranges are not served or the file is small, out of a source archive. */
#include "base/digest.h"
#include "base/file.h"
#include "fetch/url.h"
#include "python/wheel.h"
#include "sources/metadata_text.h"
#include "sources/set_private.h"
#include "sources/sparse.h"
#include <stdlib.h>

/* What of a wheel's end is asked for first, by the wheel's size: holds directory and METADATA of 85 % of 442 real wheels, in 37 MiB altogether (16 KiB of
 * those below 1 MiB: 77 %, 33 MiB). */
#define TAIL 65536u
#define SMALL_TAIL 49152u
#define SMALL_FILE (1u << 20)
#define LEAST_TAIL 24576u
#define LEAST_FILE (1u << 18)
#define BEFORE_DIRECTORY 40960u
#define BEFORE_DIRECTORY_MOST (1u << 20)
#define WHOLE_MOST (64u << 20)    /* of a wheel whose server knows no ranges */
#define SDIST_MOST (256u << 20)
#define ROUNDS_MOST 8             /* range requests for one wheel */

struct src_meta {
    struct src_set *set;
    struct src_file file;
    const char *key, *shown;
    enum src_state state;
    struct gf_err err;
    struct py_metadata md;
    struct src_sparse sparse;
    struct arc_zip *zip;
    const struct arc_zip_member *member;
    unsigned rounds;
    uint64_t asked_from;
    bool wheel, local;
};

static void next_range(struct src_meta *m);

static void drop_parts(struct src_meta *m)
{
    arc_zip_free(m->zip);
    m->zip = NULL;
    src_sparse_release(&m->sparse);
}

static void conclude(struct src_meta *m, enum src_state state)
{
    drop_parts(m);
    m->state = state;
    src_answered(m->set);
}

static void fail(struct src_meta *m, const struct gf_err *err)
{
    m->err = *err;
    gf_wrap(&m->err, "metadata of '%s' (source '%s')", m->file.filename, m->set->sources[m->file.source].index.id);
    conclude(m, SRC_FAILED);
}

static bool parse(struct src_meta *m, gf_slice reduced, struct gf_err *err)
{
    return py_metadata_parse(&m->set->mem, reduced, m->file.filename, m->set->cfg.log ? m->set->cfg.log : &(const struct gf_log){ NULL, NULL },
                             &m->md, err) == 0;
}

/* A wheel is what its file name says, or nobody knows what it is. */
static bool is_itself(struct src_meta *m, struct gf_err *err)
{
    struct gf_arena *a = &m->set->mem;
    struct py_wheel w;
    struct py_version version;
    const char *label;
    if (!m->wheel || !py_wheel_parse_variant(a, gf_slice_of(m->file.filename), &w, &label)) return true; /* such a name is nobody's candidate */
    const char *name = m->md.name ? py_name_normalize(a, gf_slice_of(m->md.name)) : "nothing";
    bool same = strcmp(name, w.name) == 0 && m->md.version && py_version_parse(a, gf_slice_of(m->md.version), &version) &&
                py_version_cmp(&version, &w.version) == 0;
    if (!same)
        gf_fail(err, GF_E_PARSE, "its metadata is that of %s %s, its file name says %s %s", name, m->md.version ? m->md.version : "without version", w.name,
                w.version.text);
    return same;
}

/* Archives have a folder of their own in the cache since what their build needs is read too. */
static const char *kind_of(const struct src_meta *m) { return m->wheel ? "metadata" : "archive"; }

static void take_reduced(struct src_meta *m, struct gf_buf *reduced)
{
    struct gf_err err = GF_ERR_INIT;
    if (gf_buf_failed(reduced)) gf_fail(&err, GF_E_LIMIT, "it is longer than %u bytes", GF_CAP_METADATA);
    if (err.code != GF_OK || !parse(m, gf_buf_slice(reduced), &err) || !is_itself(m, &err)) {
        fail(m, &err);
        return;
    }
    struct net_entry e = { .bytes = gf_buf_slice(reduced), .stored = m->set->now, .max_age = -1 };
    if (!m->local) net_cache_put(m->set->cache, kind_of(m), m->key, &e);
    conclude(m, SRC_READY);
}

static void take_text(struct src_meta *m, gf_slice text)
{
    GF_BUF_SCOPE struct gf_buf reduced;
    gf_buf_init(&reduced, GF_CAP_METADATA);
    src_metadata_reduce(text, &reduced);
    take_reduced(m, &reduced);
}

static void take_whole(struct src_meta *m, struct gf_reader *r)
{
    struct gf_err err = GF_ERR_INIT;
    GF_BUF_SCOPE struct gf_buf reduced;
    gf_buf_init(&reduced, GF_CAP_METADATA);
    int rc = m->wheel ? src_metadata_of_wheel(r, m->file.filename, &reduced, &err) : src_metadata_of_sdist(r, m->file.filename, &reduced, &err);
    if (rc) fail(m, &err);
    else take_reduced(m, &reduced);
}

/* Both sides of a lie are named. */
static int check_size(const struct src_meta *m, int64_t served, struct gf_err *err)
{
    if (m->file.size < 0 || served < 0 || served == m->file.size) return 0;
    return gf_fail(err, GF_E_INTEGRITY, "the index says that '%s' has %lld bytes, the server has %lld", m->shown, (long long)m->file.size,
                   (long long)served);
}

static int check_digest(const char *what, const char *expected, gf_slice bytes, struct gf_err *err)
{
    char hex[GF_SHA256_HEX];
    if (!expected) return 0;
    gf_sha256_hex(bytes, hex);
    if (strcmp(hex, expected) == 0) return 0;
    return gf_fail(err, GF_E_INTEGRITY, "'%s' has sha256 %s, the index says %s", what, hex, expected);
}

static void take_whole_bytes(struct src_meta *m, gf_slice bytes)
{
    struct gf_err err = GF_ERR_INIT;
    if (check_size(m, (int64_t)bytes.n, &err) || check_digest(m->shown, m->file.sha256, bytes, &err)) {
        fail(m, &err);
        return;
    }
    if (!m->wheel && m->file.sha256) net_cache_content_put(m->set->cache, m->file.sha256, bytes);
    struct gf_reader *r = gf_reader_memory(bytes, m->shown);
    take_whole(m, r);
    gf_reader_close(r);
}

static void no_ranges(struct src_meta *m)
{
    struct gf_err err = GF_ERR_INIT;
    gf_fail(&err, GF_E_LIMIT, "the server of '%s' does not answer range requests, and the file is larger than the %u MiB that are fetched whole for "
            "their metadata; use a mirror that serves ranges or .metadata files (PEP 658)", m->shown, WHOLE_MOST >> 20);
    fail(m, &err);
}

static void on_whole(void *arg, const struct net_reply *reply, const struct gf_err *err)
{
    struct src_meta *m = arg;
    if (err->code != GF_OK) fail(m, err);
    else take_whole_bytes(m, reply->body);
}

/* Shorter or longer than the index says: the server was asked for bytes that it does not have. */
static bool told_another_size(struct src_meta *m, const struct net_reply *reply)
{
    struct gf_err lie = GF_ERR_INIT;
    if (!check_size(m, reply->content_length, &lie)) return false;
    fail(m, &lie);
    return true;
}

static void on_range(void *arg, const struct net_reply *reply, const struct gf_err *err)
{
    struct src_meta *m = arg;
    if ((err->code == GF_OK || reply->status == 416) && told_another_size(m, reply)) return;
    if (err->code == GF_E_LIMIT && !reply->from_range) {
        no_ranges(m);
    } else if (err->code != GF_OK) {
        fail(m, err);
    } else if (!reply->from_range) {
        take_whole_bytes(m, reply->body);
    } else {
        uint64_t from = m->asked_from;
        if (m->file.size < 0) { /* the first answer to a suffix range tells the size */
            m->file.size = reply->content_length;
            from = (uint64_t)reply->content_length - reply->body.n;
        }
        m->sparse.base.size = (uint64_t)m->file.size;
        src_sparse_add(&m->sparse, from, reply->body);
        next_range(m);
    }
}

static void ask_range(struct src_meta *m, uint64_t from, uint64_t length)
{
    struct gf_err err = GF_ERR_INIT;
    if (++m->rounds > ROUNDS_MOST) {
        gf_fail(&err, GF_E_PARSE, "'%s' cannot be read as a wheel: its parts lie in too many places", m->shown);
        fail(m, &err);
        return;
    }
    m->asked_from = from;
    struct net_request r = { .url = m->file.url, .ranged = true, .range_from = from, .range_len = length, .range_suffix = m->file.size < 0,
                             .max_bytes = length > WHOLE_MOST ? length : WHOLE_MOST, .done = on_range, .arg = m };
    net_submit(m->set->net, &r);
}

/* What lies between the member and the next one is asked for once more than its packed size needs. */
static bool ask_for_member(struct src_meta *m, struct gf_err *err)
{
    uint64_t from, length;
    arc_zip_span(m->zip, m->member, &from, &length);
    uint64_t enough = 30 + strlen(m->member->name) + UINT16_MAX + m->member->packed;
    if (length > enough) length = enough;
    if (m->member->packed > GF_CAP_METADATA) {
        gf_fail(err, GF_E_LIMIT, "its METADATA is longer than %u bytes", GF_CAP_METADATA);
        return false;
    }
    if (src_sparse_has(&m->sparse, from, length)) return false;
    ask_range(m, from, length);
    return true;
}

/* METADATA and the folder's other files lie just before the directory and grow with it (RECORD has a line for each entry): asked for together with
 * a directory that the tail did not hold, they cost no further round. Measured on 33 such wheels: below three fifths of the directory and 40 KiB in all but 2. */
static void ask_for_missing(struct src_meta *m)
{
    uint64_t from = m->sparse.missed_offset, before = (m->sparse.base.size - from) / 5 * 3 + BEFORE_DIRECTORY;
    if (before > BEFORE_DIRECTORY_MOST) before = BEFORE_DIRECTORY_MOST;
    if (before > from) before = from;
    ask_range(m, from - before, m->sparse.missed_length + before);
}

/* Goes as far as the parts that are here reach; asks for what is missing next. */
static void next_range(struct src_meta *m)
{
    struct gf_err err = GF_ERR_INIT;
    m->sparse.missed = false;
    if (!m->zip && arc_zip_open(&m->sparse.base, &m->zip, &err) && m->sparse.missed) {
        ask_for_missing(m);
        return;
    }
    if (m->zip && !m->member) m->member = src_metadata_member(m->zip, m->file.filename, m->shown, &err);
    if (!m->member) {
        fail(m, &err);
        return;
    }
    if (ask_for_member(m, &err)) return;
    GF_BUF_SCOPE struct gf_buf text;
    gf_buf_init(&text, GF_CAP_METADATA);
    if (err.code != GF_OK || arc_zip_read(m->zip, m->member, &text, &err)) fail(m, &err);
    else take_text(m, gf_buf_slice(&text));
}

static void ask_whole(struct src_meta *m, uint64_t most)
{
    struct net_request r = { .url = m->file.url, .max_bytes = most, .done = on_whole, .arg = m };
    net_submit(m->set->net, &r);
}

static void ask_wheel(struct src_meta *m)
{
    uint64_t size = m->file.size < 0 ? UINT64_MAX : (uint64_t)m->file.size, tail = size < LEAST_FILE ? LEAST_TAIL : size < SMALL_FILE ? SMALL_TAIL : TAIL;
    if (size <= tail) ask_whole(m, tail);
    else ask_range(m, m->file.size < 0 ? 0 : size - tail, tail);
}

static void on_neighbour(void *arg, const struct net_reply *reply, const struct gf_err *err)
{
    struct src_meta *m = arg;
    struct gf_err lie = GF_ERR_INIT;
    if (err->code == GF_E_NOT_FOUND) {
        gf_note(m->set->cfg.log, 1, "'%s.metadata' is promised by its index but not there; the wheel itself is read", m->shown);
        ask_wheel(m);
        return;
    }
    GF_FREE char *what = gf_xasprintf("%s.metadata", m->shown);
    if (err->code != GF_OK) fail(m, err);
    else if (check_digest(what, m->file.core_metadata_sha256, reply->body, &lie)) fail(m, &lie);
    else take_text(m, reply->body);
}

static void read_local(struct src_meta *m, const char *path)
{
    struct gf_err err = GF_ERR_INIT;
    struct gf_reader *r = NULL;
    if (gf_reader_open(path, &r, &err)) {
        fail(m, &err);
        return;
    }
    if (check_size(m, (int64_t)r->size, &err)) fail(m, &err);
    else take_whole(m, r);
    gf_reader_close(r);
}

static bool take_cached(struct src_meta *m)
{
    struct net_entry e;
    if ((m->set->cfg.refresh && !m->file.sha256) || !net_cache_get(m->set->cache, kind_of(m), m->key, &e)) return false;
    struct gf_err ignored = GF_ERR_INIT;
    bool good = parse(m, e.bytes, &ignored);
    net_entry_release(&e);
    if (good) conclude(m, SRC_READY);
    return good;
}

static void start(struct src_meta *m)
{
    GF_FREE char *path = net_url_file_path(m->file.url);
    m->local = path != NULL;
    if (path) {
        read_local(m, path);
    } else if (take_cached(m)) {
        return;
    } else if (m->wheel && m->file.core_metadata) {
        GF_FREE char *url = gf_xasprintf("%s.metadata", m->file.url);
        struct net_request r = { .url = url, .max_bytes = GF_CAP_METADATA, .done = on_neighbour, .arg = m };
        net_submit(m->set->net, &r);
    } else if (m->wheel) {
        ask_wheel(m);
    } else {
        ask_whole(m, SDIST_MOST);
    }
}

/* Content names the metadata wherever it is served; without a digest the URL does. */
static void make_key(const struct src_file *f, struct gf_buf *key)
{
    gf_buf_init(key, 2 * GF_CAP_PATH + 16384);
    gf_buf_adds(key, f->sha256 ? f->sha256 : f->url);
    gf_buf_addc(key, ' ');
    if (f->sha256) gf_buf_adds(key, f->filename);
    else gf_buf_addf(key, "%lld", (long long)f->size);
}

struct src_meta *src_meta_find(const struct src_set *s, const struct src_file *f)
{
    GF_BUF_SCOPE struct gf_buf key;
    make_key(f, &key);
    uint32_t id = gf_names_find(&s->files, gf_buf_slice(&key));
    return id == GF_NO_ID ? NULL : s->metas.v[id];
}

void src_meta_want(struct src_set *s, const struct src_file *f)
{
    GF_BUF_SCOPE struct gf_buf key;
    make_key(f, &key);
    bool fresh = false;
    uint32_t id = gf_names_add(&s->files, gf_buf_slice(&key), &fresh);
    if (!fresh) return;
    struct src_meta *m = GF_NEW(&s->mem, struct src_meta);
    m->set = s;
    m->file = *f;
    m->key = gf_names_get(&s->files, id).p;
    m->file.url = gf_arena_strz(&s->mem, f->url);
    m->file.filename = gf_arena_strz(&s->mem, f->filename);
    m->file.sha256 = gf_arena_strz(&s->mem, f->sha256);
    m->file.core_metadata_sha256 = gf_arena_strz(&s->mem, f->core_metadata_sha256);
    m->shown = m->file.url;
    m->wheel = gf_slice_ends(gf_slice_of(f->filename), GF_S(".whl"));
    m->state = SRC_WAITING;
    src_sparse_init(&m->sparse, m->shown);
    gf_vec_push(&s->metas, m);
    src_begin(s);
    start(m);
}

void src_meta_free(struct src_meta *m) { drop_parts(m); }

enum src_state src_meta_state(const struct src_meta *m, const struct py_metadata **ret, struct gf_err *err)
{
    if (m->state == SRC_FAILED) gf_fail(err, m->err.code, "%s", m->err.text);
    if (m->state == SRC_READY && ret) *ret = &m->md;
    return m->state;
}
