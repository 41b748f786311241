/* Within target/: reading pasted text. The text goes through line by line, cleaned; each line is offered to the formats in order until one takes it.
 * A format keeps its state between lines and hands over lists (GPUs) when they are complete. Nothing here fails: what cannot be read is left out. */
#ifndef TGT_PASTE_H
#define TGT_PASTE_H
#include "target/facts.h"

#define TGT_MAX_GPUS 256      /* of one listing */
#define TGT_MAX_PACKAGES 5000 /* of one profile */
#define TGT_MAX_ERRORS 64     /* error lines kept */
#define TGT_MAX_LINE 65536    /* bytes of a line that are looked at */

struct tgt_paste {
    struct mtx *m; /* NULL: no catalogue */
    struct mdl_profile *p;
    const char *name; /* where the text came from; NULL */
    size_t facts;     /* taken so far */
    void **states;    /* one for each format */
    bool in_section;  /* of the collector */
};

struct tgt_format {
    const char *name;
    size_t state_size;
    bool (*line)(struct tgt_paste *s, void *state, gf_slice line); /* true: taken, no other format sees it */
    void (*end)(struct tgt_paste *s, void *state);                 /* at the end of the text and of a section; NULL */
};
extern const struct tgt_format tgt_collector, tgt_smi_table, tgt_smi_list, tgt_smi_query, tgt_smi_xml, tgt_collect_env, tgt_torch_warning, tgt_py_packages,
    tgt_kernel_log, tgt_rocm, tgt_rocminfo, tgt_npu, tgt_system, tgt_toolkit, tgt_kube, tgt_docker, tgt_errors;

/* Ends what the formats hold open, all but the collector. */
void tgt_end_formats(struct tgt_paste *s);

/* GPUs of one listing, by their number in it. */
struct tgt_gpus {
    struct mdl_gpu v[TGT_MAX_GPUS];
    size_t n;
};
/* One more MIG instance: its profile "3g.40gb" or its memory "40192MiB". */
void tgt_add_mig(struct tgt_paste *s, struct mdl_gpu *g, gf_slice instance);
struct mdl_gpu *tgt_gpus_at(struct tgt_gpus *g, uint64_t index); /* makes room up to it; NULL beyond the cap */
void tgt_gpus_flush(struct tgt_paste *s, struct tgt_gpus *g, const char *tool); /* into the profile; empty after */

/* Facts, seen by a tool in this text. Values that say nothing ("N/A", "Could not collect", "[Not Supported]" …) are not facts. */
bool tgt_fact(struct tgt_paste *s, const char *key, gf_slice value, const char *tool);
void tgt_fact_tri(struct tgt_paste *s, const char *key, bool value, const char *tool);
void tgt_fact_absent(struct tgt_paste *s, const char *key, const char *tool);
void tgt_fact_package(struct tgt_paste *s, struct mdl_package pkg, const char *tool);
void tgt_error_line(struct tgt_paste *s, gf_slice line); /* kept once each */
const char *tgt_from(struct tgt_paste *s, const char *tool); /* "smi.txt: nvidia-smi" */
char *tgt_keep(struct tgt_paste *s, gf_slice text);      /* in the profile's arena; NULL for what says nothing */
bool tgt_says_nothing(gf_slice value);

/* Line verbs. */
bool tgt_after(gf_slice line, gf_slice needle, gf_slice *ret_rest); /* what follows it, trimmed at the left */
bool tgt_key(gf_slice line, gf_slice key, gf_slice *ret_value);     /* "key: value", "key : value", "key=value"; the key without case */
gf_slice tgt_number(gf_slice s);                                    /* the dotted number at the front: "12.4.131" of "12.4.131, V…"; GF_NONE */
gf_slice tgt_find_number(gf_slice s);                               /* the first dotted number with at least one dot; GF_NONE */
int64_t tgt_mib(gf_slice s);                                        /* "40960 MiB", "40960MiB", "39 GiB", "81920 MB"; 0 */
bool tgt_bus_id(gf_slice line, size_t *ret_at, size_t *ret_end);    /* "00000000:01:00.0" */

/* Facts told in one text by several tools. */
void tgt_take_os_name(struct tgt_paste *s, gf_slice pretty, const char *tool);     /* "Ubuntu 22.04.3 LTS (x86_64)" */
void tgt_take_platform(struct tgt_paste *s, gf_slice platform, const char *tool);  /* "Linux-6.8.0-59-generic-x86_64-with-glibc2.35" */
void tgt_take_kernel(struct tgt_paste *s, gf_slice release, const char *tool);     /* tells WSL too */
void tgt_take_arch(struct tgt_paste *s, gf_slice arch, const char *tool);
void tgt_take_gcc(struct tgt_paste *s, gf_slice text, const char *tool);           /* "(Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0" */
void tgt_take_cudnn_path(struct tgt_paste *s, gf_slice line, const char *tool);    /* "…/libcudnn.so.9.8.0" */
void tgt_name_gpu(struct tgt_paste *s, struct mdl_gpu *g, gf_slice name);          /* vGPU types are told apart */
int tgt_cpu_level(const char *const *flags, size_t n);                                 /* x86-64-vN of /proc/cpuinfo flags; 0 unknown */
void tgt_arch_list(struct tgt_paste *s, gf_slice text, const char *tool);          /* "sm_50 sm_60": what torch was built for */

#endif
