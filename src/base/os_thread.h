/*
 * os_thread.h - threads of this process, named by the kernel's thread numbers.
 *
 * Source: proc(5), /proc/PID/task/TID/status; Linux, include/linux/posix-timers.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>
#include "safe/clock.h"

/** Whether the thread has ended and no later thread has got its number. Context: any. */
static inline bool os_thread_is_gone(pid_t tid)
{
    return syscall(SYS_tgkill, getpid(), tid, 0) != 0 && errno == ESRCH;
}

/** The clock of a thread's CPU time. Linux computes the number of the clock from the number of the
 * thread (MAKE_THREAD_CPUCLOCK, CPUCLOCK_SCHED). Context: signal. */
static inline clockid_t os_thread_clock(pid_t tid)
{
    enum { PER_THREAD = 4, SCHED = 2 };
    return (clockid_t)((~(uint32_t)tid << 3u) | PER_THREAD | SCHED);
}

/** The CPU time that a thread has used so far; 0: the thread has ended. Context: signal. */
static inline uint64_t os_thread_cpu_ns(pid_t tid)
{
    return clock_ns(os_thread_clock(tid));
}

/** The kernel's facts about a thread at this moment. In a set of signals bit 0 is signal 1. */
struct os_thread_status {
    char state; /* R, S, D, ... */
    uint64_t blocked;
    uint64_t pending; /* signals for the thread alone, not for the process */
};

/** Errors: 0; -ESRCH: the thread has ended; -errno, -EIO: the file cannot be read. Context: any,
 * not signal. */
int os_thread_read_status(pid_t tid, struct os_thread_status *ret_status);

/**
 * The numbers of all threads of this process, in ascending order.
 *
 * Errors:  NULL: /proc cannot be read, or there is no memory. If memory runs out later, the list is
 *          cut.
 * Context: any, not signal.            Owner: the caller frees it.
 */
int32_t *os_thread_list(size_t *ret_count);
/** Compares two numbers of such a list, for bsearch(). */
int os_thread_order(const void *left, const void *right);

enum { OS_THREAD_NAME_BYTES = 16 };

/**
 * The name that the kernel has for a thread; "": the thread has ended. Context: any, not signal.
 */
void os_thread_name(pid_t tid, char ret_name[OS_THREAD_NAME_BYTES]);

/**
 * Start a thread that no JVM knows, and give it a name of at most 15 bytes. Signals that are sent
 * to the process are for the application's threads, so the thread blocks all of them, SIGPIPE
 * included. It does not block the signals of its own faults (SIGSEGV ...): a blocked one would end
 * the process without a word, and the VM's handler writes what happened.
 *
 * Errors:  0; -EAGAIN: the system has no room for a thread.
 * Context: any, not signal.
 */
int os_thread_start(pthread_t *ret_thread, const char *name, void *(*function)(void *),
                    void *argument);
