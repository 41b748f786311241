/* Components (cuda12, cudnn9, tensorrt10 …) as far as a profile tells of them: wheels that bring them, the system's toolkit, the builds of frameworks. */
#ifndef JDG_PARTS_H
#define JDG_PARTS_H
#include "judge/link.h"

struct jdg_part {
    enum py_tri there;
    bool by_package;     /* what is there comes from a distribution of the list */
    const char *version; /* NULL unknown */
    const char *from;    /* "nvcc 12.4", "nvidia-cudnn-cu12 9.1.0.70"; NULL */
    const char *other;   /* another major that is there instead, "cuDNN 8.9.7"; NULL */
};
struct jdg_part jdg_part_of(struct jdg *j, const char *component);
bool jdg_is_part(const char *name); /* a name with a major at its end */
const char *jdg_part_text(struct jdg *j, const char *component); /* "CUDA 12", "cuDNN 9" */
bool jdg_found_pair(const struct jdg *j, const char *a, const char *b); /* a finding about both stands already */

#endif
