/*
 * jvmpi_gc.h - collections: GC_START, OBJECT_FREE, CLASS_UNLOAD, GC_FINISH.
 *
 * The VM reports a collection in a pause. In the pause an agent's lock may be held by a thread that
 * waits for the end of the pause. So a thread of our own tells agents of the collection soon after
 * the pause. A bracket, which is a GC_START and a GC_FINISH, stands for one collection or several.
 * Every OBJECT_FREE is inside a bracket. An id is valid until its OBJECT_FREE has been sent.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>
#include <stdbool.h>

/** Prepare for the first id. Errors: 0, E_UNSUPPORTED. Context: OnLoad. */
int jvmpi_gc_open(void);
/** Count collections from now on. Context: java, VM_INIT. */
void jvmpi_gc_hear(void);
/** Start the thread, whose first event is its own THREAD_START. Context: java, VM_INIT, when the
 * events of beginning threads are on. */
void jvmpi_gc_start(JNIEnv *env);
/** Note that the VM is about to end: concurrent collectors do not run any more. Context: java. */
void jvmpi_gc_shut(void);
/**
 * Tell what waits, because the VM ends. After this call only jvmpi_gc_run() still tells something.
 * Context: java.
 */
void jvmpi_gc_end(JNIEnv *env);
/** End the DisableGC region of the calling thread, which ends. Context: any, not signal. */
void jvmpi_gc_leave_thread(void);
/** Whether this is the JNIEnv of the thread that tells of collections. Context: any. */
bool jvmpi_gc_is_teller(JNIEnv *env);

/* The functions of the interface with these names. */
/** DisableGC and EnableGC. While a thread is between them (in a DisableGC region), no OBJECT_FREE
 * is sent, so its ids stay valid. The heap is collected as usual. Context: any, not signal. */
void jvmpi_gc_disable(void);
void jvmpi_gc_enable(void);
/**
 * RunGC. The calling thread tells of the collection before the function returns. It tells nothing
 * if it is in a DisableGC region, or if a handler of the agent has made no step for a second.
 * Context: java.
 */
void jvmpi_gc_run(void);
