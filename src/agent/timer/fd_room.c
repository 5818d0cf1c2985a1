/*
 * fd_room.c - see fd_room.h.
 *
 * Source: Linux, fs/proc/fd.c: proc_fd_getattr(), since 6.2: the size of /proc/self/fd.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/timer/fd_room.h"
#include <fcntl.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HELD_PART = 32, FREE_PART = 4, SHORT_PART = 8, NO_LIMIT = 1 << 30, FD_FLOOR = 2048 };

long fd_room_limit(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < NO_LIMIT ? (long)limit.rlim_cur
                                                                              : NO_LIMIT;
}

/* The lowest free number, which the next opened file gets. */
static long lowest_free(long limit)
{
    int fd = open("/", O_PATH | O_CLOEXEC);
    if (fd < 0)
        return limit;
    close(fd);
    return fd;
}

long fd_room_free(void)
{
    struct stat status;
    long limit = fd_room_limit();
    long used = stat("/proc/self/fd", &status) == 0 && status.st_size > 0 ? (long)status.st_size
                                                                          : lowest_free(limit);
    return used < limit ? limit - used : 0;
}

int fd_room_grants(int held)
{
    long limit = fd_room_limit();
    return held < limit / HELD_PART && fd_room_free() >= limit / FREE_PART;
}

int fd_room_move_up(int fd)
{
    int floor = fd_room_limit() > FD_FLOOR * 2L ? FD_FLOOR : STDERR_FILENO + 1;
    int up = fd < floor ? fcntl(fd, F_DUPFD_CLOEXEC, floor) : -1;
    if (up < 0)
        return fd;
    close(fd);
    return up;
}

bool fd_room_is_short(void)
{
    return fd_room_free() < fd_room_limit() / SHORT_PART;
}
