/* Runs every tests/cases/NAME.case and compares the outcome with the file's expect part. UPDATE=1 rewrites the expectations.
 * Names as arguments: those files only. */
#include "base/file.h"
#include "resolver/scenario.h"
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

static bool run(const char *path, bool update)
{
    struct gf_err err = GF_ERR_INIT;
    struct gf_buf text, out;
    gf_buf_init(&text, GF_CAP_LOCK);
    gf_buf_init(&out, GF_CAP_LOCK);
    struct rsv_scenario s;
    if (gf_file_read(path, GF_CAP_LOCK, &text, &err) || rsv_scenario_read(gf_buf_slice(&text), path, &s, &err)) {
        printf("%s: %s\n", path, err.text);
        gf_buf_release(&text);
        return false;
    }
    rsv_scenario_run(&s, &out);
    bool same = gf_slice_eq(gf_buf_slice(&out), s.expected);
    if (!same && update) {
        GF_FREE char *whole = gf_xasprintf("%.*s%s", GF_FMT(s.before), gf_buf_str(&out));
        same = gf_file_write_atomic(path, gf_slice_of(whole), 0644, &err) == 0;
        printf("rewritten: %s\n", path);
    } else if (!same) printf("%s:\n--- expected\n%.*s--- got\n%s", path, GF_FMT(s.expected), gf_buf_str(&out));
    rsv_scenario_release(&s);
    gf_buf_release(&text);
    gf_buf_release(&out);
    return same;
}

int main(int argc, char **argv)
{
    bool update = getenv("UPDATE") && *getenv("UPDATE");
    glob_t files;
    unsigned passed = 0, failed = 0;
    if (argc < 2 && glob("tests/cases/*.case", 0, NULL, &files) == 0) {
        for (size_t i = 0; i < files.gl_pathc; i++) *(run(files.gl_pathv[i], update) ? &passed : &failed) += 1;
        globfree(&files);
    }
    for (int i = 1; i < argc; i++) *(run(argv[i], update) ? &passed : &failed) += 1;
    printf("%u passed, %u failed\n", passed, failed);
    return failed || !passed;
}
