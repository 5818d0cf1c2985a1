/*
 * proc_stat.c - see proc_stat.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mem/proc_stat.h"
#include "base/err.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The last number in the line "NSpid:" is the thread's id in the innermost namespace. */
pid_t proc_stat_inner_tid(pid_t pid, pid_t tid)
{
    char path[64], *line = NULL;
    size_t size = 0;
    pid_t found = tid;
    snprintf(path, sizeof(path), "/proc/%d/task/%d/status", (int)pid, (int)tid);
    FILE *file = fopen(path, "re");
    if (!file)
        return tid;
    while (getline(&line, &size, file) > 0) {
        if (strncmp(line, "NSpid:", 6) != 0)
            continue;
        for (char *p = line + 6, *end; isspace((unsigned char)*p); p = end) {
            long value = strtol(p, &end, 10);
            if (end == p)
                break;
            found = (pid_t)value;
        }
        break;
    }
    free(line);
    fclose(file);
    return found;
}

/* The name may hold any character, so the fields are counted from its last bracket on. */
int proc_stat_parse(struct proc_stat *stat)
{
    const char *open_bracket = strchr(stat->bytes, '(');
    stat->name_end = strrchr(stat->bytes, ')');
    if (!open_bracket || !stat->name_end || stat->name_end < open_bracket)
        return E_FORMAT;
    stat->name = open_bracket + 1;
    return 0;
}

static int read_file(const char *path, struct proc_stat *ret_stat)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? -ESRCH : -EIO;
    ssize_t n = read(fd, ret_stat->bytes, sizeof(ret_stat->bytes) - 1);
    close(fd);
    if (n <= 0)
        return -ESRCH;
    ret_stat->bytes[n] = 0;
    return proc_stat_parse(ret_stat);
}

int proc_stat_read(pid_t pid, pid_t tid, struct proc_stat *ret_stat)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)pid, (int)tid);
    return read_file(path, ret_stat);
}

int proc_stat_read_process(pid_t pid, struct proc_stat *ret_stat)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    return read_file(path, ret_stat);
}

const char *proc_stat_field(const struct proc_stat *stat, enum proc_stat_number number)
{
    const char *p = stat->name_end + 1;
    for (int field = 2; field < (int)number - 1 && p; field++)
        p = strchr(p + 1, ' ');
    return p && *p == ' ' ? p + 1 : "";
}

bool proc_stat_is_ended(const struct proc_stat *stat)
{
    char state = *proc_stat_field(stat, PROC_STAT_STATE);
    return state == 'Z' || state == 'X';
}
