/*
 * heapspool.c - see heapspool.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/heapspool.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "gzip/unpackread.h"

enum {
    STEP = 1 << 20,
    LOOK = 16 << 20,         /* bytes between two looks at the room */
    RESERVE_MOST = 64 << 20, /* bytes left for others: so many, or a share of the file system */
    RESERVE_SHARE = 16,
};

const char *heapspool_folder(const char *named)
{
    if (named)
        return named;
    const char *folder = getenv("TMPDIR");
    if (folder && folder[0] != '\0')
        return folder;
    return access("/var/tmp", W_OK | X_OK) == 0 ? "/var/tmp" : "/tmp";
}

void heapspool_folder_of(const char *named, const char *path, char ret_folder[HEAPSPOOL_FOLDER])
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    if (named)
        snprintf(ret_folder, HEAPSPOOL_FOLDER, "%s", named);
    else if (!slash)
        snprintf(ret_folder, HEAPSPOOL_FOLDER, ".");
    else
        snprintf(ret_folder, HEAPSPOOL_FOLDER, "%.*s", slash == path ? 1 : (int)(slash - path),
                 path);
}

static uint64_t room_of(const struct statvfs *st)
{
    uint64_t whole = (uint64_t)st->f_blocks * st->f_frsize,
             left = (uint64_t)st->f_bavail * st->f_frsize;
    uint64_t reserve = whole / RESERVE_SHARE < RESERVE_MOST ? whole / RESERVE_SHARE : RESERVE_MOST;
    return left > reserve ? left - reserve : 0;
}

int heapspool_room(const char *folder, uint64_t *ret_bytes)
{
    struct statvfs st;
    if (statvfs(folder, &st) != 0)
        return -errno;
    *ret_bytes = room_of(&st);
    return 0;
}

int heapspool_room_of(int fd, uint64_t *ret_bytes)
{
    struct statvfs st;
    if (fstatvfs(fd, &st) != 0)
        return -errno;
    *ret_bytes = room_of(&st);
    return 0;
}

int heapspool_open(const char *folder)
{
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    return fd < 0 ? -errno : fd;
}

static int write_all(int fd, const unsigned char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t done = write(fd, bytes, len);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return done < 0 ? -errno : -EIO;
        bytes += done;
        len -= (size_t)done;
    }
    return 0;
}

int heapspool_fill(int spool, struct unpackread *from, uint64_t *ret_bytes, int *ret_damage)
{
    unsigned char *bytes = malloc(STEP);
    uint64_t done = 0, room = 0; /* `room`: bytes until the next look */
    int error = bytes ? 0 : -ENOMEM;
    *ret_damage = 0;
    while (error == 0) {
        ssize_t n = unpackread_read(from, bytes, STEP);
        if (n <= 0) {
            *ret_damage = (int)n;
            break;
        }
        if (room < (uint64_t)n) {
            error = heapspool_room_of(spool, &room);
            error = error == 0 && room < (uint64_t)n ? -ENOSPC : error;
            room = room < LOOK ? room : LOOK;
        }
        if (error == 0)
            error = write_all(spool, bytes, (size_t)n);
        room -= error == 0 ? (uint64_t)n : 0;
        done += (uint64_t)n;
    }
    free(bytes);
    *ret_bytes = done;
    return error;
}
