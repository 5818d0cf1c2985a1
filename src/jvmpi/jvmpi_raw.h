/*
 * jvmpi_raw.h - raw monitors: locks of agents, with contention events.
 *
 * Raw monitors are made of a mutex and conditions of the C library, because agents use them where
 * JVM TI may not be called: in JVM_OnLoad.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>

/* The functions of the interface with these names. Context: any, not signal. */
JVMPI_RawMonitor jvmpi_raw_create(char *name);
void jvmpi_raw_enter(JVMPI_RawMonitor m);
void jvmpi_raw_exit(JVMPI_RawMonitor m);
/** Wait. Returns at once if the caller does not own the monitor. `ms` 0: wait for ever. */
void jvmpi_raw_wait(JVMPI_RawMonitor m, jlong ms);
void jvmpi_raw_notify_all(JVMPI_RawMonitor m);
void jvmpi_raw_destroy(JVMPI_RawMonitor m);

enum { JVMPI_RAW_WAITERS = 64 }; /* how many threads of each kind are listed */

/** The state of a monitor at one moment. */
struct jvmpi_raw_state {
    char *name; /* the monitor's name */
    JVMPI_RawMonitor id;
    JNIEnv *owner; /* NULL: there is no owner, or the VM does not know the thread */
    int entries;
    int entering, waiting; /* counts of threads, JVMPI_RAW_WAITERS at most */
    JNIEnv *enters[JVMPI_RAW_WAITERS], *waits[JVMPI_RAW_WAITERS];
};

/** The state of a thread in a raw monitor. JVMPI_THREAD_MONITOR_WAIT: the thread waits to enter;
 * JVMPI_THREAD_CONDVAR_WAIT: it waits to be notified; 0: it waits in no raw monitor. Context: any,
 * not signal. */
jint jvmpi_raw_status(const JNIEnv *env);

/** From jvmpi_raw_hold() to jvmpi_raw_let_go() the memory of a destroyed monitor and its name are
 * not freed. Context: any, not signal. */
void jvmpi_raw_hold(void);
void jvmpi_raw_let_go(void);
/** Call `each` for every monitor; no monitor is destroyed meanwhile. Context: any, not signal. */
void jvmpi_raw_visit(void (*each)(const struct jvmpi_raw_state *s, void *arg), void *arg);
