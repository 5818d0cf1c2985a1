/*
 * process.h - what /proc says about one process: its ids, its owner, its state and its folders.
 *
 * A process may end at any moment, and its number may then be given to another process. So
 * everything here describes one moment, and a caller that sends a signal must have opened a pidfd
 * before it looked. Source: proc_pid_status(5), proc_pid_maps(5), cgroups(7). Context of everything
 * here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "process/process_group.h"

struct process {
    pid_t pid;       /* number of the process, as we see it */
    pid_t inner_pid; /* number of the process in its own namespace of processes */
    /* the thread whose folder in /proc is read: the first thread, or one that lives */
    pid_t task;
    uid_t uid;         /* effective user id, as we see it */
    gid_t gid;         /* effective group id, as we see it */
    char state;        /* state of `task` as in proc(5): R S D T t Z X I */
    bool catches_quit; /* the process has a handler for SIGQUIT; without one the signal ends it */
    bool has_filter;   /* a filter of system calls (seccomp) is set in its first thread */
    char name[16];     /* name of its first thread */
};

/**
 * Read a process. If the first thread has ended while other threads run, its folder in /proc has no
 * memory, root and command line; then `task` is one of the other threads. A process whose threads
 * have all ended is a zombie, with the state Z.
 * Errors:  0; -ESRCH: there is no such process; E_FORMAT; another -errno.
 */
int process_read(pid_t pid, struct process *ret);

/**
 * The state of a process that was read just now. A tracer may hold it for some milliseconds only,
 * as `hprof stack` and gcore do. So a process that a tracer holds is looked at again, for a second
 * at most, and is 't' only if it is held all that time. Returns a state as in struct process; 'X':
 * it has gone meanwhile.
 */
char process_lasting_state(const struct process *p);

/** Whether all threads of the process have ended, or the process does not exist. */
bool process_has_ended(pid_t pid);

/** When the process began, in clock ticks since the system's start. Another process that gets the
 * same number later has another value. 0: there is no such process, or the value cannot be read. */
uint64_t process_began(pid_t pid);
/** Whether the process that began at `began` has ended, even if its number is used again. */
bool process_has_ended_since(pid_t pid, uint64_t began);

enum { PROCESS_THREAD_NAME = 16 }; /* the kernel keeps no more, with the final 0 */

/** What the kernel calls a thread of a process. Returns false if the thread has ended. */
bool process_thread_name(pid_t pid, pid_t tid, char ret[PROCESS_THREAD_NAME]);

/**
 * Find the file of the first executable mapping whose name is `name`, which is the last part of the
 * path. The path is below the root folder of the process. Only executable mappings count, because a
 * process that reads a library as data has not loaded it. `task` is that of struct process, here
 * and below.
 * Errors:  0; E_NOT_FOUND: no file of this name is mapped; -ESRCH; -EACCES, -EPERM: we may not
 *          look; -ENOMEM.
 * Owner:   the caller frees *ret_path.
 */
int process_find_mapped(pid_t task, const char *name, char **ret_path);

/** Whether the control group of the process is frozen, in version 2 or 1 of control groups. */
bool process_is_frozen(pid_t pid);

/** The id of the container in which the process runs, from the names of its control groups; "":
 * none. */
void process_container(pid_t pid, char ret_id[PROCESS_CONTAINER_ID + 1]);
/** All digits of the id. */
void process_container_whole(pid_t pid, char ret_id[PROCESS_CONTAINER_WHOLE + 1]);

/** Whether the process sees the name of this machine as its own. */
bool process_has_our_host(pid_t pid);

/**
 * Read a small file in the process's folder in /proc, at most `max` bytes; a 0 is appended.
 * Errors:  the length; -ESRCH; another -errno.
 * Owner:   the caller frees *ret_text.
 */
ssize_t process_file(pid_t task, const char *name, size_t max, char **ret_text);

/* Folders as the process sees them: its root, its working folder, its /tmp.
 *
 * A folder is opened once, before the caller takes on the ids of the process: the kernel requires
 * more rights to pass /proc/PID/root than the owner of the process may have. After that the folder
 * is a descriptor, so names in it mean the same files whatever happens to its path. Links are
 * followed as the process itself would follow them (base/rooted.h). Source: proc_pid_root(5). */

/** Each function returns a descriptor (O_PATH), or -errno. Owner: the caller closes it. */
int process_folder_root(pid_t task);
int process_folder_working(pid_t task);
/** Open the folder `path`, without a first '/', below `root`. */
int process_folder_open(int root, const char *path);
/** Whether an absolute path leads to the same file below `root` and below our own root. */
bool process_folder_is_ours(int root, const char *path);
