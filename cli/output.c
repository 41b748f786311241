#include "cli/output.h"
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static struct {
    bool json, quiet;
    int verbose;
} mode;

static bool colours_wanted(int fd)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return !(no && *no) && !(term && strcmp(term, "dumb") == 0) && isatty(fd);
}

void out_init(bool json, bool quiet, int verbose)
{
    mode.json = json;
    mode.quiet = quiet;
    mode.verbose = verbose;
}

bool out_json(void) { return mode.json; }
bool out_stderr_is_terminal(void) { return isatty(STDERR_FILENO); }
bool out_stdout_is_terminal(void) { return isatty(STDOUT_FILENO); }

unsigned out_width(void)
{
    struct winsize w;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col ? w.ws_col : 80;
}

const char *out_color(enum out_color c)
{
    static const char *const codes[] = { "\033[0m", "\033[1m", "\033[2m", "\033[31m", "\033[32m", "\033[33m" };
    return colours_wanted(STDOUT_FILENO) ? codes[c] : "";
}

int out_result(gf_slice text, struct gf_err *err)
{
    bool good = fwrite(text.p, 1, text.n, stdout) == text.n && fflush(stdout) == 0;
    if (!good && errno == EPIPE) { /* the reader has seen enough (head, less): the end that other tools have */
        signal(SIGPIPE, SIG_DFL);
        raise(SIGPIPE);
    }
    if (!good) return gf_fail_errno(err, errno, "cannot write the result to standard output");
    return 0;
}

static void line(const char *head, const char *fmt, va_list ap)
{
    fputs(head, stderr);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
}

void out_talk(const char *fmt, ...)
{
    if (mode.quiet || mode.json) return;
    va_list ap;
    va_start(ap, fmt);
    line("", fmt, ap);
    va_end(ap);
}

void out_warn(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    line("warning: ", fmt, ap);
    va_end(ap);
}

void out_error(const struct gf_err *err)
{
    fprintf(stderr, "gpuferry: %s\n", err->text);
    if (!mode.json) return;
    GF_BUF_SCOPE struct gf_buf doc;
    gf_buf_init(&doc, GF_CAP_OUTPUT);
    struct gf_jw w;
    gf_jw_init(&w, &doc, false);
    gf_jw_obj(&w);
    gf_jw_kstr(&w, "schema", "gpuferry.error/1");
    gf_jw_kstr(&w, "code", gf_code_name(err->code));
    gf_jw_kstr(&w, "text", err->text);
    gf_jw_end_obj(&w);
    out_result(gf_buf_slice(&doc), NULL);
}

static void notice(void *arg, int level, const char *text)
{
    (void)arg;
    if (level > mode.verbose || (mode.quiet && level > 0)) return;
    fprintf(stderr, "%s%s\n", level == 0 ? "warning: " : "", text);
}

const struct gf_log *out_log(void)
{
    static const struct gf_log log = { notice, NULL };
    return &log;
}

void out_bytes(uint64_t n, char out[24])
{
    static const char *const units[] = { "B", "kB", "MB", "GB", "TB" };
    double v = (double)n;
    unsigned u = 0;
    while (v >= 999.5 && u < 4) {
        v /= 1000;
        u++;
    }
    snprintf(out, 24, u && v < 10 ? "%.1f %s" : "%.0f %s", v, units[u]);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void out_progress_begin(struct out_progress *p, const char *what, uint64_t total, bool bytes)
{
    *p = (struct out_progress){ .what = what, .total = total, .bytes = bytes, .started = seconds() };
}

static void draw(struct out_progress *p)
{
    char done[24], total[24], rate[24];
    if (!p->bytes) {
        if (p->total) fprintf(stderr, "\r\033[K%s %" PRIu64 "/%" PRIu64, p->what, p->done, p->total);
        else fprintf(stderr, "\r\033[K%s %" PRIu64, p->what, p->done);
        return;
    }
    double spent = seconds() - p->started;
    out_bytes(p->done, done);
    out_bytes(p->total, total);
    out_bytes(spent > 0.2 ? (uint64_t)((double)p->done / spent) : 0, rate);
    unsigned cells = 24, full = p->total ? (unsigned)(p->done * cells / p->total) : 0;
    if (full > cells) full = cells;
    fprintf(stderr, "\r\033[K%s [%.*s%*s] %s of %s, %s/s", p->what, (int)full, "########################", (int)(cells - full), "", done, total, rate);
}

void out_progress_set(struct out_progress *p, uint64_t done)
{
    p->done = done;
    if (mode.quiet || mode.json || !out_stderr_is_terminal()) return;
    double now = seconds();
    if (now - p->last < 0.1) return;
    p->last = now;
    p->shown = true;
    draw(p);
}

void out_progress_end(struct out_progress *p)
{
    if (p->shown) fputs("\r\033[K", stderr);
    p->shown = false;
}
