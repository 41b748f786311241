/* The only place of stdout and stderr: results on stdout, talk and progress on stderr. */
#ifndef OUT_OUTPUT_H
#define OUT_OUTPUT_H
#include "base/buf.h"
#include "base/json.h"

void out_init(bool json, bool quiet, int verbose);
bool out_json(void);
bool out_stderr_is_terminal(void);
bool out_stdout_is_terminal(void);
unsigned out_width(void);                     /* of the terminal, else 80 */
/* Colour codes or "" (not a terminal, NO_COLOR, TERM=dumb). */
enum out_color { OUT_RESET, OUT_BOLD, OUT_DIM, OUT_RED, OUT_GREEN, OUT_YELLOW };
const char *out_color(enum out_color c);      /* for stdout */
int out_result(gf_slice text, struct gf_err *err); /* stdout, flushed; a closed pipe is an I/O error */
void out_talk(const char *fmt, ...) __attribute__((format(printf, 1, 2)));   /* stderr unless quiet or json, newline added */
void out_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));   /* stderr, "warning: " in front */
void out_error(const struct gf_err *err);     /* stderr "gpuferry: …", and an error document on stdout with --json */
const struct gf_log *out_log(void);           /* libraries' notices, by verbosity */

/* A progress line on a terminal's stderr, at most 10 times a second; silent elsewhere. */
struct out_progress { const char *what; bool bytes; uint64_t total, done; double last; bool shown; double started; };
void out_progress_begin(struct out_progress *p, const char *what, uint64_t total, bool bytes);
void out_progress_set(struct out_progress *p, uint64_t done);
void out_progress_end(struct out_progress *p);
/* "4.1 GB", "533 MB" (decimal units). */
void out_bytes(uint64_t n, char out[24]);

#endif
