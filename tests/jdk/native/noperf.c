/*
 * noperf.c - preloaded: this process may not have perf events, as in most containers.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sys/syscall.h>

long syscall(long number, long a, long b, long c, long d, long e, long f)
{
    static long (*next)(long, ...);
    if (number == SYS_perf_event_open) {
        errno = EPERM;
        return -1;
    }
    if (!next)
        next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    return next(number, a, b, c, d, e, f);
}
