/*
 * task_times.h - how much CPU time each thread of a process has used.
 *
 * Two readings, with some time between them, tell which threads are busy. A thread's number may be
 * given to a new thread between the readings. The new thread has then used less than the old one,
 * and its time is counted from 0.
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
    struct task_time *rows; /* ordered by tid */
    uint32_t count;
};

/**
 * Read all threads of process `pid`; threads that end meanwhile are left out.
 * Errors:  0; -ESRCH: the process does not exist; -ENOMEM; another -errno.
 * Owner:   task_times_done(), also after an error.
 */
int task_times_read(pid_t pid, struct task_times *ret);
void task_times_done(struct task_times *t);

/** The time that thread `tid` has used between `before` and `now`; 0 if the thread is not in
 * `now`. */
uint64_t task_times_used_ns(const struct task_times *before, const struct task_times *now,
                            pid_t tid);

/** The CPU time of the whole process, including threads that have ended. Errors: 0; -ESRCH: the
 * process does not exist; another -errno. */
int task_times_whole_ns(pid_t pid, uint64_t *ret_ns);
