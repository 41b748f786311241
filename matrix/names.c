/* What product a name means. Names come as nvidia-smi prints them ("NVIDIA GeForce RTX 4060 Laptop GPU", "Tesla V100-SXM2-16GB"), as pci.ids has them
 * ("GeForce RTX 4060 Max-Q / Mobile") and as people say them ("V100"). A name becomes words; brand words say nothing; some words may be left out by who asks. */
#include "matrix/table.h"

enum { MAX_WORDS = 16, WORD = 24 };
struct words { char w[MAX_WORDS][WORD]; size_t n; bool cut; };

static bool one_of(const char *w, const char *const *list)
{
    for (; *list; list++)
        if (**list == *w && strcmp(w, *list) == 0) return true;
    return false;
}

static bool is_memory(const char *w)
{
    size_t n = strspn(w, "0123456789");
    return n && (strcmp(w + n, "gb") == 0 || strcmp(w + n, "g") == 0 || strcmp(w + n, "gib") == 0);
}

static bool is_brand(const char *w)
{
    static const char *const brands[] = { "nvidia", "geforce", "tesla", "gpu", "graphics", "device", "card", "corporation", "jetson", "nvgpu", "amd", "radeon", "instinct", "ascend", "huawei", NULL };
    return one_of(w, brands);
}

/* Words that name a form, not another GPU: who asks for "V100" means each of its forms. */
static bool is_form(const char *w)
{
    static const char *const forms[] = { "pcie", "pci", "sxm", "sxm2", "sxm3", "sxm4", "sxm5", "hbm2", "hbm2e", "hbm3", "hbm3e", "nvl", "dgxs", "fhhl", "ada", "generation", "blackwell", "edition",
                                         "workstation", "server", "quadro", "rev", "founders", "agx", "module", "developer", "kit", "lhr", "oem", NULL };
    return one_of(w, forms) || is_memory(w);
}

static void add_word(struct words *out, const char *p, size_t n)
{
    char w[WORD];
    if (out->n == MAX_WORDS || n >= WORD) return;
    for (size_t i = 0; i < n; i++) w[i] = gf_lower(p[i]);
    w[n] = 0;
    if (strcmp(w, "laptop") == 0 || strcmp(w, "max") == 0) memcpy(w, "mobile", 7);
    if (strcmp(w, "q") == 0 && out->n && strcmp(out->w[out->n - 1], "mobile") == 0) return;
    if (is_memory(w)) { /* 24G, 24GiB: 24gb */
        size_t d = strspn(w, "0123456789");
        memcpy(w + d, "gb", 3);
    }
    if (is_brand(w) || (out->n && strcmp(w, "mobile") == 0 && strcmp(out->w[out->n - 1], "mobile") == 0)) return;
    memcpy(out->w[out->n++], w, WORD);
}

/* "RTX3090" is two words, "A100" and "3060Ti"… are split only between a known series name and its number, and before "ti". */
static size_t split_at(const char *p, size_t n)
{
    static const char *const series[] = { "rtx", "gtx", "gts", "gt", "rx", NULL };
    for (size_t i = 0; series[i]; i++) {
        size_t k = strlen(series[i]);
        if (n > k && gf_slice_ieq(gf_slice_n(p, k), gf_slice_of(series[i])) && gf_is_digit((unsigned char)p[k])) return k;
    }
    size_t d = 0;
    while (d < n && gf_is_digit((unsigned char)p[d])) d++;
    if (d >= 3 && (gf_slice_ieq(gf_slice_n(p + d, n - d), GF_S("ti")) || gf_slice_ieq(gf_slice_n(p + d, n - d), GF_S("super")))) return d;
    return n;
}

static void to_words(gf_slice name, struct words *out)
{
    name = gf_slice_trim(name);
    out->n = 0;
    out->cut = gf_slice_ends(name, GF_S("...")) || gf_slice_ends(name, GF_S("…"));
    for (size_t i = 0; i < name.n;) {
        size_t start = i;
        while (i < name.n && gf_is_alnum((unsigned char)name.p[i])) i++;
        for (size_t n = i - start; n; n = i - start) {
            size_t k = split_at(name.p + start, n);
            add_word(out, name.p + start, k);
            start += k;
        }
        if (i < name.n) i++;
    }
}

enum rank { NO_MATCH, FORM, EXACT };

static bool same_word(const struct words *asked, size_t a, const char *have)
{
    if (asked->cut && a + 1 == asked->n) return strncmp(asked->w[a], have, strlen(asked->w[a])) == 0;
    return strcmp(asked->w[a], have) == 0;
}

/* Each word asked for is there, in any order ("A100 80GB PCIe", "A100 PCIe 80GB"), the last may be cut off; what is left over are words that name a form. */
static enum rank match(const struct words *asked, const struct words *have)
{
    uint32_t found = 0;
    bool left = asked->cut;
    for (size_t h = 0; h < have->n; h++) {
        size_t a = 0;
        while (a < asked->n && ((found >> a & 1) || !same_word(asked, a, have->w[h]))) a++;
        if (a < asked->n) found |= UINT32_C(1) << a;
        else if (is_form(have->w[h]) || asked->cut) left = true;
        else return NO_MATCH;
    }
    if (found != (UINT32_C(1) << asked->n) - 1) return NO_MATCH;
    return left ? FORM : EXACT;
}

/* A product's name may stand for several: "Tesla C2050 / C2070", "Quadro RTX 6000/8000". The k-th: the part behind the k-th stroke, in place of the
 * last word of the first part when it is one word, in place of its number and what follows when it begins with a number. */
static bool alternative(gf_slice name, size_t k, struct words *out)
{
    gf_slice part, first;
    if (!gf_slice_field(&name, '/', &first)) return false;
    to_words(first, out);
    if (!k) return true;
    do {
        if (!gf_slice_field(&name, '/', &part)) return false;
    } while (--k);
    struct words more;
    to_words(part, &more);
    if (!more.n || !out->n) return *out = more, more.n > 0;
    size_t keep = 0;
    if (gf_is_digit((unsigned char)more.w[0][0]))
        while (keep < out->n && !gf_is_digit((unsigned char)out->w[keep][0])) keep++;
    else keep = more.n == 1 ? out->n - 1 : 0;
    for (out->n = keep, k = 0; k < more.n && out->n < MAX_WORDS; k++) memcpy(out->w[out->n++], more.w[k], WORD);
    return true;
}

static enum rank best_match(const struct words *asked, gf_slice name)
{
    struct words have;
    enum rank best = NO_MATCH;
    for (size_t k = 0; alternative(name, k, &have); k++) {
        enum rank r = match(asked, &have);
        if (r > best) best = r;
    }
    return best;
}

static size_t collect(struct mtx *m, const struct words *asked, enum rank want, const struct mtx_gpu **ret, size_t cap)
{
    size_t n = 0;
    gf_slice telling = GF_NONE; /* a word with a number stands in each name that matches */
    for (size_t i = 0; i < asked->n; i++)
        if (strpbrk(asked->w[i], "0123456789") && !is_memory(asked->w[i]) && strlen(asked->w[i]) > telling.n) telling = gf_slice_of(asked->w[i]);
    for (size_t i = 0; i < m->gpus.n && n < cap; i++)
        if (m->gpus.v[i].name && (!telling.n || gf_slice_ifind(gf_slice_of(m->gpus.v[i].name), telling) >= 0) && best_match(asked, gf_slice_of(m->gpus.v[i].name)) == want) ret[n++] = &m->gpus.v[i];
    return n;
}

/* "RTX 3090 24GB", "H100 80GB HBM3": the memory said, but not in the product's name. */
static bool drop_memory(struct words *w, bool kind)
{
    for (size_t i = 0; i < w->n; i++)
        if (kind ? strncmp(w->w[i], "hbm", 3) == 0 : is_memory(w->w[i])) {
            memmove(w->w[i], w->w[i + 1], (w->n - i - 1) * WORD);
            w->n--;
            return true;
        }
    return false;
}

static size_t find(struct mtx *m, const struct words *asked, const struct mtx_gpu **ret, size_t cap)
{
    bool digits = false;
    for (size_t i = 0; i < asked->n; i++) digits |= strpbrk(asked->w[i], "0123456789") != NULL && !is_memory(asked->w[i]);
    size_t n = asked->n ? collect(m, asked, EXACT, ret, cap) : 0;
    /* "RTX" or "24GB" alone name no product */
    return n || !(digits || asked->n > 1) || !asked->n ? n : collect(m, asked, FORM, ret, cap);
}

size_t mtx_gpu_by_name(struct mtx *m, gf_slice name, const struct mtx_gpu **ret, size_t cap)
{
    mtx_need(m, MTX_T_GPUS);
    struct words asked;
    to_words(name, &asked);
    size_t n = find(m, &asked, ret, cap);
    if (!n && drop_memory(&asked, true)) n = find(m, &asked, ret, cap);
    if (!n && drop_memory(&asked, false)) n = find(m, &asked, ret, cap);
    return n;
}

static unsigned distance(const char *a, const char *b)
{
    enum { CAP = 64 };
    unsigned row[CAP + 1];
    size_t la = strlen(a), lb = strlen(b);
    la = la > CAP ? CAP : la, lb = lb > CAP ? CAP : lb;
    for (size_t j = 0; j <= lb; j++) row[j] = (unsigned)j;
    for (size_t i = 1; i <= la; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= lb; j++) {
            unsigned up = row[j], best = diagonal + (a[i - 1] != b[j - 1]);
            if (up + 1 < best) best = up + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            diagonal = up;
            row[j] = best;
        }
    }
    return row[lb];
}

static void joined(const struct words *w, char out[MAX_WORDS * WORD])
{
    size_t n = 0;
    for (size_t i = 0; i < w->n; i++) {
        if (n) out[n++] = ' ';
        size_t k = strlen(w->w[i]);
        memcpy(out + n, w->w[i], k);
        n += k;
    }
    out[n] = 0;
}

size_t mtx_gpu_nearest(struct mtx *m, gf_slice name, const struct mtx_gpu **ret, size_t cap)
{
    enum { KEEP = 16 };
    mtx_need(m, MTX_T_GPUS);
    unsigned score[KEEP];
    size_t n = 0;
    struct words asked, have;
    char a[MAX_WORDS * WORD], h[MAX_WORDS * WORD];
    to_words(name, &asked);
    joined(&asked, a);
    if (cap > KEEP) cap = KEEP;
    for (size_t i = 0; i < m->gpus.n && asked.n && cap; i++) {
        const struct mtx_gpu *g = &m->gpus.v[i];
        if (!g->name) continue;
        to_words(gf_slice_of(g->name), &have);
        joined(&have, h);
        unsigned d = distance(a, h);
        if (d * 2 > strlen(a) + 2) continue;
        size_t at = n;
        bool twice = false;
        for (size_t k = 0; k < n; k++) twice |= strcmp(ret[k]->name, g->name) == 0;
        if (twice || (n == cap && d >= score[n - 1])) continue;
        while (at && score[at - 1] > d) at--;
        if (n < cap) n++;
        for (size_t k = n - 1; k > at; k--) ret[k] = ret[k - 1], score[k] = score[k - 1];
        ret[at] = g, score[at] = d;
    }
    return n;
}
