/*
 * task_times.h - how much CPU time each thread of a process has used.
 *
 * Two readings, some time apart, tell which threads are busy. A thread's number may be given to a
 * new thread between them: the new one has used less than the old, and counts from 0.
 * Source: Documentation/scheduler/sched-stats.rst (/proc/PID/task/TID/schedstat), proc_pid_stat(5).
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include <sys/types.h>

struct task_time {
    pid_t tid;       /* as we see it */
    uint64_t cpu_ns; /* in user and kernel mode, since the thread began */
};

struct task_times {
    struct task_time *rows; /* by tid */
    uint32_t count;
};

/** All threads of process `pid`; those that end meanwhile are left out. Errors: 0; -ESRCH the
 * process is no more; -ENOMEM; another -errno. Owner: task_times_done(), also after an error. */
int task_times_read(pid_t pid, struct task_times *ret);
void task_times_done(struct task_times *t);

/** What thread `tid` has used since `before`, by `now`; 0 if it is not in `now`. */
uint64_t task_times_used_ns(const struct task_times *before, const struct task_times *now,
                            pid_t tid);

/** The CPU time of the whole process, with that of threads that have ended. Errors: 0; -ESRCH the
 * process is no more; another -errno. */
int task_times_whole_ns(pid_t pid, uint64_t *ret_ns);
