/*
 * outside.h - the VM of a core file, or of a live process that is read without its help, and why
 * it cannot be read.
 *
 * Nothing is stopped. So only data are read that do not change while a JVM runs, or that may be
 * read while they change.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <sys/types.h>
#include "hotspot/target.h"
#include "mem/mem_core.h"
#include "mem/mem_live.h"

struct jvm;

struct mem_stop_bound;

/** The places of a core's files on this machine; NULL: the paths in the core. */
struct outside_files {
    const char *exe, *sysroot;
};

struct outside_vm {
    const char *name; /* its name in messages */
    bool is_core;
    struct mem_core core;
    struct mem_live live;
    struct target target;
};

/** Whether a word of the command line names a core: it has a slash, or is a file here that begins
 * as a core does. */
bool outside_vm_is_core(const char *word);
/** Both functions return CMD_OK, or CMD_FAILED after saying why. `name` must live longer than *ret.
 * Owner: outside_vm_close(), also after an error. */
int outside_vm_open_core(const char *name, const struct outside_files *files,
                         struct outside_vm *ret);
int outside_vm_open_live(const char *name, pid_t pid, struct outside_vm *ret);
void outside_vm_close(struct outside_vm *vm);
/** For callers that open the VM of a core themselves. outside_vm_read_core() opens the core as
 * outside_vm_open_core() does (owner: mem_core_close(), also after an error). outside_vm_say_core()
 * says why the VM could not be opened, as outside_say_open() does. */
int outside_vm_read_core(const char *name, const struct outside_files *files, struct mem_core *ret);
void outside_vm_say_core(const char *name, const struct mem_core *core, int error,
                         const char *missing);
/** Names the files that reading a core needed and that were missing, and says what to do. */
void outside_vm_say_missing_files(const char *name, const struct mem_core *core);

/** Whether the file begins as a core file does. */
bool outside_is_core(const char *path);
/** Says what a file is that the user named as a core file. */
void outside_say_no_core(const char *path);

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
/** Whether the process that the user named by its number is a JVM that may be looked at. Returns
 * an exit status, after saying why it is not 0. */
int outside_check_jvm(const char *word, const struct jvm *jvm);
/** The advice if the system does not permit to look at a process. The text for root differs: root
 * lacks a capability. */
const char *outside_remedy(void);
/** Says why a process could not be read; `error` comes from mem_live_open(). */
void outside_say_process(const char *name, pid_t pid, int error);
/** Says why the threads of a process did not stop; `error` comes from mem_stop_all() with this
 * bound. The command has the option --max-stop, and `has_no_stop` says whether it has --no-stop. */
void outside_say_stop(const char *name, pid_t pid, int error, const struct mem_stop_bound *bound,
                      bool has_no_stop);
