/*
 * process_room.h - how much memory and CPU time the control groups of a process leave to it.
 *
 * A limit counts on each level, from the group of the process up to the mount. Groups are found as
 * we see them: by the mounts of this program. In a container these may show only the container's
 * own groups. The working set is what monitoring systems call so: the usage without inactive pages
 * of files. Source: cgroups(7), Linux Documentation/admin-guide/cgroup-v2.rst,
 * cgroup-v1/memory.rst. Context: any, not signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct process_room {
    bool has_memory; /* the process is in a memory control group that can be read: */
    uint64_t usage_bytes, working_set_bytes; /* of the process's own group */
    /* the level that leaves least; UINT64_MAX: no level has a limit */
    uint64_t limit_bytes, available_bytes;
    bool has_cpus;    /* the quota of CPU time is known: */
    double cpu_quota; /* processors whose time the groups give; 0: no level has a quota */
    /* Version 2: periods of the level that was stopped most often, and in how many of them it was
     * stopped because its quota was used up, since it was made. */
    uint64_t periods, throttled;
    uint64_t tasks, tasks_limit; /* of the level that leaves least; 0: no level has a limit */
    uint64_t oom_kills;          /* processes of the own group that the kernel has killed */
};

/** Reads the groups of a process. What cannot be read stays unknown. */
void process_room_read(pid_t pid, struct process_room *ret_room);
/** The same for another /proc than "/proc"; for tests. */
void process_room_read_in(const char *proc, pid_t pid, struct process_room *ret_room);
/** The processors of a line like "200000 100000" or "max 100000" (cpu.max); 0: no quota. */
double process_room_quota(const char *text);
