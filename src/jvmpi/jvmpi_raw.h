/*
 * jvmpi_raw.h - raw monitors: locks of agents, with contention events.
 *
 * They are made of a mutex and conditions of the C library, for agents use them where JVM TI may
 * not be called: in JVM_OnLoad. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>

/* What the interface has under these names. Context: any, not signal. */
JVMPI_RawMonitor jvmpi_raw_create(char *name);
void jvmpi_raw_enter(JVMPI_RawMonitor m);
void jvmpi_raw_exit(JVMPI_RawMonitor m);
/** Returns at once to who does not own the monitor. `ms` 0: for ever. */
void jvmpi_raw_wait(JVMPI_RawMonitor m, jlong ms);
void jvmpi_raw_notify_all(JVMPI_RawMonitor m);
void jvmpi_raw_destroy(JVMPI_RawMonitor m);

enum { JVMPI_RAW_WAITERS = 64 }; /* that are listed of each kind */

/** A monitor at one moment. */
struct jvmpi_raw_state {
    char *name; /* the monitor's */
    JVMPI_RawMonitor id;
    JNIEnv *owner; /* NULL: none, or a thread that the VM does not know */
    int entries;
    int entering, waiting; /* threads, JVMPI_RAW_WAITERS at most */
    JNIEnv *enters[JVMPI_RAW_WAITERS], *waits[JVMPI_RAW_WAITERS];
};

/** What a thread waits for in a raw monitor: JVMPI_THREAD_MONITOR_WAIT to enter one,
 * JVMPI_THREAD_CONDVAR_WAIT to be notified; 0: it waits in none. Context: any, not signal. */
jint jvmpi_raw_status(const JNIEnv *env);

/** From here to jvmpi_raw_let_go() the memory of a monitor that is destroyed stays as it is, and so
 * does its name. Context: any, not signal. */
void jvmpi_raw_hold(void);
void jvmpi_raw_let_go(void);
/** Call `each` for every monitor; none is destroyed meanwhile. Context: as above. */
void jvmpi_raw_visit(void (*each)(const struct jvmpi_raw_state *s, void *arg), void *arg);
