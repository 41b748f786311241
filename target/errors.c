/* Lines that tell of a failure, kept as they are: what they mean is judged elsewhere. */
#include "target/paste.h"

static bool is_exception(gf_slice t)
{
    size_t n = 0;
    while (n < t.n && (gf_is_alnum((unsigned char)t.p[n]) || t.p[n] == '.' || t.p[n] == '_')) n++;
    gf_slice name = gf_slice_sub(t, 0, n);
    return n > 5 && n < t.n && t.p[n] == ':' && (gf_slice_ends(name, GF_S("Error")) || gf_slice_ends(name, GF_S("Exception")));
}

static bool errors_line(struct tgt_paste *s, void *state, gf_slice line)
{
    static const char *const parts[] = { "CUDA error:", "CUDA out of memory", "no kernel image is available", "cannot open shared object file", "undefined symbol:", "version `GLIBC", "version `CXXABI",
                                         "CUDA driver version is insufficient", "forward compatibility was attempted", "is not compatible with the current PyTorch installation",
                                         "Illegal instruction", "Xid (PCI", "could not select device driver", "nvidia-container-cli:", "Unsupported gpu architecture", "unsupported GNU version" };
    (void)state;
    gf_slice t = gf_slice_trim(line);
    if (t.n < 8 || t.n > 2000 || s->p->nerrors >= TGT_MAX_ERRORS) return false;
    bool is = is_exception(t);
    for (size_t i = 0; !is && i < sizeof parts / sizeof parts[0]; i++) is = gf_slice_has(t, gf_slice_of(parts[i]));
    if (is) tgt_error_line(s, t);
    return is;
}

const struct tgt_format tgt_errors = { "errors", 0, errors_line, NULL };
