#include "target/paste.h"

/* In the order of asking: the more particular first. */
static const struct tgt_format *const formats[] = {
    &tgt_collector, &tgt_smi_xml,    &tgt_smi_table,   &tgt_smi_query, &tgt_npu,    &tgt_rocm,   &tgt_rocminfo,    &tgt_collect_env, &tgt_torch_warning,
    &tgt_smi_list,  &tgt_kernel_log, &tgt_toolkit,     &tgt_kube,      &tgt_docker, &tgt_system, &tgt_py_packages, &tgt_errors,
};
#define NFORMATS (sizeof formats / sizeof formats[0])

/* --- cleaning --------------------------------------------------------------------------------------------------------- */
/* What re-typing and OCR put for plain characters. */
static const struct { const char *seen, *meant; } look_alikes[] = {
    { "\xef\xbc\x9a", ":" }, { "\xef\xbd\x9c", "|" }, { "\xc2\xa0", " " },     { "\xe3\x80\x80", " " }, { "\xe2\x94\x82", "|" }, { "\xe2\x94\x83", "|" },
    { "\xe2\x80\x99", "'" }, { "\xe2\x80\x98", "'" }, { "\xe2\x80\xa6", "..." }, { "\xe2\x94\x80", "-" }, { "\xe2\x95\x90", "=" }, { "\xef\xbb\xbf", "" },
    { "\xe2\x80\x8b", "" },  { "\xe2\x95\x91", "|" }, { "\xe2\x80\x93", "-" },   { "\xe2\x80\x94", "-" },
};

static size_t look_alike(gf_slice s, struct gf_buf *out)
{
    for (size_t i = 0; i < sizeof look_alikes / sizeof look_alikes[0]; i++) {
        gf_slice seen = gf_slice_of(look_alikes[i].seen);
        if (!gf_slice_starts(s, seen)) continue;
        gf_buf_adds(out, look_alikes[i].meant);
        return seen.n;
    }
    return 0;
}

/* Length of the escape sequence that s begins with: ESC [ … letter, ESC ] … BEL, ESC x. */
static size_t escape_length(gf_slice s)
{
    size_t n = 2;
    if (s.n < 2) return s.n;
    if (s.p[1] == '[')
        while (n < s.n && (unsigned char)s.p[n] < 0x40) n++;
    else if (s.p[1] == ']')
        while (n < s.n && s.p[n] != '\a' && s.p[n] != '\033') n++;
    else return 2;
    return n < s.n ? n + 1 : s.n;
}

static bool is_plain(gf_slice line)
{
    unsigned char odd = 0;
    for (size_t i = 0; i < line.n; i++) odd |= (unsigned char)((unsigned char)(line.p[i] - ' ') > '~' - ' ');
    return !odd;
}

static void clean_line(gf_slice line, struct gf_buf *out)
{
    gf_buf_clear(out);
    if (line.n > TGT_MAX_LINE) line.n = TGT_MAX_LINE;
    if (is_plain(line)) {
        gf_buf_addsl(out, line);
        return;
    }
    for (size_t i = 0, skip; i < line.n; i += skip) {
        unsigned char c = (unsigned char)line.p[i];
        gf_slice rest = gf_slice_from(line, i);
        skip = 1;
        if (c == 033) skip = escape_length(rest);
        else if (c == '\t') gf_buf_addc(out, ' ');
        else if (c < ' ' || c == 0x7f) continue;
        else if (c < 0x80) gf_buf_addc(out, (char)c);
        else if (!(skip = look_alike(rest, out))) {
            gf_buf_addc(out, (char)c);
            skip = 1;
        }
    }
}

/* --- lines ------------------------------------------------------------------------------------------------------------- */
static void offer(struct tgt_paste *s, gf_slice line)
{
    for (size_t i = 0; i < NFORMATS; i++)
        if (formats[i]->line(s, s->states[i], line)) return;
}

void tgt_end_formats(struct tgt_paste *s)
{
    for (size_t i = 1; i < NFORMATS; i++)
        if (formats[i]->end) formats[i]->end(s, s->states[i]);
}

/* UTF-16, told by its mark or by every second byte being NUL at the start. 0: no, 1: little endian, 2: big endian. */
static int utf16_kind(gf_slice t)
{
    if (t.n < 4) return 0;
    const unsigned char *p = (const unsigned char *)t.p;
    if (p[0] == 0xff && p[1] == 0xfe) return 1;
    if (p[0] == 0xfe && p[1] == 0xff) return 2;
    if (p[0] && !p[1] && p[2] && !p[3]) return 1;
    return !p[0] && p[1] && !p[2] && p[3] ? 2 : 0;
}

static void add_utf8(struct gf_buf *out, unsigned c)
{
    if (c < 0x80) gf_buf_addc(out, (char)c);
    else if (c < 0x800) {
        gf_buf_addc(out, (char)(0xc0 | c >> 6));
        gf_buf_addc(out, (char)(0x80 | (c & 0x3f)));
    } else {
        gf_buf_addc(out, (char)(0xe0 | c >> 12));
        gf_buf_addc(out, (char)(0x80 | (c >> 6 & 0x3f)));
        gf_buf_addc(out, (char)(0x80 | (c & 0x3f)));
    }
}

static bool utf16_line(gf_slice *t, int kind, struct gf_buf *out)
{
    gf_buf_clear(out);
    if (t->n < 2) return false;
    while (t->n >= 2) {
        const unsigned char *p = (const unsigned char *)t->p;
        unsigned c = kind == 1 ? (unsigned)(p[0] | p[1] << 8) : (unsigned)(p[1] | p[0] << 8);
        *t = gf_slice_from(*t, 2);
        if (c == '\n') break;
        if (c < 0xd800 || c > 0xdfff) add_utf8(out, c); /* surrogates hold nothing that matters here */
    }
    return true;
}

/* A line ends at LF, CRLF, or a lone CR (progress bars, old Macs). */
static bool next_line(gf_slice *t, int kind, struct gf_buf *wide, gf_slice *ret)
{
    if (kind) {
        if (!utf16_line(t, kind, wide)) return false;
        *ret = gf_buf_slice(wide);
        return true;
    }
    return gf_slice_line(t, ret);
}

static void feed(struct tgt_paste *s, gf_slice line, struct gf_buf *clean)
{
    gf_slice part;
    line = gf_slice_rtrim(line);
    while (gf_slice_field(&line, '\r', &part)) {
        clean_line(part, clean);
        offer(s, gf_slice_rtrim(gf_buf_slice(clean)));
    }
}

size_t tgt_read_paste(struct mtx *m, gf_slice text, const char *name, struct mdl_profile *p)
{
    struct tgt_paste s = { .m = m, .p = p, .name = name };
    struct gf_arena states = GF_ARENA_INIT;
    GF_BUF_SCOPE struct gf_buf wide, clean;
    gf_buf_init(&wide, GF_CAP_TEXT_LINE);
    gf_buf_init(&clean, 4 * TGT_MAX_LINE);
    s.states = GF_NEW_ARRAY(&states, void *, NFORMATS);
    for (size_t i = 0; i < NFORMATS; i++) s.states[i] = gf_arena_zalloc(&states, formats[i]->state_size + 1);
    int kind = utf16_kind(text);
    gf_slice line;
    while (next_line(&text, kind, &wide, &line)) feed(&s, line, &clean);
    tgt_end_formats(&s);
    formats[0]->end(&s, s.states[0]);
    gf_arena_release(&states);
    if (m) tgt_fill_gpus(m, p);
    return s.facts;
}
