/*
 * process_folder.c - see process_folder.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "process/process_folder.h"
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FOLDER = O_PATH | O_DIRECTORY | O_CLOEXEC };

/* openat2(2), which the headers of older systems lack; its number is the same on every CPU. */
enum { OPENAT2 = 437, NO_MAGIC_LINKS = 0x02, IN_ROOT = 0x10 };
struct open_how {
    uint64_t flags, mode, resolve;
};

static int open_link(pid_t task, const char *name)
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/%d/%s", (int)task, name);
    int fd = open(path, FOLDER);
    return fd >= 0 ? fd : errno == ENOENT ? -ESRCH : -errno;
}

int process_folder_root(pid_t task)
{
    return open_link(task, "root");
}

int process_folder_working(pid_t task)
{
    return open_link(task, "cwd");
}

int process_folder_open(int root, const char *path)
{
    struct open_how how = {.flags = FOLDER, .resolve = IN_ROOT | NO_MAGIC_LINKS};
    int fd = (int)syscall(OPENAT2, root, path, &how, sizeof(how));

    /* Before Linux 5.6 a link in the way would lead into our own root: then there may be none. */
    if (fd < 0 && (errno == ENOSYS || errno == EPERM))
        fd = openat(root, path, FOLDER | O_NOFOLLOW);
    return fd < 0 ? -errno : fd;
}

bool process_folder_is_ours(int root, const char *path)
{
    struct stat ours, theirs;

    return stat(path, &ours) == 0 && fstatat(root, path + 1, &theirs, 0) == 0 &&
           ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}
