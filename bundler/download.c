#include "bundler/download.h"
#include "bundler/check.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const double SAVE_SECONDS = 2;

struct work;
struct fetching {
    struct work *w;
    struct bnd_member *m;
    uint64_t from;   /* range asked for begins here */
};
struct work {
    struct bnd_layout *l;
    struct bnd_part *part;
    const struct bnd_options *o;
    struct net_client *net;
    struct bnd_checker *checker;
    struct fetching *fetches; /* one for each member */
    struct bnd_result *counts;
    uint64_t total, have;
    double saved;
    struct gf_err *err;
    bool failed;
};

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void more_is_there(struct work *w, struct bnd_member *m, uint64_t n)
{
    w->have += n;
    bnd_checker_have(w->checker, m, m->have + n);
}

static int take_bytes(void *arg, uint64_t offset, const void *p, size_t n, struct gf_err *err)
{
    struct fetching *f = arg;
    struct bnd_member *m = f->m;
    uint64_t at = f->from + offset;
    if (at != m->have) return gf_fail(err, GF_E_NETWORK, "bytes for '%s' came out of order (%llu after %llu)", m->path, (unsigned long long)at,
                                      (unsigned long long)m->have);
    if (n > m->size - at) {
        GF_FREE char *shown = net_url_without_credentials(m->url);
        return gf_fail(err, GF_E_INTEGRITY, "'%s' from '%s' is larger than the %llu bytes that the lock says: the source has another file than when it was "
                       "planned; run 'gpuferry plan' again", m->path, shown, (unsigned long long)m->size);
    }
    if (bnd_part_write(f->w->part, p, n, m->data + at, err)) return -1;
    f->w->counts->fetched += n;
    more_is_there(f->w, m, n);
    return 0;
}

static void fetch_ended(void *arg, const struct net_reply *reply, const struct gf_err *err)
{
    struct fetching *f = arg;
    struct work *w = f->w;
    (void)reply;
    if (w->failed) return;
    if (err->code != GF_OK) {
        w->failed = true;
        gf_fail(w->err, err->code, "%s", err->text);
        if (!strstr(err->text, f->m->path)) gf_wrap(w->err, "fetching '%s'", f->m->path);
    } else if (f->m->have != f->m->size) {
        GF_FREE char *shown = net_url_without_credentials(f->m->url);
        w->failed = true;
        gf_fail(w->err, GF_E_INTEGRITY, "'%s' from '%s' has %llu bytes, the lock says %llu: the source has another file than when it was planned; run "
                "'gpuferry plan' again", f->m->path, shown, (unsigned long long)f->m->have, (unsigned long long)f->m->size);
    }
}

static void submit(struct work *w, struct bnd_member *m)
{
    struct fetching *f = &w->fetches[m - w->l->m.v];
    *f = (struct fetching){ w, m, m->have };
    uint64_t mib = m->size >> 20;
    struct net_request r = {
        .url = m->url, .bulk = true, .ranged = m->have > 0, .range_from = m->have, .max_bytes = UINT64_MAX / 2,
        .priority = mib < 1000000 ? (int)mib : 1000000, /* the largest first: nothing long is left for the end */
        .sink = take_bytes, .done = fetch_ended, .arg = f,
    };
    net_submit(w->net, &r);
}

/* Out of the store, where a file has the name of its digest; what it really holds is checked like all else. */
static bool copy_stored(struct work *w, struct bnd_member *m)
{
    GF_FREE char *path = bnd_stored(w->o, m->sha256);
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
    struct stat st;
    if (fd < 0) return false;
    bool ok = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size == m->size;
    enum { CHUNK = 1 << 20 };
    GF_FREE char *chunk = gf_xmalloc(CHUNK);
    while (ok && m->have < m->size) {
        ssize_t got = read(fd, chunk, CHUNK);
        if (got < 0 && errno == EINTR) continue;
        ok = got > 0 && (uint64_t)got <= m->size - m->have && bnd_part_write(w->part, chunk, (size_t)got, m->data + m->have, NULL) == 0;
        if (ok) more_is_there(w, m, (uint64_t)got);
    }
    close(fd);
    m->kept = m->have; /* so that a store with a wrong file is no more than a reason to fetch */
    return ok;
}

static void begin(struct work *w)
{
    for (size_t i = 0; i < w->l->placed; i++) {
        struct bnd_member *m = &w->l->m.v[i];
        if (m->place != BND_PAYLOAD) continue;
        w->total += m->size;
        if (m->kept || m->size == 0) more_is_there(w, m, m->kept);
        else if (copy_stored(w, m)) gf_note(w->o->log, 1, "'%s' was in the cache", m->path);
        w->counts->reused += m->have;
        if (m->have < m->size) submit(w, m);
    }
}

/* A finished digest. Bytes of an earlier run may be at fault: once more from the beginning. */
static int judge(struct work *w, struct bnd_member *m)
{
    if (m->good) return 0;
    if (m->kept) {
        gf_note(w->o->log, 0, "what an earlier run left of '%s' is damaged, it is fetched again", m->path);
        w->have -= m->have;
        w->counts->reused -= m->kept;
        bnd_checker_reset(w->checker, m);
        submit(w, m);
        return 0;
    }
    GF_FREE char *shown = net_url_without_credentials(m->url);
    gf_fail(w->err, GF_E_INTEGRITY, "'%s' from '%s' has sha256 %s, the lock says %s: the source or something on the way changed the file; try another source, or "
            "run 'gpuferry plan' again", m->path, shown, m->found, m->sha256);
    bnd_checker_reset(w->checker, m); /* nothing of it is kept for the next run */
    return -1;
}

static int judge_finished(struct work *w, bool wait)
{
    struct gf_err problem = GF_ERR_INIT;
    struct bnd_member *m;
    while ((m = bnd_checker_take(w->checker, wait, &problem)))
        if (judge(w, m)) return -1;
    if (problem.code == GF_OK) return 0;
    return gf_fail(w->err, problem.code, "%s", problem.text);
}

static int move_on(struct work *w)
{
    begin(w);
    do {
        while (net_pending(w->net)) {
            if (net_step(w->net, 200, w->err) || w->failed || judge_finished(w, false)) return -1;
            if (w->o->progress.fn) w->o->progress.fn(w->o->progress.arg, w->have, w->total);
            if (seconds() - w->saved < SAVE_SECONDS) continue;
            if (bnd_part_save(w->part, w->l, w->err)) return -1;
            w->saved = seconds();
        }
        if (judge_finished(w, true)) return -1;
    } while (net_pending(w->net)); /* a damaged file that is fetched anew */
    return 0;
}

int bnd_download(struct bnd_layout *l, struct bnd_part *p, const struct bnd_options *o, struct net_client *net, struct bnd_result *counts, struct gf_err *err)
{
    struct work w = { .l = l, .part = p, .o = o, .net = net, .counts = counts, .err = err, .saved = seconds() };
    w.fetches = gf_xcalloc(l->placed + 1, sizeof *w.fetches);
    w.checker = bnd_checker_new(l, p->fd);
    int rc = move_on(&w);
    bnd_checker_free(w.checker);
    if (rc) bnd_part_save(p, l, NULL);
    free(w.fetches);
    return rc;
}
