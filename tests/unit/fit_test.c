/* Against the figures that the papers print. */
#include "judge/fit.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static double part(const struct jdg_estimate *e, const char *name)
{
    for (size_t i = 0; i < e->n; i++)
        if (strcmp(e->parts[i].name, name) == 0) return e->parts[i].high;
    return 0;
}

static double states(struct jdg_fit f)
{
    struct jdg_estimate e;
    jdg_fit_estimate(&f, &e);
    return (part(&e, "weights") + part(&e, "gradients") + part(&e, "optimizer states")) / 1e9;
}

static void near(double got, double want, double by)
{
    if (fabs(got - want) > by * want) fail_msg("%.3f, expected %.3f", got, want);
}

static const struct jdg_fit full = { .model = { .parameters = 7.5e9 }, .method = JDG_FULL, .bits = 16, .batch = 1, .sequence = 1024, .cards = 64, .flash = true };

/* ZeRO, figure 1: 7.5 billion parameters, 64 cards, Adam. */
static void zero_stages(void **state)
{
    (void)state;
    static const double printed[] = { 120, 31.4, 16.6, 1.9 };
    for (unsigned stage = 0; stage < 4; stage++) {
        struct jdg_fit f = full;
        f.zero = stage;
        near(states(f), printed[stage], 0.02);
    }
}

/* QLoRA: 65 billion parameters are tuned on one card of 48 GB; 16-bit tuning of all of them wants more than 780 GB. */
static void qlora_65b(void **state)
{
    (void)state;
    struct jdg_estimate e;
    struct jdg_fit f = { .model = { .parameters = 65.2e9, .layers = 80, .hidden = 8192, .intermediate = 22016, .heads = 64, .kv_heads = 64, .vocab = 32000 },
                         .method = JDG_QLORA, .bits = 4.127, .batch = 1, .sequence = 512, .rank = 64, .optimizer = JDG_ADAMW8, .checkpointing = true, .flash = true };
    jdg_fit_estimate(&f, &e);
    assert_true(e.low < 48e9 && e.low > 33e9);
    f.method = JDG_FULL;
    f.bits = 16;
    f.optimizer = JDG_ADAMW;
    assert_true(states(f) > 780);
}

/* PagedAttention, section 3: the KV cache of OPT-13B takes 800 KB a token, 1.6 GB for 2048. */
static void kv_cache_of_opt_13b(void **state)
{
    (void)state;
    struct jdg_estimate e;
    struct jdg_fit f = { .model = { .parameters = 13e9, .layers = 40, .hidden = 5120, .heads = 40, .vocab = 50272 }, .bits = 16, .kv_bits = 16, .batch = 1, .sequence = 2048, .flash = true };
    jdg_fit_estimate(&f, &e);
    near(part(&e, "KV cache") / 2048, 800 * 1024, 0.001);
    near(part(&e, "weights"), 26e9, 0.001);
}

/* Korthikanti et al., equation 1 for one layer, and the attention's share of GPT-3: 5·a·s/h = 80. */
static void activations_of_gpt3(void **state)
{
    (void)state;
    struct jdg_estimate e;
    struct jdg_fit f = { .model = { .parameters = 175e9, .layers = 96, .hidden = 12288, .heads = 96, .vocab = 51200 }, .method = JDG_FULL, .bits = 16, .batch = 1, .sequence = 2048 };
    jdg_fit_estimate(&f, &e);
    near(part(&e, "activations") / 1.3, 96 * 2048.0 * 12288 * (34 + 80), 0.001);
    f.checkpointing = true;
    jdg_fit_estimate(&f, &e);
    near(part(&e, "activations") / 1.3, 2048.0 * 12288 * (96 * 2 + 34 + 80), 0.001);
}

static void shape_of_a_number(void **state)
{
    (void)state;
    struct jdg_estimate e;
    struct jdg_fit f = { .model = { .parameters = 6.74e9 }, .bits = 16, .kv_bits = 16, .batch = 1, .sequence = 2048, .flash = true };
    jdg_fit_estimate(&f, &e);
    assert_true(f.model.shape_assumed);
    near(f.model.layers, 32, 0.05);
    near(f.model.hidden, 4096, 0.05);
}

static void numbers_are_read_whole(void **state)
{
    (void)state;
    double v = 0;
    assert_true(jdg_fit_number(GF_S("7B"), &v) && v == 7e9);
    assert_true(jdg_fit_number(GF_S("1.5b"), &v) && v == 1.5e9);
    assert_true(jdg_fit_number(GF_S("350M"), &v) && v == 350e6);
    assert_true(jdg_fit_number(GF_S("6738415616"), &v) && v == 6738415616.0);
    static const char *const bad[] = { "", "B", "7BB", "7.", ".5", "-1", "1e9", "0", "7 B", "99999999999999999999" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (jdg_fit_number(gf_slice_of(bad[i]), &v)) fail_msg("'%s' was taken for %g", bad[i], v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zero_stages),         cmocka_unit_test(qlora_65b),         cmocka_unit_test(kv_cache_of_opt_13b),
        cmocka_unit_test(activations_of_gpt3), cmocka_unit_test(shape_of_a_number), cmocka_unit_test(numbers_are_read_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
