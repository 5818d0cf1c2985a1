/*
 * vm_monitor.h - the monitor that the calling thread waits for, its owner and its count of entries.
 *
 * JVM TI tells this only at a safepoint, which would stop all threads for each thread that waits.
 * So these functions read the VM's own structures: the thread's JavaThread names the ObjectMonitor,
 * which stays at its address while a thread waits for it, and the ObjectMonitor names its owner.
 * Source: HotSpot objectMonitor.hpp, javaThread.hpp.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

/** Learn the VM's layout, for one more user. Without the layout all answers are 0. Context: java,
 * one thread at a time. */
void vm_monitor_open(void);
/** Leave as a user. After the last user has left, the layout is forgotten and nobody may ask. */
void vm_monitor_close(void);

/** The address of the monitor that the calling thread is about to enter, and of the monitor for
 * which it waited in Object.wait; 0: unknown. Context: java, in an event of JVM TI. */
uint64_t vm_monitor_pending(JNIEnv *env);
uint64_t vm_monitor_waiting(JNIEnv *env);
/** The owner of a monitor, as the VM has it; 0: unknown. Context: java, in an event of JVM TI. */
uint64_t vm_monitor_owner(uint64_t monitor);
/** Whether owners are the numbers that Java gives to threads. Context: any. */
bool vm_monitor_owner_is_number(void);
/** Whether an owner that is not a number stands for the thread with this JavaThread. */
bool vm_monitor_is_owner(uint64_t java_thread, uint64_t owner);
/**
 * How often the calling thread has entered a monitor that it owns and for which another thread
 * waits. 0: the monitor does not say it, or not for this thread; JVM TI can. The count may be too
 * small for a thread that had entered a lock on its stack several times before the lock became a
 * monitor, and has entered it again since.
 * Context: java.
 */
uint32_t vm_monitor_entries(JNIEnv *env, uint64_t monitor);
