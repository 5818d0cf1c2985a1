/*
 * proc_stat.h - what the kernel says about a thread of another process, or about the process: name,
 * state, time of its begin, counts.
 * Source: proc_pid_stat(5), proc_pid_status(5).
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <sys/types.h>

struct proc_stat {
    char bytes[1024];
    const char *name, *name_end; /* the name, between its brackets */
};

/** Fields by their numbers in the manual page, where the id is 1 and the name 2. */
enum proc_stat_number {
    PROC_STAT_STATE = 3,
    PROC_STAT_MINOR_FAULTS = 10,
    PROC_STAT_MAJOR_FAULTS = 12,
    PROC_STAT_NICE = 19,
    PROC_STAT_THREADS = 20,
    PROC_STAT_START = 22, /* in clock ticks since the system was started */
};

/** Read the stat file of a thread. Errors: 0; -ESRCH there is no such thread; -EIO we may not look
 * at it; E_FORMAT. */
int proc_stat_read(pid_t pid, pid_t tid, struct proc_stat *ret_stat);
/** The same for a process: its counts are the sums of all its threads, also of those that have
 * ended. */
int proc_stat_read_process(pid_t pid, struct proc_stat *ret_stat);
/** Parse the text that is already in `bytes`. Errors: 0; E_FORMAT. */
int proc_stat_parse(struct proc_stat *stat);
/** The text from this field on to the end; "" if there are fewer fields. */
const char *proc_stat_field(const struct proc_stat *stat, enum proc_stat_number number);
/** Whether the thread is a zombie or dead. */
bool proc_stat_is_ended(const struct proc_stat *stat);

/** The id of a thread in the innermost namespace, by which its process knows it; `tid` if this
 * cannot be read. */
pid_t proc_stat_inner_tid(pid_t pid, pid_t tid);
