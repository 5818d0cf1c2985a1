/*
 * agent_place.c - see agent_place.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/agent_place.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "cli/agent_carried.h"
#include "process/process_folder.h"

enum { PIECE_BYTES = 256 * 1024, NAME_BYTES = 64, LIBRARY_MAX = 256 << 20 };

static const char library_name[] = "libhprof.so";
static const char *const folders[] = {"tmp", "var/tmp", "dev/shm"};

static int read_whole(int fd, unsigned char *to, size_t len)
{
    for (size_t at = 0; at < len;) {
        ssize_t n = read(fd, to + at, len - at);
        if (n == 0 || (n < 0 && errno != EINTR))
            return n == 0 ? -EIO : -errno;
        at += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

int agent_place_read(struct agent_place *p, const char *library)
{
    struct stat st;

    *p = (struct agent_place){.bytes = agent_carried_bytes,
                              .len = (size_t)(agent_carried_end - agent_carried_bytes)};
    if (!library)
        return 0;
    int fd = open(library, O_RDONLY | O_CLOEXEC), error = fd < 0 ? -errno : 0;
    if (error == 0 && fstat(fd, &st) != 0)
        error = -errno;
    if (error == 0 && (st.st_size <= 0 || st.st_size > LIBRARY_MAX))
        error = -EFBIG;
    if (error == 0 && !(p->owned = malloc((size_t)st.st_size)))
        error = -ENOMEM;
    if (error == 0)
        error = read_whole(fd, p->owned, (size_t)st.st_size);
    if (error == 0) {
        p->bytes = p->owned;
        p->len = (size_t)st.st_size;
    }
    if (fd >= 0)
        close(fd);
    return error;
}

void agent_place_done(struct agent_place *p)
{
    free(p->owned);
    *p = (struct agent_place){0};
}

/* What tells one build of the library from another: its bytes, summed up (FNV-1a). */
static uint64_t sum_of(const struct agent_place *p)
{
    uint64_t sum = 1469598103934665603u;

    for (size_t i = 0; i < p->len; i++)
        sum = (sum ^ p->bytes[i]) * 1099511628211u;
    return sum;
}

static int write_whole(const struct agent_place *p, int fd)
{
    for (size_t at = 0; at < p->len;) {
        ssize_t n = write(fd, p->bytes + at, p->len - at);
        if (n < 0 && errno != EINTR)
            return -errno;
        at += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

/* Whether the file has the bytes of the library, all of them and no others. */
static bool has_bytes(const struct agent_place *p, int fd)
{
    unsigned char *piece = malloc(PIECE_BYTES);
    size_t at = 0;
    bool is_same = piece != NULL;

    for (ssize_t n; is_same && (n = read(fd, piece, PIECE_BYTES)) != 0; at += (size_t)n)
        is_same = n > 0 && (size_t)n <= p->len - at && memcmp(piece, p->bytes + at, (size_t)n) == 0;
    free(piece);
    return is_same && at == p->len;
}

/* A folder of one user alone, made or found. A link, or what is another's, is refused. */
static int open_own_folder(int parent, const char *name, uid_t uid, mode_t mode)
{
    struct stat st;

    if (mkdirat(parent, name, 0700) != 0 && errno != EEXIST)
        return -errno;
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    if (fstat(fd, &st) == 0 && st.st_uid == uid && (st.st_mode & 022) == 0 &&
        ((st.st_mode & mode) == mode || fchmod(fd, mode) == 0))
        return fd;
    close(fd);
    return -EACCES;
}

/* Writes the library into `folder` unless it is there. A copy gets its name when it is whole. */
static int put_file(const struct agent_place *p, int folder, uid_t uid, mode_t mode)
{
    struct stat st;
    char name[NAME_BYTES];
    int fd = openat(folder, library_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (fd >= 0) {
        bool is_it = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == uid &&
                     (st.st_mode & 022) == 0 && has_bytes(p, fd) &&
                     ((st.st_mode & mode) == mode || fchmod(fd, mode) == 0);
        close(fd);
        return is_it ? 0 : -EEXIST;
    }
    if (errno != ENOENT)
        return -errno;
    snprintf(name, sizeof(name), ".new-%d", (int)getpid());
    fd = openat(folder, name, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0700);
    if (fd < 0)
        return -errno;
    int error = write_whole(p, fd);
    if (error == 0 && fchmod(fd, mode) != 0)
        error = -errno;
    if (close(fd) != 0 && error == 0)
        error = -errno;
    if (error == 0 && renameat(folder, name, folder, library_name) != 0)
        error = -errno;
    if (error < 0)
        (void)unlinkat(folder, name, 0);
    return error;
}

static int put_below(const struct agent_place *p, int parent, const char *own, const char *build,
                     uid_t uid, mode_t mode)
{
    struct statvfs st;

    if (fstatvfs(parent, &st) != 0 || (st.f_flag & (ST_NOEXEC | ST_RDONLY)) != 0)
        return -EROFS;
    int mine = open_own_folder(parent, own, uid, mode);
    int folder = mine < 0 ? mine : open_own_folder(mine, build, uid, mode);
    int error = folder < 0 ? folder : put_file(p, folder, uid, mode);
    if (mine >= 0)
        close(mine);
    if (folder >= 0)
        close(folder);
    return error;
}

int agent_place_put(const struct agent_place *p, int root, uid_t uid, mode_t mode,
                    char ret_path[PATH_MAX])
{
    char own[NAME_BYTES], build[NAME_BYTES];
    int error = -ENOENT;

    snprintf(own, sizeof(own), ".hprof-%u", (unsigned)uid);
    snprintf(build, sizeof(build), "%016llx", (unsigned long long)sum_of(p));
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]) && error < 0; i++) {
        int parent = process_folder_open(root, folders[i]);
        if (parent < 0) {
            error = parent;
            continue;
        }
        error = put_below(p, parent, own, build, uid, mode);
        close(parent);
        if (error == 0)
            snprintf(ret_path, PATH_MAX, "/%s/%s/%s/%s", folders[i], own, build, library_name);
    }
    return error;
}
