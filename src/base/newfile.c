/*
 * newfile.c - see newfile.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/newfile.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    TRIES = 16,        /* attempts; after them another program makes the name again and again */
    FIFO_POLL_MS = 10, /* the kernel does not tell when a FIFO gets its first reader */
    NO_REPLACE = 1,    /* RENAME_NOREPLACE of linux/fs.h */
    PROC_NAME = 32,    /* /proc/self/fd/N */
};

static int fail(int error, const char *why, const char **ret_why)
{
    *ret_why = why ? why : strerror(-error);
    return error;
}

/* Returns a copy of `fd` that is higher than stderr, if `fd` is not. A program may have closed the
 * standard streams, and then open() returns their numbers. Takes `fd` over. */
static int keep_above_standard(int fd)
{
    int high, error;
    if (fd < 0 || fd > STDERR_FILENO)
        return fd < 0 ? -errno : fd;
    high = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    error = -errno;
    close(fd);
    return high < 0 ? error : high;
}

/* ---- names that mean a descriptor */

int newfile_descriptor(const char *path)
{
    static const char *const streams[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    for (int i = 0; i <= STDERR_FILENO; i++) {
        if (strcmp(path, streams[i]) == 0)
            return i;
    }
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        const char *number = path + strlen(folders[i]);
        char *end;
        if (strncmp(path, folders[i], strlen(folders[i])) == 0 && *number >= '0' &&
            *number <= '9') {
            long n = strtol(number, &end, 10);
            return *end == '\0' && n < 1 << 20 ? (int)n : -1;
        }
    }
    return -1;
}

/* The copy shares its file offset with all other users of the descriptor, so nothing is
 * overwritten. */
static int take_descriptor(int number, struct newfile *ret, const char **ret_why)
{
    int flags = fcntl(number, F_GETFL);
    if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY)
        return fail(-EBADF, "that descriptor is not open for writing", ret_why);
    ret->fd = flags < 0 ? -errno : keep_above_standard(fcntl(number, F_DUPFD_CLOEXEC, 3));
    return ret->fd < 0 ? fail(ret->fd, NULL, ret_why) : 0;
}

/* ---- files that exist already */

static bool is_special(mode_t mode)
{
    return !S_ISREG(mode) && !S_ISLNK(mode) && !S_ISDIR(mode);
}

bool newfile_is_special(const char *path)
{
    struct stat st;
    return newfile_descriptor(path) >= 0 || (lstat(path, &st) == 0 && is_special(st.st_mode));
}

/* O_NONBLOCK: this open() must not wait for the other end of a FIFO or a terminal line. The caller
 * clears the flag, because later writes shall wait. */
static int open_at_once(const char *path)
{
    return open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

static int open_special(const char *path, mode_t type, struct newfile *ret, const char **ret_why)
{
    static const struct timespec pause = {.tv_nsec = FIFO_POLL_MS * 1000000L};
    struct stat st;
    int fd = open_at_once(path);
    for (int ms = 0; fd < 0 && errno == ENXIO && S_ISFIFO(type) && ms < NEWFILE_FIFO_MS;
         ms += FIFO_POLL_MS) {
        nanosleep(&pause, NULL);
        fd = open_at_once(path);
    }
    if (fd < 0)
        return fail(-errno, errno == ENXIO && S_ISFIFO(type) ? "nobody reads this FIFO" : NULL,
                    ret_why);
    if (fstat(fd, &st) != 0 || !is_special(st.st_mode) || fcntl(fd, F_SETFL, 0) != 0) {
        close(fd);
        return fail(-EEXIST, "it has become a file meanwhile", ret_why);
    }
    ret->fd = keep_above_standard(fd);
    return ret->fd < 0 ? fail(ret->fd, NULL, ret_why) : 0;
}

/* Empty the file that cannot be unlinked, if it is ours. `refused` is the error of unlink(). */
static int empty_own(const char *path, mode_t mode, int refused, struct newfile *ret,
                     const char **ret_why)
{
    struct stat st;
    const char *why = NULL;
    int fd = open_at_once(path), error = fd < 0 ? -errno : 0;
    if (fd < 0)
        return fail(error == -ELOOP ? error : refused,
                    error == -ELOOP ? "it is a link that cannot be removed" : NULL, ret_why);
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        why = "it is no regular file";
    else if (st.st_uid != geteuid())
        why = "it is another user's file";
    else if (st.st_nlink != 1)
        why = "it has another name too, and cannot be removed";
    error = why ? -EPERM : 0;
    if (!why && (st.st_mode & 0777 & ~mode) != 0 && fchmod(fd, st.st_mode & mode) != 0)
        error = -errno;
    if (!error && (ftruncate(fd, 0) != 0 || fcntl(fd, F_SETFL, 0) != 0))
        error = -errno;
    if (error) {
        close(fd);
        return fail(error, why, ret_why);
    }
    *ret = (struct newfile){.fd = keep_above_standard(fd), .is_ours = 1};
    return ret->fd < 0 ? fail(ret->fd, NULL, ret_why) : 0;
}

/* A link is removed, never followed. A link of the system, to a device or into /proc, is not
 * removed: returns the reason. */
static const char *why_link_stays(const char *path)
{
    char target[8];
    ssize_t n = readlink(path, target, sizeof(target));
    struct stat st;
    if (n >= 6 && memcmp(target, "/proc/", 6) == 0)
        return "it is a link into /proc: name /dev/stdout, /dev/stderr or /dev/fd/N";
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        return S_ISDIR(st.st_mode) ? "it is a link to a folder"
                                   : "it is a link to a device or FIFO: name that itself";
    return NULL;
}

int newfile_open(const char *path, mode_t mode, enum newfile_old old, struct newfile *ret,
                 const char **ret_why)
{
    static const int anew = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    int descriptor = newfile_descriptor(path);
    *ret = (struct newfile){.fd = -1};
    if (descriptor >= 0)
        return take_descriptor(descriptor, ret, ret_why);
    for (int i = 0; i < TRIES; i++) {
        int fd = keep_above_standard(open(path, anew, mode));
        const char *why = NULL;
        struct stat st;
        if (fd >= 0) {
            *ret = (struct newfile){.fd = fd, .is_ours = 1};
            return 0;
        }
        if (fd != -EEXIST)
            return fail(fd, NULL, ret_why);
        if (lstat(path, &st) != 0)
            continue;
        if (S_ISDIR(st.st_mode))
            return fail(-EISDIR, NULL, ret_why);
        if (is_special(st.st_mode))
            return open_special(path, st.st_mode, ret, ret_why);
        if (old == NEWFILE_KEEP)
            return fail(-EEXIST, NULL, ret_why);
        if (S_ISLNK(st.st_mode))
            why = why_link_stays(path);
        if (why)
            return fail(-EPERM, why, ret_why);
        if (unlink(path) != 0 && errno != ENOENT)
            return empty_own(path, mode, -errno, ret, ret_why);
    }
    return fail(-EEXIST, "somebody makes this name again and again", ret_why);
}

static void name_of_descriptor(int fd, char name[PROC_NAME])
{
    snprintf(name, PROC_NAME, "/proc/self/fd/%d", fd);
}

int newfile_open_unnamed(const char *path, mode_t mode, struct newfile *ret)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    char name[PROC_NAME];
    struct stat st;
    *ret = (struct newfile){.fd = -1};
    if (!folder)
        return -ENOMEM;
    int fd = keep_above_standard(open(folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, mode));
    free(folder);
    if (fd < 0)
        return -EOPNOTSUPP; /* newfile_open() then says what is wrong with the folder */
    name_of_descriptor(fd, name);
    if (stat(name, &st) != 0) {
        close(fd);
        return -EOPNOTSUPP;
    }
    *ret = (struct newfile){.fd = fd, .is_ours = true};
    return 0;
}

int newfile_link(const struct newfile *file, const char *path)
{
    char name[PROC_NAME];
    name_of_descriptor(file->fd, name);
    return linkat(AT_FDCWD, name, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 ? 0 : -errno;
}

int newfile_rename(const char *from, const char *to)
{
    struct stat st;
    if (syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, NO_REPLACE) == 0)
        return 0;
    if (errno != ENOSYS && errno != EINVAL && errno != EPERM)
        return -errno;
    /* This file system cannot check and rename in one step, or a filter refuses the call. */
    if (lstat(to, &st) == 0)
        return -EEXIST;
    return rename(from, to) == 0 ? 0 : -errno;
}
