/*
 * outside_vm.h - the VM of a core file, or of a live process that is read without its help.
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
