/*
 * perfdata_file.c - see perfdata_file.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "perfdata/perfdata_file.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/err.h"
#include "process/process.h"
#include "process/process_folder.h"

enum { BYTES_MAX = 64 << 20 };

static const char folder_prefix[] = "hsperfdata_";

int perfdata_file_refresh(struct perfdata_file *f)
{
    struct stat st;

    if (fstat(f->fd, &st) != 0)
        return -errno;
    if (!S_ISREG(st.st_mode))
        return E_FORMAT;
    if (st.st_size > BYTES_MAX)
        return E_LIMIT;
    size_t room = (size_t)st.st_size, len = 0;
    unsigned char *bytes = malloc(room + 1);
    if (!bytes)
        return -ENOMEM;
    for (ssize_t n; len < room; len += (size_t)n) {
        n = pread(f->fd, bytes + len, room - len, (off_t)len);
        if (n < 0) {
            int error = -errno;
            free(bytes);
            return error;
        }
        if (n == 0)
            break;
    }
    return perfdata_take(&f->data, bytes, len);
}

int perfdata_file_open(const char *path, struct perfdata_file *ret)
{
    /* Without O_NONBLOCK a FIFO would be waited for. */
    *ret = (struct perfdata_file){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    return ret->fd < 0 ? -errno : perfdata_file_refresh(ret);
}

/* The file `name` in `folder`, if it is the process's own: its descriptor, -errno. */
static int open_own(int folder, const char *name, uid_t uid)
{
    struct stat st;
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

    if (fd < 0)
        return -errno;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == uid)
        return fd;
    close(fd);
    return -ENOENT;
}

/* How the process calls its user is its own affair: each of those folders is looked into. */
static int find_own(int tmp, const struct process *process)
{
    char name[16];
    int dir_fd = openat(tmp, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), found = -ENOENT;
    DIR *dir = dir_fd < 0 ? NULL : fdopendir(dir_fd);

    if (!dir) {
        int error = -errno;
        if (dir_fd >= 0)
            close(dir_fd);
        return error;
    }
    snprintf(name, sizeof(name), "%d", (int)process->inner_pid);
    for (struct dirent *entry; found < 0 && (entry = readdir(dir)) != NULL;) {
        if (strncmp(entry->d_name, folder_prefix, sizeof(folder_prefix) - 1) != 0)
            continue;
        int folder = openat(dir_fd, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (folder < 0)
            continue;
        int fd = open_own(folder, name, process->uid);
        if (fd >= 0 || fd == -EACCES)
            found = fd;
        close(folder);
    }
    closedir(dir);
    return found;
}

int perfdata_file_open_process(const struct process *process, int root, struct perfdata_file *ret)
{
    *ret = (struct perfdata_file){.fd = -1};
    int tmp = process_folder_open(root, "tmp");
    if (tmp < 0)
        return tmp;
    ret->fd = find_own(tmp, process);
    close(tmp);
    return ret->fd < 0 ? ret->fd : perfdata_file_refresh(ret);
}

void perfdata_file_close(struct perfdata_file *f)
{
    perfdata_done(&f->data);
    if (f->fd >= 0)
        close(f->fd);
    f->fd = -1;
}
