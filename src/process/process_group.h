/*
 * process_group.h - what the names of a process's control groups say, in either version.
 *
 * Both functions get the text of /proc/PID/cgroup, a line for each hierarchy. They know no process.
 * Source: cgroups(7), Linux Documentation/admin-guide/cgroup-v1/freezer-subsystem.rst and
 * cgroup-v2.rst. Context: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

enum { PROCESS_CONTAINER_ID = 12 }; /* how many digits of a container's id are shown to people */

enum { PROCESS_CONTAINER_WHOLE = 64 }; /* digits of a container's id as runtimes write it */

enum { PROCESS_POD_UID = 36 }; /* bytes of the uid of a pod, with its dashes */

/** Whether a group of `groups` is frozen. The state of a group is a file below /sys/fs/cgroup;
 * `root` stands in front of that path ("" for this machine). */
bool process_group_is_frozen(const char *groups, const char *root);

/** The first digits of the id of a container, which runtimes put into the names of groups; "": no
 * name has one. */
void process_group_container(const char *groups, char ret_id[PROCESS_CONTAINER_ID + 1]);
/** The uid of the Kubernetes pod, with dashes, which kubelets put into the names of groups; "": no
 * name has one. */
void process_group_pod(const char *groups, char ret_uid[PROCESS_POD_UID + 1]);
/** All digits of the id. */
void process_group_container_whole(const char *groups, char ret_id[PROCESS_CONTAINER_WHOLE + 1]);
