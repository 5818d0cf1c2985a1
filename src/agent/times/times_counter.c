/*
 * times_counter.c - see times_counter.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/times/times_counter.h"
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
static bool file_has(const char *path, const char *word)
{
    char text[4096];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    return strstr(text, word) != NULL;
}
#endif

bool times_counter_is_safe(void)
{
#if defined(__x86_64__)
    return file_has("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc") &&
           file_has("/proc/cpuinfo", " constant_tsc") && file_has("/proc/cpuinfo", " nonstop_tsc");
#elif defined(__aarch64__)
    return true; /* the architecture says so */
#else
    return false;
#endif
}
