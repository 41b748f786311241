/* The text of one pip.conf: Python's configparser without interpolation, as pip uses it. */
#ifndef SRC_PIPCONF_TEXT_H
#define SRC_PIPCONF_TEXT_H
#include "base/err.h"
#include "base/mem.h"

struct src_pip_settings { /* NULL: not set */
    const char *index_url, *extra_index_url, *find_links, *cert;
    bool no_index;
};
/* Sets what [global], [install] and [download] of the text say, the later section over the earlier one; other keys and sections are passed over. */
int src_pip_settings_read(struct gf_arena *a, gf_slice text, const char *label, struct src_pip_settings *s, struct gf_err *err);
/* One setting by its name ("index-url" or "index_url"); unknown names and empty values change nothing. */
void src_pip_settings_set(struct gf_arena *a, struct src_pip_settings *s, gf_slice key, gf_slice value);

#endif
