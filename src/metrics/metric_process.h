/*
 * metric_process.h - what the kernel says about the process of a JVM.
 *
 * Source: proc_pid_stat(5), proc_pid_statm(5), proc_pid_limits(5), proc_pid_io(5), process_room.h.
 * Context: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <sys/types.h>

struct metric_set;

/** Adds what can be read. `processors` is the number that the JVM was told to use; 0: none. */
void metric_process_read(struct metric_set *s, pid_t pid, unsigned processors);
