/*
 * vm_pause.h - pauses of the VM that this library asks for; none of them begins while the VM ends.
 *
 * On JDK 17 to 26 a JVM can hang for ever at its end. There two threads tell agents of freed
 * objects that had a tag: a thread of the VM's own after each collection, and the thread that ends
 * the VM, just before the VM's death. If one of them tells, the other one waits in the VM, in a
 * state in which no pause can begin. If a pause is asked for meanwhile, the thread that tells is
 * held up when it returns from its last callback, until the pause is over, so all wait for each
 * other. A walk of the heap asks for two pauses: the VM first holds up the program's threads to
 * make the objects that compilers keep in registers (escapeBarrier.cpp), then it stops all threads.
 * So the flag DoEscapeAnalysis changes only which pause hangs.
 *
 * The VM reports the end of the thread that ends it just before that thread begins to tell or to
 * wait, and then its own death. Between the two vm_pause_begin() refuses. What this cannot prevent
 * is a pause that another part of the JVM asks for in that moment, for example a collection.
 *
 * Source: HotSpot jvmtiTagMap.cpp, flush_object_free_events(); jvmtiExport.cpp, post_vm_death();
 * java.cpp, before_exit(). tests/jdk/test_vm_end.py makes the moment last.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>

struct vm;

/** Hear of the end of the VM, after vm_event_open() and before any other subscriber of the VM's
 * death. `vm` stays the caller's. Context: OnLoad, or java. */
void vm_pause_open(const struct vm *vm);
/**
 * The calling thread is about to ask for a pause, or for several that belong together. If the
 * answer is true, it must call vm_pause_end() afterwards, and may call vm_pause_begin() again
 * before. False: the VM is about to end, and the thread has to do without the pause. The thread may
 * then hold locks for which handlers of freed objects wait: so there is no waiting here.
 * Context: java.
 */
bool vm_pause_begin(void);
void vm_pause_end(void);
/** Call ForceGarbageCollection. Errors are those of JVM TI; JVMTI_ERROR_WRONG_PHASE: the VM is
 * about to end. Context: java. */
jvmtiError vm_pause_collect(jvmtiEnv *jvmti);
/** Call GetAllStackTraces. Errors and context: as vm_pause_collect(). */
jvmtiError vm_pause_all_stacks(jvmtiEnv *jvmti, jint depth, jvmtiStackInfo **ret_stacks,
                               jint *ret_count);
/** Whether the calling thread, whose end the VM reports, ends the VM: by System.exit, or as the
 * last thread. Context: java, in the event THREAD_END. */
bool vm_pause_ends_vm(jvmtiEnv *jvmti, JNIEnv *env, jthread thread);
