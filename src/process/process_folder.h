/*
 * process_folder.h - folders as another process sees them: its root, its working folder, its /tmp.
 *
 * A folder is opened once, before the ids of the process are taken on (the kernel asks for more to
 * pass /proc/PID/root than the owner of a process may have), and is a descriptor from then on:
 * names in it mean the same whatever its path becomes. Links lead where they lead the process
 * (base/rooted.h). Source: proc_pid_root(5).
 * Context: any. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <sys/types.h>

/** Each: a descriptor (O_PATH), or -errno. `task`: of struct process. Owner: the caller closes it.
 */
int process_folder_root(pid_t task);
int process_folder_working(pid_t task);
/** `path` without a first '/', below `root`. */
int process_folder_open(int root, const char *path);
/** Whether an absolute path is the same file below `root` as it is for us. */
bool process_folder_is_ours(int root, const char *path);
