#include "archive/tar.h"
#include "archive/zip.h"
#include "base/mem.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

/* Archives are made by Python's zipfile and tarfile: another hand than ours. */
static gf_slice made_by_python(const char *script)
{
    GF_FREE char *command = gf_xasprintf("python3 -c \"import sys,zipfile,tarfile,io\nout=io.BytesIO()\n%s\nsys.stdout.buffer.write(out.getvalue())\"", script);
    FILE *f = popen(command, "r");
    assert_non_null(f);
    struct gf_buf b;
    gf_buf_init(&b, 64u << 20);
    char part[65536];
    for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;) gf_buf_add(&b, part, n);
    assert_int_equal(pclose(f), 0);
    size_t n = b.n;
    return gf_slice_n(gf_buf_steal(&b), n);
}

static void let_go(gf_slice bytes) { free((void *)(uintptr_t)bytes.p); }

static void reads(struct arc_zip *z, const char *name, const char *want)
{
    GF_BUF_SCOPE struct gf_buf text;
    gf_buf_init(&text, 1000000);
    struct gf_err err = GF_ERR_INIT;
    const struct arc_zip_member *m = arc_zip_find(z, gf_slice_of(name));
    assert_non_null(m);
    if (arc_zip_read(z, m, &text, &err)) fail_msg("%s", err.text);
    assert_string_equal(gf_buf_str(&text), want);
}

static void zip_members_are_read(void **state)
{
    (void)state;
    gf_slice bytes = made_by_python("z=zipfile.ZipFile(out,'w')\n"
                                    "z.writestr('a/one.txt','stored',zipfile.ZIP_STORED)\n"
                                    "z.writestr('a/two.txt','packed '*1000,zipfile.ZIP_DEFLATED)\n"
                                    "z.writestr('a/','')\nz.writestr('empty','')\nz.comment=b'x'*3000\nz.close()");
    struct gf_reader *r = gf_reader_memory(bytes, "x.zip");
    struct arc_zip *z = NULL;
    struct gf_err err = GF_ERR_INIT;
    if (arc_zip_open(r, &z, &err)) fail_msg("%s", err.text);
    assert_int_equal(arc_zip_count(z), 4);
    reads(z, "a/one.txt", "stored");
    reads(z, "empty", "");
    const struct arc_zip_member *m = arc_zip_find(z, GF_S("a/two.txt"));
    assert_int_equal(m->size, 7000);
    assert_true(m->packed < 100 && m->safe && !m->folder);
    assert_true(arc_zip_get(z, 2)->folder && arc_zip_get(z, 2)->safe);
    GF_BUF_SCOPE struct gf_buf small;
    gf_buf_init(&small, 6999);
    assert_int_equal(arc_zip_read(z, m, &small, &err), -1);
    assert_int_equal(err.code, GF_E_LIMIT);
    uint64_t at, length;
    arc_zip_span(z, m, &at, &length);
    assert_int_equal(at, m->offset);
    assert_true(length >= 30 + 9 + m->packed && length < 30 + 9 + m->packed + 64);
    arc_zip_free(z);
    gf_reader_close(r);
    let_go(bytes);
}

static void zip64_is_understood(void **state)
{
    (void)state;
    gf_slice bytes = made_by_python("z=zipfile.ZipFile(out,'w')\n"
                                    "for i in range(66000): z.writestr('d/%05d'%i,str(i))\n"
                                    "f=z.open('wide','w',force_zip64=True)\nf.write(b'wide')\nf.close()\nz.close()");
    struct gf_reader *r = gf_reader_memory(bytes, "x.zip");
    struct arc_zip *z = NULL;
    struct gf_err err = GF_ERR_INIT;
    if (arc_zip_open(r, &z, &err)) fail_msg("%s", err.text);
    assert_int_equal(arc_zip_count(z), 66001);
    reads(z, "d/65999", "65999");
    reads(z, "wide", "wide");
    arc_zip_free(z);
    gf_reader_close(r);
    let_go(bytes);
}

static void refuses(gf_slice bytes, const char *part, enum gf_code code)
{
    struct gf_reader *r = gf_reader_memory(bytes, "x.zip");
    struct arc_zip *z = NULL;
    struct gf_err err = GF_ERR_INIT;
    int rc = arc_zip_open(r, &z, &err);
    for (size_t i = 0; !rc && i < arc_zip_count(z); i++) {
        GF_BUF_SCOPE struct gf_buf text;
        gf_buf_init(&text, 100000);
        rc = arc_zip_read(z, arc_zip_get(z, i), &text, &err);
    }
    assert_int_equal(rc, -1);
    if (!strstr(err.text, part)) fail_msg("'%s' should say '%s'", err.text, part);
    assert_int_equal(err.code, code);
    arc_zip_free(z);
    gf_reader_close(r);
}

static void damage_is_named(void **state)
{
    (void)state;
    refuses(GF_S("not a zip at all, just text"), "no end record", GF_E_PARSE);
    refuses(GF_S(""), "no end record", GF_E_PARSE);
    gf_slice bytes = made_by_python("z=zipfile.ZipFile(out,'w',zipfile.ZIP_DEFLATED)\nz.writestr('one.txt','some text, some text, some text')\nz.close()");
    char *p = (char *)(uintptr_t)bytes.p;
    refuses(gf_slice_sub(bytes, 0, bytes.n - 1), "no end record", GF_E_PARSE);
    p[0] = 'X';
    refuses(bytes, "no local header", GF_E_INTEGRITY);
    p[0] = 'P';
    p[30] = 'O';
    refuses(bytes, "tells another name", GF_E_INTEGRITY);
    p[30] = 'o';
    p[40] ^= 0x55;
    refuses(bytes, "is damaged", GF_E_INTEGRITY);
    p[40] ^= 0x55;
    ptrdiff_t directory = gf_slice_find(bytes, GF_S("PK\1\2"));
    p[directory + 16] ^= 1;
    refuses(bytes, "CRC-32", GF_E_INTEGRITY);
    p[directory + 16] ^= 1;
    p[directory + 24]++;
    refuses(bytes, "shorter than", GF_E_INTEGRITY);
    p[directory + 24] -= 2;
    refuses(bytes, "longer than", GF_E_INTEGRITY);
    p[directory + 24]++;
    p[directory + 10] = 14;
    refuses(bytes, "method 14", GF_E_PARSE);
    p[directory + 10] = 8;
    p[directory + 42] = 100;
    refuses(bytes, "outside", GF_E_PARSE);
    let_go(bytes);
}

static void names_that_leave_are_marked(void **state)
{
    (void)state;
    gf_slice bytes = made_by_python("z=zipfile.ZipFile(out,'w')\nfor n in ('../up','/root','a/../../b','good/x'): z.writestr(n,'')\nz.close()");
    struct gf_reader *r = gf_reader_memory(bytes, "x.zip");
    struct arc_zip *z = NULL;
    assert_int_equal(arc_zip_open(r, &z, NULL), 0);
    for (size_t i = 0; i < 4; i++) assert_int_equal(arc_zip_get(z, i)->safe, i == 3);
    arc_zip_free(z);
    gf_reader_close(r);
    let_go(bytes);
}

static void tar_is_read(const char *mode)
{
    GF_FREE char *script = gf_xasprintf("t=tarfile.open(fileobj=out,mode='w:%s',format=tarfile.PAX_FORMAT)\n"
                                        "i=tarfile.TarInfo('./a/one.txt')\ni.size=3\ni.mode=0o755\nt.addfile(i,io.BytesIO(b'one'))\n"
                                        "i=tarfile.TarInfo('a/link')\ni.type=tarfile.SYMTYPE\ni.linkname='/etc/passwd'\nt.addfile(i)\n"
                                        "i=tarfile.TarInfo('../up')\nt.addfile(i)\n"
                                        "i=tarfile.TarInfo('d\\u00e9/x')\ni.size=2\nt.addfile(i,io.BytesIO(b'xx'))\nt.close()", mode);
    gf_slice bytes = made_by_python(script);
    struct gf_reader *r = gf_reader_memory(bytes, "x.tar");
    struct arc_tar *t = NULL;
    struct gf_err err = GF_ERR_INIT;
    if (arc_tar_open(r, 1000, &t, &err)) fail_msg("%s: %s", mode, err.text);
    const struct arc_entry *e = NULL;
    assert_int_equal(arc_tar_next(t, &e, &err), 1);
    assert_string_equal(e->path, "a/one.txt");
    assert_true(e->kind == ARC_FILE && e->mode == 0755 && e->size == 3 && e->safe);
    GF_BUF_SCOPE struct gf_buf text;
    gf_buf_init(&text, 100);
    assert_int_equal(arc_tar_read_all(t, &text, &err), 0);
    assert_string_equal(gf_buf_str(&text), "one");
    assert_int_equal(arc_tar_next(t, &e, &err), 1);
    assert_true(e->kind == ARC_SYMLINK);
    assert_string_equal(e->link, "/etc/passwd");
    assert_int_equal(arc_tar_next(t, &e, &err), 1);
    assert_false(e->safe);
    assert_int_equal(arc_tar_next(t, &e, &err), 1);
    assert_string_equal(e->path, "d\xc3\xa9/x");
    assert_int_equal(arc_tar_next(t, &e, &err), 0);
    arc_tar_close(t);
    gf_reader_close(r);
    let_go(bytes);
}

static void tar_in_its_packings(void **state)
{
    (void)state;
    tar_is_read("");
    tar_is_read("gz");
    tar_is_read("bz2");
    tar_is_read("xz");
}

static void tar_caps_hold(void **state)
{
    (void)state;
    gf_slice bytes = made_by_python("t=tarfile.open(fileobj=out,mode='w:gz')\ni=tarfile.TarInfo('big')\ni.size=5000000\nt.addfile(i,io.BytesIO(bytes(5000000)))\nt.close()");
    struct gf_reader *r = gf_reader_memory(bytes, "x.tar.gz");
    struct arc_tar *t = NULL;
    struct gf_err err = GF_ERR_INIT;
    const struct arc_entry *e = NULL;
    assert_int_equal(arc_tar_open(r, 1000000, &t, &err), 0);
    assert_int_equal(arc_tar_next(t, &e, &err), -1);
    assert_int_equal(err.code, GF_E_LIMIT);
    arc_tar_close(t);
    gf_reader_close(r);
    r = gf_reader_memory(gf_slice_sub(bytes, 0, bytes.n / 2), "cut.tar.gz");
    assert_int_equal(arc_tar_open(r, 1u << 30, &t, &err), 0);
    GF_BUF_SCOPE struct gf_buf text;
    gf_buf_init(&text, 10000000);
    int rc = arc_tar_next(t, &e, &err);
    if (rc == 1) rc = arc_tar_read_all(t, &text, &err);
    assert_int_equal(rc, -1);
    assert_int_equal(err.code, GF_E_PARSE);
    arc_tar_close(t);
    gf_reader_close(r);
    let_go(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zip_members_are_read),  cmocka_unit_test(zip64_is_understood), cmocka_unit_test(damage_is_named),
        cmocka_unit_test(names_that_leave_are_marked), cmocka_unit_test(tar_in_its_packings), cmocka_unit_test(tar_caps_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
