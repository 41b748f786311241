#include "bundler/texts.h"
#include "base/json.h"
#include "bundler/bundle.h"

#define WHEEL_GROWTH 182u /* percent: installed size of torch 2.15's closure over the size of its wheels, measured */
#define ROOM_TO_WORK_KB 51200u

void bnd_shell_quote(struct gf_buf *out, const char *text)
{
    gf_buf_addc(out, '\'');
    for (; *text; text++) {
        if (*text == '\'') gf_buf_adds(out, "'\\''");
        else gf_buf_addc(out, *text);
    }
    gf_buf_addc(out, '\'');
}

void bnd_write_requirements(const struct mdl_lock *lock, const char *folder, struct gf_buf *out)
{
    gf_buf_addf(out, "# pip install --no-index --find-links python --require-hashes -r %srequirements.txt\n", folder);
    for (size_t i = 0; i < lock->npython; i++) {
        const struct mdl_lock_python *p = &lock->python[i];
        if (!bnd_is_installer(p)) gf_buf_addf(out, "%s==%s \\\n    --hash=sha256:%s\n", p->name, p->version, p->sha256);
    }
}

void bnd_write_pylock(const struct mdl_lock *lock, const char *folder, struct gf_buf *out)
{
    const char *up = *folder ? "../../" : "";
    GF_ARENA_SCOPE struct gf_arena a = GF_ARENA_INIT;
    gf_buf_adds(out, "lock-version = \"1.0\"\ncreated-by = \"gpuferry\"\n");
    for (size_t i = 0; i < lock->npython; i++) {
        const struct mdl_lock_python *p = &lock->python[i];
        if (bnd_is_installer(p)) continue;
        bool wheel = strcmp(p->kind, "wheel") == 0;
        gf_buf_addf(out, "\n[[packages]]\nname = \"%s\"\nversion = \"%s\"\n\n%s\n", p->name, p->version, wheel ? "[[packages.wheels]]" : "[packages.sdist]");
        gf_buf_addf(out, "name = \"%s\"\npath = \"%spython/%s\"\nsize = %lld\nhashes = {sha256 = \"%s\"}\n", bnd_file_of(&a, p), up, bnd_file_of(&a, p), (long long)p->size, p->sha256);
    }
}

/* ---- lib/facts.sh ---- */

static void fact(struct gf_buf *out, const char *key, const char *value)
{
    gf_buf_addf(out, "GF_%s=", key);
    bnd_shell_quote(out, value ? value : "");
    gf_buf_addc(out, '\n');
}

static void fact_number(struct gf_buf *out, const char *key, uint64_t v)
{
    gf_buf_addf(out, "GF_%s=%llu\n", key, (unsigned long long)v);
}

/* Minor of glibc 2 that one platform tag asks for, 0: none. */
static unsigned glibc_of_tag(gf_slice tag)
{
    if (gf_slice_starts(tag, GF_S("manylinux1_"))) return 5;
    if (gf_slice_starts(tag, GF_S("manylinux2010_"))) return 12;
    if (gf_slice_starts(tag, GF_S("manylinux2014_"))) return 17;
    if (!gf_try_lit(&tag, GF_S("manylinux_2_"))) return 0;
    uint64_t minor = gf_take_u64(&tag);
    return tag.p && minor < 1000 ? (unsigned)minor : 0;
}

static unsigned glibc_of_wheel(const char *file)
{
    gf_slice tags = gf_slice_of(file), tag;
    ptrdiff_t dash = gf_slice_rchr(tags, '-');
    if (dash < 0 || !gf_slice_ends(tags, GF_S(".whl"))) return 0;
    tags = gf_slice_sub(tags, (size_t)dash + 1, tags.n - (size_t)dash - 5);
    unsigned least = 0;
    while (gf_slice_field(&tags, '.', &tag)) {
        unsigned minor = glibc_of_tag(tag);
        if (minor && (!least || minor < least)) least = minor;
    }
    return least;
}

static void write_python_facts(const struct mdl_lock *lock, struct gf_buf *out)
{
    const struct mdl_profile *t = lock->ntargets ? lock->targets[0] : NULL;
    gf_slice rest = gf_slice_of(t && t->python_version ? t->python_version : ""), major, minor;
    GF_FREE char *xy = NULL;
    if (gf_slice_cut(&rest, '.', &major)) {
        gf_slice_cut(&rest, '.', &minor);
        xy = gf_xasprintf("%.*s.%.*s", GF_FMT(major), GF_FMT(minor));
    }
    fact(out, "PYTHON", lock->npython ? xy : "");
    fact(out, "PYTHON_ABI", t ? t->python_abi : "");
    fact(out, "PYTHON_IMPL", t && t->python_impl ? t->python_impl : "cpython");
    const char *pip = "";
    unsigned glibc = 0;
    GF_ARENA_SCOPE struct gf_arena a = GF_ARENA_INIT;
    for (size_t i = 0; i < lock->npython; i++) {
        const struct mdl_lock_python *p = &lock->python[i];
        if (bnd_is_installer(p) && strcmp(p->name, "pip") == 0) pip = bnd_file_of(&a, p);
        unsigned own = glibc_of_wheel(bnd_file_of(&a, p));
        if (own > glibc) glibc = own;
    }
    fact(out, "PIP", pip);
    GF_FREE char *libc = gf_xasprintf("2.%u", glibc);
    fact(out, "GLIBC", glibc ? libc : "");
}

/* A line for each source archive: name, version, file, and of the wheels that build it those that are not of the stack. */
static void write_builds(const struct mdl_lock *lock, struct gf_buf *out)
{
    GF_BUF_SCOPE struct gf_buf builds;
    GF_ARENA_SCOPE struct gf_arena a = GF_ARENA_INIT;
    gf_buf_init(&builds, GF_CAP_OUTPUT);
    for (size_t i = 0; i < lock->npython; i++) {
        const struct mdl_lock_python *p = &lock->python[i];
        if (strcmp(p->kind, "sdist") != 0) continue;
        gf_buf_addf(&builds, "%s %s %s", p->name, p->version, p->file);
        for (size_t k = 0; k < lock->nbuild; k++)
            for (size_t n = 0; n < lock->build[k].required_by.n; n++)
                if (strcmp(lock->build[k].required_by.v[n], p->name) == 0) gf_buf_addf(&builds, " %s", bnd_file_of(&a, &lock->build[k]));
        gf_buf_addc(&builds, '\n');
    }
    fact(out, "BUILDS", gf_buf_str(&builds));
}

/* "10de:2204|8.6|GeForce RTX 3090" a line for each card, "none" when there is none; empty: not known. */
static void write_gpus(const struct mdl_lock *lock, struct gf_buf *out)
{
    const struct mdl_profile *t = lock->ntargets ? lock->targets[0] : NULL;
    bool needed = false;
    GF_BUF_SCOPE struct gf_buf gpus;
    gf_buf_init(&gpus, GF_CAP_OUTPUT);
    for (size_t i = 0; t && i < t->ngpus; i++) {
        const struct mdl_gpu *g = &t->gpus[i];
        GF_FREE char *row = gf_xasprintf("%s|%s|%s", g->pci ? g->pci : "", g->cc ? g->cc : "", g->name ? g->name : "");
        for (char *c = row; *c; c++)
            if ((unsigned char)*c < 32) *c = ' ';
        gf_buf_addf(&gpus, "%s\n", row);
    }
    for (size_t i = 0; i < lock->nreasons; i++) needed |= strcmp(lock->reasons[i].id, "gpu-code") == 0;
    for (size_t i = 0; i < lock->nassumes; i++) needed |= strcmp(lock->assumes[i].about, "driver") == 0;
    fact(out, "GPUS", t && t->gpus_known == MDL_ABSENT ? "none" : gf_buf_str(&gpus));
    fact(out, "GPU_NEEDED", needed ? "1" : "");
}

static void write_machines(const struct mdl_lock *lock, struct gf_buf *out)
{
    GF_BUF_SCOPE struct gf_buf machines;
    gf_buf_init(&machines, GF_CAP_OUTPUT);
    for (size_t i = 0; i < lock->nmachines; i++)
        for (size_t k = 0; k < lock->machines[i].names.n; k++) gf_buf_addf(&machines, "%s %s\n", lock->machines[i].names.v[k], lock->machines[i].target);
    fact(out, "MACHINES", gf_buf_str(&machines));
}

static void write_lists(const struct mdl_lock *lock, struct gf_buf *out)
{
    GF_BUF_SCOPE struct gf_buf asked, all, assumes;
    gf_buf_init(&asked, GF_CAP_OUTPUT);
    gf_buf_init(&all, GF_CAP_OUTPUT);
    gf_buf_init(&assumes, GF_CAP_OUTPUT);
    for (size_t i = 0; i < lock->npython; i++) {
        const struct mdl_lock_python *p = &lock->python[i];
        if (bnd_is_installer(p)) continue;
        gf_buf_addf(&all, "%s==%s\n", p->name, p->version);
        for (size_t k = 0; k < p->required_by.n; k++)
            if (strcmp(p->required_by.v[k], "(request)") == 0) gf_buf_addf(&asked, "%s%s", asked.n ? " " : "", p->name);
    }
    for (size_t i = 0; i < lock->nassumes; i++) {
        const struct mdl_lock_assume *a = &lock->assumes[i];
        gf_buf_addf(&assumes, "%s|%s|%s\n", a->about, a->needs, a->source ? a->source : "");
    }
    fact(out, "REQUESTED", gf_buf_str(&asked));
    fact(out, "PACKAGES", gf_buf_str(&all));
    fact(out, "ASSUMES", gf_buf_str(&assumes));
}

void bnd_write_facts(const struct mdl_lock *lock, const struct bnd_items *items, const char *seal, struct gf_buf *out)
{
    const struct mdl_profile *t = lock->ntargets ? lock->targets[0] : NULL;
    uint64_t wheels = 0;
    for (size_t i = 0; i < items->list.n; i++)
        if (strcmp(items->list.v[i].folder, "python") == 0 && !items->list.v[i].installer) wheels += (uint64_t)*items->list.v[i].size;
    gf_buf_adds(out, "# facts of the lock for the scripts beside this file\n");
    fact(out, "SEAL", seal);
    fact(out, "TOOL", lock->tool_version);
    fact(out, "LABEL", t ? t->label : "");
    fact(out, "ARCH", t ? t->arch : "");
    fact(out, "LIBC", t && t->libc_name ? t->libc_name : "");
    fact(out, "LIBC_VERSION", t ? t->libc_version : "");
    fact(out, "OS", t ? t->os_id : "");
    fact(out, "OS_VERSION", t ? t->os_version : "");
    fact(out, "DRIVER_PLANNED", t ? t->driver_version : "");
    fact_number(out, "WHEELS_KB", (wheels + 1023) / 1024);
    fact_number(out, "NEED_KB", wheels / 1024 * WHEEL_GROWTH / 100 + ROOM_TO_WORK_KB);
    write_python_facts(lock, out);
    write_lists(lock, out);
    write_builds(lock, out);
    write_gpus(lock, out);
    write_machines(lock, out);
}

void bnd_write_target_list(const struct mdl_lock *lock, const char *seal, const char *const *seals, struct gf_buf *out)
{
    GF_BUF_SCOPE struct gf_buf list;
    gf_buf_init(&list, GF_CAP_OUTPUT);
    for (size_t i = 0; i < lock->ntargets; i++) gf_buf_addf(&list, "%s %s\n", lock->targets[i]->label, seals[i]);
    gf_buf_adds(out, "# this bundle serves several targets: the facts of each are in targets/\n");
    fact(out, "SEAL", seal);
    fact(out, "TOOL", lock->tool_version);
    fact(out, "TARGETS", gf_buf_str(&list));
    write_machines(lock, out);
    fact(out, "PYTHON", "");
}

/* ---- bundle.json, SHA256SUMS ---- */

static int by_path(const void *a, const void *b)
{
    const struct bnd_member *const *x = a, *const *y = b;
    return strcmp((*x)->path, (*y)->path);
}

static const struct bnd_member **sorted(const struct bnd_layout *l)
{
    const struct bnd_member **all = gf_xreallocarray(NULL, l->m.n + 1, sizeof *all);
    for (size_t i = 0; i < l->m.n; i++) all[i] = &l->m.v[i];
    qsort(all, l->m.n, sizeof *all, by_path);
    return all;
}

void bnd_write_sums(const struct bnd_layout *l, struct gf_buf *out)
{
    GF_FREE const struct bnd_member **all = sorted(l);
    for (size_t i = 0; i < l->m.n; i++) gf_buf_addf(out, "%s  %s\n", all[i]->sha256, all[i]->path);
}

static void write_targets(const struct mdl_lock *lock, const char *const *seals, struct gf_jw *w)
{
    gf_jw_key(w, "targets");
    gf_jw_arr(w);
    for (size_t i = 0; i < lock->ntargets; i++) {
        gf_jw_obj(w);
        gf_jw_kstr(w, "label", lock->targets[i]->label);
        gf_jw_kstr(w, "seal", seals[i]);
        gf_jw_end_obj(w);
    }
    gf_jw_end_arr(w);
}

void bnd_write_manifest(const struct bnd_layout *l, const struct mdl_lock *lock, const char *seal, const char *const *seals, struct gf_buf *out)
{
    GF_FREE const struct bnd_member **all = sorted(l);
    struct gf_jw w;
    gf_jw_init(&w, out, false);
    gf_jw_obj(&w);
    gf_jw_kstr(&w, "schema", "gpuferry.bundle/1");
    gf_jw_key(&w, "tool");
    gf_jw_obj(&w);
    gf_jw_kstr(&w, "version", lock->tool_version);
    gf_jw_end_obj(&w);
    gf_jw_kstr(&w, "seal", seal);
    if (seals) write_targets(lock, seals, &w);
    gf_jw_key(&w, "files");
    gf_jw_arr(&w);
    for (size_t i = 0; i < l->m.n; i++) {
        gf_jw_obj(&w);
        gf_jw_kstr(&w, "path", all[i]->path);
        gf_jw_kstr(&w, "sha256", all[i]->sha256);
        gf_jw_kint(&w, "size", (int64_t)all[i]->size);
        gf_jw_end_obj(&w);
    }
    gf_jw_end_arr(&w);
    gf_jw_end_obj(&w);
}
