#include "base/file.h"
#include "bundler/bundle.h"
#include "bundler/sign.h"
#include "bundler/tar.h"
#include "bundler/texts.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

/* ---- tar ---- */

static void a_header_reads_back(const char *path, uint64_t size)
{
    unsigned char head[BND_TAR_HEADER_MAX];
    size_t n = bnd_tar_header(path, size, 0644, 1767225600, head);
    assert_int_equal(n % BND_TAR_BLOCK, 0);
    struct gf_buf text;
    gf_buf_init(&text, 1 << 20);
    gf_buf_add(&text, head, n);
    for (uint64_t i = 0; i < bnd_tar_padded(size < 5000 ? size : 0); i++) gf_buf_addc(&text, i < size ? 'x' : '\0');
    for (size_t i = 0; i < 2 * BND_TAR_BLOCK; i++) gf_buf_addc(&text, '\0');
    struct gf_reader *r = gf_reader_memory(gf_buf_slice(&text), "t.tar");
    struct bnd_tar_reader t;
    struct bnd_tar_member m;
    struct gf_err err = GF_ERR_INIT;
    bnd_tar_reader_init(&t, r);
    int got = bnd_tar_next(&t, &m, &err);
    if (size >= 5000) { /* the bytes are not there: the size was understood when they are missed */
        GF_FREE char *words = gf_xasprintf("should have %llu bytes", (unsigned long long)size);
        assert_int_equal(got, -1);
        if (!strstr(err.text, words)) fail_msg("'%s' should say '%s'", err.text, words);
    } else {
        assert_int_equal(got, 1);
        assert_string_equal(m.path, path);
        assert_int_equal(m.size, size);
        assert_int_equal(m.data, n);
        assert_int_equal(bnd_tar_next(&t, &m, &err), 0);
    }
    bnd_tar_reader_release(&t);
    gf_reader_close(r);
    gf_buf_release(&text);
}

static void tar_headers_read_back(void **state)
{
    (void)state;
    char path[300] = "python/";
    for (size_t n = 8; n < 260; n += 9) { /* plain, split at a slash, and in a pax record */
        memset(path + 7, 'a', n - 7);
        path[n] = '\0';
        a_header_reads_back(path, n % 3 ? n : 0);
        path[n / 2] = n > 20 ? '/' : 'a';
    }
    a_header_reads_back("big.whl", ((uint64_t)1 << 33) - 1);
    a_header_reads_back("bigger.whl", (uint64_t)1 << 33);
}

static void tar_refuses(const char *text, size_t n, const char *words)
{
    struct gf_reader *r = gf_reader_memory(gf_slice_n(text, n), "t.tar");
    struct bnd_tar_reader t;
    struct bnd_tar_member m;
    struct gf_err err = GF_ERR_INIT;
    bnd_tar_reader_init(&t, r);
    int got;
    while ((got = bnd_tar_next(&t, &m, &err)) == 1) {}
    assert_int_equal(got, -1);
    assert_int_equal(err.code, GF_E_INTEGRITY);
    if (!strstr(err.text, words)) fail_msg("'%s' should say '%s'", err.text, words);
    bnd_tar_reader_release(&t);
    gf_reader_close(r);
}

static void resum(char *header) /* what somebody who forges a header would do */
{
    unsigned sum = 0;
    memset(header + 148, ' ', 8);
    for (size_t i = 0; i < BND_TAR_BLOCK; i++) sum += (unsigned char)header[i];
    snprintf(header + 148, 8, "%06o", sum);
}

static void hostile_tars_are_refused(void **state)
{
    (void)state;
    char text[4 * BND_TAR_BLOCK] = { 0 };
    static const char *const paths[] = { "/etc/passwd", "../x", "a/../../x", "a//b", "a\\b", "a\nb", "" };
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        memset(text, 0, sizeof text);
        unsigned char head[BND_TAR_HEADER_MAX];
        bnd_tar_header(paths[i], 0, 0644, 0, head);
        memcpy(text, head, BND_TAR_BLOCK);
        tar_refuses(text, sizeof text, "a path that bundles may not have");
    }
    unsigned char head[BND_TAR_HEADER_MAX];
    bnd_tar_header("a", 5, 0644, 0, head);
    memset(text, 0, sizeof text);
    memcpy(text, head, BND_TAR_BLOCK);
    memcpy(text + BND_TAR_BLOCK, "hello", 5);
    text[156] = '2';
    resum(text);
    tar_refuses(text, sizeof text, "a link or a device");
    text[156] = '0';
    resum(text);
    text[BND_TAR_BLOCK + 9] = 1;
    tar_refuses(text, sizeof text, "padding that is not zero");
    text[BND_TAR_BLOCK + 9] = 0;
    text[3 * BND_TAR_BLOCK + 7] = 1;
    tar_refuses(text, sizeof text, "bytes behind the end");
    tar_refuses(text, 3 * BND_TAR_BLOCK - 1, "ends where a header should be");
    text[100] ^= 1;
    tar_refuses(text, sizeof text, "check sum is wrong");
    tar_refuses("hello", 5, "is not a bundle");
}

/* ---- signatures ---- */


#include "tests/unit/minisign_sample.h"

static void signatures_of_minisign_are_understood(void **state)
{
    (void)state;
    GF_FREE char *comment = NULL;
    struct gf_err err = GF_ERR_INIT;
    if (bnd_check_signature(SAMPLE_PUBLIC, GF_S("hello\n"), gf_slice_of(SAMPLE_SIGNATURE), &comment, &err)) fail_msg("%s", err.text);
    assert_string_equal(comment, "a comment");
    char *none = NULL;
    assert_int_equal(bnd_check_signature(SAMPLE_PUBLIC, GF_S("hellO\n"), gf_slice_of(SAMPLE_SIGNATURE), &none, &err), -1);
    assert_int_equal(err.code, GF_E_INTEGRITY);
    GF_FREE char *other = gf_xstrdup(SAMPLE_SIGNATURE);
    memcpy(strstr(other, "a comment"), "A", 1);
    assert_int_equal(bnd_check_signature(SAMPLE_PUBLIC, GF_S("hello\n"), gf_slice_of(other), &none, &err), -1);
    assert_non_null(strstr(err.text, "comment"));
    assert_int_equal(bnd_check_signature("AAAA", GF_S("hello\n"), gf_slice_of(SAMPLE_SIGNATURE), &none, &err), -1);
}

static void keys_of_minisign_sign(const char *secret, const char *password)
{
    char path[] = "/tmp/gpuferry-key-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(gf_file_write_atomic(path, gf_slice_of(secret), 0600, NULL), 0);
    GF_BUF_SCOPE struct gf_buf out;
    gf_buf_init(&out, 4096);
    struct gf_err err = GF_ERR_INIT;
    if (bnd_sign(path, password, GF_S("hello\n"), "mine", &out, &err)) fail_msg("%s", err.text);
    GF_FREE char *comment = NULL;
    if (bnd_check_signature(SAMPLE_PUBLIC, GF_S("hello\n"), gf_buf_slice(&out), &comment, &err)) fail_msg("%s", err.text);
    assert_string_equal(comment, "mine");
    assert_int_equal(bnd_sign(path, password ? "wrong" : NULL, GF_S("x"), "", &out, &err), password ? -1 : 0);
    unlink(path);
}

static void secret_keys_work(void **state)
{
    (void)state;
    keys_of_minisign_sign(SAMPLE_SECRET, NULL);
}

/* ---- small texts ---- */

static void values_for_the_shell_are_quoted(void **state)
{
    (void)state;
    GF_BUF_SCOPE struct gf_buf out;
    gf_buf_init(&out, 100);
    bnd_shell_quote(&out, "a'b $(rm -rf /) `x` \"\\");
    assert_string_equal(gf_buf_str(&out), "'a'\\''b $(rm -rf /) `x` \"\\'");
}

/* ---- a bundle from beginning to end, its files taken from a folder ---- */

struct place { char dir[40]; char *out, *wheel; };

static struct mdl_lock *lock_of(const struct place *p, gf_slice wheel)
{
    struct mdl_lock *l = mdl_lock_new();
    char sha[GF_SHA256_HEX];
    gf_sha256_hex(wheel, sha);
    l->tool_version = l->matrix_version = l->matrix_sha256 = "0";
    l->sources = GF_NEW(&l->mem, struct mdl_lock_source);
    l->nsources = 1;
    l->sources[0] = (struct mdl_lock_source){ "here", "find-links", gf_arena_strz(&l->mem, p->dir), "used", NULL, NULL };
    l->python = GF_NEW(&l->mem, struct mdl_lock_python);
    l->npython = 1;
    l->python[0] = (struct mdl_lock_python){ .name = "a", .version = "1", .file = "a-1-py3-none-any.whl", .kind = "wheel", .source = "here",
                                             .path = "a-1-py3-none-any.whl", .sha256 = gf_arena_strz(&l->mem, sha), .size = (int64_t)wheel.n };
    return l;
}

static int set_up(void **state)
{
    struct place *p = gf_xcalloc(1, sizeof *p);
    strcpy(p->dir, "/tmp/gpuferry-bundle-XXXXXX");
    if (!mkdtemp(p->dir)) return -1;
    p->out = gf_xasprintf("%s/b.tar", p->dir);
    p->wheel = gf_xasprintf("%s/a-1-py3-none-any.whl", p->dir);
    *state = p;
    return 0;
}

static int tear_down(void **state)
{
    struct place *p = *state;
    GF_FREE char *command = gf_xasprintf("rm -r %s", p->dir);
    int rc = system(command);
    free(p->out);
    free(p->wheel);
    free(p);
    return rc;
}

static int make(const struct place *p, struct mdl_lock *l, struct bnd_result *r, struct gf_err *err)
{
    struct net_config cfg = { .retries = 0 };
    struct net_client *net = NULL;
    assert_int_equal(net_client_new(&cfg, &net, NULL), 0);
    struct bnd_options o = { .out = p->out, .mtime = -1 };
    int rc = bnd_make(l, &o, net, r, err);
    net_client_free(net);
    return rc;
}

static void verify_says(const struct place *p, size_t problems, const char *file)
{
    struct bnd_report r;
    struct gf_err err = GF_ERR_INIT;
    if (bnd_verify(p->out, NULL, NULL, &r, &err)) fail_msg("%s", err.text);
    if (r.nproblems < problems || (!problems && r.nproblems)) fail_msg("%zu problems, the first: %s", r.nproblems, r.nproblems ? r.problems[0].text : "");
    if (file && !strstr(r.problems[0].text, file)) fail_msg("'%s' should name '%s'", r.problems[0].text, file);
    bnd_report_release(&r);
}

#define CONTENT "not really a wheel, but bytes are bytes"

static void a_bundle_is_made_and_every_flipped_bit_is_found(void **state)
{
    struct place *p = *state;
    assert_int_equal(gf_file_write_atomic(p->wheel, GF_S(CONTENT), 0644, NULL), 0);
    struct mdl_lock *l = lock_of(p, GF_S(CONTENT));
    struct bnd_result r;
    struct gf_err err = GF_ERR_INIT;
    if (make(p, l, &r, &err)) fail_msg("%s", err.text);
    assert_int_equal(r.fetched, sizeof CONTENT - 1);
    verify_says(p, 0, NULL);
    struct gf_buf whole;
    assert_int_equal(gf_file_read(p->out, 1 << 24, &whole, NULL), 0);
    assert_int_equal(whole.n, r.bytes);
    for (size_t at = 0; at < whole.n; at += 1 + at % 97) { /* a good part of all bytes, headers, padding and end among them */
        whole.p[at] = (char)(whole.p[at] ^ (1 << at % 8));
        assert_int_equal(gf_file_write_atomic(p->out, gf_buf_slice(&whole), 0644, NULL), 0);
        struct bnd_report report;
        assert_int_equal(bnd_verify(p->out, NULL, NULL, &report, &err), 0);
        bool same_number = at % BND_TAR_BLOCK == 148 && whole.p[at] == ' '; /* the first of a check sum's digits, 0: a blank says the same */
        if (report.nproblems == 0 && !same_number) fail_msg("the flipped bit in byte %zu was not seen", at);
        bnd_report_release(&report);
        whole.p[at] = (char)(whole.p[at] ^ (1 << at % 8));
    }
    gf_buf_release(&whole);
    mdl_lock_free(l);
}

static void the_same_lock_gives_the_same_bytes(void **state)
{
    struct place *p = *state;
    assert_int_equal(gf_file_write_atomic(p->wheel, GF_S(CONTENT), 0644, NULL), 0);
    char sha[2][GF_SHA256_HEX];
    for (int i = 0; i < 2; i++) {
        struct mdl_lock *l = lock_of(p, GF_S(CONTENT));
        struct bnd_result r;
        if (i) l->python[0].sha256 = NULL, l->python[0].size = -1; /* completed to the same */
        assert_int_equal(make(p, l, &r, NULL), 0);
        assert_int_equal(gf_sha256_file(p->out, sha[i], NULL, NULL), 0);
        mdl_lock_free(l);
    }
    assert_string_equal(sha[0], sha[1]);
    GF_FREE char *left = gf_xasprintf("%s.part.files", p->out);
    assert_false(gf_path_exists(left));
}

static void wrong_files_are_named(void **state)
{
    struct place *p = *state;
    static const struct { const char *content, *words; } cases[] = {
        { "not really a wheel, but bytes are Bytes", "has sha256" },
        { "short", "has 5 bytes, the lock says 39" },
        { "not really a wheel, but bytes are bytes and more", "is larger than the 39 bytes" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct mdl_lock *l = lock_of(p, GF_S(CONTENT));
        struct bnd_result r;
        struct gf_err err = GF_ERR_INIT;
        assert_int_equal(gf_file_write_atomic(p->wheel, gf_slice_of(cases[i].content), 0644, NULL), 0);
        assert_int_equal(make(p, l, &r, &err), -1);
        assert_int_equal(err.code, GF_E_INTEGRITY);
        if (!strstr(err.text, cases[i].words) || !strstr(err.text, "a-1-py3-none-any.whl")) fail_msg("'%s' should say '%s'", err.text, cases[i].words);
        assert_false(gf_path_exists(p->out));
        mdl_lock_free(l);
    }
    struct mdl_lock *l = lock_of(p, GF_S(CONTENT));
    struct bnd_result r;
    struct gf_err err = GF_ERR_INIT;
    unlink(p->wheel);
    assert_int_equal(make(p, l, &r, &err), -1);
    assert_non_null(strstr(err.text, "a-1-py3-none-any.whl"));
    assert_int_equal(gf_file_write_atomic(p->wheel, GF_S(CONTENT), 0644, NULL), 0);
    assert_int_equal(make(p, l, &r, &err), 0); /* and the next run goes on */
    verify_says(p, 0, NULL);
    mdl_lock_free(l);
}

/* A lock for two targets over the same wheel: the bundle holds it once, and each target's own texts. */
static void one_bundle_serves_two_targets(void **state)
{
    struct place *p = *state;
    assert_int_equal(gf_file_write_atomic(p->wheel, GF_S(CONTENT), 0644, NULL), 0);
    struct mdl_lock *parts[2], *both = NULL;
    struct gf_err err = GF_ERR_INIT;
    for (int i = 0; i < 2; i++) {
        parts[i] = lock_of(p, GF_S(CONTENT));
        parts[i]->request_json = "{}";
        parts[i]->targets = GF_NEW_ARRAY(&parts[i]->mem, struct mdl_profile *, 1);
        parts[i]->targets[parts[i]->ntargets++] = mdl_profile_new();
        parts[i]->targets[0]->label = i ? "b" : "a";
        parts[i]->targets[0]->arch = i ? "aarch64" : "x86_64";
        parts[i]->python[0].sha256 = NULL; /* found out when it is fetched, and in the targets' texts too */
        parts[i]->python[0].size = -1;
    }
    if (mdl_lock_union(parts, 2, &both, &err)) fail_msg("%s", err.text);
    struct bnd_result r;
    if (make(p, both, &r, &err)) fail_msg("%s", err.text);
    verify_says(p, 0, NULL);
    struct bnd_report report;
    assert_int_equal(bnd_verify(p->out, NULL, NULL, &report, &err), 0);
    assert_int_equal(report.ntargets, 2);
    assert_string_equal(report.targets[1], "b");
    bnd_report_release(&report);
    struct gf_buf whole;
    assert_int_equal(gf_file_read(p->out, 1 << 24, &whole, NULL), 0);
    char sha[GF_SHA256_HEX];
    gf_sha256_hex(GF_S(CONTENT), sha);
    GF_FREE char *pin = gf_xasprintf("a==1 \\\n    --hash=sha256:%s\n", sha);
    ptrdiff_t first = gf_slice_find(gf_buf_slice(&whole), gf_slice_of(pin));
    assert_true(first > 0);
    assert_true(gf_slice_find(gf_slice_from(gf_buf_slice(&whole), (size_t)first + 1), gf_slice_of(pin)) > 0);
    first = gf_slice_find(gf_buf_slice(&whole), GF_S(CONTENT));
    assert_true(gf_slice_find(gf_slice_from(gf_buf_slice(&whole), (size_t)first + 1), GF_S(CONTENT)) < 0);
    gf_buf_release(&whole);
    mdl_lock_free(both);
    for (int i = 0; i < 2; i++) mdl_lock_free(parts[i]);
}

static void a_folder_is_verified_like_a_tar(void **state)
{
    struct place *p = *state;
    assert_int_equal(gf_file_write_atomic(p->wheel, GF_S(CONTENT), 0644, NULL), 0);
    struct mdl_lock *l = lock_of(p, GF_S(CONTENT));
    struct bnd_result r;
    assert_int_equal(make(p, l, &r, NULL), 0);
    mdl_lock_free(l);
    struct place f = *p;
    GF_FREE char *folder = gf_xasprintf("%s/f", p->dir);
    GF_FREE char *unpack = gf_xasprintf("mkdir %s && tar -xf %s -C %s", folder, p->out, folder);
    GF_FREE char *extra = gf_xasprintf("%s/python/x.whl", folder);
    GF_FREE char *wheel = gf_xasprintf("%s/python/a-1-py3-none-any.whl", folder);
    GF_FREE char *lock = gf_xasprintf("%s/gpuferry.lock", folder);
    assert_int_equal(system(unpack), 0);
    f.out = folder;
    verify_says(&f, 0, NULL);
    assert_int_equal(gf_file_write_atomic(extra, GF_S("x"), 0644, NULL), 0);
    verify_says(&f, 1, "'python/x.whl' is no part of this bundle");
    unlink(extra);
    assert_int_equal(symlink("/etc/passwd", extra), 0);
    verify_says(&f, 1, "a symbolic link");
    unlink(extra);
    assert_int_equal(gf_file_write_atomic(wheel, GF_S("x"), 0644, NULL), 0);
    verify_says(&f, 1, "'python/a-1-py3-none-any.whl' has 1 bytes, 'bundle.json' says 39");
    unlink(wheel);
    verify_says(&f, 1, "'python/a-1-py3-none-any.whl' is missing");
    assert_int_equal(gf_file_write_atomic(wheel, GF_S(CONTENT), 0644, NULL), 0);
    unlink(lock);
    verify_says(&f, 1, "'gpuferry.lock' is missing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tar_headers_read_back),
        cmocka_unit_test(hostile_tars_are_refused),
        cmocka_unit_test(signatures_of_minisign_are_understood),
        cmocka_unit_test(secret_keys_work),
        cmocka_unit_test(values_for_the_shell_are_quoted),
        cmocka_unit_test_setup_teardown(a_bundle_is_made_and_every_flipped_bit_is_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_same_lock_gives_the_same_bytes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_files_are_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_bundle_serves_two_targets, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_folder_is_verified_like_a_tar, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
