#include "base/digest.h"
#include "fetch/cache.h"
#include "fetch/transfer.h"
#include "sources/metadata_text.h"
#include "sources/sdist_build.h"
#include "sources/page.h"
#include "sources/pipconf_text.h"
#include "sources/sparse.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

struct opened {
    struct gf_arena mem;
    struct gf_buf flat;
    const struct src_file *files;
    uint32_t n, skipped;
};

static void open_page(gf_slice text, const char *type, const char *url, struct opened *o)
{
    struct gf_err err = GF_ERR_INIT;
    struct src_page_builder *b = src_page_builder_new();
    if (src_page_read(text, type, url, "page", b, &err)) fail_msg("%s", err.text);
    gf_arena_init(&o->mem);
    gf_buf_init(&o->flat, 1u << 20);
    src_page_build(b, &o->flat);
    o->skipped = src_page_skipped(b);
    src_page_builder_free(b);
    assert_true(src_page_open(gf_buf_slice(&o->flat), &o->mem, 3, &o->files, &o->n));
}

static void close_page(struct opened *o)
{
    gf_buf_release(&o->flat);
    gf_arena_release(&o->mem);
}

static void html_pages_as_they_are_written(void **state)
{
    (void)state;
    struct opened o;
    open_page(GF_S("<!DOCTYPE html><html><head><base href=\"/files/\"><meta name=\"pypi:repository-version\" content=\"1.1\"></head>\n"
                   "<!-- <a href=\"hidden-1.0-py3-none-any.whl\">hidden</a> --><script>var x = '<a href=\"no-1.0.tar.gz\">';</script>\n"
                   "<A HREF='b-1.0-py3-none-any.whl#sha256=ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef0123456789' data-yanked>b</A><br/>\n"
                   "<a data-requires-python=\"&gt;=3.7, &lt;4\" data-yanked='&quot;why&#34; &#x26; &amp;c' href=a-1.0.tar.gz >a</a>\n"
                   "<a href=\"torch-2.7.1%2Bcu126-cp312-cp312-linux_x86_64.whl\" data-dist-info-metadata=\"sha256=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\" "
                   "data-core-metadata=\"true\">torch</a><a href=\"../\">up</a><a>none</a><a href=\"..%2fevil-1.whl\">x</a><a href=\"javascript:x\">"),
              "text/html; charset=utf-8", "https://h/whl/x/", &o);
    assert_int_equal(o.n, 3);
    assert_int_equal(o.skipped, 1);
    const struct src_file *a = &o.files[0], *b = &o.files[1], *t = &o.files[2];
    assert_string_equal(a->filename, "a-1.0.tar.gz");
    assert_string_equal(a->requires_python, ">=3.7, <4");
    assert_string_equal(a->yanked, "\"why\" & &c");
    assert_null(a->sha256);
    assert_int_equal(a->size, -1);
    assert_int_equal(a->source, 3);
    assert_string_equal(b->url, "https://h/files/b-1.0-py3-none-any.whl");
    assert_string_equal(b->sha256, "abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789");
    assert_string_equal(b->yanked, "");
    assert_null(b->requires_python);
    assert_string_equal(t->filename, "torch-2.7.1+cu126-cp312-cp312-linux_x86_64.whl");
    assert_true(t->core_metadata);
    assert_null(t->core_metadata_sha256);
    assert_null(t->yanked);
    close_page(&o);
}

static void json_pages_as_they_are_written(void **state)
{
    (void)state;
    struct opened o;
    open_page(GF_S("{\"meta\":{\"api-version\":\"1.4\"},\"name\":\"x\",\"files\":[\n"
                   "{\"filename\":\"x-2.tar.gz\",\"url\":\"../../f/x-2.tar.gz#frag\",\"hashes\":{},\"yanked\":false,\"requires-python\":null,\"size\":12},\n"
                   "{\"filename\":\"x-1-py3-none-any.whl\",\"url\":\"https://f/x\",\"hashes\":{\"sha256\":\"short\"},\"yanked\":\"bad\",\"upload-time\":\"2024-02-29T23:59:59.5Z\","
                   "\"core-metadata\":false,\"dist-info-metadata\":{\"sha256\":\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"},\"size\":-4},\n"
                   "{\"filename\":\"x-2.tar.gz\",\"url\":\"second\",\"yanked\":true},{\"filename\":\"../x\",\"url\":\"y\"},{\"url\":\"y\"},{\"filename\":\"z-1.whl\"},7]}"),
              "application/vnd.pypi.simple.v1+json", "https://h/simple/x/", &o);
    assert_int_equal(o.n, 2);
    assert_int_equal(o.skipped, 4);
    const struct src_file *w = &o.files[0], *s = &o.files[1];
    assert_string_equal(s->url, "https://h/f/x-2.tar.gz");
    assert_null(s->yanked);
    assert_int_equal(s->size, 12);
    assert_int_equal(s->uploaded, -1);
    assert_null(w->sha256);
    assert_string_equal(w->yanked, "bad");
    assert_int_equal(w->size, -1);
    assert_int_equal(w->uploaded, 1709251199);
    assert_true(w->core_metadata);
    assert_string_equal(w->core_metadata_sha256, "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
    close_page(&o);
}

static void page_fails(gf_slice text, const char *type, const char *part)
{
    struct gf_err err = GF_ERR_INIT;
    struct src_page_builder *b = src_page_builder_new();
    assert_int_equal(src_page_read(text, type, "https://h/", "page", b, &err), -1);
    if (!strstr(err.text, part)) fail_msg("'%s' should say '%s'", err.text, part);
    assert_int_equal(err.code, GF_E_PARSE);
    src_page_builder_free(b);
}

static void what_is_no_page_is_refused(void **state)
{
    (void)state;
    page_fails(GF_S("hello"), "text/plain", "neither JSON nor HTML");
    page_fails(GF_S("{\"meta\":{\"api-version\":\"2.0\"},\"files\":[]}"), "application/json", "version 2.0");
    page_fails(GF_S("{\"files\":{}}"), NULL, "\"files\" is not a list");
    page_fails(GF_S("<meta name=\"pypi:repository-version\" content=\"2.0\">"), NULL, "version 2.0");
    page_fails(GF_S("{\"files\":[}"), NULL, "not JSON");
    page_fails(GF_S("{}"), NULL, "no \"files\"");
    page_fails(GF_S("{\"files\":[{\"url\":\"a\",\"url\":\"b\"}]}"), NULL, "\"url\" stands twice");
    page_fails(GF_S("{\"files\":[]} x"), NULL, "behind the document at line 1 column 14");
}

static void a_damaged_flat_form_is_refused(void **state)
{
    (void)state;
    struct opened o;
    open_page(GF_S("<a href=\"a-1.0.tar.gz\">"), NULL, "https://h/", &o);
    struct gf_arena a = GF_ARENA_INIT;
    const struct src_file *files = NULL;
    uint32_t n = 0;
    for (size_t cut = 0; cut < o.flat.n; cut++) assert_false(src_page_open(gf_slice_n(o.flat.p, cut), &a, 0, &files, &n));
    o.flat.p[16 + 16] = 'x'; /* the offset of the name now points beyond the pool */
    o.flat.p[16 + 17] = 'x';
    assert_false(src_page_open(gf_buf_slice(&o.flat), &a, 0, &files, &n));
    gf_arena_release(&a);
    close_page(&o);
}

static void whose_file_a_name_is(void **state)
{
    (void)state;
    assert_true(src_file_name_is(GF_S("Foo.Bar-1.0-py3-none-any.whl"), GF_S("foo-bar")));
    assert_true(src_file_name_is(GF_S("foo_bar-1.0.tar.gz"), GF_S("foo-bar")));
    assert_true(src_file_name_is(GF_S("foo-bar-v1.0.zip"), GF_S("foo-bar")));
    assert_false(src_file_name_is(GF_S("foo-bar-1.0.tar.gz"), GF_S("foo")));
    assert_false(src_file_name_is(GF_S("foo-1.0.exe"), GF_S("foo")));
    assert_false(src_file_name_is(GF_S("foo-.whl"), GF_S("foo")));
    assert_false(src_file_name_is(GF_S("foo.whl"), GF_S("foo")));
}

static void times_are_utc(void **state)
{
    (void)state;
    assert_int_equal(src_time_parse(GF_S("1970-01-01T00:00:00Z")), 0);
    assert_int_equal(src_time_parse(GF_S("2000-02-29")), 951782400);
    assert_int_equal(src_time_parse(GF_S("2024-10-10T18:28:17.123456Z")), 1728584897);
    assert_int_equal(src_time_parse(GF_S("2024-10-10 18:28+00:00")), 1728584880);
    assert_int_equal(src_time_parse(GF_S("2024-13-10")), -1);
    assert_int_equal(src_time_parse(GF_S("yesterday")), -1);
    assert_int_equal(src_time_parse(GF_NONE), -1);
}

static void joined(const char *pkg_info, const char *requires_txt, const char *want)
{
    GF_BUF_SCOPE struct gf_buf out;
    gf_buf_init(&out, 10000);
    src_metadata_join(gf_slice_of(pkg_info), gf_slice_of(requires_txt), &out);
    assert_string_equal(gf_buf_str(&out), want);
}

static void source_archives_are_believed_when_they_vouch(void **state)
{
    (void)state;
    joined("Metadata-Version: 2.2\nName: x\nAuthor: a\n b\nRequires-Dist: y\n\nRequires-Dist: no\n", "z\n", "Metadata-Version: 2.2\nName: x\nRequires-Dist: y\n");
    joined("Metadata-Version: 2.2\nName: x\nDynamic: Requires-Dist\nRequires-Dist: y\n", "z\n",
           "Metadata-Version: 2.2\nName: x\nDynamic: Requires-Dist\nRequires-Dist: z\n");
    joined("Metadata-Version: 1.2\nName: x\n", NULL, "Metadata-Version: 1.2\nName: x\nDynamic: Requires-Dist\n");
    joined("Metadata-Version: 2.1\r\nName: x\r\n", "a>=1\n[t:os_name=='nt']\nb; extra\n[:m]\nc\n[]\nd\n",
           "Metadata-Version: 2.1\nName: x\nRequires-Dist: a>=1\nProvides-Extra: t\nRequires-Dist: b ; (extra) and (os_name=='nt') and extra == 't'\n"
           "Requires-Dist: c ; (m)\nRequires-Dist: d\nDynamic: Requires-Dist\n");
}

static void described(const char *pyproject, const char *setup_py, const char *const *paths, const char *want)
{
    GF_BUF_SCOPE struct gf_buf out;
    gf_buf_init(&out, 10000);
    struct src_build_seen s = { .pyproject = gf_slice_of(pyproject), .setup_py = gf_slice_of(setup_py) };
    gf_names_init(&s.top);
    for (size_t i = 0; paths && paths[i]; i++) src_build_note(&s, gf_slice_of(paths[i]));
    src_build_describe(&s, &out);
    gf_names_release(&s.top);
    assert_string_equal(gf_buf_str(&out), want);
}

static void how_source_archives_are_built(void **state)
{
    (void)state;
    static const char legacy[] = "Build-Backend: setuptools.build_meta\nBuild-Requires: setuptools>=40.8.0\nBuild-Requires: wheel\n";
    described(NULL, NULL, NULL, legacy);
    described("[project]\nname='x'\n", NULL, NULL, legacy);
    described("not toml [", NULL, NULL, legacy);
    described("[build-system]\nrequires=['hatchling>=1.20; python_version>\"3\"']\nbuild-backend='hatchling.build'\n", "import torch\n", NULL,
              "Build-Backend: hatchling.build\nBuild-Requires: hatchling>=1.20; python_version > \"3\"\nBuild-Requires: torch\n");
    described("[build-system]\nrequires=['maturin']\nbuild-backend='maturin'\n", NULL, NULL, "Build-Backend: maturin\nBuild-Requires: maturin\nBuild-Tool: cargo its back end compiles Rust\n");
    described("[build-system]\nrequires=['meson-python']\nbuild-backend='mesonpy'\n", NULL, (const char *const[]){ "src/a.c", "src/b.cpp", NULL },
              "Build-Backend: mesonpy\nBuild-Requires: meson-python\nBuild-Requires: ninja\nBuild-Tool: c-compiler 1 files of C\nBuild-Tool: c++-compiler 1 files of C++\n"
              "Build-Tool: python-headers for an extension module\n");
    /* what setup.py imports at its top, apart from what it brings itself and what it only tries */
    GF_FREE char *imports = gf_xasprintf("%sBuild-Requires: torch\nBuild-Requires: setuptools<82\nBuild-Requires: numpy\n", legacy);
    described(NULL, "import os, sys\nfrom torch.utils.cpp_extension import BuildExtension\nimport pkg_resources\nimport setuptools, numpy as np\ntry:\n    import Cython\nfrom yaml import x\nimport six\n",
              (const char *const[]){ "yaml/__init__.py", "six.py", "docs/wheel.py", NULL }, imports);
    GF_FREE char *cuda = gf_xasprintf("%sBuild-Tool: nvcc 1 files of CUDA\nBuild-Tool: c-compiler which Python's own tools call for other languages too\nBuild-Tool: python-headers for an extension module\n", legacy);
    described(NULL, "e = CUDAExtension('x', ['x.cu'])\n", (const char *const[]){ "x.cu", NULL }, cuda);
    GF_BUF_SCOPE struct gf_buf many, capped;
    gf_buf_init(&many, 1 << 20);
    gf_buf_init(&capped, 1 << 20);
    for (int i = 0; i < 5000; i++) gf_buf_adds(&many, "import torch\n");
    gf_buf_adds(&capped, legacy);
    for (unsigned i = 2; i <= GF_CAP_BUILD_REQUIRES; i++) gf_buf_adds(&capped, "Build-Requires: torch\n");
    described(NULL, gf_buf_str(&many), NULL, gf_buf_str(&capped));
    described(NULL, "setup()\n", (const char *const[]){ "tests/x.cu", "tests/y.c", NULL }, legacy); /* lies there, is not compiled */
}

static void sparse_readers_know_what_they_lack(void **state)
{
    (void)state;
    struct src_sparse s;
    src_sparse_init(&s, "x");
    s.base.size = 100;
    char buf[100];
    struct gf_err err = GF_ERR_INIT;
    src_sparse_add(&s, 80, GF_S("abcdefghijklmnopqrst"));
    src_sparse_add(&s, 60, GF_S("0123456789"));
    assert_int_equal(s.base.pread(&s.base, 85, buf, 15, &err), 0);
    assert_int_equal(s.base.pread(&s.base, 65, buf, 30, &err), -1);
    assert_true(s.missed && s.missed_offset == 70 && s.missed_length == 10);
    src_sparse_add(&s, 70, GF_S("ABCDEFGHIJ"));
    assert_true(src_sparse_has(&s, 60, 40));
    assert_int_equal(s.base.pread(&s.base, 65, buf, 30, &err), 0);
    assert_memory_equal(buf, "56789ABCDEFGHIJabcdefghijklmno", 30);
    s.missed = false;
    assert_int_equal(s.base.pread(&s.base, 90, buf, 11, &err), -1);
    assert_false(s.missed); /* beyond the end is damage, not a gap */
    src_sparse_release(&s);
}

static void response_heads(void **state)
{
    (void)state;
    struct net_head h;
    struct gf_arena a = GF_ARENA_INIT;
    const char *lines[] = { "HTTP/1.1 302 Found\r\n", "ETag: old\r\n", "HTTP/2 206\r\n", "Content-Range: bytes 5-9/100\r\n", "CONTENT-LENGTH: 5\r\n",
                            "Retry-After: 7\r\n", "etag:  W/\"x\" \r\n", "nonsense\r\n", "\r\n" };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) net_head_line(&h, &a, gf_slice_of(lines[i]));
    assert_int_equal(h.status, 206);
    assert_string_equal(h.etag, "W/\"x\"");
    assert_true(h.has_range && h.range_first == 5 && h.range_last == 9 && h.range_total == 100);
    assert_int_equal(h.length, 5);
    assert_int_equal(h.retry_after_ms, 7000);
    net_head_line(&h, &a, GF_S("Content-Range: bytes */1234"));
    assert_true(h.range_first == -1 && h.range_total == 1234);
    net_head_line(&h, &a, GF_S("Retry-After: 100000"));
    assert_int_equal(h.retry_after_ms, 60000);
    net_head_line(&h, &a, GF_S("Retry-After: Thu, 01 Jan 1970 00:00:01 GMT"));
    assert_int_equal(h.retry_after_ms, 0);
    gf_arena_release(&a);
}

static void waits_grow_and_are_bounded(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        int64_t first = net_backoff_ms(1, -1), third = net_backoff_ms(3, -1), late = net_backoff_ms(30, -1);
        assert_true(first >= 125 && first <= 250);
        assert_true(third >= 500 && third <= 1000);
        assert_true(late >= 4000 && late <= 8000);
        assert_int_equal(net_backoff_ms(1, 60000), 60000);
    }
}

static void freshness(void **state)
{
    (void)state;
    assert_int_equal(net_cache_max_age(NULL), -1);
    assert_int_equal(net_cache_max_age("public, max-age=600"), 600);
    assert_int_equal(net_cache_max_age("Max-Age = 5, no-cache"), 0);
    assert_int_equal(net_cache_max_age("max-age=x"), -1);
    struct net_entry e = { .stored = 1000, .max_age = 10 };
    assert_true(net_entry_fresh(&e, 1000) && net_entry_fresh(&e, 1009));
    assert_false(net_entry_fresh(&e, 1010) || net_entry_fresh(&e, 999));
    e.max_age = -1;
    assert_false(net_entry_fresh(&e, 1000));
}

static void entries_come_back_as_they_went(void **state)
{
    (void)state;
    char dir[] = "/tmp/gf-cache-XXXXXX";
    assert_non_null(mkdtemp(dir));
    GF_FREE char *below = gf_xasprintf("%s/not/yet", dir);
    struct net_cache *c = net_cache_open(below, NULL);
    struct net_entry e = { .bytes = GF_S("some\0bytes"), .stored = 5, .max_age = 6, .etag = "\"t\"" }, got;
    assert_false(net_cache_get(c, "page", "https://h/x/", &got));
    net_cache_put(c, "page", "https://h/x/", &e);
    assert_true(net_cache_get(c, "page", "https://h/x/", &got));
    assert_true(gf_slice_eq(got.bytes, e.bytes) && got.stored == 5 && got.max_age == 6 && !got.last_modified);
    assert_string_equal(got.etag, "\"t\"");
    assert_int_equal((uintptr_t)got.bytes.p % 8, 0);
    net_entry_release(&got);
    assert_false(net_cache_get(c, "metadata", "https://h/x/", &got));
    char hex[GF_SHA256_HEX];
    gf_sha256_hex(e.bytes, hex);
    assert_null(net_cache_content(c, hex, -1));
    net_cache_content_put(c, hex, e.bytes);
    char *path = net_cache_content(c, hex, 10);
    assert_non_null(path);
    free(path);
    assert_null(net_cache_content(c, hex, 11));
    assert_null(net_cache_content(c, "../../../etc/passwd", -1));
    net_cache_content_drop(c, hex);
    assert_null(net_cache_content(c, hex, -1));
    net_cache_close(c);
    GF_FREE char *rm = gf_xasprintf("rm -r %s", dir);
    assert_int_equal(system(rm), 0);
}

static void pip_conf_corners(void **state)
{
    (void)state;
    struct gf_arena a = GF_ARENA_INIT;
    struct src_pip_settings s = { 0 };
    struct gf_err err = GF_ERR_INIT;
    gf_slice text = GF_S("\xef\xbb\xbf; comment\n[global]\nINDEX_URL = one = two\nno-index = no\n\n[other]\nindex-url=x\n[download]\nno_index: yes\r\n"
                         "extra-index-url =\n  a\n\n  b\n");
    assert_int_equal(src_pip_settings_read(&a, text, "pip.conf", &s, &err), 0);
    assert_string_equal(s.index_url, "one = two");
    assert_string_equal(s.extra_index_url, "a\nb");
    assert_true(s.no_index);
    assert_int_equal(src_pip_settings_read(&a, GF_S("[global\n"), "pip.conf", &s, &err), -1);
    gf_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(html_pages_as_they_are_written),
        cmocka_unit_test(json_pages_as_they_are_written),
        cmocka_unit_test(what_is_no_page_is_refused),
        cmocka_unit_test(a_damaged_flat_form_is_refused),
        cmocka_unit_test(whose_file_a_name_is),
        cmocka_unit_test(times_are_utc),
        cmocka_unit_test(source_archives_are_believed_when_they_vouch),
        cmocka_unit_test(how_source_archives_are_built),
        cmocka_unit_test(sparse_readers_know_what_they_lack),
        cmocka_unit_test(response_heads),
        cmocka_unit_test(waits_grow_and_are_bounded),
        cmocka_unit_test(freshness),
        cmocka_unit_test(entries_come_back_as_they_went),
        cmocka_unit_test(pip_conf_corners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
