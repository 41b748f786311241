#include "python/formats.h"
#include "python/wheel.h"

#define ALL ":all:"

static bool holds(const char *const *v, size_t n, gf_slice name)
{
    for (size_t i = 0; i < n; i++)
        if (gf_slice_is(name, v[i])) return true;
    return false;
}

static size_t without(const char **v, size_t n, gf_slice name)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!gf_slice_is(name, v[i])) v[kept++] = v[i];
    return kept;
}

void py_formats_add(struct gf_arena *a, struct py_formats *f, bool only_binary, gf_slice value)
{
    const char ***v = only_binary ? &f->only.v : &f->no.v, ***other = only_binary ? &f->no.v : &f->only.v;
    size_t *n = only_binary ? &f->only.n : &f->no.n, *nother = only_binary ? &f->no.n : &f->only.n;
    size_t *cap = only_binary ? &f->only.cap : &f->no.cap;
    for (gf_slice name; gf_slice_field(&value, ',', &name);) {
        name = gf_slice_trim(name);
        bool all = gf_slice_is(name, ALL);
        if (all || gf_slice_is(name, ":none:")) *n = 0;
        if (all) *nother = 0;
        if (!name.n || gf_slice_is(name, ":none:")) continue;
        const char *own = all ? ALL : py_name_normalize(a, name);
        *nother = without(*other, *nother, gf_slice_of(own));
        if (holds(*v, *n, gf_slice_of(own))) continue;
        if (*n == *cap) *v = gf_xreallocarray(*v, *cap = *cap ? *cap * 2 : 8, sizeof **v);
        (*v)[(*n)++] = own;
    }
}

void py_formats_allow(const struct py_formats *f, gf_slice name, bool *ret_wheel, bool *ret_sdist)
{
    bool only = holds(f->only.v, f->only.n, name), no = holds(f->no.v, f->no.n, name);
    bool all_only = holds(f->only.v, f->only.n, GF_S(ALL)), all_no = holds(f->no.v, f->no.n, GF_S(ALL));
    *ret_sdist = !(only || (!no && all_only));
    *ret_wheel = only || !(no || (!all_only && all_no));
}

void py_formats_release(struct py_formats *f)
{
    gf_vec_free(&f->only);
    gf_vec_free(&f->no);
}
