/* A lock as text for people. */
#include "cli/planning.h"

static void add_target(const struct planning *p, struct gf_buf *out)
{
    tgt_describe(&p->target, out);
    if (out->n && out->p[out->n - 1] != '\n') gf_buf_addc(out, '\n');
    for (size_t i = 0; i < p->target.notes.n; i++) gf_buf_addf(out, "note: %s\n", p->target.notes.v[i]);
}

static void add_stack(const struct mdl_lock *l, struct gf_buf *out)
{
    gf_buf_addf(out, "\n%sstack%s\n", out_color(OUT_BOLD), out_color(OUT_RESET));
    for (size_t i = 0; i < l->nstack; i++) {
        const struct mdl_lock_item *s = &l->stack[i];
        gf_buf_addf(out, "  %-24s %s", s->name, s->version);
        if (s->variant) gf_buf_addf(out, " (%s)", s->variant);
        if (s->provided_by) gf_buf_addf(out, "  from %s", s->provided_by);
        if (s->origin) gf_buf_addf(out, "  %s", strcmp(s->origin, "target") == 0 ? "on the target" : "to be installed");
        gf_buf_addc(out, '\n');
    }
}

/* Wheels that come along to build source archives. */
static void add_builds(const struct mdl_lock *l, struct gf_buf *out)
{
    char size[24];
    for (size_t i = 0; i < l->nbuild; i++) {
        const struct mdl_lock_python *e = &l->build[i];
        if (e->size >= 0) out_bytes((uint64_t)e->size, size);
        else size[0] = '?', size[1] = '\0';
        gf_buf_addf(out, "  %-32s %-20s %8s  (builds", e->name, e->version, size);
        for (size_t k = 0; k < e->required_by.n; k++) gf_buf_addf(out, "%s %s", k ? "," : "", e->required_by.v[k]);
        gf_buf_adds(out, ")\n");
    }
}

static void add_packages(const struct rsv_result *r, const struct mdl_lock *l, struct gf_buf *out)
{
    char size[24];
    out_bytes(r->download, size);
    gf_buf_addf(out, "\n%spackages%s: %u, %s to download\n", out_color(OUT_BOLD), out_color(OUT_RESET), r->packages, size);
    for (size_t i = 0; i < l->npython; i++) {
        const struct mdl_lock_python *e = &l->python[i];
        if (e->size >= 0) out_bytes((uint64_t)e->size, size);
        else size[0] = '?', size[1] = '\0';
        bool installer = e->required_by.n == 1 && strcmp(e->required_by.v[0], "(installer)") == 0;
        gf_buf_addf(out, "  %-32s %-20s %8s%s%s\n", e->name, e->version, size, strcmp(e->kind, "sdist") == 0 ? "  source archive" : "", installer ? "  (installs the others)" : "");
    }
    add_builds(l, out);
}

static void add_sources(const struct mdl_strings *s, struct gf_buf *out)
{
    for (size_t i = 0; i < s->n; i++) gf_buf_addf(out, "%s%s", i ? ", " : "  [", s->v[i]);
    gf_buf_adds(out, s->n ? "]\n" : "\n");
}

static void add_reasons(const struct mdl_lock *l, struct gf_buf *out)
{
    if (!l->nreasons) return;
    gf_buf_addf(out, "\n%swhy%s\n", out_color(OUT_BOLD), out_color(OUT_RESET));
    for (size_t i = 0; i < l->nreasons; i++) {
        gf_buf_addf(out, "  %s", l->reasons[i].text);
        add_sources(&l->reasons[i].sources, out);
    }
}

static bool same_reason(const struct mdl_passed_over *a, const struct mdl_passed_over *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->reason.id, b->reason.id) == 0 && strcmp(a->reason.text, b->reason.text) == 0;
}

/* Neighbours with one reason in one line. */
static void add_passed_over(const struct mdl_lock *l, struct gf_buf *out)
{
    if (!l->npassed_over) return;
    gf_buf_addf(out, "\n%spassed over%s\n", out_color(OUT_BOLD), out_color(OUT_RESET));
    for (size_t i = 0; i < l->npassed_over;) {
        const struct mdl_passed_over *o = &l->passed_over[i];
        size_t n = 1;
        while (i + n < l->npassed_over && same_reason(o, &l->passed_over[i + n])) n++;
        gf_buf_addf(out, "  %s %s%s%s: %s", o->name, o->version, n > 1 ? " back to " : "", n > 1 ? l->passed_over[i + n - 1].version : "", o->reason.text);
        add_sources(&o->reason.sources, out);
        i += n;
    }
}

static void add_rest(const struct mdl_lock *l, struct gf_buf *out)
{
    if (l->nassumes) gf_buf_addf(out, "\n%sassumes%s (install.sh checks it)\n", out_color(OUT_BOLD), out_color(OUT_RESET));
    for (size_t i = 0; i < l->nassumes; i++) gf_buf_addf(out, "  %s %s%s%s%s\n", l->assumes[i].about, l->assumes[i].needs, l->assumes[i].source ? "  [" : "",
                                                         l->assumes[i].source ? l->assumes[i].source : "", l->assumes[i].source ? "]" : "");
    bool head = false;
    for (size_t i = 0; i < l->nsources; i++) {
        if (strcmp(l->sources[i].state, "unreachable") != 0) continue;
        if (!head) gf_buf_addf(out, "\n%snot considered%s\n", out_color(OUT_BOLD), out_color(OUT_RESET));
        head = true;
        gf_buf_addf(out, "  %s could not be reached; it could have changed: %s\n", l->sources[i].id, l->sources[i].could_change ? l->sources[i].could_change : "nothing");
    }
    if (l->warnings.n) gf_buf_addf(out, "\n%swarnings%s\n", out_color(OUT_YELLOW), out_color(OUT_RESET));
    for (size_t i = 0; i < l->warnings.n; i++) gf_buf_addf(out, "  %s\n", l->warnings.v[i]);
}

void out_plan_text(const struct planning *p, const struct rsv_result *r, const struct mdl_lock *l, struct gf_buf *out)
{
    add_target(p, out);
    add_stack(l, out);
    add_packages(r, l, out);
    add_reasons(l, out);
    add_passed_over(l, out);
    add_rest(l, out);
}
