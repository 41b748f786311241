#include "sources/pip_default.h"
#include "base/buf.h"
#include "base/file.h"
#include "fetch/cache.h"
#include "fetch/client.h"
#include "fetch/url.h"
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ANSWER_MOST 4096u
#define SOURCE_MOST 65536u
#define PATIENCE_MS 20000

extern char **environ;

static bool is_url(gf_slice s)
{
    struct net_url u;
    return net_url_split(s, &u) && u.host.n && (gf_slice_is(u.scheme, "https") || gf_slice_is(u.scheme, "http"));
}

/* "INDEX" or "INDEX HOST", the host being that of its files: how the answer is remembered. NULL when it is neither. */
static const char *known(struct gf_arena *a, gf_slice index, gf_slice host)
{
    if (!is_url(index)) return NULL;
    struct net_url u;
    net_url_split(index, &u);
    GF_FREE char *files = gf_xasprintf("%.*s://%.*s/", GF_FMT(u.scheme), GF_FMT(host));
    bool good = host.n && gf_slice_chr(host, '/') < 0 && is_url(gf_slice_of(files));
    return good ? gf_arena_printf(a, "%.*s %.*s", GF_FMT(index), GF_FMT(host)) : gf_arena_str(a, index);
}

/* pip's source says it in one line, PyPI = PackageIndex("URL", file_storage_domain="HOST"), since pip 10: read, it costs no start of Python. */
static const char *read_source(struct gf_arena *a, const char *path)
{
    struct gf_buf text;
    if (gf_file_read(path, SOURCE_MOST, &text, NULL)) return NULL;
    const char *found = NULL;
    gf_slice rest = gf_buf_slice(&text), line, value, host;
    while (!found && gf_slice_line(&rest, &line))
        if (gf_try_lit(&line, GF_S("PyPI = PackageIndex(\"")) && gf_slice_cut(&line, '"', &value) && is_url(value)) {
            bool has_host = gf_try_lit(&line, GF_S(", file_storage_domain=\"")) && gf_slice_cut(&line, '"', &host);
            GF_FREE char *base = gf_xstrndup(value), *joined = net_url_join(base, "simple");
            found = known(a, gf_slice_of(joined), has_host ? host : GF_NONE);
        }
    gf_buf_release(&text);
    return found;
}

static const char *read_below(struct gf_arena *a, const char *prefix)
{
    static const char *const places[] = { "lib/python3*/site-packages", "lib/python3/dist-packages", "local/lib/python3*/dist-packages" };
    const char *url = NULL;
    for (size_t i = 0; !url && i < sizeof places / sizeof *places; i++) {
        GF_FREE char *pattern = gf_xasprintf("%s/%s/pip/_internal/models/index.py", prefix, places[i]);
        glob_t found;
        if (glob(pattern, 0, NULL, &found) != 0) continue;
        for (size_t k = 0; !url && k < found.gl_pathc; k++) url = read_source(a, found.gl_pathv[k]);
        globfree(&found);
    }
    return url;
}

/* Of the Pythons on PATH (not of what only starts one); NULL when none has a pip that can be read so. */
static const char *look_around(struct gf_arena *a)
{
    const char *venv = getenv("VIRTUAL_ENV"), *dirs = getenv("PATH"), *url = venv && *venv ? read_below(a, venv) : NULL;
    gf_slice rest = gf_slice_of(dirs ? dirs : ""), dir;
    while (!url && gf_slice_field(&rest, ':', &dir)) {
        GF_FREE char *python = gf_xasprintf("%.*s/python3", GF_FMT(dir)), *real = dir.n ? realpath(python, NULL) : NULL;
        char *bin = real ? strrchr(real, '/') : NULL;
        if (!bin) continue;
        *bin = '\0';
        char *prefix = strrchr(real, '/');
        if (!prefix || strcmp(prefix, "/bin") != 0) continue;
        *prefix = '\0';
        url = read_below(a, real);
    }
    return url;
}

/* pip's own constant; it has had this name since pip 10. */
static const char question[] = "from pip._internal.models.index import PyPI\nprint(PyPI.simple_url, getattr(PyPI, 'file_storage_domain', ''))\n";

/* Reads until the end, the cap or the end of patience. */
static void read_answer(int fd, struct gf_buf *answer)
{
    for (struct pollfd p = { .fd = fd, .events = POLLIN };;) {
        int ready = poll(&p, 1, PATIENCE_MS);
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return;
        char part[1024];
        ssize_t got = read(fd, part, sizeof part);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return;
        gf_buf_add(answer, part, (size_t)got);
        if (gf_buf_failed(answer)) return;
    }
}

static pid_t start(const char *python, int out)
{
    char *argv[] = { (char *)(uintptr_t)python, (char[]){ "-c" }, (char *)(uintptr_t)question, NULL };
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t pid = -1;
    if (posix_spawnp(&pid, python, &files, NULL, argv, environ) != 0) pid = -1;
    posix_spawn_file_actions_destroy(&files);
    return pid;
}

/* The answer of that Python's pip; NULL when it has none. */
static const char *ask(struct gf_arena *a, const char *python)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0) return NULL;
    GF_BUF_SCOPE struct gf_buf answer;
    gf_buf_init(&answer, ANSWER_MOST);
    pid_t pid = start(python, ends[1]);
    close(ends[1]);
    if (pid > 0) read_answer(ends[0], &answer);
    close(ends[0]);
    if (pid <= 0) return NULL;
    int status = 0;
    pid_t gone = waitpid(pid, &status, WNOHANG);
    for (int i = 0; gone == 0 && i < 100; i++) {
        nanosleep(&(struct timespec){ 0, 10000000 }, NULL);
        gone = waitpid(pid, &status, WNOHANG);
    }
    if (gone == 0) {
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
    }
    gf_slice rest = gf_buf_slice(&answer), index = GF_NONE, host = GF_NONE;
    if (gone != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 0 || !gf_slice_word(&rest, &index)) return NULL;
    gf_slice_word(&rest, &host);
    return known(a, index, host);
}

/* The interpreter in the first line of a script on PATH; malloc'd or NULL. */
static char *shebang_of(const char *script)
{
    const char *dirs = getenv("PATH");
    gf_slice rest = gf_slice_of(dirs ? dirs : ""), dir;
    while (gf_slice_field(&rest, ':', &dir)) {
        GF_FREE char *path = gf_xasprintf("%.*s/%s", GF_FMT(dir), script);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0) continue;
        char head[512];
        ssize_t got = read(fd, head, sizeof head);
        close(fd);
        gf_slice text = gf_slice_n(head, got > 0 ? (size_t)got : 0), line, word;
        if (!gf_slice_line(&text, &line) || !gf_try_lit(&line, GF_S("#!")) || !gf_slice_word(&line, &word)) continue;
        if (gf_slice_ends(word, GF_S("/env"))) gf_slice_word(&line, &word);
        if (gf_slice_has(word, GF_S("python")) || gf_slice_has(word, GF_S("pypy"))) return gf_xstrndup(word);
    }
    return NULL;
}

static const char *ask_around(struct gf_arena *a)
{
    const char *url = ask(a, "python3");
    if (!url) url = ask(a, "python");
    static const char *const scripts[] = { "pip3", "pip" };
    for (size_t i = 0; !url && i < sizeof scripts / sizeof *scripts; i++) {
        GF_FREE char *python = shebang_of(scripts[i]);
        if (python) url = ask(a, python);
    }
    return url;
}

/* What is remembered is taken apart again; false when it is not what known() makes. */
static bool take_known(struct gf_arena *a, gf_slice text, const char **ret, const char **ret_files)
{
    gf_slice index = GF_NONE, host = GF_NONE;
    struct net_url u;
    if (!gf_slice_word(&text, &index) || !is_url(index) || !net_url_split(index, &u)) return false;
    *ret = gf_arena_str(a, index);
    *ret_files = gf_slice_word(&text, &host) ? gf_arena_printf(a, "%.*s://%.*s/", GF_FMT(u.scheme), GF_FMT(host)) : NULL;
    return true;
}

int src_pip_default(struct gf_arena *a, const char *cache_dir, const char **ret, const char **ret_files, struct gf_err *err)
{
    struct net_cache *cache = net_cache_open(cache_dir, NULL);
    struct net_entry e = { .max_age = -1 };
    const char *text = NULL;
    bool found = false;
    if (net_cache_get(cache, "pip", "default-index", &e)) {
        found = take_known(a, e.bytes, ret, ret_files);
        net_entry_release(&e);
    }
    if (!found && ((text = look_around(a)) || (text = ask_around(a)))) {
        e = (struct net_entry){ .bytes = gf_slice_of(text), .stored = (int64_t)time(NULL), .max_age = -1 };
        net_cache_put(cache, "pip", "default-index", &e);
        found = take_known(a, gf_slice_of(text), ret, ret_files);
    }
    net_cache_close(cache);
    return found ? 0
                 : gf_fail(err, GF_E_USAGE, "no Python index is configured, and there is no pip on this machine to ask for its default: "
                           "give one with --index-url URL, PIP_INDEX_URL or 'index-url' in pip.conf");
}
