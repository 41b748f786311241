#include "target/paste.h"

/* --- facts ---------------------------------------------------------------------------------------------------------------- */
bool tgt_says_nothing(gf_slice v)
{
    static const char *const empty[] = { "N/A", "[N/A]", "[Not Supported]", "Not Supported", "[Not Found]", "Could not collect", "None", "Unknown", "Unknown Error", "[Unknown Error]",
                                         "ERR!", "-", "null", "n/a", "Not available", "Not Available", "No CUDA", "GPU access blocked by the operating system", "[GPU is lost]",
                                         "[GPU requires reset]", "unknown", "Not set", "Not Active", "Insufficient Permissions", "[Insufficient Permissions]", "no", "N / A" };
    v = gf_slice_trim(v);
    if (!v.n) return true;
    for (size_t i = 0; i < sizeof empty / sizeof empty[0]; i++)
        if (gf_slice_ieq(v, gf_slice_of(empty[i]))) return true;
    return false;
}

const char *tgt_from(struct tgt_paste *s, const char *tool)
{
    if (s->in_section) return s->p->label ? gf_arena_printf(&s->p->mem, "%s: %s", s->p->label, tool) : tool;
    return s->name && *s->name ? gf_arena_printf(&s->p->mem, "%s: %s", s->name, tool) : tool;
}

char *tgt_keep(struct tgt_paste *s, gf_slice text)
{
    text = gf_slice_trim(text);
    if (text.n > GF_CAP_VERSION_TEXT) text.n = GF_CAP_VERSION_TEXT;
    return tgt_says_nothing(text) ? NULL : gf_arena_str(&s->p->mem, text);
}

bool tgt_fact(struct tgt_paste *s, const char *key, gf_slice value, const char *tool)
{
    value = gf_slice_trim(value);
    if (tgt_says_nothing(value) || value.n > GF_CAP_VERSION_TEXT) return false;
    if (s->p->nconflicts > TGT_MAX_ERRORS) return false;
    s->facts++;
    return mdl_profile_put(s->p, key, value, tgt_from(s, tool));
}

void tgt_fact_tri(struct tgt_paste *s, const char *key, bool value, const char *tool)
{
    s->facts++;
    mdl_profile_put_tri(s->p, key, value, tgt_from(s, tool));
}

void tgt_fact_absent(struct tgt_paste *s, const char *key, const char *tool)
{
    s->facts++;
    mdl_profile_put_absent(s->p, key, tgt_from(s, tool));
}

void tgt_fact_package(struct tgt_paste *s, struct mdl_package pkg, const char *tool)
{
    if (s->p->npackages >= TGT_MAX_PACKAGES || s->p->nconflicts > TGT_MAX_ERRORS) return;
    s->facts++;
    mdl_profile_merge_package(s->p, &pkg, tgt_from(s, tool));
}

void tgt_error_line(struct tgt_paste *s, gf_slice line)
{
    line = gf_slice_trim(line);
    if (line.n > 500) line.n = 500;
    if (!line.n || s->p->nerrors >= TGT_MAX_ERRORS) return;
    for (size_t i = 0; i < s->p->nerrors; i++)
        if (gf_slice_is(line, s->p->errors[i])) return;
    s->facts++;
    mdl_profile_add_error(s->p, gf_arena_str(&s->p->mem, line));
}

/* --- GPU lists --------------------------------------------------------------------------------------------------------------- */
struct mdl_gpu *tgt_gpus_at(struct tgt_gpus *g, uint64_t index)
{
    if (index >= TGT_MAX_GPUS) return NULL;
    if (index >= g->n) g->n = (size_t)index + 1;
    return &g->v[index];
}

void tgt_add_mig(struct tgt_paste *s, struct mdl_gpu *g, gf_slice instance)
{
    if (g->mig && strcmp(g->mig, "enabled") == 0) g->mig = NULL;
    if (instance.n >= 16 || (g->mig && strlen(g->mig) >= 200)) return;
    g->mig = gf_arena_printf(&s->p->mem, "%s%s%.*s", g->mig ? g->mig : "", g->mig ? "," : "", GF_FMT(instance));
}

static bool is_empty(const struct mdl_gpu *g) { return !g->vendor && !g->name && !g->pci && !g->cc && !g->gfx && !g->memory_mib && !g->mig; }

void tgt_gpus_flush(struct tgt_paste *s, struct tgt_gpus *g, const char *tool)
{
    size_t n = 0;
    for (size_t i = 0; i < g->n; i++) /* numbers that were skipped are no GPUs */
        if (!is_empty(&g->v[i])) g->v[n++] = g->v[i];
    s->facts += n;
    mdl_profile_merge_gpus(s->p, g->v, n, tgt_from(s, tool));
    memset(g->v, 0, g->n * sizeof g->v[0]);
    g->n = 0;
}

/* "A10-24Q", "T4-4C", "A100-4-20C": the last part is megabytes of frame buffer in GB and the kind of licence. */
static bool is_vgpu(gf_slice name)
{
    ptrdiff_t dash = gf_slice_rchr(name, '-');
    if (dash <= 0 || name.n < 4) return false;
    gf_slice last = gf_slice_from(name, (size_t)dash + 1);
    char kind = last.n ? last.p[last.n - 1] : '\0';
    uint64_t size;
    return last.n >= 2 && last.n <= 4 && (kind == 'Q' || kind == 'C' || kind == 'A' || kind == 'B') && gf_slice_u64(gf_slice_sub(last, 0, last.n - 1), &size) && size <= 192;
}

void tgt_name_gpu(struct tgt_paste *s, struct mdl_gpu *g, gf_slice name)
{
    g->name = tgt_keep(s, name);
    if (!g->name || !is_vgpu(gf_slice_trim(name))) return;
    gf_slice type = gf_slice_of(g->name);
    gf_try_lit(&type, GF_S("NVIDIA "));
    gf_try_lit(&type, GF_S("GRID "));
    g->vgpu = gf_arena_str(&s->p->mem, type);
}

/* --- lines ------------------------------------------------------------------------------------------------------------------- */
bool tgt_after(gf_slice line, gf_slice needle, gf_slice *ret_rest)
{
    ptrdiff_t at = gf_slice_find(line, needle);
    if (at < 0) return false;
    *ret_rest = gf_slice_from(line, (size_t)at + needle.n);
    gf_take_ws(ret_rest);
    return true;
}

bool tgt_key(gf_slice line, gf_slice key, gf_slice *ret_value)
{
    gf_take_ws(&line);
    if (line.n < key.n || !gf_slice_ieq(gf_slice_sub(line, 0, key.n), key)) return false;
    line = gf_slice_from(line, key.n);
    gf_take_ws(&line);
    if (!line.n || (line.p[0] != ':' && line.p[0] != '=')) return false;
    *ret_value = gf_slice_trim(gf_slice_from(line, 1));
    return true;
}

static bool is_number_byte(unsigned char c) { return gf_is_digit(c) || c == '.'; }

gf_slice tgt_number(gf_slice s)
{
    gf_take_ws(&s);
    gf_slice n = gf_take_while(&s, is_number_byte);
    while (n.n && n.p[n.n - 1] == '.') n.n--;
    return n.n && gf_is_digit((unsigned char)n.p[0]) ? n : GF_NONE;
}

gf_slice tgt_find_number(gf_slice s)
{
    for (size_t i = 0; i < s.n; i++) {
        if (!gf_is_digit((unsigned char)s.p[i])) continue;
        gf_slice n = tgt_number(gf_slice_from(s, i));
        if (gf_slice_chr(n, '.') > 0) return n;
        i += n.n;
    }
    return GF_NONE;
}

int64_t tgt_mib(gf_slice s)
{
    gf_take_ws(&s);
    uint64_t n = gf_take_u64(&s);
    if (!gf_slice_ok(s) || n > (1u << 30)) return 0;
    if (gf_try_char(&s, '.')) (void)gf_take_while(&s, is_number_byte);
    gf_take_ws(&s);
    if (!s.n || gf_slice_starts(s, GF_S("MiB")) || gf_slice_starts(s, GF_S("MB")) || s.p[0] == '|') return (int64_t)n;
    return gf_slice_starts(s, GF_S("GiB")) || gf_slice_starts(s, GF_S("GB")) ? (int64_t)n * 1024 : 0;
}

static bool is_hex(unsigned char c) { return gf_is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'f'); }

static size_t hex_run(gf_slice s, size_t at)
{
    size_t n = 0;
    while (at + n < s.n && is_hex((unsigned char)s.p[at + n])) n++;
    return n;
}

/* Bus, device and function behind a domain that ends at colon. */
static bool bus_tail(gf_slice s, size_t colon, size_t *ret_end)
{
    size_t at = colon + 1;
    if (hex_run(s, at) != 2 || at + 6 >= s.n + 1 || s.p[at + 2] != ':' || hex_run(s, at + 3) != 2) return false;
    if (at + 6 >= s.n || s.p[at + 5] != '.' || !is_hex((unsigned char)s.p[at + 6])) return false;
    *ret_end = at + 7;
    return true;
}

bool tgt_bus_id(gf_slice s, size_t *ret_at, size_t *ret_end)
{
    for (size_t i = 0; i < s.n; i++) {
        size_t n = hex_run(s, i);
        if ((n == 4 || n == 8) && i + n < s.n && s.p[i + n] == ':' && bus_tail(s, i + n, ret_end)) {
            *ret_at = i;
            return true;
        }
        i += n;
    }
    return false;
}
