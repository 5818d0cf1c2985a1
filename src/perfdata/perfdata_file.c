/*
 * perfdata_file.c - see perfdata_file.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "perfdata/perfdata_file.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/err.h"
#include "process/process.h"

static const char folder_prefix[] = "hsperfdata_";

int perfdata_file_refresh(struct perfdata_file *f)
{
    struct stat st;
    if (fstat(f->fd, &st) != 0)
        return -errno;
    if (!S_ISREG(st.st_mode))
        return E_FORMAT;
    if (st.st_size > (off_t)PERFDATA_FILE_MB << 20)
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
    /* O_NONBLOCK, because the open of a FIFO would wait for a writer. */
    *ret = (struct perfdata_file){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    return ret->fd < 0 ? -errno : perfdata_file_refresh(ret);
}

/* Open the file `name` in `folder` if the process's user owns it. Returns a descriptor, or
 * -errno. */
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

/* Open the process's file in the folder `name`. Returns a descriptor, or -errno. */
static int open_in(int tmp, const char *name, const struct process *process)
{
    char file[16];
    int folder = openat(tmp, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0)
        return -errno;
    snprintf(file, sizeof(file), "%d", (int)process->inner_pid);
    int fd = open_own(folder, file, process->uid);
    close(folder);
    return fd;
}

/* Find the process's file in any of the folders, because the process may know its user by another
 * name than we do. */
static int find_own(int tmp, const struct process *process)
{
    int dir_fd = openat(tmp, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), found = -ENOENT;
    DIR *dir = dir_fd < 0 ? NULL : fdopendir(dir_fd);
    if (!dir) {
        int error = -errno;
        if (dir_fd >= 0)
            close(dir_fd);
        return error;
    }
    for (struct dirent *entry; found < 0 && (entry = readdir(dir)) != NULL;) {
        if (strncmp(entry->d_name, folder_prefix, sizeof(folder_prefix) - 1) != 0)
            continue;
        int fd = open_in(dir_fd, entry->d_name, process);
        if (fd >= 0 || fd == -EACCES)
            found = fd;
    }
    closedir(dir);
    return found;
}

/* Open the file in the folder with the most likely name, so that a full /tmp need not be read.
 * -ENOENT: it is not there. */
static int open_likely(int tmp, const struct process *process)
{
    const char *user = process->uid == 0          ? "root"
                       : process->uid == getuid() ? getenv("USER")
                                                  : NULL;
    char name[NAME_MAX + 1];
    if (!user || strchr(user, '/') ||
        snprintf(name, sizeof(name), "%s%s", folder_prefix, user) >= (int)sizeof(name))
        return -ENOENT;
    return open_in(tmp, name, process);
}

int perfdata_file_open_process(const struct process *process, int root, struct perfdata_file *ret)
{
    *ret = (struct perfdata_file){.fd = -1};
    int tmp = process_folder_open(root, "tmp");
    if (tmp < 0)
        return tmp;
    ret->fd = open_likely(tmp, process);
    if (ret->fd < 0)
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
