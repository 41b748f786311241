/* Python interpreters and the distributions of the one that "python3" runs: from files, none is started. */
#include "target/probe.h"
#include <stdio.h>
#include <stdlib.h>

struct interpreter {
    char path[GF_CAP_PATH]; /* as found */
    char real[GF_CAP_PATH];
    char prefix[GF_CAP_PATH]; /* /usr of /usr/bin/python3 */
    char base[GF_CAP_PATH];   /* prefix of the real one: where the library is */
    unsigned minor;
    bool threaded, venv;
};

/* "…/python3.11" → 11; "python3.13t" is free-threaded. */
static bool minor_of(struct interpreter *t)
{
    const char *name = strrchr(t->real, '/');
    if (!name || strncmp(name, "/python3.", 9) != 0) return false;
    char *end;
    unsigned long n = strtoul(name + 9, &end, 10);
    t->threaded = strcmp(end, "t") == 0;
    t->minor = (unsigned)n;
    return end != name + 9 && n < 100 && (!*end || t->threaded);
}

static void prefix_of(const char *path, char out[GF_CAP_PATH])
{
    snprintf(out, GF_CAP_PATH, "%s", path);
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(out, '/');
        if (slash) *slash = '\0';
    }
    if (strcmp(out, "") == 0) snprintf(out, GF_CAP_PATH, "/usr"); /* /bin is /usr/bin */
}

/* memmem, but faster where the first byte is rare: interpreters are large. */
static const char *find_start(gf_slice s, const char *start, size_t n)
{
    for (const char *at; s.n >= n && (at = memchr(s.p, start[0], s.n - n + 1)); s = gf_slice_from(s, (size_t)(at - s.p) + 1))
        if (memcmp(at, start, n) == 0) return at;
    return NULL;
}

/* PY_VERSION as the binary holds it: "3.11.2", a string of its own. */
static bool version_in(struct tgt_probe *p, const char *path, unsigned minor, char out[32])
{
    char start[16];
    struct tgt_section file;
    gf_slice rest;
    bool found = false, any = tgt_section_open(p, path, ".rodata", &file);
    size_t head = (size_t)snprintf(start, sizeof start, "3.%u.", minor);
    while (any && !found && tgt_section_next(&file, &rest))
        for (const char *at; !found && (at = find_start(rest, start, head)); rest = gf_slice_from(rest, (size_t)(at - rest.p) + head)) {
            size_t off = (size_t)(at - rest.p), n = 0;
            while (off + n < rest.n && n < 31 && (gf_is_alnum((unsigned char)at[n]) || at[n] == '.' || at[n] == '+')) n++;
            /* the linker may have made it the tail of another string: "…/versions/3.11.7" */
            bool begins = off > 0 && !gf_is_alnum((unsigned char)at[-1]) && at[-1] != '.', ends = off + n < rest.n && at[n] == '\0';
            found = begins && ends && n > head && gf_is_digit((unsigned char)at[head]);
            if (found) snprintf(out, 32, "%.*s", (int)n, at);
        }
    tgt_section_close(&file);
    return found;
}

static bool find_version(struct tgt_probe *p, const struct interpreter *t, char out[32])
{
    static const char *const libs[] = { "lib64", "lib", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu" };
    char path[GF_CAP_PATH];
    for (size_t i = 0; i < sizeof libs / sizeof libs[0]; i++) {
        snprintf(path, sizeof path, "%.3000s/%s/libpython3.%u%s.so.1.0", t->base, libs[i], t->minor, t->threaded ? "t" : "");
        if (tgt_probe_exists(p, path) && version_in(p, path, t->minor, out)) return true;
    }
    return version_in(p, t->real, t->minor, out);
}

/* A path shows no user's name. */
static void add_path(struct tgt_probe *p, const char *path)
{
    gf_slice s = gf_slice_of(path), user;
    if (gf_try_lit(&s, GF_S("/home/")) && gf_slice_cut(&s, '/', &user)) gf_buf_addf(&p->out, "~/%.*s", GF_FMT(s));
    else if (gf_slice_starts(gf_slice_of(path), GF_S("/root/"))) gf_buf_addf(&p->out, "~/%s", path + 6);
    else gf_buf_adds(&p->out, path);
}

static bool lib_has(struct tgt_probe *p, const char *prefix, const struct interpreter *t, const char *what)
{
    static const char *const libs[] = { "lib", "lib64" };
    char path[GF_CAP_PATH];
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%.3000s/%s/python3.%u%s/%s", prefix, libs[i], t->minor, t->threaded ? "t" : "", what);
        if (tgt_probe_exists(p, path)) return true;
    }
    return false;
}

static bool has_pip(struct tgt_probe *p, const struct interpreter *t)
{
    if (lib_has(p, t->prefix, t, "site-packages/pip/__init__.py")) return true;
    if (t->venv) return false;
    return lib_has(p, "/usr/local", t, "dist-packages/pip/__init__.py") || (strcmp(t->base, "/usr") == 0 && tgt_probe_exists(p, "/usr/lib/python3/dist-packages/pip/__init__.py"));
}

static bool add_interpreter(struct tgt_probe *p, const struct interpreter *t)
{
    char version[32];
    if (!find_version(p, t, version)) return false;
    bool can_venv = lib_has(p, t->base, t, "ensurepip/__init__.py");
    gf_buf_addf(&p->out, "version=%s abi=cp3%u%s venv=%s pip=%s path=", version, t->minor, t->threaded ? "t" : "", can_venv ? "yes" : "no", has_pip(p, t) ? "yes" : "no");
    add_path(p, t->path);
    gf_buf_addc(&p->out, '\n');
    return true;
}

static bool look_at(struct tgt_probe *p, const char *path, struct interpreter *t)
{
    char cfg[GF_CAP_PATH];
    *t = (struct interpreter){ .minor = 0 };
    if (!tgt_probe_real(p, path, t->real) || !minor_of(t)) return false;
    snprintf(t->path, sizeof t->path, "%s", path);
    prefix_of(t->path, t->prefix);
    prefix_of(t->real, t->base);
    snprintf(cfg, sizeof cfg, "%.3000s/pyvenv.cfg", t->prefix);
    t->venv = tgt_probe_exists(p, cfg);
    return true;
}

/* pyenv puts scripts in the way that choose by a file: what they would choose. False: the next on PATH. */
static bool behind_shim(struct tgt_probe *p, char path[GF_CAP_PATH])
{
    static const char tail[] = "/shims/python3";
    size_t n = strlen(path);
    if (n < sizeof tail || strcmp(path + n - (sizeof tail - 1), tail) != 0) return true;
    char file[GF_CAP_PATH];
    path[n - (sizeof tail - 1)] = '\0';
    snprintf(file, sizeof file, "%.3000s/version", path);
    gf_slice text, version;
    const char *chosen = getenv("PYENV_VERSION");
    if (chosen && *chosen) version = gf_slice_of(chosen);
    else if (!tgt_probe_read(p, file, &text) || !gf_slice_word(&text, &version)) return false;
    char root[GF_CAP_PATH];
    snprintf(root, sizeof root, "%s", path);
    return snprintf(path, GF_CAP_PATH, "%.3000s/versions/%.*s/bin/python3", root, GF_FMT(version)) < GF_CAP_PATH && tgt_probe_exists(p, path);
}

/* What "python3" runs. */
static bool find_main(struct tgt_probe *p, struct interpreter *t)
{
    char at[GF_CAP_PATH];
    gf_slice rest = GF_NONE;
    while (tgt_probe_next_on_path(p, "python3", &rest, at))
        if (behind_shim(p, at) && look_at(p, at, t)) return true;
    return false;
}

/* --- distributions ----------------------------------------------------------------------------------------------------------------- */
/* torch's own file says for which CUDA it was built: "cuda: Optional[str] = '12.4'". */
static void add_torch_cuda(struct tgt_probe *p, const char *dir)
{
    char path[GF_CAP_PATH];
    gf_slice text, line, v;
    snprintf(path, sizeof path, "%.3500s/torch/version.py", dir);
    if (!tgt_probe_read(p, path, &text)) return;
    while (gf_slice_line(&text, &line)) {
        v = line;
        if (!gf_try_lit(&v, GF_S("cuda"))) continue;
        ptrdiff_t eq = gf_slice_chr(v, '=');
        if (eq < 0) continue;
        v = gf_slice_trim(gf_slice_from(v, (size_t)eq + 1));
        if (gf_slice_is(v, "None")) gf_buf_adds(&p->out, " cuda=none");
        else if (v.n > 2) gf_buf_addf(&p->out, " cuda=%.*s", GF_FMT(gf_slice_sub(v, 1, v.n - 2)));
        return;
    }
}

/* "torch-2.5.1+cu124.dist-info", "PyYAML-6.0.egg-info", "six-1.16.0-py3.11.egg-info" */
static void add_distribution(struct tgt_probe *p, const char *dir, const char *entry)
{
    gf_slice s = gf_slice_of(entry), name, version;
    bool dist = gf_slice_ends(s, GF_S(".dist-info")), egg = gf_slice_ends(s, GF_S(".egg-info"));
    if (!dist && !egg) return;
    s.n -= dist ? 10 : 9;
    if (!gf_slice_cut(&s, '-', &name)) return;
    gf_slice rest = s;
    if (!gf_slice_cut(&rest, '-', &version)) version = s;
    if (!version.n || !gf_is_digit((unsigned char)version.p[0])) return;
    gf_buf_addf(&p->out, "%.*s==%.*s", GF_FMT(name), GF_FMT(version));
    if (gf_slice_is(name, "torch")) add_torch_cuda(p, dir);
    gf_buf_addc(&p->out, '\n');
}

static void add_folder(struct tgt_probe *p, const char *dir)
{
    char **names;
    size_t n = tgt_probe_names(p, dir, "", &names);
    for (size_t i = 0; i < n; i++) add_distribution(p, dir, names[i]);
    tgt_probe_free_names(names, n);
}

static void add_site(struct tgt_probe *p, const struct interpreter *t, const char *prefix, const char *lib, const char *packages)
{
    char dir[GF_CAP_PATH];
    snprintf(dir, sizeof dir, "%.3000s/%s/python3.%u%s/%s", prefix, lib, t->minor, t->threaded ? "t" : "", packages);
    add_folder(p, dir);
}

/* In the order of sys.path: the user's, the site's, the distribution's. */
static void add_distributions(struct tgt_probe *p, const struct interpreter *t)
{
    gf_buf_adds(&p->out, "== distributions\n");
    const char *home = *p->root ? NULL : getenv("HOME");
    if (!t->venv && home && *home == '/') {
        char local[GF_CAP_PATH];
        snprintf(local, sizeof local, "%.3000s/.local", home);
        add_site(p, t, local, "lib", "site-packages");
    }
    if (!t->venv && strcmp(t->base, "/usr") == 0) {
        add_site(p, t, "/usr/local", "lib", "dist-packages");
        add_site(p, t, "/usr/local", "lib", "site-packages");
        add_site(p, t, "/usr/local", "lib64", "site-packages");
        add_folder(p, "/usr/lib/python3/dist-packages");
    }
    char lib[GF_CAP_PATH + 8], lib64[GF_CAP_PATH + 8], real[GF_CAP_PATH], real64[GF_CAP_PATH];
    snprintf(lib, sizeof lib, "%s/lib", t->prefix);
    snprintf(lib64, sizeof lib64, "%s/lib64", t->prefix);
    add_site(p, t, t->prefix, "lib", "site-packages");
    bool one = tgt_probe_real(p, lib, real) && tgt_probe_real(p, lib64, real64) && strcmp(real, real64) == 0;
    if (!one) add_site(p, t, t->prefix, "lib64", "site-packages");
}

void tgt_probe_python(struct tgt_probe *p)
{
    static const char *const folders[] = { "/usr/bin", "/usr/local/bin", "/opt/conda/bin" };
    struct interpreter *main_one = gf_xcalloc(1, sizeof *main_one), *t = gf_xcalloc(1, sizeof *t);
    char at[GF_CAP_PATH];
    bool any = find_main(p, main_one);
    gf_buf_adds(&p->out, "== python\n");
    if (any) any = add_interpreter(p, main_one);
    bool has_main = any;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        char **names;
        size_t n = tgt_probe_names(p, folders[i], "python3.", &names);
        for (size_t k = 0; k < n; k++) {
            size_t len = strlen(names[k]);
            if (strspn(names[k] + 8, "0123456789t") != len - 8) continue;
            snprintf(at, sizeof at, "%s/%.200s", folders[i], names[k]);
            if (!look_at(p, at, t) || (has_main && strcmp(t->real, main_one->real) == 0)) continue;
            any |= add_interpreter(p, t);
        }
        tgt_probe_free_names(names, n);
    }
    if (!any) gf_buf_adds(&p->out, "none\n");
    if (has_main) add_distributions(p, main_one);
    free(main_one);
    free(t);
}
