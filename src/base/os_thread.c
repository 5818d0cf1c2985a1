/*
 * os_thread.c - see os_thread.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/os_thread.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Down to its signals the file has some 1 KB, and a line of all CPUs' numbers at its end. */
enum { STATUS_BYTES = 4096 };

static const char *value_of(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    return at ? at + strlen(name) : NULL;
}

int os_thread_read_status(pid_t tid, struct os_thread_status *ret_status)
{
    char path[64], text[STATUS_BYTES];
    size_t used = 0;
    ssize_t n;
    snprintf(path, sizeof(path), "/proc/self/task/%d/status", (int)tid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? -ESRCH : -errno;
    while (used < sizeof(text) - 1 && (n = read(fd, text + used, sizeof(text) - 1 - used)) > 0)
        used += (size_t)n;
    close(fd);
    text[used] = 0;
    const char *state = value_of(text, "\nState:\t"), *blocked = value_of(text, "\nSigBlk:\t"),
               *pending = value_of(text, "\nSigPnd:\t");
    if (used == 0)
        return -ESRCH;
    if (!state || !blocked || !pending)
        return -EIO;
    *ret_status =
        (struct os_thread_status){*state, strtoull(blocked, NULL, 16), strtoull(pending, NULL, 16)};
    return 0;
}
