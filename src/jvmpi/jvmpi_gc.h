/*
 * jvmpi_gc.h - collections: GC_START, OBJECT_FREE, CLASS_UNLOAD, GC_FINISH.
 *
 * The VM tells of collections in a pause, where an agent's lock may be held by a thread that waits
 * for the end of the pause: so agents hear of them from a thread of our own, soon after. A bracket
 * of GC_START and GC_FINISH stands for one collection or more, and all OBJECT_FREE are inside of
 * one. Until its OBJECT_FREE has been told, an id is valid. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>
#include <stdbool.h>

/** Ready for the first id. Errors: 0, E_UNSUPPORTED. Context: OnLoad. */
int jvmpi_gc_open(void);
/** Count collections from now on. Context: java, VM_INIT. */
void jvmpi_gc_hear(void);
/** Start the thread, whose THREAD_START is its own first event. Context: java, VM_INIT, when
 * threads that begin are told of. */
void jvmpi_gc_start(JNIEnv *env);
/** The VM is about to end: collectors that work beside the program do not any more. Context: java.
 */
void jvmpi_gc_shut(void);
/** The VM ends: tell what waits. From now on only jvmpi_gc_run() tells of anything. Context: java.
 */
void jvmpi_gc_end(JNIEnv *env);
/** The calling thread ends, and with it its DisableGC region. Context: any, not signal. */
void jvmpi_gc_leave_thread(void);
/** Whether this is the JNIEnv of the thread that tells of collections. Context: any. */
bool jvmpi_gc_is_teller(JNIEnv *env);

/* What the interface has under these names. */
/** While a thread holds the collector off, no OBJECT_FREE is told: its ids stay valid. The heap is
 * collected as before. Context: any, not signal. */
void jvmpi_gc_disable(void);
void jvmpi_gc_enable(void);
/** Tells of the collection by the calling thread, before it returns; nothing in a DisableGC region,
 * nor where a handler of the agent's stands still for a second. Context: java. */
void jvmpi_gc_run(void);
