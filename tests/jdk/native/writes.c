/*
 * writes.c - a library that is loaded late and writes, for event=io.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>
#include <unistd.h>

int late_write(int fd, int count, int bytes)
{
    char block[4096];
    int well = 0;
    memset(block, 1, sizeof(block));
    for (int i = 0; i < count; i++)
        well += pwrite(fd, block, (size_t)bytes, 0) == bytes;
    return well;
}
