/*
 * fuzz_heap_histo.c - any bytes, read as a saved histogram.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "fuzz.h"
#include "heap/heaphisto.h"

enum { PATH = 64 };

static bool take(void *with, const char *name, uint64_t objects, uint64_t bytes)
{
    (void)objects;
    (void)bytes;
    *(size_t *)with += strlen(name);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    char path[PATH];
    size_t names = 0;
    int64_t ms;
    int fd = memfd_create("histo", 0);
    if (fd < 0 || write(fd, bytes, len) != (ssize_t)len)
        abort();
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    bool is = heaphisto_is(path);
    /* What looks like a histogram is one, and its names are no longer than the file's but for
     * arrays of primitives. */
    if ((heaphisto_read(path, take, &names, &ms) < 0 && is) || names > 8 * len)
        abort();
    close(fd);
    return 0;
}
