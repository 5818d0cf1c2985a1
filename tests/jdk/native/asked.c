/*
 * asked.c - preloaded: counts in the file $ASKED, four bytes, the signals that ask threads where
 * they are. SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum { VTALRM = 26 }; /* <signal.h> declares syscall() as it is not defined here */

static _Atomic unsigned *asked;

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("ASKED");
    int fd = path ? open(path, O_RDWR) : -1;
    void *at = MAP_FAILED;
    if (fd >= 0)
        at = mmap(NULL, sizeof(*asked), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at != MAP_FAILED)
        asked = at;
}

long syscall(long number, long a, long b, long c, long d, long e, long f)
{
    static long (*next)(long, ...);
    if (asked && number == SYS_rt_tgsigqueueinfo && c == VTALRM)
        ++*asked;
    if (!next)
        next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    return next(number, a, b, c, d, e, f);
}
