/*
 * shrink.c - preloaded: cuts the file named by SHRINK as soon as the program has mapped it.
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

void *mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset)
{
    const char *path = getenv("SHRINK");
    struct stat mapped, named;
    void *at = (void *)syscall(SYS_mmap, addr, len, prot, flags, fd, offset);
    if (path && fd >= 0 && fstat(fd, &mapped) == 0 && stat(path, &named) == 0 &&
        mapped.st_ino == named.st_ino && mapped.st_dev == named.st_dev && truncate(path, 4096) < 0)
        abort();
    return at;
}

void *mmap64(void *addr, size_t len, int prot, int flags, int fd, off64_t offset)
{
    return mmap(addr, len, prot, flags, fd, offset);
}
