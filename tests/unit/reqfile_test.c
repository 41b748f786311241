#include "python/reqfile.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

struct file {
    const char *path, *text;
};

static int read_file(void *arg, const char *path, struct gf_buf *out, struct gf_err *err)
{
    for (const struct file *f = arg; f->path; f++)
        if (!strcmp(f->path, path)) {
            gf_buf_adds(out, f->text);
            return 0;
        }
    return gf_fail(err, GF_E_IO, "'%s' is not there", path);
}

static const char *variable(void *arg, const char *name)
{
    (void)arg;
    return strcmp(name, "TOKEN") ? NULL : "secret";
}

static int load(struct py_reqfile *f, const struct file *files, struct gf_err *err)
{
    struct py_reqfile_io io = { read_file, variable, (void *)(uintptr_t)files, NULL };
    py_reqfile_init(f);
    return py_reqfile_load(f, files->path, PY_REQUIREMENTS, &io, err);
}

static void everything_pip_knows_and_a_lock_can_honour(void **state)
{
    (void)state;
    static const struct file files[] = {
        { "d/r.txt", "# comment\n\ntorch==2.10.0 ; python_version >= '3.9'  # why\nnumpy \\\n  >=1.26, \\\n  <2\n-r sub/more.txt\n-csub/limits.txt\n"
                     "--index-url=https://u:${TOKEN}@h/simple/ --extra-index-url 'https://x/simple'\n--pre\n--no-index\n--find-links wheels\n--only-binary :all:\n--no-binary Foo,bar\n--prefer-binary\n--trusted-host h\n" },
        { "d/sub/more.txt", "\xEF\xBB\xBFtransformers[Torch]>=4\r\n./local/pkg_a-1.0-py3-none-any.whl\r\n-r ../again.txt\r\n" },
        { "d/sub/../again.txt", "https://h/w/b_c-2.0%2Bcu128-py3-none-any.whl#sha256=00 ; extra == 'x'\n" },
        { "d/sub/limits.txt", "numpy<2.2\n" },
        { NULL, NULL },
    };
    struct py_reqfile f;
    struct gf_err err = GF_ERR_INIT;
    if (load(&f, files, &err)) fail_msg("%s", err.text);
    static const char *const want[] = { "torch==2.10.0; python_version >= \"3.9\"", "numpy<2,>=1.26", "transformers[torch]>=4", "pkg-a @ ./local/pkg_a-1.0-py3-none-any.whl",
                                        "b-c @ https://h/w/b_c-2.0%2Bcu128-py3-none-any.whl#sha256=00 ; extra == \"x\"" };
    assert_int_equal(f.lines[PY_REQUIREMENTS].n, 5);
    for (size_t i = 0; i < 5; i++) assert_string_equal(py_req_text(&f.mem, &f.lines[PY_REQUIREMENTS].v[i].req), want[i]);
    assert_int_equal(f.lines[PY_REQUIREMENTS].v[1].line, 4);
    assert_string_equal(f.lines[PY_REQUIREMENTS].v[2].file, "d/sub/more.txt");
    assert_int_equal(f.lines[PY_CONSTRAINTS].n, 1);
    assert_string_equal(f.index_url, "https://u:secret@h/simple/");
    assert_string_equal(f.extra_index_urls.v[0], "https://x/simple");
    assert_string_equal(f.find_links.v[0], "wheels");
    assert_true(f.pre && f.no_index && f.prefer_binary && !f.require_hashes);
    assert_int_equal(f.nignored, 1);
    bool wheel, sdist;
    py_formats_allow(&f.formats, GF_S("foo"), &wheel, &sdist);
    assert_true(!wheel && sdist);
    py_formats_allow(&f.formats, GF_S("torch"), &wheel, &sdist);
    assert_true(wheel && !sdist);
    py_reqfile_release(&f);
}

static void hashes_stand_behind_a_requirement(void **state)
{
    (void)state;
#define HEX "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD"
    static const struct file files[] = { { "r", "a==1 --hash=sha256:" HEX " \\\n  --hash sha256:" HEX "\n" }, { NULL, NULL } };
    struct py_reqfile f;
    assert_int_equal(load(&f, files, NULL), 0);
    assert_int_equal(f.lines[0].v[0].nhashes, 2);
    assert_string_equal(f.lines[0].v[0].hashes[0], "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_true(f.require_hashes);
    py_reqfile_release(&f);
}

static void refuses(const char *text, const char *part)
{
    const struct file files[] = { { "r.txt", text }, { "loop.txt", "-r loop.txt" }, { NULL, NULL } };
    struct py_reqfile f;
    struct gf_err err = GF_ERR_INIT;
    if (!load(&f, files, &err)) fail_msg("'%s' should be refused", text);
    if (!strstr(err.text, part)) fail_msg("'%s' should say '%s'", err.text, part);
    py_reqfile_release(&f);
}

static void what_a_lock_cannot_honour_is_refused_by_name(void **state)
{
    (void)state;
    refuses("a\n-e .\n", "r.txt:2: an editable install needs its source tree");
    refuses("git+https://h/x.git@main\n", "r.txt:1: 'git+https://h/x.git@main' is a version control URL");
    refuses("a @ git+https://h/x.git\n", "version control URL");
    refuses("./folder\n", "is no wheel or source archive");
    refuses("./x.whl\n", "does not tell name and version");
    refuses("a==1 --hash=md5:00\n", "expected --hash=sha256:HEX");
    refuses("a==1 --frobnicate\n", "r.txt:1: unknown option behind a requirement: '--frobnicate'");
    refuses("--frobnicate\n", "unknown option '--frobnicate'");
    refuses("--pre=1\n", "no value is expected");
    refuses("\n\n-r\n", "r.txt:3: a value is missing behind '-r'");
    refuses("-r nowhere.txt\n", "r.txt:1: 'nowhere.txt' is not there");
    refuses("-r loop.txt\n", "'loop.txt' includes itself");
    refuses("a b\n", "r.txt:1: requirement 'a b'");
    refuses("./a-1-py3-none-any.whl >=1\n", "a version cannot be asked for");
    refuses("-c c.txt\n", "c.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_pip_knows_and_a_lock_can_honour),
        cmocka_unit_test(hashes_stand_behind_a_requirement),
        cmocka_unit_test(what_a_lock_cannot_honour_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
