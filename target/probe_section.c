/* Large files on this machine, a window at a time; of programs and libraries only one section. */
#include "target/probe.h"
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_SECTIONS 512

static bool read_at(int fd, void *to, size_t n, uint64_t at) { return at <= INT64_MAX && pread(fd, to, n, (off_t)at) == (ssize_t)n; }

/* Narrows s to the named section; leaves it as it is where there is none. */
static void narrow(struct tgt_section *s, const char *name)
{
    Elf64_Ehdr head;
    size_t len = strlen(name) + 1;
    char has[32];
    if (len > sizeof has || s->end < sizeof head || !read_at(s->fd, &head, sizeof head, 0) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) return;
    unsigned char mine = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
    if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_ident[EI_DATA] != mine || head.e_shentsize != sizeof(Elf64_Shdr)) return;
    if (!head.e_shnum || head.e_shnum > MAX_SECTIONS || head.e_shstrndx >= head.e_shnum) return;
    Elf64_Shdr *table = gf_xcalloc(head.e_shnum, sizeof *table);
    if (read_at(s->fd, table, head.e_shnum * sizeof *table, head.e_shoff))
        for (size_t i = 0; i < head.e_shnum; i++) {
            const Elf64_Shdr *t = &table[i];
            if (t->sh_type == SHT_NOBITS || t->sh_offset > s->end || t->sh_size > s->end - t->sh_offset) continue;
            if (!read_at(s->fd, has, len, table[head.e_shstrndx].sh_offset + t->sh_name) || memcmp(has, name, len) != 0) continue;
            s->at = t->sh_offset;
            s->end = t->sh_offset + t->sh_size;
            break;
        }
    free(table);
}

bool tgt_section_open(struct tgt_probe *p, const char *path, const char *name, struct tgt_section *ret)
{
    struct stat st;
    *ret = (struct tgt_section){ .fd = tgt_probe_open(p, path) };
    if (ret->fd < 0 || fstat(ret->fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size >= (off_t)TGT_CAP_PROBE) return false;
    ret->end = (uint64_t)st.st_size;
    if (name) narrow(ret, name);
    return true;
}

static bool window(struct tgt_section *s, gf_slice *ret)
{
    if (s->fd < 0 || s->at >= s->end) return false;
    if (!s->window) s->window = gf_xmalloc(TGT_WINDOW);
    size_t want = s->end - s->at < TGT_WINDOW ? (size_t)(s->end - s->at) : TGT_WINDOW;
    if (!read_at(s->fd, s->window, want, s->at)) return false;
    *ret = gf_slice_n(s->window, want);
    s->at += want;
    return true;
}

bool tgt_section_next(struct tgt_section *s, gf_slice *ret)
{
    if (!window(s, ret)) return false;
    if (s->at < s->end) s->at -= TGT_OVERLAP;
    return true;
}

bool tgt_section_lines(struct tgt_section *s, gf_slice *ret)
{
    if (!window(s, ret)) return false;
    const char *last = s->at < s->end ? memrchr(ret->p, '\n', ret->n) : NULL;
    if (!last) return true;
    size_t whole = (size_t)(last - ret->p) + 1;
    s->at -= ret->n - whole;
    ret->n = whole;
    return true;
}

void tgt_section_close(struct tgt_section *s)
{
    if (s->fd >= 0) close(s->fd);
    free(s->window);
}
