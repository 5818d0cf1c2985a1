/*
 * process.h - what /proc says about one process: who it is, whose it is, and in which state.
 *
 * A process may end at any moment and its number be given to another: what is read here is of one
 * moment, and whoever sends a signal holds a pidfd from before he looked. Source:
 * proc_pid_status(5), proc_pid_maps(5), cgroups(7). Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { PROCESS_CONTAINER_ID = 12 }; /* digits of a container's id that people are shown */

struct process {
    pid_t pid;         /* as we see it */
    pid_t inner_pid;   /* as the process itself does: in its own namespace of processes */
    pid_t task;        /* whose folder in /proc tells of it: its first thread, or one that lives */
    uid_t uid;         /* effective ids, as we see them */
    gid_t gid;         /* of the group likewise */
    char state;        /* of that thread, of proc(5): R S D T t Z X I */
    bool catches_quit; /* it has a handler for SIGQUIT; without one that signal ends it */
    char name[16];     /* of its first thread */
};

/**
 * A first thread that has ended leaves a folder in /proc without memory, root and command line,
 * while the other threads go on: then one of those is `task`. A process whose threads have all
 * ended is a zombie, state Z. Errors: 0; -ESRCH there is none; E_FORMAT; another -errno.
 */
int process_read(pid_t pid, struct process *ret);

/** Whether all its threads have ended, or it is no more. */
bool process_has_ended(pid_t pid);

/** When it began, in clock ticks since the system did: a number that is given to another process
 * later has another one. 0: there is none, or it cannot be read. */
uint64_t process_began(pid_t pid);
/** Whether the process that began at `began` has ended, also where its number is used again. */
bool process_has_ended_since(pid_t pid, uint64_t began);

/**
 * The file behind the first executable mapping whose name is `name` (last part of the path), by the
 * root folder of the process itself: one that reads a library as data has not loaded it. `task` is
 * that of struct process, here and below. Errors: 0; E_NOT_FOUND nothing is mapped that has that
 * name; -ESRCH; -EACCES, -EPERM we may not look; -ENOMEM. Owner: the caller frees *ret_path.
 */
int process_find_mapped(pid_t task, const char *name, char **ret_path);

/** Whether its control group is frozen, of version 2 or 1. */
bool process_is_frozen(pid_t pid);

/** The id of the container that it runs in, as the names of its control groups tell; "" none. */
void process_container(pid_t pid, char ret_id[PROCESS_CONTAINER_ID + 1]);

/** The whole of a small file of its folder in /proc, with a 0 behind it, at most `max` bytes.
 * Errors: its length; -ESRCH; another -errno. Owner: the caller frees *ret_text. */
ssize_t process_file(pid_t task, const char *name, size_t max, char **ret_text);
