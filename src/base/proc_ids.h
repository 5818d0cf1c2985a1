/*
 * proc_ids.h - the numbers of all processes, or of all threads of a process, as /proc lists them.
 *
 * A process or thread that begins or ends during the listing may be in the list or not. Source:
 * proc(5). Context: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <sys/types.h>

struct proc_ids {
    void *folder;
};

/** List all processes. Errors: 0; -errno. Owner: proc_ids_close(). */
int proc_ids_open_processes(struct proc_ids *ret);
/** List the threads of a process. `pid` 0 means this process, whatever its number is in this /proc.
 * Errors: 0; -ESRCH: there is no such process; -errno. Owner: proc_ids_close(). */
int proc_ids_open_threads(pid_t pid, struct proc_ids *ret);
/** The next number; 0: there are no more. */
pid_t proc_ids_next(struct proc_ids *p);
void proc_ids_close(struct proc_ids *p);
