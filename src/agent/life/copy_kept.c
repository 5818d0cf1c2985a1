/*
 * copy_kept.c - see copy_kept.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/life/copy_kept.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* The locked file. -1: the library is no copy, or copy_kept_take() has not looked yet. */
static _Atomic int kept = -1;

/* The path of this library, if a command has put it there. */
static bool find(char path[PATH_MAX])
{
    Dl_info info;
    return dladdr((void *)(uintptr_t)copy_kept_take, &info) != 0 && info.dli_fname &&
           strstr(info.dli_fname, "/.hprof-") &&
           snprintf(path, PATH_MAX, "%s", info.dli_fname) < PATH_MAX;
}

void copy_kept_take(void)
{
    char path[PATH_MAX];
    int fd, none = -1;
    if (atomic_load(&kept) >= 0 || !find(path))
        return;
    fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)flock(fd, LOCK_SH | LOCK_NB);
    if (!atomic_compare_exchange_strong(&kept, &none, fd))
        close(fd);
}

/* Whether the file at `path` is still the one that is open. */
static bool is_named(int fd, const char *path)
{
    struct stat ours, named;
    return fstat(fd, &ours) == 0 && lstat(path, &named) == 0 && ours.st_dev == named.st_dev &&
           ours.st_ino == named.st_ino;
}

/* Cut the path to its folder. */
static void cut(char *path)
{
    *strrchr(path, '/') = '\0';
}

/*
 * Whether a program that nobody knows of may still load the copy, because `hprof run
 * --print-options` has printed its path.
 */
static bool is_promised(const char *path)
{
    char mark[PATH_MAX + sizeof("promised")];
    snprintf(mark, sizeof(mark), "%.*s/promised", (int)(strrchr(path, '/') - path), path);
    return access(mark, F_OK) == 0;
}

void copy_kept_give(void)
{
    char path[PATH_MAX];
    int fd = atomic_exchange(&kept, -1);
    if (fd >= 0 && find(path) && flock(fd, LOCK_EX | LOCK_NB) == 0 && is_named(fd, path) &&
        !is_promised(path) && unlink(path) == 0) {
        cut(path);
        (void)rmdir(path); /* the folder of the build; fails if other files are there */
        cut(path);
        (void)rmdir(path); /* the folder of the user; fails if it is not empty */
    }
    if (fd >= 0)
        close(fd);
}
