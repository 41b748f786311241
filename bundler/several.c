/* What a bundle holds for each of several targets: all that a bundle for that target alone has at its top. */
#include "bundler/bundle.h"
#include "bundler/texts.h"

bool bnd_serves_several(const struct mdl_lock *lock) { return lock->ntargets > 1; }

static void add(struct bnd_layout *l, const char *folder, const char *name, struct gf_buf *text)
{
    GF_FREE char *path = gf_xasprintf("%s%s", folder, name);
    bnd_layout_text(l, BND_FRONT, path, 0644, gf_buf_slice(text));
    gf_buf_clear(text);
}

/* The seal stands behind the last "seal" key of what mdl_lock_write wrote. */
static int add_lock(struct bnd_layout *l, const struct mdl_lock *view, const char *folder, struct gf_buf *text, const char **ret_seal, struct gf_err *err)
{
    struct gf_json_doc *doc GF_JSON_SCOPE = NULL;
    if (mdl_lock_write(view, text, err) || gf_json_parse(gf_buf_slice(text), "the lock of a target", &doc, err)) return -1;
    *ret_seal = gf_arena_str(&l->mem, gf_json_get_str(gf_json_root(doc), "seal"));
    add(l, folder, "gpuferry.lock", text);
    return 0;
}

static int add_target(struct bnd_layout *l, struct mdl_lock *view, const char **ret_seal, struct gf_err *err)
{
    GF_FREE char *folder = gf_xasprintf(BND_TARGETS "%s/", view->targets[0]->label);
    GF_BUF_SCOPE struct gf_buf text;
    struct bnd_items items;
    gf_buf_init(&text, GF_CAP_OUTPUT);
    if (add_lock(l, view, folder, &text, ret_seal, err) || bnd_items_of(view, &items, err)) return -1;
    bnd_write_requirements(view, folder, &text);
    add(l, folder, "requirements.txt", &text);
    bnd_write_pylock(view, folder, &text);
    add(l, folder, "pylock.toml", &text);
    bnd_write_facts(view, &items, *ret_seal, &text);
    add(l, folder, "facts.sh", &text);
    bnd_items_release(&items);
    return 0;
}

int bnd_add_targets(const struct mdl_lock *lock, struct bnd_layout *l, const char *const **ret_seals, struct gf_err *err)
{
    const char **seals = GF_NEW_ARRAY(&l->mem, const char *, lock->ntargets + 1);
    for (size_t i = 0; i < lock->ntargets; i++) {
        struct mdl_lock *view = NULL;
        int rc = mdl_lock_view(lock, lock->targets[i]->label, &view, err);
        if (!rc) rc = add_target(l, view, &seals[i], err);
        mdl_lock_free(view);
        if (rc) return -1;
    }
    *ret_seals = seals;
    return 0;
}
