#include "bundler/check.h"
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

enum { CHUNK = 1 << 20, THREADS_MOST = 4 };

struct bnd_checker {
    struct bnd_layout *l;
    int fd;
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    GF_VEC(size_t) finished;     /* numbers of members, oldest first */
    size_t taken;
    bool stop;
    int problem;                 /* errno of a read that failed */
    pthread_t threads[THREADS_MOST];
    unsigned nthreads;
};

static bool has_work(const struct bnd_member *m) { return m->place == BND_PAYLOAD && !m->busy && !m->good && !m->bad && (m->checked < m->have || (m->size == 0 && m->have == 0 && m->digest)); }

/* Number of a member that has bytes to hash, SIZE_MAX for none. */
static size_t find_work(const struct bnd_checker *c)
{
    for (size_t i = 0; i < c->l->placed; i++)
        if (has_work(&c->l->m.v[i])) return i;
    return SIZE_MAX;
}

static void finish(struct bnd_checker *c, size_t i)
{
    struct bnd_member *m = &c->l->m.v[i];
    unsigned char bytes[GF_HASH_MAX];
    gf_hex(bytes, gf_digest_end(m->digest, bytes), m->found);
    m->digest = NULL;
    m->good = strcmp(m->found, m->sha256) == 0;
    m->bad = !m->good;
    gf_vec_push(&c->finished, i);
    pthread_cond_signal(&c->done);
}

/* Called with the lock held, reads and hashes without it. A reset in between changes the digest: then the result is dropped. */
static void hash_some(struct bnd_checker *c, size_t i, char *chunk)
{
    struct bnd_member *m = &c->l->m.v[i];
    if (!m->digest) m->digest = gf_digest_new(GF_SHA256);
    struct gf_digest *d = m->digest;
    uint64_t from = m->checked, left = m->have - m->checked;
    size_t n = left < CHUNK ? (size_t)left : CHUNK;
    m->busy = true;
    pthread_mutex_unlock(&c->lock);
    ssize_t got = n ? pread(c->fd, chunk, n, (off_t)(m->data + from)) : 0;
    int problem = got < 0 ? errno : n && got == 0 ? EIO : 0;
    if (got > 0) gf_digest_add(d, chunk, (size_t)got);
    pthread_mutex_lock(&c->lock);
    m->busy = false;
    pthread_cond_broadcast(&c->done);
    if (problem && problem != EINTR) c->problem = problem;
    if (got > 0) m->checked += (uint64_t)got;
    if (!problem && m->checked == m->size) finish(c, i);
}

static void *run(void *arg)
{
    struct bnd_checker *c = arg;
    char *chunk = gf_xmalloc(CHUNK);
    pthread_mutex_lock(&c->lock);
    while (!c->stop) {
        size_t i = c->problem ? SIZE_MAX : find_work(c);
        if (i == SIZE_MAX) pthread_cond_wait(&c->work, &c->lock);
        else hash_some(c, i, chunk);
    }
    pthread_mutex_unlock(&c->lock);
    free(chunk);
    return NULL;
}

struct bnd_checker *bnd_checker_new(struct bnd_layout *l, int fd)
{
    struct bnd_checker *c = gf_xcalloc(1, sizeof *c);
    c->l = l;
    c->fd = fd;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->work, NULL);
    pthread_cond_init(&c->done, NULL);
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned want = cpus <= 2 ? 1 : cpus - 1 < THREADS_MOST ? (unsigned)cpus - 1 : THREADS_MOST;
    while (c->nthreads < want && pthread_create(&c->threads[c->nthreads], NULL, run, c) == 0) c->nthreads++;
    return c;
}

void bnd_checker_free(struct bnd_checker *c)
{
    if (!c) return;
    pthread_mutex_lock(&c->lock);
    c->stop = true;
    pthread_cond_broadcast(&c->work);
    pthread_mutex_unlock(&c->lock);
    for (unsigned i = 0; i < c->nthreads; i++) pthread_join(c->threads[i], NULL);
    pthread_cond_destroy(&c->work);
    pthread_cond_destroy(&c->done);
    pthread_mutex_destroy(&c->lock);
    gf_vec_free(&c->finished);
    free(c);
}

void bnd_checker_have(struct bnd_checker *c, struct bnd_member *m, uint64_t have)
{
    pthread_mutex_lock(&c->lock);
    m->have = have;
    if (m->size == 0 && !m->digest) m->digest = gf_digest_new(GF_SHA256);
    pthread_cond_signal(&c->work);
    pthread_mutex_unlock(&c->lock);
}

void bnd_checker_reset(struct bnd_checker *c, struct bnd_member *m)
{
    pthread_mutex_lock(&c->lock);
    while (m->busy) pthread_cond_wait(&c->done, &c->lock);
    gf_digest_free(m->digest);
    m->digest = NULL;
    m->have = m->checked = m->kept = 0;
    m->good = m->bad = false;
    pthread_mutex_unlock(&c->lock);
}

static bool awaits_digest(const struct bnd_checker *c)
{
    for (size_t i = 0; i < c->l->placed; i++) {
        const struct bnd_member *m = &c->l->m.v[i];
        if (m->place == BND_PAYLOAD && m->have == m->size && !m->good && !m->bad) return true;
    }
    return false;
}

struct bnd_member *bnd_checker_take(struct bnd_checker *c, bool wait, struct gf_err *err)
{
    struct bnd_member *m = NULL;
    pthread_mutex_lock(&c->lock);
    if (!c->nthreads) c->problem = EAGAIN; /* no thread could be made */
    while (wait && !c->problem && c->taken == c->finished.n && awaits_digest(c)) pthread_cond_wait(&c->done, &c->lock);
    if (c->taken < c->finished.n) m = &c->l->m.v[c->finished.v[c->taken++]];
    int problem = c->problem;
    pthread_mutex_unlock(&c->lock);
    if (problem) {
        gf_fail_errno(err, problem, "reading the unfinished bundle back");
        return NULL;
    }
    return m;
}
