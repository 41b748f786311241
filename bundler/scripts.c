/* The scripts of the target, in the program so that one file is enough. */
#include "bundler/texts.h"

#define EMBED(name, file)                                                                           \
    __asm__(".section .rodata\n.global bnd_text_" #name "\nbnd_text_" #name ":\n.incbin \"scripts/" file "\"\n"      \
            ".global bnd_text_" #name "_end\nbnd_text_" #name "_end:\n.byte 0\n.previous\n");           \
    extern const char bnd_text_##name[], bnd_text_##name##_end[]

EMBED(install, "install.sh");
EMBED(verify, "verify.sh");
EMBED(uninstall, "uninstall.sh");
EMBED(common, "lib/common.sh");
EMBED(preflight, "lib/preflight.sh");
EMBED(python, "lib/python.sh");
EMBED(targets, "lib/targets.sh");
EMBED(check, "lib/check.py");
EMBED(loader, "lib/loader.py");

struct row { const char *path, *from, *to; unsigned mode; };
static const struct row rows[] = {
    { "install.sh", bnd_text_install, bnd_text_install_end, 0755 },
    { "verify.sh", bnd_text_verify, bnd_text_verify_end, 0755 },
    { "uninstall.sh", bnd_text_uninstall, bnd_text_uninstall_end, 0755 },
    { "lib/common.sh", bnd_text_common, bnd_text_common_end, 0644 },
    { "lib/preflight.sh", bnd_text_preflight, bnd_text_preflight_end, 0644 },
    { "lib/python.sh", bnd_text_python, bnd_text_python_end, 0644 },
    { "lib/targets.sh", bnd_text_targets, bnd_text_targets_end, 0644 },
    { "lib/check.py", bnd_text_check, bnd_text_check_end, 0644 },
    { "lib/loader.py", bnd_text_loader, bnd_text_loader_end, 0644 },
};
const size_t bnd_nscripts = sizeof rows / sizeof rows[0];

struct bnd_script bnd_script_at(size_t i)
{
    return (struct bnd_script){ rows[i].path, gf_slice_n(rows[i].from, (size_t)(rows[i].to - rows[i].from)), rows[i].mode };
}
