/* Parts of files on this machine: sections of ELF files, windows, whole lines. */
#include "target/probe.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static const char marked[] = "this sentence stands in .rodata of the test alone";
static char path[] = "/tmp/probe_test.XXXXXX";

static void write_file(const char *bytes, size_t n)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
}

/* Adds up what the windows give; *ret: how many bytes, without what they share. */
static bool find(const char *file, const char *section, const char *needle, size_t *ret)
{
    struct tgt_probe p = { .root = "" };
    struct tgt_section s;
    gf_slice part;
    bool found = false, any = tgt_section_open(&p, file, section, &s);
    *ret = 0;
    while (any && tgt_section_next(&s, &part)) {
        found |= gf_slice_has(part, gf_slice_of(needle));
        *ret += part.n - (*ret ? TGT_OVERLAP : 0);
    }
    tgt_section_close(&s);
    return found;
}

static void a_section_of_a_program(void **state)
{
    (void)state;
    size_t rodata, names, whole;
    assert_true(find("/proc/self/exe", ".rodata", marked, &rodata));
    assert_false(find("/proc/self/exe", ".dynstr", marked, &names));
    assert_true(find("/proc/self/exe", ".no-such-section", marked, &whole));
    size_t all;
    assert_true(find("/proc/self/exe", NULL, marked, &all));
    assert_int_equal(all, whole);
    assert_true(rodata < whole && names > 0 && names < whole);
}

/* A word at every place around the border of two windows stands whole in one of them. */
static void words_on_the_border(void **state)
{
    (void)state;
    size_t n = TGT_WINDOW + 1000, all;
    char *bytes = malloc(n);
    for (size_t at = TGT_WINDOW - 80; at < TGT_WINDOW + 20; at++) {
        memset(bytes, 'x', n);
        memcpy(bytes + at, "3.11.7", 7);
        write_file(bytes, n);
        assert_true(find(path, ".rodata", "3.11.7", &all));
        assert_int_equal(all, n);
    }
    free(bytes);
}

static void whole_lines(void **state)
{
    (void)state;
    struct tgt_probe p = { .root = "" };
    struct tgt_section s;
    gf_slice part, line;
    size_t n = 0, rows = 0;
    char *bytes = malloc(4 * TGT_WINDOW);
    for (; n < 3 * TGT_WINDOW; rows++) n += (size_t)sprintf(bytes + n, "%zu %.*s\n", rows, (int)(rows % 77), "-----------------------------------------------------------------------------");
    write_file(bytes, n);
    assert_true(tgt_section_open(&p, path, NULL, &s));
    size_t seen = 0;
    while (tgt_section_lines(&s, &part))
        while (gf_slice_line(&part, &line)) assert_int_equal(strtoul(line.p, NULL, 10), seen++);
    assert_int_equal(seen, rows);
    tgt_section_close(&s);
    free(bytes);
}

/* What calls itself an ELF file and is cut, or says numbers that cannot be, is read like any file. */
static void a_broken_head(void **state)
{
    (void)state;
    char head[64] = "\177ELF\2\1\1";
    size_t all;
    memset(head + 0x28, 0xff, 8); /* e_shoff */
    head[0x3a] = 64, head[0x3c] = 9, head[0x3e] = 3;
    for (size_t n = 0; n <= sizeof head; n++) {
        write_file(head, n);
        assert_int_equal(find(path, ".rodata", "ELF", &all), n >= 4);
        assert_int_equal(all, n);
    }
    assert_false(find("/no/such/file", ".rodata", "ELF", &all));
    assert_false(find("/tmp", ".rodata", "ELF", &all));
}

static int make(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int remove_it(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_section_of_a_program),
        cmocka_unit_test(words_on_the_border),
        cmocka_unit_test(whole_lines),
        cmocka_unit_test(a_broken_head),
    };
    return cmocka_run_group_tests(tests, make, remove_it);
}
