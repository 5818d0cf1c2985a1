/*
 * vm_monitor.h - the monitor that the calling thread waits for, who has it, and how often.
 *
 * JVM TI can tell at a safepoint only, which would stop all threads for each of them that waits.
 * So the VM's own structures are read: the thread's JavaThread names the ObjectMonitor, which stays
 * where it is while somebody waits for it, and names its owner. Source: HotSpot objectMonitor.hpp,
 * javaThread.hpp. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

/** Learn the VM's layout, for one more user. Without it all answers are 0. Context: java, one
 * thread at a time. */
void vm_monitor_open(void);
/** One user less; the last one forgets the layout: nobody asks. */
void vm_monitor_close(void);

/** The address of the monitor that the calling thread is about to enter, or that it waited for in
 * Object.wait; 0: unknown. Context: java, in an event of JVM TI. */
uint64_t vm_monitor_pending(JNIEnv *env);
uint64_t vm_monitor_waiting(JNIEnv *env);
/** The owner of a monitor as the VM has it; 0: unknown. Context: as above. */
uint64_t vm_monitor_owner(uint64_t monitor);
/** Whether owners are the numbers that Java gives threads. Context: any. */
bool vm_monitor_owner_is_number(void);
/** Whether such an owner, which is no number, stands for the thread with this JavaThread. */
bool vm_monitor_is_owner(uint64_t java_thread, uint64_t owner);
/**
 * How often the calling thread has entered a monitor that it has and for which another thread
 * waits. 0: the monitor does not say, or not of this thread; JVM TI can. A thread that had entered
 * a lock on its stack several times before it became a monitor, and enters it again since, may be
 * taken for one that has entered it less often. Context: java.
 */
uint32_t vm_monitor_entries(JNIEnv *env, uint64_t monitor);
