#include "judge/pattern.h"
#include "judge/scan.h"
#include "base/buf.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static struct gf_arena mem;

static bool matches(const char *pattern, const char *line, struct jdg_captures *caps)
{
    struct jdg_pattern p;
    struct gf_err err = GF_ERR_INIT;
    if (jdg_pattern_compile(&mem, gf_slice_of(pattern), &p, &err)) fail_msg("%s", err.text);
    return jdg_pattern_match(&p, gf_slice_of(line), caps);
}

static void pieces_follow_each_other(void **state)
{
    (void)state;
    assert_true(matches("no kernel image", "CUDA error: No Kernel IMAGE is available", NULL));
    assert_true(matches("xid*: 79", "NVRM: Xid (PCI:0000:01:00): 79, pid=1", NULL));
    assert_false(matches("79*xid", "NVRM: Xid (PCI:0000:01:00): 79", NULL));
    assert_false(matches("aaa*aaa", "aaaaa", NULL));
    assert_true(matches("aaa*aaa", "aaaaaa", NULL));
    assert_true(matches("a\\*bcd", "a*bcd", NULL));
    assert_false(matches("a\\*bcd", "axbcd", NULL));
}

static void words_are_remembered(void **state)
{
    (void)state;
    struct jdg_captures caps;
    assert_true(matches("glibc_{v}* not found", "version `GLIBC_2.27' not found (required by x)", &caps));
    assert_int_equal(caps.n, 1);
    assert_true(gf_slice_is(caps.v[0].value, "2.27"));
    assert_true(matches("library: {have} but*compiled with: {want}", "Loaded runtime CuDNN library: 8.5.0 but source was compiled with: 8.6.0.", &caps));
    assert_int_equal(caps.n, 2);
    assert_true(gf_slice_is(caps.v[1].name, "want") && gf_slice_is(caps.v[1].value, "8.6.0"));
    assert_true(matches("at {n}x:y", "at !! at 7x:y", &caps) == false);
    assert_true(matches("at {n}:", "at ! at 7:", &caps));
    assert_int_equal(caps.n, 1);
}

static void bad_patterns_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = { "", "ab", "*", "{x} abc", "abc {x", "abc*{x}", "a*b*c" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct jdg_pattern p;
        struct gf_err err = GF_ERR_INIT;
        assert_int_equal(jdg_pattern_compile(&mem, gf_slice_of(bad[i]), &p, &err), -1);
        assert_non_null(strstr(err.text, "pattern '"));
    }
}

struct seen { char text[4096]; };

static void note(void *arg, size_t pattern, uint64_t number, gf_slice line, const struct jdg_captures *caps)
{
    struct seen *s = arg;
    size_t n = strlen(s->text);
    snprintf(s->text + n, sizeof s->text - n, "%zu@%u:%.*s;", pattern, (unsigned)number, GF_FMT(line));
    (void)caps;
}

static void scan_gives(gf_slice text, size_t chunk, const char *want)
{
    static const char *const texts[] = { "no kernel image", "kernel", "version `glibc_{v}' not", "it's here" };
    struct jdg_pattern p[4];
    const struct jdg_pattern *all[4];
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(jdg_pattern_compile(&mem, gf_slice_of(texts[i]), &p[i], NULL), 0);
        all[i] = &p[i];
    }
    struct seen s = { "" };
    struct jdg_scan *scan = jdg_scan_new(all, 4);
    struct jdg_stream *t = jdg_stream_new(scan, note, &s);
    for (size_t at = 0; at < text.n; at += chunk) jdg_stream_add(t, gf_slice_sub(text, at, chunk));
    jdg_stream_end(t);
    jdg_scan_free(scan);
    assert_string_equal(s.text, want);
}

static void scan_reads_what_terminals_leave(void **state)
{
    (void)state;
    gf_slice text = GF_S("x\r\n\033[31merror: no \033[0mkernel\t  image\033[0m\r\n\nversion `GLIBC_2.27' not found\nit\xe2\x80\x99s here\xe2\x80");
    const char *want = "1@2:error: no kernel image;0@2:error: no kernel image;2@4:version `GLIBC_2.27' not found;3@5:it's here\xe2\x80;";
    scan_gives(text, text.n, want);
    scan_gives(text, 1, want);
    scan_gives(text, 7, want);
}

static void scan_reads_utf16(void **state)
{
    (void)state;
    scan_gives(GF_S("\xff\xfek\0e\0r\0n\0e\0l\0\r\0\n\0i\0t\0\x19\x20s\0 \0h\0e\0r\0e\0"), 3, "1@1:kernel;3@2:it's here;");
    scan_gives(GF_S("\xfe\xff\0k\0e\0r\0n\0e\0l"), 3, "1@1:kernel;");
}

static void a_line_without_end_is_judged_in_parts(void **state)
{
    (void)state;
    GF_BUF_SCOPE struct gf_buf big;
    gf_buf_init(&big, 8u << 20);
    for (size_t i = 0; i < 300000; i++) gf_buf_adds(&big, "0123456789");
    gf_buf_adds(&big, " kernel");
    struct jdg_pattern p;
    assert_int_equal(jdg_pattern_compile(&mem, GF_S("kernel"), &p, NULL), 0);
    const struct jdg_pattern *all[] = { &p };
    struct seen s = { "" };
    struct jdg_scan *scan = jdg_scan_new(all, 1);
    struct jdg_stream *t = jdg_stream_new(scan, note, &s);
    jdg_stream_add(t, gf_buf_slice(&big));
    jdg_stream_end(t);
    jdg_scan_free(scan);
    assert_memory_equal(s.text, "0@1:", 4);
}

static int begin(void **state)
{
    (void)state;
    gf_arena_init(&mem);
    return 0;
}

static int end(void **state)
{
    (void)state;
    gf_arena_release(&mem);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_follow_each_other),       cmocka_unit_test(words_are_remembered),
        cmocka_unit_test(bad_patterns_are_refused),       cmocka_unit_test(scan_reads_what_terminals_leave),
        cmocka_unit_test(scan_reads_utf16),               cmocka_unit_test(a_line_without_end_is_judged_in_parts),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
