/* Several locks as one, and the one of a target out of it. What is the same for all stands once and says nothing of targets; what is not says for
 * whom it is. Merging goes by label, so that the order in which the parts were given decides nothing. */
#include "base/map.h"
#include "base/vec.h"
#include "model/lock_rows.h"
#include <stdlib.h>

enum { LABEL_MOST = 100 };
typedef GF_VEC(const char *) text_list;
typedef GF_VEC(uint32_t) part_list; /* numbers of parts, rising */

struct merging {
    struct mdl_lock *l;
    struct mdl_lock **parts; /* sorted by label */
    uint32_t n;
    struct gf_err *err;
};

bool mdl_label_safe(gf_slice label)
{
    for (size_t i = 0; i < label.n; i++)
        if (!gf_is_alnum((unsigned char)label.p[i]) && !strchr("._-", label.p[i])) return false;
    return label.n > 0 && label.n <= LABEL_MOST && label.p[0] != '.';
}

bool mdl_strings_has(const struct mdl_strings *s, const char *text)
{
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->v[i], text) == 0) return true;
    return false;
}

bool mdl_is_for(const struct mdl_strings *targets, const char *label)
{
    size_t from = 0, to = targets->n;
    while (from < to) {
        size_t mid = from + (to - from) / 2;
        int order = strcmp(targets->v[mid], label);
        if (order == 0) return true;
        if (order < 0) from = mid + 1;
        else to = mid;
    }
    return !targets->n;
}

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static struct mdl_strings keep(struct gf_arena *a, text_list *list)
{
    struct mdl_strings s = { list->n ? gf_arena_memdup(a, list->v, list->n * sizeof *list->v) : NULL, list->n };
    gf_vec_free(list);
    return s;
}

static const char *label_of(const struct merging *m, uint32_t part) { return m->parts[part]->targets[0]->label; }

/* The labels of some parts; of all of them: none, which stands for all. */
static struct mdl_strings labels_of(const struct merging *m, const part_list *parts)
{
    if (parts->n == m->n) return (struct mdl_strings){ NULL, 0 };
    const char **v = GF_NEW_ARRAY(&m->l->mem, const char *, parts->n + 1);
    for (size_t i = 0; i < parts->n; i++) v[i] = label_of(m, parts->v[i]);
    return (struct mdl_strings){ v, parts->n };
}

/* ---- rows that are whole in themselves ---- */

struct merged { uint32_t id; const void *row; part_list parts; };
typedef GF_VEC(struct merged) merged_list;

static void insert(merged_list *list, size_t at, const struct merged *rows, size_t n)
{
    if (!n) return;
    gf_vec_reserve(list, list->n + n);
    memmove(list->v + at + n, list->v + at, (list->n - at) * sizeof *list->v);
    memcpy(list->v + at, rows, n * sizeof *rows);
    list->n += n;
}

static const void *rows_at(const struct mdl_lock *l, const struct rows *rows, size_t *ret_n)
{
    *ret_n = *(const size_t *)(const void *)((const char *)l + rows->count);
    return *(const void *const *)(const void *)((const char *)l + rows->array);
}

/* Lays one part's rows over the list: a row that is there behind the last one found counts for the part too, others go in before the next that is
 * there. So each part's rows keep their order. */
static void lay_over(const struct merging *m, uint32_t part, const struct rows *rows, struct gf_names *ids, merged_list *list)
{
    size_t n, from = 0;
    const char *row = rows_at(m->parts[part], rows, &n);
    merged_list fresh = { 0 };
    GF_BUF_SCOPE struct gf_buf text;
    gf_buf_init(&text, GF_CAP_LOCK);
    for (size_t i = 0; i < n; i++, row += rows->row_size) {
        gf_buf_clear(&text);
        mdl_lock_row_text(rows, row, &text);
        uint32_t id = gf_names_add(ids, gf_buf_slice(&text), NULL);
        size_t at = from;
        while (at < list->n && list->v[at].id != id) at++;
        if (at == list->n) {
            struct merged one = { .id = id, .row = row };
            gf_vec_push(&one.parts, part);
            gf_vec_push(&fresh, one);
            continue;
        }
        gf_vec_push(&list->v[at].parts, part);
        insert(list, at, fresh.v, fresh.n);
        from = at + fresh.n + 1;
        fresh.n = 0;
    }
    insert(list, list->n, fresh.v, fresh.n);
    gf_vec_free(&fresh);
}

static void merge_rows(const struct merging *m, const struct rows *rows)
{
    struct gf_names ids;
    merged_list list = { 0 };
    gf_names_init(&ids);
    for (uint32_t i = 0; i < m->n; i++) lay_over(m, i, rows, &ids, &list);
    char *out = gf_arena_array(&m->l->mem, list.n + 1, rows->row_size);
    *(char **)(void *)((char *)m->l + rows->array) = out;
    *(size_t *)(void *)((char *)m->l + rows->count) = list.n;
    for (size_t i = 0; i < list.n; i++, out += rows->row_size) {
        memcpy(out, list.v[i].row, rows->row_size);
        *(struct mdl_strings *)(void *)(out + rows->targets) = labels_of(m, &list.v[i].parts);
        gf_vec_free(&list.v[i].parts);
    }
    gf_vec_free(&list);
    gf_names_release(&ids);
}

/* ---- sources: those of the run; what one part used was used ---- */

static int rank_of(const char *state) { return strcmp(state, "used") == 0 ? 2 : strcmp(state, "unreachable") == 0 ? 1 : 0; }

static int merge_source(const struct merging *m, const struct mdl_lock_source *s)
{
    struct mdl_lock *l = m->l;
    size_t i = 0;
    while (i < l->nsources && strcmp(l->sources[i].id, s->id) != 0) i++;
    if (i == l->nsources) {
        l->sources[l->nsources++] = *s;
        return 0;
    }
    struct mdl_lock_source *have = &l->sources[i];
    if (strcmp(have->base, s->base) != 0 || strcmp(have->kind, s->kind) != 0)
        return gf_fail(m->err, GF_E_USAGE, "the source '%s' is '%s' for one target and '%s' for another: plan them in one call", s->id, have->base, s->base);
    if (rank_of(s->state) > rank_of(have->state)) have->state = s->state;
    if (!have->as_of || (s->as_of && strcmp(s->as_of, have->as_of) > 0)) have->as_of = s->as_of;
    if (s->could_change) have->could_change = s->could_change;
    return 0;
}

static int merge_sources(const struct merging *m)
{
    size_t n = 0;
    for (uint32_t i = 0; i < m->n; i++) n += m->parts[i]->nsources;
    m->l->sources = GF_NEW_ARRAY(&m->l->mem, struct mdl_lock_source, n + 1);
    for (uint32_t i = 0; i < m->n; i++)
        for (size_t k = 0; k < m->parts[i]->nsources; k++)
            if (merge_source(m, &m->parts[i]->sources[k])) return -1;
    return 0;
}

/* ---- Python distributions: one row for each file ---- */

struct file_row { const struct mdl_lock_python **of; part_list parts; }; /* of: by part, NULL: it has none */

/* What is in the lists of all. */
static struct mdl_strings common(const struct merging *m, const struct file_row *f, size_t offset)
{
    text_list out = { 0 };
    const struct mdl_strings *first = (const void *)((const char *)f->of[f->parts.v[0]] + offset);
    for (size_t i = 0; i < first->n; i++) {
        size_t k = 1;
        while (k < f->parts.n && mdl_strings_has((const void *)((const char *)f->of[f->parts.v[k]] + offset), first->v[i])) k++;
        if (k == f->parts.n) gf_vec_push(&out, first->v[i]);
    }
    return keep(&m->l->mem, &out);
}

static struct mdl_strings without(struct gf_arena *a, const struct mdl_strings *list, const struct mdl_strings *less)
{
    text_list out = { 0 };
    for (size_t i = 0; i < list->n; i++)
        if (!mdl_strings_has(less, list->v[i])) gf_vec_push(&out, list->v[i]);
    return keep(a, &out);
}

static bool same(const struct mdl_strings *a, const struct mdl_strings *b)
{
    size_t i = 0;
    while (a->n == b->n && i < a->n && strcmp(a->v[i], b->v[i]) == 0) i++;
    return a->n == b->n && i == a->n;
}

static bool same_also(const struct mdl_lock_also *a, const struct mdl_lock_also *b)
{
    return same(&a->extras, &b->extras) && same(&a->requires, &b->requires) && same(&a->required_by, &b->required_by) && same(&a->build, &b->build);
}

/* What the parts have besides, those that have the same together. */
static void add_also(const struct merging *m, const struct file_row *f, struct mdl_lock_python *p)
{
    p->also = GF_NEW_ARRAY(&m->l->mem, struct mdl_lock_also, f->parts.n + 1);
    part_list *of = gf_xcalloc(f->parts.n + 1, sizeof *of);
    for (size_t i = 0; i < f->parts.n; i++) {
        const struct mdl_lock_python *own = f->of[f->parts.v[i]];
        struct gf_arena *a = &m->l->mem;
        struct mdl_lock_also one = { .extras = without(a, &own->extras, &p->extras), .requires = without(a, &own->requires, &p->requires),
                                     .required_by = without(a, &own->required_by, &p->required_by), .build = without(a, &own->build, &p->build) };
        if (one.extras.n + one.requires.n + one.required_by.n + one.build.n == 0) continue;
        size_t k = 0;
        while (k < p->nalso && !same_also(&p->also[k], &one)) k++;
        if (k == p->nalso) p->also[p->nalso++] = one;
        gf_vec_push(&of[k], f->parts.v[i]);
    }
    for (size_t k = 0; k < p->nalso; k++) {
        p->also[k].targets = labels_of(m, &of[k]); /* never of all: those would have it in common, were they the same */
        gf_vec_free(&of[k]);
    }
    free(of);
}

static int same_file(const struct merging *m, const struct file_row *f, struct mdl_lock_python *p)
{
    for (size_t i = 0; i < f->parts.n; i++) {
        const struct mdl_lock_python *other = f->of[f->parts.v[i]];
        if (!p->sha256) p->sha256 = other->sha256;
        if (p->size < 0) p->size = other->size;
        bool same_digest = !other->sha256 || strcmp(p->sha256, other->sha256) == 0, same_size = other->size < 0 || p->size == other->size;
        if (same_digest && same_size && strcmp(p->name, other->name) == 0 && strcmp(p->version, other->version) == 0 && strcmp(p->kind, other->kind) == 0) continue;
        return gf_fail(m->err, GF_E_USAGE, "'%s' is another file for %s than for %s (%s there, %s here): one lock cannot hold both, plan these two by themselves", p->file,
                       label_of(m, f->parts.v[i]), label_of(m, f->parts.v[0]), other->source, p->source);
    }
    return 0;
}

static int python_order(const void *pa, const void *pb)
{
    const struct mdl_lock_python *a = pa, *b = pb;
    int order = strcmp(a->name, b->name);
    if (!order) order = strcmp(a->version, b->version);
    return order ? order : strcmp(a->file, b->file);
}

static int finish_python(const struct merging *m, const struct file_row *f, struct mdl_lock_python *p)
{
    *p = *f->of[f->parts.v[0]];
    p->targets = labels_of(m, &f->parts);
    if (same_file(m, f, p)) return -1;
    p->extras = common(m, f, offsetof(struct mdl_lock_python, extras));
    p->requires = common(m, f, offsetof(struct mdl_lock_python, requires));
    p->required_by = common(m, f, offsetof(struct mdl_lock_python, required_by));
    p->build = common(m, f, offsetof(struct mdl_lock_python, build));
    add_also(m, f, p);
    return 0;
}

/* The rows of all parts: those of /build, or of /python. */
static int merge_python(const struct merging *m, bool build, struct mdl_lock_python **ret, size_t *ret_n)
{
    struct gf_names files;
    GF_VEC(struct file_row) rows = { 0 };
    int rc = 0;
    gf_names_init(&files);
    for (uint32_t i = 0; i < m->n; i++)
        for (size_t k = 0; k < (build ? m->parts[i]->nbuild : m->parts[i]->npython); k++) {
            const struct mdl_lock_python *p = build ? &m->parts[i]->build[k] : &m->parts[i]->python[k];
            bool fresh;
            uint32_t id = gf_names_add(&files, gf_slice_of(p->file), &fresh);
            if (fresh) gf_vec_push(&rows, (struct file_row){ .of = gf_xcalloc(m->n, sizeof(p)) });
            if (!rows.v[id].of[i]) gf_vec_push(&rows.v[id].parts, i);
            rows.v[id].of[i] = p;
        }
    *ret = GF_NEW_ARRAY(&m->l->mem, struct mdl_lock_python, rows.n + 1);
    *ret_n = rows.n;
    for (size_t i = 0; i < rows.n; i++) {
        if (!rc) rc = finish_python(m, &rows.v[i], &(*ret)[i]);
        free(rows.v[i].of);
        gf_vec_free(&rows.v[i].parts);
    }
    gf_vec_free(&rows);
    gf_names_release(&files);
    if (!rc && *ret_n) qsort(*ret, *ret_n, sizeof **ret, python_order);
    return rc;
}

/* ---- warnings ---- */

static int warning_order(const void *a, const void *b) { return strcmp(((const struct mdl_lock_warning *)a)->text, ((const struct mdl_lock_warning *)b)->text); }

static void merge_warnings(const struct merging *m)
{
    struct gf_names texts;
    GF_VEC(part_list) of = { 0 };
    text_list all = { 0 };
    GF_VEC(struct mdl_lock_warning) some = { 0 };
    gf_names_init(&texts);
    for (uint32_t i = 0; i < m->n; i++)
        for (size_t k = 0; k < m->parts[i]->warnings.n; k++) {
            bool fresh;
            uint32_t id = gf_names_add(&texts, gf_slice_of(m->parts[i]->warnings.v[k]), &fresh);
            if (fresh) gf_vec_push(&of, (part_list){ 0 });
            if (!of.v[id].n || of.v[id].v[of.v[id].n - 1] != i) gf_vec_push(&of.v[id], i);
        }
    for (uint32_t id = 0; id < texts.n; id++) {
        struct mdl_lock_warning w = { gf_arena_str(&m->l->mem, gf_names_get(&texts, id)), labels_of(m, &of.v[id]) };
        if (w.targets.n) gf_vec_push(&some, w);
        else gf_vec_push(&all, w.text);
        gf_vec_free(&of.v[id]);
    }
    if (all.n) qsort(all.v, all.n, sizeof *all.v, by_text);
    if (some.n) qsort(some.v, some.n, sizeof *some.v, warning_order);
    m->l->warnings = keep(&m->l->mem, &all);
    m->l->warnings_for = some.n ? gf_arena_memdup(&m->l->mem, some.v, some.n * sizeof *some.v) : NULL;
    m->l->nwarnings_for = some.n;
    gf_vec_free(&some);
    gf_vec_free(&of);
    gf_names_release(&texts);
}

/* ---- the whole ---- */

static int by_label(const void *a, const void *b) { return strcmp((*(struct mdl_lock *const *)a)->targets[0]->label, (*(struct mdl_lock *const *)b)->targets[0]->label); }

static int check_parts(struct mdl_lock *const *parts, size_t n, struct gf_err *err)
{
    if (!n || n > GF_CAP_TARGETS) return gf_fail(err, GF_E_USAGE, "a lock for %zu targets was asked for: 1 to %u can be had", n, GF_CAP_TARGETS);
    for (size_t i = 0; i < n; i++) {
        const char *label = parts[i]->ntargets == 1 ? parts[i]->targets[0]->label : NULL;
        if (!label) return gf_fail(err, GF_E_USAGE, "part %zu of the lock is for no target with a label", i + 1);
        if (!mdl_label_safe(gf_slice_of(label)))
            return gf_fail(err, GF_E_USAGE, "'%.120s' cannot be the label of a target: up to %d letters, digits and ._- are taken; give it another in its profile", label, LABEL_MOST);
        if (strcmp(parts[i]->request_json, parts[0]->request_json) != 0 || strcmp(parts[i]->matrix_sha256, parts[0]->matrix_sha256) != 0)
            return gf_fail(err, GF_E_USAGE, "'%s' was planned from another request or data set than '%s': plan them in one call", label, parts[0]->targets[0]->label);
    }
    return 0;
}

static int take_targets(struct mdl_lock *l, struct mdl_lock *const *parts, size_t n, struct gf_err *err)
{
    l->targets = GF_NEW_ARRAY(&l->mem, struct mdl_profile *, n);
    for (size_t i = 0; i < n; i++, l->ntargets++)
        if (mdl_profile_copy(parts[i]->targets[0], &l->targets[i], err)) return -1;
    return 0;
}

static void take_machines(const struct merging *m)
{
    m->l->machines = GF_NEW_ARRAY(&m->l->mem, struct mdl_lock_machines, m->n);
    for (uint32_t i = 0; i < m->n; i++)
        if (m->parts[i]->nmachines) m->l->machines[m->l->nmachines++] = m->parts[i]->machines[0];
}

static int merge(const struct merging *m)
{
    for (uint32_t i = 1; i < m->n; i++)
        if (strcmp(label_of(m, i), label_of(m, i - 1)) == 0) return gf_fail(m->err, GF_E_USAGE, "two targets have the label '%s'", label_of(m, i));
    for (size_t i = 0; mdl_lock_merged[i]; i++) merge_rows(m, mdl_lock_merged[i]);
    take_machines(m);
    merge_warnings(m);
    return merge_sources(m) || merge_python(m, false, &m->l->python, &m->l->npython) || merge_python(m, true, &m->l->build, &m->l->nbuild) ? -1 : 0;
}

int mdl_lock_union(struct mdl_lock *const *parts, size_t n, struct mdl_lock **ret, struct gf_err *err)
{
    if (check_parts(parts, n, err)) return -1;
    struct mdl_lock *l = mdl_lock_new();
    GF_FREE struct mdl_lock **sorted = gf_xreallocarray(NULL, n, sizeof(struct mdl_lock *));
    memcpy(sorted, parts, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_label);
    struct merging m = { l, sorted, (uint32_t)n, err };
    l->tool_version = parts[0]->tool_version;
    l->matrix_version = parts[0]->matrix_version;
    l->matrix_sha256 = parts[0]->matrix_sha256;
    l->request_json = parts[0]->request_json;
    if (take_targets(l, parts, n, err) || merge(&m)) {
        mdl_lock_free(l);
        return -1;
    }
    *ret = l;
    return 0;
}

/* ---- one target's part ---- */

const char *mdl_lock_target_of(const struct mdl_lock *l, const char *name)
{
    for (size_t i = 0; i < l->ntargets; i++)
        if (l->targets[i]->label && strcmp(l->targets[i]->label, name) == 0) return l->targets[i]->label;
    for (size_t i = 0; i < l->nmachines; i++)
        if (mdl_strings_has(&l->machines[i].names, name)) return l->machines[i].target;
    return NULL;
}

static void view_rows(const struct mdl_lock *l, const char *label, const struct rows *rows, struct mdl_lock *v)
{
    size_t n, k = 0;
    const char *row = rows_at(l, rows, &n);
    char *out = gf_arena_array(&v->mem, n + 1, rows->row_size);
    *(char **)(void *)((char *)v + rows->array) = out;
    for (size_t i = 0; i < n; i++, row += rows->row_size) {
        if (!mdl_is_for((const void *)(row + rows->targets), label)) continue;
        memcpy(out, row, rows->row_size);
        *(struct mdl_strings *)(void *)(out + rows->targets) = (struct mdl_strings){ NULL, 0 };
        out += rows->row_size;
        k++;
    }
    *(size_t *)(void *)((char *)v + rows->count) = k;
}

/* What is for all, and with it what is for this one; sorted. */
static struct mdl_strings with(struct gf_arena *a, const struct mdl_strings *base, const struct mdl_strings *more)
{
    text_list out = { 0 };
    for (size_t i = 0; i < base->n; i++) gf_vec_push(&out, base->v[i]);
    for (size_t i = 0; i < more->n; i++) gf_vec_push(&out, more->v[i]);
    if (out.n) qsort(out.v, out.n, sizeof *out.v, by_text);
    return keep(a, &out);
}

static void view_python(const struct mdl_lock_python *rows, size_t n, const char *label, struct mdl_lock *v, struct mdl_lock_python **ret, size_t *ret_n)
{
    *ret = GF_NEW_ARRAY(&v->mem, struct mdl_lock_python, n + 1);
    for (size_t i = 0; i < n; i++) {
        const struct mdl_lock_python *from = &rows[i];
        if (!mdl_is_for(&from->targets, label)) continue;
        struct mdl_lock_python *p = &(*ret)[(*ret_n)++];
        *p = *from;
        p->targets = (struct mdl_strings){ NULL, 0 };
        p->also = NULL;
        p->nalso = 0;
        for (size_t k = 0; k < from->nalso; k++) {
            if (!mdl_is_for(&from->also[k].targets, label)) continue;
            p->extras = with(&v->mem, &p->extras, &from->also[k].extras);
            p->requires = with(&v->mem, &p->requires, &from->also[k].requires);
            p->required_by = with(&v->mem, &p->required_by, &from->also[k].required_by);
            p->build = with(&v->mem, &p->build, &from->also[k].build);
        }
    }
}

static void view_warnings(const struct mdl_lock *l, const char *label, struct mdl_lock *v)
{
    text_list own = { 0 };
    for (size_t i = 0; i < l->nwarnings_for; i++)
        if (mdl_is_for(&l->warnings_for[i].targets, label)) gf_vec_push(&own, l->warnings_for[i].text);
    struct mdl_strings more = { own.v, own.n };
    v->warnings = with(&v->mem, &l->warnings, &more);
    gf_vec_free(&own);
}

static int view_target(const struct mdl_lock *l, const char *label, struct mdl_lock *v, struct gf_err *err)
{
    size_t i = 0;
    while (strcmp(l->targets[i]->label, label) != 0) i++;
    v->targets = GF_NEW_ARRAY(&v->mem, struct mdl_profile *, 1);
    if (mdl_profile_copy(l->targets[i], &v->targets[0], err)) return -1;
    v->ntargets = 1;
    for (size_t k = 0; k < l->nmachines; k++)
        if (strcmp(l->machines[k].target, label) == 0) v->machines = &l->machines[k], v->nmachines = 1;
    return 0;
}

int mdl_lock_view(const struct mdl_lock *l, const char *name, struct mdl_lock **ret, struct gf_err *err)
{
    const char *label = mdl_lock_target_of(l, name);
    if (!label) return gf_fail(err, GF_E_USAGE, "the lock is for no target '%s'", name);
    struct mdl_lock *v = mdl_lock_new();
    v->tool_version = l->tool_version;
    v->matrix_version = l->matrix_version;
    v->matrix_sha256 = l->matrix_sha256;
    v->request_json = l->request_json;
    v->sources = l->sources;
    v->nsources = l->nsources;
    if (view_target(l, label, v, err)) {
        mdl_lock_free(v);
        return -1;
    }
    for (size_t i = 0; mdl_lock_merged[i]; i++) view_rows(l, label, mdl_lock_merged[i], v);
    view_python(l->python, l->npython, label, v, &v->python, &v->npython);
    view_python(l->build, l->nbuild, label, v, &v->build, &v->nbuild);
    view_warnings(l, label, v);
    *ret = v;
    return 0;
}
