/*
 * asgst_rest.c - see asgst_rest.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "asgst/asgst_rest.h"
#include "base/os_thread.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_MS 1000000u
#define WORKED_NS ((uint64_t)1 * NS_PER_MS)
#define WORKED_BLOCKED_NS ((uint64_t)100 * NS_PER_MS)
#define ASLEEP_BLOCKED_LOOKS 100
/* Above its signals the file has some 1 KB, and a line of all CPUs' numbers at its end. */
#define STATUS_BYTES 4096

/* The clock of a thread's CPU time: a static clock id, as pthread_getcpuclockid() makes it of the
 * system's number. Source: Linux, include/linux/posix-timers_types.h. */
static uint64_t cpu_ns_of(pid_t tid)
{
    struct timespec t = {0, 0};
    clock_gettime((clockid_t)((~(unsigned)tid << 3) | 6), &t);
    return (uint64_t)t.tv_sec * 1000 * NS_PER_MS + (uint64_t)t.tv_nsec;
}

static const char *value_of(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    return at != NULL ? at + strlen(name) : NULL;
}

/* 1: *ret_blocked and *ret_sleeps are set. 0: it cannot be read, so the thread has gone. */
static int read_status(pid_t tid, uint64_t *ret_blocked, int *ret_sleeps)
{
    char path[64], text[STATUS_BYTES];
    size_t used = 0;
    ssize_t n;
    snprintf(path, sizeof path, "/proc/self/task/%d/status", (int)tid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    while (used < sizeof text - 1 && (n = read(fd, text + used, sizeof text - 1 - used)) > 0)
        used += (size_t)n;
    close(fd);
    text[used] = 0;
    const char *state = value_of(text, "\nState:\t"), *blocked = value_of(text, "\nSigBlk:\t");
    if (state == NULL || blocked == NULL)
        return 0;
    *ret_sleeps = *state == 'S';
    *ret_blocked = strtoull(blocked, NULL, 16);
    return 1;
}

int asgst_rest_is_over(struct asgst_rest *r, pid_t tid, const struct asgst_mark *m, uint64_t visit)
{
    uint64_t blocked = 0, inside = atomic_load(&m->inside_bits);
    int sleeps = 0;
    if (!read_status(tid, &blocked, &sleeps))
        return os_thread_is_gone(tid);
    if (inside != 0 && (blocked & inside) != inside)
        return 1;
    uint64_t cpu_ns = cpu_ns_of(tid);
    if (r->visit != visit || r->looks == 0)
        *r = (struct asgst_rest){.visit = visit, .cpu_ns = cpu_ns};
    r->looks++;
    if (inside != 0)
        return cpu_ns - r->cpu_ns >= WORKED_BLOCKED_NS ||
               (sleeps && r->looks >= ASLEEP_BLOCKED_LOOKS);
    return sleeps || cpu_ns - r->cpu_ns >= WORKED_NS;
}
