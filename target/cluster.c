/* Kubernetes node labels and descriptions (GPU feature discovery), docker info. */
#include "target/paste.h"

/* --- Kubernetes --------------------------------------------------------------------------------------------------------------- */
static const char NODE[] = "Kubernetes node";

struct kube {
    char *product, *major, *minor, *driver[3], *runtime[2];
    bool mig;
    uint64_t count;
    int64_t memory;
    const char *vendor;
};

static gf_slice strip(gf_slice v)
{
    v = gf_slice_trim(v);
    while (v.n && strchr("\",'", v.p[v.n - 1])) v.n--;
    while (v.n && strchr("\"'", v.p[0])) v = gf_slice_from(v, 1);
    return v;
}

/* "NVIDIA-GeForce-RTX-3090" → "NVIDIA GeForce RTX 3090", "NVIDIA-A100-SXM4-80GB-SHARED" → "NVIDIA A100-SXM4-80GB": labels have no blanks. */
static char *product_name(struct tgt_paste *s, struct kube *k, gf_slice v)
{
    ptrdiff_t mig = gf_slice_find(v, GF_S("-MIG-"));
    if (mig > 0) {
        k->mig = true;
        v = gf_slice_sub(v, 0, (size_t)mig);
    }
    if (gf_slice_ends(v, GF_S("-SHARED"))) v.n -= 7;
    char *name = tgt_keep(s, v);
    if (!name) return NULL;
    bool all = strstr(name, "GeForce") || strstr(name, "Quadro") || strstr(name, "RTX") || strstr(name, "GTX");
    for (char *c = name; *c; c++)
        if (*c == '-') {
            *c = ' ';
            if (!all) break;
        }
    return name;
}

static bool nvidia_label(struct tgt_paste *s, struct kube *k, gf_slice key, gf_slice v)
{
    uint64_t n = 0;
    bool number = gf_slice_u64(v, &n);
    k->vendor = "nvidia";
    if (gf_slice_is(key, "gpu.product")) k->product = product_name(s, k, v);
    else if (gf_slice_is(key, "gpu.count") && number) k->count = n;
    else if (gf_slice_is(key, "gpu.memory") && number && n < (1u << 30)) k->memory = (int64_t)n;
    else if (gf_slice_is(key, "gpu.compute.major")) k->major = tgt_keep(s, v);
    else if (gf_slice_is(key, "gpu.compute.minor")) k->minor = tgt_keep(s, v);
    else if (gf_slice_is(key, "cuda.driver.major") || gf_slice_is(key, "cuda.driver-version.major")) k->driver[0] = tgt_keep(s, v);
    else if (gf_slice_is(key, "cuda.driver.minor") || gf_slice_is(key, "cuda.driver-version.minor")) k->driver[1] = tgt_keep(s, v);
    else if (gf_slice_is(key, "cuda.driver.rev") || gf_slice_is(key, "cuda.driver-version.revision")) k->driver[2] = v.n ? tgt_keep(s, v) : NULL;
    else if (gf_slice_is(key, "cuda.driver-version.full")) tgt_fact(s, "driver.version", v, NODE);
    else if (gf_slice_is(key, "cuda.runtime.major") || gf_slice_is(key, "cuda.runtime-version.major")) k->runtime[0] = tgt_keep(s, v);
    else if (gf_slice_is(key, "cuda.runtime.minor") || gf_slice_is(key, "cuda.runtime-version.minor")) k->runtime[1] = tgt_keep(s, v);
    else if (gf_slice_is(key, "cuda.runtime-version.full")) tgt_fact(s, "driver.cuda", v, NODE);
    else if (gf_slice_is(key, "gpu") && number && n && !k->count) k->count = n;
    else if (!gf_slice_starts(key, GF_S("gpu")) && !gf_slice_starts(key, GF_S("mig"))) return false;
    return true;
}

static bool label(struct tgt_paste *s, struct kube *k, gf_slice key, gf_slice v)
{
    uint64_t n;
    if (gf_try_lit(&key, GF_S("nvidia.com/"))) return nvidia_label(s, k, key, v);
    if (gf_try_lit(&key, GF_S("amd.com/gpu"))) {
        k->vendor = "amd";
        if (!key.n && gf_slice_u64(v, &n) && n) k->count = n;
        if (gf_slice_is(key, ".product-name")) k->product = tgt_keep(s, v);
        return true;
    }
    if (gf_try_lit(&key, GF_S("huawei.com/Ascend"))) {
        k->vendor = "huawei";
        k->product = gf_arena_printf(&s->p->mem, "Ascend%.*s", GF_FMT(key));
        if (gf_slice_u64(v, &n) && n) k->count = n;
        return true;
    }
    if (gf_slice_is(key, "kubernetes.io/arch")) tgt_take_arch(s, v, NODE);
    else if (gf_slice_is(key, "feature.node.kubernetes.io/kernel-version.full")) tgt_take_kernel(s, v, NODE);
    else if (gf_slice_is(key, "feature.node.kubernetes.io/system-os_release.ID")) tgt_fact(s, "os.id", v, NODE);
    else if (gf_slice_is(key, "feature.node.kubernetes.io/system-os_release.VERSION_ID")) tgt_fact(s, "os.version", v, NODE);
    else return false;
    return true;
}

/* Container runtime as the node says: "containerd://1.7.2" → "containerd 1.7.2". */
static void runtime(struct tgt_paste *s, gf_slice v)
{
    ptrdiff_t at = gf_slice_find(v, GF_S("://"));
    if (at > 0) tgt_fact(s, "containers.runtime", gf_slice_of(gf_arena_printf(&s->p->mem, "%.*s %.*s", GF_FMT(gf_slice_sub(v, 0, (size_t)at)), GF_FMT(gf_slice_from(v, (size_t)at + 3)))), NODE);
}

static bool node_info(struct tgt_paste *s, gf_slice key, gf_slice v)
{
    if (gf_slice_is(key, "Kernel Version") || gf_slice_is(key, "kernelVersion")) tgt_take_kernel(s, v, NODE);
    else if (gf_slice_is(key, "OS Image") || gf_slice_is(key, "osImage")) tgt_take_os_name(s, v, NODE);
    else if (gf_slice_is(key, "Container Runtime Version") || gf_slice_is(key, "containerRuntimeVersion")) runtime(s, v);
    else if (gf_slice_is(key, "architecture")) tgt_take_arch(s, v, NODE);
    else return false;
    return true;
}

/* "key=value", "key: value", "\"key\": \"value\",", and several by commas as --show-labels prints them. */
static bool pair(struct tgt_paste *s, struct kube *k, gf_slice text)
{
    gf_slice key, v = text;
    size_t eq = 0;
    while (eq < text.n && text.p[eq] != '=' && text.p[eq] != ':') eq++;
    if (eq == text.n) return false;
    key = strip(gf_slice_sub(text, 0, eq));
    v = strip(gf_slice_from(text, eq + 1));
    ptrdiff_t blank = gf_slice_rchr(key, ' ');
    if (blank >= 0 && gf_slice_chr(key, '/') > blank) key = gf_slice_from(key, (size_t)blank + 1); /* "Labels:  a=b" */
    if (gf_slice_chr(key, '/') > 0) return label(s, k, key, v);
    return node_info(s, key, v);
}

static bool kube_line(struct tgt_paste *s, void *state, gf_slice line)
{
    struct kube *k = state;
    gf_slice t = line, part;
    if (line.n < 8 || line.n > 20000) return false;
    gf_try_lit(&t, GF_S("Labels:"));
    if (gf_slice_has(t, GF_S(".com/")) || gf_slice_has(t, GF_S("kubernetes.io/"))) {
        bool taken = false;
        while (gf_slice_field(&t, ',', &part)) taken |= pair(s, k, part);
        return taken;
    }
    return (gf_slice_has(t, GF_S("ernel")) || gf_slice_has(t, GF_S("mage")) || gf_slice_has(t, GF_S("untime")) || gf_slice_has(t, GF_S("\"architecture"))) && pair(s, k, t);
}

static void kube_driver(struct tgt_paste *s, struct kube *k)
{
    if (!k->driver[0] || !k->driver[1]) return;
    tgt_fact(s, "driver.version", gf_slice_of(gf_arena_printf(&s->p->mem, "%s.%s%s%s", k->driver[0], k->driver[1], k->driver[2] ? "." : "", k->driver[2] ? k->driver[2] : "")), NODE);
}

static void kube_end(struct tgt_paste *s, void *state)
{
    struct kube *k = state;
    struct tgt_gpus list = { .n = 0 };
    kube_driver(s, k);
    if (k->runtime[0] && k->runtime[1]) tgt_fact(s, "driver.cuda", gf_slice_of(gf_arena_printf(&s->p->mem, "%s.%s", k->runtime[0], k->runtime[1])), NODE);
    bool known = k->product || k->major || k->count;
    if (known && !k->count) k->count = 1;
    for (uint64_t i = 0; known && i < k->count && i < TGT_MAX_GPUS; i++) {
        struct mdl_gpu *g = tgt_gpus_at(&list, i);
        *g = (struct mdl_gpu){ .vendor = k->vendor, .name = k->product, .memory_mib = k->memory, .mig = k->mig ? "enabled" : NULL };
        if (k->major && k->minor) g->cc = gf_arena_printf(&s->p->mem, "%s.%s", k->major, k->minor);
    }
    if (list.n) tgt_gpus_flush(s, &list, NODE);
    *k = (struct kube){ 0 };
}

const struct tgt_format tgt_kube = { "Kubernetes node", sizeof(struct kube), kube_line, kube_end };

/* --- docker info ---------------------------------------------------------------------------------------------------------------- */
static const char DOCKER[] = "docker info";

struct docker { bool in; };

static bool docker_line(struct tgt_paste *s, void *state, gf_slice line)
{
    struct docker *d = state;
    gf_slice v;
    if (line.n < 6 || line.n > 2000) return false;
    if (tgt_key(line, GF_S("Server Version"), &v)) {
        d->in = true;
        tgt_fact(s, "containers.runtime", gf_slice_of(gf_arena_printf(&s->p->mem, "docker %.*s", GF_FMT(v))), DOCKER);
        return true;
    }
    if (tgt_after(line, GF_S("NVIDIA Container Toolkit CLI version"), &v) || tgt_after(line, GF_S("NVIDIA Container Runtime version"), &v) ||
        (gf_slice_starts(line, GF_S("cli-version:")) && tgt_after(line, GF_S("cli-version:"), &v))) {
        tgt_fact(s, "containers.toolkit", tgt_number(v), "nvidia-ctk");
        return true;
    }
    if (!d->in) return false;
    if (tgt_key(line, GF_S("Runtimes"), &v)) {
        if (gf_slice_has(v, GF_S("nvidia")) && !s->p->container_toolkit) tgt_fact(s, "containers.toolkit", GF_S("registered"), DOCKER);
        return true;
    }
    if (tgt_key(line, GF_S("Kernel Version"), &v)) tgt_take_kernel(s, v, DOCKER);
    else if (tgt_key(line, GF_S("Operating System"), &v)) tgt_take_os_name(s, v, DOCKER);
    else if (tgt_key(line, GF_S("Architecture"), &v)) tgt_take_arch(s, v, DOCKER);
    else return false;
    return true;
}

static void docker_end(struct tgt_paste *s, void *state)
{
    (void)s;
    ((struct docker *)state)->in = false;
}

const struct tgt_format tgt_docker = { "docker info", sizeof(struct docker), docker_line, docker_end };
