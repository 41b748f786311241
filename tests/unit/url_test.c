#include "fetch/url.h"
#include "fetch/client.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static void joins(const char *base, const char *ref, const char *want)
{
    char *got = net_url_join(base, ref);
    if (!want) assert_null(got);
    else assert_string_equal(got ? got : "(NULL)", want);
    free(got);
}

/* RFC 3986 section 5.4 */
static void references_are_resolved_as_the_rfc_says(void **state)
{
    (void)state;
    const char *b = "http://a/b/c/d;p?q";
    joins(b, "g", "http://a/b/c/g");
    joins(b, "./g", "http://a/b/c/g");
    joins(b, "g/", "http://a/b/c/g/");
    joins(b, "/g", "http://a/g");
    joins(b, "//g", "http://g/");
    joins(b, "?y", "http://a/b/c/d;p?y");
    joins(b, "g?y", "http://a/b/c/g?y");
    joins(b, "#s", "http://a/b/c/d;p?q#s");
    joins(b, "g#s", "http://a/b/c/g#s");
    joins(b, "", "http://a/b/c/d;p?q");
    joins(b, ".", "http://a/b/c/");
    joins(b, "..", "http://a/b/");
    joins(b, "../g", "http://a/b/g");
    joins(b, "../..", "http://a/");
    joins(b, "../../../g", "http://a/g");
    joins(b, "/./g", "http://a/g");
    joins(b, "g.", "http://a/b/c/g.");
    joins(b, "./g/.", "http://a/b/c/g/");
    joins(b, "g/../h", "http://a/b/c/h");
}

static void pages_of_indexes_are_joined(void **state)
{
    (void)state;
    joins("https://h/whl/cu126/torch/", "../../cu126_full/torch-2.7.1%2Bcu126.whl#sha256=ab", "https://h/whl/cu126_full/torch-2.7.1%2Bcu126.whl#sha256=ab");
    joins("https://h/simple/x/", "/whl/a b.whl", "https://h/whl/a%20b.whl");
    joins("https://h/simple/x/", " \n x-1.whl ", "https://h/simple/x/x-1.whl");
    joins("https://u:p@h/simple/", "x/", "https://u:p@h/simple/x/");
    joins("https://h", "x", "https://h/x");
    joins("file:///srv/x/", "a.whl", "file:///srv/x/a.whl");
    joins("HTTPS://h/", "a", "https://h/a");
}

static void other_schemes_and_control_bytes_are_refused(void **state)
{
    (void)state;
    joins("https://h/", "javascript:alert(1)", NULL);
    joins("https://h/", "file:///etc/passwd", NULL);
    joins("https://h/", "ftp://h/x", NULL);
    joins("https://h/", "a\r\nHost: b", NULL);
    joins("https://h/", "http:///x", NULL);
    joins("nothing", "x", NULL);
}

static void credentials_are_taken_out(void **state)
{
    (void)state;
    char *plain = net_url_without_credentials("https://user:p%40ss@h:8443/simple/");
    assert_string_equal(plain, "https://h:8443/simple/");
    free(plain);
    char *user, *password;
    net_url_credentials("https://user:p%40ss@h:8443/simple/", &user, &password);
    assert_string_equal(user, "user");
    assert_string_equal(password, "p@ss");
    free(user);
    free(password);
    net_url_credentials("https://h/a@b:c", &user, &password);
    assert_null(user);
}

static void origins_compare_with_default_ports(void **state)
{
    (void)state;
    assert_true(net_url_same_origin("https://H/a", "https://x:y@h:443/b"));
    assert_false(net_url_same_origin("https://h/", "http://h/"));
    assert_false(net_url_same_origin("https://h/", "https://h:444/"));
    assert_true(net_url_same_origin("http://[::1]:80/", "http://[::1]/"));
}

static void file_urls_and_names(void **state)
{
    (void)state;
    char *p = net_url_file_path("file:///srv/a%20b/x.whl");
    assert_string_equal(p, "/srv/a b/x.whl");
    free(p);
    assert_null(net_url_file_path("https://h/x"));
    assert_null(net_url_file_path("file:///a%00b"));
    p = net_url_of_path("/srv/a b/x+cu1.whl");
    assert_string_equal(p, "file:///srv/a%20b/x+cu1.whl");
    free(p);
    p = net_url_file_name(GF_S("https://h/whl/torch-2.7.1%2Bcu126-cp312.whl?x=1#sha256=ab"));
    assert_string_equal(p, "torch-2.7.1+cu126-cp312.whl");
    free(p);
    p = net_url_file_name(GF_S("x%2"));
    assert_string_equal(p, "x%2");
    free(p);
    assert_null(net_url_file_name(GF_S("https://h/a/")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(references_are_resolved_as_the_rfc_says),
        cmocka_unit_test(pages_of_indexes_are_joined),
        cmocka_unit_test(other_schemes_and_control_bytes_are_refused),
        cmocka_unit_test(credentials_are_taken_out),
        cmocka_unit_test(origins_compare_with_default_ports),
        cmocka_unit_test(file_urls_and_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
