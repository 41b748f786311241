/* Three texts, cut at the byte 0xff: SHA256SUMS, bundle.json and a signature, in a tar of their own: the judgement always comes to an end. */
#include "base/file.h"
#include "bundler/bundle.h"
#include "bundler/sign.h"
#include "bundler/tar.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char KEY[] = "RWRZTSLoWF6uK45f0axapg/Kp5VCtO6KgbglXA1GUgt4fgwromNZ3ZuK"; /* of tests/unit/minisign_sample.h */

static void add(struct gf_buf *tar, const char *path, gf_slice text)
{
    unsigned char head[BND_TAR_HEADER_MAX];
    gf_buf_add(tar, head, bnd_tar_header(path, text.n, 0644, 0, head));
    gf_buf_addsl(tar, text);
    while (tar->n % BND_TAR_BLOCK) gf_buf_addc(tar, '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const paths[] = { "SHA256SUMS", "bundle.json", "SHA256SUMS.minisig" };
    gf_slice rest = gf_slice_n((const char *)data, size), text;
    struct gf_err err = GF_ERR_INIT;
    struct bnd_report report;
    char path[40];
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0) abort();
    GF_BUF_SCOPE struct gf_buf tar;
    gf_buf_init(&tar, 1 << 26);
    for (size_t i = 0; i < 3 && gf_slice_field(&rest, '\xff', &text); i++) add(&tar, paths[i], text);
    for (unsigned i = 0; i < 2 * BND_TAR_BLOCK; i++) gf_buf_addc(&tar, '\0');
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (gf_write_all(fd, tar.p, tar.n, path, &err)) abort();
    if (bnd_verify(path, KEY, NULL, &report, &err) == 0) {
        if (report.nproblems == 0 && report.signature != BND_SIGNED_VALID) abort();
        bnd_report_release(&report);
    }
    close(fd);
    return 0;
}
