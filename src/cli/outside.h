/*
 * outside.h - what is said when a JVM, or its core, cannot be read from outside.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <sys/types.h>

struct stop_bound;

/** Whether a process began so lately that a JVM may still be starting in it. */
bool outside_is_young(pid_t pid);

/** Why the VM of `what` was not found or not understood: an error of target_open(), with the fact
 * that is missing. `no_tables`: why the JVM's tables are not there. */
void outside_say_open(const char *what, int error, const char *missing, const char *no_tables);
/** As outside_say_open(), of a live process: if it is no more, that is why. */
void outside_say_open_live(const char *name, pid_t pid, int error, const char *missing);

/** Whatever failed: if the process is no more, say that, for it is why. Whether it was so. */
bool outside_say_ended(const char *name, pid_t pid);
/** What to do where the system does not permit to look: of root, who lacks a capability, another.
 */
const char *outside_remedy(void);
/** Why a process could not be looked at: an error of mem_live_open(). */
void outside_say_process(const char *name, pid_t pid, int error);
/** Why its threads did not stop: an error of mem_stop_all(), which had this bound. The command has
 * --no-stop and --max-stop. */
void outside_say_stop(const char *name, pid_t pid, int error, const struct stop_bound *bound);
