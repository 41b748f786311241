#include "model/profile_table.h"

size_t mdl_room_for(size_t n)
{
    size_t cap = 1;
    while (cap < n) cap *= 2;
    return cap;
}

void *mdl_profile_grow(struct mdl_profile *p, void *array, size_t n, size_t size)
{
    if (n && mdl_room_for(n) > n) return array;
    void *bigger = gf_arena_array(&p->mem, mdl_room_for(n + 1), size);
    if (n) memcpy(bigger, array, n * size);
    return bigger;
}

static void add_string(struct mdl_profile *p, const char *const **list, size_t *n, const char *text)
{
    const char **v = mdl_profile_grow(p, (void *)(uintptr_t)*list, *n, sizeof *v);
    v[(*n)++] = gf_arena_strz(&p->mem, text);
    *list = v;
}

/* --- adding -------------------------------------------------------------------------------------------------------- */
void mdl_profile_add_gpu(struct mdl_profile *p, struct mdl_gpu gpu)
{
    p->gpus = mdl_profile_grow(p, p->gpus, p->ngpus, sizeof gpu);
    p->gpus[p->ngpus++] = gpu;
    p->gpus_known = MDL_PRESENT;
}

void mdl_profile_add_package(struct mdl_profile *p, struct mdl_package pkg)
{
    p->packages = mdl_profile_grow(p, p->packages, p->npackages, sizeof pkg);
    p->packages[p->npackages++] = pkg;
    p->packages_known = MDL_PRESENT;
}

void mdl_profile_add_error(struct mdl_profile *p, const char *text) { add_string(p, &p->errors, &p->nerrors, text); }

void mdl_profile_add_conflict(struct mdl_profile *p, const char *sentence)
{
    for (size_t i = 0; i < p->nconflicts; i++)
        if (strcmp(p->conflicts[i], sentence) == 0) return;
    add_string(p, &p->conflicts, &p->nconflicts, sentence);
}

void mdl_profile_set_origin(struct mdl_profile *p, const char *key, const char *from)
{
    for (size_t i = 0; i < p->norigins; i++)
        if (strcmp(p->origins[i].key, key) == 0) {
            p->origins[i].from = gf_arena_strz(&p->mem, from);
            return;
        }
    p->origins = mdl_profile_grow(p, p->origins, p->norigins, sizeof *p->origins);
    p->origins[p->norigins++] = (struct mdl_origin){ gf_arena_strz(&p->mem, key), gf_arena_strz(&p->mem, from) };
}

const char *mdl_profile_origin(const struct mdl_profile *p, const char *key)
{
    for (size_t i = 0; i < p->norigins; i++)
        if (strcmp(p->origins[i].key, key) == 0) return p->origins[i].from;
    return NULL;
}

/* --- facts by key --------------------------------------------------------------------------------------------------- */
/* The row of "driver.version"; *ret_group is the row of "driver". NULL: no such key, a programming error that shows as a fact not taken. */
static const struct mdl_row *row_of(const char *key, const struct mdl_row **ret_group)
{
    gf_slice rest = gf_slice_of(key), head;
    bool nested = gf_slice_cut(&rest, '.', &head);
    const struct mdl_row *r = mdl_find_row(mdl_rows, mdl_nrows, head);
    *ret_group = NULL;
    if (!r || !nested || r->kind != MDL_R_GROUP) return nested ? NULL : r;
    *ret_group = r;
    return mdl_find_row(r->sub, r->nsub, rest);
}

/* b says what a says and more: "12.4" and "12.4.131". */
static bool refines(gf_slice a, gf_slice b) { return b.n > a.n && gf_slice_starts(b, a) && (b.p[a.n] == '.' || b.p[a.n] == '+'); }

static void clash(struct mdl_profile *p, const char *key, const char *have, gf_slice other, const char *from)
{
    const char *first = mdl_profile_origin(p, key);
    mdl_profile_add_conflict(p, gf_arena_printf(&p->mem, "%s is %s (%s) and %.*s (%s)", key, have, first ? first : "unknown", GF_FMT(other), from ? from : "unknown"));
}

static void present(struct mdl_profile *p, const char *key, const struct mdl_row *r, const struct mdl_row *group, const char *from)
{
    const struct mdl_row *both[] = { r, group };
    for (size_t i = 0; i < 2; i++) {
        enum mdl_known *known = both[i] ? mdl_known_at(p, both[i]) : NULL;
        if (!known) continue;
        if (*known == MDL_ABSENT) clash(p, both[i]->key, "not there", gf_slice_of("there"), from);
        *known = MDL_PRESENT;
    }
    if (from) mdl_profile_set_origin(p, key, from);
}

bool mdl_profile_put(struct mdl_profile *p, const char *key, gf_slice value, const char *from)
{
    const struct mdl_row *group, *r = row_of(key, &group);
    value = gf_slice_trim(value);
    if (!r || r->kind != MDL_R_STR || !value.n) return false;
    const char **at = mdl_str_at(p, r);
    gf_slice have = gf_slice_of(*at);
    if (*at && (gf_slice_eq(have, value) || refines(value, have))) return true;
    if (*at && !refines(have, value)) {
        clash(p, key, *at, value, from);
        return false;
    }
    *at = gf_arena_str(&p->mem, value);
    present(p, key, r, group, from);
    return true;
}

bool mdl_profile_put_tri(struct mdl_profile *p, const char *key, bool value, const char *from)
{
    const struct mdl_row *group, *r = row_of(key, &group);
    if (!r || r->kind != MDL_R_TRI) return false;
    enum py_tri *at = mdl_field(p, r->at), v = value ? PY_YES : PY_NO;
    if (*at != PY_UNKNOWN && *at != v) {
        clash(p, key, *at == PY_YES ? "true" : "false", gf_slice_of(value ? "true" : "false"), from);
        return false;
    }
    *at = v;
    if (from) mdl_profile_set_origin(p, key, from);
    return true;
}

void mdl_profile_put_absent(struct mdl_profile *p, const char *key, const char *from)
{
    const struct mdl_row *group, *r = row_of(key, &group);
    enum mdl_known *known = r ? mdl_known_at(p, r) : NULL;
    if (!known || *known == MDL_ABSENT) return;
    if (*known == MDL_PRESENT) {
        clash(p, key, "there", gf_slice_of("not there"), from);
        return;
    }
    *known = MDL_ABSENT;
    if (from) mdl_profile_set_origin(p, key, from);
}

/* --- joining --------------------------------------------------------------------------------------------------------- */
static const char *origin_in(const struct mdl_profile *from, const char *key)
{
    const char *o = mdl_profile_origin(from, key);
    return o ? o : from->label ? from->label : "profile";
}

static void join_strings(struct mdl_profile *p, const struct mdl_profile *from, const struct mdl_row *r)
{
    const char *const **to = mdl_field(p, r->at);
    const char *const *v = *(const char *const **)mdl_field(from, r->at);
    for (size_t i = 0; i < *mdl_count_at(from, r); i++) {
        bool there = false;
        for (size_t k = 0; k < *mdl_count_at(p, r) && !there; k++) there = strcmp((*to)[k], v[i]) == 0;
        if (!there) add_string(p, to, mdl_count_at(p, r), v[i]);
    }
}

static void join_number(struct mdl_profile *p, const struct mdl_profile *from, const struct mdl_row *r, const char *key)
{
    bool small = r->kind == MDL_R_INT;
    int64_t theirs = small ? *(int *)mdl_field(from, r->at) : *(int64_t *)mdl_field(from, r->at);
    int64_t ours = small ? *(int *)mdl_field(p, r->at) : *(int64_t *)mdl_field(p, r->at);
    if (!theirs || ours == theirs) return;
    if (ours) {
        clash(p, key, gf_arena_printf(&p->mem, "%lld", (long long)ours), gf_slice_of(gf_arena_printf(&p->mem, "%lld", (long long)theirs)), origin_in(from, key));
        return;
    }
    if (small) *(int *)mdl_field(p, r->at) = (int)theirs;
    else *(int64_t *)mdl_field(p, r->at) = theirs;
    mdl_profile_set_origin(p, key, origin_in(from, key));
}

static void join_value(struct mdl_profile *p, const struct mdl_profile *from, const struct mdl_row *r, const char *key)
{
    const enum mdl_known *known = mdl_known_at(from, r);
    const char *origin = origin_in(from, key);
    if (known && *known == MDL_ABSENT) {
        mdl_profile_put_absent(p, key, origin);
        return;
    }
    if (r->kind == MDL_R_STR && *mdl_str_at(from, r)) mdl_profile_put(p, key, gf_slice_of(*mdl_str_at(from, r)), origin);
    if (r->kind == MDL_R_TRI && *(enum py_tri *)mdl_field(from, r->at) != PY_UNKNOWN)
        mdl_profile_put_tri(p, key, *(enum py_tri *)mdl_field(from, r->at) == PY_YES, origin);
    if (r->kind == MDL_R_INT || r->kind == MDL_R_INT64) join_number(p, from, r, key);
    if (r->kind == MDL_R_STRINGS) join_strings(p, from, r);
    if (r->kind == MDL_R_RAW && *mdl_str_at(from, r) && !*mdl_str_at(p, r)) *mdl_str_at(p, r) = gf_arena_strz(&p->mem, *mdl_str_at(from, r));
    if (known && *known == MDL_PRESENT && *mdl_known_at(p, r) == MDL_UNKNOWN) *mdl_known_at(p, r) = MDL_PRESENT;
}

static void join_disks(struct mdl_profile *p, const struct mdl_profile *from)
{
    for (size_t i = 0; i < from->ndisks; i++) {
        p->disks = mdl_profile_grow(p, p->disks, p->ndisks, sizeof *p->disks);
        p->disks[p->ndisks++] = (struct mdl_disk){ gf_arena_strz(&p->mem, from->disks[i].mount), from->disks[i].free_mib };
    }
}

static void join_interpreters(struct mdl_profile *p, const struct mdl_profile *from)
{
    for (size_t i = 0; i < from->ninterpreters; i++) {
        const struct mdl_interpreter *t = &from->interpreters[i];
        p->interpreters = mdl_profile_grow(p, p->interpreters, p->ninterpreters, sizeof *p->interpreters);
        p->interpreters[p->ninterpreters++] = (struct mdl_interpreter){ gf_arena_strz(&p->mem, t->version), gf_arena_strz(&p->mem, t->abi),
                                                                        gf_arena_strz(&p->mem, t->path), t->has_venv, t->has_pip };
    }
}

void mdl_profile_merge(struct mdl_profile *p, const struct mdl_profile *from)
{
    for (size_t i = 0; i < mdl_nrows; i++) {
        const struct mdl_row *r = &mdl_rows[i];
        join_value(p, from, r, r->key);
        for (size_t k = 0; r->kind == MDL_R_GROUP && k < r->nsub; k++) {
            char key[64];
            size_t n = strlen(r->key);
            memcpy(key, r->key, n);
            key[n] = '.';
            memcpy(key + n + 1, r->sub[k].key, strlen(r->sub[k].key) + 1);
            join_value(p, from, &r->sub[k], key);
        }
    }
    mdl_profile_merge_gpus(p, from->gpus, from->ngpus, origin_in(from, "gpus"));
    for (size_t i = 0; i < from->npackages; i++) mdl_profile_merge_package(p, &from->packages[i], from->packages[i].origin);
    for (size_t i = 0; i < from->nos_packages; i++) mdl_profile_add_os_package(p, from->os_packages[i]);
    join_disks(p, from);
    join_interpreters(p, from);
}
