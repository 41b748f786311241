/* Within target/: looking at this machine. What is found is written as the collector's text and read like it, so that both know the same. */
#ifndef TGT_PROBE_H
#define TGT_PROBE_H
#include "base/buf.h"
#include "target/facts.h"

#define TGT_CAP_PROBE (64u << 20) /* one file that is looked at */

struct tgt_probe {
    const char *root;   /* "" or a prefix for tests */
    struct gf_buf out;  /* the text */
    struct gf_buf file; /* scratch */
};

int tgt_probe_open(const struct tgt_probe *p, const char *path); /* to read, below root; -1 */
/* The file's text below root, in p->file; false when it cannot be read. Works for /proc and /sys too. */
bool tgt_probe_read(struct tgt_probe *p, const char *path, gf_slice *ret);
bool tgt_probe_exists(struct tgt_probe *p, const char *path);
/* Names in a folder that begin with prefix, sorted; malloc'd list and names, free with tgt_probe_free_names. */
size_t tgt_probe_names(struct tgt_probe *p, const char *dir, const char *prefix, char ***ret);
void tgt_probe_free_names(char **names, size_t n);
/* realpath below root, without root; false when it does not exist. */
bool tgt_probe_real(struct tgt_probe *p, const char *path, char ret[GF_CAP_PATH]);
/* The first folder of PATH that holds name: "/usr/bin/python3". */
bool tgt_probe_which(struct tgt_probe *p, const char *name, char ret[GF_CAP_PATH]);
/* One after the other: *rest begins as GF_NONE. False when there is no further one; *rest must not be used after. */
bool tgt_probe_next_on_path(struct tgt_probe *p, const char *name, gf_slice *rest, char ret[GF_CAP_PATH]);
/* A program's standard output as a section; nothing when the program is not there. Only without a root. argv ends with NULL. */
void tgt_probe_run(struct tgt_probe *p, const char *section, const char *const *argv);

/* The bytes of one section of an ELF file of 64 bits in this machine's byte order, window by window; of any other file, or with name NULL, all its bytes.
 * Windows overlap by TGT_OVERLAP bytes, so that a short string stands whole in one of them. Read, not mapped: of a large library only what is looked at is
 * touched. */
#define TGT_WINDOW (64u << 10)
#define TGT_OVERLAP 64u
struct tgt_section {
    int fd;
    uint64_t at, end;
    char *window; /* malloc'd */
};
/* False when the file is not there; close in either case. */
bool tgt_section_open(struct tgt_probe *p, const char *path, const char *name, struct tgt_section *ret);
/* Valid until the next call; false at the end. */
bool tgt_section_next(struct tgt_section *s, gf_slice *ret);
/* The same in whole lines, without overlap; a line longer than a window is cut. */
bool tgt_section_lines(struct tgt_section *s, gf_slice *ret);
void tgt_section_close(struct tgt_section *s);

void tgt_probe_system(struct tgt_probe *p);
void tgt_probe_driver(struct tgt_probe *p); /* driver, gpus, pci, kfd, tegra */
void tgt_probe_python(struct tgt_probe *p);
void tgt_probe_software(struct tgt_probe *p);
void tgt_probe_disks(struct tgt_probe *p);
void tgt_probe_kernel_log(struct tgt_probe *p);

#endif
