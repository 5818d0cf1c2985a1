/*
 * debugger.c - see debugger.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/debugger.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LIBRARY_MAX = 64 << 20 }; /* bytes; the library has about 300,000 */

/* Whether the string `word`, with its final 0, is among the bytes of the file. */
static int find_string(int fd, const char *word)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return -errno;
    if (!S_ISREG(st.st_mode) || st.st_size > LIBRARY_MAX)
        return -EINVAL;
    size_t len = 0, size = (size_t)st.st_size;
    char *bytes = malloc(size + 1);
    ssize_t n = bytes ? 1 : -1;

    while (len < size && n > 0) {
        n = read(fd, bytes + len, size - len);
        len += n > 0 ? (size_t)n : 0;
    }
    int r = n < 0 ? -errno : memmem(bytes, len, word, strlen(word) + 1) != NULL;
    free(bytes);
    return r;
}

int debugger_find_option(const char *folder, const char *option)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof(path), "%s/libjdwp.so", folder) >= (int)sizeof(path))
        return -ENAMETOOLONG;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return -errno;
    int r = find_string(fd, option);
    close(fd);
    return r;
}

void debugger_why_not(const char *folder, int answer, char *ret, size_t size)
{
    if (answer < 0)
        snprintf(ret, size,
                 "--debug-on command: the JDK's debugging agent, '%s/libjdwp.so', cannot be read: "
                 "%s",
                 folder, strerror(-answer));
    else
        snprintf(ret, size,
                 "--debug-on command: the JDK's debugging agent, '%s/libjdwp.so', has "
                 "no " DEBUGGER_ONJCMD "=, which that of JDK 11 to 24 has: use another JDK, or "
                 "throw=CLASS or uncaught in place of command",
                 folder);
}
