/*
 * jvmpi_held.h - objects that the VM makes in the midst of a call of ours, which are told of behind
 * it.
 *
 * Compilers keep some objects in registers. Before the VM walks the heap, or looks into a frame, it
 * makes them, for which it lets threads stop that come by, or one other at a time do the same; and
 * it tells of them there and then. A handler that took the agent's lock in that moment would wait
 * for a thread that waits for the VM. So they are noted, and told of when the call has returned.
 * Source: HotSpot escapeBarrier.cpp, JDK 16 and later. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>
#include <stdbool.h>

/** Around such calls: IterateThroughHeap, FollowReferences, GetOwnedMonitorInfo, GetLocalInstance.
 * Context: java; no call of Java in between. */
void jvmpi_held_begin(void);
void jvmpi_held_end(void);
/** Whether the calling thread is in between. */
bool jvmpi_held_is_on(void);
/** Note an object; where there is no memory, it is told of when an event names it. Context: java,
 * in between. */
void jvmpi_held_note(JNIEnv *env, jobject object);
/** Give what the calling thread has noted to `tell`, and forget it. Context: java, not in between;
 * no lock is held, and the thread does not do the bridge's own work. */
void jvmpi_held_tell(JNIEnv *env, void (*tell)(JNIEnv *env, jobject object));
