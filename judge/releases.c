/* Releases that a table names as belonging together: torch_npu and CANN (R-NPU-CANN), an extension and the torch it was built with (R-ABI). */
#include "judge/link.h"

static const char *with(const struct mtx_release *r, const char *key)
{
    for (size_t i = 0; i < r->nwith; i++)
        if (strcmp(r->with[i].key, key) == 0) return r->with[i].value;
    return NULL;
}

static bool only_a_version(const char *text)
{
    for (; text && *text; text++)
        if (!gf_is_digit((unsigned char)*text) && *text != '.') return false;
    return text != NULL;
}

/* "8.3.RC1": the numbers in front. */
static gf_slice numbers_of(const char *text)
{
    gf_slice s = gf_slice_of(text);
    size_t n = 0;
    while (n < s.n && (gf_is_digit((unsigned char)s.p[n]) || (s.p[n] == '.' && n + 1 < s.n && gf_is_digit((unsigned char)s.p[n + 1])))) n++;
    return gf_slice_sub(s, 0, n);
}

/* A newer CANN than the table's often works, an older one lacks what is called. */
static void judge_cann(struct jdg *j, const struct jdg_pkg *npu, const struct mtx_release *r, const char *cann)
{
    gf_slice have = numbers_of(j->p->cann), want = numbers_of(cann);
    int c = have.n && want.n ? gf_dotted_cmp(have, want) : 0;
    if (c == 0) return;
    struct mdl_finding *f = jdg_find(j, c < 0 ? MDL_ERROR : MDL_WARNING, MDL_INCOMPATIBLE, "R-NPU-CANN", jdg_text(j, "%s and CANN %s", npu->label, j->p->cann),
                                     "%s goes with CANN %s, there is CANN %s", npu->label, cann, j->p->cann);
    f->fix_text = jdg_text(j, "CANN %s with its driver and firmware, or the torch_npu of CANN %s", cann, j->p->cann);
    jdg_source(j, f, r->source);
}

static void judge_torch(struct jdg *j, const struct jdg_pkg *ext, const struct mtx_release *r, const char *torch)
{
    const struct jdg_pkg *have = jdg_pkg(j, "torch");
    struct py_version want;
    if (!have || !have->has_version || !only_a_version(torch) || !py_version_parse(j->a, gf_slice_of(torch), &want)) return;
    if (py_version_cmp_public(&want, &have->version) == 0) return;
    bool minor = want.nrelease > 1 && have->version.nrelease > 1 && want.release[0] == have->version.release[0] && want.release[1] == have->version.release[1];
    struct mdl_finding *f = jdg_find(j, minor ? MDL_WARNING : MDL_ERROR, MDL_INCOMPATIBLE, "R-ABI", jdg_text(j, "%s and %s", ext->label, have->label),
                                     "%s is built for torch %s, there is %s", ext->label, torch, have->label);
    f->fix_text = jdg_text(j, "torch %s, or the %s of this torch, from the index of the same CUDA", torch, ext->name);
    jdg_source(j, f, r->source);
}

void jdg_link_releases(struct jdg *j)
{
    const struct mtx_release *rows;
    size_t n = mtx_releases(j->m, &rows);
    for (size_t i = 0; i < j->pkgs.n; i++) {
        const struct jdg_pkg *pkg = &j->pkgs.v[i];
        bool npu = strcmp(pkg->name, "torch-npu") == 0, xformers = strcmp(pkg->name, "xformers") == 0;
        if (!pkg->has_version || !(npu ? j->p->cann != NULL : xformers)) continue;
        for (size_t k = 0; k < n; k++) {
            struct py_version v;
            if (strcmp(rows[k].name, pkg->name) != 0 || !py_version_parse(j->a, gf_slice_of(rows[k].version), &v) || py_version_cmp_public(&v, &pkg->version) != 0) continue;
            const char *cann = npu ? with(&rows[k], "cann") : NULL, *torch = xformers ? with(&rows[k], "torch") : NULL;
            if (cann) judge_cann(j, pkg, &rows[k], cann);
            if (torch) judge_torch(j, pkg, &rows[k], torch);
            break;
        }
    }
}
