/*
 * process_folder.c - see process_folder.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "process/process_folder.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/rooted.h"

enum { FOLDER = O_PATH | O_DIRECTORY | O_CLOEXEC };

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
    return rooted_folder(root, path);
}

bool process_folder_is_ours(int root, const char *path)
{
    struct stat ours, theirs;
    int fd = rooted_find(root, path);
    bool is_found = fd >= 0 && fstat(fd, &theirs) == 0;
    if (fd >= 0)
        close(fd);
    return is_found && stat(path, &ours) == 0 && ours.st_dev == theirs.st_dev &&
           ours.st_ino == theirs.st_ino;
}
