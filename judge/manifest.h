/* What a requirements file, a pylock.toml, a uv.lock, a pyproject.toml, an environment.yml or a Dockerfile would install, as packages of a profile. Nothing is resolved: pins are taken, of a
 * range the newest release the data knows, and a name alone stays without a version where the data knows none. */
#ifndef JDG_MANIFEST_H
#define JDG_MANIFEST_H
#include "matrix/matrix.h"
#include "model/profile.h"

enum jdg_manifest { JDG_NO_MANIFEST, JDG_REQUIREMENTS, JDG_PYLOCK, JDG_UV_LOCK, JDG_PYPROJECT, JDG_CONDA, JDG_DOCKERFILE };
/* By the file's name (requirements*.txt, *.in, pylock*.toml, uv.lock, environment*.yml, Dockerfile*, …), else by head, the text or its beginning. */
enum jdg_manifest jdg_manifest_kind(const char *path, gf_slice head);
/* Reads text, which stands in path ("-": nowhere), and what it includes beside path, and puts its packages, and what else it says (Python, toolkit, system of a
 * base image), into p. Names taken without a pin are listed in notes, one sentence each. */
int jdg_manifest_add(struct mtx *m, enum jdg_manifest kind, const char *path, gf_slice text, struct mdl_profile *p, struct gf_buf *notes, struct gf_err *err);

#endif
