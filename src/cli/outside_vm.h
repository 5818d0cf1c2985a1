/*
 * outside_vm.h - the VM of a core file, or of a process that is read without its help.
 *
 * For what does not change while a JVM runs, or may be read while it changes: nothing is stopped.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <sys/types.h>
#include "hotspot/target.h"
#include "mem/mem_core.h"
#include "mem/mem_live.h"

/** Where the files of a core's machine are; NULL: where the core says. */
struct outside_files {
    const char *exe, *sysroot;
};

struct outside_vm {
    const char *name; /* as messages call it */
    bool is_core;
    struct mem_core core;
    struct mem_live live;
    struct target target;
};

/** Whether the word of a command line names a core: a path, or a file here that begins as one. */
bool outside_vm_is_core(const char *word);
/** Each: CMD_OK, or CMD_FAILED after saying why. `name` must outlive it. Owner: outside_vm_close(),
 * also then. */
int outside_vm_open_core(const char *name, const struct outside_files *files,
                         struct outside_vm *ret);
int outside_vm_open_live(const char *name, pid_t pid, struct outside_vm *ret);
void outside_vm_close(struct outside_vm *vm);
/** For who opens the VM in a core himself: the core, as outside_vm_open_core() (owner:
 * mem_core_close(), also after an error); and why the VM could not be opened, as
 * outside_say_open(). */
int outside_vm_read_core(const char *name, const struct outside_files *files, struct mem_core *ret);
void outside_vm_say_core(const char *name, const struct mem_core *core, int error,
                         const char *missing);
/** The files that reads of a core needed and that were not there, and what to do about them. */
void outside_vm_say_missing_files(const char *name, const struct mem_core *core);
