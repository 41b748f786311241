#include "model/verdict.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static struct mdl_verdict *with(enum mdl_level level)
{
    struct mdl_verdict *v = mdl_verdict_new();
    mdl_verdict_add(v, (struct mdl_finding){ .level = level, .kind = MDL_INCOMPATIBLE, .rule = "R-X", .cause = "because" });
    return v;
}

static void outcome_is(struct mdl_verdict *v, enum mdl_outcome want, int status)
{
    mdl_verdict_settle(v);
    assert_int_equal(v->outcome, want);
    assert_int_equal(mdl_verdict_exit(v), status);
    mdl_verdict_free(v);
}

static void broken_goes_before_unknown_before_works(void **state)
{
    (void)state;
    outcome_is(mdl_verdict_new(), MDL_WORKS, 0);
    outcome_is(with(MDL_WARNING), MDL_WORKS, 0);
    outcome_is(with(MDL_ERROR), MDL_BROKEN, 1);
    struct mdl_verdict *v = with(MDL_NOTE);
    v->undecided = true;
    outcome_is(v, MDL_UNDECIDED, 3);
    v = with(MDL_ERROR);
    v->undecided = true;
    outcome_is(v, MDL_BROKEN, 1);
}

static void errors_come_first_in_the_order_found(void **state)
{
    (void)state;
    struct mdl_verdict *v = with(MDL_NOTE);
    mdl_verdict_add(v, (struct mdl_finding){ .level = MDL_ERROR, .rule = "R-1", .cause = "a" });
    mdl_verdict_add(v, (struct mdl_finding){ .level = MDL_WARNING, .rule = "R-2", .cause = "b" });
    mdl_verdict_add(v, (struct mdl_finding){ .level = MDL_ERROR, .rule = "R-3", .cause = "c" });
    mdl_verdict_settle(v);
    const char *want[] = { "R-1", "R-3", "R-2", "R-X" };
    for (size_t i = 0; i < 4; i++) assert_string_equal(v->findings[i].rule, want[i]);
    mdl_verdict_free(v);
}

static void document_is_stable(void **state)
{
    (void)state;
    struct mdl_verdict *v = mdl_verdict_new();
    const char *command = "pip install x";
    struct mdl_finding f = { .level = MDL_ERROR, .kind = MDL_BROKEN_HOST, .rule = "R-X", .about = "torch", .cause = "because",
                             .confidence = "low", .fix_text = "install x", .fix_commands = { &command, 1 } };
    mdl_verdict_add(v, f);
    mdl_verdict_miss(v, "driver");
    mdl_verdict_miss(v, "driver");
    mdl_verdict_settle(v);
    GF_BUF_SCOPE struct gf_buf out;
    gf_buf_init(&out, 4096);
    struct gf_jw w;
    gf_jw_init(&w, &out, true);
    mdl_verdict_write(v, &w);
    assert_string_equal(gf_buf_str(&out),
                        "{\"schema\":\"gpuferry.verdict/1\",\"verdict\":\"broken\",\"findings\":[{\"level\":\"error\",\"rule\":\"R-X\",\"kind\":\"broken_host\","
                        "\"about\":\"torch\",\"cause\":\"because\",\"facts\":[],\"sources\":[],\"confidence\":\"low\",\"next\":[],"
                        "\"fix\":{\"text\":\"install x\",\"commands\":[\"pip install x\"],\"proven\":false}}],\"missing_facts\":[\"driver\"]}");
    mdl_verdict_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_goes_before_unknown_before_works),
        cmocka_unit_test(errors_come_first_in_the_order_found),
        cmocka_unit_test(document_is_stable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
