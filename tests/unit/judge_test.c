/* Every profile of tests/cases through check and doctor with the real data, so that the sanitizers see all links. */
#include "base/file.h"
#include "judge/judge.h"
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static struct mtx *m;
static struct jdg_knowledge *k;

static int begin(void **state)
{
    (void)state;
    struct gf_err err = GF_ERR_INIT;
    struct jdg_table tables[32];
    gf_slice path, text;
    size_t n = 0;
    if (mtx_open(NULL, &m, &err)) fail_msg("%s", err.text);
    for (size_t i = 0; mtx_file_at(m, i, &path, &text); i++)
        if (gf_slice_starts(path, GF_S("doctor/")) && n < 32) tables[n++] = (struct jdg_table){ "doctor", text };
    if (jdg_knowledge_new(tables, n, &k, &err)) fail_msg("%s", err.text);
    assert_true(jdg_knowledge_count(k) > 150);
    return 0;
}

static int end(void **state)
{
    (void)state;
    jdg_knowledge_free(k);
    mtx_free(m);
    return 0;
}

static void write_out(const struct mdl_verdict *v)
{
    GF_BUF_SCOPE struct gf_buf out;
    gf_buf_init(&out, 1u << 20);
    struct gf_jw w;
    gf_jw_init(&w, &out, true);
    mdl_verdict_write(v, &w);
    assert_false(gf_buf_failed(&out));
}

static enum mdl_outcome judge_text(gf_slice text, const char *label)
{
    struct gf_err err = GF_ERR_INIT;
    struct mdl_profile *p = NULL;
    if (mdl_profile_parse(text, label, &p, &err)) fail_msg("%s", err.text);
    struct mdl_verdict *v = mdl_verdict_new();
    jdg_check(m, k, p, v);
    write_out(v);
    enum mdl_outcome outcome = v->outcome;
    mdl_verdict_free(v);
    for (size_t i = 0; i < p->nerrors; i++) {
        struct jdg_reading *r = jdg_reading_new(k);
        jdg_reading_add(r, gf_slice_of(p->errors[i]));
        jdg_reading_end(r);
        v = mdl_verdict_new();
        jdg_diagnose(m, k, r, i & 1 ? NULL : p, v);
        write_out(v);
        mdl_verdict_free(v);
        jdg_reading_free(r);
    }
    mdl_profile_free(p);
    return outcome;
}

static void public_cases(void **state)
{
    (void)state;
    DIR *d = opendir("tests/cases/public");
    struct dirent *e;
    size_t n = 0;
    assert_non_null(d);
    while ((e = readdir(d)) != NULL) {
        char path[400];
        struct gf_buf text;
        if (!strstr(e->d_name, ".json")) continue;
        snprintf(path, sizeof path, "tests/cases/public/%s", e->d_name);
        gf_buf_init(&text, 1u << 20);
        assert_int_equal(gf_file_read(path, 1u << 20, &text, NULL), 0);
        judge_text(gf_buf_slice(&text), path);
        gf_buf_release(&text);
        n++;
    }
    closedir(d);
    assert_int_equal(n, 99);
}

static void links(void **state)
{
    (void)state;
    static const char *const words[] = { "works", "broken", "unknown" };
    GF_BUF_SCOPE struct gf_buf file;
    gf_buf_init(&file, 1u << 22);
    assert_int_equal(gf_file_read("tests/cases/links.jsonl", 1u << 22, &file, NULL), 0);
    gf_slice rest = gf_buf_slice(&file), line;
    while (gf_slice_line(&rest, &line)) {
        GF_JSON_SCOPE struct gf_json_doc *doc = NULL;
        assert_int_equal(gf_json_parse(line, "links.jsonl", &doc, NULL), 0);
        GF_BUF_SCOPE struct gf_buf text;
        gf_buf_init(&text, 1u << 16);
        gf_buf_adds(&text, "{\"schema\":\"gpuferry.profile/1\"");
        for (const gf_json *c = gf_json_first(gf_json_get(gf_json_root(doc), "profile")); c; c = gf_json_next(c)) {
            struct gf_jw w;
            gf_buf_addf(&text, ",\"%s\":", gf_json_key(c));
            gf_jw_init(&w, &text, true);
            gf_jw_value(&w, c);
        }
        gf_buf_addc(&text, '}');
        enum mdl_outcome got = judge_text(gf_buf_slice(&text), "links.jsonl");
        const char *want = gf_json_cstr(gf_json_get(gf_json_root(doc), "want"));
        if (strcmp(words[got], want) != 0) fail_msg("%s: %s, expected %s", gf_json_cstr(gf_json_get(gf_json_root(doc), "why")), words[got], want);
    }
}

static void bad_tables_are_refused(void **state)
{
    (void)state;
    static const struct { const char *text, *says; } bad[] = {
        { "{}", "\"messages\"" },
        { "{\"messages\":[{\"id\":\"a\"}]}", "/messages/0/" },
        { "{\"messages\":[{\"id\":\"a\",\"match\":[\"abc\"],\"rule\":\"R\",\"cause\":\"c\",\"source\":\"s\",\"colour\":1}]}", "/messages/0/colour" },
        { "{\"messages\":[{\"id\":\"a\",\"match\":[\"a*\"],\"rule\":\"R\",\"cause\":\"c\",\"source\":\"s\"}]}", "literal" },
        { "{\"messages\":[{\"id\":\"a\",\"match\":[\"abc\"],\"rule\":\"R\",\"cause\":\"c\",\"source\":\"s\",\"cases\":[{\"cause\":\"x\"}]}]}", "\"if\"" },
        { "{\"messages\":[{\"id\":\"a\",\"match\":[\"abc\"],\"rule\":\"R\",\"cause\":\"c\",\"source\":\"s\",\"cases\":[{\"if\":\"a=\"}]}]}", "/messages/0/if" },
        { "{\"messages\":[{\"id\":\"a\",\"match\":[\"abc\"],\"rule\":\"R\",\"cause\":\"c\",\"source\":\"s\",\"kind\":\"odd\"}]}", "/messages/0/kind" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct gf_err err = GF_ERR_INIT;
        struct jdg_knowledge *none = NULL;
        struct jdg_table t = { "x.json", gf_slice_of(bad[i].text) };
        assert_int_equal(jdg_knowledge_new(&t, 1, &none, &err), -1);
        if (!strstr(err.text, bad[i].says)) fail_msg("'%s' should say '%s'", err.text, bad[i].says);
    }
}

static void a_message_means_other_things_with_other_facts(void **state)
{
    (void)state;
    static const struct { const char *facts, *rule; } machines[] = {
        { "{\"schema\":\"gpuferry.profile/1\",\"os\":{\"wsl\":true}}", "R-WSL" },
        { "{\"schema\":\"gpuferry.profile/1\",\"image\":{\"image\":\"x\"}}", "R-HOST-FACT" },
        { "{\"schema\":\"gpuferry.profile/1\",\"driver\":null,\"os\":{\"id\":\"debian\"}}", "R-STATE" },
    };
    for (size_t i = 0; i < 3; i++) {
        struct mdl_profile *p = NULL;
        struct jdg_reading *r = jdg_reading_new(k);
        assert_int_equal(mdl_profile_parse(gf_slice_of(machines[i].facts), "x", &p, NULL), 0);
        jdg_reading_add(r, GF_S("ImportError: libcuda.so.1: cannot open shared object file: No such file or directory\n"));
        jdg_reading_end(r);
        struct mdl_verdict *v = mdl_verdict_new();
        jdg_diagnose(m, k, r, p, v);
        assert_true(v->nfindings > 0);
        assert_string_equal(v->findings[0].rule, machines[i].rule);
        mdl_verdict_free(v);
        jdg_reading_free(r);
        mdl_profile_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(public_cases),
        cmocka_unit_test(links),
        cmocka_unit_test(bad_tables_are_refused),
        cmocka_unit_test(a_message_means_other_things_with_other_facts),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
