/* One profile, link by link. */
#include "judge/link.h"
#include "judge/knowledge.h"

void jdg_links(struct jdg *j)
{
    jdg_link_vendors(j);
    jdg_link_builds(j);
    jdg_link_gpu_code(j);
    jdg_link_driver(j);
    jdg_link_rules(j);
    jdg_link_abi(j);
    jdg_link_releases(j);
    jdg_link_container(j);
    jdg_link_host(j);
}

/* "found version 11040": the driver's CUDA as the run time saw it. */
static void take_told_cuda(struct jdg *j)
{
    if (j->driver_cuda || !j->errors) return;
    for JDG_HITS(j->errors, hit)
        for (size_t i = 0; i < hit->caps.n; i++) {
            uint64_t n;
            if (!gf_slice_is(hit->caps.v[i].name, "found") || !gf_slice_u64(hit->caps.v[i].value, &n) || n < 8000 || n > 99000) continue;
            j->driver_cuda = jdg_text(j, "%u.%u", (unsigned)(n / 1000), (unsigned)(n % 1000 / 10));
        }
}

static bool nothing_to_judge(const struct jdg *j)
{
    return !j->pkgs.n && !j->image && !j->host && !j->p->nerrors && !(j->driver && j->gpus.n);
}

void jdg_check(struct mtx *m, const struct jdg_knowledge *k, const struct mdl_profile *p, struct mdl_verdict *v)
{
    struct jdg j;
    struct jdg_reading *errors = k && p->nerrors ? jdg_reading_new(k) : NULL;
    for (size_t i = 0; errors && i < p->nerrors; i++) {
        jdg_reading_add(errors, gf_slice_of(p->errors[i]));
        jdg_reading_add(errors, GF_S("\n"));
    }
    if (errors) jdg_reading_end(errors);
    jdg_open(&j, m, p, v);
    j.errors = errors;
    take_told_cuda(&j);
    jdg_links(&j);
    jdg_link_errors(&j, k);
    if (nothing_to_judge(&j)) jdg_undecided(&j, "packages");
    jdg_close(&j);
    jdg_reading_free(errors);
    mdl_verdict_settle(v);
}
