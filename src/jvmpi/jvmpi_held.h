/*
 * jvmpi_held.h - objects that the VM makes in the midst of a call of ours (vm/vm_heap.h): nobody
 * may wait for a lock there, so they are noted, and told of when the call has returned.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>

/** Note an object; where there is no memory, it is told of when an event names it. Context: java,
 * within a call of vm_heap.h. */
void jvmpi_held_note(JNIEnv *env, jobject object);
/** Give what the calling thread has noted to `tell`, and forget it. Context: java, not within one;
 * no lock is held, and the thread does not do the bridge's own work. */
void jvmpi_held_tell(JNIEnv *env, void (*tell)(JNIEnv *env, jobject object));
