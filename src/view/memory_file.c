/*
 * memory_file.c - see memory_file.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "view/memory_file.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

int memory_file_open(const char *name)
{
    int fd = memfd_create(name, MFD_CLOEXEC);
    if (fd < 0 && (errno == EPERM || errno == ENOSYS))
        fd = open("/tmp", O_RDWR | O_TMPFILE | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    return fd < 0 ? -errno : fd;
}
