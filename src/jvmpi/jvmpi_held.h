/*
 * jvmpi_held.h - objects that the VM makes inside a call of ours (vm/vm_heap.h).
 *
 * No thread may wait for a lock inside such a call, so these objects are noted and told after the
 * call has returned.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>

/**
 * Note an object. If there is no memory for it, the object is told when an event names it.
 * Context: java, within a call of vm_heap.h.
 */
void jvmpi_held_note(JNIEnv *env, jobject object);
/** Give the objects that the calling thread has noted to `tell`, and forget them. Context: java,
 * not within a call of vm_heap.h; no lock is held, and the thread does not do the bridge's own
 * work. */
void jvmpi_held_tell(JNIEnv *env, void (*tell)(JNIEnv *env, jobject object));
