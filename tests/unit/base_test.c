#include "base/json.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/map.h"
#include <setjmp.h>
#include <sys/stat.h>
#include <unistd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

static void json_refuses(const char *text, const char *part)
{
    struct gf_err err = GF_ERR_INIT;
    struct gf_json_doc *doc = NULL;
    assert_int_equal(gf_json_parse(gf_slice_of(text), "x.json", &doc, &err), -1);
    assert_null(doc);
    if (!strstr(err.text, part)) fail_msg("'%s' should say '%s'", err.text, part);
}

static void json_is_strict(void **state)
{
    (void)state;
    json_refuses("", "not JSON");
    json_refuses("{\"a\":1,\"a\":2}", "\"a\" stands twice");
    json_refuses("{} x", "line 1 column 4");
    json_refuses("[\"a\\u0000b\"]", "\\u0000");
    json_refuses("[9007199254740993]", "2^53");
    json_refuses("{\n \"a\": tru }", "line 2");
    json_refuses("[1e999]", "out of range");
}

static void json_round_trip(void **state)
{
    (void)state;
    const char *text = "{\"s\":\"\\u00e9\\n\\\"\",\"n\":[1,2.5,-3],\"o\":{},\"t\":true,\"z\":null}";
    struct gf_json_doc *doc = NULL;
    assert_int_equal(gf_json_parse(gf_slice_of(text), "x", &doc, NULL), 0);
    GF_BUF_SCOPE struct gf_buf out;
    gf_buf_init(&out, 1000);
    struct gf_jw w;
    gf_jw_init(&w, &out, true);
    gf_jw_value(&w, gf_json_root(doc));
    assert_string_equal(gf_buf_str(&out), "{\"s\":\"é\\n\\\"\",\"n\":[1,2.5,-3],\"o\":{},\"t\":true,\"z\":null}");
    gf_json_free(doc);
}

static void buffers_stop_at_their_maximum(void **state)
{
    (void)state;
    GF_BUF_SCOPE struct gf_buf b;
    gf_buf_init(&b, 5);
    gf_buf_adds(&b, "abc");
    gf_buf_addf(&b, "%s", "defg");
    assert_true(gf_buf_failed(&b));
    assert_string_equal(gf_buf_str(&b), "abc");
}

static void dotted_versions_compare_by_number(void **state)
{
    (void)state;
    assert_true(gf_dotted_cmp(GF_S("535.309.01"), GF_S("525.60.13")) > 0);
    assert_true(gf_dotted_cmp(GF_S("12.10"), GF_S("12.9")) > 0);
    assert_int_equal(gf_dotted_cmp(GF_S("12.0"), GF_S("12")), 0);
    assert_true(gf_dotted_cmp(GF_S("450.36.06"), GF_S("450.80.02")) < 0);
}

static void unsafe_paths_are_refused(void **state)
{
    (void)state;
    assert_true(gf_path_safe(GF_S("python/a.whl")));
    assert_false(gf_path_safe(GF_S("../a")));
    assert_false(gf_path_safe(GF_S("/a")));
    assert_false(gf_path_safe(GF_S("a//b")));
    assert_false(gf_path_safe(GF_S("a/./b")));
    assert_false(gf_path_safe(GF_S("a\nb")));
    assert_false(gf_path_safe(GF_S("a\\b")));
    assert_false(gf_path_safe(GF_S("")));
}

static void names_keep_their_ids(void **state)
{
    (void)state;
    struct gf_names t;
    gf_names_init(&t);
    char name[16];
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "n%d", i);
        assert_int_equal(gf_names_add(&t, gf_slice_of(name), NULL), i);
    }
    assert_int_equal(gf_names_find(&t, GF_S("n777")), 777);
    assert_int_equal(gf_names_find(&t, GF_S("none")), GF_NO_ID);
    gf_names_release(&t);
}

static void atomic_files_leave_nothing_behind(void **state)
{
    (void)state;
    char dir[] = "/tmp/gf-base-XXXXXX";
    assert_non_null(mkdtemp(dir));
    GF_FREE char *path = gf_xasprintf("%s/deep/er/x", dir);
    GF_FREE char *folder = gf_xasprintf("%s/deep/er", dir);
    assert_int_equal(gf_mkdirs(folder, 0755, NULL), 0);
    struct gf_atomic a;
    assert_int_equal(gf_atomic_open(&a, path, 0644, NULL), 0);
    gf_atomic_abort(&a);
    assert_false(gf_path_exists(path));
    assert_int_equal(gf_file_write_atomic(path, GF_S("abc"), 0644, NULL), 0);
    char hex[GF_SHA256_HEX];
    uint64_t size = 0;
    assert_int_equal(gf_sha256_file(path, hex, &size, NULL), 0);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"); /* FIPS 180-2, B.1 */
    assert_int_equal(size, 3);
    GF_FREE char *rm = gf_xasprintf("rm -r %s", dir);
    assert_int_equal(system(rm), 0);
}

static void json_is_valid_whatever_the_bytes(void **state)
{
    (void)state;
    GF_BUF_SCOPE struct gf_buf out;
    gf_buf_init(&out, 1000);
    struct gf_jw w;
    gf_jw_init(&w, &out, true);
    gf_jw_cstr(&w, "a\xff\xc3\xa9\xc3\xed\xa0\x80z");
    assert_string_equal(gf_buf_str(&out), "\"a\\ufffd\xc3\xa9\\ufffd\\ufffd\\ufffd\\ufffdz\"");
}

static void links_are_followed_and_devices_left_alone(void **state)
{
    (void)state;
    char dir[] = "/tmp/gf-base-XXXXXX";
    assert_non_null(mkdtemp(dir));
    GF_FREE char *real = gf_xasprintf("%s/real", dir);
    GF_FREE char *link = gf_xasprintf("%s/link", dir);
    assert_int_equal(gf_file_write_atomic(real, GF_S("old"), 0644, NULL), 0);
    assert_int_equal(symlink("real", link), 0);
    assert_int_equal(gf_file_write_atomic(link, GF_S("new"), 0644, NULL), 0);
    struct stat st;
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    struct gf_buf text;
    assert_int_equal(gf_file_read(real, 100, &text, NULL), 0);
    assert_string_equal(gf_buf_str(&text), "new");
    gf_buf_release(&text);
    assert_int_equal(gf_file_write_atomic("/dev/null", GF_S("x"), 0644, NULL), 0);
    assert_int_equal(stat("/dev/null", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
    GF_FREE char *rm = gf_xasprintf("rm -r %s", dir);
    assert_int_equal(system(rm), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_is_strict),
        cmocka_unit_test(json_round_trip),
        cmocka_unit_test(buffers_stop_at_their_maximum),
        cmocka_unit_test(dotted_versions_compare_by_number),
        cmocka_unit_test(unsafe_paths_are_refused),
        cmocka_unit_test(names_keep_their_ids),
        cmocka_unit_test(atomic_files_leave_nothing_behind),
        cmocka_unit_test(json_is_valid_whatever_the_bytes),
        cmocka_unit_test(links_are_followed_and_devices_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
