/* Small readings shared by all kinds of pages: whose file a name is, and times. */
#include "sources/page.h"

static bool separator(char c) { return c == '-' || c == '_' || c == '.'; }

/* Takes a spelling of the normalized name off the front. */
static bool take_name(gf_slice *s, gf_slice name)
{
    size_t i = 0;
    for (size_t k = 0; k < name.n; k++) {
        if (name.p[k] == '-') {
            if (i >= s->n || !separator(s->p[i])) return false;
            while (i < s->n && separator(s->p[i])) i++;
        } else if (i >= s->n || gf_lower(s->p[i++]) != name.p[k]) {
            return false;
        }
    }
    *s = gf_slice_from(*s, i);
    return true;
}

static bool is_archive(gf_slice f)
{
    static const char *const ends[] = { ".whl", ".tar.gz", ".zip", ".tgz", ".tar.bz2", ".tar.xz", "-variants.json" };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (gf_slice_ends(f, gf_slice_of(ends[i]))) return true;
    return false;
}

bool src_is_variants_file(gf_slice filename) { return gf_slice_ends(filename, GF_S("-variants.json")); }

bool src_file_name_is(gf_slice filename, gf_slice name)
{
    if (!is_archive(filename) || !take_name(&filename, name)) return false;
    if (!gf_try_char(&filename, '-') || !filename.n) return false;
    char c = filename.p[0];
    return gf_is_digit((unsigned char)c) || ((c == 'v' || c == 'V') && filename.n > 1 && gf_is_digit((unsigned char)filename.p[1]));
}

static int64_t days_from_civil(int64_t y, int64_t m, int64_t d)
{
    y -= m <= 2; /* years begin in March: the leap day comes last */
    int64_t era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
    int64_t of_year = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

int64_t src_time_parse(gf_slice text)
{
    gf_slice s = gf_slice_trim(text);
    uint64_t y = gf_take_u64(&s), mo, d, h = 0, mi = 0, sec = 0;
    gf_take_char(&s, '-');
    mo = gf_take_u64(&s);
    gf_take_char(&s, '-');
    d = gf_take_u64(&s);
    if (s.p && s.n) {
        if (!gf_try_char(&s, 'T')) gf_take_char(&s, ' ');
        h = gf_take_u64(&s);
        gf_take_char(&s, ':');
        mi = gf_take_u64(&s);
        if (gf_try_char(&s, ':')) sec = gf_take_u64(&s);
        if (gf_try_char(&s, '.')) gf_take_u64(&s);
        if (!gf_try_char(&s, 'Z')) gf_try_lit(&s, GF_S("+00:00"));
    }
    if (!s.p || s.n || y < 1970 || y > 9999 || mo < 1 || mo > 12 || d < 1 || d > 31 || h > 24 || mi > 59 || sec > 60) return -1;
    return days_from_civil((int64_t)y, (int64_t)mo, (int64_t)d) * 86400 + (int64_t)(h * 3600 + mi * 60 + sec);
}
