/*
 * metric_process.c - see metric_process.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "metrics/metric_process.h"
#include <dirent.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "mem/mem_live.h"
#include "mem/proc_stat.h"
#include "metrics/metric.h"
#include "process/process.h"
#include "process/process_room.h"
#include "process/task_times.h"
#include "safe/clock.h"

enum { FILE_MAX_BYTES = 16 << 10, CPUS_MAX = 1 << 16 };

static double number_at(const char *text)
{
    char *end;
    double value = (double)strtoull(text, &end, 10);
    return end > text ? value : NAN;
}

static void read_stat(struct metric_set *s, pid_t pid)
{
    struct proc_stat stat;
    double age_s = mem_live_age_s(pid);
    metric_set_value(s, METRIC_UPTIME, age_s < 0 ? NAN : age_s);
    if (proc_stat_read_process(pid, &stat) < 0)
        return;
    metric_set_value(s, METRIC_TASKS, number_at(proc_stat_field(&stat, PROC_STAT_THREADS)));
    metric_set_labelled(s, METRIC_FAULTS, number_at(proc_stat_field(&stat, PROC_STAT_MINOR_FAULTS)),
                        "system.paging.fault.type", "minor");
    metric_set_labelled(s, METRIC_FAULTS, number_at(proc_stat_field(&stat, PROC_STAT_MAJOR_FAULTS)),
                        "system.paging.fault.type", "major");
}

/* "SIZE RESIDENT ..." in pages. */
static void read_memory(struct metric_set *s, pid_t pid)
{
    char *text, *end;
    double page = (double)sysconf(_SC_PAGESIZE);
    if (process_file(pid, "statm", FILE_MAX_BYTES, &text) < 0)
        return;
    double size = (double)strtoull(text, &end, 10);
    metric_set_value(s, METRIC_RESIDENT, number_at(end) * page);
    metric_set_value(s, METRIC_VIRTUAL, end > text ? size * page : NAN);
    free(text);
}

/* The number behind `name` in a text whose lines begin with names; NAN: there is none. */
static double number_of_line(const char *text, const char *name)
{
    const char *line = strstr(text, name);
    return line ? number_at(line + strlen(name) + strspn(line + strlen(name), " :")) : NAN;
}

static void read_io(struct metric_set *s, pid_t pid)
{
    char *text;
    if (process_file(pid, "io", FILE_MAX_BYTES, &text) < 0)
        return;
    metric_set_labelled(s, METRIC_DISK, number_of_line(text, "\nread_bytes"), "disk.io.direction",
                        "read");
    metric_set_labelled(s, METRIC_DISK, number_of_line(text, "\nwrite_bytes"), "disk.io.direction",
                        "write");
    free(text);
}

static void count_files(struct metric_set *s, pid_t pid)
{
    char path[64], *text;
    uint64_t count = 0;
    snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
    DIR *folder = opendir(path);
    if (folder) {
        for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
            count += entry->d_name[0] != '.';
        closedir(folder);
        metric_set_value(s, METRIC_FILES_OPEN, (double)count);
    }
    if (process_file(pid, "limits", FILE_MAX_BYTES, &text) < 0)
        return;
    metric_set_value(s, METRIC_FILES_LIMIT, number_of_line(text, "\nMax open files"));
    free(text);
}

/* The processors on which the kernel lets the process run; 0: not known. */
static int processors_of(pid_t pid)
{
    int count = 0;
    for (int max = 1024; count == 0 && max <= CPUS_MAX; max *= 2) {
        cpu_set_t *set = CPU_ALLOC((size_t)max);
        if (set && sched_getaffinity(pid, CPU_ALLOC_SIZE((size_t)max), set) == 0)
            count = CPU_COUNT_S(CPU_ALLOC_SIZE((size_t)max), set);
        CPU_FREE(set);
    }
    return count;
}

static void read_room(struct metric_set *s, pid_t pid, unsigned told)
{
    struct process_room room;
    int processors = processors_of(pid);
    process_room_read(pid, &room);
    if (told > 0)
        processors = (int)told;
    else if (!room.has_cpus)
        processors = 0;
    else if (room.cpu_quota > 0 && processors > (int)ceil(room.cpu_quota))
        processors = (int)ceil(room.cpu_quota);
    metric_set_value(s, METRIC_CPU_COUNT, processors > 0 ? processors : NAN);
    if (room.has_memory) {
        metric_set_value(s, METRIC_GROUP_USAGE, (double)room.usage_bytes);
        metric_set_value(s, METRIC_GROUP_WORKING_SET, (double)room.working_set_bytes);
    }
    if (room.limit_bytes == UINT64_MAX)
        return;
    metric_set_value(s, METRIC_GROUP_LIMIT, (double)room.limit_bytes);
    metric_set_value(s, METRIC_GROUP_AVAILABLE, (double)room.available_bytes);
}

void metric_process_read(struct metric_set *s, pid_t pid, unsigned processors)
{
    uint64_t cpu_ns;
    if (task_times_whole_ns(pid, &cpu_ns) == 0)
        metric_set_value(s, METRIC_CPU_TIME, (double)cpu_ns / NS_PER_S);
    read_stat(s, pid);
    read_memory(s, pid);
    read_io(s, pid);
    count_files(s, pid);
    read_room(s, pid, processors);
}
