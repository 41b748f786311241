/* variants.json of a scenario, written from the labels of its pkg lines and read like one of an index. */
#include "resolver/scenario_data.h"
#include "base/json.h"

static gf_slice label_of(const struct scenario_pkg *p, gf_slice *ret_properties)
{
    gf_slice label = GF_S("");
    *ret_properties = p->label;
    if (p->label.p) gf_slice_word(ret_properties, &label);
    return label;
}

static bool same_list(const struct scenario_pkg *a, const struct scenario_pkg *b)
{
    return b->label.p && strcmp(a->metadata.name, b->metadata.name) == 0 && strcmp(a->version, b->version) == 0 && a->file.source == b->file.source;
}

/* "a::b::c" into its three parts; what is missing is empty. */
static void split(gf_slice property, gf_slice part[3])
{
    for (int i = 0; i < 3; i++) {
        ptrdiff_t at = i < 2 ? gf_slice_find(property, GF_S("::")) : -1;
        part[i] = gf_slice_sub(property, 0, at < 0 ? property.n : (size_t)at);
        property = at < 0 ? GF_S("") : gf_slice_from(property, (size_t)at + 2);
    }
}

struct spaces { GF_VEC(gf_slice) v; };

static void add_space(struct spaces *s, gf_slice space)
{
    for (size_t i = 0; i < s->v.n; i++)
        if (gf_slice_eq(s->v.v[i], space)) return;
    gf_vec_push(&s->v, space);
}

static void add_spaces(struct spaces *s, gf_slice properties)
{
    gf_slice word, part[3];
    while (gf_slice_word(&properties, &word)) {
        split(word, part);
        add_space(s, part[0]);
    }
}

static void write_key(struct gf_jw *w, gf_slice key)
{
    GF_FREE char *text = gf_xstrndup(key);
    gf_jw_key(w, text);
}

/* The values of one feature, or the features of one namespace, each once in the order of the line. */
static void write_values(struct gf_jw *w, gf_slice properties, gf_slice space, gf_slice feature)
{
    gf_slice word, part[3];
    gf_jw_arr(w);
    while (gf_slice_word(&properties, &word)) {
        split(word, part);
        if (gf_slice_eq(part[0], space) && gf_slice_eq(part[1], feature)) gf_jw_str(w, part[2]);
    }
    gf_jw_end_arr(w);
}

static void write_features(struct gf_jw *w, gf_slice properties, gf_slice space)
{
    struct spaces seen = { 0 };
    gf_slice rest = properties, word, part[3];
    gf_jw_obj(w);
    while (gf_slice_word(&rest, &word)) {
        split(word, part);
        size_t before = seen.v.n;
        if (!gf_slice_eq(part[0], space)) continue;
        add_space(&seen, part[1]);
        if (seen.v.n == before) continue;
        write_key(w, part[1]);
        write_values(w, properties, space, part[1]);
    }
    gf_jw_end_obj(w);
    gf_vec_free(&seen.v);
}

static void write_label(struct gf_jw *w, gf_slice label, gf_slice properties)
{
    struct spaces own = { 0 };
    add_spaces(&own, properties);
    write_key(w, label);
    gf_jw_obj(w);
    for (size_t i = 0; i < own.v.n; i++) {
        write_key(w, own.v.v[i]);
        write_features(w, properties, own.v.v[i]);
    }
    gf_jw_end_obj(w);
    gf_vec_free(&own.v);
}

static void write_priorities(const struct scenario_universe *u, const struct scenario_pkg *first, struct gf_jw *w)
{
    struct spaces all = { 0 };
    gf_slice properties;
    for (size_t i = 0; i < u->pkgs.n; i++) {
        if (!same_list(first, u->pkgs.v[i])) continue;
        label_of(u->pkgs.v[i], &properties);
        add_spaces(&all, properties);
    }
    if (!all.v.n) add_space(&all, GF_S("none"));
    gf_jw_key(w, "default-priorities");
    gf_jw_obj(w);
    gf_jw_key(w, "namespace");
    gf_jw_arr(w);
    for (size_t i = 0; i < all.v.n; i++) gf_jw_str(w, all.v.v[i]);
    gf_jw_end_arr(w);
    gf_jw_end_obj(w);
    gf_vec_free(&all.v);
}

static void write_list(const struct scenario_universe *u, const struct scenario_pkg *first, struct gf_buf *out)
{
    struct spaces labels = { 0 };
    struct gf_jw w;
    gf_slice properties;
    gf_jw_init(&w, out, true);
    gf_jw_obj(&w);
    gf_jw_kstr(&w, "$schema", "https://variants-schema.wheelnext.dev/peps/825/v0.1.1.json");
    write_priorities(u, first, &w);
    gf_jw_key(&w, "variants");
    gf_jw_obj(&w);
    for (size_t i = 0; i < u->pkgs.n; i++) {
        gf_slice label = same_list(first, u->pkgs.v[i]) ? label_of(u->pkgs.v[i], &properties) : GF_S("");
        size_t before = labels.v.n;
        if (!label.n || (!gf_slice_trim(properties).n && !gf_slice_is(label, "null"))) continue;
        add_space(&labels, label);
        if (labels.v.n > before) write_label(&w, label, properties);
    }
    gf_jw_end_obj(&w);
    gf_jw_end_obj(&w);
    gf_vec_free(&labels.v);
}

static bool is_first(const struct scenario_universe *u, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (same_list(u->pkgs.v[at], u->pkgs.v[i])) return false;
    return u->pkgs.v[at]->label.p != NULL;
}

int rsv_scenario_build_variants(struct rsv_scenario *s, struct gf_err *err)
{
    struct scenario_universe *u = s->universe;
    for (size_t i = 0; i < u->pkgs.n; i++) {
        const struct scenario_pkg *p = u->pkgs.v[i];
        if (!is_first(u, i)) continue;
        GF_BUF_SCOPE struct gf_buf text;
        gf_buf_init(&text, GF_CAP_VARIANTS);
        write_list(u, p, &text);
        struct scenario_variants *list = GF_NEW(&s->mem, struct scenario_variants);
        const char *end = strchr(p->file.filename, '-');
        list->file = (struct src_file){ .filename = gf_arena_printf(&s->mem, "%.*s-%s-variants.json", (int)(end - p->file.filename), p->file.filename, p->version), .size = -1, .uploaded = -1,
                                        .source = p->file.source };
        list->file.url = gf_arena_printf(&s->mem, "%s%s", u->index.v[p->file.source].url, list->file.filename);
        if (py_variants_parse(&s->mem, gf_buf_slice(&text), list->file.filename, &list->all, err)) return -1;
        gf_vec_push(&u->variants, list);
    }
    return 0;
}
