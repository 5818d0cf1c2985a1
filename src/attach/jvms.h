/*
 * jvms.h - the HotSpot JVMs of this machine that we may look at, also in containers and namespaces.
 *
 * A JVM is a process that has a libjvm.so mapped. Its counters tell what it runs; if it has none,
 * its command line does. Nothing is sent to the JVM. Context: any, not signal; one thread.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "process/process.h"

struct jvm {
    struct process process;
    char *libjvm;      /* path, as the process names it */
    char *command;     /* main class or jar, and arguments (main_class.h); NULL: unknown */
    char *vm_args;     /* options of the VM on its command line; NULL: unknown */
    char *vm_flags;    /* options of the VM from its flags file; NULL: unknown */
    char *version;     /* version of its JDK, for example 25.0.3; NULL: unknown */
    bool has_counters; /* its counters are in a file that can be read */
    char container[PROCESS_CONTAINER_ID + 1]; /* "": none */
};

struct jvms {
    struct jvm *rows; /* ordered by pid */
    uint32_t count;
    uint32_t hidden; /* processes called java that we may not look at */
};

/** List all JVMs. Errors: 0; -errno of /proc; -ENOMEM. Owner: jvms_done(), also after an error. */
int jvms_list(struct jvms *ret);
/** List the JVM that is process `pid`. Errors: 0; -ESRCH; E_NOT_FOUND: the process is not a JVM;
 * -EACCES, -EPERM; -ENOMEM. Owner: jvms_done(), also after an error. */
int jvms_one(pid_t pid, struct jvms *ret);
void jvms_done(struct jvms *jvms);
