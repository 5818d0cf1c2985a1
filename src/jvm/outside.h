/*
 * outside.h - messages for a JVM or core file that cannot be read from outside.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <sys/types.h>

struct mem_stop_bound;

/** Whether the process is so young that a JVM may still be starting in it. */
bool outside_is_young(pid_t pid);

/** Says why the VM of `what` was not found or not understood. `error` and the missing fact come
 * from target_open(). `no_tables` says why the JVM's tables may be missing. */
void outside_say_open(const char *what, int error, const char *missing, const char *no_tables);
/** Works like outside_say_open(), for a live process. If the process has ended, says that
 * instead. */
void outside_say_open_live(const char *name, pid_t pid, int error, const char *missing);

/** If the process has ended, says so, because that explains any failure. Returns whether it has
 * ended. */
bool outside_say_ended(const char *name, pid_t pid);
/** The advice if the system does not permit to look at a process. The text for root differs: root
 * lacks a capability. */
const char *outside_remedy(void);
/** Says why a process could not be read; `error` comes from mem_live_open(). */
void outside_say_process(const char *name, pid_t pid, int error);
/** Says why the threads of a process did not stop; `error` comes from mem_stop_all() with this
 * bound. The command has the options --no-stop and --max-stop. */
void outside_say_stop(const char *name, pid_t pid, int error, const struct mem_stop_bound *bound);
