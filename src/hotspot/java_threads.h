/*
 * java_threads.h - the Java threads of a VM: names, ids, states, as in the VM's own thread dump.
 *
 * The list is the VM's own list; compiler threads are in it, GC threads are not. A thread that is
 * just starting or ending has no java.lang.Thread object; it is listed without a name.
 * Source: HotSpot threadSMR.hpp, thread.hpp, javaClasses.cpp (java_lang_Thread), jvmti.h (status).
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct oops;
struct target;

/**
 * Call `each` with the address of every JavaThread of the list, until it returns non-zero.
 * Allocates nothing. Errors: the last result of `each`; E_VM_STATE.
 */
int java_threads_each(const struct target *t, int (*each)(void *arg, uint64_t thread), void *arg);

/** Bits of java_thread.status: begun and not ended; ended; runs; sleeps; waits for whatever; in
 * LockSupport.park(); in Object.wait(); one of these two with a time limit; blocked at a monitor.
 * Source: jvmti.h (thread states). */
enum {
    JAVA_THREADS_ALIVE = 0x0001,
    JAVA_THREADS_END = 0x0002,
    JAVA_THREADS_RUNNABLE = 0x0004,
    JAVA_THREADS_SLEEPING = 0x0040,
    JAVA_THREADS_WAITING = 0x0080,
    JAVA_THREADS_PARKED = 0x0200,
    JAVA_THREADS_IN_WAIT = 0x0100,
    JAVA_THREADS_TIMED = 0x0020,
    JAVA_THREADS_BLOCKED = 0x0400,
};

struct java_thread {
    uint64_t addr;           /* JavaThread; 0: a virtual thread that is not mounted */
    uint64_t object;         /* java.lang.Thread; 0: none */
    uint64_t virtual_object; /* the virtual thread that is mounted here; 0: none */
    uint64_t stack_low, stack_high;
    uint64_t last_sp; /* sp of the anchor; 0: runs Java code, or has no Java frame */
    int64_t id;       /* Thread.getId(); 0: unknown */
    int64_t virtual_id;
    int32_t os_tid;   /* the thread id inside the process's own pid namespace */
    uint32_t state;   /* enum hs_thread_state */
    uint32_t status;  /* java.lang.Thread's threadStatus: JVM TI's bits of a thread state */
    int32_t os_state; /* OSThread::_state; -1: not known */
    int32_t priority;
    bool is_daemon;
    char *name; /* UTF-8; NULL: not readable */
    char *virtual_name;
};

struct java_threads {
    struct java_thread *rows; /* platform threads, then unmounted virtual threads */
    uint32_t count, platform_count;
    uint32_t broken; /* list entries that were no threads: the list changed during the read */
    uint32_t virtual_left_out;   /* virtual threads that were found and are not in the rows */
    uint32_t virtual_unreadable; /* sets and members that could not be read: threads are missing */
    bool is_untracked;           /* virtual threads that were started directly are not known */
    struct java_threads_slot *slots; /* index of rows, by object and by id */
    uint32_t slot_count, used;
};

/** Read the list, in the order of the VM's own thread dump. Errors: 0; E_VM_STATE; -ENOMEM. */
int java_threads_read(struct oops *o, struct java_threads *ret_threads);
void java_threads_done(struct java_threads *threads);

/** Append an unmounted virtual thread, a java.lang.VirtualThread. Errors: 0, -ENOMEM. */
int java_threads_add_virtual(struct oops *o, struct java_threads *threads, uint64_t object,
                             uint32_t status);

/** The row whose thread, or mounted virtual thread, is this object (has this id); -1: none. */
int32_t java_threads_with_object(const struct java_threads *threads, uint64_t object);
int32_t java_threads_with_id(const struct java_threads *threads, int64_t id);

/** The result of Thread.getState(), and the reason: "WAITING (parking)". Static text. */
const char *java_threads_state(uint32_t status);
/** The state of the OS thread: "waiting on condition". Static text. */
const char *java_threads_os_state(const struct java_thread *thread);

/**
 * Where the VM counts the bytes of objects that a Java thread has allocated since it began.
 *
 * The number is the sum of what the thread has counted, and of the used part of the piece of the
 * heap in which the thread allocates (its TLAB). ThreadMXBean.getThreadAllocatedBytes() returns the
 * same sum. The process may run meanwhile: then a TLAB that was just replaced may be counted twice
 * or not at all.
 * Source: HotSpot thread.inline.hpp (Thread::cooked_allocated_bytes), threadLocalAllocBuffer.hpp.
 */
struct java_threads_allocated {
    bool is_known;               /* the VM exports all these offsets: */
    int32_t counted, start, top; /* offsets in a JavaThread */
};

void java_threads_allocated_init(struct java_threads_allocated *a, const struct target *t);
/** The bytes of the JavaThread at `thread`; 0 if they cannot be read. */
uint64_t java_threads_allocated_bytes(const struct java_threads_allocated *a,
                                      const struct target *t, uint64_t thread);
