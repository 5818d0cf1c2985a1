/*
 * fuzz_verify_report.c - the report that a JVM leaves, whose file may have got anything.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/verify_report.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    int fd = memfd_create("report", MFD_CLOEXEC);
    struct verify_report r = {0};
    char path[64];
    uint64_t judged, agreed;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (fd < 0 || write(fd, bytes, len) != (ssize_t)len)
        abort();
    if (verify_report_read(path, &r) == 0) {
        (void)verify_report_judge(&r);
        for (size_t i = 0; i < r.count_count; i++) {
            verify_report_share(&r, r.counts[i].layer, &judged, &agreed);
            (void)verify_report_get(&r, r.counts[i].layer, r.counts[i].word);
        }
    }
    verify_report_close(&r);
    close(fd);
    return 0;
}
