/*
 * proc_ids.h - which processes there are, or which threads a process has: the numbers that /proc
 * lists, one after the other.
 *
 * What begins or ends meanwhile may be among them or not. Source: proc(5). Context: any, not
 * signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <sys/types.h>

struct proc_ids {
    void *folder;
};

/** All processes. Errors: 0; -errno. Owner: proc_ids_close(). */
int proc_ids_open_processes(struct proc_ids *ret);
/** The threads of a process, 0 our own, whatever its number is here. Errors: 0; -ESRCH there is
 * none; -errno. Owner: as above. */
int proc_ids_open_threads(pid_t pid, struct proc_ids *ret);
/** The next one; 0: there are no more. */
pid_t proc_ids_next(struct proc_ids *p);
void proc_ids_close(struct proc_ids *p);
