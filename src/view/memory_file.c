/*
 * memory_file.c - see memory_file.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "view/memory_file.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/sink.h"

int memory_file_open(const char *name)
{
    int fd = memfd_create(name, MFD_CLOEXEC);
    if (fd < 0 && (errno == EPERM || errno == ENOSYS))
        fd = open("/tmp", O_RDWR | O_TMPFILE | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    return fd < 0 ? -errno : fd;
}

int memory_file_write(const char *name, void (*write)(void *with, struct sink *out), void *with)
{
    struct sink out;
    int fd = memory_file_open(name);
    if (fd < 0)
        return fd;
    int error = sink_init(&out, fd);
    if (error == 0) {
        write(with, &out);
        error = sink_done(&out);
    }
    if (error == 0)
        return fd;
    close(fd);
    return error;
}
