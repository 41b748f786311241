/* A finished solve as a lock. Internal to resolver/. */
#ifndef RSV_WRITE_H
#define RSV_WRITE_H
#include "resolver/universe.h"

struct rsv_write {
    struct rsv_universe *u;
    const char *request_json;
    rsv_pkg installer;       /* RSV_NONE: none */
    uint32_t installer_at;
    uint64_t download;       /* filled: bytes of known size, installer counted */
    uint32_t packages;       /* filled: without the installer */
};
struct mdl_lock *rsv_write_lock(struct rsv_write *w, struct gf_err *err); /* caller frees; NULL with *err */
/* The lowest driver that the decided stack stands on: ">=525.60.13" and its rule; NULL when nothing needs one. */
const char *rsv_driver_floor(struct rsv_universe *u, const struct mtx_rule **ret_rule);
/* Was an extra asked for that the decided version has not? */
bool rsv_lacks_extra(struct rsv_universe *u);

#endif
