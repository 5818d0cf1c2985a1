/*
 * process_folder.h - folders as another process sees them: its root, its working folder, its /tmp.
 *
 * A folder is opened once, before the caller takes on the ids of the process: the kernel requires
 * more rights to pass /proc/PID/root than the owner of the process may have. After that the folder
 * is a descriptor, so names in it mean the same files whatever happens to its path. Links are
 * followed as the process itself would follow them (base/rooted.h). Source: proc_pid_root(5).
 * Context: any.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <sys/types.h>

/** Each function returns a descriptor (O_PATH), or -errno. `task` is that of struct process. Owner:
 * the caller closes it. */
int process_folder_root(pid_t task);
int process_folder_working(pid_t task);
/** Open the folder `path`, without a first '/', below `root`. */
int process_folder_open(int root, const char *path);
/** Whether an absolute path leads to the same file below `root` and below our own root. */
bool process_folder_is_ours(int root, const char *path);
