/* Writing findings; texts live with the verdict. */
#include "judge/link.h"

static const char *format(struct jdg *j, const char *fmt, va_list ap)
{
    struct gf_buf b;
    gf_buf_init(&b, 1u << 16);
    gf_buf_vaddf(&b, fmt, ap);
    const char *text = gf_arena_strz(j->a, gf_buf_str(&b));
    gf_buf_release(&b);
    return text;
}

const char *jdg_text(struct jdg *j, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *text = format(j, fmt, ap);
    va_end(ap);
    return text;
}

void jdg_add_string(struct jdg *j, struct mdl_strings *list, const char *text)
{
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->v[i], text) == 0) return;
    const char **grown = gf_arena_alloc(j->a, (list->n + 1) * sizeof *grown);
    if (list->n) memcpy(grown, list->v, list->n * sizeof *grown);
    grown[list->n] = text;
    *list = (struct mdl_strings){ grown, list->n + 1 };
}

struct mdl_finding *jdg_find(struct jdg *j, enum mdl_level level, enum mdl_kind kind, const char *rule, const char *about, const char *cause_fmt, ...)
{
    va_list ap;
    va_start(ap, cause_fmt);
    struct mdl_finding f = { .level = level, .kind = kind, .rule = rule, .about = about, .cause = format(j, cause_fmt, ap), .confidence = "high" };
    va_end(ap);
    return mdl_verdict_add(j->v, f);
}

#define APPEND(list)                                                                                \
    do {                                                                                            \
        va_list ap;                                                                                 \
        va_start(ap, fmt);                                                                          \
        jdg_add_string(j, &f->list, format(j, fmt, ap));                                            \
        va_end(ap);                                                                                 \
    } while (0)

void jdg_fact(struct jdg *j, struct mdl_finding *f, const char *fmt, ...) { APPEND(facts); }
void jdg_next(struct jdg *j, struct mdl_finding *f, const char *fmt, ...) { APPEND(next); }
void jdg_command(struct jdg *j, struct mdl_finding *f, const char *fmt, ...) { APPEND(fix_commands); }

void jdg_source(struct jdg *j, struct mdl_finding *f, const char *id)
{
    if (id) jdg_add_string(j, &f->sources, id);
}

bool jdg_found(const struct jdg *j, const char *rule)
{
    for (size_t i = 0; i < j->v->nfindings; i++)
        if (j->v->findings[i].level == MDL_ERROR && strcmp(j->v->findings[i].rule, rule) == 0) return true;
    return false;
}

void jdg_undecided(struct jdg *j, const char *missing)
{
    j->v->undecided = true;
    mdl_verdict_miss(j->v, missing);
}
