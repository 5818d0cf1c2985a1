/*
 * own_memory.c - see own_memory.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/own_memory.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/uio.h>
#include <unistd.h>

static const uint64_t known = 0x0123456789abcdef;

/* Whether the file has our addresses. Under an emulator it may have those of the emulator. */
static bool is_ours(int fd)
{
    uint64_t word = 0;
    return pread(fd, &word, sizeof(word), (off_t)(uintptr_t)&known) == sizeof(word) &&
           word == known;
}

/* The file is opened for each read: an open descriptor would lie among those of the program. */
static ssize_t read_file(uint64_t addr, void *dst, size_t len)
{
    int fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t n = is_ours(fd) ? pread(fd, dst, len, (off_t)addr) : -1;
    close(fd);
    return n;
}

int own_memory_read(uint64_t addr, void *dst, size_t len)
{
    int saved_errno = errno;
    struct iovec local = {dst, len}, remote = {(void *)(uintptr_t)addr, len};
    ssize_t n = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
    if (n < 0 && (errno == EPERM || errno == ENOSYS))
        n = read_file(addr, dst, len);
    errno = saved_errno;
    return n == (ssize_t)len ? 0 : -EFAULT;
}
