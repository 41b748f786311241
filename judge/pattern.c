#include "judge/pattern.h"
#include "base/vec.h"

enum { MIN_KEY = 3, MAX_PATTERN = 400, MAX_WORD = 64 };

struct compiling {
    struct gf_arena *a;
    GF_VEC(struct jdg_atom) atoms;
    GF_VEC(struct jdg_piece) pieces;
    char literal[MAX_PATTERN];
    size_t nliteral;
    gf_slice key;
};

static void end_literal(struct compiling *c)
{
    if (!c->nliteral) return;
    gf_slice text = gf_slice_n(gf_arena_memdup(c->a, c->literal, c->nliteral), c->nliteral);
    gf_vec_push(&c->atoms, (struct jdg_atom){ false, text });
    if (text.n > c->key.n) c->key = text;
    c->nliteral = 0;
}

static void end_piece(struct compiling *c)
{
    end_literal(c);
    if (!c->atoms.n) return;
    struct jdg_piece piece = { gf_arena_memdup(c->a, c->atoms.v, c->atoms.n * sizeof *c->atoms.v), c->atoms.n };
    gf_vec_push(&c->pieces, piece);
    c->atoms.n = 0;
}

static int take_capture(struct compiling *c, gf_slice *rest, gf_slice whole, struct gf_err *err)
{
    gf_slice name;
    end_literal(c);
    if (!c->atoms.n) return gf_fail(err, GF_E_PARSE, "pattern '%.*s': a piece cannot begin with a {name}", GF_FMT(whole));
    if (!gf_slice_cut(rest, '}', &name) || !name.n) return gf_fail(err, GF_E_PARSE, "pattern '%.*s': '{' without '}'", GF_FMT(whole));
    gf_vec_push(&c->atoms, (struct jdg_atom){ true, gf_slice_of(gf_arena_str(c->a, name)) });
    return 0;
}

static int compile(struct compiling *c, gf_slice text, struct gf_err *err)
{
    gf_slice rest = text;
    if (text.n > MAX_PATTERN) return gf_fail(err, GF_E_PARSE, "pattern '%.*s': longer than %d bytes", GF_FMT(text), MAX_PATTERN);
    while (rest.n) {
        char ch = *rest.p;
        rest = gf_slice_from(rest, 1);
        if (ch == '*') end_piece(c);
        else if (ch == '{') {
            if (take_capture(c, &rest, text, err)) return -1;
        } else {
            if (ch == '\\' && rest.n) {
                ch = *rest.p;
                rest = gf_slice_from(rest, 1);
            }
            c->literal[c->nliteral++] = gf_lower(ch);
        }
    }
    end_piece(c);
    if (c->key.n < MIN_KEY) return gf_fail(err, GF_E_PARSE, "pattern '%.*s': needs a literal of at least %d bytes", GF_FMT(text), MIN_KEY);
    return 0;
}

int jdg_pattern_compile(struct gf_arena *a, gf_slice text, struct jdg_pattern *ret, struct gf_err *err)
{
    struct compiling c = { .a = a };
    int rc = compile(&c, text, err);
    if (!rc) *ret = (struct jdg_pattern){ gf_arena_memdup(a, c.pieces.v, c.pieces.n * sizeof *c.pieces.v), c.pieces.n, c.key };
    gf_vec_free(&c.atoms);
    gf_vec_free(&c.pieces);
    return rc;
}

static bool literal_at(gf_slice line, size_t at, gf_slice lower)
{
    if (line.n - at < lower.n) return false;
    for (size_t i = 0; i < lower.n; i++)
        if (gf_lower(line.p[at + i]) != lower.p[i]) return false;
    return true;
}

static bool in_word(char c) { return gf_is_alnum((unsigned char)c) || c == '.' || c == '_' || c == '+' || c == '-'; }

static size_t word_at(gf_slice line, size_t at)
{
    size_t n = 0;
    while (at + n < line.n && n < MAX_WORD && in_word(line.p[at + n])) n++;
    while (n && (line.p[at + n - 1] == '.' || line.p[at + n - 1] == '-')) n--; /* the end of a sentence */
    return n;
}

/* The end of the piece when it stands at this place, else 0 (a piece is never empty). */
static size_t piece_at(const struct jdg_piece *piece, gf_slice line, size_t at, struct jdg_captures *caps)
{
    for (size_t i = 0; i < piece->natoms; i++) {
        const struct jdg_atom *atom = &piece->atoms[i];
        if (!atom->capture) {
            if (!literal_at(line, at, atom->text)) return 0;
            at += atom->text.n;
            continue;
        }
        size_t n = word_at(line, at);
        if (!n) return 0;
        if (caps->n < JDG_CAPTURES) caps->v[caps->n++] = (struct jdg_capture){ atom->text, gf_slice_sub(line, at, n) };
        at += n;
    }
    return at;
}

bool jdg_pattern_match(const struct jdg_pattern *p, gf_slice line, struct jdg_captures *caps)
{
    struct jdg_captures own = { .n = 0 };
    size_t at = 0;
    for (size_t i = 0; i < p->npieces; i++) {
        size_t end = 0, kept = own.n;
        for (; at < line.n && !end; at++) {
            own.n = kept;
            end = piece_at(&p->pieces[i], line, at, &own);
        }
        if (!end) return false;
        at = end;
    }
    if (caps) *caps = own;
    return true;
}
