/* A requirements file that may include itself: reading ends, and what was read prints. */
#include "python/reqfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int same_text(void *arg, const char *path, struct gf_buf *out, struct gf_err *err)
{
    (void)err;
    gf_buf_addsl(out, strlen(path) < 6 ? *(const gf_slice *)arg : GF_S(""));
    return 0;
}

static const char *env(void *arg, const char *name)
{
    (void)arg;
    return name[0] == 'A' ? "a>=1" : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gf_slice text = gf_slice_n((const char *)data, size);
    struct py_reqfile f;
    struct gf_err err;
    struct py_reqfile_io io = { same_text, env, &text, NULL };
    py_reqfile_init(&f);
    if (size < 5000 && !py_reqfile_load(&f, "r", PY_REQUIREMENTS, &io, &err))
        for (int role = 0; role < 3; role++)
            for (size_t i = 0; i < f.lines[role].n; i++) (void)py_req_text(&f.mem, &f.lines[role].v[i].req);
    py_reqfile_release(&f);
    return 0;
}
