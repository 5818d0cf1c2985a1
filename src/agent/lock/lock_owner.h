/*
 * lock_owner.h - which monitor the calling thread waits for, and who has it.
 *
 * JVM TI can tell at a safepoint only, which would stop all threads for each of them that waits.
 * So the VM's own structures are read: the thread's JavaThread names the ObjectMonitor, which stays
 * where it is while somebody waits for it, and names its owner. Source: HotSpot objectMonitor.hpp,
 * javaThread.hpp. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdint.h>
#include "profile/ids.h"

struct agent;

/** Learn the VM's layout. Without it all answers are 0. Context: java. */
void lock_owner_open(void);
/** Forget it: nobody asks. Context: any. */
void lock_owner_close(void);

/** The address of the monitor that the calling thread is about to enter, or that it waited for in
 * Object.wait; 0: unknown. Context: java, in an event of JVM TI. */
uint64_t lock_owner_pending(JNIEnv *env);
uint64_t lock_owner_waiting(JNIEnv *env);
/** Its owner as the VM has it; 0: unknown. Context: as above. */
uint64_t lock_owner_of(uint64_t monitor);
/** The thread that such a number stands for; 0: none that is known. Needs the agent's lock. */
thread_id lock_owner_thread(struct agent *a, uint64_t owner);
