/*
 * java_threads.h - the Java threads of a VM: names, ids, states, as the VM's own thread dump has
 * them.
 *
 * The list is the VM's (its compiler threads are in it, its GC threads are not). A thread that is
 * just starting or ending has no java.lang.Thread object; it is listed without a name.
 * Source: HotSpot threadSMR.hpp, thread.hpp, javaClasses.cpp (java_lang_Thread), jvmti.h (status).
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct oops;
struct target;

/** Bit of java_thread.status: in LockSupport.park(). */
#define JAVA_THREADS_PARKED 0x0200u

struct java_thread {
    uint64_t addr;           /* JavaThread */
    uint64_t object;         /* java.lang.Thread; 0 none */
    uint64_t virtual_object; /* the virtual thread that is mounted here; 0 none */
    uint64_t stack_low, stack_high;
    uint64_t last_sp; /* of the anchor; 0: runs Java code, or none */
    int64_t id;       /* Thread.getId(); 0 unknown */
    int64_t virtual_id;
    int32_t os_tid;   /* as the process sees it */
    uint32_t state;   /* enum hs_thread_state */
    uint32_t status;  /* java.lang.Thread's threadStatus: bits of JVM TI's thread state */
    int32_t os_state; /* OSThread::_state, -1 not known */
    int32_t priority;
    int is_daemon;
    char *name; /* UTF-8; NULL not readable */
    char *virtual_name;
};

struct java_threads {
    struct java_thread *rows;
    uint32_t count;
    uint32_t broken; /* entries of the list that were no threads: it was read while it changed */
};

/** Read the list, in the order of the VM's own thread dump. Errors: 0; E_VM_STATE; -ENOMEM. */
int java_threads_read(struct oops *o, struct java_threads *ret_threads);
void java_threads_done(struct java_threads *threads);

/** What Thread.getState() says, and why: "WAITING (parking)". Static text. */
const char *java_threads_state(uint32_t status);
/** What the thread does for the system: "waiting on condition". Static text. */
const char *java_threads_os_state(const struct java_thread *thread);
