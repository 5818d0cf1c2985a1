/*
 * fuzz_core_files.c - a file that a core's process had mapped: what lies at its path here.
 *
 * The first byte says how many of the next are the build's number; the rest is the file.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mem/core_files.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    const char *tmp = getenv("TMPDIR");
    char folder[256], path[300];
    size_t id_len = len > 0 ? bytes[0] % 32u : 0;
    snprintf(folder, sizeof(folder), "%s/fuzz_core_files-XXXXXX", tmp && tmp[0] ? tmp : P_tmpdir);
    if (len < 1 + id_len || !mkdtemp(folder))
        return 0;
    snprintf(path, sizeof(path), "%s/file", folder);
    int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    size_t rest = len - 1 - id_len;
    if (fd >= 0 && write(fd, bytes + 1 + id_len, rest) == (ssize_t)rest) {
        struct core_files files = {.sysroot = folder};
        const struct core_file *found = core_files_get(&files, "/file", bytes + 1, (int)id_len);
        if (found && found != core_files_get(&files, "/file", bytes + 1, (int)id_len))
            abort();
        if (found && found->bytes && found->len != rest)
            abort();
        core_files_done(&files);
    }
    if (fd >= 0)
        close(fd);
    (void)unlink(path);
    (void)rmdir(folder);
    return 0;
}
