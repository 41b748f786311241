#include "base/jsonscan.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static int skim(const char *text, struct gf_err *err)
{
    struct gf_arena a = GF_ARENA_INIT;
    struct gf_js s;
    gf_js_init(&s, gf_slice_of(text), "x", &a);
    gf_js_skip(&s);
    int rc = gf_js_end(&s, err);
    gf_arena_release(&a);
    return rc;
}

static void what_is_json_and_what_is_not(void **state)
{
    (void)state;
    const char *const good[] = { "0", "-0", "-1.5e+3", "\"\"", "[]", "{}", "null", " [1 , 2,[ ] ,{\"a\" : [true,false,null]}]\n", "{\"a\":{\"b\":[{}]},\"c\":\"\\\\\"}", "\xef\xbb\xbf[]" };
    const char *const bad[] = { "", "01", "1.", ".5", "+1", "1e", "tru", "nul", "[1,]", "[,1]", "[1 2]", "{\"a\"}", "{\"a\":}", "{a:1}", "{\"a\":1,}", "[", "{", "[1", "]", "\"",
                                "\"\\x\"", "\"\\u12\"", "\"\\u0000\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"a\nb\"", "1 1", "[}", "{]", "[[1}]", "'a'" };
    struct gf_err err = GF_ERR_INIT;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (skim(good[i], &err)) fail_msg("%s: %s", good[i], err.text);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct gf_json_doc *doc = NULL;
        if (gf_json_parse(gf_slice_of(bad[i]), "x", &doc, &err) == 0) gf_json_free(doc); /* cJSON is laxer here and there */
        struct gf_arena a = GF_ARENA_INIT;
        struct gf_js s;
        gf_js_init(&s, gf_slice_of(bad[i]), "x", &a);
        if (gf_js_peek(&s) == GF_JSON_STRING) gf_js_str(&s); /* escapes are judged when a string is read */
        else gf_js_skip(&s);
        if (gf_js_end(&s, &err) == 0) fail_msg("'%s' was taken for JSON", bad[i]);
        assert_int_equal(err.code, GF_E_PARSE);
        gf_arena_release(&a);
    }
}

static void depth_is_bounded(void **state)
{
    (void)state;
    char text[2 * GF_CAP_JSON_DEPTH + 3] = { 0 };
    struct gf_err err = GF_ERR_INIT;
    memset(text, '[', GF_CAP_JSON_DEPTH);
    memset(text + GF_CAP_JSON_DEPTH, ']', GF_CAP_JSON_DEPTH);
    assert_int_equal(skim(text, &err), 0);
    memset(text, '[', GF_CAP_JSON_DEPTH + 1);
    memset(text + GF_CAP_JSON_DEPTH + 1, ']', GF_CAP_JSON_DEPTH + 1);
    assert_int_equal(skim(text, &err), -1);
}

static void values_come_out(void **state)
{
    (void)state;
    struct gf_arena a = GF_ARENA_INIT;
    struct gf_js s;
    gf_js_init(&s, GF_S("{\"s\": \"a\\n\\u00e9\\ud83d\\ude00\\\"\\\\\", \"i\": -42, \"f\": 1.5, \"b\": true, \"l\": [1, 2], \"big\": 9007199254740993}"), "x", &a);
    gf_slice key;
    int64_t v = 7;
    bool yes = false;
    assert_true(gf_js_obj(&s) && gf_js_key(&s, &key));
    assert_string_equal(gf_js_str(&s).p, "a\n\xc3\xa9\xf0\x9f\x98\x80\"\\");
    assert_true(gf_js_key(&s, &key) && gf_js_int(&s, &v) && v == -42);
    assert_true(gf_js_key(&s, &key) && !gf_js_int(&s, &v) && v == -42 && !s.failed);
    assert_true(gf_js_key(&s, &key) && gf_slice_is(key, "b") && gf_js_bool(&s, &yes) && yes);
    assert_true(gf_js_key(&s, &key) && !gf_js_str(&s).p && !s.failed);
    assert_true(gf_js_key(&s, &key) && gf_slice_is(key, "big") && !gf_js_int(&s, &v) && s.failed);
    struct gf_err err = GF_ERR_INIT;
    assert_int_equal(gf_js_end(&s, &err), -1);
    assert_non_null(strstr(err.text, "2^53"));
    gf_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_json_and_what_is_not),
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(values_come_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
