/*
 * proc_ids.c - see proc_ids.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/proc_ids.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static int open_folder(const char *path, struct proc_ids *ret)
{
    ret->folder = opendir(path);
    return ret->folder ? 0 : -errno;
}

int proc_ids_open_processes(struct proc_ids *ret)
{
    return open_folder("/proc", ret);
}

int proc_ids_open_threads(pid_t pid, struct proc_ids *ret)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    int error = open_folder(pid ? path : "/proc/self/task", ret);
    return error == -ENOENT ? -ESRCH : error;
}

pid_t proc_ids_next(struct proc_ids *p)
{
    pid_t id = 0;
    for (struct dirent *entry; id <= 0 && (entry = readdir(p->folder)) != NULL;)
        id = (pid_t)strtol(entry->d_name, NULL, 10);
    return id > 0 ? id : 0;
}

void proc_ids_close(struct proc_ids *p)
{
    closedir(p->folder);
}
